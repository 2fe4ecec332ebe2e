// The nearest change that leads a case to another answer: the fewest columns, then the smallest moves.
// A move counts at most 1/(columns + 1): all moves together never outweigh one column more.
// Going down the tree the value sets of a path only shrink, so what a change costs only grows, and
// branches that cost more than the best leaf so far are left out. Exact for trees without surrogates.

/** What it costs to bring a value into a set: 0 if it is there; else 1 for the column, and how far it moves as a part of its range. */
function effortOf(set, value) {
  const missing = value === null;
  if (missing ? set.missing : set.codes ? set.codes[Math.min(value, set.codes.length - 1)] : value > set.low && value <= set.high) return 0;
  const most = 1 / (M.columns.name.length + 1);
  if (missing || set.codes) return 1 + most / 2;
  const [low, high] = [M.columns.minimum[set.j], M.columns.maximum[set.j]];
  const range = high > low ? high - low : Math.abs(value) || 1;
  return 1 + most * Math.min((value <= set.low ? set.low - value : value - set.high) / range, 0.99);
}

const holdsNothing = (set) => !set.missing && (set.codes ? !set.codes.includes(1) : set.low >= set.high);

/**
 * @param {(number|null)[]} values @param {{leaf: number, answer: number|null}} said @param {number} alpha
 * @returns {{effort: number, node: number, sets: ValueSet[]}|null} the leaf and the sets into which columns must move
 */
function nearestOther(values, said, alpha) {
  let best = null;
  /** @type {[number, Map<number, ValueSet>, number][]} */ const waiting = [[0, new Map(), 0]];
  while (waiting.length) {
    const [i, sets, effort] = waiting.pop();
    if (best && effort >= best.effort) continue;
    if (M.isLeaf(i) || M.nodeAlpha[i] <= alpha) {
      if (i !== said.leaf && effort > 0 && (M.regression || M.answer[i] !== said.answer)) best = { effort, node: i, sets };
      continue;
    }
    /** @type {[number, Map<number, ValueSet>, number][]} */ const below = [];
    for (let b = 0; b < M.nBranches(i); b++) {
      const step = stepOf(i, b);
      const had = sets.get(step.j);
      const set = had ? meet(had, step.yes) : step.yes;
      if (holdsNothing(set)) continue;
      const more = effort + effortOf(set, values[step.j]) - (had ? effortOf(had, values[step.j]) : 0);
      below.push([M.child(i, b), new Map(sets).set(step.j, set), more]);
    }
    // The cheapest is looked at first: what it finds spares the others.
    waiting.push(...below.sort((x, y) => y[2] - x[2]));
  }
  return best && { ...best, sets: [...best.sets.values()].filter((set) => effortOf(set, values[set.j]) > 0) };
}
