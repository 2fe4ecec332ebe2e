// The Model tab: metrics, importance, confusion matrix, curves and leaves of the tree at the current step.

import { barList, chartFrame } from "../charts/charts.js";
import { ruleText } from "../core/conditions.js";
import { confusionAt, costOf, terminalCounts, terminalMoments, terminalsAt, importanceAt, rocAt, sourceOf } from "../core/metrics.js";
import { M } from "../core/model.js";
import { sampleNote, testCounts, wilson } from "../core/confidence.js";
import { className, fmtCount, fmtNumber, fmtPercent, listNames, t } from "../core/format.js";
import { selectBox, download, el, scrollTable, section, segmented, sv, lazyTable, dataTable } from "../page/dom.js";
import { renderPanel } from "../page/inspector.js";
import { currentAlpha, displayNumber, reveal, state, update } from "../page/state.js";
import { filterHits } from "../tree/search.js";
import { elide, shadedStyle } from "../tree/pens.js";
import { metricGlossary, metricsTable, currentSource } from "./metric_tables.js";
import { liftView } from "./lift.js";
import { currentLeak, leakText } from "./findings.js";

let curveKind = "roc", curveClass = 1, matrixKind = "count";

export function modelPanel() {
  const source = currentSource();
  const alpha = currentAlpha();
  const terminals = terminalsAt(alpha);
  const figures = source ? sourceOf(source) : null;
  return el("div", {},
    currentLeak() ? el("p", { class: "warn strong" }, leakText(currentLeak())) : null,
    section(t("quality"), metricsTable(alpha), metricGlossary(alpha)),
    section(t("importance"), importanceList(alpha)),
    M.test && sourceOf("train") ? el("div", { class: "row" }, el("span", { class: "muted" }, t("rows_below") + (M.payload.class_prior ? ` (${t("of_sample")})` : "")), segmented(["train", "test"], source, (v) => update({ source: v }), t)) : null,
    figures && !M.regression ? section(t("confusion"), confusionView(figures, terminals)) : null,
    figures && !M.regression && M.K >= 2 ? section(t("curves"), curveView(figures, terminals)) : null,
    figures && !M.regression && M.K >= 2 ? section(t("lift_title"), liftView(figures, terminals)) : null,
    figures && !M.regression && M.test ? section(t("calibration"), calibrationView(terminals)) : null,
    M.regression && figures && figures.mean ? section(t("observed_predicted"), residualView(figures, terminals)) : null,
    section(t("leaf_table"), leafTable(terminals)));
}

export function importanceList(alpha) {
  const importance = importanceAt(alpha);
  const order = M.columns.name.map((_, j) => j).filter((j) => importance[j] > 0).sort((a, b) => importance[b] - importance[a]);
  if (!order.length) return el("p", { class: "muted" }, t("only_root"));
  const none = M.columns.name.filter((_, j) => !(importance[j] > 0));
  return el("div", { class: "importance" }, barList(order.slice(0, 15).map((j) => ({ name: M.columns.name[j], share: importance[j], text: fmtPercent(importance[j], 1) }))),
    order.length > 15 ? el("p", { class: "muted" }, t("more_columns", { n: order.length - 15 })) : null,
    none.length ? el("p", { class: "muted none" }, t("importance_none", { names: listNames(none.map((name) => elide(name, 200, 13)), 20) })) : null,
    el("p", { class: "muted small-text" }, t("importance_hint")));
}

function confusionView(figures, terminals) {
  return el("div", {}, segmented(M.cost ? ["count", "share", "cost"] : ["count", "share"], matrixKind, (v) => { matrixKind = v; renderPanel(); }, (v) => t("cells_" + v)), confusionTable(figures, terminals));
}

