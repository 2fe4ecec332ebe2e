// Colours and pens. The colour of a node is that of its class, stronger if purer, or its number on one hue; the colours are safe for
// all kinds of colour vision, on light and dark backgrounds. The two pens, for a canvas and for SVG (print and export), have the same
// methods, so that tree and icicle have one drawing code.

import { M, computeOnce, onModelChange } from "../core/model.js";
import { sv } from "../page/dom.js";

/** Colours of the theme, read from the style sheet. @type {Record<string, any>} */
export const palette = {};

/** @param {string} hex */
function rgb(hex) {
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
}

export function readPalette() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "panel", "text", "muted", "line", "accent", "on-accent", "path"]) {
    palette[name] = style.getPropertyValue("--" + name).trim();
  }
  palette.paperRgb = rgb(palette.panel);
  palette.dark = luminance(palette.paperRgb) < 0.4;
  toneCache.clear();
}

const mix = (a, b, share) => a.map((v, k) => Math.round(share * v + (1 - share) * b[k]));
export const css = (c) => `rgb(${c[0]},${c[1]},${c[2]})`;

function luminance(c) {
  const part = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
}

export const MAX_COLOURS = 12; // classes with distinct colours; with more, leaves are labelled

/** The position of a node's value in the range of all nodes: 0 to 1. */
export const valuePosition = (i) => (M.high > M.low ? (M.value[i] - M.low) / (M.high - M.low) : 0.5);

/** Sorted values of the leaves, and the cumulative share of rows: equal steps of colour are equal shares of rows, so that a long tail does not bleach the rest. */
const leafRanks = computeOnce(() => {
  const leaves = [];
  for (let i = 0; i < M.n; i++) if (M.isLeaf(i)) leaves.push(i);
  leaves.sort((a, b) => M.value[a] - M.value[b]);
  const total = leaves.reduce((sum, i) => sum + M.breadth[i], 0) || 1;
  const below = new Float64Array(leaves.length + 1);
  leaves.forEach((i, k) => (below[k + 1] = below[k] + M.breadth[i] / total));
  return { value: Float64Array.from(leaves, (i) => M.value[i]), below };
});

