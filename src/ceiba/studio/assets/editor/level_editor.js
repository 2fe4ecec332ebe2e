// The editor of level groups: each level is a chip in the box of its branch, sorted by the target. Chips are
// dragged to another box or moved by arrow keys, all selected ones together; a further box creates a branch.

import { stackedBar } from "../../../report/assets/charts/charts.js";
import { M } from "../../../report/assets/core/model.js";
import { fmtCount, fmtNumber, fmtPercent, isolateRtl, t } from "../../../report/assets/core/format.js";
import { el, announce } from "../../../report/assets/page/dom.js";
import { barColours } from "../../../report/assets/tree/pens.js";

/** @param {any} draft with column, groups (lists of codes) and data @param {() => void} moved */
export function levelEditor(draft, moved) {
  const holder = el("div", { class: "level-editor", role: "group", "aria-label": t("s_levels_of", { column: M.columns.name[draft.column] }) });
  const paint = (focus = -1) => {
    holder.replaceChildren(...draft.groups.map((codes, b) => levelBox(draft, codes, b, change)), newBox());
    const chip = /** @type {HTMLElement|null} */ (holder.querySelector(`[data-code="${focus}"]`));
    if (chip) chip.focus({ preventScroll: true });
  };
  const change = (groups, focus) => {
    draft.groups = groups.filter((codes) => codes.length);
    draft.chosen.clear();
    paint(focus);
    moved();
  };
  draft.repaint = paint;
  paint();
  bindChipDrag(holder, draft, change);
  return el("div", {}, holder, el("p", { class: "muted small-text" }, t("s_levels_hint")));
}

/** The box in which a dropped chip creates a branch. */
const newBox = () => el("div", { class: "level-box new-box", "data-branch": "new" }, "+ " + t("s_new_branch"));

/** Move levels to another group; beyond the last one, to a new group. @param {number[][]} groups @param {number[]} moved */
function moveLevels(groups, moved, to) {
  const without = groups.map((codes) => codes.filter((c) => !moved.includes(c)));
  if (to >= without.length) return [...without, [...moved].sort((x, y) => x - y)];
  return without.map((codes, b) => (b === to ? [...codes, ...moved].sort((x, y) => x - y) : codes));
}

/** The levels that move with one: all selected, if it is one of them. */
const movedWith = (draft, code) => (draft.chosen.has(code) ? [...draft.chosen] : [code]);

/** The target of a level: its mean, or the share of the class by which levels are sorted. */
function levelFigure(draft, code) {
  const item = draft.data.levels.find((/** @type {any} */ level) => level.code === code);
  if (!item) return 0;
  return M.regression ? item.mean : item.counts[sortClass()] / (item.counts.reduce((a, n) => a + n, 0) || 1);
}
/** The second of two classes, else the one that is most frequent at the root. */
const sortClass = () => (M.K === 2 ? 1 : M.answer[0]);

/** Merge group b with the next one. @param {number[][]} groups */
const mergeGroups = (groups, b) => [...groups.slice(0, b), [...groups[b], ...groups[b + 1]].sort((x, y) => x - y), ...groups.slice(b + 2)];

function levelBox(draft, codes, b, change) {
  const merge = b + 1 < draft.groups.length && draft.groups.length > 2
    ? el("button", { class: "small", onclick: () => change(mergeGroups(draft.groups, b), codes[0]) }, t("s_merge", { a: b + 1, b: b + 2 })) : null;
  return el("div", { class: "level-box", "data-branch": b },
    el("div", { class: "level-head" }, el("strong", {}, t("s_branch", { n: b + 1 })), merge),
    el("div", { class: "chips" }, [...codes].sort((x, y) => levelFigure(draft, y) - levelFigure(draft, x)).map((code) => levelChip(draft, code, b, change))));
}

