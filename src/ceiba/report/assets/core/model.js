// The model: the payload as typed arrays, and what is derived from it: branches, depths, predictions, probabilities.

export const CUT = 1;
export const LEVELS = 2;
export const PRESENCE = 3;
export const INTERVALS = 4;

/** @typedef {ReturnType<typeof loadModel>} Model */
/** The model of the page; filled by `setModel`. */
export const M = /** @type {Model} */ ({});
/** @type {(() => void)[]} */ const modelListeners = [];
/** Call `forget` when another model is shown, to clear a cache. @param {() => void} forget */
export const onModelChange = (forget) => modelListeners.push(forget);

/** Replace the model by that of another payload. @param {any} payload */
export function setModel(payload) {
  Object.assign(M, loadModel(payload));
  for (const forget of modelListeners) forget();
}

/** Cache a computation per model and key. @template T @param {() => T} compute @param {() => any} [key] @returns {() => T} */
export function computeOnce(compute, key = () => true) {
  let cached, at = null;
  onModelChange(() => (at = null));
  return () => {
    const now = key();
    if (now !== at) {
      cached = compute();
      at = now;
    }
    return cached;
  };
}

/** Cache a function of texts and numbers, per model. @template {(...given: any[]) => any} F @param {F} compute @returns {F} */
export function memoize(compute) {
  const cached = new Map();
  onModelChange(() => cached.clear());
  return /** @type {any} */ ((...data) => {
    const key = data.join();
    if (!cached.has(key)) cached.set(key, compute(...data));
    return cached.get(key);
  });
}

/** @param {any} data @param {number} n */
function readSplits(data, n) {
  return {
    kind: Uint8Array.from(data.kind),
    column: Int32Array.from(data.column),
    cut: toFloats(data.cut),
    digits: data.digits ? Uint8Array.from(data.digits) : null,
    low: data.low_branch ? Uint8Array.from(data.low_branch) : new Uint8Array(n),
    levelStart: toOffsets(data.n_levels || new Array(n).fill(0)),
    levelCode: Int32Array.from(data.level_code || []),
    levelBranch: Int32Array.from(data.level_branch || []),
    intervalStart: toOffsets(data.n_cuts || new Array(n).fill(0)),
    intervalCut: toFloats(data.interval_cut || []).map((cut) => (Number.isNaN(cut) ? Infinity : cut)),
  };
}

/** The cuts of split i, if it is a cut or intervals. @returns {number[]} */
export function cutsOf(splits, i) {
  if (splits.kind[i] === CUT) return [splits.cut[i]];
  return [...splits.intervalCut.slice(splits.intervalStart[i], splits.intervalStart[i + 1])].filter(Number.isFinite);
}

/** The interval low < x <= high that split i sends to a branch; empty for the branch of missing values. @returns {[number, number]} */
export function boundsOf(splits, i, branch) {
  const cuts = [-Infinity, ...splits.intervalCut.slice(splits.intervalStart[i], splits.intervalStart[i + 1]), Infinity];
  return [cuts[branch], cuts[branch + 1]];
}

/** Whether split i has a branch for missing values only. */
export function hasMissingBranch(splits, i) {
  const first = splits.intervalStart[i], last = splits.intervalStart[i + 1];
  return splits.kind[i] === PRESENCE || (last > first && splits.intervalCut[last - 1] === Infinity);
}

/** Offsets of a ragged array from the lengths of its rows. */
function toOffsets(lengths) {
  const start = new Int32Array(lengths.length + 1);
  lengths.forEach((n, i) => (start[i + 1] = start[i] + n));
  return start;
}

/** Numbers with NaN for null. @param {(number|null)[]} list */
function toFloats(list) {
  const result = new Float64Array(list.length);
  for (let k = 0; k < list.length; k++) result[k] = list[k] === null ? NaN : /** @type {number} */ (list[k]);
  return result;
}

