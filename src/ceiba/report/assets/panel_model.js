// The Model tab: how good the tree is and what it rests on, for the tree at the slider's step.

let sortBy = "rows", sortUp = false, leavesShown = 50, curveKind = "roc", curveClass = 1, matrixKind = "count";

function modelPanel() {
  const source = M.test && state.source === "test" ? "test" : sourceOf("train") ? "train" : M.test ? "test" : "";
  const alpha = alphaNow();
  const ends = endsAt(alpha);
  const figures = source ? sourceOf(source) : null;
  return el("div", {},
    M.test && sourceOf("train") ? segmented(["train", "test"], source, (v) => update({ source: v }), t) : null,
    section(t("quality"), metricsTable(alpha)),
    section(t("importance"), importanceList(alpha)),
    figures && !M.regression ? section(t("confusion"), confusionView(figures, ends)) : null,
    figures && !M.regression && M.K >= 2 ? section(t("curves"), curveView(figures, ends)) : null,
    figures && !M.regression && M.test ? section(t("calibration"), calibrationView(ends)) : null,
    M.regression && figures && figures.mean ? section(t("observed_predicted"), residualView(figures, ends)) : null,
    section(t("leaf_table"), leafTable(ends)));
}

function segmented(values, now, run, label) {
  return el("div", { class: "segmented", role: "group" }, values.map((v) =>
    el("button", { type: "button", "aria-pressed": String(v === now), onclick: () => { run(v); renderPanel(); } }, label(v))));
}

function importanceList(alpha) {
  const worth = importanceAt(alpha);
  const order = M.columns.name.map((_, j) => j).filter((j) => worth[j] > 0).sort((a, b) => worth[b] - worth[a]);
  if (!order.length) return el("p", { class: "muted" }, t("only_root"));
  const most = worth[order[0]];
  return el("div", {}, barList(order.slice(0, 15).map((j) => ({ name: M.columns.name[j], share: worth[j] / most, text: fmtPercent(worth[j], 1) }))),
    order.length > 15 ? el("p", { class: "muted" }, t("more_columns", { n: order.length - 15 })) : null,
    el("p", { class: "muted small-text" }, t("importance_hint")));
}

function confusionView(figures, ends) {
  const all = confusionAt(figures, ends);
  const order = M.classes.map((_, k) => k);
  const totals = all.map((row) => row.reduce((a, b) => a + b, 0));
  if (M.K > 12) order.sort((a, b) => totals[b] - totals[a]);
  const shown = order.slice(0, 12);
  const cell = (truth, said) => {
    const n = all[truth][said];
    const share = totals[truth] ? n / totals[truth] : 0;
    const text = matrixKind === "count" ? fmtCount(n) : matrixKind === "share" ? (totals[truth] ? fmtPercent(share) : "–") : fmtNumber(n * (M.cost ? M.cost[truth * M.K + said] : truth === said ? 0 : 1));
    const td = el("td", { class: "num" }, text);
    const colour = truth === said ? rgb("#228833") : rgb("#EE6677");
    const fill = mix(colour, ink.paperRgb, 0.75 * share);
    td.style.background = css(fill);
    td.style.color = textOn(fill);
    return td;
  };
  return el("div", {}, segmented(M.cost ? ["count", "share", "cost"] : ["count", "share"], matrixKind, (v) => (matrixKind = v), (v) => t("cells_" + v)),
    el("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("confusion") }, el("table", { class: "figures matrix" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, t("truth") + " ↓  " + t("predicted") + " →"), shown.map((k) => el("th", { scope: "col", class: "num" }, M.classes[k])))),
      el("tbody", {}, shown.map((k) => el("tr", {}, el("th", { scope: "row" }, M.classes[k]), shown.map((s) => cell(k, s))))))),
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
  const picker = el("select", { "aria-label": t("class") }, M.classes.map((name, k) => el("option", { value: k }, name)));
  picker.value = String(curveClass);
  picker.addEventListener("change", () => {
    curveClass = Number(picker.value);
    renderPanel();
  });
  return el("div", {}, el("div", { class: "row" }, segmented(["roc", "pr"], curveKind, (v) => (curveKind = v), t), el("label", { class: "inline" }, t("class") + " ", picker)), f.svg,
    el("p", {}, isRoc ? `AUC ${fmtNumber(found.area)}` : `${t("average_precision")} ${fmtNumber(found.average)}`),
    tableLater(t("as_table"), () => tableOf([t(isRoc ? "false_positive" : "recall"), t(isRoc ? "true_positive" : "precision")], points.slice(0, 500).map(([x, y]) => [fmtPercent(x, 1), fmtPercent(y, 1)]))));
}

