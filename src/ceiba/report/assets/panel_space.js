// Feature space: the exact slice of the tree through the case, along two chosen columns. The tree
// is constant between the cuts of a column, so one question per cell between cuts is all it takes.

const space = { x: -1, y: -1 };
const MOST_CELLS = 60000;

/** Stretches of a column between its cuts, or its levels: a value inside each, and its ends. */
function stretches(j) {
  if (M.columns.kind[j] !== "numeric") return M.columns.levels[j].map((name, code) => ({ at: code, from: code, to: code + 1, name }));
  const cuts = new Set();
  for (let i = 0; i < M.n; i++) {
    if (M.splits.kind[i] === CUT && M.splits.column[i] === j && isPresent(i) && !isEnd(i)) cuts.add(M.splits.cut[i]);
  }
  const s = M.surrogates;
  if (s && s.inUse) s.splits.column.forEach((c, k) => c === j && s.splits.kind[k] === CUT && cuts.add(s.splits.cut[k]));
  const sorted = [...cuts].sort((a, b) => a - b);
  let [low, high] = [M.columns.minimum[j], M.columns.maximum[j]];
  const pad = sorted.length > 1 ? (sorted[sorted.length - 1] - sorted[0]) * 0.2 : Math.abs(sorted[0]) || 1;
  if (low === null) low = sorted.length ? sorted[0] - pad : 0;
  if (high === null) high = sorted.length ? sorted[sorted.length - 1] + pad : 1;
  const inside = sorted.filter((c) => c > low && c < high);
  const edges = [low, ...inside, high];
  return edges.slice(1).map((to, k) => ({ at: to === high ? (edges[k] + to) / 2 : to, from: edges[k], to }));
}

function spacePanel() {
  const choices = usedColumns();
  if (choices.length < 2 || M.payload.missing === "fractional") return null;
  if (!choices.includes(space.x)) space.x = choices[0];
  if (!choices.includes(space.y) || space.y === space.x) space.y = choices.find((j) => j !== space.x);
  const picker = (key, label) => {
    const select = el("select", { "aria-label": label }, choices.map((j) => el("option", { value: j }, M.columns.name[j])));
    select.value = String(space[key]);
    select.addEventListener("change", () => {
      space[key] = Number(select.value);
      if (space.x === space.y) space[key === "x" ? "y" : "x"] = choices.find((j) => j !== space[key]);
      renderPanel();
    });
    return el("label", { class: "inline" }, label + " ", select);
  };
  const holder = el("div", { id: "space" });
  fillSpace(holder);
  return section(t("space"), el("div", { class: "row" }, picker("x", "x"), picker("y", "y")), holder);
}

function fillSpace(holder) {
  const values = state.hasCase ? state.values : middlingCase();
  const [xs, ys] = [stretches(space.x), stretches(space.y)];
  if (xs.length * ys.length > MOST_CELLS) {
    holder.replaceChildren(el("p", { class: "muted" }, t("space_large")));
    return;
  }
  const [xr, yr] = [[xs[0].from, xs[xs.length - 1].to], [ys[0].from, ys[ys.length - 1].to]];
  const axis = (list, j) => (M.columns.kind[j] === "numeric" ? {} : { ticks: list.map((s) => s.from + 0.5), format: (v) => elide(M.columns.levels[j][Math.floor(v)] || "", 60, 10) });
  const [ax, ay] = [axis(xs, space.x), axis(ys, space.y)];
  const dated = (j) => (v) => (M.columns.display[j] === "number" || M.columns.display[j] === "boolean" ? fmtTick(v) : fmtValue(v, j));
  const f = frame({
    width: 400, height: 300, x: xr, y: yr, xLabel: elide(M.columns.name[space.x], 300, 11), yLabel: elide(M.columns.name[space.y], 200, 11),
    xTicks: ax.ticks, yTicks: ay.ticks, xFormat: ax.format || dated(space.x), yFormat: ay.format || dated(space.y), label: t("space"),
  });
  const probe = values.slice();
  const alpha = alphaNow();
  for (const ycell of ys) {
    let run = null;
    for (const xcell of [...xs, null]) {
      let end = -1;
      if (xcell) {
        probe[space.x] = xcell.at;
        probe[space.y] = ycell.at;
        end = endOf(probe, alpha);
      }
      if (run && run.end !== end) {
        const [x0, x1, y0, y1] = [f.sx(run.from), f.sx(run.to), f.sy(ycell.to), f.sy(ycell.from)];
        const cell = sv("rect", { x: x0, y: y0, width: Math.max(x1 - x0, 0.3), height: Math.max(y1 - y0, 0.3), fill: css(nodeColour(run.end)), stroke: ink.panel, "stroke-width": 0.4 });
        const node = run.end;
        cell.append(sv("title", {}, `#${node}: ${answerText(node)}`));
        cell.addEventListener("click", () => reveal(node));
        f.layer.append(cell);
        run = null;
      }
      if (xcell && !run) run = { end, from: xcell.from, to: xcell.to };
      else if (xcell) run.to = xcell.to;
    }
  }
  const [cx, cy] = [values[space.x], values[space.y]];
  if (state.hasCase && cx !== null && cy !== null) {
    const half = (j, v) => (M.columns.kind[j] === "numeric" ? v : v + 0.5);
    f.layer.append(sv("circle", { cx: f.sx(half(space.x, cx)), cy: f.sy(half(space.y, cy)), r: 5, fill: ink.path, stroke: "#fff", "stroke-width": 2 }));
  }
  holder.replaceChildren(f.svg, el("p", { class: "muted small-text" }, t("space_words", { x: M.columns.name[space.x], y: M.columns.name[space.y] })));
}