export function confusionTable(figures, terminals) {
  const all = confusionAt(figures, terminals);
  const order = M.classes.map((_, k) => k);
  const totals = all.map((row) => row.reduce((a, b) => a + b, 0));
  if (M.K > 12) order.sort((a, b) => totals[b] - totals[a]);
  const visible = order.slice(0, 12);
  const cell = (truth, predicted) => {
    const n = all[truth][predicted];
    const share = totals[truth] ? n / totals[truth] : 0;
    const text = matrixKind === "count" ? fmtCount(n) : matrixKind === "share" ? (totals[truth] ? fmtPercent(share) : "–") : fmtNumber(n * costOf(truth, predicted));
    return el("td", { class: truth === predicted ? "num right-answer" : "num", style: shadedStyle(share) }, text);
  };
  const head = el("th", { scope: "col" }, (M.hasNumericClasses && M.target ? M.target + ": " : "") + t("truth") + " ↓  " + t("predicted") + " →");
  return el("div", {}, scrollTable(t("confusion"), "matrix", [head, visible.map((k) => el("th", { scope: "col", class: "num" }, M.classes[k]))],
    visible.map((k) => el("tr", {}, el("th", { scope: "row" }, M.classes[k]), visible.map((s) => cell(k, s))))),
    el("p", { class: "muted small-text" }, t("matrix_hint")),
    M.K > 12 ? el("p", { class: "muted" }, t("more_classes", { n: M.K - 12 })) : null);
}

function curveView(figures, terminals) {
  if (curveClass >= M.K) curveClass = 0;
  const curve = rocAt(figures, terminals, curveClass);
  const isRoc = curveKind === "roc";
  const points = isRoc ? curve.roc : curve.pr;
  const f = chartFrame({
    x: [0, 1], y: [0, 1], xLabel: t(isRoc ? "false_positive" : "recall"), yLabel: t(isRoc ? "true_positive" : "precision"), label: t(isRoc ? "roc" : "pr"),
    xFormat: (v) => fmtPercent(v), yFormat: (v) => fmtPercent(v),
  });
  const base = isRoc ? [[0, 0], [1, 1]] : [[0, curve.positive], [1, curve.positive]];
  f.line(base, "limit");
  if (points.length) f.line(points, "line cv");
  if (points.length <= 80) for (const [x, y] of points) f.layer.append(sv("circle", { cx: f.sx(x), cy: f.sy(y), r: 2.5, class: "cv-dot" }));
  const picker = selectBox(undefined, t("class"), M.classes.map((_, k) => k), curveClass, className, (k) => {
    curveClass = Number(k);
    renderPanel();
  });
  return el("div", {}, el("div", { class: "row" }, segmented(["roc", "pr"], curveKind, (v) => { curveKind = v; renderPanel(); }, t), el("label", { class: "inline" }, t("class") + " ", picker)), f.svg,
    el("p", {}, isRoc ? `AUC ${fmtNumber(curve.area)}` : `${t("average_precision")} ${fmtNumber(curve.average)}`),
    lazyTable(t("as_table"), () => dataTable([t(isRoc ? "false_positive" : "recall"), t(isRoc ? "true_positive" : "precision")], points.slice(0, 500).map(([x, y]) => [fmtPercent(x, 1), fmtPercent(y, 1)]))));
}

/** Draw one bubble per terminal node, with an area by rows; a click selects the node. @param {{node: number, x: number, y: number, low: number, high: number, n: number, text: string}[]} points */
function drawBubbles(f, points, total) {
  for (const { node, x, y, low, high, n, text } of points.sort((a, b) => b.n - a.n)) {
    if (points.length <= 60) f.layer.append(sv("line", { x1: f.sx(x), x2: f.sx(x),
      y1: Math.max(f.sy(high), f.box.top), y2: Math.min(f.sy(low), f.box.bottom), class: "error-bar" }));
    f.layer.append(sv("circle", { cx: f.sx(x), cy: f.sy(y), r: 2 + 12 * Math.sqrt(n / total), class: "bubble",
      onclick: () => reveal(node) }, sv("title", {}, `#${displayNumber(node)}: ${text}`)));
  }
}

