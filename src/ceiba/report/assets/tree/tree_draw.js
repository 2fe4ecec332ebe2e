// Drawing of the tree with a pen: links, cards, bars, dots.

import { drawHistogram, histogramOf } from "../charts/charts.js";
import { M } from "../core/model.js";
import { answerText, edgeLabel, fmtCount, fmtPercent, hasNamedBranches, question, t } from "../core/format.js";
import { isTerminal, state } from "../page/state.js";
import { filterHits, searchHits } from "./search.js";
import { conditionText, elideClass, needsTwoLines, shortAnswer, shortName, shortQuestion, takesMissing } from "./labels.js";
import { barColours, cardColour, css, elide, faintCss, palette, nodeCss, textWidth, toneCss, tones, valuePosition } from "./pens.js";
import { boxSize, CARD, isFolded, isMultiway, pillText, pillWidth, screenPosition, screenPositions, SECOND_LINE, spacing, TALL_BAR, view } from "./tree_view.js";

/** Draw the visible links and nodes. */
export function drawTree(pen, width, height) {
  const box = boxSize();
  const path = new Set(state.casePath);
  const hits = searchHits();
  const passing = filterHits();
  const at = screenPositions();
  const across = view.direction === "right";
  const room = (across ? spacing(view.zoom, 1) - box.w : spacing(view.zoom, 0)) - 8;
  const scene = { pen, box, width, height, across, at, room, near: spacing(view.zoom, 0), path, hits, passing };
  if (box.level === "dot") drawDots(scene);
  else drawBoxes(scene);
}

/** Draw cards or bars and their links; links on the path of the case are drawn last. */
function drawBoxes(scene) {
  const { pen, box, width, height, at, path, hits, passing } = scene;
  const { nodes } = view.layout;
  const pad = Math.max(spacing(view.zoom, 1), 60);
  const strong = [];
  for (let k = 1; k < nodes.length; k++) {
    if (path.size > 0 && path.has(nodes[k])) strong.push(k);
    else drawLink(scene, k, false, pad);
  }
  for (const k of strong) drawLink(scene, k, true, pad);
  const draw = box.level === "card" ? drawCard : drawBar;
  for (let k = 0; k < nodes.length; k++) {
    const x = at.x[k], y = at.y[k];
    if (x < -box.w || y < -box.h || x > width + box.w || y > height + box.h) continue;
    const i = nodes[k];
    draw(pen, i, x, y, box, { selected: i === state.selected, path: path.has(i), found: hits !== null && hits[i] === 1 });
    if (passing !== null && passing[i] === 0) pen.rect(x - box.w / 2 - 2, y - box.h / 2 - 2, box.w + 4, box.h + 4, { fill: css(palette.paperRgb).replace("rgb", "rgba").replace(")", ",0.72)") });
  }
}

const MAX_HAIRLINE_SHARE = 0.25; // up to this share of the rows, links between dots are hairlines
const MANY_DOTS = 3000; // from here on, dots are squares and fewer

/**
 * Draw the tree as dots. Of several dots in one cell of the screen, one is drawn, and dots of one colour are drawn
 * together, so that the cost of a frame depends on the screen, not on the tree.
 */
