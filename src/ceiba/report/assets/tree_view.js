// The tree on a canvas. Spacing, not size, follows the zoom: text stays readable and detail is
// dropped instead of shrunk (card, bar, dot). Across = the order of siblings, along = depth;
// the tree grows to the right, or downward when all its cards fit that way.

const SPACING = {
  // [zoom, px between neighbours, px between levels]; in between by interpolation of logarithms
  right: [[0.001, 0.3, 3], [0.05, 5, 40], [0.3, 25, 176], [1, 82, 256], [2, 164, 512]],
  down: [[0.001, 0.3, 4], [0.05, 6, 34], [0.45, 94, 74], [1, 212, 132], [2, 424, 264]],
};
const CARD = { w: 196, h: 70 };
const BAR = { right: { w: 112, h: 21 }, down: { w: 88, h: 36 } };
const WIDEST_BAR = 216;
const ZOOM_MOST = 1.8;

const view = {
  zoom: 1, x: 0, y: 0, stretch: [1, 1], stretched: false, direction: "right", width: 0, height: 0, touched: false,
  /** @type {HTMLCanvasElement} */ canvas: null, scheduled: false, layout: null, hover: -1, frameMs: 0,
};

/** Distance between neighbours (0) or between levels (1) at a zoom, before stretching. */
function plainSpacing(zoom, which, direction) {
  const table = SPACING[direction];
  let k = 1;
  while (k < table.length - 1 && zoom > table[k][0]) k++;
  const [a, b] = [table[k - 1], table[k]];
  const at = (Math.log(zoom) - Math.log(a[0])) / (Math.log(b[0]) - Math.log(a[0]));
  return Math.exp(Math.log(a[1 + which]) + at * (Math.log(b[1 + which]) - Math.log(a[1 + which])));
}

/** The same as it is drawn: `fitTree` stretches and squeezes both ways to use the room there is. */
const spacing = (zoom, which) => plainSpacing(zoom, which, view.direction) * view.stretch[which];

/** The least distance between levels at which boxes and links are still clear, as a factor. */
function leastStretch(zoom, direction) {
  const box = boxSize(zoom, direction);
  const { gap } = view.layout;
  const room = { card: [28, gap], bar: [18, gap], dot: [8, 8] }[box.level];
  const least = direction === "right" ? box.w + room[1] : box.h + room[0];
  return least / plainSpacing(zoom, 1, direction);
}

/** "card", "bar" or "dot". */
function levelOf(zoom, direction = view.direction) {
  const near = plainSpacing(zoom, 0, direction);
  const card = direction === "right" ? CARD.h + 8 : CARD.w + 10;
  const bar = direction === "right" ? BAR.right.h + 2 : BAR.down.w + 4;
  return near >= card ? "card" : near >= bar ? "bar" : "dot";
}

function boxSize(zoom = view.zoom, direction = view.direction) {
  const level = levelOf(zoom, direction);
  const scale = Math.max(1, zoom);
  if (level === "card") return { level, scale, w: CARD.w * scale, h: CARD.h * scale };
  if (level === "bar") {
    const room = view.stretched && direction === "right" ? plainSpacing(zoom, 1, direction) * view.stretch[1] - view.layout.gap : 0;
    const bar = BAR[direction];
    return { level, scale: 1, w: Math.min(Math.max(bar.w, room), WIDEST_BAR), h: bar.h };
  }
  return { level, scale: 1, w: 6, h: 6 };
}

/** Shown nodes with their places: across (in slots) and depth. */
function makeLayout() {
  const nodes = [], parent = [], place = new Map();
  for (let i = 0; i < M.n; ) {
    place.set(i, nodes.length);
    nodes.push(i);
    parent.push(i === 0 ? -1 : place.get(M.parent[i]));
    i += isEnd(i) || state.folded.has(i) ? M.size[i] : 1;
  }
  const across = tidy(parent, 1, 0.06);
  let most = 0, deep = 0;
  nodes.forEach((i, k) => {
    most = Math.max(most, across[k]);
    deep = Math.max(deep, M.depth[i]);
  });
  return { nodes, parent, across, place, most: most + 0.5, deep, folded: nodes.some(hidesSomething), gap: edgeRoom(nodes) };
}