/** @param {any} p the payload */
function loadModel(p) {
  const nodes = p.nodes;
  const n = nodes.parent.length;
  const parent = Int32Array.from(nodes.parent);
  const regression = p.task !== "classification"; // a number per node: a mean, a rate, a relative risk
  const K = regression ? 1 : p.classes.length;

  const branchStart = new Int32Array(n + 1);
  for (let i = 1; i < n; i++) branchStart[parent[i] + 1]++;
  for (let i = 0; i < n; i++) branchStart[i + 1] += branchStart[i];
  const branchNode = new Int32Array(Math.max(n - 1, 0));
  const branchIndex = new Int32Array(n).fill(-1);
  const filled = branchStart.slice();
  for (let i = 1; i < n; i++) {
    branchIndex[i] = filled[parent[i]] - branchStart[parent[i]];
    branchNode[filled[parent[i]]++] = i;
  }
  const depth = new Int32Array(n);
  for (let i = 1; i < n; i++) depth[i] = depth[parent[i]] + 1;
  const size = new Int32Array(n).fill(1);
  const leafCount = new Int32Array(n);
  for (let i = n - 1; i >= 0; i--) {
    if (branchStart[i] === branchStart[i + 1]) leafCount[i] = 1;
    if (i > 0) {
      size[parent[i]] += size[i];
      leafCount[parent[i]] += leafCount[i];
    }
  }

  const rows = Float64Array.from(nodes.n_rows);
  const weight = nodes.weight ? toFloats(nodes.weight) : rows;
  const counts = nodes.counts ? toFloats(nodes.counts) : null;
  let value = nodes.value ? toFloats(nodes.value) : null;
  if (!value) {
    value = new Float64Array(n * K);
    for (let i = 0; i < n; i++) {
      let total = 0;
      for (let k = 0; k < K; k++) total += counts[i * K + k];
      for (let k = 0; k < K; k++) value[i * K + k] = counts[i * K + k] / total;
    }
  }
  const nLeaves = leafCount[0];
  const hasRows = rows[0] > 0;
  const splits = readSplits(nodes.splits, n);
  const shape = {
    n, K, splits, regression, parent, depth, size, leafCount, nLeaves, weight, hasRows, branchIndex,
    nBranches: (/** @type {number} */ i) => branchStart[i + 1] - branchStart[i],
    isLeaf: (/** @type {number} */ i) => branchStart[i] === branchStart[i + 1],
    child: (/** @type {number} */ i, /** @type {number} */ b) => branchNode[branchStart[i] + b],
    defaultBranch: Int32Array.from(nodes.default_branch),
    nodeAlpha: p.pruning ? Float64Array.from(p.pruning.node_alpha, (v) => (v === null ? Infinity : v)) : new Float64Array(n).fill(Infinity),
  };
  const cost = p.cost_matrix ? toFloats(p.cost_matrix) : null;
  /** @type {Map<number, {node: number, text: string, name: string|null, note: string|null, answer?: number}>} notes by node */
  const notes = new Map((nodes.notes || []).map((/** @type {any} */ item) => [item.node, item]));
  const counting = readCounting(p, shape, rows, counts, value);
  const steps = readSteps(shape, p.pruning);
  return {
    ...shape, ...counting, payload: p, columns: p.columns, classes: /** @type {string[]} */ (p.classes), target: p.target, rows, counts, value, cost,
    /** weight after priors */ share: nodes.share ? toFloats(nodes.share) : weight,
    impurity: toFloats(nodes.impurity), gain: toFloats(nodes.gain), importance: toFloats(nodes.importance),
    boxes: p.boxes ? toFloats(p.boxes) : null,
    /** @type {number[]|null} training rows sent by default, for lack of a value */ sentDefault: nodes.sent_default,
    maxDepth: depth.reduce((a, b) => Math.max(a, b), 0),
    prob: (/** @type {number} */ i, /** @type {number} */ k) => value[i * K + k],
    // The width of a node: its share of the rows, or of the leaves if rows are unknown.
    breadth: hasRows ? Float64Array.from(counting.rowMass, (r) => r / counting.rowMass[0]) : Float64Array.from(leafCount, (c) => c / nLeaves),
    majority: majorityBranches(shape),
    answer: regression ? null : Int32Array.from({ length: n }, (_, i) => notes.get(i)?.answer ?? bestClass(K, cost, value, i * K)),
    notes,
    surrogates: nodes.surrogates ? readSurrogates(nodes.surrogates) : null,
    competitors: nodes.competitors || p.rivals ? readCompetitors(nodes.competitors || p.rivals) : null,
    /** @type {Map<number, any>} histograms of the split column at the largest nodes */ histograms: new Map((p.histograms || []).map((item) => [item.node, item])),
    // Classes that are numbers are shown with the name of the target.
    hasNumericClasses: !regression && p.classes.every((/** @type {string} */ name) => /^[-+]?[\d.,]+$/.test(name)),
    test: p.test ? readTest(p.test, regression) : null,
    steps, /** the initial step */ start: findStartStep(steps, p.pruning),
    low: regression ? value.reduce((a, b) => Math.min(a, b), Infinity) : 0,
    high: regression ? value.reduce((a, b) => Math.max(a, b), -Infinity) : 0,
  };
}