function levelChip(draft, code, b, change) {
  const name = M.columns.levels[draft.column][code];
  const last = draft.groups.length - 1;
  const chip = el("button", {
    class: "chip", "data-code": code, "aria-pressed": String(draft.chosen.has(code)), title: t("s_level_at", { level: name, n: b + 1, all: last + 1 }),
    onkeydown: (e) => {
      if (e.key === " ") {
        e.preventDefault();
        if (!draft.chosen.delete(code)) draft.chosen.add(code);
        return draft.repaint(code);
      }
      const to = e.key === "ArrowLeft" || e.key === "ArrowUp" ? b - 1 : e.key === "ArrowRight" || e.key === "ArrowDown" ? b + 1 : e.key === "n" || e.key === "Enter" ? last + 1 : NaN;
      if (Number.isNaN(to)) return;
      e.preventDefault();
      const moved = movedWith(draft, code);
      if (to < 0 || (to > last && draft.groups[b].every((c) => moved.includes(c)))) return;
      change(moveLevels(draft.groups, moved, to), code);
      announce(t("s_level_at", { level: name, n: Math.min(to, last + 1) + 1, all: draft.groups.length }));
    },
  }, el("span", { class: "chip-name" }, isolateRtl(name)));
  const counts = levelCounts(draft, code);
  if (counts) chip.append(chipBar(counts, levelFigure(draft, code)));
  return chip;
}

/** Rows of a level by class; null if it has none at this node. */
function levelCounts(draft, code) {
  const item = draft.data.levels.find((/** @type {any} */ level) => level.code === code);
  return item ? item.counts || [item.n_rows] : null;
}

/** Rows of a level, its classes as a bar, and the figure by which it is sorted. */
function chipBar(counts, figure) {
  const total = counts.reduce((a, n) => a + n, 0) || 1;
  return el("span", { class: "chip-more" }, el("span", { class: "num" }, fmtCount(total)), M.regression ? null : stackedBar(counts, barColours(), total, 40, 6, "chip-bar"),
    el("span", { class: "num chip-figure" }, M.regression ? fmtNumber(figure, 3) : fmtPercent(figure)));
}

/** Drag chips with the pointer and drop them into a box. @param {HTMLElement} holder */
function bindChipDrag(holder, draft, change) {
  /** @type {{chip: HTMLElement, x: number, y: number, moved: boolean}|null} */ let held = null;
  const boxAt = (e) => /** @type {HTMLElement|null} */ (document.elementsFromPoint(e.clientX, e.clientY).find((item) => item.classList.contains("level-box")));
  const mark = (box) => holder.querySelectorAll(".level-box").forEach((item) => item.classList.toggle("over", item === box));
  holder.addEventListener("pointerdown", (e) => {
    const chip = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (e.target).closest(".chip"));
    if (!chip || e.button) return;
    held = { chip, x: e.clientX, y: e.clientY, moved: false };
    holder.setPointerCapture(e.pointerId);
    chip.focus({ preventScroll: true });
  });
  holder.addEventListener("pointermove", (e) => {
    if (!held) return;
    const [dx, dy] = [e.clientX - held.x, e.clientY - held.y];
    held.moved = held.moved || Math.hypot(dx, dy) > 5;
    if (!held.moved) return;
    held.chip.classList.add("held");
    held.chip.style.transform = `translate(${dx}px, ${dy}px)`;
    mark(boxAt(e));
  });
  const drop = (e) => {
    if (!held) return;
    const { chip, moved } = held;
    held = null;
    chip.classList.remove("held");
    chip.style.transform = "";
    mark(null);
    const code = Number(chip.dataset.code);
    if (e.type === "pointerup" && !moved) {
      if (!draft.chosen.delete(code)) draft.chosen.add(code);
      return draft.repaint(code);
    }
    const box = e.type === "pointerup" && moved ? boxAt(e) : null;
    if (!box) return;
    change(moveLevels(draft.groups, movedWith(draft, code), box.dataset.branch === "new" ? draft.groups.length : Number(box.dataset.branch)), code);
  };
  holder.addEventListener("pointerup", drop);
  holder.addEventListener("pointercancel", drop);
}
