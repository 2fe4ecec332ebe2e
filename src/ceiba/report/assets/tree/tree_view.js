// Layout and zoom of the tree on a canvas. The zoom changes the spacing, not the size: text stays readable, and details
// are dropped instead of shrunk (card, bar, dot). Across = order of siblings, along = depth; the tree
// grows to the right, or down if all its cards fit that way.

import { M } from "../core/model.js";
import { answerText, edgeLabel, fmtCount, question, t } from "../core/format.js";
import { isTerminal, presentLeaves, state } from "../page/state.js";
import { anyMissing, needsTwoLines, takesMissing } from "./labels.js";
import { textWidth } from "./pens.js";
import { tidyLayout } from "./tidy.js";

const SPACING = {
  // [zoom, px between neighbours, px between levels], interpolated logarithmically
  right: [[0.00001, 0.003, 3], [0.001, 0.3, 3], [0.05, 5, 40], [0.3, 25, 176], [1, 82, 256], [2, 164, 512]],
  down: [[0.00001, 0.003, 3], [0.001, 0.3, 4], [0.05, 6, 34], [0.45, 94, 74], [1, 212, 132], [2, 424, 264]],
};
export const CARD = { w: 196, h: 70 };
const BAR = { right: { w: 112, h: 21 }, down: { w: 88, h: 36 } };
const NARROW_BAR = 60; // rather than dots; its labels are shortened
const NARROW_GAP = 40;
const WIDEST_BAR = 216;
const WIDEST_CARD = 380;
const LARGEST_TEXT = 1.3; // beyond this zoom, cards get a histogram instead of larger text
export const SECOND_LINE = 17; // px of a second line in a card, for a long split
const HISTOGRAM = [46, 84]; // minimum and maximum height in a card
export const TALL_BAR = [21, 38, 52]; // heights for one, two and three lines
const MAX_ZOOM = 2.2;

export const view = {
  zoom: 1, x: 0, y: 0, stretch: [1, 1], stretched: false, direction: "right", width: 0, height: 0, touched: false,
  /** @type {HTMLCanvasElement} */ canvas: null, scheduled: false, stale: true, /** set by the pane */ paint: () => {},
  // A separate canvas for the selected dot, so that selecting a node does not repaint thousands.
  /** @type {HTMLCanvasElement} */ marks: null,
  layout: null, frameMs: 0, lines: 2, /** bars narrower than usual, where these would not fit */ narrow: false, /** text was preferred to a tree inside the canvas */ overflows: false,
};

