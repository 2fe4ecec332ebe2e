// The rivals of the selected node: the best split of every column, with its branches.

import { M } from "../../../report/assets/core/model.js";
import { fmtCount, fmtNumber, listNames, t } from "../../../report/assets/core/format.js";
import { byId, el, announce } from "../../../report/assets/page/dom.js";
import { renderPanel } from "../../../report/assets/page/inspector.js";
import { state } from "../../../report/assets/page/state.js";
import { act, api, showError, isHidden, studio } from "../client/client.js";
import { branchCurves, branchPicture, branchText, gainNumber, gainText, isLogRank, pText, rivals, splitText } from "./branches.js";
import { startDraft } from "./draft.js";

const MAX_RIVALS = 12;

/** The rivals of the selected node; null while they are loaded, once per node and revision. */
export function currentRivals() {
  const { revision } = studio.server;
  if (rivals.node === state.selected && rivals.revision === revision) return rivals.data;
  Object.assign(rivals, { node: state.selected, revision, data: null, all: false });
  loadRivals(state.selected, revision);
  return null;
}

async function loadRivals(node, revision) {
  const isStale = () => rivals.node !== node || rivals.revision !== revision;
  try {
    const data = await api.rivals(node);
    if (isStale()) return;
    rivals.data = data;
    fillRivals();
    if (!data.rivals.some((rival) => rival.p_bound === "pending")) return;
    const { p_values: later } = await api.pValues(node);
    if (isStale()) return;
    for (const rival of data.rivals) if (later[rival.column]) Object.assign(rival, later[rival.column]);
    fillRivals();
  } catch (error) {
    if (!isStale()) showError(error);
  }
}

function fillRivals() {
  const holder = byId("rivals");
  if (!holder) return;
  if (isHidden(state.selected)) return renderPanel();
  const held = holder.contains(document.activeElement) ? document.activeElement.id : "";
  const list = byId("rival-list");
  if (list && held === "rival-filter") list.replaceChildren(...rivalList(rivals.data)); // the field keeps its caret
  else holder.replaceChildren(...rivalParts());
  if (held && byId(held)) byId(held).focus({ preventScroll: true });
}

export function rivalParts() {
  const data = currentRivals();
  if (!data) return [el("p", { class: "muted" }, t("s_searching"))];
  return [inTreeLine(data), data.rivals.length > MAX_RIVALS || rivals.filter ? rivalFilter() : "", el("div", { id: "rival-list" }, rivalList(data))];
}

/** The split of the node, if it is not the best one of its column. */
function inTreeLine({ in_tree: item }) {
  if (!item) return "";
  const j = M.columns.name.indexOf(item.column);
  return el("div", { class: "rival current", id: "in-tree" }, el("div", { class: "rival-head" }, el("span", {}, el("span", { class: "tag" }, t("s_taken")), " ", el("strong", {}, splitText(item, j))), el("span", { class: "gain-text" }, gainText(item.gain))),
    branchRows(item, j));
}

/** The search field of the columns: Enter focuses the first match, Escape clears it. */
function rivalFilter() {
  const field = el("input", { id: "rival-filter", type: "search", autocomplete: "off",
    placeholder: t("s_find_column"), "aria-label": t("s_find_column"),
    title: t("s_find_column_hint"), value: rivals.filter });
  const search = (text) => {
    rivals.filter = text;
    fillRivals();
    announce(t("s_n_columns", { n: fmtCount(document.querySelectorAll("#rival-list .rival").length) }));
  };
  field.addEventListener("input", () => search(field.value));
  field.addEventListener("keydown", (e) => {
    const first = /** @type {HTMLElement|null} */ (document.querySelector("#rival-list .rival-name"));
    if (e.key === "Enter" && first) first.focus();
    else if (e.key === "Escape" && field.value) search((field.value = ""));
    else return;
    e.preventDefault();
  });
  return field;
}

/** A text without case and accents, for searching. */
const plainText = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
/** Whether a column matches the search. */
const matchesFilter = (name) => plainText(name).includes(plainText(rivals.filter.trim()));