export function drawDots(scene) {
  const { pen, width, height, across, at, path, hits, passing } = scene;
  const { nodes, parent } = view.layout;
  const many = nodes.length >= MANY_DOTS;
  const side = many ? 4 : 3; // px of a cell, in which one dot is drawn
  const line = Math.ceil(width / side) + 2;
  const seen = emptyCells(line * (Math.ceil(height / side) + 12));
  const visible = [], marked = [], wide = [], hair = [];
  for (let k = 0; k < nodes.length; k++) {
    const i = nodes[k];
    const x = at.x[k], y = at.y[k];
    const special = path.size > 0 && path.has(i);
    const hit = hits !== null && hits[i] === 1;
    const inside = x > -8 && y > -8 && x < width + 8 && y < height + 8;
    const cell = inside ? (Math.max(y, 0) / side | 0) * line + (Math.max(x, 0) / side | 0) : -1;
    const taken = cell >= 0 && seen[cell] >= (hit ? 2 : 1);
    if (cell >= 0) seen[cell] = hit ? 2 : Math.max(seen[cell], 1);
    if (special) marked.push(k);
    else if (inside && !(taken && M.breadth[i] < 0.01)) visible.push(k);
    if (k === 0 || taken || special) continue;
    if (M.breadth[i] > MAX_HAIRLINE_SHARE) {
      wide.push(k);
      continue;
    }
    const x0 = at.x[parent[k]], y0 = at.y[parent[k]];
    if ((x0 < 0 && x < 0) || (y0 < 0 && y < 0) || (x0 > width && x > width) || (y0 > height && y > height)) continue;
    hair.push(x0, y0, x, y);
  }
  pen.links(hair, across, { stroke: palette.line, width: 1 });
  for (const k of wide) drawLink(scene, k, false, 60);
  for (const k of marked) if (k > 0) drawLink(scene, k, true, 60);
  const tone = tones();
  /** @type {number[][]} by colour */ const full = [], faint = [];
  for (const k of visible) {
    const to = (hits !== null && hits[nodes[k]] === 0) || (passing !== null && passing[nodes[k]] === 0) ? faint : full;
    const of = tone[nodes[k]];
    if (to[of]) to[of].push(k);
    else to[of] = [k];
  }
  // Nodes that do not match are faint, below those that do.
  faint.forEach((list, of) => pen.dots(list, at, dotRadius, { fill: faintCss(of), round: !many }));
  full.forEach((list, of) => pen.dots(list, at, dotRadius, { fill: toneCss(of), round: !many }));
  if (view.layout.folded) for (const k of visible) if (isFolded(nodes[k])) pen.circle(at.x[k], at.y[k], dotRadius(k) + 0.5, { stroke: palette.accent, width: 1.5 });
  for (const k of marked) markDot(pen, k, at.x[k], at.y[k], palette.path);
}

function markDot(pen, k, x, y, stroke) {
  pen.circle(x, y, dotRadius(k) + 2, { fill: nodeCss(view.layout.nodes[k]), stroke, width: 2.5 });
}

/** Mark the selected node among dots; cards and bars show it by their border. */
export function drawSelected(pen) {
  const k = view.layout.place[state.selected];
  if (k >= 0 && boxSize().level === "dot") markDot(pen, k, ...screenPosition(k), state.casePath.includes(state.selected) ? palette.path : palette.accent);
}

export const dotRadius = (k) => 2 + 6 * Math.sqrt(M.breadth[view.layout.nodes[k]]);

let cells = new Uint8Array(0);
function emptyCells(size) {
  if (cells.length < size) cells = new Uint8Array(size);
  else cells.fill(0);
  return cells;
}

