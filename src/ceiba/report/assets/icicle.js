// The icicle: all rows on one screen at any size of tree. Width = rows, colour = answer, one line
// per depth; a click goes there.

const icicle = { canvas: null, width: 0, height: 0, scheduled: false, x: null };

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
  const { canvas, width, height } = icicle;
  if (!canvas || !width) return;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawIcicle(new CanvasPen(ctx), width, height, true);
}

/** Depth of the pruned tree. */
function depthNow() {
  let deep = 0;
  for (let i = 0; i < M.n; i++) if (isPresent(i) && M.depth[i] > deep) deep = M.depth[i];
  return deep;
}

const icicleLine = (height) => Math.min(26, height / (depthNow() + 1));

function drawIcicle(pen, width, height, marks) {
  const x = icicleEdges();
  const line = icicleLine(height);
  const way = new Set(marks ? state.way : []);
  const found = marks ? searchHits() : null;
  const gap = line > 8 ? 1 : 0.5;
  const strong = [];
  for (let i = 0; i < M.n; i++) {
    if (!isPresent(i)) {
      continue;
    }
    const [left, w] = [x[i] * width, M.breadth[i] * width];
    if (w < 0.15) continue;
    const top = M.depth[i] * line;
    const colour = nodeColour(i);
    const faint = (way.size && !way.has(i)) || (found && !found.has(i));
    pen.rect(left, top, Math.max(w - (w > 3 ? gap : 0), 0.4), line - gap, { fill: faint ? css(mix(colour, ink.paperRgb, 0.35)) : nodeCss(i) });
    if (marks && (i === state.selected || way.has(i))) strong.push(i);
    if (w > 40 && line >= 14) {
      const size = 11;
      const text = isEnd(i) ? elide(answerText(i), w - 8, size) : shortQuestion(i, w - 8, size, false, 2);
      if (text.length > 2) pen.text(left + w / 2, top + line / 2, text, { size, fill: faint ? ink.muted : textOn(colour), align: "center" });
    }
  }
  for (const i of strong) {
    const stroke = i === state.selected ? ink.accent : ink.path;
    pen.rect(x[i] * width + 1, M.depth[i] * line + 1, Math.max(M.breadth[i] * width - 2, 2), line - 2, { stroke, width: 2.5 });
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
    canvas.title = i >= 0 ? spoken(i) : "";
  });
}
