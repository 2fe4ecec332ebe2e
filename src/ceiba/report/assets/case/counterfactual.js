// The nearest change of a case that leads to another prediction: fewest columns first, then least distance. The same algorithm as
// `ceiba.trust.counterfactual`. A distance is a share of the range, a share of the levels of an ordered column, or 1.
// Branch and bound: the value sets of a path only shrink going down, so the cost of a change only grows, and branches that
// cost more than the best leaf so far are skipped.

import { intersect, splitCondition } from "../core/conditions.js";
import { M } from "../core/model.js";

/** @typedef {import("../core/conditions.js").ValueSet} ValueSet */
/** @typedef {[number, number]} ChangeCost number of columns that change, total distance */

const IMPOSSIBLE = /** @type {ChangeCost} */ ([Infinity, Infinity]);
const NO_CHANGE = /** @type {ChangeCost} */ ([0, 0]);
/** @type {(a: ChangeCost, b: ChangeCost) => boolean} */ const isCheaper = (a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

/** The cost of moving a value into a set. A present value never becomes missing, nor a known level an unknown one. @returns {ChangeCost} */
function changeCost(set, value) {
  const missing = value === null;
  if (missing ? set.missing : set.codes ? set.codes[Math.min(value, set.codes.length - 1)] : value > set.low && value <= set.high) return NO_CHANGE;
  const n = M.columns.levels[set.j].length;
  const codes = set.codes ? [...set.codes.keys()].filter((c) => c < n && set.codes[c]) : [];
  if (set.codes ? !codes.length : set.low >= set.high) return IMPOSSIBLE;
  if (missing) return [1, 1];
  if (set.codes) {
    const steps = M.columns.kind[set.j] === "ordered" && value < n ? Math.min(...codes.map((c) => Math.abs(c - value))) / Math.max(n - 1, 1) : 1;
    return [1, steps];
  }
  const [low, high] = [M.columns.minimum[set.j], M.columns.maximum[set.j]];
  const range = high > low ? high - low : Math.abs(value) || 1;
  return [1, (value <= set.low ? set.low - value : value - set.high) / range];
}

/** The total cost of moving a case into sets. @returns {ChangeCost} */
const totalChangeCost = (sets, values) => {
  let columns = 0, distance = 0;
  for (const set of sets) {
    const [columnCount, far] = changeCost(set, values[set.j]);
    columns += columnCount;
    distance += far;
  }
  return [columns, distance];
};

const isEmptySet = (set) => !set.missing && (set.codes ? !set.codes.includes(1) : set.low >= set.high);

/** With fractional rows, a counterfactual needs a present value in every column that the path tests. */
function requirePresent(set) {
  if (M.payload.missing !== "fractional") return set;
  return { ...set, missing: false, codes: set.codes && M.payload.unseen === "missing" ? set.named : set.codes };
}

/** @typedef {Map<number, ValueSet>} Box the values that a path admits, by column */

/** The box with one column narrowed to a set as well; null if it becomes empty. @param {Box} box @param {ValueSet} added @returns {Box|null} */
function narrowColumn(box, added) {
  const had = box.get(added.j);
  const set = had ? intersect(had, added) : added;
  return isEmptySet(set) ? null : new Map(box).set(added.j, set);
}

/**
 * The boxes of rows that take a branch of node i (-1: they stay there): by the split, by each surrogate if the split and the
 * surrogates before it are undecided, or by default if all are.
 * @param {Box} box @returns {Box[]}
 */
function narrowToBranch(box, i, branch) {
  const step = splitCondition(i, Math.max(branch, 0));
  const added = branch < 0 ? null : narrowColumn(box, requirePresent(step.accepted));
  const result = added ? [added] : [];
  if (branch >= 0 && !step.tests.length) return result;
  let silent = narrowColumn(box, step.undecided);
  for (const [says, mute] of step.tests) {
    const agreed = branch >= 0 && silent && narrowColumn(silent, says);
    if (agreed) result.push(agreed);
    silent = silent && narrowColumn(silent, mute);
  }
  if (silent && (branch < 0 || step.isDefault)) result.push(silent);
  return result;
}

/**
 * @param {(number|null)[]} values @param {{leaf: number, answer: number|null}} prediction @param {number} alpha
 * @returns {{cost: ChangeCost, node: number, sets: ValueSet[]}|null} the leaf and the sets into which columns must move
 */
export function nearestCounterfactual(values, prediction, alpha) {
  let best = null;
  /** @type {[number, Box, ChangeCost, boolean][]} node, what leads there, its cost, whether it ends there */ const waiting = [[0, new Map(), NO_CHANGE, false]];
  while (waiting.length) {
    const [i, sets, cost, stays] = waiting.pop();
    if (best && !isCheaper(cost, best.cost)) continue;
    if (stays || M.isLeaf(i) || M.nodeAlpha[i] <= alpha) {
      if (i !== prediction.leaf && cost[0] > 0 && (M.regression || M.answer[i] !== prediction.answer)) best = { cost, node: i, sets };
      continue;
    }
    /** @type {[number, Box, ChangeCost, boolean][]} */ const below = [];
    const last = M.defaultBranch[i] < 0 && M.payload.missing !== "fractional" ? -1 : 0;
    for (let b = last; b < M.nBranches(i); b++) {
      for (const next of narrowToBranch(sets, i, b)) {
        const more = totalChangeCost(next.values(), values);
        if (more[0] < Infinity) below.push([b < 0 ? i : M.child(i, b), next, more, b < 0]);
      }
    }
    // Depth first, cheapest branch first: its leaves prune the others.
    waiting.push(...below.sort((x, y) => (isCheaper(x[2], y[2]) ? 1 : -1)));
  }
  return best && { ...best, sets: [...best.sets.values()].filter((set) => changeCost(set, values[set.j])[0] > 0) };
}
