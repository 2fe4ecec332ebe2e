// Further tabs of the editor: snapshots and their comparison, log and downloads, pruning.

import { M } from "../../../report/assets/core/model.js";
import { fmtCount, fmtNumber, fmtPercent, isolateRtl, joinWithAnd, stepText, t } from "../../../report/assets/core/format.js";
import { byId, selectBox, copyButton, el, section, dataTable } from "../../../report/assets/page/dom.js";
import { isPreview, reveal, state, update } from "../../../report/assets/page/state.js";
import { modelPanel } from "../../../report/assets/panels/panel_model.js";
import { prunePanel, showStep } from "../../../report/assets/panels/panel_prune.js";
import { act, api, attempt, downloadAddress, studio } from "../client/client.js";
import { figureName, figureText, isJudged, startCrossValidation } from "./toolbar.js";
import { pText, useSigns } from "./branches.js";

const AUTOMATIC = "@automatic";
const comparisonState = { a: "", b: AUTOMATIC, /** @type {any} */ data: null, revision: -1, loading: false, awaited: false };

export function treesPanel() {
  return el("div", {}, section(t("s_snapshots"), snapshotList()), section(t("s_compare"), compareBox()));
}

function snapshotList() {
  const name = el("input", { id: "snapshot-name", type: "text", maxlength: 80, autocomplete: "off", "aria-label": t("s_snapshot_name"), placeholder: t("s_snapshot_name") });
  const keep = () => name.value.trim() && act("snapshot", { name: name.value.trim() });
  name.addEventListener("keydown", (e) => e.key === "Enter" && keep());
  const { snapshots } = studio.server;
  return el("div", {},
    el("div", { class: "row" }, name, el("button", { class: "small", id: "snapshot-keep", onclick: keep }, t("s_snapshot_keep"))),
    snapshots.length ? el("ul", { class: "snapshots" }, snapshots.map((item, k) => el("li", {},
      el("span", { class: "snapshot-name" }, item.name, item.current ? el("span", { class: "tag" }, t("s_current")) : null), el("span", { class: "muted" }, t("n_leaves", { n: fmtCount(item.n_leaves) })),
      el("span", { class: "row" },
        el("button", { class: "small", id: `restore-${k}`, disabled: item.current, "aria-label": `${t("s_restore")}: ${item.name}`, onclick: () => act("restore", { name: item.name }) }, t("s_restore")),
        el("button", { class: "small", id: `forget-${k}`, "aria-label": `${t("s_forget")}: ${item.name}`, onclick: () => act("forget", { name: item.name }) }, t("s_forget"))))))
      : el("p", { class: "muted" }, t("s_snapshots_none")));
}

/** The name of a tree in the comparison. */
const treeName = (name) => (name === "" ? t("s_tree_now") : name === AUTOMATIC ? t("s_tree_automatic") : name);

function compareBox() {
  const names = ["", AUTOMATIC, ...studio.server.snapshots.map((item) => item.name)];
  for (const side of ["a", "b"]) if (!names.includes(comparisonState[side])) comparisonState[side] = side === "a" ? "" : AUTOMATIC;
  const pick = (side) => selectBox("compare-" + side, t("s_compare_" + side), names, comparisonState[side], treeName, (name) => {
    Object.assign(comparisonState, { [side]: name, data: null });
    fillComparison();
  });
  return el("div", {},
    el("div", { class: "row" }, pick("a"), el("span", { class: "muted" }, t("s_against")), pick("b"), el("button", { class: "small", id: "compare-run", onclick: runComparison }, t("s_compare_run"))),
    el("div", { id: "comparison", "aria-live": "polite" }, comparison()));
}

async function runComparison() {
  comparisonState.loading = true;
  fillComparison();
  const { a, b } = comparisonState;
  const data = await attempt(() => api.compare(a, b));
  Object.assign(comparisonState, { data: data ? { ...data, a: { ...data.a, name: a }, b: { ...data.b, name: b } } : null,
    revision: studio.server.revision, loading: false });
  fillComparison();
}

function fillComparison() {
  const holder = byId("comparison");
  if (holder) holder.replaceChildren(comparison());
}

function comparison() {
  if (comparisonState.loading) return el("p", { class: "muted" }, t("s_comparing"));
  const { data } = comparisonState;
  if (!data) return el("p", { class: "muted" }, t("s_compare_hint"));
  return el("div", {},
    comparisonState.revision !== studio.server.revision ? el("p", { class: "muted small-text" }, t("s_compare_old")) : null,
    verdictBox(data),
    data.verdict && data.verdict.rules.length ? disagreementTable(data) : null,
    dataTable(["", treeName(data.a.name), treeName(data.b.name)], comparisonRows(data), "own"),
    el("p", {}, t("s_n_changed", { n: fmtCount(data.n_changed), all: fmtCount(data.n_rows), share: fmtPercent(data.n_rows ? data.n_changed / data.n_rows : 0, 1), source: t("s_rows_" + data.rows) })),
    data.changed.length ? changedTable(data) : null);
}