/**
 * How training rows are counted. weighted: rows have different weights. clipped: values were clipped by monotone
 * constraints, so that the means of the rows are unknown. altered: values differ from those of the rows, by clipping or by
 * priors. rowMass: rows by node, with fractions if missing values are split among the branches.
 */
function readCounting(p, m, rows, counts, value) {
  const whole = (/** @type {number} */ end) => counts === null || counts.subarray(0, end).every((c) => Math.abs(c - Math.round(c)) < 1e-6);
  const inParts = p.missing === "fractional" && m.weight[0] === rows[0] && whole(m.K);
  const weighted = p.parameters.class_weight !== undefined || (p.nodes.weight !== null && !inParts);
  const limited = () => (weighted || inParts ? p.parameters.monotonic_cst !== undefined : !whole(m.n * m.K));
  const clipped = m.regression ? p.criterion === "squared_error" && !areMeans(m, value) : (p.nodes.value !== null && !p.class_prior) || limited();
  return { weighted, clipped, altered: clipped || p.class_prior !== null, rowMass: inParts ? m.weight : rows };
}

/** Whether every value is the weighted mean of its branches, as means of rows are. */
function areMeans(m, value) {
  for (let i = 0; i < m.n; i++) {
    let w = 0, sum = 0, size = Math.abs(value[i]);
    for (let b = 0; b < m.nBranches(i); b++) {
      const c = m.child(i, b);
      w += m.weight[c];
      sum += m.weight[c] * value[c];
      size = Math.max(size, Math.abs(value[c]));
    }
    // Rows that stay in the node contribute to its mean only, so such a node is not checked.
    if (w > 0 && m.weight[i] - w <= 1e-9 * w && Math.abs(sum / w - value[i]) > 1e-6 * size) return false;
  }
  return true;
}

function readSurrogates(s) {
  return {
    start: toOffsets(s.n), splits: readSplits(s.splits, s.splits.kind.length),
    agreement: toFloats(s.agreement), adjusted: toFloats(s.adjusted), sent: s.sent, inUse: s.in_use,
  };
}

const readCompetitors = (c) => ({ start: toOffsets(c.n), splits: readSplits(c.splits, c.splits.kind.length), gain: toFloats(c.gain) });

/** Counts of rows by node: class counts; or weight with mean and variance, or with mean loss. @typedef {{rows: Float64Array, counts?: Float64Array, weight?: Float64Array, mean?: Float64Array, variance?: Float64Array, loss?: Float64Array}} Source */
/** @returns {Source} */
function readTest(data, regression) {
  const rows = Float64Array.from(data.n_rows);
  if (!regression) return { rows, counts: toFloats(data.counts) };
  const weight = toFloats(data.weight);
  if (data.mean) return { rows, weight, mean: toFloats(data.mean), variance: toFloats(data.variance) };
  return { rows, weight, loss: toFloats(data.loss) };
}

/** The branch with the most weight, the first on ties; never a branch of levels for missing values only. */
function majorityBranches(m) {
  const result = new Int32Array(m.n).fill(-1);
  for (let i = 0; i < m.n; i++) {
    let most = -Infinity;
    const n = m.nBranches(i) - (m.splits.kind[i] === LEVELS && hasMissingBranch(m.splits, i) ? 1 : 0);
    for (let b = 0; b < n; b++) {
      const w = m.weight[m.child(i, b)];
      if (w > most) {
        most = w;
        result[i] = b;
      }
    }
  }
  return result;
}