/** The overview; see `icicle.js`. */
export const icicle = {
  /** @type {HTMLCanvasElement|null} */ canvas: null, width: 0, height: 0, scheduled: false, /** set by the pane */ paint: () => {},
  // A separate canvas for frames, so that a click does not repaint the boxes.
  /** @type {HTMLCanvasElement|null} */ marks: null, painted: "",
  /** @type {{first: number, last: number, top: number, bottom: number}|null} the part that the tree pane shows, if not all */ part: null,
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

/** The drawn distance: `fitTree` stretches or squeezes both directions to use the available room. */
export const spacing = (zoom, which) => plainSpacing(zoom, which, view.direction) * view.stretch[which];

/** The minimum stretch between levels at which boxes and links do not overlap. */
function leastStretch(zoom, direction) {
  const box = boxSize(zoom, direction);
  const gap = edgeGap();
  const room = { card: [28, gap], bar: [18, gap], dot: [-3, -3] }[box.level];
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

export function boxSize(zoom = view.zoom, direction = view.direction) {
  const level = levelOf(zoom, direction);
  if (level === "card") return cardSize(zoom, direction);
  if (level === "bar") {
    const room = view.stretched && direction === "right" ? plainSpacing(zoom, 1, direction) * view.stretch[1] - edgeGap() : 0;
    const bar = view.narrow && direction === "right" ? { w: NARROW_BAR, h: BAR.right.h } : BAR[direction];
    const tall = direction === "right" && view.stretched ? TALL_BAR.slice(0, view.lines).filter((h) => h + 8 <= spacing(zoom, 0)).pop() || bar.h : bar.h;
    return { level, scale: 1, w: Math.min(Math.max(bar.w, room), WIDEST_BAR), h: tall, extra: 0 };
  }
  return { level, scale: 1, w: 6, h: 6, extra: 0 };
}

/** The size of cards: as wide as their text, within the available room; zoomed in, with a histogram. */
function cardSize(zoom, direction) {
  const scale = Math.min(Math.max(1, zoom), LARGEST_TEXT);
  const right = direction === "right";
  const stretch = view.stretched ? view.stretch : [1, 1];
  const [near, far] = [plainSpacing(zoom, 0, direction) * stretch[0], plainSpacing(zoom, 1, direction) * stretch[1]];
  const free = right ? far - edgeGap() : near - 12;
  const w = Math.max(CARD.w * scale, Math.min(free, view.layout.wantedWidth * scale, WIDEST_CARD * scale));
  const high = (right ? near - 8 : far - 40) - CARD.h * scale;
  const extra = zoom > LARGEST_TEXT && M.histograms.size && high >= HISTOGRAM[0] ? Math.min(high, HISTOGRAM[1]) : 0;
  const two = view.stretched && view.layout.wantedWidth * scale > w + 1 && (right ? near - 8 : far - 58) - extra >= (CARD.h + SECOND_LINE) * scale;
  return { level: "card", scale, w, h: (CARD.h + (two ? SECOND_LINE : 0)) * scale + extra, extra, two };
}

/** The card width that fits the longest text of the shown nodes. */
function wantedCardWidth(nodes) {
  if (nodes.length > 120) return CARD.w;
  return nodes.reduce((most, i) => Math.max(most, 22 + textWidth(isTerminal(i) ? answerText(i) : question(i, 12), 13, true)), CARD.w);
}

export const MAX_TIDY_NODES = 1200; // larger trees are dots, laid out by slots

/** Lay out the shown nodes: positions across (in slots), and the marks that are drawn. */
export function makeLayout() {
  const nodes = [], parent = [], place = new Int32Array(M.n).fill(-1);
  for (let i = 0; i < M.n; ) {
    place[i] = nodes.length;
    nodes.push(i);
    parent.push(i === 0 ? -1 : place[M.parent[i]]);
    i += isTerminal(i) || state.folded.has(i) ? M.size[i] : 1;
  }
  const across = nodes.length > MAX_TIDY_NODES ? evenSlots(parent) : tidyLayout(parent, 1, 0.06);
  let most = 0, deep = 0;
  for (let k = 0; k < nodes.length; k++) {
    if (across[k] > most) most = across[k];
    if (M.depth[nodes[k]] > deep) deep = M.depth[nodes[k]];
  }
  const folded = state.folded.size > 0 && nodes.some(isFolded);
  const at = { x: new Float64Array(nodes.length), y: new Float64Array(nodes.length) };
  return { nodes, parent, across, place, most: most + 0.5, deep, folded, marksMissing: anyMissing() && nodes.some(takesMissing), gap: edgeRoom(nodes), wantedWidth: wantedCardWidth(nodes), at };
}

/** One slot per leaf, parents centred above their branches; fast, for thousands of nodes. */
function evenSlots(parent) {
  const n = parent.length;
  const first = new Float64Array(n).fill(-1), last = new Float64Array(n), across = new Float64Array(n);
  let slots = 0;
  for (let k = 0; k < n; k++) if (k === n - 1 || parent[k + 1] !== k) first[k] = last[k] = slots++ + 0.5;
  for (let k = n - 1; k >= 0; k--) {
    across[k] = (first[k] + last[k]) / 2;
    const p = parent[k];
    if (p < 0) continue;
    if (first[p] < 0) last[p] = across[k];
    first[p] = across[k];
  }
  return across;
}

/** Room between boxes for the labels of the edges; a label on its edge leaves some of the edge in view. */
function edgeRoom(nodes) {
  if (nodes.length > 400) return 48;
  let widest = 30;
  for (const i of nodes) if (i > 0) widest = Math.max(widest, textWidth(edgeLabel(M.parent[i], M.branchIndex[i]), 11) + (isMultiway(M.parent[i]) ? 24 : 0));
  return Math.min(widest, 130) + 12;
}

const edgeGap = () => (view.narrow ? Math.min(view.layout.gap, NARROW_GAP) : view.layout.gap);

/** Whether node i has more than two branches, whose labels are drawn on their edges. */
export const isMultiway = (i) => M.nBranches(i) > 2;

export const isFolded = (i) => !isTerminal(i) && state.folded.has(i);

/** Centre of a shown node on the screen. */
export function screenPosition(k) {
  const a = view.layout.across[k] * spacing(view.zoom, 0);
  const d = M.depth[view.layout.nodes[k]] * spacing(view.zoom, 1);
  return view.direction === "right" ? [view.x + d, view.y + a] : [view.x + a, view.y + d];
}

/** The centres of all shown nodes. */
export function screenPositions() {
  const { nodes, across, at } = view.layout;
  const right = view.direction === "right";
  const [near, far] = [spacing(view.zoom, 0), spacing(view.zoom, 1)];
  const { x, y } = at;
  for (let k = 0; k < nodes.length; k++) {
    const a = across[k] * near, d = M.depth[nodes[k]] * far;
    x[k] = view.x + (right ? d : a);
    y[k] = view.y + (right ? a : d);
  }
  return at;
}

/** The room that the tree needs at a zoom: margins for boxes, and lengths that scale with the stretches. */
function neededRoom(zoom, direction) {
  const box = boxSize(zoom, direction);
  const across = view.layout.most * plainSpacing(zoom, 0, direction);
  const along = view.layout.deep * plainSpacing(zoom, 1, direction);
  return { across, along, margin: direction === "right" ? [30, box.w + foldRoom(box) + 16] : [30, box.h + 44] };
}

/** The text of the pill of a folded node: its number of leaves. */
export function pillText(i, level) {
  const n = fmtCount(presentLeaves(i));
  return "+" + (level === "card" ? t("n_leaves", { n }) : n);
}
export const pillWidth = (i, level) => textWidth(pillText(i, level), 11, true) + 14;

/** Room for the pills of folded nodes beyond the last boxes. */
function foldRoom(box) {
  if (!view.layout.folded || box.level === "dot") return 16;
  return view.layout.nodes.reduce((most, i) => (isFolded(i) ? Math.max(most, pillWidth(i, box.level) + 14) : most), 16);
}

/** Width and height of the canvas as [across, along]. */
const canvasRoom = (direction) => (direction === "right" ? [view.height, view.width] : [view.width, view.height]);

function largestFit(direction) {
  let low = 0.00001, high = 1;
  for (let k = 0; k < 48; k++) {
    const middle = Math.sqrt(low * high);
    const { across, along, margin } = neededRoom(middle, direction);
    const [wide, long] = canvasRoom(direction);
    if (across + margin[0] <= wide && along * leastStretch(middle, direction) + margin[1] <= long) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether growing down shows more detail: cards, or at least text where growing right has none. */
function prefersDown(down, right) {
  const [d, r] = [levelOf(down, "down"), levelOf(right, "right")];
  return d === "card" || (d === "bar" && r === "dot");
}

/** The largest stretch between levels for which there is room; boxes widen with it. */
function alongStretch(along, long, margin) {
  const least = leastStretch(view.zoom, view.direction);
  const level = view.direction === "right" ? levelOf(view.zoom) : "";
  const [narrow, widest] = level === "bar" ? [view.narrow ? NARROW_BAR : BAR.right.w, WIDEST_BAR] : level === "card" ? [CARD.w, Math.min(view.layout.wantedWidth, WIDEST_CARD)] : [0, 0];
  const wider = narrow ? along / view.layout.deep : 0;
  for (let s = Math.max(level === "card" ? 2.2 : 1.4, least); s > least; s -= 0.02) {
    const grown = wider ? Math.min(Math.max(wider * s - edgeGap(), narrow), widest) - narrow : 0;
    if (along * s + margin + grown <= long) return s;
  }
  return least;
}

/** The minimum zoom with text, and how far the tree then exceeds the canvas. */
const MIN_LABEL_ZOOM = { right: 0.3, down: 0.45 };
function overflow(direction) {
  const zoom = MIN_LABEL_ZOOM[direction];
  const { across, along, margin } = neededRoom(zoom, direction);
  const [wide, long] = canvasRoom(direction);
  return Math.max((across + margin[0]) / wide, (along * leastStretch(zoom, direction) + margin[1]) / long);
}

/** Fit the tree to the canvas. With `words`, a tree of modest size is shown with text even if it exceeds the canvas. */
export function fitTree(layout = makeLayout(), words = true) {
  Object.assign(view, { layout, stretched: false, narrow: false });
  const down = largestFit("down");
  let right = largestFit("right");
  if (levelOf(right, "right") === "dot") {
    view.narrow = true; // narrow bars of text are better than dots
    right = largestFit("right");
    view.narrow = levelOf(right, "right") === "bar";
    if (!view.narrow) right = largestFit("right");
  }
  const isAuto = state.orientation === "auto";
  view.direction = isAuto ? (prefersDown(down, right) ? "down" : "right") : state.orientation;
  view.zoom = view.direction === "down" ? down : right;
  const modest = words && view.layout.nodes.length <= 90 && levelOf(view.zoom) === "dot";
  if (modest) {
    if (isAuto) view.direction = overflow("down") < overflow("right") ? "down" : "right";
    view.zoom = MIN_LABEL_ZOOM[view.direction];
  }
  // The direction is chosen once; a tree that grows or shrinks keeps it until the reader turns it.
  if (isAuto && layout.nodes.length > 1) state.orientation = view.direction;
  let box = boxSize();
  const { across, along, margin } = neededRoom(view.zoom, view.direction);
  const [wide, long] = canvasRoom(view.direction);
  const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
  view.stretch = [clamp((wide - margin[0]) / across, 1, 1.9), along ? alongStretch(along, long, margin[1]) : 1];
  view.stretched = true;
  view.lines = view.layout.nodes.length <= 90 && view.layout.nodes.some((i) => !isTerminal(i) && needsTwoLines(i, boxSize().w - 12)) ? 3 : 2;
  box = boxSize();
  const beyond = view.direction === "right" ? box.w + foldRoom(box) : box.h + 40;
  const before = [(wide - across * view.stretch[0]) / 2, (long - along * view.stretch[1] - beyond) / 2];
  if (view.direction === "right") Object.assign(view, { x: Math.max(before[1], 4) + box.w / 2, y: before[0] });
  else Object.assign(view, { x: before[0], y: Math.max(before[1], 0) + 18 + box.h / 2 });
  if (modest) Object.assign(view, { x: Math.max(view.x, box.w / 2 + 10), y: Math.max(view.y, box.h / 2 + 10) });
  Object.assign(view, { touched: false, overflows: modest });
  if (modest) bringIntoView(0, true);
  if (modest && state.casePath.length) bringIntoView(state.casePath[state.casePath.length - 1], true);
  scheduleTree();
}

/** Zoom around a point of the screen. */
export function zoomTo(zoom, px = view.width / 2, py = view.height / 2) {
  zoom = Math.min(Math.max(zoom, Math.min(0.002, view.zoom)), MAX_ZOOM);
  const [i, j] = view.direction === "right" ? [1, 0] : [0, 1];
  const before = [spacing(view.zoom, i), spacing(view.zoom, j)];
  // A squeezed tree must be stretched again, or larger boxes would overlap.
  view.stretch = [view.stretch[0], Math.max(view.stretch[1], leastStretch(zoom, view.direction))];
  const fx = spacing(zoom, i) / before[0], fy = spacing(zoom, j) / before[1];
  Object.assign(view, { x: px - (px - view.x) * fx, y: py - (py - view.y) * fy, zoom, touched: true });
  scheduleTree();
}

/** Pan the view to make a shown node visible. */
export function bringIntoView(node, gently = false) {
  const k = view.layout.place[node];
  if (k < 0) return;
  const [x, y] = screenPosition(k);
  const box = boxSize();
  const [mx, my] = [box.w / 2 + 16, box.h / 2 + 16];
  // A distant node is centred; a near one is moved no further than needed.
  const far = !gently && (x < -mx || y < -my || x > view.width + mx || y > view.height + my);
  const shift = (at, low, high, middle) => (far ? middle - at : at < low ? low - at : at > high ? high - at : 0);
  const dx = shift(x, mx, view.width - mx, view.width / 2), dy = shift(y, my, view.height - my, view.height / 2);
  view.x += dx;
  view.y += dy;
  scheduleTree(dx !== 0 || dy !== 0);
}

/** Paint a canvas with the next frame. */
function schedule(surface) {
  if (surface.scheduled) return;
  surface.scheduled = true;
  requestAnimationFrame(() => {
    surface.scheduled = false;
    surface.paint();
  });
}

/** @param {boolean} [whole] the whole tree, not only the marks */
export function scheduleTree(whole = true) {
  view.stale = view.stale || whole;
  schedule(view);
}
export const scheduleIcicle = () => schedule(icicle);

/** The shown node under a point, -1 if none. */
export function nodeAt(px, py) {
  const box = boxSize();
  const [w, h] = box.level === "dot" ? [12, 12] : [box.w, box.h];
  const at = screenPositions();
  let best = -1, near = Infinity;
  for (let k = 0; k < view.layout.nodes.length; k++) {
    const x = at.x[k], y = at.y[k];
    const fold = isFolded(view.layout.nodes[k]) && view.direction === "right" ? foldRoom(box) - 10 : 0;
    if (px < x - w / 2 || px > x + w / 2 + fold || Math.abs(py - y) > h / 2 + (box.level === "card" ? 6 : 0)) continue;
    const far = (px - x) ** 2 + (py - y) ** 2;
    if (far < near) [near, best] = [far, k];
  }
  return best < 0 ? -1 : view.layout.nodes[best];
}

/** Keep some of the tree on the canvas. */
export function clampView() {
  const { most, deep } = view.layout;
  const [a, d] = [most * spacing(view.zoom, 0), deep * spacing(view.zoom, 1)];
  const [w, h] = view.direction === "right" ? [d, a] : [a, d];
  view.x = Math.min(Math.max(view.x, 60 - w), view.width - 60);
  view.y = Math.min(Math.max(view.y, 40 - h), view.height - 40);
}
