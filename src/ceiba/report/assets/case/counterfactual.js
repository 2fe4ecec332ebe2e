// The nearest change that leads a case to another answer: the fewest columns, then the least distance. The same computation as
// `ceiba.trust.counterfactual`, whose words say what a distance is: a share of the range, of the steps of an ordered column, or 1.
// Going down the tree the value sets of a path only shrink, so what a change costs only grows, and
// branches that cost more than the best leaf so far are left out.

import { intersect, splitCondition } from "../core/conditions.js";
import { M } from "../core/model.js";

/** @typedef {import("../core/conditions.js").ValueSet} ValueSet */
/** @typedef {[number, number]} ChangeCost columns that change, and how far in all */

const IMPOSSIBLE = /** @type {ChangeCost} */ ([Infinity, Infinity]);
const NO_CHANGE = /** @type {ChangeCost} */ ([0, 0]);
/** @type {(a: ChangeCost, b: ChangeCost) => boolean} */ const isCheaper = (a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

/** What it takes to bring a value into a set. A present value does not become missing, nor a known level an unknown one. @returns {ChangeCost} */
function changeCost(set, value) {
  const missing = value === null;
  if (missing ? set.missing : set.codes ? set.codes[Math.min(value, set.codes.length - 1)] : value > set.low && value <= set.high) return NO_CHANGE;
  const n = M.columns.levels[set.j].length;
  const known = set.codes ? [...set.codes.keys()].filter((c) => c < n && set.codes[c]) : [];
  if (set.codes ? !known.length : set.low >= set.high) return IMPOSSIBLE;
  if (missing) return [1, 1];
  if (set.codes) {
    const steps = M.columns.kind[set.j] === "ordered" && value < n ? Math.min(...known.map((c) => Math.abs(c - value))) / Math.max(n - 1, 1) : 1;
    return [1, steps];
  }
  const [low, high] = [M.columns.minimum[set.j], M.columns.maximum[set.j]];
  const range = high > low ? high - low : Math.abs(value) || 1;
  return [1, (value <= set.low ? set.low - value : value - set.high) / range];
}

/** The cost of all sets. @returns {ChangeCost} */
const totalChangeCost = (sets, values) => {
  let columns = 0, distance = 0;
  for (const set of sets) {
    const [one, far] = changeCost(set, values[set.j]);
    columns += one;
    distance += far;
  }
  return [columns, distance];
};

const isEmptySet = (set) => !set.missing && (set.codes ? !set.codes.includes(1) : set.low >= set.high);

/** Where rows are parted, a value that is asked for has to be there. */
function requirePresent(set) {
  if (M.payload.missing !== "fractional") return set;
  return { ...set, missing: false, codes: set.codes && M.payload.unseen === "missing" ? set.named : set.codes };
}

/** @typedef {Map<number, ValueSet>} Box what is left to each column that a path asks about */

/** The box in which a column also lies in a set; null if nothing is left. @param {Box} box @param {ValueSet} own @returns {Box|null} */
function narrowColumn(box, own) {
  const had = box.get(own.j);
  const set = had ? intersect(had, own) : own;
  return isEmptySet(set) ? null : new Map(box).set(own.j, set);
}

/**
 * The boxes left when a row of a box takes a branch of node i (-1: it stays there): the split places its value, or cannot and
 * surrogates do in turn, or all are silent and the default decides.
 * @param {Box} box @returns {Box[]}
 */
function narrowToBranch(box, i, branch) {
  const step = splitCondition(i, Math.max(branch, 0));
  const own = branch < 0 ? null : narrowColumn(box, requirePresent(step.accepted));
  const found = own ? [own] : [];
  if (branch >= 0 && !step.tests.length) return found;
  let silent = narrowColumn(box, step.undecided);
  for (const [says, mute] of step.tests) {
    const agreed = branch >= 0 && silent && narrowColumn(silent, says);
    if (agreed) found.push(agreed);
    silent = silent && narrowColumn(silent, mute);
  }
  if (silent && (branch < 0 || step.isDefault)) found.push(silent);
  return found;
}

/**
 * @param {(number|null)[]} values @param {{leaf: number, answer: number|null}} said @param {number} alpha
 * @returns {{cost: ChangeCost, node: number, sets: ValueSet[]}|null} the leaf and the sets into which columns must move
 */
export function nearestCounterfactual(values, said, alpha) {
  let best = null;
  /** @type {[number, Box, ChangeCost, boolean][]} node, what leads there, its cost, whether it ends there */ const waiting = [[0, new Map(), NO_CHANGE, false]];
  while (waiting.length) {
    const [i, sets, cost, stays] = waiting.pop();
    if (best && !isCheaper(cost, best.cost)) continue;
    if (stays || M.isLeaf(i) || M.nodeAlpha[i] <= alpha) {
      if (i !== said.leaf && cost[0] > 0 && (M.regression || M.answer[i] !== said.answer)) best = { cost, node: i, sets };
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
    // The cheapest is looked at first: what it finds spares the others.
    waiting.push(...below.sort((x, y) => (isCheaper(x[2], y[2]) ? 1 : -1)));
  }
  return best && { ...best, sets: [...best.sets.values()].filter((set) => changeCost(set, values[set.j])[0] > 0) };
}
