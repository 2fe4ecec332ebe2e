// The Prune tab: a slider along the pruning sequence, on the cross-validation curve; the tree, the
// icicle and all figures follow at once.

function prunePanel() {
  if (M.steps.length < 2) return el("p", { class: "muted" }, t(M.n === 1 ? "only_root" : "no_risks"));
  return el("div", {},
    el("p", { class: "muted" }, t("prune_hint")),
    pruneSlider(), el("div", { id: "prune-figures" }, pruneFigures()), stepsTable());
}

function pruneSlider() {
  const last = M.steps.length - 1;
  const range = el("input", { type: "range", id: "prune-slider", min: 0, max: last, step: 1, "aria-label": t("number_of_leaves") });
  range.value = String(state.step);
  range.setAttribute("aria-valuetext", stepText(state.step));
  const holder = el("div", { id: "prune-chart" }, pruneChart());
  range.addEventListener("input", () => {
    let step = Number(range.value);
    while (step > 0 && !M.steps[step].there) step--;
    if (step !== Number(range.value)) range.value = String(step);
    update({ step });
    range.setAttribute("aria-valuetext", stepText(step));
  });
  const lost = M.steps.some((s) => !s.there);
  return el("div", { class: "prune" }, holder, range,
    el("div", { class: "row spread ends" }, el("span", { class: "muted" }, t("simple")), el("span", { class: "muted" }, t("complex"))), pruneLegend(),
    jumpButtons(), lost ? el("p", { class: "muted" }, t("larger_not_kept")) : null);
}

const stepText = (k) => t("n_leaves", { n: fmtCount(M.steps[k].leaves) });
const stepOfRow = (row) => M.steps.findIndex((s) => s.row === row);

function jumpButtons() {
  const p = M.payload.pruning;
  const go = (label, step) => step >= 0 && M.steps[step].there
    ? el("button", { type: "button", class: "small", onclick: () => { update({ step }); renderPanel(); } }, label) : null;
  const asIs = M.steps.findIndex((s) => s.asIs);
  return el("div", { class: "row" }, go(t("as_fitted"), startStep() >= 0 ? startStep() : asIs),
    p.cv_risk ? go(t("cv_minimum"), stepOfRow(p.minimum)) : null, p.cv_risk ? go("1-SE", stepOfRow(p.one_se)) : null, go(t("one_question"), M.steps.findIndex((s) => s.leaves > 1)));
}

/** The step the page opens with: the chosen alpha, or the tree as it is. */
function startStep() {
  const p = M.payload.pruning;
  const asIs = M.steps.findIndex((s) => s.asIs);
  if (!p || p.start === null) return asIs;
  let found = -1;
  M.steps.forEach((s, k) => {
    if (s.there && s.alpha >= 0 && s.alpha <= p.start && (found < 0 || s.alpha > M.steps[found].alpha)) found = k;
  });
  return found < 0 ? asIs : found;
}

/** Moves the line of the chart to the step; the chart itself does not change. */
let placeNow = () => {};

