// The rivals of the selected node: the best split of every column, with what it would do to the rows.

const rivals = { node: -1, revision: -1, lang: "", /** @type {any} */ data: null, loading: false, all: false };
const MOST_RIVALS = 6;

/** Have the rivals of the selected node, asked for once per node and tree. */
function rivalsHere() {
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
    if (!data.rivals.some((one) => one.p_bound === "pending")) return;
    const { p_values: later } = await api.pValues(node);
    if (isStale()) return;
    for (const one of data.rivals) if (later[one.column]) Object.assign(one, { p_value: later[one.column].p_value, p_bound: "exact" });
    fillRivals();
  } catch (error) {
    if (!isStale()) complain(error);
  }
}

function fillRivals() {
  const holder = document.getElementById("rivals");
  if (!holder) return;
  if (isHidden(state.selected)) return renderPanel();
  const held = holder.contains(document.activeElement) ? document.activeElement.id : "";
  holder.replaceChildren(...rivalParts());
  if (held && document.getElementById(held)) document.getElementById(held).focus({ preventScroll: true });
}

function rivalParts() {
  const data = rivalsHere();
  if (!data) return [el("p", { class: "muted" }, t("s_searching"))];
  const usable = data.rivals.filter((one) => one.split !== null);
  const none = data.rivals.filter((one) => one.split === null && !one.forbidden).map((one) => one.column);
  const most = rivals.all ? usable.length : MOST_RIVALS;
  const best = usable.reduce((a, one) => Math.max(a, one.gain), 0);
  return [
    usable.length ? el("ol", { class: "rivals" }, usable.slice(0, most).map((one, k) => rivalItem(one, k, best))) : el("p", { class: "muted" }, t("s_no_split")),
    usable.length > most ? el("button", { type: "button", class: "small", id: "all-rivals", onclick: () => { rivals.all = true; fillRivals(); } }, t("s_all_rivals", { n: fmtCount(usable.length) })) : "",
    none.length ? el("p", { class: "muted small-text" }, t("s_without_split", { columns: listed(none, 8) })) : "",
  ];
}

function rivalItem(one, k, best) {
  const j = M.columns.name.indexOf(one.column);
  const bar = el("span", { class: "gain-fill" });
  bar.style.width = `${best > 0 ? (100 * Math.max(one.gain, 0)) / best : 0}%`;
  const p = one.p_bound === "pending" ? "p …" : one.p_value === null ? "" : pText(one.p_value, one.p_bound);
  return el("li", { class: "rival" + (one.current ? " current" : "") + (draft && draft.column === j ? " open" : ""), "data-column": one.column },
    el("div", { class: "rival-head" },
      el("button", { type: "button", class: "link rival-name", id: `rival-${k}`, title: t("s_open_column"), onclick: () => beginDraft(j, one.given) }, splitWords(one, j)),
      one.current ? el("span", { class: "tag" }, t("s_taken")) : null, one.forbidden ? el("span", { class: "tag" }, t("s_forbidden")) : null),
    el("div", { class: "gain-row" }, el("span", { class: "gain-track" }, bar), el("span", { class: "gain-text" }, `${t("gain")} ${fmtNumber(one.gain, 3)}`), el("span", { class: "muted p-text" }, p)),
    el("div", { class: "rival-branches" }, one.branches.map((branch, b) => el("div", { class: "rival-branch" },
      el("span", { class: "branch-name", title: branch.text }, branchWords(one.given, j, b)), el("span", { class: "num" }, fmtCount(branch.n_rows)), branchPicture(branch)))),
    el("div", { class: "row rival-buttons" },
      el("button", { type: "button", class: "small take", id: `take-${k}`, disabled: one.current, "aria-label": t("s_take_split", { split: one.split }), onclick: () => takeSplit(one.given) }, t("s_take")),
      el("button", { type: "button", class: "small", id: `adjust-${k}`, "aria-label": t("s_adjust_column", { column: one.column }), onclick: () => beginDraft(j, one.given) }, t("s_adjust")),
      columnRules(one.column, k)));
}

/** A rival's split in the words of the page. */
function splitWords(one, j) {
  const { given } = one;
  if (!given || j < 0 || given.cuts || given.presence) return one.split;
  if (given.branches && given.branches.length > 2) return `${isolated(one.column)}: ${t("s_n_branches", { n: given.branches.length })}`;
  return `${isolated(one.column)} ${branchWords(given, j, 0)}`;
}

/** What a branch of a split asks of its column, in the words of the page. @param {any} given SPLIT @param {number} b */
function branchWords(given, j, b, most = 5) {
  if (given.presence) return t(b ? "is_missing" : "is_present");
  if (given.cut !== undefined) return isYesNo(j, given.cut) ? `= ${t(b ? "yes" : "no")}` : `${b ? ">" : "≤"} ${fmtCut(given.cut, j, true)}`;
  if (given.cuts) return b === 0 ? `≤ ${fmtCut(given.cuts[0], j, true)}` : b === given.cuts.length ? `> ${fmtCut(given.cuts[b - 1], j, true)}` : `${fmtCut(given.cuts[b - 1], j, true)} – ${fmtCut(given.cuts[b], j, true)}`;
  const names = (given.branches[b] || []).map((/** @type {number} */ c) => quotedLevel(M.columns.levels[j][c]));
  if (!names.length) return t("is_missing");
  return names.length === 1 ? `= ${names[0]}` : `∈ {${listed(names, most)}}`;
}

/** Forbid or prefer a column from here on down. */
function columnRules(column, k) {
  const rule = ruleHere();
  const toggle = (name, id, words) => {
    const on = rule[name].includes(column);
    const rest = on ? rule[name].filter((c) => c !== column) : [...rule[name], column];
    return el("button", { type: "button", class: "small", id: `${id}-${k}`, "aria-pressed": String(on), title: t(words + "_hint", { column }), "aria-label": `${t(words)}: ${column}`, onclick: () => act(name, { node: state.selected, columns: rest }) }, t(words));
  };
  return [toggle("forbid", "forbid", "s_forbid"), toggle("prefer", "prefer", "s_prefer")];
}

/** What is forbidden and preferred at the selected node itself. */
const ruleHere = () => studio.server.rules.find((one) => one.node === state.selected) || { forbid: [], prefer: [], sealed: false };

/** Take a split at the selected node. @param {any} split */
const takeSplit = (split) => act("take", { node: state.selected, split });
