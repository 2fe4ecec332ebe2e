// The payload as typed arrays with what follows from it: branches, depths, answers, probabilities.

const CUT = 1;
const LEVELS = 2;
const PRESENCE = 3;

/** The model of the page; set once by `loadModel`. @type {any} */
let M = null;

/** @param {any} given @param {number} n */
function readSplits(given, n) {
  const start = new Int32Array(n + 1);
  if (given.n_levels) for (let i = 0; i < n; i++) start[i + 1] = start[i] + given.n_levels[i];
  return {
    kind: Uint8Array.from(given.kind),
    column: Int32Array.from(given.column),
    cut: Float64Array.from(given.cut, (v) => (v === null ? NaN : v)),
    low: given.low_branch ? Uint8Array.from(given.low_branch) : new Uint8Array(n),
    levelStart: start,
    levelCode: Int32Array.from(given.level_code || []),
    levelBranch: Int32Array.from(given.level_branch || []),
  };
}

/** Rows of a ragged table by node. */
function starts(lengths) {
  const start = new Int32Array(lengths.length + 1);
  lengths.forEach((n, i) => (start[i + 1] = start[i] + n));
  return start;
}

const floats = (list) => Float64Array.from(list, (v) => (v === null ? NaN : v));

/** @param {any} p the payload */
function loadModel(p) {
  const nodes = p.nodes;
  const n = nodes.parent.length;
  const parent = Int32Array.from(nodes.parent);
  const regression = p.task === "regression";
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
  const weight = nodes.weight ? floats(nodes.weight) : rows;
  const counts = nodes.counts ? floats(nodes.counts) : null;
  let value = nodes.value ? floats(nodes.value) : null;
  if (!value) {
    value = new Float64Array(n * K);
    for (let i = 0; i < n; i++) {
      let total = 0;
      for (let k = 0; k < K; k++) total += counts[i * K + k];
      for (let k = 0; k < K; k++) value[i * K + k] = counts[i * K + k] / total;
    }
  }
  const m = {
    payload: p, n, K, regression, parent, branchStart, branchNode, branchIndex, depth, size, leafCount,
    columns: p.columns, classes: p.classes, target: p.target, rows, weight, counts, value,
    splits: readSplits(nodes.splits, n),
    defaultBranch: Int32Array.from(nodes.default_branch),
    impurity: floats(nodes.impurity), gain: floats(nodes.gain), worth: floats(nodes.worth),
    sentDefault: nodes.sent_default,
    cost: p.cost_matrix ? floats(p.cost_matrix) : null,
    boxes: p.boxes ? floats(p.boxes) : null,
    known: rows[0] > 0,
    maxDepth: depth.reduce((a, b) => Math.max(a, b), 0),
    nBranches: (i) => branchStart[i + 1] - branchStart[i],
    isLeaf: (i) => branchStart[i] === branchStart[i + 1],
    child: (i, b) => branchNode[branchStart[i] + b],
    prob: (i, k) => value[i * K + k],
  };
  m.nLeaves = leafCount[0];
  m.share = nodes.share ? floats(nodes.share) : Float64Array.from(weight, (w) => (m.known ? w / weight[0] : 0));
  // How wide a node is drawn: by rows, or by leaves where no rows are known.
  m.breadth = m.known ? m.share : Float64Array.from(leafCount, (c) => c / m.nLeaves);
  m.majority = majorityBranches(m);
  m.answer = regression ? null : Int32Array.from({ length: n }, (_, i) => bestClass(m, value, i * K));
  if (nodes.surrogates) {
    const s = nodes.surrogates;
    m.surrogates = {
      start: starts(s.n), splits: readSplits(s.splits, s.splits.kind.length),
      agreement: floats(s.agreement), adjusted: floats(s.adjusted), sent: s.sent, inUse: s.in_use,
    };
  }
  if (nodes.competitors) {
    const c = nodes.competitors;
    m.competitors = { start: starts(c.n), splits: readSplits(c.splits, c.splits.kind.length), gain: floats(c.gain) };
  }
  m.test = p.test ? readTest(p.test, regression) : null;
  m.steps = readSteps(m, p.pruning);
  if (regression) {
    m.low = m.value.reduce((a, b) => Math.min(a, b), Infinity);
    m.high = m.value.reduce((a, b) => Math.max(a, b), -Infinity);
  }
  return m;
}