function drawLink({ pen, box, width, height, across, at, room, near }, k, strong, pad) {
  const i = view.layout.nodes[k], p = view.layout.parent[k];
  const x1 = at.x[k], y1 = at.y[k], x0 = at.x[p], y0 = at.y[p];
  if (Math.max(x0, x1) < -pad || Math.max(y0, y1) < -pad || Math.min(x0, x1) > width + pad || Math.min(y0, y1) > height + pad) return;
  const share = M.breadth[i];
  const most = box.level === "dot" ? 5 : 14;
  const style = { stroke: strong ? palette.path : palette.line, width: Math.max(strong ? 2.5 : 1, most * share) };
  if (across) pen.link(x0 + box.w / 2, y0, x1 - box.w / 2, y1, true, style);
  else pen.link(x0, y0 + box.h / 2, x1, y1 - box.h / 2, false, style);
  if (box.level === "dot") return;
  const isMarked = takesMissing(i);
  if (isMarked) drawMissingMark(pen, across ? x1 - box.w / 2 - 9 : x1, across ? y1 : y1 - box.h / 2 - 9);
  const whole = edgeLabel(M.parent[i], M.branchIndex[i]);
  const word = whole.length <= 3 ? whole : elide(whole, room, 11);
  if (!word || word === "…") return;
  const text = { size: 11, fill: strong ? palette.text : palette.muted, align: "right", halo: palette.panel };
  const margin = style.width / 2 + 3;
  if (isMultiway(M.parent[i])) {
    // On the link, on a ground of its own: between two links it would belong to neither.
    const w = textWidth(word, 11) + 6;
    const [cx, cy] = across ? [x1 - box.w / 2 - (isMarked ? 19 : 5) - w / 2, y1] : [x1, y1 - box.h / 2 - (isMarked ? 26 : 12)];
    pen.rect(cx - w / 2, cy - 7, w, 14, { fill: palette.panel, radius: 3 });
    pen.text(cx, cy, word, { ...text, align: "center", halo: "" });
  } else if (across) {
    // On the outer side of the link, where no other link passes.
    const off = Math.min(margin + 6, Math.max(near / 2 - 6, 5));
    pen.text(x1 - box.w / 2 - (isMarked ? 19 : 5), y1 + (y1 > y0 ? off : -off), word, text);
  } else if (textWidth(word, 11) > near / 2 - margin - 4) {
    pen.text(x1, y1 - box.h / 2 - (isMarked ? 24 : 10), word, { ...text, align: "center" });
  } else pen.text(x1 + (x1 > x0 ? 1 : -1) * (isMarked ? Math.max(margin, 11) : margin), y1 - box.h / 2 - 9, word, { ...text, align: x1 > x0 ? "left" : "right" });
}

/** Draw the mark of the branch for missing values. */
function drawMissingMark(pen, x, y) {
  pen.circle(x, y, 7, { fill: palette.panel, stroke: palette.muted, width: 1 });
  pen.text(x, y + 0.5, "?", { size: 11, bold: true, fill: palette.text, align: "center" });
}

/** The border of a node; on the path of the case, a selected node is marked by a ring instead. */
function borderStyle(mark) {
  if (mark.path) return { stroke: palette.path, width: 2.5 };
  if (mark.selected) return { stroke: palette.accent, width: 3 };
  if (mark.found) return { stroke: palette.accent, width: 2 };
  return { stroke: palette.line, width: 1 };
}

function drawRing(pen, left, top, w, h, mark) {
  if (mark.path && mark.selected) pen.rect(left - 3.5, top - 3.5, w + 7, h + 7, { stroke: palette.accent, width: 1.5, radius: 9 });
}

/** The head of a card: the prediction, or the split, on two lines if it is long and there is room. */
function cardHead(i, room, size, two) {
  if (isTerminal(i)) return [shortAnswer(i, room, size, true) || elide(answerText(i), room, size, true)];
  if (!two || hasNamedBranches(i) || textWidth(question(i, 12), size, true) <= room) return [shortQuestion(i, room, size, true)];
  return [shortName(M.splits.column[i], room, size, true), conditionText(i, room, size, true)];
}