function pruneChart() {
  const p = M.payload.pruning;
  const steps = M.steps;
  const last = steps.length - 1;
  const asRisk = (k) => steps[k].risk ?? steps[k - 1]?.risk ?? 0;
  let high = 0, low = Infinity;
  const test = testRisks();
  steps.forEach((s, k) => {
    high = Math.max(high, asRisk(k), s.cv !== null ? s.cv + s.se : 0, test ? test[k] ?? 0 : 0);
    low = Math.min(low, asRisk(k), s.cv !== null ? s.cv - s.se : Infinity, test ? test[k] ?? Infinity : Infinity);
  });
  low = Math.max(0, low - 0.05 * (high - low));
  const every = Math.max(1, Math.ceil(steps.length / 8));
  const xTicks = steps.map((_, k) => k).filter((k) => k === last || (k % every === 0 && last - k >= every * 0.8));
  const f = frame({
    width: 400, height: 230, x: [0, last], y: [low, high * 1.04], left: 64, xTicks, xFormat: (k) => fmtCount(steps[k].leaves),
    xLabel: t("number_of_leaves"), yLabel: riskName(), label: t("prune_chart"),
  });
  const line = (value, kind) => {
    const points = steps.map((_, k) => [k, value(k)]).filter(([, v]) => v !== null && v !== undefined && Number.isFinite(v));
    f.layer.append(sv("path", { d: pathOf(points.map(([k, v]) => [f.sx(k), f.sy(v)])), class: "line " + kind }));
    return points;
  };
  line(asRisk, "train");
  if (test) line((k) => test[k], "test");
  if (p.cv_risk) {
    steps.forEach((s, k) => s.cv !== null && f.layer.append(sv("line", { x1: f.sx(k), x2: f.sx(k), y1: f.sy(s.cv - s.se), y2: f.sy(s.cv + s.se), class: "error-bar" + (s.there ? "" : " lost") })));
    const points = line((k) => steps[k].cv, "cv");
    if (steps.length <= 60) for (const [k, v] of points) f.layer.append(sv("circle", { cx: f.sx(k), cy: f.sy(v), r: 3, class: "cv-dot" + (steps[k].there ? "" : " lost") }));
    const best = stepOfRow(p.minimum);
    const limit = p.cv_risk[p.minimum] + p.cv_se[p.minimum];
    f.layer.append(sv("line", { x1: f.box.left, x2: f.box.right, y1: f.sy(limit), y2: f.sy(limit), class: "limit" }));
    for (const [step, name] of /** @type {[number, string][]} */ ([[best, "min"], [stepOfRow(p.one_se), "1-SE"]])) {
      if (step < 0) continue;
      f.layer.append(sv("circle", { cx: f.sx(step), cy: f.sy(steps[step].cv), r: 6, class: "mark" }), chartText(f.sx(step), f.sy(steps[step].cv + steps[step].se) - (name === "min" && Math.abs(f.sx(best) - f.sx(stepOfRow(p.one_se))) < 36 ? 24 : 11), best === stepOfRow(p.one_se) ? "min = 1-SE" : name, "middle", "strong"));
      if (best === stepOfRow(p.one_se)) break;
    }
  }
  f.layer.append(sv("line", { id: "prune-now", y1: f.box.top, y2: f.box.bottom, class: "now" }));
  placeNow = () => {
    const line = document.getElementById("prune-now") || f.layer.lastChild;
    line.setAttribute("x1", f.sx(state.step));
    line.setAttribute("x2", f.sx(state.step));
  };
  placeNow();
  f.svg.addEventListener("click", (e) => {
    const r = f.svg.getBoundingClientRect();
    const x = ((e.clientX - r.left) / r.width) * 400;
    let step = Math.round(((x - f.box.left) / (f.box.right - f.box.left)) * last);
    step = Math.min(Math.max(step, 0), last);
    while (step > 0 && !steps[step].there) step--;
    update({ step });
  });
  return f.svg;
}

function pruneLegend() {
  const items = [["var(--muted)", t("train")]];
  if (M.payload.pruning.cv_risk) items.push(["var(--accent)", t("cross_validated")]);
  if (testRisks()) items.push(["var(--path)", t("test")]);
  return legend(items);
}

/** The shortest number from this alpha to below the next: all of them give this tree. */
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

