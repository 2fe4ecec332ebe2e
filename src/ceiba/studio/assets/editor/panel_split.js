// The Node tab of the editor: facts about the node, its actions, the draft of a split, and the rivals.

import { ruleParts } from "../../../report/assets/core/conditions.js";
import { M } from "../../../report/assets/core/model.js";
import { fmtCount, joinWithAnd, t } from "../../../report/assets/core/format.js";
import { selectBox, el, section } from "../../../report/assets/page/dom.js";
import { isTerminal, isPreview, nodeCurve, state, update } from "../../../report/assets/page/state.js";
import { nodeAnswer, nodeHead, nodeNotes, nodeRows, nodeSplit, ruleBox } from "../../../report/assets/panels/panel_node.js";
import { lessonQuestion, lessonResult } from "../lesson/lesson.js";
import { act, isHidden, nodeAtPath, studio, branchPathTo } from "../client/client.js";
import { warningText } from "./branches.js";
import { cutEditor } from "./cut_editor.js";
import { requestPreview, startDraft, draftSplit, discardDraft, missingChoice, previewParts } from "./draft.js";
import { levelEditor } from "./level_editor.js";
import { rivalParts, takeSplit } from "./rivals.js";

export function splitPanel() {
  const i = state.selected;
  const end = isTerminal(i);
  const hidden = isHidden(i);
  return el("div", {},
    nodeHead(i, end, studio.server.by_hand.includes(i) ? el("span", { class: "tag" }, t("s_by_hand")) : null),
    isPreview() ? el("p", { class: "warn" }, t("s_preview_only"), " ", el("button", { class: "small", onclick: () => update({ step: M.start }) }, t("back_fitted"))) : null,
    warningsOf(i),
    ruleLine(i),
    hidden ? null : nodeAnswer(i, end),
    hidden || isPreview() ? null : nodeButtons(i),
    hidden ? lessonQuestion(i) : isPreview() ? null : [draftSection(), lessonResult(i), section(t("s_rivals"), el("div", { id: "rivals", "aria-live": "off" }, rivalParts()))],
    hidden ? null : el("details", { class: "node-more" }, el("summary", {}, t("s_more_of_node")), nodeCurve.view(i), section(t("rule"), ruleBox(i)), section(t("rows"), nodeRows(i)), end ? null : section(t("split"), nodeSplit(i)), nodeNotes(i, end)),
    hidden ? null : [noteBox(i), M.payload.survival ? null : answerBox(i)]);
}

/** The rule of a node on one line. */
function ruleLine(i) {
  const parts = ruleParts(i, 6);
  return el("p", { class: "rule-line muted" }, parts.length ? joinWithAnd(parts) : t("all_rows"), M.hasRows ? ` · ${t("n_rows", { n: fmtCount(M.rows[i]) })}` : "");
}

/** The actions of a node. */
function nodeButtons(i) {
  const leaf = M.isLeaf(i);
  const sealed = studio.server.rules.some((item) => item.node === i && item.sealed);
  const siblings = M.parent[i] < 0 ? [] : Array.from({ length: M.nBranches(M.parent[i]) }, (_, b) => M.child(M.parent[i], b)).filter((k) => k !== i);
  const button = (id, key, run, off = false) => el("button", { class: "small", id, disabled: off, title: t(key + "_hint"), onclick: run }, t(key));
  return el("div", { class: "row node-buttons", role: "group", "aria-label": t("s_actions") },
    button("grow-one", "s_grow_one", () => act("grow", { node: i, levels: 1 })),
    button("grow-end", "s_grow_end", () => act("grow", { node: i, levels: null })),
    leaf ? null : button("regrow", "s_regrow", () => act("regrow", { node: i })),
    button("cut-branch", "s_cut", () => act("cut", { node: i }), leaf),
    el("button", { class: "small", id: "seal", "aria-pressed": String(sealed), title: t("s_seal_hint"), onclick: () => act("seal", { node: i, sealed: !sealed }) }, t("s_seal")),
    siblings.length && !leaf ? button("copy-sibling", "s_copy", () => copyTo(i, siblings)) : null);
}

