// The tree pane: tools, canvas, overview, legend; and its subscriptions to the state.

import { legend } from "../charts/charts.js";
import { M } from "../core/model.js";
import { className, fmtNumber, t } from "../core/format.js";
import { byId, el } from "../page/dom.js";
import { subscribe, isInitialFold, initialFold, state, update } from "../page/state.js";
import { filterBox, filterText } from "./search.js";
import { drawHoverPath, showHover } from "./hover.js";
import { edgeButtons, bindIcicleEvents, paintIcicle, showEdges, showEdgesSoon } from "./icicle.js";
import { cleanPen, css, MAX_COLOURS, numberColour, valueAtRank } from "./pens.js";
import { drawSelected, drawTree } from "./tree_draw.js";
import { buildOutline, scheduleOutline, markOutline, bindTreeEvents } from "./tree_events.js";
import { boxSize, bringIntoView, fitTree, clampView, icicle, makeLayout, MAX_TIDY_NODES, scheduleIcicle, scheduleTree, view } from "./tree_view.js";
import { zoomTo } from "./tree_view.js";

/** Enlarge the icicle; the tree is then folded to its top, unless the reader has folded it. */
function showOverview(bigIcicle) {
  const opening = isInitialFold();
  update({ bigIcicle });
  if (opening && !state.hasCase) update({ folded: initialFold() });
  fitInitially();
}

export function treePane() {
  const canvas = el("canvas", { id: "tree", "aria-hidden": "true" });
  const outline = el("div", { id: "outline", role: "tree", tabindex: 0, "aria-label": t("tree_label"), class: "outline" });
  const small = [el("canvas", { id: "icicle", "aria-hidden": "true" }), el("canvas", { id: "icicle-marks", "aria-hidden": "true" })];
  const button = (id, text, label, run) => el("button", { id, title: label, "aria-label": /[\p{L}\d]/u.test(text) ? undefined : label, onclick: run }, text);
  return el("main", { class: "left" + (state.bigIcicle ? " big-icicle" : "") },
    el("div", { class: "canvas-tools", role: "toolbar", "aria-label": t("tree") },
      button("fit", "⤢ " + t("fit"), t("fit_hint"), () => fitTree(undefined, false)), button("one", "1:1", t("one_to_one"), () => { zoomTo(1); bringIntoView(state.selected); }),
      button("zoom-in", "+", t("zoom_in"), () => zoomTo(view.zoom * 1.4)), button("zoom-out", "−", t("zoom_out"), () => zoomTo(view.zoom / 1.4)),
      button("turn", "⟲", t("turn"), () => { state.orientation = view.direction === "right" ? "down" : "right"; fitTree(); }),
      button("fold", t("fold_all"), t("fold_hint"), () => { update({ folded: initialFold() }); fitInitially(); }),
      button("unfold", t("unfold_all"), t("unfold_hint"), () => { update({ folded: new Set() }); fitTree(); }),
      button("big", "▤ " + t("overview"), t("overview_hint"), () => showOverview(!state.bigIcicle)),
      el("button", { id: "filter", "aria-expanded": String(state.filterOpen), "aria-controls": "filter-box", title: t("filter_hint"), onclick: () => update({ filterOpen: !state.filterOpen }) }, "▽ " + t("filter")),
      el("button", { id: "hide-panel", class: "to-right", "aria-expanded": String(!state.panelHidden), "aria-controls": "inspector", onclick: () => update({ panelHidden: !state.panelHidden }) }, panelText()),
      filterBox()),
    el("div", { class: "tree-holder", id: "tree-holder" }, canvas, el("canvas", { id: "tree-marks", "aria-hidden": "true" }), outline, edgeButtons(), el("div", { class: "key-hint muted" }, t("keys"))),
    el("div", { class: "icicle-holder", id: "icicle-holder" }, small),
    colourLegend());
}

const panelText = () => (state.panelHidden ? `‹ ${t("inspector")}` : `${t("hide_panel")} ›`);

/** The legend of colours and marks. @param {{folded: boolean, marksMissing: boolean}} [drawn] the marks of a printed tree; on the page, `updateLegend` shows them */
export function colourLegend(drawn) {
  const mutedText = (text) => el("span", { class: "muted" }, text);
  const key = (id, kind, mark, text) => el("span", { class: "legend-item", id: drawn ? undefined : id }, el("span", { class: kind, "aria-hidden": "true" }, mark), mutedText(text));
  const marks = [mutedText([t(M.regression ? "key_number" : "key_class"), M.hasRows ? t("key_width") : ""].filter(Boolean).join(" · "))];
  if (!drawn || drawn.marksMissing) marks.push(key("key-missing", "missing-mark", "?", t("key_missing")));
  if (!drawn || drawn.folded) marks.push(key("key-fold", "pill", "+6", t("key_fold")));
  if (M.regression) {
    const steps = new Map([0, 0.25, 0.5, 0.75, 1].map((share) => [fmtNumber(valueAtRank(share), 3), css(numberColour(share))]));
    const node = legend([...steps].map(([text, colour]) => [colour, text]));
    node.classList.add("key");
    node.append(...marks);
    return node;
  }
  const node = legend(M.classes.slice(0, MAX_COLOURS).map((_, k) => [M.payload.colours[k], className(k)]));
  node.classList.add("key");
  if (M.K > MAX_COLOURS) node.append(mutedText(t("more_classes", { n: M.K - MAX_COLOURS })), mutedText(t("key_labels")));
  node.append(...marks);
  return node;
}