function rivalList(data) {
  const usable = data.rivals.filter((rival) => rival.split !== null);
  const visible = usable.map((rival, rank) => ({ rival, rank })).filter(({ rival }) => matchesFilter(rival.column));
  const none = data.rivals.filter((rival) => rival.split === null && !rival.forbidden && matchesFilter(rival.column)).map((rival) => rival.column);
  const most = rivals.all || rivals.filter ? visible.length : MAX_RIVALS;
  const best = usable.reduce((a, rival) => Math.max(a, gainAboveChance(rival)), 0);
  const nothing = rivals.filter && usable.length ? t("s_find_none", { text: rivals.filter }) : t("s_no_split");
  const opened = studio.draft ? studio.draft.column : usable.length ? M.columns.name.indexOf(usable[0].column) : -1;
  const items = visible.slice(0, most).map(({ rival, rank }) => rivalItem(rival, rank, best, opened));
  const firstByChance = visible.slice(0, most).findIndex(({ rival }) => rival.by_chance);
  if (firstByChance >= 0) items.splice(firstByChance, 0, el("li", { class: "chance-line", id: "chance-line" }, t("s_chance_line", { p: fmtNumber(0.05) })));
  return [
    visible.length ? el("ol", { class: "rivals" }, items) : none.length && rivals.filter ? "" : el("p", { class: "muted" }, nothing),
    visible.length > most ? el("button", { class: "small", id: "all-rivals", onclick: () => { rivals.all = true; fillRivals(); } }, t("s_all_rivals", { n: fmtCount(visible.length) })) : "",
    none.length ? el("p", { class: "muted small-text" }, t("s_without_split", { columns: listNames(none, 8) })) : "",
  ];
}

/** The gain of a rival less the one that chance would give. */
const gainAboveChance = (rival) => Math.max(rival.gain - (rival.chance_gain || 0), 0);

/** A rival on one line; the chosen one with its branches and rules. */
function rivalItem(rival, k, best, opened) {
  const j = M.columns.name.indexOf(rival.column);
  const net = gainAboveChance(rival);
  const bar = el("span", { class: "gain-fill", style: { width: `${best > 0 ? (100 * net) / best : 0}%` } });
  const p = rival.p_bound === "pending" ? "p …" : rival.p_value === null ? "" : pText(rival.p_value, rival.p_bound);
  const late = !rival.by_chance && rival.p_value > 0.05 && rival.p_bound !== "at most";
  const tags = [rival.current ? "s_taken" : "", rival.forbidden ? "s_forbidden" : "", late ? "s_like_chance" : rival.by_chance && rival.p_value <= 0.05 && rival.p_bound !== "at least" ? "s_beyond_chance" : ""].filter(Boolean);
  return el("li", { class: "rival" + (rival.current ? " current" : "") + (rival.by_chance ? " by-chance" : "") + (j === opened ? " open" : ""), "data-column": rival.column },
    el("div", { class: "rival-head" },
      el("button", { class: "link rival-name", id: `rival-${k}`, title: `${splitText(rival, j)} · ${t("s_open_column")}`, onclick: () => startDraft(j, rival.given) }, splitText(rival, j)),
      tags.map((key) => el("span", { class: "tag" }, t(key))),
      el("span", { class: "gain-track" }, bar), el("span", { class: "gain-text", title: gainHint(rival) }, gainNumber(net)), el("span", { class: "muted p-text" }, p),
      el("button", { class: "small take", id: `take-${k}`, disabled: rival.current, "aria-label": t("s_take_split", { split: rival.split }), onclick: () => takeSplit(rival.given) }, t("s_take"))),
    j === opened ? [el("p", { class: "muted small-text gain-hint" }, gainHint(rival)), branchRows(rival, j), el("div", { class: "row rival-buttons" }, columnRules(rival.column, k))] : null);
}

/** What the split takes away, and how much of it chance would. */
const gainHint = (rival) => gainText(rival.gain) + (rival.chance_gain > 0 ? ` · ${t(isLogRank() ? "s_gain_chance_logrank" : "s_gain_chance", { gain: gainNumber(rival.chance_gain) })}` : "");

/** The branches of a split: condition, rows, target. */
const branchRows = (item, j) => el("div", { class: "rival-branches" }, M.payload.survival && !studio.draft ? branchCurves(item.branches, (b) => branchText(item.given, j, b)) : null, item.branches.map((branch, b) => el("div", { class: "rival-branch" },
  el("span", { class: "branch-name", title: branch.text }, branchText(item.given, j, b)), el("span", { class: "num" }, fmtCount(branch.n_rows)), branchPicture(branch))));

/** Buttons to forbid or prefer a column at and below the node. */
function columnRules(column, k) {
  const rule = currentRule();
  const toggle = (name, id, words) => {
    const on = rule[name].includes(column);
    const rest = on ? rule[name].filter((c) => c !== column) : [...rule[name], column];
    return el("button", { class: "small", id: `${id}-${k}`, "aria-pressed": String(on), title: t(words + "_hint", { column }), "aria-label": `${t(words)}: ${column}`, onclick: () => act(name, { node: state.selected, columns: rest }) }, t(words));
  };
  return [toggle("forbid", "forbid", "s_forbid"), toggle("prefer", "prefer", "s_prefer")];
}

/** The growing rules of the selected node itself. */
const currentRule = () => studio.server.rules.find((rival) => rival.node === state.selected) || { forbid: [], prefer: [], sealed: false };

/** Split the selected node. @param {any} split */
export const takeSplit = (split) => act("take", { node: state.selected, split });
