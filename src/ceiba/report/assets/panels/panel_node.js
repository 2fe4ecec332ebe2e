// The Node tab: the rule of a node, its training and test rows, competing and surrogate splits, where missing and unseen
// values go, and the alpha at which it collapses.

import { histogramOf, histogramSvg, namedBars } from "../charts/charts.js";
import { ruleCode, ruleParts, ruleText } from "../core/conditions.js";
import { M, hasMissingBranch } from "../core/model.js";
import { intervalText, confidenceText, testCounts, trainTestGap } from "../core/confidence.js";
import { answerText, className, fmtCount, fmtNumber, fmtPercent, isMissingMarked, numberAnswer, sentence, shareGap, t, TEST_MARKS } from "../core/format.js";
import { copyButton, el, glossary, section, sv, dataTable, verdict } from "../page/dom.js";
import { isTerminal, displayNumber, nodeCurve, reveal, state } from "../page/state.js";
import { barColours, nodeCss, SvgPen } from "../tree/pens.js";
import { drawBox, drawShares } from "../tree/tree_draw.js";

/** Further sections about a node, added by the entry. @type {((i: number) => Element|null)[]} */ export const nodeExtras = [];

export function nodePanel() {
  const i = state.selected;
  const end = isTerminal(i);
  return el("div", {},
    nodeHead(i, end),
    nodeAnswer(i, end),
    nodeCurve.view(i),
    section(t("rule"), ruleBox(i)),
    section(t("rows"), nodeRows(i)),
    end ? null : section(t("split"), splitPicture(i), nodeSplit(i)),
    end ? null : competitorTable(i),
    end ? null : surrogateTable(i),
    nodeExtras.map((part) => part(i)),
    nodeNotes(i, end),
    M.hasRows ? glossary([[t("word_interval"), M.payload.honest ? "g_interval_honest" : "g_interval"], ...(end ? [] : [[t("gain"), "g_gain"], ["α", "g_alpha"]])]) : null);
}

export function nodeHead(i, end, tag = null) {
  return el("div", { class: "node-head" },
    el("h2", {}, t(end ? "leaf" : i === 0 ? "root" : "inner_node"), " ", el("span", { class: "muted" }, `#${displayNumber(i)}`), tag),
    M.parent[i] >= 0 ? el("button", { class: "small", id: "to-parent", onclick: () => reveal(M.parent[i]) }, "↑ " + t("parent")) : null);
}

export function nodeAnswer(i, end) {
  const mark = el("span", { class: "answer-mark", style: { background: M.regression ? nodeCss(i) : M.payload.colours[M.answer[i]] } });
  const answer = M.regression ? numberAnswer(M.value[i]) : className(M.answer[i]);
  return el("p", { class: "answer" }, mark, el("strong", {}, answer),
    M.regression ? null : el("span", {}, shareGap() + fmtPercent(M.prob(i, M.answer[i]), 1) + (M.payload.class_prior ? ` (${t("by_priors")})` : "")),
    end ? null : el("span", { class: "muted" }, " " + t("if_stopped")), nodeConfidence(i, end),
    nodeCurve.text(i) ? el("span", { class: "sure muted" }, nodeCurve.text(i)) : null);
}

/** The confidence of a leaf in words, or the interval of an inner node. */
function nodeConfidence(i, end) {
  const sure = end && confidenceText(i);
  if (sure) return el("span", { class: sure.isUncertain ? "sure uncertain" : "sure" }, verdict(sure));
  return intervalText(i) ? el("span", { class: "sure muted" }, intervalText(i)) : null;
}

export function ruleBox(i) {
  const parts = ruleParts(i, 12);
  const hasSurrogates = M.surrogates && M.surrogates.inUse && i > 0;
  return el("div", {},
    el("ul", { class: "rule" }, parts.length ? parts.map((p) => el("li", {}, p)) : el("li", {}, t("all_rows"))),
    hasSurrogates ? el("p", { class: "muted" }, t("missing_by_surrogates")) : null,
    el("div", { class: "row" },
      copyButton(t("copy_text"), () => `${ruleText(i, 99)} → ${answerText(i)}`),
      copyButton("Python", () => ruleCode(i, "python")),
      copyButton("SQL", () => ruleCode(i, "sql"))));
}

