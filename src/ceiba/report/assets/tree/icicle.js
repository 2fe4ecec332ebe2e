// The icicle: all rows on one screen at any size of tree. Width = rows, colour = answer, one line
// per depth; a click goes there.

const icicle = {
  /** @type {HTMLCanvasElement|null} */ canvas: null, width: 0, height: 0, scheduled: false,
  /** @type {Float64Array|null} */ x: null,
  // Frames about the way and the selected node, on a canvas of their own: a click need not repaint the boxes.
  /** @type {HTMLCanvasElement|null} */ marks: null, painted: "",
  /** @type {{first: number, last: number, top: number, bottom: number}|null} what the tree shows, if not all */ part: null,
};

/** Left edge of every node, as a share of the width. */
function icicleEdges() {
  if (icicle.x) return icicle.x;
  const x = new Float64Array(M.n);
  const filled = new Float64Array(M.n);
  for (let i = 1; i < M.n; i++) {
    const p = M.parent[i];
    x[i] = x[p] + filled[p];
    filled[p] += M.breadth[i];
  }
  icicle.x = x;
  return x;
}

function scheduleIcicle() {
  if (icicle.scheduled) return;
  icicle.scheduled = true;
  requestAnimationFrame(() => {
    icicle.scheduled = false;
    paintIcicle();
  });
}

function paintIcicle() {
  const { canvas, marks, width, height } = icicle;
  if (!canvas || !marks || !width) return;
  const ratio = window.devicePixelRatio || 1;
  const key = [width, height, ratio, state.step, state.theme, LANG, state.search, JSON.stringify(state.filter), state.bigIcicle, state.way.join()].join("|");
  if (key !== icicle.painted) drawIcicle(cleanPen(canvas, width, height), width, height, true);
  icicle.painted = key;
  markIcicle(cleanPen(marks, width, height), width, height);
}

let deepFor = { step: -1, deep: 0 };
perModel(() => {
  Object.assign(icicle, { x: null, painted: "", part: null });
  deepFor.step = -1;
});
/** Depth of the pruned tree. */
function depthNow() {
  if (deepFor.step !== state.step) {
    let deep = 0;
    for (let i = 0; i < M.n; i += isEnd(i) ? M.size[i] : 1) if (M.depth[i] > deep) deep = M.depth[i];
    deepFor = { step: state.step, deep };
  }
  return deepFor.deep;
}

const icicleLine = (height) => Math.min(state.bigIcicle ? 72 : 26, height / (depthNow() + 1));

const LEAST = 1; // px: the narrowest box