/** Predicted probability against the share in the test rows. */
export function calibrationView(terminals) {
  const k = Math.min(curveClass, M.K - 1);
  const f = chartFrame({ x: [0, 1], y: [0, 1], xLabel: t("said_share", { name: elide(className(k), 120, 11) }), yLabel: t("seen_share"), label: t("calibration"), xFormat: (v) => fmtPercent(v), yFormat: (v) => fmtPercent(v) });
  f.line([[0, 0], [1, 1]], "limit");
  const points = terminals.map(({ node, rest }) => {
    const c = terminalCounts(M.test.counts, { node, rest });
    const n = c.reduce((a, b) => a + b, 0), x = M.prob(node, k), y = c[k] / n, [low, high] = wilson(y, n);
    return { node, x, y, low, high, n, text: `${fmtPercent(x, 1)} → ${fmtPercent(y, 1)}, n ${fmtCount(n)}` };
  }).filter(({ n }) => n > 0);
  drawBubbles(f, points, M.test.rows[0] || 1);
  return el("div", {}, f.svg, el("p", { class: "muted small-text" }, t("calibration_hint") + (M.weighted || M.altered ? " " + t("calibration_altered") : "")),
    lazyTable(t("as_table"), () => dataTable([t("leaf"), t("said_share", { name: className(k) }), t("seen_share"), t("test_rows")],
      points.slice(0, 500).map(({ node, x, y, n }) => [`#${displayNumber(node)}`, fmtPercent(x, 1), fmtPercent(y, 1), fmtCount(n)]))));
}