/** Connect the tree to the canvases, once they are on the page. */
export function wireTree() {
  view.canvas = byId("tree");
  view.marks = byId("tree-marks");
  icicle.canvas = byId("icicle");
  icicle.marks = byId("icicle-marks");
  icicle.painted = "";
  view.paint = paintTree;
  icicle.paint = paintIcicle;
  bindTreeEvents(view.canvas, byId("outline"));
  bindIcicleEvents(icicle.canvas);
  measureCanvases();
  buildOutline(byId("outline"));
  if (resizeObserver) resizeObserver.disconnect();
  resizeObserver = new ResizeObserver(() => measureCanvases());
  resizeObserver.observe(byId("tree-holder"));
  resizeObserver.observe(byId("icicle-holder"));
}
/** @type {ResizeObserver|null} */ let resizeObserver = null;

/** Read the sizes of the canvases from the page; fit the tree unless the user has moved it. */
function measureCanvases() {
  const big = byId("tree-holder").getBoundingClientRect();
  const small = byId("icicle-holder").getBoundingClientRect();
  const changed = big.width !== view.width || big.height !== view.height;
  Object.assign(view, { width: big.width, height: big.height });
  Object.assign(icicle, { width: small.width, height: small.height });
  if (!view.layout || (changed && !view.touched)) fitInitially();
  scheduleTree();
  scheduleIcicle();
}

const LEGIBLE_BAR = 96; // px: a short split fits
/** Fit the tree; fold more of it if it is folded as initially and its text does not fit the canvas. */
export function fitInitially() {
  if (isInitialFold()) state.folded = initialFold(0, state.selected);
  fitTree();
  const isTight = () => view.overflows || (view.narrow && boxSize().w < LEGIBLE_BAR);
  for (let smaller = 1; smaller <= 3 && isTight() && view.layout.folded && isInitialFold() && !state.hasCase; smaller++) {
    state.folded = initialFold(smaller, state.selected);
    fitTree();
  }
}

/** Show the legend of the marks that the tree has. If only the zoom hides them (dots have none), their room is kept, or the page would move. */
export function updateLegend() {
  const { folded, marksMissing } = view.layout;
  const dots = boxSize().level === "dot";
  for (const [id, drawn] of /** @type {[string, boolean][]} */ ([["key-missing", marksMissing], ["key-fold", folded]])) {
    const key = byId(id);
    if (key.hidden === drawn) key.hidden = !drawn;
    const seen = dots ? "hidden" : "";
    if (key.style.visibility !== seen) key.style.visibility = seen;
  }
}

/** Subscribe the pane to the state. */
export function connectTree() {
  subscribe(["step", "folded"], (changed) => {
    view.layout = makeLayout();
    updateLegend();
    if ((changed.has("step") && !view.touched) || changed.has("casePath")) fitTree(view.layout);
    scheduleOutline();
  });
  subscribe(["selected", "step", "folded", "casePath", "search", "filter"], (changed) => {
    scheduleTree(boxSize().level !== "dot" || ["step", "folded", "casePath", "search", "filter"].some((k) => changed.has(k)));
    scheduleIcicle();
  });
  subscribe(["selected"], () => markOutline(byId("outline")));
  subscribe(["focusVersion"], () => bringIntoView(state.selected));
  // Without a new layout, the end of the path may be beyond the edge.
  subscribe(["casePath"], (changed) => {
    if (state.casePath.length && !changed.has("folded") && !changed.has("step")) bringIntoView(state.casePath[state.casePath.length - 1]);
  });
  subscribe(["filter", "step"], () => (byId("filter-found").textContent = filterText()));
  subscribe(["filterOpen"], () => {
    byId("filter-box").hidden = !state.filterOpen;
    byId("filter").setAttribute("aria-expanded", String(state.filterOpen));
  });
  subscribe(["panelHidden"], () => {
    document.querySelector(".body").classList.toggle("no-panel", state.panelHidden);
    const button = byId("hide-panel");
    button.textContent = panelText();
    button.setAttribute("aria-expanded", String(!state.panelHidden));
    measureCanvases();
  });
  subscribe(["step", "folded", "tab"], () => showHover(-1));
  subscribe(["bigIcicle"], () => {
    document.querySelector(".left").classList.toggle("big-icicle", state.bigIcicle);
    measureCanvases();
  });
}

function paintTree() {
  const begin = performance.now();
  const { canvas, marks, width, height } = view;
  if (!canvas || !width || !view.layout) return;
  if (view.stale) {
    clampView();
    drawTree(cleanPen(canvas, width, height), width, height);
    updateLegend();
    if (view.layout.nodes.length <= MAX_TIDY_NODES) showEdges();
    else showEdgesSoon();
  }
  view.stale = false;
  const pen = cleanPen(marks, width, height);
  drawHoverPath(pen);
  drawSelected(pen);
  view.frameMs = performance.now() - begin;
}

/** Disconnect the tree while its canvases are not on the page. */
export function unwireTree() {
  if (resizeObserver) resizeObserver.disconnect();
  view.canvas = icicle.canvas = null;
}