/** Share of rows in leaves with smaller values, plus half of those with the same value. */
export function rankOf(v) {
  const { value, below } = leafRanks();
  const first = (at) => {
    let low = 0, high = value.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at(value[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return (below[first((w) => w >= v)] + below[first((w) => w > v)]) / 2;
}

/** The leaf value at a share of the rows. */
export function valueAtRank(share) {
  const { value, below } = leafRanks();
  let k = 0;
  while (k < value.length - 1 && below[k + 1] < share) k++;
  return value[k];
}

/** Purity above chance, or the rank of the value among the rows: 0 to 1. */
function strength(i) {
  if (M.regression) return M.high > M.low ? rankOf(M.value[i]) : 0.5;
  if (M.K < 2) return 1;
  return Math.max(0, (M.prob(i, M.answer[i]) - 1 / M.K) / (1 - 1 / M.K));
}

/** The hue of numbers. */
const numberHue = () => rgb(M.payload.colours[0]);

/** Colour of a number in a map: from the background to a deep tone. @param {number} share 0 to 1 */
export function numberColour(share) {
  if (share <= 0.6) return mix(numberHue(), palette.paperRgb, 0.1 + (0.9 * share) / 0.6);
  const far = palette.dark ? [235, 247, 255] : [5, 20, 51];
  return mix(far, numberHue(), (0.75 * (share - 0.6)) / 0.4);
}

/** Number of steps of strength, finer than the eye can distinguish; fewer with many classes. */
const toneSteps = () => (M.regression || M.K <= 8 ? 32 : 12);
/** @type {Map<number, {colour: number[], css: string, faint: string}>} */ const toneCache = new Map();

onModelChange(() => toneCache.clear());

/** The colour of every node as a number: its class, and its strength in steps. */
export const tones = computeOnce(() => {
  const steps = toneSteps();
  return Uint32Array.from({ length: M.n }, (_, i) => (M.regression ? 0 : M.answer[i]) * steps + Math.round(strength(i) * (steps - 1)) || 0);
});

function toneAt(tone) {
  let result = toneCache.get(tone);
  if (!result) {
    const steps = toneSteps();
    const s = (tone % steps) / (steps - 1);
    const colour = M.regression ? numberColour(s) : mix(rgb(M.payload.colours[Math.floor(tone / steps)]), palette.paperRgb, 0.25 + 0.75 * s);
    toneCache.set(tone, (result = { colour, css: css(colour), faint: css(mix(colour, palette.paperRgb, 0.3)) }));
  }
  return result;
}

export const toneCss = (tone) => toneAt(tone).css;
/** The colour of nodes that do not match, or are not on the path. */
export const faintCss = (tone) => toneAt(tone).faint;
/** Full colour of a node, for the icicle, dots and maps. */
export const nodeColour = (i) => toneAt(tones()[i]).colour;
/** The same as CSS. */
export const nodeCss = (i) => toneAt(tones()[i]).css;

/** The fill of a card: light enough for text. */
export function cardColour(i) {
  const s = strength(i);
  const base = M.regression ? numberHue() : rgb(M.payload.colours[M.answer[i]]);
  return mix(base, palette.paperRgb, M.regression ? 0.06 + 0.4 * s : 0.1 + 0.36 * s);
}

/** The style of a table cell that is darker for a larger share; grey, since hues are classes. */
export function shadedStyle(share) {
  const fill = mix(rgb(palette.text), palette.paperRgb, 0.4 * share);
  return { background: css(fill), color: textOn(fill) };
}

export const textOn = (c) => (luminance(c) > 0.19 ? "#111418" : "#ffffff");

/** Colours of the parts of a bar: by class, or the one of numbers. */
export const barColours = () => (M.regression ? [M.payload.colours[0]] : M.payload.colours);

const FONT = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const widths = new Map();
export const measuringContext = document.createElement("canvas").getContext("2d");

/** Width of a text in px. @param {string} text @param {number} size @param {boolean} [bold] */
export function textWidth(text, size, bold = false) {
  const key = (bold ? "b" : "n") + size + text;
  let result = widths.get(key);
  if (result === undefined) {
    if (widths.size > 20000) widths.clear();
    measuringContext.font = `${bold ? "600 " : ""}${size}px ${FONT}`;
    result = measuringContext.measureText(text).width;
    widths.set(key, result);
  }
  return result;
}

/** Shorten a text to a width, by whole characters. */
export function elide(text, room, size, bold = false) {
  if (text.length > 400) text = text.slice(0, 400);
  if (textWidth(text, size, bold) <= room) return text;
  const chars = [...text];
  let low = 0, high = chars.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(chars.slice(0, middle).join("") + "…", size, bold) <= room) low = middle;
    else high = middle - 1;
  }
  return low ? chars.slice(0, low).join("").trimEnd() + "…" : "";
}

/** @typedef {{fill?: string, stroke?: string, width?: number, radius?: number}} Style */
/** @typedef {{size?: number, bold?: boolean, fill?: string, align?: string, halo?: string}} TextStyle */

export class CanvasPen {
  /** @param {CanvasRenderingContext2D} ctx */
  constructor(ctx) {
    this.ctx = ctx;
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {Style} style */
  rect(x, y, w, h, { fill, stroke, width = 1, radius = 0 }) {
    const c = this.ctx;
    if (!radius && fill && !stroke) {
      c.fillStyle = fill;
      c.fillRect(x, y, w, h);
      return;
    }
    c.beginPath();
    if (radius) c.roundRect(x, y, w, h, radius);
    else c.rect(x, y, w, h);
    this.finish(fill, stroke, width);
  }
  /** @param {number} x @param {number} y @param {number} r @param {Style} style */
  circle(x, y, r, { fill, stroke, width = 1 }) {
    this.ctx.beginPath();
    this.ctx.arc(x, y, r, 0, 2 * Math.PI);
    this.finish(fill, stroke, width);
  }
  finish(fill, stroke, width) {
    if (fill) {
      this.ctx.fillStyle = fill;
      this.ctx.fill();
    }
    if (stroke) {
      this.ctx.strokeStyle = stroke;
      this.ctx.lineWidth = width;
      this.ctx.stroke();
    }
  }
  /** A link, curved along one axis. */
  link(x0, y0, x1, y1, across, { stroke, width }) {
    const c = this.ctx;
    c.beginPath();
    c.moveTo(x0, y0);
    if (across) c.bezierCurveTo((x0 + x1) / 2, y0, (x0 + x1) / 2, y1, x1, y1);
    else c.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.stroke();
  }
  /** Many links of one style, as one path. @param {number[]} ends x0, y0, x1, y1, ... */
  links(ends, across, { stroke, width }) {
    const c = this.ctx;
    c.beginPath();
    for (let k = 0; k < ends.length; k += 4) {
      const x0 = ends[k], y0 = ends[k + 1], x1 = ends[k + 2], y1 = ends[k + 3];
      c.moveTo(x0, y0);
      if (Math.abs(x0 - x1) + Math.abs(y0 - y1) < 40) c.lineTo(x1, y1);
      else if (across) c.bezierCurveTo((x0 + x1) / 2, y0, (x0 + x1) / 2, y1, x1, y1);
      else c.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
    }
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.stroke();
  }
  /** Many boxes of one colour. @param {number[]} places x, y, width, height, ... @param {string} fill */
  boxes(places, fill) {
    this.ctx.fillStyle = fill;
    for (let k = 0; k < places.length; k += 4) this.ctx.fillRect(places[k], places[k + 1], places[k + 2], places[k + 3]);
  }
  /** Many dots of one colour: round, or square if they are small or many. */
  dots(list, at, radius, { fill, round }) {
    const c = this.ctx;
    c.fillStyle = fill;
    for (const k of list) {
      const r = radius(k);
      if (r < 3 || !round) c.fillRect(at.x[k] - r, at.y[k] - r, 2 * r, 2 * r);
      else {
        c.beginPath();
        c.arc(at.x[k], at.y[k], r, 0, 2 * Math.PI);
        c.fill();
      }
    }
  }
  /** @param {number} x @param {number} y @param {string} text @param {TextStyle} style */
  text(x, y, text, { size = 12, bold = false, fill, align = "left", halo = "" }) {
    const c = this.ctx;
    c.font = `${bold ? "600 " : ""}${size}px ${FONT}`;
    c.textAlign = /** @type {CanvasTextAlign} */ (align);
    c.textBaseline = "middle";
    if (halo) {
      c.strokeStyle = halo;
      c.lineWidth = 4;
      c.lineJoin = "round";
      c.strokeText(text, x, y);
    }
    c.fillStyle = fill;
    c.fillText(text, x, y);
  }
}

/** A pen for a canvas of a size in px, cleared. @param {HTMLCanvasElement} canvas */
export function cleanPen(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  // Setting the size, even to the same value, would reallocate the canvas.
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return new CanvasPen(ctx);
}

export class SvgPen {
  /** @param {SVGElement} root */
  constructor(root) {
    this.root = root;
  }
  add(tag, attributes, text) {
    const node = sv(tag, attributes);
    if (text !== undefined) node.textContent = text;
    this.root.append(node);
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {Style} style */
  rect(x, y, w, h, { fill, stroke, width = 1, radius = 0 }) {
    this.add("rect", { x, y, width: Math.max(w, 0), height: Math.max(h, 0), rx: radius, fill: fill || "none", stroke, "stroke-width": stroke ? width : undefined });
  }
  /** @param {number} x @param {number} y @param {number} r @param {Style} style */
  circle(x, y, r, { fill, stroke, width = 1 }) {
    this.add("circle", { cx: x, cy: y, r, fill: fill || "none", stroke, "stroke-width": stroke ? width : undefined });
  }
  link(x0, y0, x1, y1, across, { stroke, width }) {
    const [mx, my] = [(x0 + x1) / 2, (y0 + y1) / 2];
    const d = across ? `M${x0},${y0}C${mx},${y0} ${mx},${y1} ${x1},${y1}` : `M${x0},${y0}C${x0},${my} ${x1},${my} ${x1},${y1}`;
    this.add("path", { d, fill: "none", stroke, "stroke-width": width });
  }
  links(ends, across, style) {
    for (let k = 0; k < ends.length; k += 4) this.link(ends[k], ends[k + 1], ends[k + 2], ends[k + 3], across, style);
  }
  boxes(places, fill) {
    const two = (/** @type {number} */ v) => v.toFixed(2);
    let d = "";
    for (let k = 0; k < places.length; k += 4) d += `M${two(places[k])},${two(places[k + 1])}h${two(places[k + 2])}v${two(places[k + 3])}h${two(-places[k + 2])}z`;
    this.add("path", { d, fill });
  }
  dots(list, at, radius, { fill }) {
    for (const k of list) this.circle(at.x[k], at.y[k], radius(k), { fill });
  }
  /** @param {number} x @param {number} y @param {string} text @param {TextStyle} style */
  text(x, y, text, { size = 12, bold = false, fill, align = "left", halo = "" }) {
    this.add("text", {
      x, y, fill, "font-size": size, "font-family": FONT, "font-weight": bold ? 600 : undefined,
      "text-anchor": { left: "start", center: "middle", right: "end" }[align], "dominant-baseline": "central",
      stroke: halo || undefined, "stroke-width": halo ? 4 : undefined, "paint-order": halo ? "stroke" : undefined,
    }, text);
  }
}
