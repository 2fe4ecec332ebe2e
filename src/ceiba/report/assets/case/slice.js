// The exact slice of a tree through a case: two columns vary, all others have the values of the case. One
// walk down the tree partitions the plane into rectangles; nothing is sampled.

import { branchValues } from "../core/conditions.js";
import { M } from "../core/model.js";
import { evaluateSplit } from "./route.js";

/** Values of one axis: numbers low < v <= high, or codes of levels. @typedef {{low: number, high: number, codes: number[]|null}} AxisRange */
/** @typedef {{x: AxisRange, y: AxisRange}} Region */
/** @typedef {Region & {end: number}} EndRegion */

/** The whole range of a column. @returns {AxisRange} */
function fullRange(j) {
  const codes = M.columns.kind[j] === "numeric" ? null : M.columns.levels[j].map((_, c) => c);
  return { low: -Infinity, high: Infinity, codes };
}

/** Divide a range by split k of a table into n branches. @returns {{parts: [number, AxisRange][], rest: AxisRange|null}} ranges by branch, and the levels that the split does not know */
function divideRange(splits, k, n, range) {
  /** @type {[number, AxisRange][]} */ const parts = [];
  for (let b = 0; b < n; b++) {
    const set = branchValues(splits, k, b);
    const part = { low: Math.max(range.low, set.low), high: Math.min(range.high, set.high),
      codes: range.codes && range.codes.filter((c) => set.codes[c]) };
    if (part.codes ? part.codes.length : part.low < part.high) parts.push([b, part]);
  }
  const unknown = range.codes ? range.codes.filter((c) => !parts.some(([, part]) => part.codes.includes(c))) : [];
  return { parts, rest: unknown.length ? { ...range, codes: unknown } : null };
}

/** Regions of T(alpha) in the plane of columns jx and jy. @returns {EndRegion[]} */
export function sliceRegions(values, jx, jy, alpha) {
  /** @type {EndRegion[]} */ const regions = [];
  /** @type {[number, Region][]} */ const waiting = [[0, { x: fullRange(jx), y: fullRange(jy) }]];
  const axisOf = (j) => (j === jx ? "x" : j === jy ? "y" : "");
  while (waiting.length) {
    const [i, region] = waiting.pop();
    if (M.isLeaf(i) || M.nodeAlpha[i] <= alpha) {
      regions.push({ ...region, end: i });
      continue;
    }
    const send = (/** @type {number} */ branch, /** @type {Region} */ part) => waiting.push([M.child(i, branch), part]);
    /** Send the parts of a region to the branches of a split; return the undecided rest, and why. @returns {[Region|null, string]} */
    const put = (splits, k, part) => {
      const axis = axisOf(splits.column[k]);
      if (!axis) {
        const branch = evaluateSplit(splits, k, values);
        if (typeof branch === "string") return [part, branch];
        send(branch, part);
        return [null, ""];
      }
      const { parts, rest } = divideRange(splits, k, M.nBranches(i), part[axis]);
      for (const [branch, range] of parts) send(branch, { ...part, [axis]: range });
      return [rest && { ...part, [axis]: rest }, "unseen"];
    };
    let [left, why] = put(M.splits, i, region);
    if (left && why === "unseen" && M.payload.unseen === "default") {
      regions.push({ ...left, end: 0 });
      continue;
    }
    if (left && why === "unseen" && M.payload.unseen !== "missing") {
      send(M.majority[i], left);
      continue;
    }
    const s = M.surrogates;
    if (s && s.inUse) for (let k = s.start[i]; left && k < s.start[i + 1]; k++) [left, why] = put(s.splits, k, left);
    if (!left) continue;
    if (M.defaultBranch[i] < 0) regions.push({ ...left, end: i });
    else send(M.defaultBranch[i], left);
  }
  return regions;
}