/** Boxes and words. Of the boxes that share a pixel one is drawn. */
function drawIcicle(pen, width, height, faded) {
  const x = icicleEdges();
  const line = icicleLine(height);
  const way = new Set(faded ? state.way : []);
  const found = faded ? searchHits() : null;
  const kept = faded ? filterHits() : null;
  const gap = line > 8 ? 1 : 0.5;
  const drawn = new Float64Array(M.maxDepth + 1), drawnHere = new Float64Array(M.maxDepth + 1);
  const tone = tones();
  /** @type {number[][]} boxes too narrow for words, by colour */ const full = [], pale = [];
  for (let i = 0; i < M.n; i += isEnd(i) ? M.size[i] : 1) {
    const left = x[i] * width, w = M.breadth[i] * width;
    const onWay = way.size > 0 && way.has(i), hit = found !== null && found[i] === 1;
    const here = onWay || hit;
    const taken = here ? drawnHere : drawn;
    if (left + w < taken[M.depth[i]] + LEAST) continue;
    taken[M.depth[i]] = left + Math.max(w, LEAST);
    const top = M.depth[i] * line;
    const faint = (way.size > 0 && !onWay) || (found !== null && !hit) || (kept !== null && !kept[i]);
    const broad = Math.max(w - (w > 3 ? gap : 0), LEAST);
    if (w < 3) {
      const to = faint ? pale : full;
      if (to[tone[i]]) to[tone[i]].push(left, top, broad, line - gap);
      else to[tone[i]] = [left, top, broad, line - gap];
      continue;
    }
    pen.rect(left, top, broad, line - gap, { fill: faint ? faintCss(tone[i]) : toneCss(tone[i]) });
    // Colours of many classes cannot be told apart: their leaves are named as soon as the name fits.
    if ((w > 40 || (M.K > MOST_COLOURS && isEnd(i))) && line >= 14) {
      const size = 11;
      const whole = isEnd(i) ? answerText(i) : question(i, 12, true);
      // Half a word says nothing: in a narrow box the whole text or none.
      const text = textWidth(whole, size) <= w - 8 ? whole : w < 84 ? (M.K > MOST_COLOURS && isEnd(i) && textWidth(M.classes[M.answer[i]], size) <= w - 3 ? M.classes[M.answer[i]] : "") : isEnd(i) ? shortAnswer(i, w - 8, size) : isLegible(i, w - 8, size) ? shortQuestion(i, w - 8, size) : "";
      if (text) pen.text(left + w / 2, top + line / 2, text, { size, fill: faint ? ink.muted : textOn(nodeColour(i)), align: "center" });
    }
  }
  pale.forEach((boxes, of) => pen.boxes(boxes, faintCss(of)));
  full.forEach((boxes, of) => pen.boxes(boxes, toneCss(of)));
}

/** Frames about the way of the case and the selected node. */
function markIcicle(pen, width, height) {
  const x = icicleEdges();
  const line = icicleLine(height);
  const { part } = icicle;
  if (part && part.last > part.first) {
    const [left, top] = [part.first * width + 1, part.top * line + 0.5];
    const [w, h] = [Math.max((part.last - part.first) * width - 2, 4), Math.max((part.bottom + 1 - part.top) * line - 1.5, 3)];
    pen.rect(left, top, w, h, { stroke: ink.panel, width: 4 });
    pen.rect(left, top, w, h, { stroke: ink.text, width: 2 });
  }
  for (const i of [...hover.path, ...state.way, state.selected]) {
    if (!isPresent(i)) continue;
    const stroke = state.way.includes(i) ? ink.path : ink.accent;
    pen.rect(x[i] * width + 1, M.depth[i] * line + 1, Math.max(M.breadth[i] * width - 2, 2), Math.max(line - 2, 1), { stroke, width: 2.5 });
  }
}

/** The node under a point of the icicle. */
function icicleAt(px, py) {
  const x = icicleEdges();
  const depth = Math.floor(py / icicleLine(icicle.height));
  const share = px / icicle.width;
  let i = 0;
  while (M.depth[i] < depth && !isEnd(i)) {
    let below = -1;
    for (let b = 0; b < M.nBranches(i); b++) {
      const c = M.child(i, b);
      if (share >= x[c] && share < x[c] + M.breadth[c]) below = c;
    }
    if (below < 0) break;
    i = below;
  }
  return M.depth[i] === depth || isEnd(i) ? i : -1;
}

function icicleGestures(canvas) {
  const place = (e) => {
    const r = canvas.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  canvas.addEventListener("click", (e) => {
    const i = icicleAt(...place(e));
    if (i >= 0) {
      reveal(i);
      if (state.tab !== "node" && state.tab !== "prune") update({ tab: "node" });
    }
  });
  canvas.addEventListener("pointermove", (e) => {
    const i = icicleAt(...place(e));
    const [px] = place(e);
    const r = canvas.getBoundingClientRect();
    if (i !== hover.node) showHover(i, i < 0 ? undefined : { left: r.left + px - 12, right: r.left + px + 12, top: r.top + M.depth[i] * icicleLine(icicle.height), bottom: r.top + (M.depth[i] + 1) * icicleLine(icicle.height) });
  });
  canvas.addEventListener("pointerleave", () => showHover(-1));
}
