// Does the tree still fit: traffic through the branches and rates in the leaves, training rows beside new ones.

const under = (text) => el("span", { class: "both-p muted under" }, text);
const MOST_BRANCHES = 40, DRIFT_LEVEL = 0.05;

function driftView(given) {
  const p = fmtP(given.p);
  const verdict = given.start === null ? t("dr_none", { p }) : t("dr_start", { split: question(given.start, 4, true), p });
  const key = (kind, text) => el("span", { class: "legend-item" }, el("span", { class: "both-fill swatch " + kind }), text);
  return section(t("dr_title"),
    el("p", { class: given.start === null ? "calm drift-said" : "warn drift-said" }, verdict),
    el("p", {}, `${t("dr_rows", { now: fmtCount(given.now), then: fmtCount(given.then) })} ${t("dr_psi", { psi: fmtPlaces(given.psi, 3), chance: fmtPlaces(given.chance, 3) })}`),
    el("div", { class: "legend" }, key("then", t("dr_then")), key("now", t("dr_now"))),
    part(t("dr_branches"), branchLines(given.branches), hint(t("dr_branches_hint"))),
    part(t("dr_leaves"), leafLines(given), hint(t("dr_leaves_hint") + (given.leaves.rates && !M.payload.honest ? " " + t("dr_optimistic") : ""))),
    part(t("dr_columns"), driftColumns(given.columns)));
}

/** Rows of all branches of the node above a branch, then and now. */
function aboveOf(branches) {
  const then = new Map(), now = new Map();
  branches.node.forEach((i, k) => {
    const above = M.parent[i];
    then.set(above, (then.get(above) || 0) + branches.then[k]);
    now.set(above, (now.get(above) || 0) + branches.now[k]);
  });
  const share = (count, total) => (total > 0 ? count / total : null);
  return (k) => [share(branches.then[k], then.get(M.parent[branches.node[k]])), share(branches.now[k], now.get(M.parent[branches.node[k]]))];
}

/** Branches in the order of the tree; of many those that changed, and the largest. */
function branchLines(branches) {
  const shares = aboveOf(branches);
  const moved = (k) => branches.p[k] !== null && branches.p[k] < DRIFT_LEVEL;
  const every = branches.node.map((_, k) => k);
  const kept = every.slice().sort((a, b) => Number(moved(b)) - Number(moved(a)) || branches.then[b] - branches.then[a]).slice(0, MOST_BRANCHES);
  const lines = kept.sort((a, b) => branches.node[a] - branches.node[b]).map((k) => {
    const i = branches.node[k];
    const name = el("span", { class: "both-name" }, linkTo(i, sentence(M.splits, M.parent[i], M.branchIndex[i], 3, true)), M.branchIndex[i] === 0 ? under(`p = ${fmtP(branches.p[k])}`) : null);
    name.style.paddingLeft = `${Math.min(M.depth[i] - 1, 6) * 10}px`;
    return el("div", { class: "both-line" + (moved(k) ? " moved" : "") }, name, bothBars(...shares(k)));
  });
  return el("div", { class: "both-list" }, lines, kept.length < every.length ? hint(t("shown_of", { n: kept.length, all: every.length })) : null);
}

function leafLines({ leaves, then, now }) {
  const { rates } = leaves;
  const moved = (k) => Boolean(rates && rates.p[k] !== null && rates.p[k] < DRIFT_LEVEL);
  const order = leaves.node.map((_, k) => k).sort((a, b) => Number(moved(b)) - Number(moved(a)) || leaves.psi[b] - leaves.psi[a]);
  const figure = (value, low, high) => {
    const shown = (v) => (M.regression ? fmtNumber(v, 3) : fmtPercent(v, 1));
    return value === null ? "–" : shown(value) + (low === null ? "" : ` (${t("interval_to", { low: shown(low), high: shown(high) })})`);
  };
  const lines = order.slice(0, MOST_BRANCHES).map((k) => el("div", { class: "both-line" + (moved(k) ? " moved" : "") },
    el("span", { class: "both-name" }, linkToLeaf(leaves.node[k]), under(`PSI ${fmtPlaces(leaves.psi[k], 3)}`)),
    bothBars(leaves.then[k] / then, leaves.now[k] / now),
    rates ? el("span", { class: "both-rate" }, t(M.regression ? "dr_mean" : "dr_rate", { then: figure(rates.then[k], rates.then_low[k], rates.then_high[k]), now: figure(rates.now[k], rates.now_low[k], rates.now_high[k]) })
      + (rates.p[k] === null ? "" : `, p = ${fmtP(rates.p[k])}`)) : null));
  return el("div", { class: "both-list" }, lines, lines.length < order.length ? hint(t("shown_of", { n: lines.length, all: order.length })) : null);
}

function driftColumns(columns) {
  const told = columns.column.map((_, k) => k).filter((k) => columns.missing_then[k] > 0 || columns.missing_now[k] > 0 || columns.unseen_now[k] > 0);
  if (!told.length) return el("p", {}, t("dr_columns_none"));
  return tableOf([t("column"), t("dr_missing_then"), t("dr_missing_now"), t("p_value"), t("dr_unseen_now")],
    told.map((k) => [M.columns.name[columns.column[k]], fmtPercent(columns.missing_then[k], 1), fmtPercent(columns.missing_now[k], 1), fmtP(columns.p[k]), fmtPercent(columns.unseen_now[k], 1)]));
}

/** Which part of the rows above comes to a node, then and now. @returns {string[]} */
function driftAt({ branches }, i) {
  const k = branches.node.indexOf(i);
  if (k < 0) return [];
  const [then, now] = aboveOf(branches)(k);
  return then === null || now === null ? [] : [`${t("dr_here", { then: fmtPercent(then, 1), now: fmtPercent(now, 1) })} p = ${fmtP(branches.p[k])}`];
}
