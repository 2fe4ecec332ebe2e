// Filter: leaves with enough rows, a probability high enough, a class, or a value within limits.
// What does not lead to such a leaf is faint, in tree, overview and table of rules.

/** @typedef {{rows: number, sure: number, cls: number, low: number|null, high: number|null}} Filter */
/** @type {Filter} */ const NO_FILTER = { rows: 0, sure: 0, cls: -1, low: null, high: null };
const isFiltered = () => Object.keys(NO_FILTER).some((key) => state.filter[key] !== NO_FILTER[key]);

/** Whether a leaf of the shown tree passes. */
function passes(i) {
  const f = state.filter;
  if (M.known && M.rows[i] < f.rows * M.rows[0]) return false;
  if (M.regression) return (f.low === null || M.value[i] >= f.low) && (f.high === null || M.value[i] <= f.high);
  return M.prob(i, M.answer[i]) >= f.sure && (f.cls < 0 || M.answer[i] === f.cls);
}

const filtering = { key: "", /** @type {Uint8Array|null} */ kept: null, leaves: 0, share: 0 };
perModel(() => (filtering.key = ""));
/** 1 for each node that passes or leads to a leaf that does; null without a filter. @returns {Uint8Array|null} */
function filterHits() {
  if (!isFiltered()) return null;
  const key = JSON.stringify(state.filter) + state.step;
  if (key === filtering.key) return filtering.kept;
  const kept = new Uint8Array(M.n);
  Object.assign(filtering, { key, kept, leaves: 0, share: 0 });
  for (let i = 0; i < M.n; i += isEnd(i) ? M.size[i] : 1) {
    if (!isEnd(i) || !passes(i)) continue;
    filtering.leaves++;
    filtering.share += M.breadth[i];
    for (let a = i; a >= 0 && !kept[a]; a = M.parent[a]) kept[a] = 1;
  }
  return kept;
}

/** The form, behind a line to open. */
function filterBox() {
  const change = (part) => update({ filter: { ...state.filter, ...part } });
  const field = (id, label, value, read, hint) => {
    const input = el("input", { id, type: "number", min: 0, step: "any", placeholder: hint });
    input.value = value ?? "";
    input.addEventListener("input", () => change(read(input.value === "" ? null : Number(input.value))));
    return el("label", { class: "inline", for: id }, label, input);
  };
  const f = state.filter;
  const share = (v) => (v ? String(+(100 * v).toPrecision(6)) : "");
  const fields = [];
  if (M.known) fields.push(field("filter-rows", t("filter_rows"), share(f.rows), (v) => ({ rows: (v ?? 0) / 100 }), "%"));
  if (M.regression) {
    fields.push(field("filter-low", t("filter_low"), f.low, (v) => ({ low: v }), fmtNumber(M.low)), field("filter-high", t("filter_high"), f.high, (v) => ({ high: v }), fmtNumber(M.high)));
    for (const one of fields.slice(-2)) one.querySelector("input").removeAttribute("min");
  } else {
    fields.push(field("filter-sure", t("filter_sure"), share(f.sure), (v) => ({ sure: (v ?? 0) / 100 }), "%"));
    const pick = el("select", { id: "filter-class" }, el("option", { value: -1 }, t("filter_any")), M.classes.map((_, k) => el("option", { value: k }, className(k))));
    pick.value = String(f.cls);
    pick.addEventListener("change", () => change({ cls: Number(pick.value) }));
    fields.push(el("label", { class: "inline", for: "filter-class" }, t("class"), pick));
  }
  return el("div", { id: "filter-box", class: "filter-box", hidden: !state.filterOpen }, fields,
    el("span", { id: "filter-found", class: "muted", "aria-live": "polite" }, filterText()),
    el("button", { type: "button", class: "small", id: "filter-clear", onclick: () => { update({ filter: NO_FILTER }); document.getElementById("filter-box").replaceWith(filterBox()); } }, t("clear_case")));
}

/** How many leaves pass, and of how many rows. */
const filterText = () => (filterHits() ? `${t("n_leaves", { n: fmtCount(filtering.leaves) })} · ${t(M.known ? "share_rows" : "n_of_all", { share: fmtPercent(filtering.share, 1) })}` : "");
