// Routing of one case through the pruned tree, by the rules of ceiba.tree.trace.
// A case has one value per column: a number, a level code (one past the last: unseen), or null if missing.

import { bestClass, CUT, cutsOf, INTERVALS, M, PRESENCE } from "../core/model.js";

/** @typedef {{node: number, branch: number|null, by: string|null, surrogate: number|null, share: number}} Move */

/** The branch of a case at split i, or "missing" or "unseen". */
export function evaluateSplit(splits, i, values) {
  const j = splits.column[i];
  const value = values[j];
  const missing = value === null || Number.isNaN(value);
  if (splits.kind[i] === PRESENCE) return missing ? 1 : 0;
  if (missing) return "missing";
  if (splits.kind[i] === CUT) {
    if (M.columns.kind[j] !== "numeric" && value >= M.columns.levels[j].length) return "unseen";
    return value <= splits.cut[i] ? splits.low[i] : 1 - splits.low[i];
  }
  if (splits.kind[i] === INTERVALS) return cutsOf(splits, i).filter((cut) => cut < value).length;
  for (let k = splits.levelStart[i]; k < splits.levelStart[i + 1]; k++) {
    if (splits.levelCode[k] === value) return splits.levelBranch[k];
  }
  return "unseen";
}

/** Route a case at node i: the branch (null: the case stays), what decided it, and the number of the surrogate. */
export function chooseBranch(i, values) {
  const branch = evaluateSplit(M.splits, i, values);
  if (typeof branch === "number") return { branch: branch, by: "primary", surrogate: null };
  if (branch === "unseen" && M.payload.unseen === "default") return { branch: null, by: "unseen", surrogate: null };
  if (branch === "unseen" && M.payload.unseen !== "missing") {
    return { branch: M.majority[i], by: "unseen", surrogate: null };
  }
  if (M.payload.missing === "fractional") return { branch: null, by: "share", surrogate: null };
  const s = M.surrogates;
  if (s && s.inUse) {
    for (let k = s.start[i]; k < s.start[i + 1]; k++) {
      const surrogateBranch = evaluateSplit(s.splits, k, values);
      if (typeof surrogateBranch === "number") return { branch: surrogateBranch, by: "surrogate", surrogate: k };
    }
  }
  return { branch: M.defaultBranch[i] < 0 ? null : M.defaultBranch[i], by: "default", surrogate: null };
}

/** Route a case through T(alpha). @param {(number|null)[]} values @param {number} alpha @returns {Move[]} */
export function routeCase(values, alpha) {
  const moves = [];
  const waiting = [[0, 1]];
  while (waiting.length) {
    const [i, share] = waiting.pop();
    if (M.isLeaf(i) || M.nodeAlpha[i] <= alpha) {
      moves.push({ node: i, branch: null, by: null, surrogate: null, share });
      continue;
    }
    const d = chooseBranch(i, values);
    if (d.by === "share") {
      const below = [];
      let total = 0;
      for (let b = 0; b < M.nBranches(i); b++) total += M.weight[M.child(i, b)];
      for (let b = 0; b < M.nBranches(i); b++) {
        const c = M.child(i, b);
        const part = share * (total > 0 ? M.weight[c] / total : 1 / M.nBranches(i));
        if (part > 0) {
          moves.push({ node: i, branch: b, by: "share", surrogate: null, share: part });
          below.push([c, part]);
        }
      }
      waiting.push(...below.reverse());
      continue;
    }
    moves.push({ node: i, branch: d.branch, by: d.by, surrogate: d.surrogate, share });
    if (d.branch !== null) waiting.push([M.child(i, d.branch), share]);
  }
  return moves;
}

/** The prediction of a case from its moves. @returns {{ends: Move[], value: Float64Array, answer: number|null, leaf: number}} */
export function predictCase(moves) {
  const last = moves.filter((m) => m.branch === null);
  const lost = last.find((m) => m.by === "unseen"); // predicted by the root
  const ends = lost ? [{ ...lost, node: 0, share: 1 }] : last;
  const value = new Float64Array(M.K);
  if (ends.length === 1) {
    for (let k = 0; k < M.K; k++) value[k] = M.value[ends[0].node * M.K + k];
  } else {
    for (const e of ends) for (let k = 0; k < M.K; k++) value[k] += e.share * M.value[e.node * M.K + k];
  }
  const leaf = ends.reduce((a, b) => (b.share > a.share ? b : a)).node;
  return { ends, value, answer: M.regression ? null : bestClass(M.K, M.cost, value, 0), leaf };
}
