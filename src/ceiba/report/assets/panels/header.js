// The header: metrics of the shown tree, important warnings, and what the search has proven.

import { quickMetrics } from "../core/metrics.js";
import { M } from "../core/model.js";
import { className, fmtCount, fmtNumber, fmtPercent, isolateRtl, stepText, t } from "../core/format.js";
import { el, factList } from "../page/dom.js";
import { currentAlpha, currentDepth, isPreview, state, update } from "../page/state.js";
import { baseline, metricName } from "./metric_tables.js";
import { currentLeak, leakText } from "./findings.js";

export function summaryLine() {
  const parts = [t(M.payload.task) + (M.target ? `: ${isolateRtl(M.target)}` : "")];
  parts.push(stepText(state.step), `${t("depth")} ${currentDepth()}`);
  if (M.hasRows) parts.push(t("n_rows", { n: fmtCount(M.rows[0]) }));
  const source = M.test ? "test" : "train";
  const best = quickMetrics(currentAlpha(), source);
  if (best) {
    const where = t(source);
    const base = baseline() && baseline().of(source);
    const always = (value) => (base === undefined || base === null ? "" : ` (${t("always", { name: className(M.answer[0]), value })})`);
    if (best.cost !== undefined) parts.push(`${M.cost && !M.payload.class_prior ? `${t("expected_cost")} (${where})` : metricName("cost", where)} ${fmtNumber(best.cost, 3)}` + always(fmtNumber(base, 3)));
    else if (best.accuracy !== undefined) parts.push(`${t("m_accuracy")} (${where}) ${fmtPercent(best.accuracy, 1)}` + always(fmtPercent(base, 1)));
    else if (best.r2 !== undefined) parts.push(`R² (${where}) ${fmtNumber(best.r2, 3)}`, `RMSE ${fmtNumber(best.rmse)}` + (base ? ` (${t("mean_alone", { value: fmtNumber(base) })})` : ""));
  }
  return parts.join(" · ");
}

/** Marks in the header: a suspected leak, and a tree that is not the fitted one. */
export function headerMarks() {
  const leak = currentLeak();
  const marks = [];
  if (leak) marks.push(el("button", { id: "leak", class: "mark-warn", title: leakText(leak), onclick: () => update({ tab: "data" }) }, "⚠ " + t("leak_mark", { column: M.columns.name[leak.column] })));
  if (isPreview()) marks.push(el("button", { id: "trial", class: "mark-trial", title: t("back_fitted"), onclick: () => update({ step: M.start }) }, "↺ " + t("trial", { now: stepText(state.step), fitted: fmtCount(M.steps[M.start].leaves) })));
  return marks;
}

const EARLY_ENDS = ["gap", "time", "interrupted"]; // status of a search that ended before its proof

/** An objective; integers are counts of errors. @param {number} value */
const proofAmount = (value) => (Number.isInteger(value) ? fmtCount(value) : fmtNumber(value, 6));

/** What is proven, as a sentence; null without a certificate, or if another tree is shown. @returns {string|null} */
export function proofText() {
  const c = M.payload.certificate;
  if (!c || isPreview()) return null;
  if (c.status === "lookahead") return t("proof_lookahead");
  if (!(c.lower_bound > 0) && !c.proven) return t("proof_nothing");
  const plain = c.loss === "error" && !c.penalty;
  const sentence = t(plain ? "proof_errors" : "proof_loss", { depth: c.max_depth, n: proofAmount(c.lower_bound), own: proofAmount(c.objective), unit: t("unit_" + c.loss) });
  return c.proven ? sentence : `${sentence} ${t("proof_better", { gap: fmtPercent(c.gap, 1) })}`;
}

/** Why the search ended, and further conditions of the proof. @returns {string} */
export function proofNotes() {
  const c = M.payload.certificate;
  return [
    c.penalty ? t("proof_penalty", { penalty: fmtNumber(c.penalty) }) : "",
    EARLY_ENDS.includes(c.status) ? t("proof_" + c.status, { seconds: fmtNumber(c.seconds, 3) }) : "",
    c.all_level_sets ? "" : t("proof_levels"),
  ].filter(Boolean).join(" ");
}

/** The numbers of the certificate. */
function proofFacts() {
  const c = M.payload.certificate;
  const searched = c.status !== "lookahead";
  return factList([
    [t("objective"), proofAmount(c.objective)],
    ...(searched ? [[t("lower_bound"), proofAmount(c.lower_bound)], [t("gap"), fmtPercent(c.gap, c.gap ? 1 : 0)]] : []),
    [t("proven"), t(c.proven ? "yes" : "no")],
    ...(c.penalty ? [[t("leaf_penalty"), fmtNumber(c.penalty)]] : []),
    [t("cuts_tried"), fmtCount(c.nodes)], [t("seconds"), fmtNumber(c.seconds, 3)],
  ]);
}

/** The line of the header about the proof. */
export function proofLine() {
  const text = proofText();
  if (!text) return [];
  const mark = M.payload.certificate.proven ? "✓ " : "";
  return [el("details", { class: "proof" }, el("summary", {}, el("span", {}, mark + text), " ", el("span", { class: "how-sure" }, t("how_sure"))), el("div", { class: "proof-more" }, proofNotes() ? el("p", {}, proofNotes()) : null, proofFacts()))];
}
