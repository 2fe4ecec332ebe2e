// Splits and their branches as text and small bars; and the rivals of the selected node, as last loaded.

import { chartFrame, stackedBar, svgPath } from "../../../report/assets/charts/charts.js";
import { lineKey } from "../../../report/assets/charts/prune_chart.js";
import { M } from "../../../report/assets/core/model.js";
import { className, fmtCount, fmtNumber, fmtPercent, isolateRtl, isYesNo, listNames, quoteLevel } from "../../../report/assets/core/format.js";
import { numberAnswer, rangeLabel, shareGap, t } from "../../../report/assets/core/format.js";
import { el, sv, dataTable } from "../../../report/assets/page/dom.js";
import { corners } from "../../../report/assets/trust/survival_chart.js";
import { barColours, palette } from "../../../report/assets/tree/pens.js";

export const rivals = { node: -1, revision: -1, lang: "", /** @type {any} */ data: null, all: false, /** the text searched in column names */ filter: "" };

/** The condition of a branch, without its column. @param {any} given a split of the API @param {number} b */
export function branchText(given, j, b, most = 5) {
  if (given.presence) return t(b ? "is_missing" : "is_present");
  if (given.cut !== undefined) return isYesNo(j, given.cut) ? `= ${t(b ? "yes" : "no")}` : (b ? rangeLabel(given.cut, Infinity, j, true) : rangeLabel(-Infinity, given.cut, j, true));
  if (given.cuts && b > given.cuts.length) return t("is_missing");
  if (given.cuts) return rangeLabel(given.cuts[b - 1] ?? -Infinity, given.cuts[b] ?? Infinity, j, true);
  const names = (given.branches[b] || []).map((/** @type {number} */ c) => quoteLevel(M.columns.levels[j][c]));
  if (!names.length) return t("is_missing");
  return names.length === 1 ? `= ${names[0]}` : `∈ {${listNames(names, most)}}`;
}

/** The split of a rival as text. */
export function splitText(item, j) {
  const { given } = item;
  if (!given || j < 0 || given.presence) return item.split;
  if (given.cuts) return `${isolateRtl(item.column)}: ${t("s_n_branches", { n: given.cuts.length + (given.missing_branch ? 2 : 1) })}`;
  if (given.branches && given.branches.length > 2) return `${isolateRtl(item.column)}: ${t("s_n_branches", { n: given.branches.length })}`;
  return `${isolateRtl(item.column)} ${branchText(given, j, 0)}`;
}