/** The verdict; without held-out or cross-validated rows, a button that runs the latter for both trees. */
function verdictBox(data) {
  const tested = data.verdict && data.verdict.mcnemar;
  if (data.verdict) return el("div", { class: data.verdict.is_clear ? "warn" : "calm", id: "comparison-verdict" }, el("p", {}, verdictText(data)),
    tested && tested.disagree ? el("p", { class: "muted small-text" }, t("s_mcnemar", { a: treeName(data.a.name), b: treeName(data.b.name), first: fmtCount(tested.first_only), second: fmtCount(tested.second_only), p: pText(tested.p_value) })) : null);
  return el("div", { class: "calm", id: "comparison-verdict" }, el("p", {}, t("s_verdict_none")),
    el("button", { class: "small", id: "compare-cv", disabled: Boolean(studio.progress), onclick: validateBoth }, t("s_compare_cv")));
}

/** Cross-validate both trees; the comparison runs again when it is done. */
async function validateBoth() {
  comparisonState.awaited = true;
  await startCrossValidation([comparisonState.a, comparisonState.b]);
}

/** Compare again after a cross-validation of both trees. */
export function compareAgain() {
  if (comparisonState.awaited) runComparison();
  comparisonState.awaited = false;
}

/** Which of the two trees is better, with the interval of the difference. */
function verdictText(data) {
  const { better: side, errors, difference, variance, low, high, n_rows: n, is_clear: clear } = data.verdict;
  if (!side) return t("s_verdict_same");
  const [better, worse] = side === "b" ? [data.b, data.a] : [data.a, data.b];
  const counted = errors && Math.abs(errors[1] - errors[0]) > 0;
  const amount = (/** @type {number} */ v) => (counted ? t("s_n_errors", { n: fmtNumber(v, 2) }) : variance > 0 ? t("s_of_variance", { share: fmtPercent(v / variance, 1) }) : fmtNumber(v, 2));
  const apart = counted ? `${amount(Math.abs(errors[1] - errors[0]))} (${fmtCount(Math.min(...errors))} / ${fmtCount(Math.max(...errors))}, ${t("n_rows", { n: fmtCount(n) })})` : amount(Math.abs(difference));
  const [from, to] = (side === "b" ? [-high, -low] : [low, high]).map((v) => (counted ? fmtNumber(v * n, 2) : amount(v)));
  return t(clear ? "s_verdict_clear" : "s_verdict_unclear", { better: treeName(better.name), worse: treeName(worse.name), apart, low: from, high: to });
}

/** The segments in which the trees disagree most, and which tree is right there. */
function disagreementTable(data) {
  const share = (v) => (M.regression ? fmtNumber(v, 3) : fmtPercent(v, 1));
  const names = M.regression ? ["error of first", "error of second"] : ["first right", "second right"];
  const value = (v) => (M.regression ? fmtNumber(v, 3) : fmtCount(v));
  const head = [t("rule"), t("rows"), t(M.regression ? "s_mean_difference" : "s_share_disagree"),
    ...[data.a, data.b].map((tree) => t(M.regression ? "s_tree_error" : "s_tree_right", { tree: treeName(tree.name) }))];
  return el("div", {}, el("p", {}, el("strong", {}, t("s_disagree"))), dataTable(head, data.verdict.rules.slice(0, 6).map((row) => [useSigns(row.condition), fmtCount(row.rows),
    share(row[M.regression ? "difference" : "disagree"]), ...names.map((name) => value(row[name]))]), "disagreement"));
}

/** Figures of both trees; those of the training rows only beside others. */
function comparisonRows(data) {
  const sides = [data.a, data.b];
  const line = (source) => (sides.some((s) => !s.figures[source]) ? [] : [[`${figureName(data.a.figures.train)} (${t(SOURCES[source])})`, ...sides.map((s) => figureText(s.figures[source]))]]);
  const honest = [...line("held_out"), ...line("cross_validated")];
  return [[t("leaves"), ...sides.map((s) => fmtCount(s.n_leaves))], [t("depth"), ...sides.map((s) => fmtCount(s.depth))],
    ...(honest.length ? line("train") : []), ...honest];
}
const SOURCES = { train: "s_train", held_out: "s_held_out", cross_validated: "cross_validated" };