/** Room between boxes for the words on the edges. */
function edgeRoom(nodes) {
  if (nodes.length > 400) return 48;
  let widest = 30;
  for (const i of nodes) if (i > 0) widest = Math.max(widest, textWidth(edgeWord(M.parent[i], M.branchIndex[i]), 11));
  return Math.min(widest, 110) + 18;
}

const hidesSomething = (i) => !isEnd(i) && state.folded.has(i);

/** Centre of a shown node on the screen. */
function screenPlace(k) {
  const a = view.layout.across[k] * spacing(view.zoom, 0);
  const d = M.depth[view.layout.nodes[k]] * spacing(view.zoom, 1);
  return view.direction === "right" ? [view.x + d, view.y + a] : [view.x + a, view.y + d];
}

/** The same for all shown nodes, once per frame. */
function screenPlaces() {
  const { nodes, across } = view.layout;
  const right = view.direction === "right";
  const [near, far] = [spacing(view.zoom, 0), spacing(view.zoom, 1)];
  const x = new Float64Array(nodes.length), y = new Float64Array(nodes.length);
  for (let k = 0; k < nodes.length; k++) {
    const a = across[k] * near, d = M.depth[nodes[k]] * far;
    x[k] = view.x + (right ? d : a);
    y[k] = view.y + (right ? a : d);
  }
  return { x, y };
}

/** Room the tree needs at a zoom: boxes and margins, and what grows with the two stretches. */
function needs(zoom, direction) {
  const box = boxSize(zoom, direction);
  const across = view.layout.most * plainSpacing(zoom, 0, direction);
  const along = view.layout.deep * plainSpacing(zoom, 1, direction);
  return { across, along, margin: direction === "right" ? [30, box.w + foldRoom(box) + 24] : [30, box.h + 44] };
}

/** Room for the pills of folded nodes beyond the last boxes. */
const foldRoom = (box) => (!view.layout.folded || box.level === "dot" ? 16 : box.level === "card" ? 92 : 50);

/** Width and height of the canvas as [across, along]. */
const roomOf = (direction) => (direction === "right" ? [view.height, view.width] : [view.width, view.height]);

