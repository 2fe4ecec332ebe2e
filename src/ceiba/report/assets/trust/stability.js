// Would another sample give another tree: splits that are chosen again, columns by depth, leaves, and columns that could take a node.

/** What stood at a place most often instead. */
const insteadText = (j) => (j === null ? "–" : j < 0 ? t("st_a_leaf") : M.columns.name[j]);
/** The range of the cuts at a node. */
function cutText(s, k) {
  if (s.cut_low[k] === null) return "–";
  const j = M.splits.column[s.node[k]];
  const plain = M.columns.display[j] === "number" && !M.columns.levels[j].length;
  const [low, high] = [s.cut_low[k], s.cut_high[k]].map((cut) => (plain ? fmtNumber(cut) : fmtCut(cut, j, true)));
  return low === high ? low : t("interval_to", { low, high });
}

function stabilityView(given) {
  const { nodes, columns, leaves, sizes } = given;
  const agreed = M.regression ? t("st_differ", { value: fmtNumber(given.agreement, 3) }) : t("st_agree", { share: fmtPercent(given.agreement, 1) });
  const [low, middle, high] = sizes.map((v) => fmtCount(Math.round(v)));
  const order = nodes.node.map((_, k) => k).sort((a, b) => nodes.reached[b] - nodes.reached[a] || nodes.node[a] - nodes.node[b]);
  const split = (k) => [linkTo(nodes.node[k], question(nodes.node[k], 3, true)), fmtPercent(nodes.chosen[k]), cutText(nodes, k), nodes.instead[k] === null ? "–" : `${insteadText(nodes.instead[k])} ${fmtPercent(nodes.often[k])}`];
  const ends = leaves.node.map((_, k) => k).sort((a, b) => (leaves.same[a] - leaves.same[b]) * (M.regression ? -1 : 1));
  const leaf = (k) => [linkToLeaf(leaves.node[k]), fmtCount(leaves.rows[k]), M.regression ? fmtNumber(leaves.same[k], 3) : fmtPercent(leaves.same[k], 1)];
  return section(t("st_title"),
    el("p", { class: "stability-said" }, el("strong", {}, agreed), " ", t("st_sizes", { own: fmtCount(M.steps[startStep()].leaves), n: fmtCount(given.resamples), low, middle, high })),
    nodes.node.length ? part(t("st_splits"), shortTable([t("split"), t("st_chosen"), t("st_cuts"), t("st_instead")], order.length, (k) => split(order[k])), hint(t("st_splits_hint"))) : null,
    columns.column.length ? part(t("st_columns"), depthTable(columns), hint(t("st_columns_hint"))) : null,
    part(t(M.regression ? "st_leaves_spread" : "st_leaves"), shortTable([t("leaf"), t("rows"), t(M.regression ? "st_spread" : "st_same")], ends.length, (k) => leaf(ends[k])), M.regression ? hint(t("st_spread_hint")) : null));
}

/** Columns by depth; the darker the cell, the more trees. */
function depthTable({ column, anywhere, depths, more }) {
  const shaded = (share) => {
    const td = el("td", { class: "num" }, share > 0 ? fmtPercent(share) : "");
    const fill = mix(rgb(ink.text), ink.paperRgb, 0.4 * share); // no hue: hues are classes
    td.style.background = css(fill);
    td.style.color = textOn(fill);
    return td;
  };
  const head = depths.map((_, d) => el("th", { scope: "col", class: "num" }, d + (more && d === depths.length - 1 ? "+" : "")));
  return el("div", { class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("st_columns") }, el("table", { class: "figures matrix depths" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, t("column")), el("th", { scope: "col", class: "num" }, t("st_anywhere")), head)),
    el("tbody", {}, column.slice(0, 20).map((j, k) => el("tr", {}, el("th", { scope: "row" }, M.columns.name[j]), shaded(anywhere[k]), depths.map((d) => shaded(d[k])))))));
}

/** What resampled trees do at a node, in words. @returns {string[]} */
function stabilityAt({ resamples, nodes, leaves }, i) {
  const k = nodes.node.indexOf(i), e = leaves.node.indexOf(i);
  if (k >= 0 && !isEnd(i)) {
    return [t("st_here", { n: fmtCount(resamples), reached: fmtPercent(nodes.reached[k]), chosen: fmtPercent(nodes.chosen[k]), column: M.columns.name[M.splits.column[i]] })
      + (nodes.cut_low[k] === null ? "" : " " + t("st_here_cut", { range: cutText(nodes, k) }))
      + (nodes.instead[k] === null ? "" : " " + t("st_here_instead", { what: insteadText(nodes.instead[k]), share: fmtPercent(nodes.often[k]) }))];
  }
  if (e < 0) return [];
  return [M.regression ? t("st_here_spread", { value: fmtNumber(leaves.same[e], 3) }) : t("st_here_leaf", { share: fmtPercent(leaves.same[e], 1) })];
}

/** The risk of the tree with each column forced at a node. */
function rivalsView(given) {
  const title = given.node === 0 ? t("rv_title_root") : t("rv_title", { node: `#${given.number}` });
  const name = (k) => M.columns.name[given.column[k]];
  const risk = (k) => `${fmtNumber(given.risks[k], 3)} ± ${fmtNumber(given.ses[k], 2)}`;
  const rows = given.column.map((_, k) => ({
    name: el("span", { title: name(k) }, name(k), given.ours[k] ? el("span", { class: "muted under" }, t("rv_ours")) : null),
    value: given.risks[k], low: given.risks[k] - given.ses[k], high: given.risks[k] + given.ses[k], text: risk(k), strong: Boolean(given.near[k]),
  }));
  return section(title, whiskers(rows.slice(0, MOST_LINES), [given.risk - given.se, given.risk + given.se]), hint(t("rv_hint")),
    tableLater(t("as_table"), () => tableOf([t("column"), t("rv_risk"), t("rv_near"), t("leaves")],
      rows.slice(0, 300).map((_, k) => [name(k) + (given.ours[k] ? ` (${t("rv_ours")})` : ""), risk(k), t(given.near[k] ? "yes" : "no"), fmtCount(given.leaves[k])]))));
}
