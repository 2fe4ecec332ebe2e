// Mouse, touch and keyboard events of the tree, and its outline for screen readers: a list with role=tree of the
// same nodes; focus in the outline selects on the canvas.

import { M } from "../core/model.js";
import { answerText, fmtCount, question, sentence, t } from "../core/format.js";
import { byId, el, pointerPosition } from "../page/dom.js";
import { isTerminal, reveal, state, update } from "../page/state.js";
import { hover, hoverSelected, showHover, windowBox } from "./hover.js";
import { fitTree, isFolded, nodeAt, scheduleTree, screenPosition, view, zoomTo } from "./tree_view.js";

function toggleFold(i) {
  if (isTerminal(i)) return;
  const folded = new Set(state.folded);
  if (folded.has(i)) folded.delete(i);
  else folded.add(i);
  update({ folded, selected: i });
}

/** Fold or unfold a node without moving it on the screen. */
function toggleInPlace(i) {
  const before = screenPosition(view.layout.place[i]);
  toggleFold(i);
  const after = screenPosition(view.layout.place[i]);
  view.x += before[0] - after[0];
  view.y += before[1] - after[1];
  scheduleTree();
}

/** The node that an arrow key leads to, by the direction of the tree. */
function neighbour(i, key) {
  const [back, deeper, previous, next] = view.direction === "right"
    ? ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]
    : ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
  if (key === back) return M.parent[i];
  if (key === deeper) return isTerminal(i) ? -1 : M.child(i, 0);
  const b = M.branchIndex[i] + (key === previous ? -1 : key === next ? 1 : NaN);
  const p = M.parent[i];
  if (p < 0 || Number.isNaN(b)) return -1;
  if (b >= 0 && b < M.nBranches(p)) return M.child(p, b);
  // Beyond the siblings: the nearest shown node of the same depth.
  const { nodes, place } = view.layout;
  const step = key === previous ? -1 : 1;
  for (let k = place[i] + step; k >= 0 && k < nodes.length; k += step) if (M.depth[nodes[k]] === M.depth[i]) return nodes[k];
  return -1;
}

function onTreeKey(event) {
  const i = state.selected;
  if (event.key.startsWith("Arrow")) {
    const to = neighbour(i, event.key);
    if (to >= 0) reveal(to);
    requestAnimationFrame(hoverSelected);
  } else if (event.key === " ") toggleInPlace(i);
  else if (event.key === "Enter") update({ tab: "node" });
  else if (event.key === "Home") reveal(0);
  else if (event.key === "+" || event.key === "=") zoomTo(view.zoom * 1.25);
  else if (event.key === "-") zoomTo(view.zoom / 1.25);
  else if (event.key === "0") fitTree(undefined, false);
  else if (event.key === "Escape") return showHover(-1);
  else return;
  event.preventDefault();
}

/** The text of a node for screen readers. */
function spokenText(i) {
  const path = i === 0 ? t("root") : sentence(M.splits, M.parent[i], M.branchIndex[i], 40);
  const rows = M.hasRows ? t("n_rows", { n: fmtCount(M.rows[i]) }) : "";
  const what = isTerminal(i) ? `${t("leaf")}: ${answerText(i)}` : `${t("asks")} ${question(i, 40)}; ${answerText(i)}`;
  return [path, what, rows].filter(Boolean).join(", ");
}

const MAX_OUTLINE_ITEMS = 40; // in the outline at a time