export function nodeRows(i) {
  const test = M.test;
  if (!M.hasRows && !test) return el("p", { class: "muted" }, t("no_rows_known"));
  if (M.regression) return regressionRows(i, test);
  const total = (counts) => counts.reduce((a, b) => a + b, 0);
  const train = M.counts && !M.clipped ? M.counts.slice(i * M.K, (i + 1) * M.K) : null;
  const held = test ? testCounts(i).counts : null;
  const order = M.classes.map((_, k) => k);
  if (M.K > 8) order.sort((a, b) => M.prob(i, b) - M.prob(i, a));
  const head = [M.hasNumericClasses && M.target ? M.target : t("class"), ...(train ? [t(M.weighted ? "train_weight" : "train_short"), "%"] : []), ...(held ? [t("test"), "%"] : [])];
  const line = (k) => {
    return [el("span", {}, el("span", { class: "swatch", style: { background: M.payload.colours[k] } }), M.hasNumericClasses ? M.classes[k] : className(k)),
      ...(train ? [fmtCount(train[k]), fmtPercent(train[k] / total(train), 1)] : []),
      ...(held ? [fmtCount(held[k]), total(held) ? fmtPercent(held[k] / total(held), 1) : "–"] : [])];
  };
  const sum = [t("whole_node"), ...(train ? [fmtCount(total(train)), fmtPercent(total(train) / total(M.counts.subarray(0, M.K)), 1)] : []),
    ...(held ? [fmtCount(total(held)), testCounts(0).n ? fmtPercent(total(held) / testCounts(0).n, 1) : "–"] : [])];
  const visible = order.slice(0, 12).filter((k) => M.K <= 12 || M.prob(i, k) > 0 || (held && held[k] > 0));
  const bar = sv("svg", { viewBox: "0 0 360 14", class: "share-bar", "aria-hidden": "true", preserveAspectRatio: "none" });
  drawShares(new SvgPen(bar), i, 0, 0, 360, 14);
  return el("div", {}, bar, dataTable(head, [...visible.map(line), sum], "last-sum"),
    M.payload.class_prior ? el("p", { class: "muted small-text" }, t("rows_priors")) : null,
    M.K > visible.length ? el("p", { class: "muted" }, t("more_classes", { n: M.K - visible.length })) : null);
}

function regressionRows(i, test) {
  const squared = M.payload.criterion === "squared_error";
  const rows = [[t("rows"), fmtCount(M.rows[i]), test ? fmtCount(test.rows[i]) : null], [t("share"), fmtPercent(M.rows[i] / M.rows[0], 1), test ? fmtPercent(test.rows[i] / test.rows[0], 1) : null]];
  if (squared) {
    if (M.clipped) rows.push([t("value"), fmtNumber(M.value[i]), null]);
    if (!M.clipped || test) rows.push([t("mean"), M.clipped ? "–" : fmtNumber(M.value[i]), test ? fmtNumber(test.mean[i]) : null]);
    rows.push([t("deviation"), fmtNumber(Math.sqrt(M.impurity[i])), test ? fmtNumber(Math.sqrt(test.variance[i])) : null]);
  } else rows.push([t("value"), fmtNumber(M.value[i]), null], [t("loss"), fmtNumber(M.impurity[i]), test ? fmtNumber(test.loss[i]) : null]);
  const table = dataTable(["", t("train"), ...(test ? [t("test")] : [])], rows.map((r) => (test ? r.map((v) => v ?? "") : r.slice(0, 2))), "own");
  if (!M.boxes) return table;
  const q = [...M.boxes.slice(i * 5, i * 5 + 5)];
  const plot = sv("svg", { viewBox: "0 0 360 30", class: "share-bar tall", role: "img", "aria-label": t("box_plot") + ": " + q.map((v) => fmtNumber(v)).join(", ") });
  drawBox(new SvgPen(plot), i, 4, 7, 352, 16);
  return el("div", {}, plot, el("p", { class: "muted small-text" }, t("box_plot") + ": " + q.map((v) => fmtNumber(v)).join(" · ")), table);
}

/** The histogram of the split column at this node, with the cut. */
function splitPicture(i) {
  const hist = histogramOf(i);
  if (!hist) return M.payload.histograms ? el("p", { class: "muted small-text" }, t("histogram_none")) : null;
  const label = `${t("histogram")}: ${M.columns.name[M.splits.column[i]]}`;
  const picture = hist.ends ? histogramSvg(hist, barColours(), 380, M.regression ? 150 : 120, label) : namedBars(hist, barColours(), (b) => (b < 0 ? t("unseen_level") : b >= M.nBranches(i) ? "" : `→ ${answerText(M.child(i, b))}`));
  const notes = [t(M.regression ? (hist.ends ? "histogram_numbers" : "histogram_medians") : hist.ends ? "histogram_hint" : "histogram_levels", { column: M.columns.name[M.splits.column[i]] })];
  if (hist.others) notes.push(t("more_levels_hidden", { n: fmtCount(hist.others) }));
  if (hist.missing) notes.push(t("n_missing", { n: fmtCount(hist.missing) }));
  return el("div", { class: "split-picture" }, picture, el("p", { class: "muted small-text" }, notes.join(" ")));
}

