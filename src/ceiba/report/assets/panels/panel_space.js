// Feature space: the slice through the case along two chosen columns, as a map with a caption.

import { typicalCase, usedColumns } from "../case/read_case.js";
import { predictCase, routeCase } from "../case/route.js";
import { sliceRegions } from "../case/slice.js";
import { chartFrame, roundTicks } from "../charts/charts.js";
import { cutsOf, M } from "../core/model.js";
import { conjunctionBefore, answerText, fmtCount, fmtCut, fmtTick, t } from "../core/format.js";
import { selectBox, el, section, sv } from "../page/dom.js";
import { renderPanel } from "../page/inspector.js";
import { currentAlpha, displayNumber, reveal, state } from "../page/state.js";
import { elide, palette, toneCss, tones } from "../tree/pens.js";

const space = { x: -1, y: -1 };

/** The range of an axis: that of the training rows, or of the cuts; one unit per level. @returns {[number, number]} */
function axisRange(j) {
  if (M.columns.kind[j] !== "numeric") return [0, M.columns.levels[j].length];
  let low = M.columns.minimum[j], high = M.columns.maximum[j];
  if (low === null || high === null) {
    const cuts = [];
    for (let i = 0; i < M.n; i++) if (M.splits.column[i] === j) cuts.push(...cutsOf(M.splits, i));
    const [least, most] = [Math.min(...cuts), Math.max(...cuts)];
    const pad = cuts.length > 1 && most > least ? (most - least) * 0.2 : Math.abs(least) || 1;
    [low, high] = cuts.length ? [least - pad, most + pad] : [0, 1];
  }
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

export function spacePanel() {
  const choices = [...usedColumns()];
  if (choices.length < 2 || M.payload.missing === "fractional") return null;
  // Prefer numeric columns.
  const isNumber = (j) => M.columns.kind[j] === "numeric" && M.columns.display[j] !== "boolean";
  choices.sort((a, b) => Number(isNumber(b)) - Number(isNumber(a)));
  if (!choices.includes(space.x)) space.x = choices[0];
  if (!choices.includes(space.y) || space.y === space.x) space.y = choices.find((j) => j !== space.x);
  const picker = (key, label) => el("label", { class: "inline" }, label + " ",
    selectBox("space-" + key, label, choices, space[key], (j) => M.columns.name[j], (j) => {
    space[key] = Number(j);
    if (space.x === space.y) space[key === "x" ? "y" : "x"] = choices.find((other) => other !== space[key]);
    renderPanel();
  }));
  const holder = el("div", { id: "space" });
  fillSpace(holder);
  return section(t("space"), el("div", { class: "row" }, picker("x", t("across")), picker("y", t("upward"))), holder);
}

/** A range as pieces [from, to] inside the axis; neighbouring levels form one piece. @returns {[number, number][]} */
function rangePieces(range, [low, high]) {
  if (!range.codes) {
    const [from, to] = [Math.max(range.low, low), Math.min(range.high, high)];
    return to > from ? [[from, to]] : [];
  }
  /** @type {[number, number][]} */ const found = [];
  for (const c of range.codes) {
    const last = found[found.length - 1];
    if (last && last[1] === c) last[1] = c + 1;
    else found.push([c, c + 1]);
  }
  return found;
}

function spaceFrame(xr, yr) {
  const axis = (j) => {
    if (M.columns.kind[j] !== "numeric") {
      const every = Math.ceil(M.columns.levels[j].length / 12);
      const ticks = M.columns.levels[j].map((_, c) => c + 0.5).filter((_, c) => c % every === 0);
      return { ticks, format: (v) => elide(M.columns.levels[j][Math.floor(v)] || "", 62, 11) };
    }
    if (M.columns.display[j] === "boolean") return { ticks: [0, 1], format: (v) => t(v ? "yes" : "no") };
    const dated = M.columns.display[j] !== "number";
    const ticks = dated ? roundTicks(axisRange(j)[0], axisRange(j)[1], 3) : undefined;
    return { ticks, format: dated ? (v) => fmtCut(v, j) : fmtTick };
  };
  const [ax, ay] = [axis(space.x), axis(space.y)];
  return chartFrame({
    width: 400, height: 300, x: xr, y: yr, xLabel: elide(M.columns.name[space.x], 300, 11), yLabel: elide(M.columns.name[space.y], 200, 11),
    xTicks: ax.ticks, yTicks: ay.ticks, xFormat: ax.format, yFormat: ay.format, label: t("space"),
  });
}

export function fillSpace(holder) {
  const values = state.hasCase ? state.values : typicalCase();
  const [xr, yr] = [axisRange(space.x), axisRange(space.y)];
  const f = spaceFrame(xr, yr);
  const two = (v) => v.toFixed(2);
  /** @type {Map<number, string[]>} outlines by colour */ const outlines = new Map();
  const ends = new Set();
  for (const region of sliceRegions(values, space.x, space.y, currentAlpha())) {
    const list = outlines.get(tones()[region.end]) || [];
    outlines.set(tones()[region.end], list);
    for (const [x0, x1] of rangePieces(region.x, xr)) {
      for (const [y0, y1] of rangePieces(region.y, yr)) {
        ends.add(region.end);
        list.push(`M${two(f.sx(x0))} ${two(f.sy(y1))}H${two(f.sx(x1))}V${two(f.sy(y0))}H${two(f.sx(x0))}Z`);
      }
    }
  }
  const many = ends.size > 300;
  for (const [tone, list] of outlines) f.layer.append(sv("path", { d: list.join(""), fill: toneCss(tone), stroke: many ? toneCss(tone) : palette.panel, "stroke-width": many ? 0.3 : 0.7 }));
  const half = (j, v) => (M.columns.kind[j] === "numeric" ? v : v + 0.5);
  const [cx, cy] = [values[space.x], values[space.y]];
  if (state.hasCase && cx !== null && cy !== null) {
    const inside = (v, [low, high]) => Math.min(Math.max(v, low), high);
    f.layer.append(sv("circle", { cx: f.sx(inside(half(space.x, cx), xr)), cy: f.sy(inside(half(space.y, cy), yr)), r: 6, fill: palette.path, stroke: "#fff", "stroke-width": 2 }));
  }
  bindSpaceEvents(f, values, xr, yr);
  holder.replaceChildren(f.svg, el("p", { class: "muted small-text" }, t("space_words", { x: M.columns.name[space.x], and: conjunctionBefore(M.columns.name[space.y]), y: M.columns.name[space.y], n: fmtCount(ends.size) })));
}

/** Select the leaf of a region on click, and name it in a tooltip. */
function bindSpaceEvents(f, values, xr, yr) {
  const title = sv("title");
  f.svg.prepend(title);
  const endAt = (e) => {
    const r = f.svg.getBoundingClientRect();
    const at = (px, from, to, [low, high]) => low + ((px - from) / (to - from)) * (high - low);
    const x = at(((e.clientX - r.left) / r.width) * 400, f.box.left, f.box.right, xr);
    const y = at(((e.clientY - r.top) / r.height) * 300, f.box.bottom, f.box.top, yr);
    if (x < xr[0] || x > xr[1] || y < yr[0] || y > yr[1]) return -1;
    const probe = values.slice();
    const code = (j, v) => (M.columns.kind[j] === "numeric" ? v : Math.min(Math.floor(v), M.columns.levels[j].length - 1));
    probe[space.x] = code(space.x, x);
    probe[space.y] = code(space.y, y);
    return predictCase(routeCase(probe, currentAlpha())).leaf;
  };
  f.svg.addEventListener("click", (e) => {
    const i = endAt(e);
    if (i >= 0) reveal(i);
  });
  f.svg.addEventListener("pointermove", (e) => {
    const i = endAt(e);
    title.textContent = i < 0 ? "" : `#${displayNumber(i)}: ${answerText(i)}`;
  });
}
