// Search: nodes whose split, edge, prediction or number contains the text. Filter: leaves by rows, probability, class or
// value; nodes that lead to no such leaf are faint.

import { M, computeOnce, onModelChange } from "../core/model.js";
import { answerText, className, edgeLabel, fmtCount, fmtNumber, fmtPercent, language, sentence, t } from "../core/format.js";
import { byId, selectBox, el } from "../page/dom.js";
import { isTerminal, NO_FILTER, nodeByNumber, reveal, state, update } from "../page/state.js";

const searchCache = {
  lang: "", /** @type {(string|undefined)[]} searchable text by node */ texts: [],
  key: "", /** @type {Uint8Array|null} 1 for each node that matches */ hits: null,
};

onModelChange(() => Object.assign(searchCache, { texts: [], key: "", hits: null }));
/** The searchable text of a node, cached per language. */
export function searchText(i) {
  if (searchCache.lang !== language.code) Object.assign(searchCache, { lang: language.code, texts: [], key: "" });
  let result = searchCache.texts[i];
  if (result === undefined) {
    const words = M.isLeaf(i) ? answerText(i, false) : sentence(M.splits, i, 0, 99) + " " + sentence(M.splits, i, 1, 99);
    result = (i > 0 ? words + " " + edgeLabel(M.parent[i], M.branchIndex[i], 99) : words).toLocaleLowerCase().replaceAll("−", "-");
    searchCache.texts[i] = result;
  }
  return result;
}

/** 1 for each node that matches the search; null without a search. @returns {Uint8Array|null} */
export function searchHits() {
  const text = state.search.trim().toLocaleLowerCase().replaceAll("−", "-");
  if (!text) return null;
  const key = text + "|" + language.code + state.step;
  if (key === searchCache.key) return searchCache.hits;
  const hits = new Uint8Array(M.n);
  const number = /^#?\d+$/.test(text) ? nodeByNumber(+text.replace("#", "")) : -1;
  // If the text has grown by a letter, only the previous hits can match.
  const before = searchCache.hits && searchCache.key && key.startsWith(searchCache.key.slice(0, searchCache.key.lastIndexOf("|"))) ? searchCache.hits : null;
  for (let i = 0; i < M.n; i++) if (i === number || ((!before || before[i]) && searchText(i).includes(text))) hits[i] = 1;
  Object.assign(searchCache, { hits, key });
  return hits;
}

/** Matching nodes of the pruned tree. @returns {number[]} */
export function presentHits() {
  const result = searchHits();
  const list = [];
  if (result) for (let i = 0; i < M.n; i += isTerminal(i) ? M.size[i] : 1) if (result[i]) list.push(i);
  return list;
}

/** Select the next node that matches the search. */
export function goToNextHit(step) {
  const list = presentHits();
  if (!list.length) return;
  const at = list.indexOf(state.selected);
  reveal(list[at < 0 ? (step > 0 ? 0 : list.length - 1) : (at + step + list.length) % list.length]);
}

const isFiltered = () => Object.keys(NO_FILTER).some((key) => state.filter[key] !== NO_FILTER[key]);

/** Whether a leaf of the shown tree passes the filter. */
function passesFilter(i) {
  const f = state.filter;
  if (M.hasRows && M.rows[i] < f.rows * M.rows[0]) return false;
  if (M.regression) return (f.low === null || M.value[i] >= f.low) && (f.high === null || M.value[i] <= f.high);
  return M.prob(i, M.answer[i]) >= f.sure && (f.cls < 0 || M.answer[i] === f.cls);
}

/** 1 for each node that leads to a passing leaf; the number of such leaves and their share of the rows. */
const filterResult = computeOnce(() => {
  const result = { passing: new Uint8Array(M.n), leaves: 0, share: 0 };
  for (let i = 0; i < M.n; i += isTerminal(i) ? M.size[i] : 1) {
    if (!isTerminal(i) || !passesFilter(i)) continue;
    result.leaves++;
    result.share += M.breadth[i];
    for (let a = i; a >= 0 && !result.passing[a]; a = M.parent[a]) result.passing[a] = 1;
  }
  return result;
}, () => JSON.stringify(state.filter) + state.step);
/** @returns {Uint8Array|null} null without a filter */
export const filterHits = () => (isFiltered() ? filterResult().passing : null);

/** The form of the filter. */
export function filterBox() {
  const change = (part) => update({ filter: { ...state.filter, ...part } });
  const field = (id, label, value, read, hint) => {
    const oninput = (e) => change(read(e.target.value === "" ? null : Number(e.target.value)));
    return el("label", { class: "inline", for: id }, label,
      el("input", { id, type: "number", min: 0, step: "any", placeholder: hint, value: value ?? "", oninput }));
  };
  const f = state.filter;
  const share = (v) => (v ? String(+(100 * v).toPrecision(6)) : "");
  const fields = [];
  if (M.hasRows) fields.push(field("filter-rows", t("filter_rows"), share(f.rows), (v) => ({ rows: (v ?? 0) / 100 }), "%"));
  if (M.regression) {
    fields.push(field("filter-low", t("filter_low"), f.low, (v) => ({ low: v }), fmtNumber(M.low)), field("filter-high", t("filter_high"), f.high, (v) => ({ high: v }), fmtNumber(M.high)));
    for (const item of fields.slice(-2)) item.querySelector("input").removeAttribute("min");
  } else {
    fields.push(field("filter-sure", t("filter_sure"), share(f.sure), (v) => ({ sure: (v ?? 0) / 100 }), "%"));
    const pick = selectBox("filter-class", t("class"), [-1, ...M.classes.keys()], f.cls,
      (k) => (k < 0 ? t("filter_any") : className(k)), (k) => change({ cls: Number(k) }));
    fields.push(el("label", { class: "inline", for: "filter-class" }, t("class"), pick));
  }
  return el("div", { id: "filter-box", class: "filter-box", hidden: !state.filterOpen }, fields,
    el("span", { id: "filter-found", class: "muted", "aria-live": "polite" }, filterText()),
    el("button", { class: "small", id: "filter-clear", onclick: () => { update({ filter: NO_FILTER }); byId("filter-box").replaceWith(filterBox()); } }, t("clear_case")));
}

/** The number of passing leaves, and their share of the rows. */
export function filterText() {
  if (!isFiltered()) return "";
  const { leaves, share } = filterResult();
  return `${t("n_leaves", { n: fmtCount(leaves) })} · ${t(M.hasRows ? "share_rows" : "n_of_all", { share: fmtPercent(share, 1) })}`;
}