/** Build the outline as a flat list, with levels as attributes; of a large tree, only the nodes around the selected one and its ancestors. */
export function buildOutline(outline) {
  const { nodes, place } = view.layout;
  const at = Math.max(place[state.selected], 0);
  const from = nodes.length <= MAX_OUTLINE_ITEMS ? 0 : Math.max(0, Math.min(at - MAX_OUTLINE_ITEMS / 2, nodes.length - MAX_OUTLINE_ITEMS));
  const visible = nodes.slice(from, from + MAX_OUTLINE_ITEMS);
  if (from > 0) for (let a = M.parent[nodes[from]]; a >= 0; a = M.parent[a]) visible.unshift(a);
  outline.replaceChildren(...visible.map((i) => {
    const p = M.parent[i];
    return el("div", {
      role: "treeitem", id: "outline" + i, "aria-level": M.depth[i] + 1, "aria-posinset": p < 0 ? 1 : M.branchIndex[i] + 1,
      "aria-setsize": p < 0 ? 1 : M.nBranches(p), "aria-selected": i === state.selected ? "true" : "false",
      "aria-expanded": isTerminal(i) ? undefined : String(!state.folded.has(i)), text: spokenText(i),
    });
  }));
  markOutline(outline);
}

export function markOutline(outline) {
  const previous = outline.querySelector('[aria-selected="true"]');
  if (previous) previous.setAttribute("aria-selected", "false");
  const now = byId("outline" + state.selected);
  if (!now) {
    if (view.layout.place[state.selected] >= 0) scheduleOutline();
    return;
  }
  now.setAttribute("aria-selected", "true");
  outline.setAttribute("aria-activedescendant", now.id);
}

/** Bind the events of the canvas and of the outline. */
export function bindTreeEvents(canvas, outline) {
  const touches = new Map();
  let dragged = 0, pinch = 0;
  const place = (e) => pointerPosition(canvas, e);
  canvas.addEventListener("pointerdown", (e) => {
    touches.set(e.pointerId, place(e));
    canvas.setPointerCapture(e.pointerId);
    dragged = 0;
    outline.focus({ preventScroll: true });
  });
  // A press on the canvas must not take the focus from the outline.
  canvas.addEventListener("mousedown", (e) => e.preventDefault());
  canvas.addEventListener("pointermove", (e) => {
    const now = place(e);
    if (!touches.has(e.pointerId)) return hoverAt(canvas, now);
    if (dragged > 4) showHover(-1);
    const before = touches.get(e.pointerId);
    touches.set(e.pointerId, now);
    if (touches.size === 2) {
      const [a, b] = [...touches.values()];
      const distance = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (pinch) zoomTo((view.zoom * distance) / pinch, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
      pinch = distance;
      dragged = 99;
      return;
    }
    view.x += now[0] - before[0];
    view.y += now[1] - before[1];
    dragged += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    if (dragged > 4) view.touched = true;
    scheduleTree();
  });
  const up = (e) => {
    touches.delete(e.pointerId);
    pinch = 0;
    if (e.type !== "pointerup" || dragged > 4) return;
    const [px, py] = place(e);
    const i = nodeAt(px, py);
    if (i < 0) return showHover(-1);
    if (isFolded(i)) toggleInPlace(i);
    else update({ selected: i });
    if (state.tab !== "node" && state.tab !== "prune") update({ tab: "node" });
    hoverSelected();
  };
  canvas.addEventListener("pointerleave", (e) => e.pointerType === "mouse" && showHover(-1));
  outline.addEventListener("blur", () => showHover(-1));
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("dblclick", (e) => {
    const i = nodeAt(...place(e));
    if (i >= 0) toggleInPlace(i);
  });
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    zoomTo(view.zoom * Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.0016)), ...place(e));
  }, { passive: false });
  outline.addEventListener("keydown", onTreeKey);
}

/** Show the card of the node under the pointer. */
function hoverAt(canvas, place) {
  const i = nodeAt(...place);
  canvas.style.cursor = i >= 0 ? "pointer" : "grab";
  if (i !== hover.node) showHover(i, i < 0 ? undefined : windowBox(i));
}

let outlineTimer = 0;

/** Rebuild the outline after a pause. */
export function scheduleOutline() {
  clearTimeout(outlineTimer);
  outlineTimer = setTimeout(() => view.canvas && buildOutline(byId("outline")), 250);
}
