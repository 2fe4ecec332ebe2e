// The icicle: an overview of a tree of any size. Width = rows, colour = prediction, one line per depth; a click
// selects the node.

import { M, computeOnce, onModelChange } from "../core/model.js";
import { answerText, fmtCount, language, question, t } from "../core/format.js";
import { byId, el, pointerPosition } from "../page/dom.js";
import { currentDepth, isTerminal, isPresent, reveal, state, update } from "../page/state.js";
import { filterHits, searchHits } from "./search.js";
import { hover, showHover } from "./hover.js";
import { isLegible, shortAnswer, shortQuestion } from "./labels.js";
import { cleanPen, faintCss, palette, MAX_COLOURS, nodeColour, textOn, textWidth, toneCss, tones } from "./pens.js";
import { boxSize, icicle, scheduleIcicle, scheduleTree, screenPositions, view } from "./tree_view.js";

/** Left edge of every node, as a share of the width. */
const icicleEdges = computeOnce(() => {
  const x = new Float64Array(M.n);
  const filled = new Float64Array(M.n);
  for (let i = 1; i < M.n; i++) {
    const p = M.parent[i];
    x[i] = x[p] + filled[p];
    filled[p] += M.breadth[i];
  }
  return x;
});

export function paintIcicle() {
  const { canvas, marks, width, height } = icicle;
  if (!canvas || !marks || !width) return;
  const ratio = window.devicePixelRatio || 1;
  const key = [width, height, ratio, state.step, state.theme, language.code, state.search, JSON.stringify(state.filter), state.bigIcicle, state.casePath.join()].join("|");
  if (key !== icicle.painted) drawIcicle(cleanPen(canvas, width, height), width, height, true);
  icicle.painted = key;
  markIcicle(cleanPen(marks, width, height), width, height);
}

const icicleLine = (height) => Math.min(state.bigIcicle ? 72 : 26, height / (currentDepth() + 1));

const MIN_BOX_WIDTH = 1; // px: the narrowest box

/** Draw boxes and labels; of several boxes on one pixel, one is drawn. */
export function drawIcicle(pen, width, height, faded) {
  const x = icicleEdges();
  const line = icicleLine(height);
  const path = new Set(faded ? state.casePath : []);
  const hits = faded ? searchHits() : null;
  const passing = faded ? filterHits() : null;
  const gap = line > 8 ? 1 : 0.5;
  const drawn = new Float64Array(M.maxDepth + 1), drawnHere = new Float64Array(M.maxDepth + 1);
  const tone = tones();
  /** @type {number[][]} boxes too narrow for words, by colour */ const full = [], pale = [];
  for (let i = 0; i < M.n; i += isTerminal(i) ? M.size[i] : 1) {
    const left = x[i] * width, w = M.breadth[i] * width;
    const onWay = path.size > 0 && path.has(i), hit = hits !== null && hits[i] === 1;
    const here = onWay || hit;
    const taken = here ? drawnHere : drawn;
    if (left + w < taken[M.depth[i]] + MIN_BOX_WIDTH) continue;
    taken[M.depth[i]] = left + Math.max(w, MIN_BOX_WIDTH);
    const top = M.depth[i] * line;
    const faint = (path.size > 0 && !onWay) || (hits !== null && !hit) || (passing !== null && !passing[i]);
    const broad = Math.max(w - (w > 3 ? gap : 0), MIN_BOX_WIDTH);
    if (w < 3) {
      const to = faint ? pale : full;
      if (to[tone[i]]) to[tone[i]].push(left, top, broad, line - gap);
      else to[tone[i]] = [left, top, broad, line - gap];
      continue;
    }
    pen.rect(left, top, broad, line - gap, { fill: faint ? faintCss(tone[i]) : toneCss(tone[i]) });
    // Colours of many classes cannot be distinguished: their leaves are labelled wherever the name fits.
    if ((w > 40 || (M.K > MAX_COLOURS && isTerminal(i))) && line >= 14) {
      const size = 11;
      const whole = isTerminal(i) ? answerText(i) : question(i, 12);
      // A narrow box has the whole text or none.
      const text = textWidth(whole, size) <= w - 8 ? whole : w < 84 ? (M.K > MAX_COLOURS && isTerminal(i) && textWidth(M.classes[M.answer[i]], size) <= w - 3 ? M.classes[M.answer[i]] : "") : isTerminal(i) ? shortAnswer(i, w - 8, size) : isLegible(i, w - 8, size) ? shortQuestion(i, w - 8, size) : "";
      if (text) pen.text(left + w / 2, top + line / 2, text, { size, fill: faint ? palette.muted : textOn(nodeColour(i)), align: "center" });
    }
  }
  pale.forEach((boxes, of) => pen.boxes(boxes, faintCss(of)));
  full.forEach((boxes, of) => pen.boxes(boxes, toneCss(of)));
}

/** Draw frames around the path of the case and the selected node. */
function markIcicle(pen, width, height) {
  const x = icicleEdges();
  const line = icicleLine(height);
  const { part } = icicle;
  if (part && part.last > part.first) {
    const [left, top] = [part.first * width + 1, part.top * line + 0.5];
    const [w, h] = [Math.max((part.last - part.first) * width - 2, 4), Math.max((part.bottom + 1 - part.top) * line - 1.5, 3)];
    pen.rect(left, top, w, h, { stroke: palette.panel, width: 4 });
    pen.rect(left, top, w, h, { stroke: palette.text, width: 2 });
  }
  for (const i of [...hover.path, ...state.casePath, state.selected]) {
    if (!isPresent(i)) continue;
    const stroke = state.casePath.includes(i) ? palette.path : palette.accent;
    pen.rect(x[i] * width + 1, M.depth[i] * line + 1, Math.max(M.breadth[i] * width - 2, 2), Math.max(line - 2, 1), { stroke, width: 2.5 });
  }
}

