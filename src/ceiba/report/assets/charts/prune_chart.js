// The chart above the prune slider: risk by step in training, in cross-validation and on test rows.

import { costOf, terminalCounts, terminalMoments, priorFactors } from "../core/metrics.js";
import { M, computeOnce, sumOverTerminals } from "../core/model.js";
import { fmtCount, fmtNumber, fmtPercent, stepText, t } from "../core/format.js";
import { el, sv } from "../page/dom.js";
import { state, update } from "../page/state.js";
import { textWidth } from "../tree/pens.js";
import { chartText, chartFrame } from "./charts.js";

let moveLine = () => {};
/** Move the line of the chart to the current step. */
export const moveStepLine = () => moveLine();

export function pruneChart() {
  const p = M.payload.pruning;
  const steps = M.steps;
  const asRisk = (k) => displayRisk(steps[k].risk ?? steps[k - 1]?.risk ?? 0);
  const cv = (k) => (steps[k].cv === null ? null : displayRisk(steps[k].cv));
  let high = 0, low = Infinity;
  const risks = testRisks();
  const test = risks && risks.map((v) => (v === null ? null : displayRisk(v)));
  steps.forEach((s, k) => {
    const se = s.cv === null ? 0 : displaySe(s);
    high = Math.max(high, asRisk(k), s.cv !== null ? cv(k) + se : 0, test ? test[k] ?? 0 : 0);
    low = Math.min(low, asRisk(k), s.cv !== null ? cv(k) - se : Infinity, test ? test[k] ?? Infinity : Infinity);
  });
  low = Math.max(0, low - 0.05 * (high - low));
  const most = steps[steps.length - 1].leaves;
  const f = chartFrame({
    width: 400, height: 230, x: [0, 1], y: [low, high * 1.04], left: 64, xTicks: leafTicks(most).map((n) => Math.log(n) / Math.log(most)), xFormat: (place) => fmtCount(Math.round(most ** place)),
    xLabel: t("steps_axis"), yLabel: riskName(), label: t("prune_chart"), ...(isShare() ? { yFormat: (v) => fmtPercent(v, high - low < 0.05 ? 1 : 0) } : {}),
  });
  const line = (value, kind) => {
    const points = steps.map((_, k) => [stepPosition(k), value(k)]).filter(([, v]) => v !== null && v !== undefined && Number.isFinite(v));
    f.line(points, "line " + kind);
  };
  // With monotone constraints, training risks are about the means of the rows, not the predictions.
  if (!M.clipped) line(asRisk, "train");
  if (test) line((k) => test[k], "test");
  if (p.cv_risk) {
    steps.forEach((s, k) => s.cv !== null && f.layer.append(sv("line", { x1: f.sx(stepPosition(k)), x2: f.sx(stepPosition(k)), y1: f.sy(cv(k) - displaySe(s)), y2: f.sy(cv(k) + displaySe(s)), class: "error-bar" + (s.isAvailable ? "" : " lost") })));
    line(cv, "cv");
    if (steps.length <= 60) steps.forEach((s, k) => s.cv !== null && f.layer.append(sv("circle", { cx: f.sx(stepPosition(k)), cy: f.sy(cv(k)), r: 3, class: "cv-dot" + (s.isAvailable ? "" : " lost") })));
    const best = stepOfRow(p.minimum), least = stepOfRow(p.one_se);
    const limit = displayRisk(p.cv_risk[p.minimum] + p.cv_se[p.minimum]);
    f.layer.append(sv("line", { x1: f.box.left, x2: f.box.right, y1: f.sy(limit), y2: f.sy(limit), class: "limit" }));
    const choices = best === least ? [[best, `min = ${oneSe()}`]] : [[best, "min"], [least, oneSe()]];
    const labels = /** @type {[number, string][]} */ (choices).filter(([step]) => step >= 0).map(([step, name]) => {
      f.layer.append(sv("circle", { cx: f.sx(stepPosition(step)), cy: f.sy(cv(step)), r: 6, class: "mark" }));
      return { x: f.sx(stepPosition(step)), y: f.sy(cv(step) + displaySe(steps[step])) - 11, text: name };
    });
    for (const { x, y, text } of spreadLabels(labels, f.box)) f.layer.append(chartText(x, y, text, "middle", "strong"));
  }
  f.layer.append(sv("path", { d: fittedMark(f.sx(stepPosition(M.start)), f.box.bottom), class: "fitted" }));
  const now = sv("line", { id: "prune-now", y1: f.box.top, y2: f.box.bottom, class: "now" });
  f.layer.append(now);
  moveLine = () => {
    now.setAttribute("x1", f.sx(stepPosition(state.step)));
    now.setAttribute("x2", f.sx(stepPosition(state.step)));
  };
  moveStepLine();
  f.svg.addEventListener("click", (e) => {
    const r = f.svg.getBoundingClientRect();
    const x = ((e.clientX - r.left) / r.width) * 400;
    update({ step: stepAt((x - f.box.left) / (f.box.right - f.box.left)) });
  });
  return f.svg;
}

/** "1-SE" in the reader's language. */
export const oneSe = () => `1-${t("se")}`;

/** Round numbers of leaves on a logarithmic axis of 316 px, with room for their digits; always with both ends. */
function leafTicks(most) {
  const result = [1];
  const place = (n) => (316 * Math.log(n)) / Math.log(most);
  const clear = (a, b) => place(b) - place(a) > (textWidth(fmtCount(a), 11) + textWidth(fmtCount(b), 11)) / 2 + 8;
  for (let power = 1; power <= most; power *= 10) {
    for (const n of [power, 2 * power, 5 * power]) if (n < most && clear(result[result.length - 1], n) && clear(n, most)) result.push(n);
  }
  return most > 1 ? [...result, most] : result;
}

