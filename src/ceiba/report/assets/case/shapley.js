// Exact Shapley values of one case: how much each column moved the figure away from that of all rows. The same game as
// `ceiba.trust.shap_values` without background: a column that is left out sends the case down every branch of its questions, by the
// branches' shares of the training weight (after priors); a known one goes where the tree sends the case.
// An end whose path asks about m columns gives, with o and z the products of the shares of its way for a known and an unknown column,
// column j: value (o_j - z_j) * integral from 0 to 1 of the product over the other columns of (z (1 - t) + o t) dt.
// Gauss and Legendre's rule with m / 2 points is exact for it.

/** @type {[number[], number[]][]} */ const legendreRules = [];
/** Points and weights on 0 to 1, exact up to degree 2 n - 1. @returns {[number[], number[]]} */
function legendre(n) {
  if (legendreRules[n]) return legendreRules[n];
  const points = [], weights = [];
  for (let i = 0; i < n; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5)), slope = 1;
    for (let turn = 0; turn < 50; turn++) {
      let [before, now] = [1, x];
      for (let k = 2; k <= n; k++) [before, now] = [now, ((2 * k - 1) * x * now - (k - 1) * before) / k];
      slope = (n * (x * now - before)) / (x * x - 1);
      const step = now / slope;
      x -= step;
      if (Math.abs(step) < 1e-16) break;
    }
    points.push((1 + x) / 2);
    weights.push(1 / ((1 - x * x) * slope * slope));
  }
  return (legendreRules[n] = [points, weights]);
}

/** Shares of a node's branches when its question is left open, or when rows are parted. @returns {number[]} */
function branchShares(i, mass) {
  const below = Array.from({ length: M.nBranches(i) }, (_, b) => mass[M.child(i, b)]);
  const total = below.reduce((a, b) => a + b, 0);
  return total > 0 ? below.map((v) => v / total) : mass === M.weight ? below.map(() => 1 / below.length) : branchShares(i, M.weight);
}

/** Contributions to the probability of class k, or to the number, in T(alpha). @returns {{base: number, parts: Float64Array}} */
function shapleyOf(values, alpha, k) {
  const n = M.columns.name.length;
  const parts = new Float64Array(n), known = new Float64Array(n).fill(1), open = new Float64Array(n).fill(1);
  const path = [];
  let base = 0;
  const finish = (/** @type {number} */ i) => {
    const said = M.value[i * M.K + k];
    base += said * path.reduce((product, j) => product * open[j], 1);
    if (path.some((j) => known[j] === 0 && open[j] === 0)) return;
    const [points, weights] = legendre(Math.ceil(path.length / 2));
    points.forEach((t, q) => {
      const factor = (j) => open[j] * (1 - t) + known[j] * t;
      const whole = path.reduce((product, j) => product * factor(j), said * weights[q]);
      for (const j of path) parts[j] += ((known[j] - open[j]) * whole) / factor(j);
    });
  };
  // Going down multiplies a column's products; going up again puts back what they were.
  /** @type {{node: number, column?: number, o?: number, z?: number, back?: boolean, first?: boolean}[]} */ const waiting = [{ node: 0 }];
  while (waiting.length) {
    const { node, column, o, z, back, first } = waiting.pop();
    if (back) {
      if (first) path.pop();
      [known[column], open[column]] = [o, z];
      continue;
    }
    if (column !== undefined) {
      const isFirst = !path.includes(column);
      waiting.push({ node, column, o: known[column], z: open[column], back: true, first: isFirst });
      if (isFirst) path.push(column);
      known[column] *= o;
      open[column] *= z;
    }
    // A negative number: the case stays in that node.
    if (node < 0 || M.isLeaf(node) || M.nodeAlpha[node] <= alpha) {
      finish(node < 0 ? -1 - node : node);
      continue;
    }
    const { branch, by } = decide(node, values);
    const j = M.splits.column[node];
    const cold = branchShares(node, M.share), warm = by === "share" ? branchShares(node, M.weight) : null;
    for (let b = 0; b < M.nBranches(node); b++) waiting.push({ node: M.child(node, b), column: j, o: warm ? warm[b] : branch === b ? 1 : 0, z: cold[b] });
    if (branch === null && by !== "share") waiting.push({ node: -1 - node, column: j, o: 1, z: 0 });
  }
  return { base, parts };
}
