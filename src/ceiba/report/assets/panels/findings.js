// What a careful reader would be told first, of the shown tree: a column that may leak the target,
// leaves of few rows. A leak is suspected when splits on one column alone do nearly all the work and
// the tree is nearly free of error on its training rows (rain predicted from the millimetres that
// fell). That is a question to the reader, not a verdict: some problems are that easy.

import { endsAt, importanceAt, quickMetrics } from "../core/metrics.js";
import { M, once } from "../core/model.js";
import { fmtCount, fmtPercent, t } from "../core/words.js";
import { el } from "../page/dom.js";
import { alphaNow, isEnd, state, stepNow } from "../page/state.js";

const LEAK_SHARE = 0.9; // of the importance, by one column
const LEAK_LEFT = 0.02; // of the error without any question
const LEAK_ROWS = 20;
const SMALL_LEAF = 5;

/** The column with the most importance in the shown tree; null where no one asks, or it is not known. @returns {{column: number, share: number}|null} */
function strongestNow() {
  if (!M.known || M.payload.n_outputs > 1 || isEnd(0)) return null;
  const worth = importanceAt(alphaNow());
  const column = worth.indexOf(worth.reduce((a, b) => Math.max(a, b), 0));
  return worth[column] > 0 ? { column, share: worth[column] } : null;
}

/** Of the error without any question, the part that the shown tree leaves on its training rows. */
function errorLeft() {
  const [now, none] = [alphaNow(), Infinity].map((alpha) => quickMetrics(alpha, "train") || {});
  const key = ["cost", "error", "mse", "loss"].find((k) => now[k] !== undefined);
  return now[key] / none[key];
}

/** The column that may leak the target; null if none looks like it. Asked for by header, tab and panel of every step. */
export const leakNow = once(() => {
  const found = strongestNow();
  return found && found.share >= LEAK_SHARE && M.rows[0] >= LEAK_ROWS && errorLeft() <= LEAK_LEFT ? found : null;
}, stepNow);

/** What is said of a column, and its share. @param {string} key @param {{column: number, share: number}} found @param {Record<string, string>} [more] */
const leakWords = (key, { column, share }, more = {}) => t(key, { column: M.columns.name[column], share: fmtPercent(share), ...more });
export const leakText = (found) => leakWords(M.regression ? "f_leak_number" : "f_leak", found);

/** That no leak was found, and why not; null where there is one, or nothing to judge. */
export function noLeakText() {
  const found = strongestNow();
  if (!found || leakNow()) return null;
  if (found.share < LEAK_SHARE) return leakWords("no_leak", found);
  if (M.rows[0] < LEAK_ROWS) return leakWords("no_leak_few", found, { n: fmtCount(M.rows[0]) });
  const left = errorLeft();
  return Number.isFinite(left) ? leakWords("no_leak_errs", found, { left: fmtPercent(left) }) : null;
}

/** Leaves of the shown tree with few rows. */
const smallLeaves = () => (M.known ? endsAt(alphaNow()).filter((e) => !e.rest && M.rows[e.node] < SMALL_LEAF).length : 0);

/** The findings as boxes. */
export function findingBoxes() {
  const leak = leakNow(), small = M.steps[state.step].leaves > 2 ? smallLeaves() : 0;
  return [
    leak ? el("p", { class: "warn strong" }, leakText(leak)) : null,
    small ? el("p", { class: "warn" }, t("f_small", { n: fmtCount(small), rows: SMALL_LEAF })) : null,
  ].filter(Boolean);
}
