// The confidence of a node's prediction. A share of rows has Wilson's interval if all rows have the same weight. With
// class priors, the interval of the share is transformed to the probability. With weights there is none, because the
// effective number of rows is unknown. With costs, the prediction changes where both classes cost the same.

import { M } from "./model.js";
import { className, fmtCount, fmtNumber, fmtPercent, t } from "./format.js";

/** Wilson's 95 % interval of a share. @param {number} p @param {number} n @returns {[number, number]} */
export function wilson(p, n) {
  if (!(n > 0)) return [0, 1];
  const z = 1.959963984540054, zz = (z * z) / n;
  const middle = (p + zz / 2) / (1 + zz);
  const half = (z / (1 + zz)) * Math.sqrt((p * (1 - p)) / n + zz / (4 * n));
  return [p <= 0 ? 0 : Math.max(0, middle - half), p >= 1 ? 1 : Math.min(1, middle + half)];
}

/** 97.5 % quantile of Student's t (Hill's expansion; good to 3 digits, exact in the limit). */
function studentT(df) {
  const z = 1.959963984540054;
  const table = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
  if (df <= 10) return table[Math.max(Math.round(df), 1) - 1];
  return z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df * df);
}

/** Share of class k in the training rows, without priors. */
function countShare(i, k) {
  let total = 0;
  for (let c = 0; c < M.K; c++) total += M.counts[i * M.K + c];
  return M.counts[i * M.K + k] / total;
}

/** 95 % interval of the probability of class k; null if the rows do not determine one. @returns {[number, number]|null} */
function classInterval(i, k) {
  if (!M.hasRows || M.weighted || M.payload.smoothed) return null;
  if (!M.altered) return wilson(M.prob(i, k), M.rowMass[i]);
  if (M.clipped || !M.counts) return null;
  // Priors multiply the odds of class k by one factor, given the proportions of the other classes in this node.
  const factor = (c) => M.prob(0, c) / countShare(0, c);
  const share = countShare(i, k);
  let rest = 0;
  for (let c = 0; c < M.K; c++) if (c !== k) rest += countShare(i, c) * factor(c);
  const others = share < 1 ? rest / (1 - share) : (1 - M.prob(0, k)) / (1 - countShare(0, k));
  const [low, high] = wilson(share, M.rowMass[i]);
  const carried = (p) => (p * factor(k)) / (p * factor(k) + (1 - p) * others);
  return [carried(low), carried(high)];
}

/** 95 % interval of the mean. @returns {[number, number]|null} */
function meanInterval(i) {
  if (!M.hasRows || M.weighted || M.clipped || M.payload.smoothed || M.payload.criterion !== "squared_error" || M.rowMass[i] < 2) return null;
  const half = studentT(M.rowMass[i] - 1) * Math.sqrt(M.impurity[i] / (M.rowMass[i] - 1));
  return [M.value[i] - half, M.value[i] + half];
}

/** A note that the interval is optimistic, because its rows also chose the splits; honest leaves need none. */
const optimismNote = () => (M.payload.honest ? "" : ` (${t("optimistic")})`);

/** The interval of a node's prediction as text; null if there is none. */
export function intervalText(i) {
  const interval = M.regression ? meanInterval(i) : classInterval(i, M.answer[i]);
  if (!interval) return null;
  const [low, high] = interval.map((v) => (M.regression ? fmtNumber(v) : fmtPercent(v, 1)));
  return t(M.regression ? "interval_mean" : M.altered ? "interval_prob" : "interval", { low, high }) + optimismNote();
}

/** The confidence of a leaf in words; isUncertain: its interval includes another prediction; hasVerdict: starts with a verdict. @returns {{text: string, isUncertain: boolean, hasVerdict: boolean}|null} */
export function confidenceText(i) {
  if (!M.hasRows || (!M.regression && M.K < 2)) return null;
  return M.regression ? meanConfidence(i) : classConfidence(i);
}

function meanConfidence(i) {
  if (M.payload.criterion !== "squared_error") return null;
  const words = { n: fmtCount(M.rows[i]), sd: fmtNumber(Math.sqrt(M.impurity[i])), note: optimismNote() };
  const interval = meanInterval(i);
  const text = interval ? t("sure_mean", { ...words, low: fmtNumber(interval[0]), high: fmtNumber(interval[1]) })
    : M.clipped ? t("sure_value", words) : M.weighted ? t("sure_mean_weight", words) : M.rows[i] < 2 ? t("sure_mean_single") : null;
  return text && { text, isUncertain: false, hasVerdict: false };
}

