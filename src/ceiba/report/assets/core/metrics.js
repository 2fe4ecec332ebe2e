// Metrics of every pruned tree T(alpha), as sums over its terminal nodes, without rows.
// A terminal node is a leaf of T(alpha), or an inner node in which rows stay because they have no branch for a missing
// value; of the latter, only the rows that stay are counted (`rest`).

import { M, memoize, onModelChange } from "./model.js";

/** @typedef {{node: number, rest: boolean}} Terminal */

/** The terminal nodes of the most recent trees. @type {Map<number, Terminal[]>} */
const terminalsCache = new Map();
onModelChange(() => terminalsCache.clear());

/** The terminal nodes of T(alpha). @param {number} alpha @returns {Terminal[]} */
export function terminalsAt(alpha) {
  const had = terminalsCache.get(alpha);
  if (had) return had;
  const result = [];
  for (let i = 0; i < M.n; ) {
    const leaf = M.isLeaf(i) || M.nodeAlpha[i] <= alpha;
    if (leaf || M.defaultBranch[i] < 0) result.push({ node: i, rest: !leaf });
    i += leaf ? M.size[i] : 1;
  }
  if (terminalsCache.size > 3) terminalsCache.clear();
  terminalsCache.set(alpha, result);
  return result;
}

/** Class counts of a terminal node. @param {Float64Array} counts @param {Terminal} end @param {Float64Array} [into] filled and returned */
export function terminalCounts(counts, end, into = new Float64Array(M.K)) {
  const K = M.K;
  const at = end.node * K;
  for (let k = 0; k < K; k++) into[k] = counts[at + k];
  if (end.rest) {
    for (let b = 0; b < M.nBranches(end.node); b++) {
      const c = M.child(end.node, b);
      for (let k = 0; k < K; k++) into[k] -= counts[c * K + k];
    }
  }
  return into;
}

/** The counts of "train" or "test"; null if unknown. @param {string} name @returns {import("./model.js").Source|null} */
export function sourceOf(name) {
  if (name === "test") return M.test;
  if (!M.hasRows || M.clipped) return null;
  if (!M.regression) return M.counts ? { counts: M.counts, rows: M.rows } : null;
  if (M.payload.criterion !== "squared_error") return { weight: M.weight, loss: M.impurity, rows: M.rows };
  return { weight: M.weight, mean: M.value, variance: M.impurity, rows: M.rows };
}

/** All metrics except the area under the curve, which needs sorting; `name` is "train" or "test". @type {(alpha: number, name: string) => Record<string, number>|null} */
export const quickMetrics = memoize((alpha, name) => {
  const source = sourceOf(name);
  return source && (M.regression ? numberMetrics : classMetrics)(source, terminalsAt(alpha));
});

/** @type {(alpha: number, name: string) => Record<string, number>|null} */
export const metricsAt = memoize((alpha, name) => {
  const result = quickMetrics(alpha, name);
  return result && !M.regression ? { ...result, auc: aucAt(sourceOf(name), terminalsAt(alpha)) } : result;
});

/** The weight of a row of each class: its prior over its share in these rows, as in evaluate(); null without priors. @returns {Float64Array|null} */
export function priorFactors(source) {
  const { class_prior: prior } = M.payload;
  if (!prior) return null;
  const counts = source.counts.subarray(0, M.K);
  const total = counts.reduce((a, b) => a + b, 0);
  return Float64Array.from(counts, (n, k) => (n > 0 ? (prior[k] * total) / n : 0));
}
/** The cost of a prediction; 1 for each error by default. */
export const costOf = (truth, predicted) => (M.cost ? M.cost[truth * M.K + predicted] : truth === predicted ? 0 : 1);
/** Whether predictions are evaluated by cost: by costs, or by errors weighted by priors. */
export const hasCosts = () => !M.regression && (M.cost !== null || M.payload.class_prior !== null);