/** The rows whose prediction changes, by leaf in both trees, with the rules. */
function changedTable(data) {
  const answerText = (v) => (typeof v === "number" && M.regression ? fmtNumber(v, 3) : String(v));
  const leaf = (tree, node) => (tree.name === "" && comparisonState.revision === studio.server.revision && node < M.n ? el("button", { class: "link", onclick: () => reveal(node) }, `#${node}`) : `#${node}`);
  const side = (tree, node, answer, parts) => {
    const rule = parts.length ? joinWithAnd(parts.map(useSigns)) : t("all_rows");
    return el("div", { class: "changed-leaf" }, el("span", {}, el("strong", {}, isolateRtl(answerText(answer))), " · ", leaf(tree, node)), el("span", { class: "muted small-text", title: rule }, rule));
  };
  return dataTable([treeName(data.a.name), treeName(data.b.name), t("rows")], data.changed.slice(0, 12).map((item) => [
    side(data.a, item.node_a, item.a, item.rule_a), side(data.b, item.node_b, item.b, item.rule_b), fmtCount(item.n_rows)]), "changed");
}

export function logPanel() {
  return el("div", {}, section(t("s_save"), saveBox()), studio.server.setup.n_test || studio.server.opened_test ? section(t("s_test_rows"), testBox()) : null, section(t("s_log"), logBox()));
}

/** The sealed test rows: a button that opens them once, then their figure. */
function testBox() {
  const { opened_test: opened, setup } = studio.server;
  if (opened) return el("p", { class: opened.current ? "calm" : "warn", id: "test-figure" }, t(opened.current ? "s_test_opened" : "s_test_other", { figure: `${figureName(opened.figures)} ${figureText(opened.figures)}`, n: fmtCount(opened.figures.n_rows) }));
  return el("div", {}, el("p", { class: "muted small-text" }, t("s_test_sealed", { n: fmtCount(setup.n_test) })),
    el("button", { id: "open-test", onclick: () => act("open_test") }, t("s_test_open")));
}

function logBox() {
  const { log } = studio.server;
  const all = () => log.map((item) => item.line).join("\n") + "\n";
  return el("div", {},
    el("p", { class: "muted" }, t("s_log_hint")),
    el("div", { class: "row" }, copyButton(t("s_copy_all"), all)),
    el("ol", { class: "log", id: "log" }, [...log, ...(studio.server.opened_test ? [studio.server.opened_test] : [])].map((item) => el("li", {}, el("code", {}, item.line)))));
}

/** Download links: script, model, report, and exports of all formats. */
function saveBox() {
  const save = (what) => el("a", { class: "button", id: "save-" + what, href: downloadAddress(what), download: "" }, t("s_save_" + what));
  const endings = new Map(studio.server.exports.map((item) => [item.name, item.ending]));
  const exporting = el("a", { class: "button", id: "save-export", download: "" }, t("s_save_export"));
  const point = () => exporting.setAttribute("href", downloadAddress("export", format.value));
  const format = selectBox("export-format", t("s_export_format"), [...endings.keys()], [...endings.keys()][0],
    (name) => `${name} (${endings.get(name)})`, point);
  point();
  return el("div", {},
    el("div", { class: "row" }, save("model"), save("report"), save("script")),
    el("div", { class: "row" }, format, exporting),
    studio.server.setup.n_held_out || studio.server.setup.n_test ? el("div", { class: "row" }, save("refit"), el("span", { class: "muted small-text" }, t("s_refit_hint"))) : null,
    el("p", { class: "muted small-text" }, t("s_save_hint")));
}

let validatedRevision = -1; // the revision whose cross-validation the Prune tab has started
export function prunePanelWithActions() {
  if (M.steps.length < 2) return prunePanel();
  const { revision } = studio.server;
  const lacking = !M.payload.pruning.cv_risk;
  if (lacking && !studio.progress && validatedRevision !== revision) {
    validatedRevision = revision; // once: a cancelled run does not start again
    setTimeout(() => startCrossValidation());
  }
  return el("div", {}, el("div", { id: "prune-apply" }, applyPruning()), lacking ? el("p", { class: "muted", id: "prune-waits" }, t("s_prune_cv")) : null, prunePanel());
}

/** The report's Model tab, once the tree has a figure on other rows. */
export const judgedModelPanel = () => (isJudged() ? modelPanel() : el("div", { class: "calm" }, el("p", {}, t("s_not_judged")),
  el("button", { class: "small", id: "model-cv", disabled: Boolean(studio.progress), onclick: () => startCrossValidation() }, t("s_cv_run"))));

/** Show another step in the open tab. @param {Set<string>} changed */
export function showPruning(changed) {
  showStep(changed);
  if (changed.has("step")) byId("prune-apply").replaceChildren(applyPruning());
}

/** Buttons to apply the shown step to the workspace or to go back; disabled for the current tree. */
function applyPruning() {
  const { alpha } = M.steps[state.step];
  const off = !isPreview();
  return el("div", { class: "row" },
    el("button", { class: "primary", id: "prune-take", disabled: off, onclick: () => act("prune", { alpha }) }, t("s_prune_take", { n: stepText(state.step) })),
    el("button", { class: "small", id: "prune-back", disabled: off, onclick: () => update({ step: M.start }) }, t("back_fitted")));
}
