// What a careful reader would be told first, of the shown tree: a column that may leak the target,
// leaves of few rows. A leak is suspected when splits on one column alone do nearly all the work and
// the tree is nearly free of error on its training rows (rain predicted from the millimetres that
// fell). That is a question to the reader, not a verdict: some problems are that easy.

import { terminalsAt, importanceAt, quickMetrics } from "../core/metrics.js";
import { M, computeOnce } from "../core/model.js";
import { fmtCount, fmtPercent, t } from "../core/format.js";
import { el } from "../page/dom.js";
import { currentAlpha, isTerminal, state, currentStep } from "../page/state.js";

const LEAK_SHARE = 0.9; // of the importance, by one column
const LEAK_ERROR = 0.02; // of the error without any question
const LEAK_ROWS = 20;
const SMALL_LEAF = 5;

/** The column with the most importance in the shown tree; null where no one asks, or it is not known. @returns {{column: number, share: number}|null} */
function strongestColumn() {
  if (!M.hasRows || M.payload.n_outputs > 1 || isTerminal(0)) return null;
  const importance = importanceAt(currentAlpha());
  const column = importance.indexOf(importance.reduce((a, b) => Math.max(a, b), 0));
  return importance[column] > 0 ? { column, share: importance[column] } : null;
}

/** Of the error without any question, the part that the shown tree leaves on its training rows. */
function remainingError() {
  const [now, none] = [currentAlpha(), Infinity].map((alpha) => quickMetrics(alpha, "train") || {});
  const key = ["cost", "error", "mse", "loss"].find((k) => now[k] !== undefined);
  return now[key] / none[key];
}

/** The column that may leak the target; null if none looks like it. Asked for by header, tab and panel of every step. */
export const currentLeak = computeOnce(() => {
  const found = strongestColumn();
  return found && found.share >= LEAK_SHARE && M.rows[0] >= LEAK_ROWS && remainingError() <= LEAK_ERROR ? found : null;
}, currentStep);

/** What is said of a column, and its share. @param {string} key @param {{column: number, share: number}} found @param {Record<string, string>} [more] */
const leakSentence = (key, { column, share }, more = {}) => t(key, { column: M.columns.name[column], share: fmtPercent(share), ...more });
export const leakText = (found) => leakSentence(M.regression ? "f_leak_number" : "f_leak", found);

/** That no leak was found, and why not; null where there is one, or nothing to judge. */
export function noLeakText() {
  const found = strongestColumn();
  if (!found || currentLeak()) return null;
  if (found.share < LEAK_SHARE) return leakSentence("no_leak", found);
  if (M.rows[0] < LEAK_ROWS) return leakSentence("no_leak_few", found, { n: fmtCount(M.rows[0]) });
  const left = remainingError();
  return Number.isFinite(left) ? leakSentence("no_leak_errs", found, { left: fmtPercent(left) }) : null;
}

/** Leaves of the shown tree with few rows. */
const smallLeaves = () => (M.hasRows ? terminalsAt(currentAlpha()).filter((e) => !e.rest && M.rows[e.node] < SMALL_LEAF).length : 0);

/** The findings as boxes. */
export function findingBoxes() {
  const leak = currentLeak(), small = M.steps[state.step].leaves > 2 ? smallLeaves() : 0;
  return [
    leak ? el("p", { class: "warn strong" }, leakText(leak)) : null,
    small ? el("p", { class: "warn" }, t("f_small", { n: fmtCount(small), rows: SMALL_LEAF })) : null,
  ].filter(Boolean);
}
