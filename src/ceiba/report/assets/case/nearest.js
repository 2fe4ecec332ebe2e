// The nearest change that leads a case to another answer: the fewest columns, then the least distance. The same computation as
// `ceiba.trust.counterfactual`, whose words say what a distance is: a share of the range, of the steps of an ordered column, or 1.
// Going down the tree the value sets of a path only shrink, so what a change costs only grows, and
// branches that cost more than the best leaf so far are left out.

import { meet, stepOf } from "../core/conditions.js";
import { M } from "../core/model.js";

/** @typedef {import("../core/conditions.js").ValueSet} ValueSet */
/** @typedef {[number, number]} Effort columns that change, and how far in all */

const IMPOSSIBLE = /** @type {Effort} */ ([Infinity, Infinity]);
const NO_EFFORT = /** @type {Effort} */ ([0, 0]);
/** @type {(a: Effort, b: Effort) => boolean} */ const isLess = (a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

/** What it takes to bring a value into a set. A present value does not become missing, nor a known level an unknown one. @returns {Effort} */
function effortOf(set, value) {
  const missing = value === null;
  if (missing ? set.missing : set.codes ? set.codes[Math.min(value, set.codes.length - 1)] : value > set.low && value <= set.high) return NO_EFFORT;
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

/** The effort of all sets. @returns {Effort} */
const effortOfAll = (sets, values) => {
  let columns = 0, distance = 0;
  for (const set of sets) {
    const [one, far] = effortOf(set, values[set.j]);
    columns += one;
    distance += far;
  }
  return [columns, distance];
};

const holdsNothing = (set) => !set.missing && (set.codes ? !set.codes.includes(1) : set.low >= set.high);

/** Where rows are parted, a value that is asked for has to be there. */
function placed(set) {
  if (M.payload.missing !== "fractional") return set;
  return { ...set, missing: false, codes: set.codes && M.payload.unseen === "missing" ? set.named : set.codes };
}

/** @typedef {Map<number, ValueSet>} Box what is left to each column that a path asks about */

/** The box in which a column also lies in a set; null if nothing is left. @param {Box} box @param {ValueSet} own @returns {Box|null} */
function within(box, own) {
  const had = box.get(own.j);
  const set = had ? meet(had, own) : own;
  return holdsNothing(set) ? null : new Map(box).set(own.j, set);
}

/**
 * The boxes left when a row of a box takes a branch of node i (-1: it stays there): the split places its value, or cannot and
 * surrogates do in turn, or all are silent and the default decides.
 * @param {Box} box @returns {Box[]}
 */
function narrowed(box, i, branch) {
  const step = stepOf(i, Math.max(branch, 0));
  const own = branch < 0 ? null : within(box, placed(step.yes));
  const found = own ? [own] : [];
  if (branch >= 0 && !step.tests.length) return found;
  let silent = within(box, step.silent);
  for (const [says, mute] of step.tests) {
    const agreed = branch >= 0 && silent && within(silent, says);
    if (agreed) found.push(agreed);
    silent = silent && within(silent, mute);
  }
  if (silent && (branch < 0 || step.other)) found.push(silent);
  return found;
}

/**
 * @param {(number|null)[]} values @param {{leaf: number, answer: number|null}} said @param {number} alpha
 * @returns {{effort: Effort, node: number, sets: ValueSet[]}|null} the leaf and the sets into which columns must move
 */
export function nearestOther(values, said, alpha) {
  let best = null;
  /** @type {[number, Box, Effort, boolean][]} node, what leads there, its effort, whether it ends there */ const waiting = [[0, new Map(), NO_EFFORT, false]];
  while (waiting.length) {
    const [i, sets, effort, stays] = waiting.pop();
    if (best && !isLess(effort, best.effort)) continue;
    if (stays || M.isLeaf(i) || M.nodeAlpha[i] <= alpha) {
      if (i !== said.leaf && effort[0] > 0 && (M.regression || M.answer[i] !== said.answer)) best = { effort, node: i, sets };
      continue;
    }
    /** @type {[number, Box, Effort, boolean][]} */ const below = [];
    const last = M.defaultBranch[i] < 0 && M.payload.missing !== "fractional" ? -1 : 0;
    for (let b = last; b < M.nBranches(i); b++) {
      for (const next of narrowed(sets, i, b)) {
        const more = effortOfAll(next.values(), values);
        if (more[0] < Infinity) below.push([b < 0 ? i : M.child(i, b), next, more, b < 0]);
      }
    }
    // The cheapest is looked at first: what it finds spares the others.
    waiting.push(...below.sort((x, y) => (isLess(x[2], y[2]) ? 1 : -1)));
  }
  return best && { ...best, sets: [...best.sets.values()].filter((set) => effortOf(set, values[set.j])[0] > 0) };
}