export function nodeSplit(i) {
  const lines = [];
  for (let b = 0; b < M.nBranches(i); b++) {
    const c = M.child(i, b);
    lines.push(el("li", {},
      el("button", { class: "link", onclick: () => reveal(c) }, sentence(M.splits, i, b, 12)),
      el("span", { class: "muted" }, ` → ${answerText(c)}` + (M.hasRows ? ` · ${t("n_rows", { n: fmtCount(M.rows[c]) })}` : ""))));
  }
  return el("div", {}, el("ul", { class: "branches" }, lines),
    testText(i) ? el("p", { id: "split-test" }, testText(i)) : null,
    M.hasRows ? el("p", { class: "muted", title: t("g_gain") }, `${t("gain")} ${fmtNumber(M.gain[i])} (${M.payload.criterion})`) : null,
    missingText(i) ? el("p", { class: "flip missing-branch" }, !hasMissingBranch(M.splits, i) && M.columns.n_missing[M.splits.column[i]] > 0 && isMissingMarked() ? el("span", { class: "missing-mark", "aria-hidden": "true" }, "?") : null, missingText(i)) : null);
}

/** The significance test of a split, for trees that grow by tests. */
function testText(i) {
  const tests = M.payload.nodes.tests;
  if (!tests || tests.p[i] === null) return null;
  const mark = TEST_MARKS[tests.name];
  const statistic = mark && tests.statistic[i] !== null ? `${mark}(${tests.df[i].map((d) => fmtNumber(d)).join(", ")}) = ${fmtNumber(tests.statistic[i])}, ` : "";
  return statistic + t("test_p", { p: tests.p[i] < 0.001 ? `< ${fmtNumber(0.001)}` : "= " + fmtNumber(tests.p[i], 2) });
}

/** Where missing and unseen values go, as text. */
function missingText(i) {
  const s = M.splits;
  const parts = [];
  if (!hasMissingBranch(s, i)) {
    const branch = M.defaultBranch[i];
    const to = branch < 0 ? t("stay_here") : sentence(s, i, branch, 4);
    const rule = M.payload.missing;
    if (rule === "fractional") parts.push(t("missing_shares"));
    else if (rule === "error") parts.push(t("missing_error"));
    else if (rule === "surrogate" && M.surrogates && M.surrogates.inUse) parts.push(t("missing_surrogate", { to }));
    else if (branch < 0) parts.push(t("missing_stay", { column: M.columns.name[s.column[i]] }));
    else parts.push(t("missing_goes", { column: M.columns.name[s.column[i]], to, said: answerText(M.child(i, branch)) }));
    if (isMissingMarked() && M.sentDefault && M.sentDefault[i] > 0) parts.push(t("missing_count", { n: fmtCount(M.sentDefault[i]), all: fmtCount(M.rows[i]) }));
  }
  if (M.columns.kind[s.column[i]] !== "numeric") {
    const unseen = M.payload.unseen;
    if (unseen === "error" || unseen === "default") parts.push(t("unseen_" + unseen));
    else if (unseen === "missing") parts.push(t("unseen_missing"));
    else parts.push(t("unseen_goes", { to: sentence(s, i, M.majority[i], 4) }));
  }
  return parts.join(" ");
}

function competitorTable(i) {
  const c = M.competitors;
  if (!c || c.start[i] === c.start[i + 1]) return null;
  const rows = [];
  for (let k = c.start[i]; k < c.start[i + 1]; k++) rows.push([sentence(c.splits, k, 0, 6), fmtNumber(c.gain[k]), M.gain[i] > 0 ? fmtPercent(c.gain[k] / M.gain[i]) : "–"]);
  return section(t("competitors"), dataTable([t("split"), t("gain"), t("of_best")], rows));
}

function surrogateTable(i) {
  const s = M.surrogates;
  if (!s || s.start[i] === s.start[i + 1]) return null;
  const rows = [];
  for (let k = s.start[i]; k < s.start[i + 1]; k++) rows.push([sentence(s.splits, k, 0, 6), fmtPercent(s.agreement[k], 1), fmtNumber(s.adjusted[k], 3), fmtCount(s.sent[k])]);
  return section(t("surrogates"), dataTable([t("stand_in"), t("agreement"), t("adjusted"), t("sent")], rows),
    el("p", { class: "muted" }, t(s.inUse ? "surrogates_used" : "surrogates_idle")));
}

export function nodeNotes(i, end) {
  const notes = [];
  const written = M.notes.get(i);
  if (written) notes.push(el("p", {}, el("strong", {}, written.text)));
  const alpha = M.nodeAlpha[i];
  if (!isTerminal(i) && Number.isFinite(alpha)) notes.push(el("p", {}, t("collapses_at", { alpha: fmtNumber(alpha) })));
  if (end && M.hasRows && M.rows[i] < 10) notes.push(el("p", { class: "warn" }, t("small_leaf", { n: fmtCount(M.rows[i]) })));
  const far = end && trainTestGap(i);
  if (far) notes.push(el("p", { class: "warn" }, far));
  return notes.length ? section(t("notes"), notes) : null;
}