/** Said in training against seen in test, one bubble per leaf. */
function calibrationView(ends) {
  const k = Math.min(curveClass, M.K - 1);
  const f = frame({ x: [0, 1], y: [0, 1], xLabel: t("said_share", { name: elide(M.classes[k], 120, 11) }), yLabel: t("seen_share"), label: t("calibration"), xFormat: (v) => fmtPercent(v), yFormat: (v) => fmtPercent(v) });
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
    dot.append(sv("title", {}, `#${end.node}: ${fmtPercent(p, 1)} → ${fmtPercent(yes / n, 1)}, n ${fmtCount(n)}`));
    f.layer.append(dot);
  }
  return el("div", {}, f.svg, el("p", { class: "muted small-text" }, t("calibration_hint")),
    tableLater(t("as_table"), () => tableOf([t("leaf"), t("said_share", { name: M.classes[k] }), t("seen_share"), t("test_rows")],
      bubbles.slice(0, 500).map(({ end, n, yes }) => [`#${end.node}`, fmtPercent(M.prob(end.node, k), 1), fmtPercent(yes / n, 1), fmtCount(n)]))));
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
    dot.append(sv("title", {}, `#${p.end.node}: ${fmtNumber(M.value[p.end.node])} → ${fmtNumber(p.mean)} ± ${fmtNumber(sd)}`));
    f.layer.append(dot);
  }
  return el("div", {}, f.svg, el("p", { class: "muted small-text" }, t("residual_hint")),
    tableLater(t("as_table"), () => tableOf([t("leaf"), t("predicted"), t("observed"), t("deviation")],
      points.slice(0, 500).map((p) => [`#${p.end.node}`, fmtNumber(M.value[p.end.node]), fmtNumber(p.mean), fmtNumber(Math.sqrt(p.variance))]))));
}

/** Columns of the leaf table: key, title, figure, text. @returns {any[][]} */
function leafColumns() {
  const held = M.test;
  const list = [
    ["node", "#", (i) => i, (i) => `#${i}`],
    ["answer", t("predicted"), (i) => (M.regression ? M.value[i] : M.answer[i]), (i) => (M.regression ? fmtNumber(M.value[i]) : M.classes[M.answer[i]])],
  ];
  if (M.known) list.push(["rows", t("rows"), (i) => M.rows[i], (i) => fmtCount(M.rows[i])], ["share", "%", (i) => M.share[i], (i) => fmtPercent(M.share[i], 1)]);
  if (!M.regression) {
    list.push(["sure", t("confidence"), (i) => M.prob(i, M.answer[i]), (i) => fmtPercent(M.prob(i, M.answer[i]), 1)]);
    if (held) {
      const n = (i) => held.counts.slice(i * M.K, (i + 1) * M.K).reduce((a, b) => a + b, 0);
      const right = (i) => held.counts[i * M.K + M.answer[i]] / (n(i) || NaN);
      list.push(["test_sure", t("test_right"), right, (i) => fmtPercent(right(i), 1)]);
    }
    list.push(["lift", t("lift"), (i) => M.prob(i, M.answer[i]) / M.prob(0, M.answer[i]), (i) => fmtNumber(M.prob(i, M.answer[i]) / M.prob(0, M.answer[i]), 3)]);
  } else {
    if (M.payload.criterion === "squared_error" && M.known) list.push(["sd", t("deviation"), (i) => M.impurity[i], (i) => fmtNumber(Math.sqrt(M.impurity[i]), 3)]);
    if (held && held.mean) list.push(["test", t("test"), (i) => held.rows[i], (i) => fmtCount(held.rows[i])], ["test_mean", t("test_mean"), (i) => held.mean[i], (i) => fmtNumber(held.mean[i])]);
  }
  return list;
}

function leafTable(ends) {
  const columns = leafColumns();
  const by = columns.find((c) => c[0] === sortBy) || columns[0];
  const leaves = ends.filter((e) => !e.rest).map((e) => e.node);
  leaves.sort((a, b) => (sortUp ? 1 : -1) * ((by[2](a) || 0) - (by[2](b) || 0)) || a - b);
  const sorter = (/** @type {any[]} */ [key, title]) => el("th", { scope: "col", class: "num", "aria-sort": key === by[0] ? (sortUp ? "ascending" : "descending") : "none" },
    el("button", { type: "button", class: "sort", onclick: () => { sortUp = key === sortBy ? !sortUp : false; sortBy = key; renderPanel(); } }, title + (key === by[0] ? (sortUp ? " ▲" : " ▼") : "")));
  const mark = (i, kind) => kind + (i === state.selected ? " selected" : "");
  const row = (i) => [
    el("tr", { class: mark(i, "leaf") }, columns.map(([key, , , text]) =>
      el("td", { class: "num" }, key === "node" ? el("button", { type: "button", class: "link", onclick: () => reveal(i) }, text(i)) : text(i)))),
    el("tr", { class: mark(i, "") }, el("td", { class: "rule-cell", colspan: columns.length }, ruleText(i, 6)))];
  return el("div", {},
    el("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("leaf_table") }, el("table", { class: "figures leaves" },
      el("thead", {}, el("tr", {}, columns.map(sorter))),
      el("tbody", {}, leaves.slice(0, leavesShown).map(row)))),
    el("div", { class: "row" },
      leaves.length > leavesShown ? el("button", { type: "button", class: "small", onclick: () => { leavesShown += 200; renderPanel(); } }, t("show_more", { n: leaves.length - leavesShown })) : null,
      el("button", { type: "button", class: "small", onclick: () => download("rules.csv", "text/csv", rulesCsv(leaves)) }, t("save_csv"))));
}

/** All rules as CSV; a cell that a spreadsheet would compute is quoted by an apostrophe. */
function rulesCsv(leaves) {
  const columns = leafColumns();
  const cell = (v) => {
    const text = String(v ?? "");
    const safe = /^[=+@\t]/.test(text) ? "'" + text : text;
    return /[",\n]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
  };
  const lines = leaves.map((i) => [...columns.map(([key, , figure]) => (key === "answer" && !M.regression ? M.classes[M.answer[i]] : figure(i))), ruleText(i, 9999)]);
  return [[...columns.map((c) => c[0]), "rule"], ...lines].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}
