// Small charts: frames with axes, bars, and histograms with their cuts. They are independent of the shown tree;
// the panels add a table to each, for screen readers.

import { evaluateSplit } from "../case/route.js";
import { cutsOf, M } from "../core/model.js";
import { fmtCompact, fmtCount, fmtCut, fmtNumber, fmtTick, fmtValue, t } from "../core/format.js";
import { el, sv } from "../page/dom.js";
import { elide, palette, SvgPen, textWidth } from "../tree/pens.js";

/** Round tick values of an axis. */
export function roundTicks(low, high, about = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const result = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) result.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return result;
}

/** A chart frame with axes: the element, a layer to draw on, and the scales. @param {any} options */
export function chartFrame(options) {
  let { width = 380, height = 240, x, y, xLabel = "", yLabel = "", label = "", left = 0, bottom = 38, xTicks, yTicks, xFormat = fmtTick, yFormat = fmtTick } = options;
  const rows = yTicks || roundTicks(y[0], y[1]);
  if (yFormat === fmtTick && rows.some((v) => Math.abs(v) >= 1e5)) yFormat = fmtCompact;
  left = left || Math.max(44, 28 + Math.max(...rows.map((v) => textWidth(yFormat(v), 11))));
  const box = { left, top: 10, right: width - 20, bottom: height - bottom };
  const sx = (v) => box.left + ((v - x[0]) / (x[1] - x[0] || 1)) * (box.right - box.left);
  const sy = (v) => box.bottom - ((v - y[0]) / (y[1] - y[0] || 1)) * (box.bottom - box.top);
  const svg = sv("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label });
  for (const v of rows) {
    svg.append(
      sv("line", { x1: box.left, x2: box.right, y1: sy(v), y2: sy(v), class: "grid" }),
      chartText(box.left - 6, sy(v), yFormat(v), "end"));
  }
  for (const v of xTicks || roundTicks(x[0], x[1])) {
    svg.append(chartText(sx(v), box.bottom + 14, xFormat(v), "middle"));
  }
  svg.append(
    sv("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, class: "axis" }),
    chartText((box.left + box.right) / 2, height - 6, xLabel, "middle", "label"));
  const title = chartText(12, (box.top + box.bottom) / 2, yLabel, "middle", "label");
  title.setAttribute("transform", `rotate(-90 12 ${(box.top + box.bottom) / 2})`);
  svg.append(title);
  const layer = sv("g");
  svg.append(layer);
  /** @param {number[][]} points @param {string} kind */
  const line = (points, kind) => layer.append(sv("path", { d: svgPath(points.map(([a, b]) => [sx(a), sy(b)])), class: kind }));
  return { svg, layer, sx, sy, box, line };
}

export const chartText = (x, y, text, anchor, kind = "") =>
  sv("text", { x, y, "text-anchor": anchor, "dominant-baseline": "central", class: "tick " + kind }, text);

export const svgPath = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(2)},${y.toFixed(2)}`).join("");

/** A bar in its track. @param {number} share 0 to 1 @param {string} [background] */
export function barTrack(share, background = "") {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return el("span", { class: "bar-track" }, el("span", { class: "bar-fill", style: { width, background } }));
}

/** Horizontal bars as DOM: name, bar, figure. @param {{name: string, share: number, text: string, colour?: string, strong?: boolean}[]} rows */
export function barList(rows) {
  return el("div", { class: "bars" }, rows.map((row) => el("div", { class: "bar-row" + (row.strong ? " strong" : "") },
    el("span", { class: "bar-name", title: row.name }, row.name), barTrack(row.share, row.colour), el("span", { class: "bar-text" }, row.text))));
}

/** A legend of colours. */
export function legend(items) {
  const swatch = (background) => el("span", { class: "swatch", style: { background } });
  return el("div", { class: "legend" }, items.map(([colour, text]) => el("span", { class: "legend-item" }, swatch(colour), text)));
}

/** Counts side by side in one bar. @param {number[]} counts @param {string[]} colours @param {number} most the count that fills the width @param {string} kind */
export function stackedBar(counts, colours, most, width, height, kind) {
  const svg = sv("svg", { viewBox: `0 0 ${width} ${height}`, class: kind, preserveAspectRatio: "none", "aria-hidden": "true" });
  let x = 0;
  counts.forEach((n, k) => {
    if (n > 0) svg.append(sv("rect", { x, y: 0, width: (width * n) / most, height, fill: colours[k] }));
    x += (width * n) / most;
  });
  return svg;
}

/**
 * @param {any} pen @param {Histogram} hist @param {{x: number, y: number, w: number, h: number}} box
 * @param {string[]} colours by class @param {{size?: number, words?: boolean}} [style] words: whether to label ends, cuts and bars
 */
export function drawHistogram(pen, hist, box, colours, { size = 10, words = true } = {}) {
  const floor = box.y + box.h - (words ? size + 5 : 0);
  const numbers = hist.bars.some((bar) => bar.quartiles);
  const room = (floor - box.y) * (numbers ? 0.34 : 1);
  const most = hist.bars.reduce((a, bar) => Math.max(a, bar.total), 1);
  const gap = Math.min(1, (0.08 * box.w) / hist.bars.length);
  /** @type {number[][]} by class */ const parts = [];
  for (const bar of hist.bars) {
    const x = box.x + bar.from * box.w + gap / 2, w = Math.max((bar.to - bar.from) * box.w - gap, 0.5);
    let y = floor;
    bar.counts.forEach((n, k) => {
      const h = (n / most) * room;
      y -= h;
      if (h > 0) (parts[k] = parts[k] || []).push(x, y, w, Math.max(h, 0.4));
    });
  }
  parts.forEach((places, k) => pen.boxes(places, colours[k]));
  if (numbers) drawQuartiles(pen, hist, box, floor - room - 4, gap);
  pen.rect(box.x, floor, box.w, 1, { fill: palette.muted });
  for (const cut of hist.cuts) pen.rect(box.x + cut * box.w - 0.75, box.y, 1.5, floor - box.y + 3, { fill: palette.text });
  if (words) drawHistogramLabels(pen, hist, box, size);
}

/** Quartiles of the target in each bar as boxes, the median as a line, all on one scale. */
function drawQuartiles(pen, hist, box, bottom, gap) {
  const all = hist.bars.flatMap((bar) => bar.quartiles || []);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const sy = (v) => bottom - ((v - low) / (high - low || 1)) * (bottom - box.y - 2);
  for (const { from, to, quartiles } of hist.bars) {
    if (!quartiles) continue;
    const x = box.x + from * box.w + gap / 2, w = Math.max((to - from) * box.w - gap, 1);
    pen.rect(x, sy(quartiles[2]), w, Math.max(sy(quartiles[0]) - sy(quartiles[2]), 1), { fill: palette.line });
    pen.rect(x, sy(quartiles[1]) - 1, w, 2, { fill: palette.text });
  }
}

/** Label minimum, cuts and maximum, or the bars; labels without room are omitted. */
function drawHistogramLabels(pen, hist, box, size) {
  const y = box.y + box.h - size / 2;
  const style = { size, fill: palette.muted };
  if (!hist.ends) {
    for (const bar of hist.bars) {
      const room = (bar.to - bar.from) * box.w - 2;
      const name = elide(bar.name, room, size);
      if (name.length > 1 || name === bar.name) pen.text(box.x + ((bar.from + bar.to) / 2) * box.w, y, name, { ...style, align: "center" });
    }
    return;
  }
  const [least, most] = hist.ends.map((text) => textWidth(text, size));
  /** The space that the labels of the cuts take; the first cut has priority. */
  let [left, right] = hist.cutTexts.length ? [Infinity, -Infinity] : [box.x + box.w, box.x + least + 8];
  hist.cutTexts.forEach((text, k) => {
    const half = textWidth(text, size, true) / 2;
    const at = Math.min(Math.max(box.x + hist.cuts[k] * box.w, box.x + half), box.x + box.w - half);
    if (at - half - 5 < right) return;
    pen.text(at, y, text, { ...style, bold: true, fill: palette.text, align: "center" });
    [left, right] = [Math.min(left, at - half - 5), at + half + 5];
  });
  if (box.x + least < left) pen.text(box.x, y, hist.ends[0], style);
  if (box.x + box.w - most > right) pen.text(box.x + box.w, y, hist.ends[1], { ...style, align: "right" });
}

/** A histogram as SVG. @param {string} label a description for screen readers */
export function histogramSvg(hist, colours, width, height, label) {
  const svg = sv("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart histogram", role: "img", "aria-label": label });
  drawHistogram(new SvgPen(svg), hist, { x: 2, y: 2, w: width - 4, h: height - 4 }, colours, { size: 11 });
  return svg;
}

/** Named bars as rows: name, stacked classes, count; a line between branches. @param {(branch: number) => string} branchName */
export function namedBars(hist, colours, branchName) {
  const most = hist.bars.reduce((a, bar) => Math.max(a, bar.total), 1);
  const rows = [];
  hist.bars.forEach((bar, k) => {
    if (k === 0 || bar.branch !== hist.bars[k - 1].branch) rows.push(el("div", { class: "bar-branch muted" }, branchName(bar.branch)));
    const track = stackedBar(bar.counts, colours, most, 200, 12, "share-bar");
    const text = fmtCount(bar.total) + (bar.quartiles ? ` · ${fmtNumber(bar.quartiles[1], 3)}` : "");
    rows.push(el("div", { class: "bar-row" }, el("span", { class: "bar-name", title: bar.name }, bar.name), track, el("span", { class: "bar-text" }, text)));
  });
  return el("div", { class: "bars" }, rows);
}

/** @typedef {{name: string, from: number, to: number, counts: number[], total: number, quartiles: number[]|null, branch: number}} Bar */
/** @typedef {{bars: Bar[], cuts: number[], ends: [string, string]|null, cutTexts: string[], missing: number, others: number}} Histogram */

/** The histogram of the split column at a node; null if the payload has none. @returns {Histogram|null} */
export function histogramOf(i) {
  const data = M.histograms.get(i);
  return data ? readHistogram(data, M.splits.column[i], M.regression ? 1 : M.K, (value) => branchOf(i, value), cutsOf(M.splits, i)) : null;
}

/** The distribution of a column over all training rows. @returns {Histogram|null} */
export function columnHistogram(j) {
  const data = M.payload.bars && M.payload.bars[j];
  return data ? readHistogram(data, j, M.payload.n_bar_classes, () => 0, []) : null;
}

/** The branch of a value; -1 if the split does not know it. */
function branchOf(i, value) {
  const values = [];
  values[M.splits.column[i]] = value;
  const result = evaluateSplit(M.splits, i, values);
  return typeof result === "number" ? result : result === "missing" ? M.defaultBranch[i] : -1;
}

/** @param {number[]} cuts @returns {Histogram} */
export function readHistogram(data, j, K, branch, cuts) {
  const n = data.n.length / K;
  const positionOf = (value) => (value - data.low) / (data.high - data.low);
  /** The left edge of bar k; with several cuts, bins differ in width. */
  const edge = (k) => (data.edges ? positionOf(data.edges[k]) : k / n);
  const level = (k) => (data.presence ? (k ? null : 0) : data.codes ? data.codes[k] : data.values ? data.values[k] : null);
  const bars = Array.from({ length: n }, (_, k) => {
    const counts = data.n.slice(k * K, (k + 1) * K);
    const alone = data.codes && level(k) === null; // missing levels with a separate branch
    const name = alone ? t("missing") : data.presence ? t(k ? "is_missing" : "is_present") : data.low === undefined ? fmtValue(level(k), j) : "";
    const at = alone ? branch(null) : data.presence ? k : data.low === undefined ? branch(level(k)) : 0;
    return { name, from: edge(k), to: edge(k + 1), counts, total: counts.reduce((a, b) => a + b, 0), quartiles: data.quartiles && counts[0] ? data.quartiles.slice(3 * k, 3 * k + 3) : null, branch: at };
  });
  const rest = { missing: data.missing || 0, others: data.others || 0 };
  if (data.low === undefined) return { bars: sortByBranch(bars), cuts: branchStarts(bars), ends: null, cutTexts: [], ...rest };
  const inside = cuts.filter((cut) => positionOf(cut) >= 0 && positionOf(cut) <= 1);
  return { bars, cuts: inside.map(positionOf), ends: [fmtValue(data.least, j), fmtValue(data.most, j)], cutTexts: inside.map((cut) => fmtCut(cut, j, true)), ...rest };
}

/** Sort bars by branch, and place them again. @param {Bar[]} bars */
function sortByBranch(bars) {
  bars.sort((a, b) => a.branch - b.branch);
  bars.forEach((bar, k) => Object.assign(bar, { from: k / bars.length, to: (k + 1) / bars.length }));
  return bars;
}

/** Where the bars of each further branch begin. @param {Bar[]} bars by branch */
const branchStarts = (bars) => bars.filter((bar, k) => k > 0 && bar.branch !== bars[k - 1].branch).map((bar) => bar.from);