function classMetrics(source, terminals) {
  const factor = priorFactors(source);
  const K = M.K;
  const eps = 2 ** -52;
  let n = 0, wrong = 0, cost = 0, log = 0, brier = 0;
  const right = new Float64Array(K), total = new Float64Array(K);
  const c = new Float64Array(K);
  for (const end of terminals) {
    terminalCounts(source.counts, end, c);
    const at = end.node * K;
    const predicted = M.answer[end.node];
    let squares = 0;
    for (let k = 0; k < K; k++) squares += M.value[at + k] ** 2;
    for (let k = 0; k < K; k++) {
      if (!c[k]) continue;
      n += c[k];
      total[k] += c[k];
      if (k === predicted) right[k] += c[k];
      else wrong += c[k];
      if (hasCosts()) cost += c[k] * (factor ? factor[k] : 1) * costOf(k, predicted);
      const p = M.value[at + k];
      log -= c[k] * Math.log(Math.min(Math.max(p, eps), 1 - eps));
      brier += c[k] * (squares - 2 * p + 1);
    }
  }
  if (!n) return null;
  let recall = 0, present = 0;
  for (let k = 0; k < K; k++) {
    if (total[k] > 0) {
      recall += right[k] / total[k];
      present++;
    }
  }
  const result = { n, leaves: terminals.filter((e) => !e.rest).length, error: wrong / n, accuracy: 1 - wrong / n };
  if (hasCosts()) result.cost = cost / n;
  result.balanced = recall / present;
  result.log_loss = log / n;
  result.brier = brier / n / (K === 2 ? 2 : 1);
  return result;
}

/** Area under the ROC curve; with more than two classes, the one-vs-rest mean. */
function aucAt(source, terminals) {
  const rows = terminalRows(source, terminals);
  const areas = M.classes.map((_, k) => rocArea(groupsByProbability(source, rows, k)))
    .slice(M.K === 2 ? 1 : 0).filter((area) => !Number.isNaN(area));
  return areas.reduce((a, b) => a + b, 0) / areas.length;
}

/** Rows of each terminal node (NaN elsewhere), and class counts of the rows that stay in inner nodes. */
function terminalRows(source, terminals) {
  const all = new Float64Array(M.n).fill(NaN), c = new Float64Array(M.K);
  /** @type {Map<number, Float64Array>} */ const rests = new Map();
  for (const end of terminals) {
    all[end.node] = terminalCounts(source.counts, end, c).reduce((a, b) => a + b, 0);
    if (end.rest) rests.set(end.node, c.slice());
  }
  return { all, rests };
}

/** Rows of class k and of the others by decreasing probability; nodes of equal probability form one group. @returns {[number, number][]} */
function groupsByProbability(source, { all, rests }, k) {
  const { order, p, counts } = sortedClass(source, k);
  /** @type {[number, number][]} */ const groups = [];
  let last = NaN;
  for (let at = 0; at < order.length; at++) {
    const i = order[at];
    if (!(all[i] > 0)) continue;
    if (p[at] !== last) groups.push([0, 0]);
    last = p[at];
    const group = groups[groups.length - 1], yes = rests.size > 0 && rests.has(i) ? rests.get(i)[k] : counts[at];
    group[0] += yes;
    group[1] += all[i] - yes;
  }
  return groups;
}

/** @param {[number, number][]} groups */
function rocArea(groups) {
  let above = 0, below = 0, area = 0;
  for (const [yes, no] of groups) {
    area += no * (above + yes / 2);
    above += yes;
    below += no;
  }
  return area / (above * below);
}

