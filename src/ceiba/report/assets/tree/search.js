// Search: nodes whose question, edge, answer or number holds the text.

const searching = {
  lang: "", /** @type {(string|undefined)[]} what can be found of each node */ texts: [],
  key: "", /** @type {Uint8Array|null} 1 for each node that matches */ hits: null,
};

perModel(() => Object.assign(searching, { texts: [], key: "", hits: null }));
/** All that can be searched of a node; made once per language. */
function searchText(i) {
  if (searching.lang !== LANG) Object.assign(searching, { lang: LANG, texts: [], key: "" });
  let found = searching.texts[i];
  if (found === undefined) {
    const words = M.isLeaf(i) ? answerText(i, false) : sentence(M.splits, i, 0, 99) + " " + sentence(M.splits, i, 1, 99);
    found = (i > 0 ? words + " " + edgeWord(M.parent[i], M.branchIndex[i], 99) : words).toLocaleLowerCase().replaceAll("−", "-");
    searching.texts[i] = found;
  }
  return found;
}

/** 1 for each node that matches the search: column, level, class, or number; null if nothing is searched. @returns {Uint8Array|null} */
function searchHits() {
  const text = state.search.trim().toLocaleLowerCase().replaceAll("−", "-");
  if (!text) return null;
  const key = text + "|" + LANG + state.step;
  if (key === searching.key) return searching.hits;
  const hits = new Uint8Array(M.n);
  const number = /^#?\d+$/.test(text) ? nodeOf(+text.replace("#", "")) : -1;
  // Of a search that grows by a letter only what it had found is asked again.
  const before = searching.hits && searching.key && key.startsWith(searching.key.slice(0, searching.key.lastIndexOf("|"))) ? searching.hits : null;
  for (let i = 0; i < M.n; i++) if (i === number || ((!before || before[i]) && searchText(i).includes(text))) hits[i] = 1;
  Object.assign(searching, { hits, key });
  return hits;
}

/** Matching nodes of the pruned tree. @returns {number[]} */
function presentHits() {
  const found = searchHits();
  const list = [];
  if (found) for (let i = 0; i < M.n; i += isEnd(i) ? M.size[i] : 1) if (found[i]) list.push(i);
  return list;
}

/** Go to the next node that matches the search. */
function nextHit(step) {
  const list = presentHits();
  if (!list.length) return;
  const at = list.indexOf(state.selected);
  reveal(list[at < 0 ? (step > 0 ? 0 : list.length - 1) : (at + step + list.length) % list.length]);
}
