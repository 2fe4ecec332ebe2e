// Two pens with the same strokes: one paints on a canvas, one writes SVG (print and export), so
// the tree and the icicle are drawn by one piece of code.

const FONT = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const widths = new Map();
const measuring = document.createElement("canvas").getContext("2d");

/** Width of a text in px. @param {string} text @param {number} size @param {boolean} [bold] */
function textWidth(text, size, bold = false) {
  const key = (bold ? "b" : "n") + size + text;
  let found = widths.get(key);
  if (found === undefined) {
    if (widths.size > 20000) widths.clear();
    measuring.font = `${bold ? "600 " : ""}${size}px ${FONT}`;
    found = measuring.measureText(text).width;
    widths.set(key, found);
  }
  return found;
}

/** Shorten a text to a width, by whole characters. */
function elide(text, room, size, bold = false) {
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

class CanvasPen {
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
  /** Many links of one look, as one path. @param {number[]} ends x0, y0, x1, y1, ... */
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
  /** Many dots of one colour: round, or square where they are too many to see the difference. */
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

/** A pen for a canvas of so many px, wiped. @param {HTMLCanvasElement} canvas */
function cleanPen(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  // To set a size, even the same, would give the canvas new memory.
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return new CanvasPen(ctx);
}

class SvgPen {
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