function readTest(given, regression) {
  const found = { rows: Float64Array.from(given.n_rows) };
  if (!regression) return { ...found, counts: floats(given.counts) };
  found.weight = floats(given.weight);
  if (given.mean) return { ...found, mean: floats(given.mean), variance: floats(given.variance) };
  return { ...found, loss: floats(given.loss) };
}

/** The branch with the most weight, the first on ties. */
function majorityBranches(m) {
  const found = new Int32Array(m.n).fill(-1);
  for (let i = 0; i < m.n; i++) {
    let most = -Infinity;
    for (let b = 0; b < m.nBranches(i); b++) {
      const w = m.weight[m.child(i, b)];
      if (w > most) {
        most = w;
        found[i] = b;
      }
    }
  }
  return found;
}

/** Class of least expected cost, the lowest on ties; `at` is where K probabilities begin. */
function bestClass(m, value, at) {
  const K = m.K;
  if (!m.cost) {
    let best = 0;
    for (let k = 1; k < K; k++) if (value[at + k] > value[at + best]) best = k;
    return best;
  }
  const cost = new Float64Array(K);
  for (let truth = 0; truth < K; truth++) {
    for (let said = 0; said < K; said++) cost[said] += value[at + truth] * m.cost[truth * K + said];
  }
  const least = cost.reduce((a, b) => Math.min(a, b), Infinity);
  return cost.findIndex((c) => c <= least + 1e-12 * Math.abs(least));
}

/**
 * The trees the slider shows, the smallest first. `alpha` -1 is the tree as it was handed over;
 * a step is not `there` when the pruning table knows it but its nodes were not kept.
 */
function readSteps(m, pruning) {
  m.nodeAlpha = new Float64Array(m.n).fill(Infinity);
  if (!pruning) return [{ alpha: -1, leaves: m.nLeaves, there: true, asIs: true }];
  m.nodeAlpha = Float64Array.from(pruning.node_alpha, (v) => (v === null ? Infinity : v));
  const leaves = leavesAt(m, pruning.alpha);
  const steps = pruning.alpha.map((alpha, k) => ({
    alpha, leaves: pruning.n_leaves[k], risk: pruning.risk[k], row: k,
    cv: pruning.cv_risk ? pruning.cv_risk[k] : null,
    se: pruning.cv_se ? pruning.cv_se[k] : null,
    there: leaves[k] === pruning.n_leaves[k], asIs: false,
  }));
  const same = steps.find((s) => s.there && s.leaves === m.nLeaves);
  if (same) same.asIs = true;
  else steps.unshift({ alpha: -1, leaves: m.nLeaves, risk: null, row: -1, cv: null, se: null, there: true, asIs: true });
  return thinned(steps.reverse(), pruning);
}

const MOST_STEPS = 120;

/** Of very many steps those evenly spread by the logarithm of their leaves, and the marked ones. */
function thinned(steps, pruning) {
  if (steps.length <= MOST_STEPS) return steps;
  const marked = new Set([pruning.minimum, pruning.one_se, pruning.chosen]);
  const most = Math.log(steps[steps.length - 1].leaves);
  let next = 0;
  return steps.filter((s, k) => {
    const at = Math.log(s.leaves) / most;
    const due = at >= next || k === steps.length - 1;
    if (due) next = at + 1 / MOST_STEPS;
    return due || s.asIs || (s.row >= 0 && marked.has(s.row)) || s.alpha === pruning.start;
  });
}

/**
 * Number of leaves of T(alpha) for ascending alphas: a node is one from the alpha at which it
 * collapses (a leaf: always) until its parent does.
 */
function leavesAt(m, alphas) {
  const change = new Int32Array(alphas.length + 1);
  const firstFrom = (alpha) => {
    let low = 0, high = alphas.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (alphas[middle] >= alpha) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  for (let i = 0; i < m.n; i++) {
    const born = m.isLeaf(i) ? 0 : firstFrom(m.nodeAlpha[i]);
    const dies = i === 0 ? alphas.length : firstFrom(m.nodeAlpha[m.parent[i]]);
    if (born < dies) {
      change[born]++;
      change[dies]--;
    }
  }
  let now = 0;
  return alphas.map((_, k) => (now += change[k]));
}