/** The node under a point of the icicle. */
function icicleAt(px, py) {
  const x = icicleEdges();
  const depth = Math.floor(py / icicleLine(icicle.height));
  const share = px / icicle.width;
  let i = 0;
  while (M.depth[i] < depth && !isTerminal(i)) {
    let below = -1;
    for (let b = 0; b < M.nBranches(i); b++) {
      const c = M.child(i, b);
      if (share >= x[c] && share < x[c] + M.breadth[c]) below = c;
    }
    if (below < 0) break;
    i = below;
  }
  return M.depth[i] === depth || isTerminal(i) ? i : -1;
}

export function bindIcicleEvents(canvas) {
  canvas.addEventListener("click", (e) => {
    const i = icicleAt(...pointerPosition(canvas, e));
    if (i >= 0) {
      reveal(i);
      if (state.tab !== "node" && state.tab !== "prune") update({ tab: "node" });
    }
  });
  canvas.addEventListener("pointermove", (e) => {
    const [px, py] = pointerPosition(canvas, e);
    const i = icicleAt(px, py);
    const r = canvas.getBoundingClientRect();
    if (i !== hover.node) showHover(i, i < 0 ? undefined : { left: r.left + px - 12, right: r.left + px + 12, top: r.top + M.depth[i] * icicleLine(icicle.height), bottom: r.top + (M.depth[i] + 1) * icicleLine(icicle.height) });
  });
  canvas.addEventListener("pointerleave", () => showHover(-1));
}

const EDGE_CLASSES = { left: "at-left", right: "at-right", up: "at-top", down: "at-bottom" };
const EDGE_ARROWS = { left: "←", right: "→", up: "↑", down: "↓" };

/** Count the shown nodes beyond each edge of the view, and find the range of those inside. */
export function countBeyondEdges() {
  const at = screenPositions();
  const box = boxSize();
  const count = { left: 0, right: 0, up: 0, down: 0 };
  const seen = { first: 1, last: 0, top: Infinity, bottom: -1, n: 0 };
  const edges = icicleEdges();
  const { nodes } = view.layout;
  for (let k = 0; k < nodes.length; k++) {
    const x = at.x[k], y = at.y[k];
    const out = x - box.w / 4 > view.width ? "right" : x + box.w / 4 < 0 ? "left" : y - box.h / 4 > view.height ? "down" : y + box.h / 4 < 0 ? "up" : "";
    if (out) {
      count[out]++;
      continue;
    }
    const i = nodes[k];
    seen.n++;
    // The range is that of the lowest shown nodes, since an inner node spans all its branches.
    if (isTerminal(i) || state.folded.has(i)) {
      seen.first = Math.min(seen.first, edges[i]);
      seen.last = Math.max(seen.last, edges[i] + M.breadth[i]);
    }
    seen.top = Math.min(seen.top, M.depth[i]);
    seen.bottom = Math.max(seen.bottom, isTerminal(i) || !state.folded.has(i) ? M.depth[i] : currentDepth());
  }
  return { count, seen };
}

/** Buttons at the edges that pan the view; hidden if no node is beyond. */
export function edgeButtons() {
  const pan = (side) => {
    const step = { left: [1, 0], right: [-1, 0], up: [0, 1], down: [0, -1] }[side];
    Object.assign(view, { x: view.x + step[0] * view.width * 0.7, y: view.y + step[1] * view.height * 0.7, touched: true });
    scheduleTree();
  };
  return Object.keys(EDGE_ARROWS).map((side) => el("button", { class: "edge " + EDGE_CLASSES[side], id: "edge-" + side, hidden: true, onclick: () => pan(side) }));
}

/** Show how many nodes are beyond each edge, and mark the visible part in the overview. */
export function showEdges() {
  if (!view.canvas) return; // the page shows another screen
  const { count, seen } = countBeyondEdges();
  const all = seen.n === view.layout.nodes.length;
  for (const side of Object.keys(EDGE_ARROWS)) {
    const button = byId("edge-" + side);
    const n = count[side];
    if (button.hidden !== (n === 0)) button.hidden = n === 0;
    if (!n) continue;
    const text = side === "left" ? `← ${fmtCount(n)}` : `${fmtCount(n)} ${EDGE_ARROWS[side]}`;
    if (button.textContent === text) continue;
    button.textContent = text;
    button.title = t("more_nodes", { n: fmtCount(n) });
    button.setAttribute("aria-label", `${t("more_nodes", { n: fmtCount(n) })} ${EDGE_ARROWS[side]}`);
  }
  const part = all || !seen.n ? null : seen;
  if (JSON.stringify(part) !== JSON.stringify(icicle.part)) {
    icicle.part = part;
    scheduleIcicle();
  }
}

onModelChange(() => Object.assign(icicle, { painted: "", part: null }));
let edgesTimer = 0;
/** The same after a pause, for thousands of nodes. */
export function showEdgesSoon() {
  clearTimeout(edgesTimer);
  edgesTimer = setTimeout(showEdges, 120);
}