let testRiskCache = null;
/** Risk of every step on the test rows, in the unit of the curve; null if not known. */
function testRisks() {
  if (!M.test || M.payload.pruning.kind !== "cost" || M.payload.class_prior) return null;
  if (testRiskCache) return testRiskCache;
  const steps = M.steps.map((_, k) => k).filter((k) => M.steps[k].there).reverse();
  const risk = (end) => {
    if (M.regression) {
      if (M.test.loss) return end.rest ? 0 : M.test.weight[end.node] * M.test.loss[end.node] || 0;
      const { w, mean, variance } = endMoments(M.test, end);
      return w ? w * (variance + (mean - M.value[end.node]) ** 2) : 0;
    }
    const said = M.answer[end.node];
    return endCounts(M.test.counts, end).reduce((sum, n, k) => sum + n * (M.cost ? M.cost[k * M.K + said] : k === said ? 0 : 1), 0);
  };
  const sums = sumsAt(M, steps.map((k) => M.steps[k].alpha), (node) => risk({ node, rest: false }), (node) => risk({ node, rest: true }));
  const total = M.regression ? M.test.weight[0] : M.test.counts.subarray(0, M.K).reduce((a, b) => a + b, 0);
  testRiskCache = M.steps.map(() => null);
  steps.forEach((k, at) => (testRiskCache[k] = total ? Math.max(sums[at], 0) / total : null));
  return testRiskCache;
}

function riskName() {
  const unit = M.payload.pruning.unit;
  return t({ error: "risk_error", cost: "risk_cost", impurity: "risk_impurity", squared_error: "risk_squared", absolute_error: "risk_absolute", poisson: "risk_poisson" }[unit] || "risk_error");
}

const METRICS = ["accuracy", "error", "cost", "balanced", "auc", "log_loss", "brier", "r2", "rmse", "mse", "bias", "loss"];

/** Figures of train and test side by side. */
function metricsTable(alpha) {
  const train = metricsAt(alpha, "train"), test = metricsAt(alpha, "test");
  if (!train && !test) return el("p", { class: "muted" }, t("no_rows_known"));
  const keys = METRICS.filter((k) => (train || test)[k] !== undefined);
  const show = (m, k) => (!m ? "–" : k === "log_loss" && m[k] < 1e-12 ? "0" : ["accuracy", "error", "balanced"].includes(k) ? fmtPercent(m[k], 2) : fmtNumber(m[k]));
  const head = ["", ...(train ? [t("train")] : []), ...(test ? [t("test")] : [])];
  return tableOf(head, [...keys.map((k) => [t("m_" + k), ...(train ? [show(train, k)] : []), ...(test ? [show(test, k)] : [])]),
    [t("rows"), ...(train ? [fmtCount(train.n)] : []), ...(test ? [fmtCount(test.n)] : [])]], "metrics");
}

function pruneFigures() {
  const s = M.steps[state.step];
  const p = M.payload.pruning;
  const code = s.alpha < 0 ? "" : p.kind === "impurity" || (M.regression && p.unit === "squared_error") ? `ccp_alpha=${shortAlpha(state.step)}` : `prune=CostComplexity(alpha=${shortAlpha(state.step)})`;
  return [
    el("p", { class: "answer" }, el("strong", {}, stepText(state.step)), s.alpha >= 0 ? el("span", { class: "muted" }, `  α = ${fmtNumber(s.alpha)}`) : el("span", { class: "muted" }, "  " + t("as_grown")),
      s.cv !== null && s.cv !== undefined ? el("span", {}, ` · ${t("cross_validated")} ${fmtNumber(s.cv)} ± ${fmtNumber(s.se, 2)}`) : null),
    code ? el("div", { class: "row" }, el("code", {}, code), copyButton(t("copy"), code)) : null,
    metricsTable(s.alpha),
  ];
}

/** The chart as a table. */
function stepsTable() {
  const p = M.payload.pruning;
  return tableLater(t("all_steps"), () => tableOf([t("leaves"), "α", riskName(), ...(p.cv_risk ? [t("cross_validated"), "±"] : [])],
    M.steps.slice(-200).reverse().map((x) => [fmtCount(x.leaves), x.alpha < 0 ? "–" : fmtNumber(x.alpha), fmtNumber(x.risk), ...(p.cv_risk ? [fmtNumber(x.cv), fmtNumber(x.se, 2)] : [])])));
}