function drawCard(pen, i, x, y, box, mark) {
  const { w, scale: s } = box;
  // A leaf has no histogram; it is shorter if links do not end at its top.
  const h = box.h - (isTerminal(i) && view.direction === "right" ? box.extra : 0);
  const left = x - w / 2;
  let top = y - h / 2;
  const end = isTerminal(i);
  pen.rect(left, top, w, h, { fill: css(cardColour(i)), radius: 7 * s, ...borderStyle(mark) });
  drawRing(pen, left, top, w, h, mark);
  const room = w - 20 * s;
  const heads = cardHead(i, room, 13 * s, box.two);
  const first = top + (17 + (box.two && heads.length < 2 ? SECOND_LINE / 2 : 0)) * s;
  heads.forEach((head, k) => pen.text(left + 10 * s, first + k * SECOND_LINE * s, head, { size: 13 * s, bold: true, fill: palette.text }));
  if (box.two) top += SECOND_LINE * s;
  const answer = end ? "" : shortAnswer(i, room, 11.5 * s);
  const rows = rowsLine(i, room - (answer ? textWidth(answer, 11.5 * s) + 10 * s : 0), 11.5 * s);
  const rowsWidth = rows ? textWidth(rows, 11.5 * s) : 0;
  pen.text(left + 10 * s, top + 37 * s, rows, { size: 11.5 * s, fill: palette.text });
  if (!end) pen.text(left + w - 10 * s, top + 37 * s, shortAnswer(i, room - rowsWidth - 10 * s, 11.5 * s), { size: 11.5 * s, fill: palette.text, align: "right" });
  if (M.regression) drawBox(pen, i, left + 10 * s, top + 51 * s, room, 11 * s);
  else drawShares(pen, i, left + 10 * s, top + 52 * s, room, 9 * s);
  const hist = box.extra && !end ? histogramOf(i) : null;
  if (hist) drawHistogram(pen, hist, { x: left + 10 * s, y: top + CARD.h * s, w: room, h: box.extra - 8 }, barColours(), { size: 11 });
  if (isFolded(i)) drawFold(pen, i, x, y, box);
}

/** Rows of a node, and their share of all rows if there is room. */
function rowsLine(i, room, size) {
  if (!M.hasRows) return "";
  const rows = `n ${fmtCount(M.rows[i])}`;
  const name = M.notes.get(i)?.name;
  if (name && room > textWidth(rows, size) + 30) return `${elide(name, room - textWidth(` · ${rows}`, size), size)} · ${rows}`;
  const whole = `${rows} · ${t("share_rows", { share: fmtPercent(M.rows[i] / M.rows[0]) })}`;
  return textWidth(whole, size) <= room ? whole : rows;
}

/** Draw the pill of a folded node, with its number of leaves. */
function drawFold(pen, i, x, y, box) {
  const w = pillWidth(i, box.level);
  const [px, py] = view.direction === "right" ? [x + box.w / 2 + w / 2 + 4, y] : [x, y + box.h / 2 + 11];
  pen.rect(px - w / 2, py - 9, w, 18, { fill: palette.accent, radius: 9 });
  pen.text(px, py, pillText(i, box.level), { size: 11, bold: true, fill: palette["on-accent"], align: "center" });
}

/** Draw the class shares of a node as one bar. */
export function drawShares(pen, i, left, top, w, h) {
  let x = left;
  for (let k = 0; k < M.K; k++) {
    const part = M.prob(i, k) * w;
    if (part > 0.2) pen.rect(x, top, part, h, { fill: M.payload.colours[k] });
    x += part;
  }
}

/** Draw the value of a node on the scale of all nodes: a box plot of its rows, or mean and spread. */
export function drawBox(pen, i, left, top, w, h) {
  const [low, high] = numberRange();
  const at = (v) => left + Math.min(Math.max((v - low) / (high - low || 1), 0), 1) * w;
  const middle = top + h / 2;
  pen.rect(left, middle - 0.5, w, 1, { fill: palette.line });
  if (M.boxes) {
    const q = M.boxes.slice(i * 5, i * 5 + 5);
    pen.rect(at(q[0]), middle - 1, Math.max(at(q[4]) - at(q[0]), 1), 2, { fill: palette.muted });
    pen.rect(at(q[1]), top, Math.max(at(q[3]) - at(q[1]), 2), h, { fill: M.payload.colours[0], radius: 2 });
    pen.rect(at(q[2]) - 1, top - 1, 2, h + 2, { fill: palette.text });
    return;
  }
  const spread = M.payload.criterion === "squared_error" && M.hasRows ? Math.sqrt(Math.max(M.impurity[i], 0)) : 0;
  pen.rect(at(M.value[i] - spread), middle - 2, Math.max(at(M.value[i] + spread) - at(M.value[i] - spread), 1), 4, { fill: M.payload.colours[0], radius: 2 });
  pen.circle(at(M.value[i]), middle, 4, { fill: palette.text });
}