function classConfidence(i) {
  const k = M.answer[i];
  const name = className(k);
  const said = probabilityText(i, k);
  const interval = classInterval(i, k);
  const limit = decisionThreshold(k);
  const costs = limit === null ? "" : " " + t("sure_limit", { name, limit: fmtPercent(limit) });
  if (M.cost && M.K > 2) return { text: `${capitalize(said)}. ${leastCostText(i, k)}`, isUncertain: false, hasVerdict: false };
  if (!interval) return { text: `${capitalize(said)}.${M.weighted ? " " + t("sure_weighted") : ""}${costs}`, isUncertain: false, hasVerdict: false };
  const words = { said, name, interval: t(M.payload.class_prior ? "word_interval_prior" : "word_interval") + optimismNote(), low: fmtPercent(interval[0]), high: fmtPercent(interval[1]) };
  if (M.K === 2) {
    const isUncertain = interval[0] <= (limit ?? 0.5);
    return { text: (isUncertain ? t("sure_no", { ...words, limit: fmtPercent(limit ?? 0.5) }) : t("sure_yes", words)) + costs, isUncertain, hasVerdict: true };
  }
  const other = runnerUpClass(i, k);
  const most = classInterval(i, other)[1];
  const isUncertain = interval[0] <= most;
  return { text: isUncertain ? t("sure_no_many", { ...words, other: className(other), to: fmtPercent(most) }) : t("sure_yes", words), isUncertain, hasVerdict: true };
}

/** Capitalize the first letter. @param {string} text */
const capitalize = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);
/** A note, with class priors, that a figure does not use them. */
export const sampleNote = () => (M.payload.class_prior ? ` (${t("of_sample")})` : "");

/** The probability of class k, and of what it is a share. */
function probabilityText(i, k) {
  const words = { name: className(k), share: fmtPercent(M.prob(i, k), 1), n: fmtCount(M.rowMass[i]) };
  if (!M.altered) return t(M.weighted ? "said_weight" : "said_rows", words);
  if (M.clipped || !M.counts) return t("said_tree", words);
  return t(M.weighted ? "said_prior_weight" : "said_prior", { ...words, rows: fmtPercent(countShare(i, k), 1) });
}

/** The most probable class other than k. */
function runnerUpClass(i, k) {
  let interval = k === 0 ? 1 : 0;
  for (let c = 0; c < M.K; c++) if (c !== k && M.prob(i, c) > M.prob(i, interval)) interval = c;
  return interval;
}

/** For two classes, the probability from which class k is predicted; null without costs, or if one class always wins. */
function decisionThreshold(k) {
  if (!M.cost || M.K !== 2) return null;
  const other = 1 - k;
  const wrong = M.cost[other * 2 + k] - M.cost[other * 2 + other], missed = M.cost[k * 2 + other] - M.cost[k * 2 + k];
  return wrong + missed > 0 ? wrong / (wrong + missed) : null;
}

/** The expected cost of the prediction, compared with the next. */
function leastCostText(i, k) {
  const cost = M.classes.map((_, said) => M.classes.reduce((sum, _, truth) => sum + M.prob(i, truth) * M.cost[truth * M.K + said], 0));
  const next = cost.map((_, c) => c).filter((c) => c !== k).sort((a, b) => cost[a] - cost[b])[0];
  return t("sure_cheapest", { cost: fmtNumber(cost[k], 3), other: className(next), more: fmtNumber(cost[next], 3) });
}

/** Class counts of the test rows at a node, and their sum. */
export function testCounts(i) {
  const counts = M.test.counts.subarray(i * M.K, (i + 1) * M.K);
  return { counts, n: counts.reduce((a, b) => a + b, 0) };
}

/** How many test rows of a leaf are predicted right. */
export function testRowsText(i) {
  if (!M.test || M.regression) return null;
  const { counts, n } = testCounts(i);
  const right = counts[M.answer[i]];
  return n ? t("tested_right", { right: fmtCount(right), n: fmtCount(n), share: fmtPercent(right / n, 1) }) + sampleNote() : null;
}

/** A warning if the training share of the predicted class is outside the interval of the test share (both without priors). */
export function trainTestGap(i) {
  if (!M.test || M.regression || !M.hasRows || M.weighted || M.clipped || !M.counts) return "";
  const k = M.answer[i];
  const { counts, n } = testCounts(i);
  if (n < 10) return "";
  const [low, high] = wilson(counts[k] / n, n);
  const p = countShare(i, k);
  return p < low || p > high ? t("drift", { train: fmtPercent(p), test: fmtPercent(counts[k] / n) }) + sampleNote() : "";
}
