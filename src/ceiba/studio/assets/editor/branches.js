// Splits and their branches in words and small pictures; and the rivals of the selected node, as last fetched.

import { stackedBar } from "../../../report/assets/charts/charts.js";
import { M } from "../../../report/assets/core/model.js";
import { className, fmtCount, fmtNumber, fmtPercent, isolateRtl, isYesNo, listNames, quoteLevel } from "../../../report/assets/core/format.js";
import { rangeLabel, shareGap, t } from "../../../report/assets/core/format.js";
import { el, sv, dataTable } from "../../../report/assets/page/dom.js";
import { barColours, palette } from "../../../report/assets/tree/pens.js";

export const rivals = { node: -1, revision: -1, lang: "", /** @type {any} */ data: null, all: false, /** what columns are searched for */ filter: "" };

/** What a branch of a split asks of its column, in the words of the page. @param {any} given SPLIT @param {number} b */
export function branchText(given, j, b, most = 5) {
  if (given.presence) return t(b ? "is_missing" : "is_present");
  if (given.cut !== undefined) return isYesNo(j, given.cut) ? `= ${t(b ? "yes" : "no")}` : (b ? rangeLabel(given.cut, Infinity, j, true) : rangeLabel(-Infinity, given.cut, j, true));
  if (given.cuts && b > given.cuts.length) return t("is_missing");
  if (given.cuts) return rangeLabel(given.cuts[b - 1] ?? -Infinity, given.cuts[b] ?? Infinity, j, true);
  const names = (given.branches[b] || []).map((/** @type {number} */ c) => quoteLevel(M.columns.levels[j][c]));
  if (!names.length) return t("is_missing");
  return names.length === 1 ? `= ${names[0]}` : `∈ {${listNames(names, most)}}`;
}

/** A rival's split in the words of the page. */
export function splitText(one, j) {
  const { given } = one;
  if (!given || j < 0 || given.presence) return one.split;
  if (given.cuts) return `${isolateRtl(one.column)}: ${t("s_n_branches", { n: given.cuts.length + (given.missing_branch ? 2 : 1) })}`;
  if (given.branches && given.branches.length > 2) return `${isolateRtl(one.column)}: ${t("s_n_branches", { n: given.branches.length })}`;
  return `${isolateRtl(one.column)} ${branchText(given, j, 0)}`;
}

/** A sentence of the library with the signs of the page. @param {string} text */
export const useSigns = (text) => text.replace(/ <= /g, " ≤ ").replace(/ >= /g, " ≥ ").replace(/ in \{/g, " ∈ {");

export const pText = (p, bound = "") => {
  const mark = bound === "at most" ? "≤" : bound === "at least" ? "≥" : "=";
  return p < 0.001 ? `p < ${fmtNumber(0.001)}` : `p ${mark} ${fmtNumber(p, 2)}`;
};

/** Branches with rows and answers. @param {any[]} branches @param {any[]|null} held @param {(b: number) => string} words */
export function branchTable(branches, held, words) {
  const head = [t("s_branch_head"), t("rows"), M.regression ? t("mean") : t("distribution"), ...(held ? [t("test")] : [])];
  return dataTable(head, branches.map((one, b) => [words(b), fmtCount(one.n_rows), branchPicture(one), ...(held ? [branchFigure(held[b])] : [])]), "branches-table");
}

/** The class with most rows and its share, or the mean. */
function branchFigure(one) {
  if (!one || !one.n_rows) return "–";
  if (M.regression) return fmtNumber(one.mean, 3);
  const total = one.counts.reduce((a, n) => a + n, 0) || 1;
  const k = one.counts.indexOf(Math.max(...one.counts));
  return `${isolateRtl(M.classes[k])}${shareGap()}${fmtPercent(one.counts[k] / total)}`;
}

/** The target in a branch: shares of the classes, or mean and spread on the scale of the tree. */
export function branchPicture(one) {
  const bar = M.regression ? spreadBar(one)
    : stackedBar(one.counts, barColours(), one.counts.reduce((a, n) => a + n, 0) || 1, 120, 12, "branch-bar");
  return el("span", { class: "branch-picture" }, bar, el("span", { class: "branch-figure" }, branchFigure(one)));
}

/** Mean and spread on the scale of the root: its mean, two deviations to either side. */
function spreadBar({ n_rows, mean, sd }) {
  const two = 2 * (M.payload.criterion === "squared_error" ? Math.sqrt(M.impurity[0]) : Math.abs(M.value[0]) || 1);
  const x = (v) => Math.min(Math.max(((v - M.value[0] + two) / (2 * two || 1)) * 120, 0), 120);
  return sv("svg", { viewBox: "0 0 120 12", class: "branch-bar", preserveAspectRatio: "none", "aria-hidden": "true" }, n_rows ? [
    sv("rect", { x: x(mean - sd), y: 3, width: Math.max(x(mean + sd) - x(mean - sd), 1), height: 6, fill: palette.line }),
      sv("rect", { x: x(mean) - 1.5, y: 0, width: 3, height: 12, fill: barColours()[0] })] : []);
}

/** @param {any} one of the state's warnings */
export function warningText(one) {
  if (one.code === "worse_than_best") return t("s_warn_worse", { split: useSigns(one.split), best: useSigns(one.best), loss: fmtNumber(one.loss, 2), se: fmtNumber(one.se, 2) });
  if (one.code !== "held_out_disagrees") return one.text || one.code;
  if (M.regression) return t("s_warn_mean", { train: fmtNumber(one.train[0], 3), test: fmtNumber(one.held_out[0], 3), p: pText(one.p_value) });
  const k = one.train.indexOf(Math.max(...one.train));
  return t("s_warn_held", { name: className(k), train: fmtPercent(one.train[k], 1), test: fmtPercent(one.held_out[k], 1), p: pText(one.p_value) });
}
