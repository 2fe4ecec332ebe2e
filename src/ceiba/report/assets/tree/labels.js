// Labels shortened to the width of a box. A cut is never shortened, but the name of its column is (in the middle, if
// another column has the same prefix); of a set of levels, as many are listed as fit.

import { LEVELS, M, hasMissingBranch } from "../core/model.js";
import { answerText, className, fmtCount, fmtPercent, isolateRtl, branchLevels, isMissingMarked, hasNamedBranches, question } from "../core/format.js";
import { shareGap, t } from "../core/format.js";
import { elide, textWidth } from "./pens.js";

/** Shorten a text in its middle so that `keep` of its last characters stay; "" if they do not fit. @param {string[]} chars */
function elideMiddle(chars, keep, room, size, bold) {
  const tail = "…" + chars.slice(chars.length - keep).join("");
  for (let n = chars.length - keep - 1; n > 0; n--) {
    const text = chars.slice(0, n).join("") + tail;
    if (textWidth(text, size, bold) <= room) return text;
  }
  return "";
}

/** The name of a column shortened to a width; if others have the same prefix, the part that differs is kept. */
export function shortName(j, room, size, bold = false) {
  const name = M.columns.name[j];
  const short = elide(name, room, size, bold);
  if (short === name || !short) return isolateRtl(short);
  const seen = short.slice(0, -1);
  const chars = [...name.slice(0, 400)];
  let same = 0;
  M.columns.name.forEach((other, k) => {
    if (k === j || !other.startsWith(seen)) return;
    const others = [...other];
    let n = 0;
    while (n < chars.length && chars[n] === others[n]) n++;
    if (n > same) same = n;
  });
  if (!same || same >= chars.length) return isolateRtl(short);
  const middle = elideMiddle(chars, chars.length - same, room, size, bold);
  if (middle) return isolateRtl(middle);
  const differs = (head) => head + elide(chars.slice(same).join(""), room - textWidth(head, size, bold), size, bold);
  const both = differs(chars.slice(0, 2).join("") + "…");
  return isolateRtl(both.length > 7 ? both : differs("…"));
}

/** Level names in braces, as many as fit, at least one shortened name; else their number. */
function fitLevels(names, room, size, bold = false) {
  const text = (most) => `{${names.slice(0, most).join(", ")}${most < names.length ? `, +${fmtCount(names.length - most)}` : ""}}`;
  for (let most = Math.min(names.length, 12); most > 0; most--) if (textWidth(text(most), size, bold) <= room) return text(most);
  const tail = names.length > 1 ? `, +${fmtCount(names.length - 1)}}` : "}";
  const first = elide(names[0], room - textWidth("{" + tail, size, bold), size, bold);
  return first.length > 3 ? `{${first}${tail}` : t("n_levels", { n: fmtCount(names.length) });
}

/** The part of a split after the column: cut or levels. */
export function conditionText(i, room, size, bold = false) {
  if (M.splits.kind[i] === LEVELS && !hasNamedBranches(i)) {
    const names = branchLevels(M.splits, i, 0);
    return names.length === 1 ? `= ${elide(names[0], room - textWidth("= ", size, bold), size, bold)}` : "∈ " + fitLevels(names, room - textWidth("∈ ", size, bold), size, bold);
  }
  return question(i, 3).slice(isolateRtl(M.columns.name[M.splits.column[i]]).length).trim();
}

/** Whether a width leaves some letters of the column name next to the cut. */
export const isLegible = (i, room, size) => M.splits.kind[i] === LEVELS || room - textWidth(" " + conditionText(i, room, size), size) >= 3.5 * size;

/** The split shortened to a width: rather the column alone than a part of a cut or level. */
export function shortQuestion(i, room, size, bold = false) {
  const whole = question(i, 12);
  if (textWidth(whole, size, bold) <= room) return whole;
  const j = M.splits.column[i];
  if (hasNamedBranches(i)) return shortName(j, room - textWidth("?", size, bold), size, bold) + "?";
  if (M.splits.kind[i] !== LEVELS) {
    const rest = conditionText(i, room, size, bold);
    const name = shortName(j, room - textWidth(" " + rest, size, bold), size, bold);
    return name ? `${name} ${rest}` : shortName(j, room, size, bold);
  }
  const levels = branchLevels(M.splits, i, 0);
  const isAlone = levels.length === 1;
  for (const part of [0.6, 0.5, 0.4, 0.3]) {
    const name = shortName(j, room * part, size, bold);
    const rest = conditionText(i, room - textWidth(name + " ", size, bold), size, bold);
    if (name && (isAlone ? rest.length > 4 || rest === `= ${levels[0]}` : rest.includes("{"))) return `${name} ${rest}`;
  }
  const rest = isAlone ? "" : conditionText(i, 0, size, bold);
  const name = rest && shortName(j, room - textWidth(" " + rest, size, bold), size, bold);
  return name ? `${name} ${rest}` : shortName(j, room, size, bold);
}

/** The prediction of a node shortened to a width: the class, not its share; "" if hardly a letter would be left. */
export function shortAnswer(i, room, size, bold = false) {
  const whole = answerText(i);
  if (M.regression || textWidth(whole, size, bold) <= room) return elide(whole, room, size, bold);
  const share = shareGap() + fmtPercent(M.prob(i, M.answer[i]));
  const left = room - textWidth(share, size, bold);
  const name = M.hasNumericClasses ? elideClass(M.answer[i], left, size, bold) : elide(M.classes[M.answer[i]], left, size, bold);
  if (name.length > (M.hasNumericClasses ? 2 : 3)) return isolateRtl(name) + share;
  return M.hasNumericClasses ? elideClass(M.answer[i], room, size, bold) : "";
}

/** "Survived = 1" shortened to a width: the number stays whole, the name of the target is shortened. */
export function elideClass(k, room, size, bold) {
  if (textWidth(className(k), size, bold) <= room) return className(k);
  const tail = `= ${M.classes[k]}`;
  const head = elide(M.target || t("class"), room - textWidth(" " + tail, size, bold), size, bold);
  return head.length > 3 ? `${head} ${tail}` : elide(tail, room, size, bold);
}

/** Whether node i is the branch for missing values, and the column has some. */
export function takesMissing(i) {
  const p = M.parent[i];
  if (p < 0 || hasMissingBranch(M.splits, p) || M.defaultBranch[p] !== M.branchIndex[i]) return false;
  return M.columns.n_missing[M.splits.column[p]] > 0 && isMissingMarked();
}

/** Whether the table has missing values whose branch is marked. */
export const anyMissing = () => isMissingMarked() && M.columns.n_missing.some((n) => n > 0);

/** Whether the split of an inner node needs two lines. */
export const needsTwoLines = (i, room) => !hasNamedBranches(i) && textWidth(question(i, 12), 11, true) > room;