/** A sentence of the library with ≤, ≥ and ∈. @param {string} text */
export const useSigns = (text) => text.replace(/ <= /g, " ≤ ").replace(/ >= /g, " ≥ ").replace(/ in \{/g, " ∈ {");

export const isLogRank = () => Boolean(rivals.data) && rivals.data.criterion === "logrank";

/** A gain as a share of the impurity or variance of the selected node; as a number where it is no decrease. @param {number} gain */
export function gainNumber(gain) {
  if (isLogRank()) return fmtNumber(2 * gain * rivals.data.n_rows, 3); // the gain is half the chi-square per row
  const whole = rivals.data && rivals.data.impurity;
  return whole > 0 ? fmtPercent(gain / whole, gain < 0.1 * whole ? 1 : 0) : fmtNumber(gain, 3);
}

/** A gain as words. @param {number} gain */
export const gainText = (gain) => (isLogRank() ? t("s_gain_logrank", { value: gainNumber(gain) }) : rivals.data && rivals.data.impurity > 0 ? t(M.regression ? "s_gain_variance" : "s_gain_impurity", { share: gainNumber(gain) }) : `${t("gain")} ${gainNumber(gain)}`);

export const pText = (p, bound = "") => {
  const mark = bound === "at most" ? "≤" : bound === "at least" ? "≥" : "=";
  return p < 0.001 ? `p < ${fmtNumber(0.001)}` : `p ${mark} ${fmtNumber(p, 2)}`;
};

/** A table of branches with rows and target. @param {any[]} branches @param {any[]|null} held @param {(b: number) => string} words */
export function branchTable(branches, held, words) {
  const head = [t("s_branch_head"), t("rows"), t(M.payload.survival ? "predicted" : M.regression ? "mean" : "distribution"), ...(held ? [t("test")] : [])];
  return dataTable(head, branches.map((item, b) => [words(b), fmtCount(item.n_rows), branchPicture(item), ...(held ? [heldFigure(item, held[b])] : [])]), "branches-table");
}

/** The held-out rows of a branch: the share of the class that its training rows predict, or the mean; and their number. */
function heldFigure(item, held) {
  if (!held || !held.n_rows) return "–";
  const total = M.regression ? 1 : held.counts.reduce((a, n) => a + n, 0) || 1;
  const figure = M.payload.survival ? medianText(held) : M.regression ? fmtNumber(held.mean, 3) : fmtPercent(held.counts[item.counts.indexOf(Math.max(...item.counts))] / total);
  return `${figure} · n ${fmtCount(held.n_rows)}`;
}

/** The most frequent class and its share, or the mean. */
function branchFigure(item) {
  if (!item || !item.n_rows) return "–";
  if (M.payload.survival) return [numberAnswer(item.mean), medianText(item)].filter(Boolean).join(", ");
  if (M.regression) return fmtNumber(item.mean, 3);
  const total = item.counts.reduce((a, n) => a + n, 0) || 1;
  const k = item.counts.indexOf(Math.max(...item.counts));
  return `${className(k)}${shareGap()}${fmtPercent(item.counts[k] / total)}`;
}

/** The target in a branch: class shares, or mean and spread. */
export function branchPicture(item) {
  const bar = M.payload.survival ? null : M.regression ? spreadBar(item)
    : stackedBar(item.counts, barColours(), item.counts.reduce((a, n) => a + n, 0) || 1, 120, 12, "branch-bar");
  return el("span", { class: "branch-picture" }, bar, el("span", { class: "branch-figure" }, branchFigure(item)));
}

/** The median time of a branch, if its curve was computed. */
export const medianText = ({ curve }) => (curve ? t("s_median_time", { time: curve.median[0] === null ? t("sv_not_reached") : fmtNumber(curve.median[0], 3) }) : "");

/** The Kaplan-Meier curve of a branch, on the time of all rows. */
export function curvePicture(curve) {
  const points = corners(curve.time, curve.survival).map(([x, y]) => [(x / M.payload.survival.end) * 120, 1 + (1 - y) * 18]);
  return sv("svg", { viewBox: "0 0 120 20", class: "chart ghost-curve" }, sv("path", { d: svgPath(points), class: "line cv" }));
}

const BRANCH_LINES = ["cv", "test", "train"];
/** The curves of all branches in one chart, with a key. @param {any[]} branches @param {(b: number) => string} words */
export function branchCurves(branches, words) {
  if (!branches.some((item) => item.curve)) return null;
  const frame = chartFrame({ height: 150, x: [0, M.payload.survival.end], y: [0, 1], yTicks: [0, 0.5, 1], yFormat: (v) => fmtPercent(v), xLabel: t("sv_time"), yLabel: t("sv_share"), label: branches.map((item, b) => `${words(b)}: ${medianText(item)}`).join("; ") });
  const kind = (/** @type {number} */ b) => "line " + BRANCH_LINES[b % BRANCH_LINES.length];
  branches.forEach((item, b) => item.curve && frame.line(corners(item.curve.time, item.curve.survival), kind(b)));
  return el("div", { class: "survival branch-curves" }, frame.svg, el("div", { class: "row small-text" }, branches.map((_, b) => lineKey(kind(b), words(b)))));
}

/** Mean and spread on the scale of the root: its mean ± two standard deviations. */
function spreadBar({ n_rows, mean, sd }) {
  const two = 2 * (M.payload.criterion === "squared_error" ? Math.sqrt(M.impurity[0]) : Math.abs(M.value[0]) || 1);
  const x = (v) => Math.min(Math.max(((v - M.value[0] + two) / (2 * two || 1)) * 120, 0), 120);
  return sv("svg", { viewBox: "0 0 120 12", class: "branch-bar", preserveAspectRatio: "none", "aria-hidden": "true" }, n_rows ? [
    sv("rect", { x: x(mean - sd), y: 3, width: Math.max(x(mean + sd) - x(mean - sd), 1), height: 6, fill: palette.line }),
      sv("rect", { x: x(mean) - 1.5, y: 0, width: 3, height: 12, fill: barColours()[0] })] : []);
}

/** A loss; in regression as a share of the variance of its node, not in squared units. */
const lossText = (loss, node) => (M.regression && M.impurity[node] > 0 ? fmtPercent(loss / M.impurity[node], 1) : fmtNumber(loss, 2));

/** @param {any} item of the state's warnings */
export function warningText(item) {
  if (item.code === "worse_than_best") return t("s_warn_worse", { split: useSigns(item.split), best: useSigns(item.best), loss: lossText(item.loss, item.node), se: lossText(item.se, item.node) });
  if (item.code !== "held_out_disagrees") return item.text || item.code;
  if (M.regression) return t("s_warn_mean", { train: fmtNumber(item.train[0], 3), test: fmtNumber(item.held_out[0], 3), p: pText(item.p_value) });
  const k = item.train.indexOf(Math.max(...item.train));
  return t("s_warn_held", { name: className(k), train: fmtPercent(item.train[k], 1), test: fmtPercent(item.held_out[k], 1), p: pText(item.p_value) });
}
