// Where more of the tree is: a button at each edge beyond which nodes lie, and the part in view
// for the overview to frame.

const AT = { left: "at-left", right: "at-right", up: "at-top", down: "at-bottom" };
const EDGES = { left: "←", right: "→", up: "↑", down: "↓" };

/** Shown nodes by where they are: in the view, or beyond which edge. */
function beyondEdges() {
  const at = screenPlaces();
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
    // A node with branches on show stands over them all, seen or not.
    if (isEnd(i) || state.folded.has(i)) {
      seen.first = Math.min(seen.first, edges[i]);
      seen.last = Math.max(seen.last, edges[i] + M.breadth[i]);
    }
    seen.top = Math.min(seen.top, M.depth[i]);
    seen.bottom = Math.max(seen.bottom, isEnd(i) || !state.folded.has(i) ? M.depth[i] : depthNow());
  }
  return { count, seen };
}

/** Buttons at the edges; hidden where nothing lies beyond. */
function edgeButtons() {
  const pan = (side) => {
    const step = { left: [1, 0], right: [-1, 0], up: [0, 1], down: [0, -1] }[side];
    Object.assign(view, { x: view.x + step[0] * view.width * 0.7, y: view.y + step[1] * view.height * 0.7, touched: true });
    scheduleTree();
  };
  return Object.keys(EDGES).map((side) => el("button", { type: "button", class: "edge " + AT[side], id: "edge-" + side, hidden: true, onclick: () => pan(side) }));
}

/** After a painting: say how many nodes lie beyond each edge; the overview marks what is in view. */
function showEdges() {
  const { count, seen } = beyondEdges();
  const all = seen.n === view.layout.nodes.length;
  for (const side of Object.keys(EDGES)) {
    const button = document.getElementById("edge-" + side);
    const n = count[side];
    if (button.hidden !== (n === 0)) button.hidden = n === 0;
    if (!n) continue;
    const text = side === "left" ? `← ${fmtCount(n)}` : `${fmtCount(n)} ${EDGES[side]}`;
    if (button.textContent === text) continue;
    button.textContent = text;
    button.title = t("more_nodes", { n: fmtCount(n) });
    button.setAttribute("aria-label", `${t("more_nodes", { n: fmtCount(n) })} ${EDGES[side]}`);
  }
  const part = all || !seen.n ? null : seen;
  if (JSON.stringify(part) !== JSON.stringify(icicle.part)) {
    icicle.part = part;
    scheduleIcicle();
  }
}

let edgesTimer = 0;
/** Of thousands of nodes, once the hand rests. */
function showEdgesSoon() {
  clearTimeout(edgesTimer);
  edgesTimer = setTimeout(showEdges, 120);
}

/** Keep some of the tree on the canvas: no one finds back from a blank sheet. */
function holdTree() {
  const { most, deep } = view.layout;
  const [a, d] = [most * spacing(view.zoom, 0), deep * spacing(view.zoom, 1)];
  const [w, h] = view.direction === "right" ? [d, a] : [a, d];
  view.x = Math.min(Math.max(view.x, 60 - w), view.width - 60);
  view.y = Math.min(Math.max(view.y, 40 - h), view.height - 40);
}
