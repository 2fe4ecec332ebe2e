// Small charts as SVG: axes, lines with bars of error, scatter. Each has a table twin for readers
// who cannot see it (made by the panels).

/** Round steps for an axis. */
function ticksOf(low, high, about = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const found = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) found.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return found;
}

/** A frame with axes; gives the scales and a layer to draw on. @param {any} options */
function frame(options) {
  let { width = 380, height = 240, x, y, xLabel = "", yLabel = "", label = "", left = 0, bottom = 38, xTicks, yTicks, xFormat = fmtTick, yFormat = fmtTick } = options;
  const rows = yTicks || ticksOf(y[0], y[1]);
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
  for (const v of xTicks || ticksOf(x[0], x[1])) {
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
  return { svg, layer, sx, sy, box };
}

function chartText(x, y, text, anchor, kind = "") {
  const node = sv("text", { x, y, "text-anchor": anchor, "dominant-baseline": "central", class: "tick " + kind });
  node.textContent = text;
  return node;
}

const pathOf = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(2)},${y.toFixed(2)}`).join("");

/** Horizontal bars as DOM: name, bar, figure. @param {{name: string, share: number, text: string, colour?: string, strong?: boolean}[]} rows */
function barList(rows) {
  return el("div", { class: "bars" }, rows.map((row) => {
    const bar = el("span", { class: "bar-fill" });
    bar.style.width = `${Math.max(0, Math.min(1, row.share)) * 100}%`;
    if (row.colour) bar.style.background = row.colour;
    return el("div", { class: "bar-row" + (row.strong ? " strong" : "") },
      el("span", { class: "bar-name", title: row.name }, row.name), el("span", { class: "bar-track" }, bar), el("span", { class: "bar-text" }, row.text));
  }));
}

/** A line of the charts' legend. */
function legend(items) {
  return el("div", { class: "legend" }, items.map(([colour, text]) => {
    const mark = el("span", { class: "swatch" });
    mark.style.background = colour;
    return el("span", { class: "legend-item" }, mark, text);
  }));
}