function largestFit(direction) {
  let low = 0.001, high = 1;
  for (let k = 0; k < 40; k++) {
    const middle = Math.sqrt(low * high);
    const { across, along, margin } = needs(middle, direction);
    const [wide, long] = roomOf(direction);
    if (across + margin[0] <= wide && along * leastStretch(middle, direction) + margin[1] <= long) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether growing downward shows more: cards, or at least words where the other way has none. */
function downward(down, right) {
  const [d, r] = [levelOf(down, "down"), levelOf(right, "right")];
  return d === "card" || (d === "bar" && r === "dot");
}

/** Stretch between levels: as far as there is room, bars growing with it. */
function alongStretch(along, long, margin) {
  const least = leastStretch(view.zoom, view.direction);
  const wider = view.direction === "right" && levelOf(view.zoom) === "bar" ? along / view.layout.deep : 0;
  const narrow = wider ? BAR.right.w : 0;
  for (let s = Math.max(1.4, least); s > least; s -= 0.02) {
    const grown = wider ? Math.min(Math.max(wider * s - view.layout.gap, narrow), WIDEST_BAR) - narrow : 0;
    if (along * s + margin + grown <= long) return s;
  }
  return least;
}

/** The least zoom with words, and how far a tree then reaches beyond the canvas. */
const LEAST_WORDS = { right: 0.3, down: 0.45 };
function overflow(direction) {
  const zoom = LEAST_WORDS[direction];
  const { across, along, margin } = needs(zoom, direction);
  const [wide, long] = roomOf(direction);
  return Math.max((across + margin[0]) / wide, (along * leastStretch(zoom, direction) + margin[1]) / long);
}

/** Show the whole tree. */
function fitTree() {
  view.layout = makeLayout();
  view.stretched = false;
  const down = largestFit("down"), right = largestFit("right");
  view.direction = state.orientation !== "auto" ? state.orientation : downward(down, right) ? "down" : "right";
  view.zoom = view.direction === "down" ? down : right;
  // A tree of modest size is worth words, even if it then reaches beyond the edge.
  const modest = view.layout.nodes.length <= 90 && levelOf(view.zoom) === "dot";
  if (modest) {
    if (state.orientation === "auto") view.direction = overflow("down") < overflow("right") ? "down" : "right";
    view.zoom = LEAST_WORDS[view.direction];
  }
  let box = boxSize();
  const { across, along, margin } = needs(view.zoom, view.direction);
  const [wide, long] = roomOf(view.direction);
  const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
  view.stretch = [clamp((wide - margin[0]) / across, 1, 1.9), along ? alongStretch(along, long, margin[1]) : 1];
  view.stretched = true;
  box = boxSize();
  const before = [(wide - across * view.stretch[0]) / 2, (long - along * view.stretch[1] - (view.direction === "right" ? box.w : box.h) - 40) / 2];
  if (view.direction === "right") Object.assign(view, { x: Math.max(before[1], 0) + 10 + box.w / 2, y: before[0] });
  else Object.assign(view, { x: before[0], y: Math.max(before[1], 0) + 18 + box.h / 2 });
  if (modest) Object.assign(view, { x: Math.max(view.x, box.w / 2 + 10), y: Math.max(view.y, box.h / 2 + 10) });
  view.touched = false;
  if (modest && state.way.length) bringIntoView(state.way[state.way.length - 1], true);
  scheduleTree();
}

/** Zoom about a point of the screen. */
function zoomTo(zoom, px = view.width / 2, py = view.height / 2) {
  zoom = Math.min(Math.max(zoom, 0.002), ZOOM_MOST);
  const [i, j] = view.direction === "right" ? [1, 0] : [0, 1];
  const fx = spacing(zoom, i) / spacing(view.zoom, i), fy = spacing(zoom, j) / spacing(view.zoom, j);
  Object.assign(view, { x: px - (px - view.x) * fx, y: py - (py - view.y) * fy, zoom, touched: true });
  scheduleTree();
}

/** Move the view so that a shown node is seen. */
function bringIntoView(node, gently = false) {
  const k = view.layout.place.get(node);
  if (k === undefined) return;
  const [x, y] = screenPlace(k);
  const box = boxSize();
  const [mx, my] = [box.w / 2 + 16, box.h / 2 + 16];
  // Far away: into the middle. Just outside: no further than needed.
  const far = !gently && (x < -mx || y < -my || x > view.width + mx || y > view.height + my);
  const shift = (at, low, high, middle) => (far ? middle - at : at < low ? low - at : at > high ? high - at : 0);
  view.x += shift(x, mx, view.width - mx, view.width / 2);
  view.y += shift(y, my, view.height - my, view.height / 2);
  scheduleTree();
}

function scheduleTree() {
  if (view.scheduled) return;
  view.scheduled = true;
  requestAnimationFrame(() => {
    view.scheduled = false;
    const begin = performance.now();
    paintTree();
    view.frameMs = performance.now() - begin;
  });
}

function paintTree() {
  const { canvas, width, height } = view;
  if (!canvas || !width || !view.layout) return;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  drawTree(new CanvasPen(ctx), width, height);
}

/** Draw links, then nodes, as far as they are inside. */
function drawTree(pen, width, height) {
  const { layout } = view;
  const box = boxSize();
  const way = new Set(state.way);
  const found = searchHits();
  const at = screenPlaces();
  const across = view.direction === "right";
  const edges = { pen, box, width, height, across, at, room: (across ? spacing(view.zoom, 1) - box.w : spacing(view.zoom, 0)) - 8 };
  if (box.level === "dot") pen.links(dotLinks(at, way, width, height), across, { stroke: ink.line, width: 1 });
  const pad = Math.max(spacing(view.zoom, 1), 60);
  for (const strong of way.size ? [false, true] : [false]) {
    for (let k = 1; k < layout.nodes.length; k++) {
      const i = layout.nodes[k];
      const onWay = way.size > 0 && way.has(i) && way.has(M.parent[i]);
      if (onWay === strong && (box.level !== "dot" || strong || M.breadth[i] > THIN)) drawLink(edges, k, i, strong, pad);
    }
  }
  for (let k = 0; k < layout.nodes.length; k++) {
    const x = at.x[k], y = at.y[k];
    if (x < -box.w || y < -box.h || x > width + box.w || y > height + box.h) continue;
    const i = layout.nodes[k];
    const mark = { selected: i === state.selected, way: way.has(i), faint: (way.size && !way.has(i)) || (found && !found.has(i)), found: found && found.has(i) };
    if (box.level === "card") drawCard(pen, i, x, y, box, mark);
    else if (box.level === "bar") drawBar(pen, i, x, y, box, mark);
    else drawDot(pen, i, x, y, mark);
  }
}

const THIN = 0.25; // share of rows up to which links between dots are hairlines

/** Hairlines between dots, as far as they are inside: x0, y0, x1, y1, ... */
function dotLinks(at, way, width, height) {
  const { nodes, parent } = view.layout;
  const found = [];
  for (let k = 1; k < nodes.length; k++) {
    const p = parent[k];
    if (M.breadth[nodes[k]] > THIN || (way.size > 0 && way.has(nodes[k]))) continue;
    const x0 = at.x[p], y0 = at.y[p], x1 = at.x[k], y1 = at.y[k];
    if ((x0 < 0 && x1 < 0) || (y0 < 0 && y1 < 0) || (x0 > width && x1 > width) || (y0 > height && y1 > height)) continue;
    found.push(x0, y0, x1, y1);
  }
  return found;
}

function drawLink({ pen, box, width, height, across, at, room }, k, i, strong, pad) {
  const p = view.layout.parent[k];
  const x1 = at.x[k], y1 = at.y[k], x0 = at.x[p], y0 = at.y[p];
  if (Math.max(x0, x1) < -pad || Math.max(y0, y1) < -pad || Math.min(x0, x1) > width + pad || Math.min(y0, y1) > height + pad) return;
  const share = M.breadth[i];
  const most = box.level === "dot" ? 5 : 14;
  const style = { stroke: strong ? ink.path : ink.line, width: Math.max(strong ? 2.5 : 1, most * share) };
  if (across) pen.link(x0 + box.w / 2, y0, x1 - box.w / 2, y1, true, style);
  else pen.link(x0, y0 + box.h / 2, x1, y1 - box.h / 2, false, style);
  if (box.level === "dot" || (box.level === "bar" && !across)) return;
  const whole = edgeWord(M.parent[i], M.branchIndex[i]);
  const word = whole.length <= 3 ? whole : elide(whole, room, 11);
  if (!word || word === "…") return;
  const colour = strong ? ink.text : ink.muted;
  if (across) pen.text(x1 - box.w / 2 - 4, y1 - 1, word, { size: 11, fill: colour, align: "right", halo: ink.panel });
  else pen.text(x1, y1 - box.h / 2 - 10, word, { size: 11, fill: colour, align: "center", halo: ink.panel });
}

function borderOf(mark) {
  if (mark.selected) return { stroke: ink.accent, width: 3 };
  if (mark.way) return { stroke: ink.path, width: 2.5 };
  if (mark.found) return { stroke: ink.accent, width: 2 };
  return { stroke: ink.line, width: 1 };
}

function drawCard(pen, i, x, y, box, mark) {
  const { w, h, scale: s } = box;
  const [left, top] = [x - w / 2, y - h / 2];
  const end = isEnd(i);
  pen.rect(left, top, w, h, { fill: css(cardColour(i)), radius: 7 * s, ...borderOf(mark) });
  const room = w - 20 * s;
  const head = end ? elide(answerText(i), room, 13 * s, true) : shortQuestion(i, room, 13 * s, true);
  pen.text(left + 10 * s, top + 17 * s, head, { size: 13 * s, bold: true, fill: ink.text });
  const rows = M.known ? `n ${fmtCount(M.rows[i])} · ${fmtPercent(M.share[i])}` : "";
  const said = end ? "" : answerText(i);
  const rowsWidth = rows ? textWidth(rows, 11.5 * s) : 0;
  pen.text(left + 10 * s, top + 37 * s, rows, { size: 11.5 * s, fill: ink.text });
  if (said) pen.text(left + w - 10 * s, top + 37 * s, elide(said, room - rowsWidth - 10 * s, 11.5 * s), { size: 11.5 * s, fill: ink.text, align: "right" });
  if (M.regression) drawBox(pen, i, left + 10 * s, top + 51 * s, room, 11 * s);
  else drawShares(pen, i, left + 10 * s, top + 52 * s, room, 9 * s);
  if (hidesSomething(i)) drawFold(pen, i, x, y, box);
}

/** The pill of a folded node. */
function drawFold(pen, i, x, y, box) {
  const n = fmtCount(presentLeaves(i));
  const text = "+" + (box.level === "card" ? t("n_leaves", { n }) : n);
  const size = 11;
  const w = textWidth(text, size, true) + 14;
  const [px, py] = view.direction === "right" ? [x + box.w / 2 + w / 2 - 4, y] : [x, y + box.h / 2 + 4];
  pen.rect(px - w / 2, py - 9, w, 18, { fill: ink.accent, radius: 9 });
  pen.text(px, py, text, { size, bold: true, fill: ink["on-accent"], align: "center" });
}

/** Class shares of a node as one bar. */
function drawShares(pen, i, left, top, w, h) {
  let x = left;
  for (let k = 0; k < M.K; k++) {
    const part = M.prob(i, k) * w;
    if (part > 0.2) pen.rect(x, top, part, h, { fill: M.payload.colours[k] });
    x += part;
  }
}

/** A number's place in the range of all nodes: box plot of its rows, or mean and spread. */
function drawBox(pen, i, left, top, w, h) {
  const [low, high] = numberRange();
  const at = (v) => left + Math.min(Math.max((v - low) / (high - low || 1), 0), 1) * w;
  const middle = top + h / 2;
  pen.rect(left, middle - 0.5, w, 1, { fill: ink.line });
  if (M.boxes) {
    const q = M.boxes.slice(i * 5, i * 5 + 5);
    pen.rect(at(q[0]), middle - 1, Math.max(at(q[4]) - at(q[0]), 1), 2, { fill: ink.muted });
    pen.rect(at(q[1]), top, Math.max(at(q[3]) - at(q[1]), 2), h, { fill: "#4477AA", radius: 2 });
    pen.rect(at(q[2]) - 1, top - 1, 2, h + 2, { fill: ink.text });
    return;
  }
  const spread = M.payload.criterion === "squared_error" && M.known ? Math.sqrt(Math.max(M.impurity[i], 0)) : 0;
  pen.rect(at(M.value[i] - spread), middle - 2, Math.max(at(M.value[i] + spread) - at(M.value[i] - spread), 1), 4, { fill: "#4477AA", radius: 2 });
  pen.circle(at(M.value[i]), middle, 4, { fill: ink.text });
}

function numberRange() {
  if (M.boxes) return [M.boxes[0], M.boxes[4]];
  const spread = M.payload.criterion === "squared_error" && M.known ? Math.sqrt(Math.max(M.impurity[0], 0)) : 0;
  return [Math.min(M.low, M.value[0] - spread), Math.max(M.high, M.value[0] + spread)];
}

function drawBar(pen, i, x, y, box, mark) {
  const { w, h } = box;
  const [left, top] = [x - w / 2, y - h / 2];
  pen.rect(left, top, w, h, { fill: css(cardColour(i)), radius: 4, ...borderOf(mark) });
  const tall = view.direction === "down";
  const bold = isEnd(i);
  if (tall) {
    barLines(i).forEach((line, k, all) => {
      const at = top + (all.length === 1 ? 15 : 9 + 13 * k);
      pen.text(x, at, elide(line, w - 6, 11, bold), { size: 11, bold, fill: ink.text, align: "center" });
    });
  } else {
    const text = bold ? elide(answerText(i), w - 10, 11, true) : shortQuestion(i, w - 10, 11, false, 2);
    pen.text(left + 6, top + h / 2 - 2, text, { size: 11, bold, fill: ink.text });
  }
  if (M.regression) pen.rect(left + 3, top + h - 4, (w - 6) * strength(i), 3, { fill: "#4477AA" });
  else drawShares(pen, i, left + 3, top + h - 4, w - 6, 3);
  if (hidesSomething(i)) drawFold(pen, i, x, y, box);
}

/** Two short lines: column and cut, or class and share. */
function barLines(i) {
  if (isEnd(i)) return M.regression ? [answerText(i)] : [M.classes[M.answer[i]], fmtPercent(M.prob(i, M.answer[i]))];
  const name = M.columns.name[M.splits.column[i]];
  return [name, question(i, 2, true).slice(isolated(name).length).trim()].filter(Boolean);
}

function drawDot(pen, i, x, y, mark) {
  const r = 2 + 6 * Math.sqrt(M.breadth[i]);
  const colour = nodeCss(i);
  if (mark.selected || mark.way || mark.found) {
    pen.circle(x, y, r + 2, { fill: colour, stroke: mark.way && !mark.selected ? ink.path : ink.accent, width: 2.5 });
  } else if (isEnd(i) && r < 3.2) pen.rect(x - r, y - r, 2 * r, 2 * r, { fill: colour });
  else pen.circle(x, y, r, { fill: colour, stroke: hidesSomething(i) ? ink.accent : undefined, width: 1.5 });
}

/** The shown node under a point, -1 if none. */
function nodeAt(px, py) {
  const box = boxSize();
  const [w, h] = box.level === "dot" ? [12, 12] : [box.w, box.h];
  const at = screenPlaces();
  let best = -1, near = Infinity;
  for (let k = 0; k < view.layout.nodes.length; k++) {
    const x = at.x[k], y = at.y[k];
    const fold = hidesSomething(view.layout.nodes[k]) && view.direction === "right" ? foldRoom(box) - 10 : 0;
    if (px < x - w / 2 || px > x + w / 2 + fold || Math.abs(py - y) > h / 2 + (box.level === "card" ? 6 : 0)) continue;
    const far = (px - x) ** 2 + (py - y) ** 2;
    if (far < near) [near, best] = [far, k];
  }
  return best < 0 ? -1 : view.layout.nodes[best];
}

let hitsFor = "", hits = null;
/** Nodes that match the search: column, level, class, or number. */
function searchHits() {
  const text = state.search.trim().toLocaleLowerCase();
  if (!text) return null;
  const key = text + "|" + LANG;
  if (key === hitsFor) return hits;
  hits = new Set();
  const number = /^#?\d+$/.test(text) ? +text.replace("#", "") : -1;
  for (let i = 0; i < M.n; i++) {
    const words = M.isLeaf(i) ? answerText(i, false) : sentence(M.splits, i, 0, 99) + " " + sentence(M.splits, i, 1, 99);
    const whole = i > 0 ? words + " " + edgeWord(M.parent[i], M.branchIndex[i], 99) : words;
    if (i === number || whole.toLocaleLowerCase().includes(text)) hits.add(i);
  }
  hitsFor = key;
  return hits;
}
