// The Model tab: how good the tree is and what it rests on, for the tree at the slider's step.

let curveKind = "roc", curveClass = 1, matrixKind = "count";

function modelPanel() {
  const source = sourceNow();
  const alpha = alphaNow();
  const ends = endsAt(alpha);
  const figures = source ? sourceOf(source) : null;
  return el("div", {},
    leakNow() ? el("p", { class: "warn strong" }, leakText(leakNow())) : null,
    section(t("quality"), metricsTable(alpha), metricGlossary(alpha)),
    section(t("importance"), importanceList(alpha)),
    M.test && sourceOf("train") ? el("div", { class: "row" }, el("span", { class: "muted" }, t("rows_below") + (M.payload.class_prior ? ` (${t("of_sample")})` : "")), segmented(["train", "test"], source, (v) => update({ source: v }), t)) : null,
    figures && !M.regression ? section(t("confusion"), confusionView(figures, ends)) : null,
    figures && !M.regression && M.K >= 2 ? section(t("curves"), curveView(figures, ends)) : null,
    figures && !M.regression && M.test ? section(t("calibration"), calibrationView(ends)) : null,
    M.regression && figures && figures.mean ? section(t("observed_predicted"), residualView(figures, ends)) : null,
    section(t("leaf_table"), leafTable(ends)));
}

function segmented(values, now, run, label) {
  return el("div", { class: "segmented", role: "group" }, values.map((v) =>
    el("button", { type: "button", "aria-pressed": String(v === now), onclick: () => run(v) }, label(v))));
}

function importanceList(alpha) {
  const worth = importanceAt(alpha);
  const order = M.columns.name.map((_, j) => j).filter((j) => worth[j] > 0).sort((a, b) => worth[b] - worth[a]);
  if (!order.length) return el("p", { class: "muted" }, t("only_root"));
  const none = M.columns.name.filter((_, j) => !(worth[j] > 0));
  return el("div", { class: "importance" }, barList(order.slice(0, 15).map((j) => ({ name: M.columns.name[j], share: worth[j], text: fmtPercent(worth[j], 1) }))),
    order.length > 15 ? el("p", { class: "muted" }, t("more_columns", { n: order.length - 15 })) : null,
    none.length ? el("p", { class: "muted none" }, t("importance_none", { names: listed(none.map((name) => elide(name, 200, 13)), 20) })) : null,
    el("p", { class: "muted small-text" }, t("importance_hint")));
}

function confusionView(figures, ends) {
  return el("div", {}, segmented(M.cost ? ["count", "share", "cost"] : ["count", "share"], matrixKind, (v) => { matrixKind = v; renderPanel(); }, (v) => t("cells_" + v)), confusionTable(figures, ends));
}

function confusionTable(figures, ends) {
  const all = confusionAt(figures, ends);
  const order = M.classes.map((_, k) => k);
  const totals = all.map((row) => row.reduce((a, b) => a + b, 0));
  if (M.K > 12) order.sort((a, b) => totals[b] - totals[a]);
  const shown = order.slice(0, 12);
  const cell = (truth, said) => {
    const n = all[truth][said];
    const share = totals[truth] ? n / totals[truth] : 0;
    const text = matrixKind === "count" ? fmtCount(n) : matrixKind === "share" ? (totals[truth] ? fmtPercent(share) : "–") : fmtNumber(n * costOf(truth, said));
    const td = el("td", { class: truth === said ? "num right-answer" : "num" }, text);
    const fill = mix(rgb(ink.text), ink.paperRgb, 0.4 * share); // no hue: hues are classes
    td.style.background = css(fill);
    td.style.color = textOn(fill);
    return td;
  };
  return el("div", {}, el("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("confusion") }, el("table", { class: "figures matrix" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, (M.bare && M.target ? M.target + ": " : "") + t("truth") + " ↓  " + t("predicted") + " →"), shown.map((k) => el("th", { scope: "col", class: "num" }, M.classes[k])))),
      el("tbody", {}, shown.map((k) => el("tr", {}, el("th", { scope: "row" }, M.classes[k]), shown.map((s) => cell(k, s))))))),
    el("p", { class: "muted small-text" }, t("matrix_hint")),
    M.K > 12 ? el("p", { class: "muted" }, t("more_classes", { n: M.K - 12 })) : null);
}

