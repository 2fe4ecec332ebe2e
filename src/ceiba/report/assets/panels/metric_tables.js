// Tables of quality: train beside test, the shown tree beside the fitted one, and what the words mean.

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

/** Difference of two figures; of shares in points. */
function fmtDifference(key, now, was) {
  // Of shares as they are shown, so that a reader who subtracts finds the same.
  const apart = SHARES.includes(key) ? (Math.round(now * 1e4) - Math.round(was * 1e4)) / 100 : now - was;
  const size = SHARES.includes(key) ? `${formatter("two", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(Math.abs(apart))} ${t("points")}` : fmtNumber(Math.abs(apart), 3);
  return apart === 0 ? "0" : (apart < 0 ? "−" : "+") + size;
}

/** The figure of the best guess without any question, and its name. @returns {{name: string, key: string, of: (source: string) => number|undefined}|null} */
export function baseline() {
  if (M.n === 1) return null;
  const key = M.regression ? "rmse" : hasCosts() ? "cost" : "accuracy";
  const name = M.regression ? t("m_baseline_rmse") : t(hasCosts() ? "m_baseline_cost" : "m_baseline", { name: className(M.answer[0]) });
  return { name, key: key === "accuracy" ? "baseline" : key, of: (source) => (quickMetrics(Infinity, source) || {})[key] };
}

/** The name of a figure; under class priors with the word whether it counts rows as they are or by the priors. @param {string} [where] train or test, in words */
export function metricName(key, where = "") {
  const notes = [M.payload.class_prior ? t(key === "cost" ? "by_priors" : "of_sample") : "", where].filter(Boolean);
  const name = t("m_" + (key === "cost" && !M.cost ? "error" : key));
  return notes.length ? `${name} (${notes.join(", ")})` : name;
}

/** Metrics of one source as rows of names with their figures. */
function metricRows(found) {
  const base = baseline();
  const keys = METRICS.filter((k) => found[0][k] !== undefined).map((k) => ({ key: k, name: metricName(k), of: (m) => m[k] }));
  if (base && base.of(found[0].source) !== undefined) keys.splice(M.regression ? 2 : 1, 0, { key: base.key, name: base.name, of: (m) => base.of(m.source) });
  return keys;
}

/** @returns {any} the metrics with the name of their source, or null */
const withSource = (alpha, source) => {
  const found = metricsAt(alpha, source);
  return found && { ...found, source };
};

/** Figures of train and test side by side. */
export function metricsTable(alpha) {
  const found = ["train", "test"].map((source) => withSource(alpha, source)).filter(Boolean);
  if (!found.length) return el("p", { class: "muted" }, t(M.clipped ? "no_figures" : "no_rows_known"));
  return el("div", {}, dataTable(["", ...found.map((m) => t(m.source))], [
    ...metricRows(found).map((row) => [row.name, ...found.map((m) => fmtMetric(row.key, row.of(m)))]),
    [t("rows"), ...found.map((m) => fmtCount(sourceOf(m.source).rows[0]))]], "metrics"), overfitNote(found) || "",
    M.payload.class_prior ? el("p", { class: "muted small-text" }, t("figures_priors")) : "",
    M.clipped ? el("p", { class: "muted small-text" }, t("no_figures")) : M.weighted && found[0].source === "train" ? el("p", { class: "muted small-text" }, t("figures_weighted")) : "");
}

const OVERFIT_GAP = 0.05; // of accuracy, or of R²
/** That the training figure flatters: by more than few test rows would show by chance. */
function overfitNote(found) {
  if (found.length < 2) return null;
  const key = M.regression ? "r2" : "accuracy";
  if (hasCosts()) return null; // accuracy is not what such a tree was grown for
  const [train, test] = found.map((m) => m[key]);
  if (!(train - test > OVERFIT_GAP) || (!M.regression && train <= wilson(test, found[1].n)[1])) return null;
  const say = (v) => `${M.regression ? "R²" : t("m_accuracy").toLocaleLowerCase()} ${M.regression ? fmtNumber(v, 3) : fmtPercent(v, 1)}`;
  return el("p", { class: "warn overfit" }, t("overfit", { train: say(train), test: say(test) }));
}

/** The rows chosen to be looked at, as far as they are known; "" if none are. */
export const currentSource = () => (M.test && state.source === "test" ? "test" : sourceOf("train") ? "train" : M.test ? "test" : "");

/** The shown tree beside the fitted one, for one source. */
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

/** Meanings of the metrics on show. */
export function metricGlossary(alpha) {
  const found = metricsAt(alpha, "train") || metricsAt(alpha, "test");
  if (!found) return null;
  const keys = METRICS.filter((k) => found[k] !== undefined && hasText("g_" + k));
  return glossary([...keys.map((k) => [metricName(k), k === "cost" && !M.cost ? "g_error_priors" : "g_" + k]), ...(baseline() ? [[baseline().name.split(":")[0], "g_baseline"]] : []), ...(M.regression ? [] : [[t("lift"), "g_lift"]])]);
}