/** The class of least expected cost, the lowest on ties; its K probabilities start at `at`. */
export function bestClass(K, costs, value, at) {
  if (!costs) {
    let best = 0;
    for (let k = 1; k < K; k++) if (value[at + k] > value[at + best]) best = k;
    return best;
  }
  const cost = new Float64Array(K);
  for (let truth = 0; truth < K; truth++) {
    for (let predicted = 0; predicted < K; predicted++) cost[predicted] += value[at + truth] * costs[truth * K + predicted];
  }
  const least = cost.reduce((a, b) => Math.min(a, b), Infinity);
  return cost.findIndex((c) => c <= least + 1e-12 * Math.abs(least));
}

/**
 * The trees of the slider, the smallest first. `alpha` -1 is the full tree. A step is not available
 * if it is in the pruning table but its nodes are not in the payload.
 * @typedef {{alpha: number, leaves: number, risk: number|null, row: number, cv: number|null, se: number|null, isAvailable: boolean, isFull: boolean}} Step
 * @returns {Step[]}
 */
function readSteps(m, pruning) {
  /** @type {Step} */ const fullStep = { alpha: -1, leaves: m.nLeaves, risk: null, row: -1, cv: null, se: null, isAvailable: true, isFull: true };
  if (!pruning) return [fullStep];
  const leaves = leafCountsAt(m, pruning.alpha);
  const steps = pruning.alpha.map((alpha, k) => ({
    alpha, leaves: pruning.n_leaves[k], risk: pruning.risk[k], row: k,
    cv: pruning.cv_risk ? pruning.cv_risk[k] : null,
    se: pruning.cv_se ? pruning.cv_se[k] : null,
    isAvailable: leaves[k] === pruning.n_leaves[k], isFull: false,
  }));
  const same = steps.find((s) => s.isAvailable && s.leaves === m.nLeaves);
  if (same) same.isFull = true;
  else steps.unshift(fullStep);
  return thinSteps(steps.reverse(), pruning);
}

/** The step of the chosen alpha, by default that of the full tree. @param {Step[]} steps */
function findStartStep(steps, pruning) {
  const isFull = steps.findIndex((s) => s.isFull);
  if (!pruning || pruning.start === null) return isFull;
  const within = (s) => s.isAvailable && s.alpha >= 0 && s.alpha <= pruning.start;
  const result = steps.reduce((best, s, k) => (within(s) && (best < 0 || s.alpha > steps[best].alpha) ? k : best), -1);
  return result < 0 ? isFull : result;
}

const MAX_STEPS = 120;

/** Thin out very many steps, evenly by the logarithm of their leaves; marked steps are kept. */
function thinSteps(steps, pruning) {
  if (steps.length <= MAX_STEPS) return steps;
  const marked = new Set([pruning.minimum, pruning.one_se, pruning.chosen]);
  const most = Math.log(steps[steps.length - 1].leaves);
  let next = 0;
  return steps.filter((s, k) => {
    const at = Math.log(s.leaves) / most;
    const due = at >= next || k === steps.length - 1;
    if (due) next = at + 1 / MAX_STEPS;
    return due || s.isFull || (s.row >= 0 && marked.has(s.row)) || s.alpha === pruning.start;
  });
}

/** Number of leaves of T(alpha) for ascending alphas. */
const leafCountsAt = (m, alphas) => Array.from(sumOverTerminals(m, alphas, () => 1, () => 0));

/**
 * A sum over the terminal nodes of T(alpha), for ascending alphas, in one pass over the nodes: a node is a leaf from the
 * alpha at which it collapses (a leaf: from 0) until that of its parent, and an inner node before that.
 */
export function sumOverTerminals(m, alphas, asLeaf, asInner) {
  const change = new Float64Array(alphas.length + 1);
  const firstFrom = (alpha) => {
    let low = 0, high = alphas.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (alphas[middle] >= alpha) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const add = (from, to, value) => {
    if (from >= to) return;
    change[from] += value;
    change[to] -= value;
  };
  for (let i = 0; i < m.n; i++) {
    const born = m.isLeaf(i) ? 0 : firstFrom(m.nodeAlpha[i]);
    const dies = i === 0 ? alphas.length : firstFrom(m.nodeAlpha[m.parent[i]]);
    add(born, dies, asLeaf(i));
    if (!m.isLeaf(i) && m.defaultBranch[i] < 0) add(0, Math.min(born, dies), asInner(i));
  }
  let now = 0;
  return change.subarray(0, alphas.length).map((v) => (now += v));
}