function curveView(figures, ends) {
  if (curveClass >= M.K) curveClass = 0;
  const found = rocAt(figures, ends, curveClass);
  const isRoc = curveKind === "roc";
  const points = isRoc ? found.roc : found.pr;
  const f = frame({
    x: [0, 1], y: [0, 1], xLabel: t(isRoc ? "false_positive" : "recall"), yLabel: t(isRoc ? "true_positive" : "precision"), label: t(isRoc ? "roc" : "pr"),
    xFormat: (v) => fmtPercent(v), yFormat: (v) => fmtPercent(v),
  });
  const base = isRoc ? [[0, 0], [1, 1]] : [[0, found.positive], [1, found.positive]];
  f.layer.append(sv("path", { d: pathOf(base.map(([x, y]) => [f.sx(x), f.sy(y)])), class: "limit" }));
  if (points.length) f.layer.append(sv("path", { d: pathOf(points.map(([x, y]) => [f.sx(x), f.sy(y)])), class: "line cv" }));
  if (points.length <= 80) for (const [x, y] of points) f.layer.append(sv("circle", { cx: f.sx(x), cy: f.sy(y), r: 2.5, class: "cv-dot" }));
  const picker = el("select", { "aria-label": t("class") }, M.classes.map((_, k) => el("option", { value: k }, className(k))));
  picker.value = String(curveClass);
  picker.addEventListener("change", () => {
    curveClass = Number(picker.value);
    renderPanel();
  });
  return el("div", {}, el("div", { class: "row" }, segmented(["roc", "pr"], curveKind, (v) => { curveKind = v; renderPanel(); }, t), el("label", { class: "inline" }, t("class") + " ", picker)), f.svg,
    el("p", {}, isRoc ? `AUC ${fmtNumber(found.area)}` : `${t("average_precision")} ${fmtNumber(found.average)}`),
    tableLater(t("as_table"), () => tableOf([t(isRoc ? "false_positive" : "recall"), t(isRoc ? "true_positive" : "precision")], points.slice(0, 500).map(([x, y]) => [fmtPercent(x, 1), fmtPercent(y, 1)]))));
}

/** Said in training against seen in test, one bubble per leaf. */
function calibrationView(ends) {
  const k = Math.min(curveClass, M.K - 1);
  const f = frame({ x: [0, 1], y: [0, 1], xLabel: t("said_share", { name: elide(className(k), 120, 11) }), yLabel: t("seen_share"), label: t("calibration"), xFormat: (v) => fmtPercent(v), yFormat: (v) => fmtPercent(v) });
  f.layer.append(sv("path", { d: pathOf([[f.sx(0), f.sy(0)], [f.sx(1), f.sy(1)]]), class: "limit" }));
  const total = M.test.rows[0] || 1;
  const bubbles = ends.map((end) => {
    const c = endCounts(M.test.counts, end);
    return { end, n: c.reduce((a, b) => a + b, 0), yes: c[k] };
  }).filter((b) => b.n > 0).sort((a, b) => b.n - a.n);
  for (const { end, n, yes } of bubbles) {
    const p = M.prob(end.node, k);
    const [low, high] = wilson(yes / n, n);
    if (bubbles.length <= 60) f.layer.append(sv("line", { x1: f.sx(p), x2: f.sx(p), y1: f.sy(low), y2: f.sy(high), class: "error-bar" }));
    const dot = sv("circle", { cx: f.sx(p), cy: f.sy(yes / n), r: 2 + 12 * Math.sqrt(n / total), class: "bubble", onclick: () => reveal(end.node) });
    dot.append(sv("title", {}, `#${numberOf(end.node)}: ${fmtPercent(p, 1)} → ${fmtPercent(yes / n, 1)}, n ${fmtCount(n)}`));
    f.layer.append(dot);
  }
  return el("div", {}, f.svg, el("p", { class: "muted small-text" }, t("calibration_hint") + (M.weighted || M.altered ? " " + t("calibration_altered") : "")),
    tableLater(t("as_table"), () => tableOf([t("leaf"), t("said_share", { name: className(k) }), t("seen_share"), t("test_rows")],
      bubbles.slice(0, 500).map(({ end, n, yes }) => [`#${numberOf(end.node)}`, fmtPercent(M.prob(end.node, k), 1), fmtPercent(yes / n, 1), fmtCount(n)]))));
}

function residualView(figures, ends) {
  const points = ends.map((end) => ({ end, ...endMoments(figures, end) })).filter((p) => p.w > 0);
  const values = points.flatMap((p) => [M.value[p.end.node], p.mean]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = 0.05 * (high - low || 1);
  const f = frame({ x: [low - pad, high + pad], y: [low - pad, high + pad], xLabel: t("predicted"), yLabel: t("observed"), label: t("observed_predicted") });
  f.layer.append(sv("path", { d: pathOf([[f.sx(low), f.sy(low)], [f.sx(high), f.sy(high)]]), class: "limit" }));
  const total = figures.weight[0];
  for (const p of points.sort((a, b) => b.w - a.w)) {
    const x = f.sx(M.value[p.end.node]);
    const sd = Math.sqrt(p.variance);
    if (points.length <= 60) f.layer.append(sv("line", { x1: x, x2: x, y1: Math.max(f.sy(p.mean + sd), f.box.top), y2: Math.min(f.sy(p.mean - sd), f.box.bottom), class: "error-bar" }));
    const dot = sv("circle", { cx: x, cy: f.sy(p.mean), r: 2 + 12 * Math.sqrt(p.w / total), class: "bubble", onclick: () => reveal(p.end.node) });
    dot.append(sv("title", {}, `#${numberOf(p.end.node)}: ${fmtNumber(M.value[p.end.node])} → ${fmtNumber(p.mean)} ± ${fmtNumber(sd)}`));
    f.layer.append(dot);
  }
  return el("div", {}, f.svg, el("p", { class: "muted small-text" }, t("residual_hint")),
    tableLater(t("as_table"), () => tableOf([t("leaf"), t("predicted"), t("observed"), t("deviation")],
      points.slice(0, 500).map((p) => [`#${numberOf(p.end.node)}`, fmtNumber(M.value[p.end.node]), fmtNumber(p.mean), fmtNumber(Math.sqrt(p.variance))]))));
}