/** Move labels inside the frame, and overlapping ones up or, at the top, down. @param {{x: number, y: number, text: string}[]} labels */
function spreadLabels(labels, box) {
  const done = [];
  for (const { x, y, text } of labels) {
    const half = textWidth(text, 11, true) / 2 + 3;
    const at = { x: Math.min(Math.max(x, box.left + half), box.right - half), y: Math.max(y, box.top + 6), text, half };
    const hit = () => done.some((other) => Math.abs(other.x - at.x) < other.half + at.half && Math.abs(other.y - at.y) < 15);
    const up = at.y - 15 > box.top ? -15 : 15;
    while (hit()) at.y += up;
    done.push(at);
  }
  return done;
}

/** A small triangle under the axis that marks the fitted tree. */
const fittedMark = (x, y) => `M${x - 5},${y + 7}L${x + 5},${y + 7}L${x},${y - 1}Z`;

/** A line with its name, for a legend. */
export const lineKey = (/** @type {string} */ kind, /** @type {string} */ text, ...marks) => el("span", { class: "legend-item" }, sv("svg", { viewBox: "0 0 26 12", class: "chart line-key", "aria-hidden": "true" }, marks.length ? marks : sv("path", { d: "M0,6H26", class: kind })), text);

/** The legend, with the dashes, dots and marks of the chart. */
export function pruneLegend() {
  const items = M.clipped ? [] : [lineKey("line train", t("train"))];
  if (M.payload.pruning.cv_risk) {
    items.push(lineKey("", t("cv_line"), sv("line", { x1: 13, x2: 13, y1: 0, y2: 12, class: "error-bar" }), sv("path", { d: "M0,6H26", class: "line cv" }), sv("circle", { cx: 13, cy: 6, r: 3, class: "cv-dot" })),
      lineKey("limit", t("limit_line")));
  }
  if (testRisks()) items.splice(1, 0, lineKey("line test", t("test")));
  items.push(lineKey("", t("shown_tree"), sv("path", { d: "M13,0V12", class: "now" })));
  items.push(lineKey("", t("fitted_tree", { n: stepText(M.start) }), sv("path", { d: fittedMark(13, 3), class: "fitted" })));
  return el("div", { class: "legend" }, items);
}

/** Risk of every step on the test rows, in the unit of the chart; null if unknown. */
const testRisks = computeOnce(() => {
  if (!M.test || M.payload.pruning.kind !== "cost") return null;
  const steps = M.steps.map((_, k) => k).filter((k) => M.steps[k].isAvailable).reverse();
  const factor = M.regression ? null : priorFactors(M.test);
  const risk = (end) => {
    if (M.regression) {
      if (M.test.loss) return end.rest ? 0 : M.test.weight[end.node] * M.test.loss[end.node] || 0;
      const { w, mean, variance } = terminalMoments(M.test, end);
      return w ? w * (variance + (mean - M.value[end.node]) ** 2) : 0;
    }
    const predicted = M.answer[end.node];
    return terminalCounts(M.test.counts, end).reduce((sum, n, k) => sum + n * (factor ? factor[k] : 1) * costOf(k, predicted), 0);
  };
  const sums = sumOverTerminals(M, steps.map((k) => M.steps[k].alpha), (node) => risk({ node, rest: false }), (node) => risk({ node, rest: true }));
  const total = M.regression ? M.test.weight[0] : M.test.counts.subarray(0, M.K).reduce((a, b) => a + b, 0);
  /** @type {(number|null)[]} */ const result = M.steps.map(() => null);
  steps.forEach((k, at) => (result[k] = total ? Math.max(sums[at], 0) / total : null));
  return result;
});

export function riskName() {
  const unit = M.payload.pruning.unit;
  return t({ error: "risk_error", cost: "risk_cost", impurity: "risk_impurity", squared_error: "risk_squared", absolute_error: "risk_absolute", pinball: "risk_pinball", poisson: "risk_poisson", deviance: "risk_deviance" }[unit] || "risk_error");
}

/** Whether risks are shares of rows, which are shown in per cent. */
export const isShare = () => M.payload.pruning.unit === "error";
const isSquared = () => M.payload.pruning.unit === "squared_error";
/** A risk in the displayed unit: the root of a squared error. */
export const displayRisk = (v) => (isSquared() ? Math.sqrt(Math.max(v, 0)) : v);
/** The standard error of a risk in the displayed unit (delta method for the root). */
const displaySe = (s) => (isSquared() ? (s.cv > 0 ? s.se / (2 * Math.sqrt(s.cv)) : 0) : s.se);
export const fmtRisk = (v) => (isShare() ? fmtPercent(v, 2) : fmtNumber(displayRisk(v)));
export const fmtRiskSe = (s) => (isShare() ? fmtPercent(s.se, 2) : fmtNumber(displaySe(s), 2));

/** The position of a step on the logarithmic scale of leaves: 0 to 1. */
export const stepPosition = (k) => Math.log(M.steps[k].leaves) / Math.log(M.steps[M.steps.length - 1].leaves);

/** The last available step at or before k. */
export function lastAvailable(k) {
  while (k > 0 && !M.steps[k].isAvailable) k--;
  return k;
}

/** The step nearest to a position on the scale. */
export function stepAt(place) {
  let best = 0;
  M.steps.forEach((_, k) => {
    if (Math.abs(stepPosition(k) - place) < Math.abs(stepPosition(best) - place)) best = k;
  });
  return lastAvailable(best);
}

export const stepOfRow = (row) => M.steps.findIndex((s) => s.row === row);
