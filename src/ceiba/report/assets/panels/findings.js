// Findings about the shown tree: a column that may leak the target, and leaves with few rows. A leak is suspected
// when one column has nearly all the importance and the tree makes nearly no error on its training rows (rain
// predicted from millimetres of rain). It is a question to the reader: some problems are that easy.

import { terminalsAt, importanceAt, quickMetrics } from "../core/metrics.js";
import { M, computeOnce } from "../core/model.js";
import { fmtCount, fmtPercent, t } from "../core/format.js";
import { el } from "../page/dom.js";
import { currentAlpha, isTerminal, state, currentStep } from "../page/state.js";

const LEAK_SHARE = 0.9; // of the importance, for one column
const LEAK_ERROR = 0.02; // of the error of the root
const LEAK_ROWS = 20;
const SMALL_LEAF = 5;

/** The most important column of the shown tree; null without splits, or if rows are unknown. @returns {{column: number, share: number}|null} */
function strongestColumn() {
  if (!M.hasRows || M.payload.n_outputs > 1 || isTerminal(0)) return null;
  const importance = importanceAt(currentAlpha());
  const column = importance.indexOf(importance.reduce((a, b) => Math.max(a, b), 0));
  return importance[column] > 0 ? { column, share: importance[column] } : null;
}

/** The training error of the shown tree as a share of that of the root. */
function remainingError() {
  const [now, none] = [currentAlpha(), Infinity].map((alpha) => quickMetrics(alpha, "train") || {});
  const key = ["cost", "error", "mse", "loss"].find((k) => now[k] !== undefined);
  return now[key] / none[key];
}

/** The column that may leak the target; null if none. Cached, since header, tab and panel use it at every step. */
export const currentLeak = computeOnce(() => {
  const strongest = strongestColumn();
  return strongest && strongest.share >= LEAK_SHARE && M.rows[0] >= LEAK_ROWS && remainingError() <= LEAK_ERROR ? strongest : null;
}, currentStep);

/** A sentence about a column and its share of the importance. @param {string} key @param {{column: number, share: number}} strongest @param {Record<string, string>} [more] */
const leakSentence = (key, { column, share }, more = {}) => t(key, { column: M.columns.name[column], share: fmtPercent(share), ...more });
export const leakText = (strongest) => leakSentence(M.regression ? "f_leak_number" : "f_leak", strongest);

/** A sentence that no leak is suspected, and why; null if one is, or if it cannot be checked. */
export function noLeakText() {
  const strongest = strongestColumn();
  if (!strongest || currentLeak()) return null;
  if (strongest.share < LEAK_SHARE) return leakSentence("no_leak", strongest);
  if (M.rows[0] < LEAK_ROWS) return leakSentence("no_leak_few", strongest, { n: fmtCount(M.rows[0]) });
  const left = remainingError();
  return Number.isFinite(left) ? leakSentence("no_leak_errs", strongest, { left: fmtPercent(left) }) : null;
}

/** Number of leaves of the shown tree with few rows. */
const smallLeaves = () => (M.hasRows ? terminalsAt(currentAlpha()).filter((e) => !e.rest && M.rows[e.node] < SMALL_LEAF).length : 0);

/** The findings as boxes. */
export function findingBoxes() {
  const leak = currentLeak(), small = M.steps[state.step].leaves > 2 ? smallLeaves() : 0;
  return [
    leak ? el("p", { class: "warn strong" }, leakText(leak)) : null,
    small ? el("p", { class: "warn" }, t("f_small", { n: fmtCount(small), rows: SMALL_LEAF })) : null,
  ].filter(Boolean);
}
