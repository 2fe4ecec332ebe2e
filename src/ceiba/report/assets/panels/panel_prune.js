// The Prune tab: a slider along the pruning sequence, below the cross-validation curve; the tree, the
// icicle and all metrics follow at once.

import { fmtRisk, fmtRiskSe, lastAvailable, oneSe, moveStepLine, pruneChart, pruneLegend, riskName, stepAt } from "../charts/prune_chart.js";
import { stepOfRow, stepPosition } from "../charts/prune_chart.js";
import { hasCosts, quickMetrics } from "../core/metrics.js";
import { M } from "../core/model.js";
import { fmtCount, fmtNumber, stepText, t } from "../core/format.js";
import { byId, copyButton, el, glossary, lazyTable, dataTable } from "../page/dom.js";
import { isPreview, state, update } from "../page/state.js";
import { fittedComparison, fmtMetric, metricName, metricsTable } from "./metric_tables.js";

export function prunePanel() {
  if (M.steps.length < 2) return el("p", { class: "muted" }, t(M.n === 1 ? "only_root" : "no_risks"));
  return el("div", {},
    el("p", { class: "muted" }, t("prune_hint")),
    pruneSlider(), el("div", { id: "prune-figures" }, pruneFigures()), stepsTable(),
    glossary([["α", "g_alpha"], ...(M.payload.pruning.cv_risk ? [[t("cross_validated"), "g_cv"], [t("se"), "g_se"], [oneSe(), "g_one_se"]] : [])]));
}

function pruneSlider() {
  const range = el("input", { type: "range", id: "prune-slider", min: 0, max: 1, step: "any", "aria-label": t("number_of_leaves") });
  placeSlider(range);
  const holder = el("div", { id: "prune-chart" }, pruneChart());
  range.addEventListener("input", () => {
    update({ step: stepAt(Number(range.value)) });
    placeSlider(range);
  });
  // Keys step from tree to tree, not along the scale.
  range.addEventListener("keydown", (e) => {
    const move = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity }[e.key];
    if (move === undefined) return;
    e.preventDefault();
    update({ step: lastAvailable(Math.min(Math.max(state.step + move, 0), M.steps.length - 1)) });
  });
  const lost = M.steps.some((s) => !s.isAvailable);
  return el("div", { class: "prune" }, holder, range,
    pruneLegend(), jumpButtons(), lost ? el("p", { class: "muted" }, t("larger_not_kept")) : null);
}

/** Move the knob to the current step. @param {any} range */
function placeSlider(range) {
  range.value = String(stepPosition(state.step));
  range.setAttribute("aria-valuetext", stepText(state.step));
}

function jumpButtons() {
  const p = M.payload.pruning;
  const go = (label, step) => step >= 0 && M.steps[step].isAvailable
    ? el("button", { class: "small", onclick: () => update({ step }) }, label) : null;
  return el("div", { class: "row" }, go(t("as_fitted"), M.start),
    p.cv_risk ? go(t("cv_minimum"), stepOfRow(p.minimum)) : null, p.cv_risk ? go(oneSe(), stepOfRow(p.one_se)) : null, go(t("one_question"), M.steps.findIndex((s) => s.leaves > 1)));
}

/** The shortest number between this alpha and the next: all of them give this tree. */
function shortAlpha(k) {
  const alpha = M.steps[k].alpha;
  const larger = M.payload.pruning.alpha.filter((a) => a > alpha);
  const next = larger.length ? Math.min(...larger) : Infinity;
  for (let digits = 2; digits < 17; digits++) {
    const size = 10 ** (Math.floor(Math.log10(alpha || 1)) + 1 - digits);
    const up = Number((Math.ceil(alpha / size) * size).toPrecision(digits));
    if (up >= alpha && up < next) return up;
  }
  return alpha;
}

/** The metrics of the shown and the fitted tree, as a sentence. */
function tradeOffText() {
  const now = M.steps[state.step], was = M.steps[M.start];
  const figures = [];
  const where = M.test ? "test" : "train";
  const [a, b] = [quickMetrics(now.alpha, where), quickMetrics(was.alpha, where)];
  const key = M.regression ? "rmse" : hasCosts() ? "cost" : "accuracy";
  if (a && b && a[key] !== undefined) figures.push(t("trade_figure", { name: metricName(key, t(where)), value: fmtMetric(key, a[key]), was: fmtMetric(key, b[key]) }));
  if (now.cv !== null && was.cv !== null) figures.push(t("trade_figure", { name: `${riskName()} (${t("cross_validated")})`, value: fmtRisk(now.cv), was: fmtRisk(was.cv) }));
  return figures.length ? t("trade", { now: stepText(state.step), fitted: fmtCount(was.leaves), figures: figures.join("; ") }) : "";
}

export function pruneFigures() {
  const s = M.steps[state.step];
  const p = M.payload.pruning;
  const trial = isPreview();
  const code = s.alpha < 0 ? "" : p.kind === "impurity" || (M.regression && p.unit === "squared_error") ? `ccp_alpha=${shortAlpha(state.step)}` : `prune=CostComplexity(alpha=${shortAlpha(state.step)})`;
  return [
    el("p", { class: "answer" }, el("strong", {}, stepText(state.step)), s.alpha >= 0 ? el("span", { class: "muted" }, `  α = ${fmtNumber(s.alpha)}`) : el("span", { class: "muted" }, "  " + t("as_grown")),
      !trial && s.cv !== null && s.cv !== undefined ? el("span", {}, ` · ${riskName()} (${t("cross_validated")}) ${fmtRisk(s.cv)} ± ${fmtRiskSe(s)}`) : null),
    trial && tradeOffText() ? el("p", { class: "flip", id: "trade" }, tradeOffText()) : null,
    trial ? fittedComparison() : metricsTable(s.alpha),
    code ? el("div", { class: "row" }, el("code", {}, code), copyButton(t("copy"), code)) : null,
  ];
}

/** Show another step in the open tab. @param {Set<string>} changed */
export function showStep(changed) {
  if (!changed.has("step")) return;
  moveStepLine();
  byId("prune-figures").replaceChildren(...pruneFigures().filter(Boolean));
  placeSlider(byId("prune-slider"));
}

/** The chart as a table. */
function stepsTable() {
  const p = M.payload.pruning;
  return lazyTable(t("all_steps"), () => dataTable([t("leaves"), "α", riskName(), ...(p.cv_risk ? [t("cross_validated"), "±"] : [])],
    M.steps.slice(-200).reverse().map((x) => [fmtCount(x.leaves), x.alpha < 0 ? "–" : fmtNumber(x.alpha), x.risk === null || M.clipped ? "–" : fmtRisk(x.risk), ...(p.cv_risk ? (x.cv === null ? ["–", "–"] : [fmtRisk(x.cv), fmtRiskSe(x)]) : [])])));
}