function numberRange() {
  if (M.boxes) return [M.boxes[0], M.boxes[4]];
  const spread = M.payload.criterion === "squared_error" && M.hasRows ? Math.sqrt(Math.max(M.impurity[0], 0)) : 0;
  return [Math.min(M.low, M.value[0] - spread), Math.max(M.high, M.value[0] + spread)];
}

function drawBar(pen, i, x, y, box, mark) {
  const { w, h } = box;
  const [left, top] = [x - w / 2, y - h / 2];
  pen.rect(left, top, w, h, { fill: css(cardColour(i)), radius: 4, ...borderStyle(mark) });
  drawRing(pen, left, top, w, h, mark);
  const bold = isTerminal(i);
  if (view.direction === "down") {
    barLines(i, w - 6).forEach((line, k, all) => {
      const at = top + (all.length === 1 ? 15 : 9 + 13 * k);
      pen.text(x, at, elide(line, w - 6, 11, bold), { size: 11, bold, fill: palette.text, align: "center" });
    });
  } else if (h >= TALL_BAR[1]) drawTallBar(pen, i, left + 6, top, w - 12, h >= TALL_BAR[2]);
  else {
    const text = bold ? shortAnswer(i, w - 10, 11, true) || elide(answerText(i), w - 10, 11, true) : shortQuestion(i, w - 10, 11);
    pen.text(left + 6, top + h / 2 - 2, text, { size: 11, bold, fill: palette.text });
  }
  if (M.regression) pen.rect(left + 3, top + h - 4, (w - 6) * valuePosition(i), 3, { fill: M.payload.colours[0] });
  else drawShares(pen, i, left + 3, top + h - 4, w - 6, 3);
  if (isFolded(i)) drawFold(pen, i, x, y, box);
}

/** Draw two or three lines: split, rows, prediction; a long split takes two. */
function drawTallBar(pen, i, left, top, room, three) {
  const rows = M.hasRows ? `n ${fmtCount(M.rows[i])}` : "";
  const answerAfter = (lead) => {
    // "Survived = 1" is shortened only where it stands alone: rather omit the rows.
    if (M.hasNumericClasses && textWidth(lead + answerText(i), 11) > room) return textWidth(answerText(i), 11) <= room ? answerText(i) : lead ? rows : shortAnswer(i, room, 11);
    const answer = shortAnswer(i, room - textWidth(lead, 11), 11);
    return answer ? lead + answer : rows;
  };
  const both = answerAfter(rows ? rows + " · " : "");
  let lines;
  if (isTerminal(i)) lines = [shortAnswer(i, room, 11, true) || elide(answerText(i), room, 11, true), three ? rowsLine(i, room, 11) : rows];
  else if (!needsTwoLines(i, room)) lines = [shortQuestion(i, room, 11, true), ...(three && textWidth(`${rows} · ${answerText(i)}`, 11) > room ? [rows, answerAfter("")] : [both])];
  else lines = [shortName(M.splits.column[i], room, 11, true), conditionText(i, room, 11), ...(three ? [both] : [])];
  const first = top + 11 + 7 * ((three ? 3 : 2) - lines.length);
  lines.forEach((text, k) => pen.text(left, first + 14 * k, text, { size: 11, bold: k === 0, fill: palette.text }));
  if (three || isTerminal(i) || !needsTwoLines(i, room)) return;
  if (textWidth(lines[0], 11, true) + textWidth(rows, 11) + 8 <= room) pen.text(left + room, first, rows, { size: 11, fill: palette.text, align: "right" });
}

/** Two short lines: column and cut, or class and share. */
function barLines(i, room) {
  if (isTerminal(i)) return M.regression ? [answerText(i)] : [M.hasNumericClasses ? elideClass(M.answer[i], room, 11, true) : M.classes[M.answer[i]], fmtPercent(M.prob(i, M.answer[i]))];
  const name = shortName(M.splits.column[i], room, 11);
  if (hasNamedBranches(i)) return [shortQuestion(i, room, 11)];
  return [name, conditionText(i, room, 11)].filter(Boolean);
}
