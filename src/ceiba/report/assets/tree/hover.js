// The hover card of the node under the pointer, on keyboard focus or tapped: split or prediction, rule, histogram of the split.
// The path to the node is highlighted in tree and overview.

import { histogramOf, histogramSvg } from "../charts/charts.js";
import { ruleParts } from "../core/conditions.js";
import { M } from "../core/model.js";
import { answerText, fmtCount, fmtPercent, question, t } from "../core/format.js";
import { byId, el } from "../page/dom.js";
import { isTerminal, displayNumber, presentLeaves, state } from "../page/state.js";
import { barColours, palette, nodeCss } from "./pens.js";
import { dotRadius } from "./tree_draw.js";
import { boxSize, isFolded, scheduleIcicle, scheduleTree, screenPosition, view } from "./tree_view.js";

export const hover = { /** @type {number} the node whose card is shown, -1 if none */ node: -1, /** @type {number[]} */ path: [] };

/** The path from the root to a node. */
function pathTo(i) {
  const result = [];
  for (let a = i; a >= 0; a = M.parent[a]) result.unshift(a);
  return result;
}

/** Show the card of a node next to a box in px of the window; -1 hides it. @param {number} i @param {{left: number, top: number, right: number, bottom: number}} [box] */
export function showHover(i, box) {
  if (i === hover.node && (i < 0 || box === undefined)) return;
  const card = byId("hover-card");
  const other = i !== hover.node;
  hover.node = i;
  hover.path = i < 0 ? [] : pathTo(i);
  card.hidden = i < 0;
  if (i >= 0) {
    // The histogram is omitted if the open Node tab shows it.
    if (other) card.replaceChildren(...hoverContent(i, i === state.selected && state.tab === "node" && !state.panelHidden));
    if (box) placeCard(card, box);
  }
  if (!other) return;
  scheduleTree(false);
  scheduleIcicle();
}

/** Place the card next to the box, inside the window. */
function placeCard(card, box) {
  const { offsetWidth: w, offsetHeight: h } = card;
  const [wide, high] = [document.documentElement.clientWidth, document.documentElement.clientHeight];
  const right = box.right + 10, left = box.left - w - 10;
  const x = right + w <= wide - 4 ? right : left >= 4 ? left : Math.max(4, Math.min(box.left, wide - w - 4));
  const isBeside = x === right || x === left;
  const under = box.bottom + 10, over = box.top - h - 10;
  const y = isBeside ? (box.top + box.bottom - h) / 2 : under + h <= high - 4 ? under : over;
  Object.assign(card.style, { left: `${x}px`, top: `${Math.max(4, Math.min(y, high - h - 4))}px` });
}

/** @param {boolean} brief without the histogram */
function hoverContent(i, brief) {
  const end = isTerminal(i);
  const mark = el("span", { class: "answer-mark", style: { background: M.regression ? nodeCss(i) : M.payload.colours[M.answer[i]] } });
  const rule = ruleParts(i, 6);
  const hist = end || brief ? null : histogramOf(i);
  const parts = [
    el("p", { class: "hover-head" }, el("span", { class: "muted" }, `#${displayNumber(i)} `), el("strong", {}, end ? "" : question(i, 12)), end ? [mark, el("strong", {}, answerText(i))] : null),
    end ? null : el("p", {}, mark, answerText(i)),
    M.hasRows ? el("p", { class: "muted" }, `${t("n_rows", { n: fmtCount(M.rows[i]) })} · ${t("share_rows", { share: fmtPercent(M.rows[i] / M.rows[0], 1) })}` + (isFolded(i) ? ` · +${t("n_leaves", { n: fmtCount(presentLeaves(i)) })}` : "")) : null,
    hist ? histogramSvg(hist, barColours(), 260, 86, t("histogram")) : null,
    rule.length ? el("ul", { class: "rule" }, rule.map((part) => el("li", {}, part))) : null,
  ];
  return parts.filter(Boolean);
}

/** The box of a shown node in px of the window. */
export function windowBox(i) {
  const k = view.layout.place[i];
  if (k < 0) return null;
  const [x, y] = screenPosition(k);
  const { w, h } = boxSize();
  const at = view.canvas.getBoundingClientRect();
  return { left: at.left + x - w / 2, right: at.left + x + w / 2, top: at.top + y - h / 2, bottom: at.top + y + h / 2 };
}

/** Show the card of the selected node. */
export function hoverSelected() {
  const box = windowBox(state.selected);
  if (box) showHover(state.selected, box);
}

/** Draw the highlighted path on the canvas of marks: links, and frames around the boxes. */
export function drawHoverPath(pen) {
  if (hover.path.length < 1 || !view.layout) return;
  const box = boxSize();
  const across = view.direction === "right";
  let before = null;
  for (const i of hover.path) {
    const k = view.layout.place[i];
    if (k < 0) break;
    const [x, y] = screenPosition(k);
    if (before) {
      const style = { stroke: palette.accent, width: 2.5 };
      if (across) pen.link(before[0] + box.w / 2, before[1], x - box.w / 2, y, true, style);
      else pen.link(before[0], before[1] + box.h / 2, x, y - box.h / 2, false, style);
    }
    if (box.level === "dot") pen.circle(x, y, dotRadius(k) + 2, { stroke: palette.accent, width: 2 });
    else pen.rect(x - box.w / 2 - 1, y - box.h / 2 - 1, box.w + 2, box.h + 2, { stroke: palette.accent, width: 2.5, radius: 7 });
    before = [x, y];
  }
}
