// The editor of cuts: the gain by cut as a curve, the rows of the node as a histogram below it, and a line
// through both for each cut. The active cut is dragged, moved by arrow keys or typed.

import { chartText, drawHistogram, svgPath, readHistogram } from "../../../report/assets/charts/charts.js";
import { M } from "../../../report/assets/core/model.js";
import { isolateRtl, isoTime, isYesNo, language, rangeLabel, t } from "../../../report/assets/core/format.js";
import { el, announce, sv } from "../../../report/assets/page/dom.js";
import { barColours, SvgPen } from "../../../report/assets/tree/pens.js";
import { api, attempt, studio } from "../client/client.js";
import { makeAxis } from "./cut_axis.js";

/** @typedef {import("./cut_axis.js").Axis} Axis */
const CUT_BOX = { width: 400, left: 8, right: 392, curve: [8, 58], bars: [66, 176] };

/** @param {any} draft with column, cuts, active and data @param {() => void} moved */
export function cutEditor(draft, moved) {
  const { bars, curve } = draft.data;
  const axis = makeAxis(bars, curve ? curve.cut : []);
  const svg = sv("svg", { viewBox: `0 0 ${CUT_BOX.width} 196`, class: "chart cut-chart", "aria-hidden": "true" });
  const x = (place) => CUT_BOX.left + place * (CUT_BOX.right - CUT_BOX.left);
  const hist = readHistogram(bars.stretched && !M.regression ? { ...bars, n: classShares(bars.n) } : bars, draft.column, M.regression ? 1 : M.K, () => 0, []);
  if (curve) svg.append(...gainCurve(curve, (cut) => x(axis.positionOf(cut))));
  drawHistogram(new SvgPen(svg), hist, { x: CUT_BOX.left, y: CUT_BOX.bars[0], w: CUT_BOX.right - CUT_BOX.left, h: 196 - CUT_BOX.bars[0] - 2 }, barColours(), { size: 11 });
  const layer = sv("g", {});
  svg.append(layer);
  const handle = el("div", { class: "cut-handle", id: "cut-handle", role: "slider", tabindex: 0 }, svg);
  const typed = el("input", { id: "cut-typed", type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": t("s_cut_typed") });
  const wrongText = el("span", { id: "cut-wrong", class: "wrong", role: "alert", hidden: true });
  const [add, remove] = cutCountButtons(() => edit.add(), () => edit.remove());
  const list = el("div", { class: "row cut-list", id: "cuts", role: "group", "aria-label": t("s_cuts") });
  const place = () => {
    layer.replaceChildren(...cutMarks(draft, (cut) => x(axis.positionOf(cut))));
    setSlider(handle, draft);
    fillCuts(list, draft, choose);
    remove.hidden = draft.cuts.length < 2;
    if (document.activeElement !== typed) typed.value = cutInput(draft);
  };
  const choose = (k) => {
    draft.active = Math.min(Math.max(k, 0), draft.cuts.length - 1);
    place();
  };
  const move = (cut) => {
    const [low, high] = [draft.cuts[draft.active - 1] ?? -Infinity, draft.cuts[draft.active + 1] ?? Infinity];
    if (!(cut > low && cut < high) || cut === draft.cut) return;
    draft.cuts[draft.active] = cut;
    place();
    moved();
  };
  const change = (cuts, active) => {
    Object.assign(draft, { cuts, active });
    place();
    moved();
  };
  const edit = { choose, move, add: () => addCut(draft, change), remove: () => removeCut(draft, change) };
  bindCutDrag(handle, svg, axis, draft, edit);
  bindCutKeys(handle, axis, draft, edit);
  typed.addEventListener("change", () => {
    const cut = readCut(typed.value, draft);
    const others = draft.cuts.filter((_, k) => k !== draft.active);
    const wrong = Number.isNaN(cut) || others.includes(cut);
    typed.setAttribute("aria-invalid", String(wrong));
    wrongText.hidden = !wrong;
    wrongText.textContent = wrong ? t("s_cut_invalid") : "";
    if (wrong) return;
    const cuts = [...others, cut].sort((a, b) => a - b); // a typed cut may move past its neighbours
    if (cut !== draft.cut) change(cuts, cuts.indexOf(cut));
  });
  place();
  return el("div", { class: "cut-editor" }, handle,
    bars.stretched ? el("p", { class: "muted small-text", id: "stretched" }, t("s_stretched")) : null,
    studio.hasTakenDraft ? null : el("p", { class: "muted small-text" }, t(M.payload.survival ? "s_drag_hint_survival" : M.regression ? "s_drag_hint_number" : "s_drag_hint")), list,
    el("div", { class: "row" }, el("label", { class: "inline", for: "cut-typed" }, `${M.columns.name[draft.column]} ≤`, typed), wrongText,
      curve ? el("button", { class: "small", id: "cut-best", onclick: () => change([bestCut(curve)], 0) }, t("s_best_cut")) : null,
      M.columns.kind[draft.column] === "numeric" && !isYesNo(draft.column, draft.cut) ? [add, remove] : null));
}

/** The counts of each bar as shares: on a stretched axis, heights would say nothing. @param {number[]} counts by bar and class */
function classShares(counts) {
  const total = (/** @type {number} */ k) => counts.slice(k - (k % M.K), k - (k % M.K) + M.K).reduce((a, n) => a + n, 0) || 1;
  return counts.map((n, k) => n / total(k));
}

/** Buttons that add and remove a cut. */
const cutCountButtons = (add, remove) => [
  el("button", { class: "small", id: "cut-add", title: t("s_cut_add_hint"), onclick: add }, t("s_cut_add")),
  el("button", { class: "small", id: "cut-remove", title: t("s_cut_remove_hint"), onclick: remove }, t("s_cut_remove"))];

/** Add the cut with the most gain in addition to the others. @param {(cuts: number[], active: number) => void} change */
async function addCut(draft, change) {
  if (M.columns.kind[draft.column] !== "numeric") return;
  const further = await attempt(() => api.furtherCut(draft.node, M.columns.name[draft.column], draft.cuts));
  if (!further) return;
  if (further.cut === null || draft.cuts.includes(further.cut)) return announce(t("s_cut_none"));
  const cuts = [...draft.cuts, further.cut].sort((a, b) => a - b);
  change(cuts, cuts.indexOf(further.cut));
  announce(cutLabel(draft));
}

/** Remove the active cut, unless it is the only one. @param {(cuts: number[], active: number) => void} change */
function removeCut(draft, change) {
  if (draft.cuts.length < 2) return;
  change(draft.cuts.filter((_, k) => k !== draft.active), Math.max(draft.active - 1, 0));
  announce(cutLabel(draft));
}

/** Lines with grips, every other interval shaded. @param {(cut: number) => number} x */
function cutMarks(draft, x) {
  const edges = [CUT_BOX.left, ...draft.cuts.map(x), CUT_BOX.right];
  const [top, bottom] = CUT_BOX.bars;
  const sides = [];
  for (let k = 0; k < edges.length - 1; k += 2) sides.push(sv("rect", { x: edges[k], y: top, width: Math.max(edges[k + 1] - edges[k], 0), height: bottom - top + 4, class: "cut-side" }));
  const order = draft.cuts.map((_, k) => k).sort((a, b) => Number(a === draft.active) - Number(b === draft.active));
  return [...sides, ...order.flatMap((k) => {
    const held = k === draft.active ? " active" : "";
    return [sv("line", { x1: edges[k + 1], x2: edges[k + 1], y1: CUT_BOX.curve[0], y2: bottom + 4, class: "cut-line" + held }), sv("circle", { cx: edges[k + 1], cy: (CUT_BOX.curve[1] + top) / 2, r: 6, class: "cut-grip" + held }), ...(held ? [cutNumber(draft, edges[k + 1])] : [])];
  })];
}

/** The active cut beside its grip. */
function cutNumber(draft, x) {
  const right = x < CUT_BOX.width / 2;
  return chartText(x + (right ? 10 : -10), (CUT_BOX.curve[1] + CUT_BOX.bars[0]) / 2 + 4, cutInput(draft), right ? "start" : "end", "strong cut-number");
}

/** Show several cuts as buttons; one is active. @param {(k: number) => void} choose */
function fillCuts(list, draft, choose) {
  const many = draft.cuts.length > 1;
  list.hidden = !many;
  if (list.children.length !== (many ? draft.cuts.length : 0)) list.replaceChildren(...(many ? draft.cuts.map((_, k) => el("button", { class: "small", id: `cut-choose-${k}`, onclick: () => choose(k) })) : []));
  [...list.children].forEach((button, k) => {
    button.textContent = rangeLabel(-Infinity, draft.cuts[k], draft.column, true);
    button.setAttribute("aria-pressed", String(k === draft.active));
  });
}

/** The cut with the most gain, the lowest on ties. */
export const bestCut = (curve) => curve.cut[curve.gain.reduce((best, g, k) => (g > curve.gain[best] ? k : best), 0)];

/** @param {(cut: number) => number} x */
function gainCurve(curve, x) {
  const [top, bottom] = CUT_BOX.curve;
  const most = curve.gain.reduce((a, g) => Math.max(a, g), 0) || 1;
  const points = curve.cut.map((cut, k) => [x(cut), bottom - (Math.max(curve.gain[k], 0) / most) * (bottom - top)]);
  const best = points[curve.gain.indexOf(Math.max(...curve.gain))];
  const word = chartText(CUT_BOX.right, top + 2, t("gain"), "end", "strong");
  return [sv("line", { x1: CUT_BOX.left, x2: CUT_BOX.right, y1: bottom, y2: bottom, class: "grid" }), sv("path", { d: svgPath(points), class: "line cv" }), ...(best ? [sv("circle", { cx: best[0], cy: best[1], r: 3.5, class: "cv-dot" })] : []), word];
}

function setSlider(handle, draft) {
  const { bars } = draft.data;
  const values = bars.values || bars.codes;
  handle.setAttribute("aria-label", t("s_cut_of", { column: M.columns.name[draft.column] }));
  handle.setAttribute("aria-valuemin", String(values ? values[0] : bars.least));
  handle.setAttribute("aria-valuemax", String(values ? values[values.length - 1] : bars.most));
  handle.setAttribute("aria-valuenow", String(draft.cut));
  handle.setAttribute("aria-valuetext", cutLabel(draft));
}

/** The active cut as text, and its number if there are several. */
const cutLabel = (draft) => cutText(draft) + (draft.cuts.length > 1 ? ` · ${t("s_cut_at", { n: draft.active + 1, all: draft.cuts.length })}` : "");

/** Activate and drag the cut nearest to the pointer. @param {Axis} axis */
function bindCutDrag(handle, svg, axis, draft, edit) {
  let held = -1;
  const positionOf = (e) => {
    const r = svg.getBoundingClientRect();
    const wide = (CUT_BOX.right - CUT_BOX.left) * (r.width / CUT_BOX.width);
    return [Math.min(Math.max((e.clientX - r.left - CUT_BOX.left * (r.width / CUT_BOX.width)) / wide, 0), 1), wide];
  };
  const at = (e) => {
    const [place, wide] = positionOf(e);
    edit.move(axis.cutAt(place, wide));
  };
  handle.addEventListener("pointerdown", (e) => {
    if (e.button) return;
    held = e.pointerId;
    handle.setPointerCapture(held);
    handle.focus({ preventScroll: true });
    const far = draft.cuts.map((cut) => Math.abs(axis.positionOf(cut) - positionOf(e)[0]));
    edit.choose(far.indexOf(Math.min(...far)));
    at(e);
  });
  handle.addEventListener("pointermove", (e) => e.pointerId === held && at(e));
  for (const name of ["pointerup", "pointercancel"]) handle.addEventListener(name, (e) => e.pointerId === held && (held = -1));
}

/** @param {Axis} axis */
function bindCutKeys(handle, axis, draft, edit) {
  handle.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -1e9, End: 1e9 }[e.key];
    if (by !== undefined) edit.move(stepWithin(axis, draft, e.shiftKey ? 10 * by : by));
    else if (e.key === "+" || e.key === "Insert") edit.add();
    else if (e.key === "Delete" || e.key === "Backspace") edit.remove();
    else if (/^[1-9]$/.test(e.key) && Number(e.key) <= draft.cuts.length) edit.choose(Number(e.key) - 1);
    else return;
    e.preventDefault();
  });
}

/** The cut some steps away, but before the neighbouring cut. @param {Axis} axis */
function stepWithin(axis, draft, by) {
  const cut = axis.step(draft.cut, by);
  const [low, high] = [draft.cuts[draft.active - 1], draft.cuts[draft.active + 1]];
  if (by < 0 && low !== undefined && cut <= low) return axis.step(low, 1);
  return by > 0 && high !== undefined && cut >= high ? axis.step(high, -1) : cut;
}

const isTime = (j) => ["date", "datetime"].includes(M.columns.display[j]);

/** The active cut as text of the input field. */
function cutInput(draft) {
  if (M.columns.kind[draft.column] !== "numeric") return M.columns.levels[draft.column][Math.floor(draft.cut)] ?? "";
  return isTime(draft.column) ? isoTime(draft.cut, M.columns.display[draft.column]) : String(draft.cut).replace(".", language.code === "en" ? "." : ",");
}

/** Parse a typed cut; NaN if it is invalid. */
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

/** The condition on the left of the active cut. */
const cutText = (draft) => `${isolateRtl(M.columns.name[draft.column])} ${rangeLabel(-Infinity, draft.cut, draft.column, true)}`;