export function residualView(figures, terminals) {
  const points = terminals.map((end) => {
    const { w, mean, variance } = terminalMoments(figures, end);
    const x = M.value[end.node], sd = Math.sqrt(variance);
    return { node: end.node, x, y: mean, low: mean - sd, high: mean + sd, n: w, sd,
      text: `${fmtNumber(x)} → ${fmtNumber(mean)} ± ${fmtNumber(sd)}` };
  }).filter(({ n }) => n > 0);
  const values = points.flatMap(({ x, y }) => [x, y]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = 0.05 * (high - low || 1);
  const f = chartFrame({ x: [low - pad, high + pad], y: [low - pad, high + pad], xLabel: t("predicted"), yLabel: t("observed"), label: t("observed_predicted") });
  f.line([[low, low], [high, high]], "limit");
  drawBubbles(f, points, figures.weight[0]);
  return el("div", {}, f.svg, el("p", { class: "muted small-text" }, t("residual_hint")),
    lazyTable(t("as_table"), () => dataTable([t("leaf"), t("predicted"), t("observed"), t("deviation")],
      points.slice(0, 500).map(({ node, x, y, sd }) => [`#${displayNumber(node)}`, fmtNumber(x), fmtNumber(y), fmtNumber(sd)]))));
}

let sortBy = "rows", sortUp = false, leavesShown = 50;

/** Columns of the leaf table: key, title ("": in the file only), value, text. @returns {any[][]} */
function leafColumns() {
  const held = M.test;
  const list = [
    ["node", "#", (i) => displayNumber(i), (i) => `#${displayNumber(i)}`],
    ["answer", t("predicted"), (i) => (M.regression ? M.value[i] : M.answer[i]), (i) => (M.regression ? fmtNumber(M.value[i]) : className(M.answer[i]))],
  ];
  if (M.hasRows) list.push(["rows", t("rows_of_all"), (i) => M.rows[i], (i) => `${fmtCount(M.rows[i])} (${fmtPercent(M.rows[i] / M.rows[0], 1)})`], ["share", "", (i) => M.rows[i] / M.rows[0]]);
  if (!M.regression) {
    list.push(["sure", probabilityName(), (i) => M.prob(i, M.answer[i]), (i) => fmtPercent(M.prob(i, M.answer[i]), 1)]);
    if (held) {
      const n = (i) => testCounts(i).n;
      const right = (i) => held.counts[i * M.K + M.answer[i]] / (n(i) || NaN);
      list.push(["test_rows", "", n], ["test_sure", t("test_right") + sampleNote(), right, (i) => (n(i) ? t("n_of", { share: fmtPercent(right(i), 1), n: fmtCount(n(i)) }) : "–")]);
    }
    list.push(["lift", t("lift"), (i) => M.prob(i, M.answer[i]) / M.prob(0, M.answer[i]), (i) => fmtNumber(M.prob(i, M.answer[i]) / M.prob(0, M.answer[i]), 3)]);
  } else {
    if (M.payload.criterion === "squared_error" && M.hasRows) list.push(["sd", t("deviation"), (i) => M.impurity[i], (i) => fmtNumber(Math.sqrt(M.impurity[i]), 3)]);
    if (held && held.mean) list.push(["test", t("test_rows"), (i) => held.rows[i], (i) => fmtCount(held.rows[i])], ["test_mean", t("test_mean"), (i) => held.mean[i], (i) => fmtNumber(held.mean[i])]);
  }
  return list;
}

/** The title of the probability; with class priors, it is not the share of the rows. */
const probabilityName = () => (M.payload.class_prior ? `${t("confidence")} (${t("by_priors")})` : t("confidence"));

function leafTable(terminals) {
  const columns = leafColumns().filter((c) => c[1]);
  const by = columns.find((c) => c[0] === sortBy) || columns[0];
  const passing = filterHits();
  const leaves = terminals.filter((e) => !e.rest && (passing === null || passing[e.node])).map((e) => e.node);
  leaves.sort((a, b) => (sortUp ? 1 : -1) * ((by[2](a) || 0) - (by[2](b) || 0)) || a - b);
  const sorter = (/** @type {any[]} */ [key, title]) => el("th", { scope: "col", class: "num", "aria-sort": key === by[0] ? (sortUp ? "ascending" : "descending") : "none" },
    el("button", { class: "sort", onclick: () => { sortUp = key === sortBy ? !sortUp : false; sortBy = key; renderPanel(); } }, title + (key === by[0] ? (sortUp ? " ▲" : " ▼") : "")));
  const mark = (i, kind) => kind + (i === state.selected ? " selected" : "");
  const row = (i) => [
    el("tr", { class: mark(i, "leaf") }, el("td", { class: "rule-cell", colspan: columns.length }, ruleText(i, 6))),
    el("tr", { class: mark(i, "") }, columns.map(([key, , , text]) =>
      el("td", { class: key === "answer" ? "num answer-cell" : "num" }, key === "node" ? el("button", { class: "link", onclick: () => reveal(i) }, text(i)) : text(i))))];
  return el("div", {},
    scrollTable(t("leaf_table"), "leaves", columns.map(sorter), leaves.slice(0, leavesShown).map(row)),
    el("div", { class: "row" },
      leaves.length > leavesShown ? el("button", { class: "small", onclick: () => { leavesShown += 200; renderPanel(); } }, t("show_more", { n: leaves.length - leavesShown })) : null,
      el("button", { class: "small", onclick: () => download("rules.csv", "text/csv", rulesCsv(leaves)) }, t("save_csv"))));
}

/** All rules as CSV; a cell that a spreadsheet would evaluate gets an apostrophe. */
function rulesCsv(leaves) {
  const columns = leafColumns();
  const cell = (v) => {
    const text = String(v ?? "");
    const safe = /^[=+@\t]/.test(text) ? "'" + text : text;
    return /[",\n]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
  };
  const lines = leaves.map((i) => [...columns.map(([key, , figure]) => (key === "answer" && !M.regression ? M.classes[M.answer[i]] : figure(i))), ruleText(i, 9999)]);
  return [[...columns.map((c) => c[0]), "rule"], ...lines].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}
