// A cut to be moved: the gain along the column as a curve, below it the rows of the node as a
// histogram, and a line through both. Dragged by pointer, moved by arrow keys, or typed.

const CUT_BOX = { width: 400, left: 8, right: 392, curve: [8, 58], bars: [66, 176] };

/** @param {any} draft with column, cut and data @param {() => void} moved */
function cutEditor(draft, moved) {
  const { bars, curve } = draft.data;
  const axis = axisOf(bars, curve ? curve.cut : []);
  const svg = sv("svg", { viewBox: `0 0 ${CUT_BOX.width} 196`, class: "chart cut-chart", "aria-hidden": "true" });
  const x = (place) => CUT_BOX.left + place * (CUT_BOX.right - CUT_BOX.left);
  const hist = readBars(bars, draft.column, M.regression ? 1 : M.K, () => 0, []);
  if (curve) svg.append(...gainCurve(curve, (cut) => x(axis.placeOf(cut))));
  drawHistogram(new SvgPen(svg), hist, { x: CUT_BOX.left, y: CUT_BOX.bars[0], w: CUT_BOX.right - CUT_BOX.left, h: 196 - CUT_BOX.bars[0] - 2 }, barColours(), { size: 11 });
  const line = sv("line", { y1: CUT_BOX.curve[0], y2: CUT_BOX.bars[1] + 4, class: "cut-line" });
  const grip = sv("circle", { cy: (CUT_BOX.curve[1] + CUT_BOX.bars[0]) / 2, r: 6, class: "cut-grip" });
  const left = sv("rect", { x: CUT_BOX.left, y: CUT_BOX.bars[0], height: CUT_BOX.bars[1] - CUT_BOX.bars[0] + 4, class: "cut-side" });
  svg.append(left, line, grip);
  const handle = el("div", { class: "cut-handle", id: "cut-handle", role: "slider", tabindex: 0, "aria-label": t("s_cut_of", { column: M.columns.name[draft.column] }) }, svg);
  const typed = el("input", { id: "cut-typed", type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": t("s_cut_typed") });
  const place = () => {
    const at = x(axis.placeOf(draft.cut));
    for (const end of ["x1", "x2"]) line.setAttribute(end, String(at));
    grip.setAttribute("cx", String(at));
    left.setAttribute("width", String(Math.max(at - CUT_BOX.left, 0)));
    setSlider(handle, draft);
    if (document.activeElement !== typed) typed.value = cutInput(draft);
  };
  const move = (cut) => {
    if (Number.isNaN(cut) || cut === draft.cut) return;
    draft.cut = cut;
    place();
    moved();
  };
  dragCut(handle, svg, axis, move);
  keysOfCut(handle, axis, draft, move);
  typed.addEventListener("change", () => {
    const cut = readCut(typed.value, draft);
    typed.setAttribute("aria-invalid", String(Number.isNaN(cut)));
    if (Number.isNaN(cut)) say(t("s_cut_invalid"));
    move(cut);
  });
  place();
  return el("div", { class: "cut-editor" }, handle,
    el("p", { class: "muted small-text" }, t(M.regression ? "s_drag_hint_number" : "s_drag_hint")),
    el("div", { class: "row" }, el("label", { class: "inline", for: "cut-typed" }, `${M.columns.name[draft.column]} ≤`, typed),
      curve ? el("button", { type: "button", class: "small", id: "cut-best", onclick: () => move(bestCut(curve)) }, t("s_best_cut")) : null));
}

/** The cut of the greatest gain, the lowest of equals. */
const bestCut = (curve) => curve.cut[curve.gain.reduce((best, g, k) => (g > curve.gain[best] ? k : best), 0)];

/** @param {(cut: number) => number} x */
function gainCurve(curve, x) {
  const [top, bottom] = CUT_BOX.curve;
  const most = curve.gain.reduce((a, g) => Math.max(a, g), 0) || 1;
  const points = curve.cut.map((cut, k) => [x(cut), bottom - (Math.max(curve.gain[k], 0) / most) * (bottom - top)]);
  const best = points[curve.gain.indexOf(Math.max(...curve.gain))];
  const word = chartText(CUT_BOX.right, top + 2, t("gain"), "end", "strong");
  return [sv("line", { x1: CUT_BOX.left, x2: CUT_BOX.right, y1: bottom, y2: bottom, class: "grid" }), sv("path", { d: pathOf(points), class: "line cv" }), ...(best ? [sv("circle", { cx: best[0], cy: best[1], r: 3.5, class: "cv-dot" })] : []), word];
}

function setSlider(handle, draft) {
  const { bars } = draft.data;
  const values = bars.values || bars.codes;
  handle.setAttribute("aria-valuemin", String(values ? values[0] : bars.least));
  handle.setAttribute("aria-valuemax", String(values ? values[values.length - 1] : bars.most));
  handle.setAttribute("aria-valuenow", String(draft.cut));
  handle.setAttribute("aria-valuetext", cutText(draft));
}

/** @param {Axis} axis @param {(cut: number) => void} move */
function dragCut(handle, svg, axis, move) {
  let held = -1;
  const at = (e) => {
    const r = svg.getBoundingClientRect();
    const wide = (CUT_BOX.right - CUT_BOX.left) * (r.width / CUT_BOX.width);
    const place = (e.clientX - r.left - CUT_BOX.left * (r.width / CUT_BOX.width)) / wide;
    move(axis.cutAt(Math.min(Math.max(place, 0), 1), wide));
  };
  handle.addEventListener("pointerdown", (e) => {
    if (e.button) return;
    held = e.pointerId;
    handle.setPointerCapture(held);
    handle.focus({ preventScroll: true });
    at(e);
  });
  handle.addEventListener("pointermove", (e) => e.pointerId === held && at(e));
  for (const name of ["pointerup", "pointercancel"]) handle.addEventListener(name, (e) => e.pointerId === held && (held = -1));
}

/** @param {Axis} axis */
function keysOfCut(handle, axis, draft, move) {
  handle.addEventListener("keydown", (e) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -1e9, End: 1e9 }[e.key];
    if (by === undefined) return;
    e.preventDefault();
    move(axis.step(draft.cut, e.shiftKey ? 10 * by : by));
  });
}

const isTime = (j) => ["date", "datetime"].includes(M.columns.display[j]);

/** The cut as it stands in the field. */
function cutInput(draft) {
  if (M.columns.kind[draft.column] !== "numeric") return M.columns.levels[draft.column][Math.floor(draft.cut)] ?? "";
  return isTime(draft.column) ? isoTime(draft.cut, M.columns.display[draft.column]) : String(draft.cut).replace(".", LANG === "en" ? "." : ",");
}

/** What was typed, as a cut; NaN if it is none. */
function readCut(text, draft) {
  const j = draft.column;
  if (M.columns.kind[j] !== "numeric") {
    const code = M.columns.levels[j].indexOf(text.trim());
    return code < 0 ? NaN : code + 0.5;
  }
  if (isTime(j)) return Date.parse(/T|:/.test(text) ? text.trim().replace(" ", "T") + "Z" : text.trim()) / 1000;
  const plain = text.trim().replace("−", "-").replace(/\s/g, "");
  return plain === "" ? NaN : Number(/^[^.]*,[^.,]*$/.test(plain) ? plain.replace(",", ".") : plain);
}

/** The cut in words: what holds on its left. */
const cutText = (draft) => `${isolated(M.columns.name[draft.column])} ≤ ${fmtCut(draft.cut, draft.column)}`;
