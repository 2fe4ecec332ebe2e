// Tables of metrics: train and test, the shown and the fitted tree; and a glossary.

import { fmtRisk, isShare, riskName, displayRisk } from "../charts/prune_chart.js";
import { hasCosts, metricsAt, quickMetrics, sourceOf } from "../core/metrics.js";
import { M } from "../core/model.js";
import { wilson } from "../core/confidence.js";
import { className, fmtCount, fmtNumber, fmtPercent, formatter, hasText, stepText, t } from "../core/format.js";
import { el, glossary, segmented, dataTable } from "../page/dom.js";
import { currentAlpha, state, update } from "../page/state.js";

const METRICS = ["cost", "accuracy", "error", "balanced", "auc", "log_loss", "brier", "r2", "rmse", "bias", "loss"];
const SHARES = ["accuracy", "error", "balanced", "baseline"];

/** @param {string} key @param {number} value */
export function fmtMetric(key, value) {
  if (key === "log_loss" && value < 1e-12) return "0";
  return SHARES.includes(key) ? fmtPercent(value, 2) : fmtNumber(value);
}

/** The difference of two metrics; shares in percentage points. */
function fmtDifference(key, now, was) {
  // Shares are subtracted as displayed, so that a reader gets the same difference.
  const difference = SHARES.includes(key) ? (Math.round(now * 1e4) - Math.round(was * 1e4)) / 100 : now - was;
  const size = SHARES.includes(key) ? `${formatter("two", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(Math.abs(difference))} ${t("points")}` : fmtNumber(Math.abs(difference), 3);
  return difference === 0 ? "0" : (difference < 0 ? "−" : "+") + size;
}

/** The metric of the best constant prediction, and its name. @returns {{name: string, key: string, of: (source: string) => number|undefined}|null} */
export function baseline() {
  if (M.n === 1) return null;
  const key = M.regression ? "rmse" : hasCosts() ? "cost" : "accuracy";
  const name = M.regression ? t("m_baseline_rmse") : t(hasCosts() ? "m_baseline_cost" : "m_baseline", { name: className(M.answer[0]) });
  return { name, key: key === "accuracy" ? "baseline" : key, of: (source) => (quickMetrics(Infinity, source) || {})[key] };
}

/** The name of a metric; with class priors, noting whether it uses them. @param {string} [where] the name of train or test */
export function metricName(key, where = "") {
  const notes = [M.payload.class_prior ? t(key === "cost" ? "by_priors" : "of_sample") : "", where].filter(Boolean);
  const name = t("m_" + (key === "cost" && !M.cost ? "error" : key));
  return notes.length ? `${name} (${notes.join(", ")})` : name;
}

/** The rows of a table of metrics: key, name, and how to read the value. */
function metricRows(metrics) {
  const base = baseline();
  const keys = METRICS.filter((k) => metrics[0][k] !== undefined).map((k) => ({ key: k, name: metricName(k), of: (m) => m[k] }));
  if (base && base.of(metrics[0].source) !== undefined) keys.splice(M.regression ? 2 : 1, 0, { key: base.key, name: base.name, of: (m) => base.of(m.source) });
  return keys;
}

/** @returns {any} the metrics with the name of their source, or null */
const withSource = (alpha, source) => {
  const metrics = metricsAt(alpha, source);
  return metrics && { ...metrics, source };
};

/** Metrics of the training and the test rows. */
export function metricsTable(alpha) {
  const metrics = ["train", "test"].map((source) => withSource(alpha, source)).filter(Boolean);
  if (!metrics.length) return el("p", { class: "muted" }, t(M.clipped ? "no_figures" : "no_rows_known"));
  return el("div", {}, dataTable(["", ...metrics.map((m) => t(m.source))], [
    ...metricRows(metrics).map((row) => [row.name, ...metrics.map((m) => fmtMetric(row.key, row.of(m)))]),
    [t("rows"), ...metrics.map((m) => fmtCount(sourceOf(m.source).rows[0]))]], "metrics"), overfitNote(metrics) || "",
    M.payload.class_prior ? el("p", { class: "muted small-text" }, t("figures_priors")) : "",
    M.clipped ? el("p", { class: "muted small-text" }, t("no_figures")) : M.weighted && metrics[0].source === "train" ? el("p", { class: "muted small-text" }, t("figures_weighted")) : "");
}

const OVERFIT_GAP = 0.05; // of accuracy, or of R²
/** A warning if the training metric exceeds the test metric by more than chance. */
function overfitNote(metrics) {
  if (metrics.length < 2) return null;
  const key = M.regression ? "r2" : "accuracy";
  if (hasCosts()) return null; // accuracy is not what such a tree was grown for
  const [train, test] = metrics.map((m) => m[key]);
  if (!(train - test > OVERFIT_GAP) || (!M.regression && train <= wilson(test, metrics[1].n)[1])) return null;
  const format = (v) => `${M.regression ? "R²" : t("m_accuracy").toLocaleLowerCase()} ${M.regression ? fmtNumber(v, 3) : fmtPercent(v, 1)}`;
  return el("p", { class: "warn overfit" }, t("overfit", { train: format(train), test: format(test) }));
}

/** The selected source of rows if it is known, else the other one; "" if neither is. */
export const currentSource = () => (M.test && state.source === "test" ? "test" : sourceOf("train") ? "train" : M.test ? "test" : "");

/** Metrics of the shown and the fitted tree, for one source of rows. */
export function fittedComparison() {
  const source = currentSource();
  const [now, was] = [withSource(currentAlpha(), source), withSource(M.steps[M.start].alpha, source)];
  if (!now || !was) return el("p", { class: "muted" }, t(M.clipped ? "no_figures" : "no_rows_known"));
  const both = M.test && sourceOf("train");
  const [step, fitted] = [M.steps[state.step], M.steps[M.start]];
  const crossed = step.cv !== null && fitted.cv !== null ? [[`${riskName()} (${t("cross_validated")})`, fmtRisk(step.cv), fmtRisk(fitted.cv), isShare() ? fmtDifference("error", step.cv, fitted.cv) : fmtDifference("", displayRisk(step.cv), displayRisk(fitted.cv))]] : [];
  const rows = metricRows([now]).filter((row) => row.name !== (baseline() || {}).name)
    .map((row) => [row.name, fmtMetric(row.key, row.of(now)), fmtMetric(row.key, row.of(was)), fmtDifference(row.key, row.of(now), row.of(was))]);
  return el("div", {},
    both ? segmented(["train", "test"], source, (v) => update({ source: v }), t) : null,
    dataTable([both ? "" : t(source), stepText(state.step), `${t("fitted")}: ${fmtCount(fitted.leaves)}`, t("difference")], [...crossed, ...rows], "metrics against own"));
}

/** A glossary of the metrics that are shown. */
export function metricGlossary(alpha) {
  const metrics = metricsAt(alpha, "train") || metricsAt(alpha, "test");
  if (!metrics) return null;
  const keys = METRICS.filter((k) => metrics[k] !== undefined && hasText("g_" + k));
  return glossary([...keys.map((k) => [metricName(k), k === "cost" && !M.cost ? "g_error_priors" : "g_" + k]), ...(baseline() ? [[baseline().name.split(":")[0], "g_baseline"]] : []), ...(M.regression ? [] : [[t("lift"), "g_lift"]])]);
}
