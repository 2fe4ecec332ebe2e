// Exact Shapley values of one case, the same game as `ceiba.trust.shap_values` without background: an unknown column sends the case
// down every branch of its splits, in proportion to the training weight (after priors); a known one follows the tree.
// Let o and z be the products of the branch shares along the path of a leaf, for a known and an unknown column. A leaf whose path
// uses m columns contributes to column j: value (o_j - z_j) * integral from 0 to 1 of the product over the other columns of
// (z (1 - t) + o t) dt. Gauss-Legendre quadrature with m / 2 points is exact for this polynomial.

import { M } from "../core/model.js";
import { chooseBranch } from "./route.js";

/** @type {[number[], number[]][]} */ const legendreRules = [];
/** Nodes and weights of Gauss-Legendre quadrature on 0 to 1, exact up to degree 2 n - 1. @returns {[number[], number[]]} */
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

/** Shares of the branches of a node, for an unknown column or fractional rows. @returns {number[]} */
function branchShares(i, mass) {
  const below = [];
  let total = 0;
  for (let b = 0; b < M.nBranches(i); b++) total += below[b] = mass[M.child(i, b)];
  return total > 0 ? below.map((v) => v / total) : mass === M.weight ? below.map(() => 1 / below.length) : branchShares(i, M.weight);
}

/** Contributions to the probability of class k, or to the number, in T(alpha). @returns {{base: number, parts: Float64Array}} */
export function shapleyValues(values, alpha, k) {
  const n = M.columns.name.length;
  const parts = new Float64Array(n), known = new Float64Array(n).fill(1), open = new Float64Array(n).fill(1), factor = new Float64Array(n);
  const path = [], times = new Int32Array(n); // columns on the path, and how often each is used
  let base = 0;
  // Plain loops: with reduce and forEach 5,000 leaves took 13 ms instead of 2.
  const finish = (/** @type {number} */ i) => {
    const value = M.value[i * M.K + k];
    let unknown = value, reachable = true;
    for (const j of path) {
      unknown *= open[j];
      if (known[j] === 0 && open[j] === 0) reachable = false;
    }
    base += unknown;
    if (!reachable) return;
    const [points, weights] = legendre(Math.ceil(path.length / 2));
    for (let q = 0; q < points.length; q++) {
      let whole = value * weights[q];
      for (const j of path) whole *= factor[j] = open[j] + (known[j] - open[j]) * points[q];
      for (const j of path) parts[j] += ((known[j] - open[j]) * whole) / factor[j];
    }
  };
  // Going down multiplies the products of a column; an entry with `up` restores them afterwards.
  /** @type {[number, number, number, number, boolean][]} node (negative: the case stays there), column, shares (or products to restore), up */
  const waiting = [[0, -1, 1, 1, false]];
  while (waiting.length) {
    const [node, column, o, z, up] = waiting.pop();
    if (up) {
      if (--times[column] === 0) path.pop();
      known[column] = o;
      open[column] = z;
      continue;
    }
    if (column >= 0) {
      waiting.push([node, column, known[column], open[column], true]);
      if (times[column]++ === 0) path.push(column);
      known[column] *= o;
      open[column] *= z;
    }
    if (node < 0 || M.isLeaf(node) || M.nodeAlpha[node] <= alpha) {
      finish(node < 0 ? -1 - node : node);
      continue;
    }
    const { branch, by } = chooseBranch(node, values);
    const j = M.splits.column[node];
    const cold = branchShares(node, M.share), warm = by === "share" ? branchShares(node, M.weight) : null;
    for (let b = 0; b < cold.length; b++) waiting.push([M.child(node, b), j, warm ? warm[b] : branch === b ? 1 : 0, cold[b], false]);
    if (branch === null && by !== "share") waiting.push([-1 - node, j, 1, 0, false]);
  }
  return { base, parts };
}