/** Copy the splits below a node to its siblings. */
async function copyTo(i, siblings) {
  // Last sibling first: an edit changes only the numbers of the nodes after it.
  const paths = siblings.map(branchPathTo).reverse(), from = branchPathTo(i);
  for (const path of paths) if (!(await act("copy", { node: nodeAtPath(from), to: nodeAtPath(path) }))) return;
}

/** The draft of a split: editor, preview, and buttons to take or close it. */
function draftSection() {
  if (!studio.draft || studio.draft.node !== state.selected) return null;
  const name = M.columns.name[studio.draft.column];
  const { missing } = studio.draft.data;
  return el("section", { class: "block draft", id: "draft", "aria-label": name },
    el("div", { class: "node-head" }, el("h3", {}, name), el("button", { class: "small", id: "draft-close", onclick: discardDraft }, t("s_close"))),
    studio.draft.groups ? levelEditor(studio.draft, requestPreview) : cutEditor(studio.draft, requestPreview),
    missing ? el("div", { id: "missing-branch", class: "small-text" }, missingChoice()) : null,
    el("div", { id: "preview" }, previewParts()),
    el("div", { class: "row take-row" },
      el("button", { class: "primary", id: "take-draft", onclick: useDraft }, t("s_use_split")),
      studio.draft.groups ? el("button", { class: "small", id: "best-groups", onclick: () => startDraft(studio.draft.column, studio.draft.data.best.given) }, t("s_best_groups")) : null));
}

/** Split the node by the draft. */
function useDraft() {
  studio.hasTakenDraft = true;
  takeSplit(draftSplit());
}

/** The form to override the prediction of a node, with a reason. */
function answerBox(i) {
  const set = M.notes.get(i)?.answer;
  const field = M.regression ? el("input", { id: "override", type: "number", step: "any", placeholder: t("s_by_rows") })
    : selectBox("override", t("predicted"), ["", ...M.classes], set === undefined ? "" : M.classes[set], (name) => name || t("s_by_rows"), () => {});
  const reason = el("input", { id: "override-reason", type: "text", maxlength: 400, autocomplete: "off" });
  const save = () => act("override", { node: i, answer: field.value === "" ? null : M.regression ? Number(field.value) : field.value, reason: reason.value });
  return el("details", { class: "note-box", open: set !== undefined }, el("summary", {}, t("s_override")),
    el("div", { class: "note-fields" }, el("label", { for: "override" }, t("predicted")), field, el("label", { for: "override-reason" }, t("s_reason")), reason),
    el("button", { class: "small", id: "override-save", onclick: save }, t("s_override_save")));
}

/** The form for a name and a note on the node. */
function noteBox(i) {
  const written = M.notes.get(i);
  const name = el("input", { id: "note-name", type: "text", maxlength: 200, autocomplete: "off", value: written?.name || "" });
  const note = el("textarea", { id: "note-text", rows: 2, maxlength: 2000, value: written?.note || "" });
  return el("details", { class: "note-box", open: Boolean(name.value || note.value) }, el("summary", {}, t("s_note")),
    el("div", { class: "note-fields" },
      el("label", { for: "note-name" }, t("s_note_name")), name, el("label", { for: "note-text" }, t("s_note_text")), note),
    el("button", { class: "small", id: "note-save", onclick: () => act("note", { node: i, name: name.value, note: note.value }) }, t("s_note_save")));
}

/** The warnings about a node. */
function warningsOf(i) {
  const list = studio.server.warnings.filter((item) => item.node === i);
  return list.length && !isHidden(i) ? el("div", { class: "node-warnings" }, list.map((item) => el("p", { class: "warn" }, warningText(item)))) : null;
}
