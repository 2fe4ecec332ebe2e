// The ghost of a split: while it is edited, its future branches stand in the tree, dashed, beside the node.

import { stackedBar } from "../../../report/assets/charts/charts.js";
import { M } from "../../../report/assets/core/model.js";
import { fmtCount, fmtNumber, fmtPercent, numberAnswer, t } from "../../../report/assets/core/format.js";
import { byId, el, sv } from "../../../report/assets/page/dom.js";
import { barColours } from "../../../report/assets/tree/pens.js";
import { boxSize, scheduleTree, screenPosition, view } from "../../../report/assets/tree/tree_view.js";
import { studio } from "../client/client.js";
import { branchText, curvePicture, medianText } from "./branches.js";

const GHOST = { w: 148, h: 66, gap: 10, away: 42, most: 6 };

/** The layer of the ghost; it is painted with the tree. */
export function wireGhost() {
  byId("tree-holder").append(el("div", { id: "ghost", class: "ghost", "aria-hidden": "true" })); // the preview says the same in words
  const paint = view.paint;
  view.paint = () => {
    paint();
    paintGhost();
  };
}

/** Draw the branches of the draft; without one, nothing. */
export function paintGhost() {
  const layer = byId("ghost");
  if (!layer) return;
  const { draft } = studio;
  const answer = draft && draft.answer;
  const k = draft && view.layout ? view.layout.place[draft.node] : -1;
  if (!answer || answer.empty || draft.error || !(k >= 0)) return layer.replaceChildren();
  const branches = answer.branches.slice(0, GHOST.most);
  if (!draft.hasRoom) makeRoom(k);
  draft.hasRoom = true;
  const places = ghostPlaces(k, branches.length);
  const [x, y] = screenPosition(k);
  const box = boxSize();
  const [from, to] = view.direction === "down" ? [[x, y + box.h / 2], [GHOST.w / 2, 0]] : [[x + box.w / 2, y], [0, GHOST.h / 2]];
  const lines = places.map(([px, py]) => sv("line", { x1: from[0], y1: from[1], x2: px + to[0], y2: py + to[1], class: "ghost-line" }));
  layer.replaceChildren(sv("svg", { width: view.width, height: view.height }, lines), ...branches.map((branch, b) => ghostCard(branch, answer.held_out && answer.held_out[b], branchText(answer.given, draft.column, b, 2), places[b])));
}

/** Move the tree so that the cards fit beyond the node; once, since the reader may move it again. */
function makeRoom(k) {
  const [x, y] = screenPosition(k);
  const box = boxSize();
  const down = view.direction === "down";
  const beyond = (down ? y + box.h / 2 + GHOST.h : x + box.w / 2 + GHOST.w) + GHOST.away + 6 - (down ? view.height : view.width);
  if (beyond <= 0) return;
  view[down ? "y" : "x"] -= beyond;
  scheduleTree();
}

/** The top left corners of the cards: below the node or to its right, and within the pane. */
function ghostPlaces(k, n) {
  const [x, y] = screenPosition(k);
  const box = boxSize();
  const down = view.direction === "down";
  const step = (down ? GHOST.w : GHOST.h) + GHOST.gap;
  const room = down ? view.width : view.height;
  const length = n * step - GHOST.gap;
  const along = down ? y + box.h / 2 + GHOST.away : x + box.w / 2 + GHOST.away;
  const limit = (down ? view.height - GHOST.h : view.width - GHOST.w) - 4;
  const beyond = Math.min(along, limit);
  const middle = (down ? x : y) - length / 2;
  const first = Math.max(4, Math.min(middle, room - length - 4));
  return Array.from({ length: n }, (_, b) => (down ? [first + b * step, beyond] : [beyond, first + b * step]));
}

/** @param {any} branch @param {any} held @param {string} text @param {number[]} place */
function ghostCard(branch, held, text, [left, top]) {
  const total = branch.counts ? branch.counts.reduce((a, n) => a + n, 0) || 1 : 1;
  return el("div", { class: "ghost-card", style: { left: `${left}px`, top: `${top}px`, width: `${GHOST.w}px`, height: `${GHOST.h}px` } },
    el("strong", {}, text), el("span", {}, `n ${fmtCount(branch.n_rows)}${M.regression ? ` · ${numberAnswer(branch.mean)}` : ""}`),
    branch.curve ? curvePicture(branch.curve) : null,
    branch.counts ? stackedBar(branch.counts, barColours(), total, GHOST.w, 7, "ghost-bar") : null,
    held && held.n_rows ? el("span", { class: "muted" }, t("s_ghost_held", { figure: heldOutFigure(branch, held) })) : null);
}

/** The error of held-out rows in a branch, as its training rows predict; their RMSE, or median time. */
function heldOutFigure(branch, held) {
  if (held.curve) return medianText(held);
  if (M.regression) return `RMSE ${fmtNumber(Math.sqrt(held.sd ** 2 + (held.mean - branch.mean) ** 2), 3)}`;
  const said = branch.counts.indexOf(Math.max(...branch.counts));
  const all = held.counts.reduce((a, n) => a + n, 0) || 1;
  return fmtPercent(1 - held.counts[said] / all);
}