/** All nodes by decreasing probability of class k, and those probabilities. */
const sortedNodes = memoize((k) => {
  const probability = Float64Array.from({ length: M.n }, (_, i) => M.prob(i, k));
  const order = Int32Array.from({ length: M.n }, (_, i) => i).sort((a, b) => probability[b] - probability[a]);
  return { order, p: Float64Array.from(order, (i) => probability[i]) };
});
/** The same, with the counts of the class in the training or test rows. @type {(k: number, test: boolean) => {order: Int32Array, p: Float64Array, counts: Float64Array}} */
const sortedCounts = memoize((k, test) => {
  const { counts } = test ? M.test : M;
  return { ...sortedNodes(k), counts: Float64Array.from(sortedNodes(k).order, (i) => counts[i * M.K + k]) };
});
export const sortedClass = (source, k) => sortedCounts(k, source === M.test);

/** ROC and precision-recall curves of class k against the rest. */
export function rocAt(source, terminals, k) {
  const groups = groupsByProbability(source, terminalRows(source, terminals), k);
  const [P, N] = [0, 1].map((side) => groups.reduce((sum, group) => sum + group[side], 0));
  const roc = [[0, 0]], pr = [];
  let tp = 0, fp = 0, average = 0;
  for (const [yes, no] of groups) {
    tp += yes;
    fp += no;
    roc.push([N ? fp / N : 0, P ? tp / P : 0]);
    pr.push([P ? tp / P : 0, tp / (tp + fp)]);
    average += P ? (yes / P) * (tp / (tp + fp)) : 0;
  }
  return { roc, pr, area: rocArea(groups), average: P ? average : NaN, positive: P / (P + N) };
}

/** Confusion matrix, truth by row. */
export function confusionAt(source, terminals) {
  const K = M.K;
  const result = Array.from({ length: K }, () => new Float64Array(K));
  for (const end of terminals) {
    const c = terminalCounts(source.counts, end);
    for (let k = 0; k < K; k++) result[k][M.answer[end.node]] += c[k];
  }
  return result;
}

/** Weight, mean and variance of the rows of a terminal node. */
export function terminalMoments(source, end) {
  const i = end.node;
  if (!end.rest) return { w: source.weight[i], mean: source.mean[i], variance: source.variance[i] };
  let w = source.weight[i], sum = source.weight[i] * source.mean[i];
  let about = w * source.variance[i];
  for (let b = 0; b < M.nBranches(i); b++) {
    const c = M.child(i, b);
    if (!source.weight[c]) continue;
    w -= source.weight[c];
    sum -= source.weight[c] * source.mean[c];
    about -= source.weight[c] * (source.variance[c] + (source.mean[c] - source.mean[i]) ** 2);
  }
  if (!(w > 1e-9)) return { w: 0, mean: NaN, variance: NaN };
  const mean = sum / w;
  return { w, mean, variance: Math.max(about / w - (mean - source.mean[i]) ** 2, 0) };
}

function numberMetrics(source, terminals) {
  const leaves = terminals.filter((e) => !e.rest).length;
  if (source.loss) {
    let loss = 0, n = 0;
    for (const end of terminals) {
      if (end.rest || !source.weight[end.node]) continue;
      n += source.weight[end.node];
      loss += source.weight[end.node] * source.loss[end.node];
    }
    return n ? { n, leaves, loss: loss / n } : null;
  }
  let n = 0, squared = 0, bias = 0;
  for (const end of terminals) {
    const { w, mean, variance } = terminalMoments(source, end);
    if (!w) continue;
    const residual = mean - M.value[end.node];
    n += w;
    squared += w * (variance + residual * residual);
    bias -= w * residual;
  }
  if (!n) return null;
  const mse = squared / n;
  return { n, leaves, rmse: Math.sqrt(mse), mse, r2: 1 - mse / source.variance[0], bias: bias / n };
}

/** Importance of the columns in T(alpha), as shares. */
export function importanceAt(alpha) {
  const result = new Float64Array(M.columns.name.length);
  let total = 0;
  for (let i = 0; i < M.n; i++) {
    if (M.isLeaf(i) || M.nodeAlpha[i] <= alpha) continue;
    const importance = M.importance[i] || 0;
    result[M.splits.column[i]] += importance;
    total += importance;
  }
  return total > 0 ? result.map((v) => v / total) : result;
}
