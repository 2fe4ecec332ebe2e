// The nearest change that leads a case to another answer: the fewest columns, then the least distance. The same computation as
// `ceiba.trust.counterfactual`, whose words say what a distance is: a share of the range, of the steps of an ordered column, or 1.
// Going down the tree the value sets of a path only shrink, so what a change costs only grows, and
// branches that cost more than the best leaf so far are left out. Exact for trees without surrogates.

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

/**
 * @param {(number|null)[]} values @param {{leaf: number, answer: number|null}} said @param {number} alpha
 * @returns {{effort: Effort, node: number, sets: ValueSet[]}|null} the leaf and the sets into which columns must move
 */
function nearestOther(values, said, alpha) {
  let best = null;
  /** @type {[number, Map<number, ValueSet>, Effort][]} */ const waiting = [[0, new Map(), NO_EFFORT]];
  while (waiting.length) {
    const [i, sets, effort] = waiting.pop();
    if (best && !isLess(effort, best.effort)) continue;
    if (M.isLeaf(i) || M.nodeAlpha[i] <= alpha) {
      if (i !== said.leaf && effort[0] > 0 && (M.regression || M.answer[i] !== said.answer)) best = { effort, node: i, sets };
      continue;
    }
    /** @type {[number, Map<number, ValueSet>, Effort][]} */ const below = [];
    for (let b = 0; b < M.nBranches(i); b++) {
      const step = stepOf(i, b);
      const had = sets.get(step.j);
      const own = placed(step.yes);
      const set = had ? meet(had, own) : own;
      if (holdsNothing(set)) continue;
      const next = new Map(sets).set(step.j, set);
      const more = effortOfAll(next.values(), values);
      if (more[0] < Infinity) below.push([M.child(i, b), next, more]);
    }
    // The cheapest is looked at first: what it finds spares the others.
    waiting.push(...below.sort((x, y) => (isLess(x[2], y[2]) ? 1 : -1)));
  }
  return best && { ...best, sets: [...best.sets.values()].filter((set) => effortOf(set, values[set.j])[0] > 0) };
}
