// A histogram with its cut, drawn by any pen in any box: classes stacked, or of numbers the rows
// below and the quartiles of the target above. It knows nothing of the tree: bars come ready.

/**
 * @param {any} pen @param {Histogram} hist @param {{x: number, y: number, w: number, h: number}} box
 * @param {string[]} colours by class @param {{size?: number, words?: boolean}} [style] words: ends, cut and names below the bars
 */
function drawHistogram(pen, hist, box, colours, { size = 10, words = true } = {}) {
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
  pen.rect(box.x, floor, box.w, 1, { fill: ink.muted });
  for (const cut of hist.cuts) pen.rect(box.x + cut * box.w - 0.75, box.y, 1.5, floor - box.y + 3, { fill: ink.text });
  if (words) histogramWords(pen, hist, box, size);
}

/** Quartiles of the target in each bar as boxes, the median as a line, all on one scale. */
function drawQuartiles(pen, hist, box, bottom, gap) {
  const all = hist.bars.flatMap((bar) => bar.quartiles || []);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const sy = (v) => bottom - ((v - low) / (high - low || 1)) * (bottom - box.y - 2);
  for (const { from, to, quartiles } of hist.bars) {
    if (!quartiles) continue;
    const x = box.x + from * box.w + gap / 2, w = Math.max((to - from) * box.w - gap, 1);
    pen.rect(x, sy(quartiles[2]), w, Math.max(sy(quartiles[0]) - sy(quartiles[2]), 1), { fill: ink.line });
    pen.rect(x, sy(quartiles[1]) - 1, w, 2, { fill: ink.text });
  }
}

/** Least, cut and greatest value, or the names of the bars; what has no room is left out. */
function histogramWords(pen, hist, box, size) {
  const y = box.y + box.h - size / 2;
  const style = { size, fill: ink.muted };
  if (!hist.ends) {
    for (const bar of hist.bars) {
      const room = (bar.to - bar.from) * box.w - 2;
      const name = elide(bar.name, room, size);
      if (name.length > 1 || name === bar.name) pen.text(box.x + ((bar.from + bar.to) / 2) * box.w, y, name, { ...style, align: "center" });
    }
    return;
  }
  const [least, most] = hist.ends.map((text) => textWidth(text, size));
  /** Where the words of the cuts end; the first cut comes first. */
  let [left, right] = hist.cutTexts.length ? [Infinity, -Infinity] : [box.x + box.w, box.x + least + 8];
  hist.cutTexts.forEach((text, k) => {
    const half = textWidth(text, size, true) / 2;
    const at = Math.min(Math.max(box.x + hist.cuts[k] * box.w, box.x + half), box.x + box.w - half);
    if (at - half - 5 < right) return;
    pen.text(at, y, text, { ...style, bold: true, fill: ink.text, align: "center" });
    [left, right] = [Math.min(left, at - half - 5), at + half + 5];
  });
  if (box.x + least < left) pen.text(box.x, y, hist.ends[0], style);
  if (box.x + box.w - most > right) pen.text(box.x + box.w, y, hist.ends[1], { ...style, align: "right" });
}

/** The same as an SVG picture. @param {string} label what it shows, in words */
function histogramSvg(hist, colours, width, height, label) {
  const svg = sv("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart histogram", role: "img", "aria-label": label });
  drawHistogram(new SvgPen(svg), hist, { x: 2, y: 2, w: width - 4, h: height - 4 }, colours, { size: 11 });
  return svg;
}

/** Named bars as rows: name, stacked classes, count; a line between branches. @param {(branch: number) => string} branchName */
function namedBars(hist, colours, branchName) {
  const most = hist.bars.reduce((a, bar) => Math.max(a, bar.total), 1);
  const rows = [];
  hist.bars.forEach((bar, k) => {
    if (k === 0 || bar.branch !== hist.bars[k - 1].branch) rows.push(el("div", { class: "bar-branch muted" }, branchName(bar.branch)));
    const track = sv("svg", { viewBox: "0 0 200 12", class: "share-bar", preserveAspectRatio: "none", "aria-hidden": "true" });
    let x = 0;
    bar.counts.forEach((n, c) => {
      const w = (200 * n) / most;
      if (w > 0) track.append(sv("rect", { x, y: 0, width: w, height: 12, fill: colours[c] }));
      x += w;
    });
    const text = fmtCount(bar.total) + (bar.quartiles ? ` · ${fmtNumber(bar.quartiles[1], 3)}` : "");
    rows.push(el("div", { class: "bar-row" }, el("span", { class: "bar-name", title: bar.name }, bar.name), track, el("span", { class: "bar-text" }, text)));
  });
  return el("div", { class: "bars" }, rows);
}
