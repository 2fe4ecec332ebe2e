// The Trust tab: the results of `ceiba.trust` for the fitted tree, as far as they are in the payload.

import { M } from "../core/model.js";
import { answerText, fmtCount, fmtCut, fmtNumber, fmtPercent, fmtDecimals, fmtPoints, question, sentence, t } from "../core/format.js";
import { el, scrollTable, section, lazyTable, dataTable } from "../page/dom.js";
import { isTerminal, isPreview, displayNumber, reveal } from "../page/state.js";
import { shadedStyle } from "../tree/pens.js";

export function trustPanel() {
  const { stability, rivals, groups, drift } = M.payload.trust;
  return el("div", { class: "trust" },
    isPreview() ? el("p", { class: "muted" }, t("of_fitted")) : null,
    stability ? stabilityView(stability) : null,
    rivals.map(rivalsView), groups.map(groupsView),
    drift ? driftView(drift) : null);
}

/** The results of the checks for one node. */
export function nodeTrust(i) {
  const { stability, drift } = M.payload.trust;
  const texts = [...(stability ? stabilityAt(stability, i) : []), ...(drift ? driftAt(drift, i) : [])];
  return texts.length ? section(t("tab_trust"), texts.map((text) => el("p", {}, text))) : null;
}

const part = (title, ...children) => el("div", { class: "part" }, el("h4", {}, title), children);
const hint = (text) => el("p", { class: "muted small-text" }, text);
const linkTo = (i, text) => el("button", { class: "link", onclick: () => reveal(i) }, text);
/** A link to a leaf by its prediction, with its number if it is in the shown tree. */
const linkToLeaf = (i) => linkTo(i, (displayNumber(i) < 0 ? "" : `#${displayNumber(i)} `) + answerText(i));
const fmtP = (p) => (p === null ? "–" : p < 0.001 ? "< " + fmtNumber(0.001) : fmtNumber(p, 2));
const MAX_LINES = 12;

/** The first rows of a table, and all rows in a collapsed one. @param {string[]} head @param {number} n @param {(k: number) => any[]} line */
function shortTable(head, n, line) {
  const rows = (most) => dataTable(head, Array.from({ length: Math.min(n, most) }, (_, k) => line(k)));
  if (n <= MAX_LINES) return rows(n);
  return el("div", {}, rows(MAX_LINES), lazyTable(t("shown_of", { n: MAX_LINES, all: n }), () => rows(300)));
}

/** @typedef {{name: any, value: number, low: number, high: number, text: string, strong?: boolean}} Measured */
/** Values with their intervals, in rows on one scale. @param {Measured[]} rows @param {[number, number]} [band] @param {boolean} [zero] with a line at 0 */
function whiskers(rows, band, zero = false) {
  const ends = rows.flatMap((r) => [r.value, r.low, r.high]).concat(band || [], zero ? [0] : []).filter((v) => v !== null && !Number.isNaN(v));
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const at = (v) => `${2 + (96 * (v - low)) / (high - low || 1)}%`;
  const bar = (kind, from, to) => el("span", { class: kind, style: { left: at(from), width: `calc(${at(to)} - ${at(from)})` } });
  const dot = (v, kind = "whisker-dot") => el("span", { class: kind, style: { left: at(v) } });
  return el("div", { class: "whiskers" }, rows.map((r) => el("div", { class: "whisker-row" + (r.strong ? " strong" : "") },
    el("span", { class: "whisker-name" }, r.name),
    el("span", { class: "whisker-track", "aria-hidden": "true" },
      band ? bar("whisker-band", band[0], band[1]) : null, zero ? dot(0, "whisker-zero") : null,
      r.value === null ? null : [r.low === null ? null : bar("whisker-line", r.low, r.high), dot(r.value)]),
    el("span", { class: "whisker-text" }, r.text))));
}

/** Two bars: the shares then and now. */
function bothBars(then, now) {
  const bar = (kind, share) => el("span", { class: "both-row" }, el("span", { class: "offscreen" }, t(kind)),
    el("span", { class: "both-track" }, el("span", { class: "both-fill " + kind, style: { width: `${100 * (share || 0)}%` } })), el("span", { class: "both-text" }, fmtPercent(share, 1)));
  return el("span", { class: "both" }, bar("then", then), bar("now", now));
}

/** What was most often at a node instead: a column or a leaf. */
const insteadText = (j) => (j === null ? "–" : j < 0 ? t("st_a_leaf") : M.columns.name[j]);
/** The range of the cuts at a node. */
function cutRange(s, k) {
  if (s.cut_low[k] === null) return "–";
  const j = M.splits.column[s.node[k]];
  const plain = M.columns.display[j] === "number" && !M.columns.levels[j].length;
  const [low, high] = [s.cut_low[k], s.cut_high[k]].map((cut) => (plain ? fmtNumber(cut) : fmtCut(cut, j, true)));
  return low === high ? low : t("interval_to", { low, high });
}

function stabilityView(result) {
  const { nodes, columns, leaves, sizes } = result;
  const agreed = M.regression ? t("st_differ", { value: fmtNumber(result.agreement, 3) }) : t("st_agree", { share: fmtPercent(result.agreement, 1) });
  const [low, middle, high] = sizes.map((v) => fmtCount(Math.round(v)));
  const order = nodes.node.map((_, k) => k).sort((a, b) => nodes.reached[b] - nodes.reached[a] || nodes.node[a] - nodes.node[b]);
  const split = (k) => [linkTo(nodes.node[k], question(nodes.node[k], 3)), fmtPercent(nodes.chosen[k]), cutRange(nodes, k), nodes.instead[k] === null ? "–" : `${insteadText(nodes.instead[k])} ${fmtPercent(nodes.often[k])}`];
  const ends = leaves.node.map((_, k) => k).sort((a, b) => (leaves.same[a] - leaves.same[b]) * (M.regression ? -1 : 1));
  const leaf = (k) => [linkToLeaf(leaves.node[k]), fmtCount(leaves.rows[k]), M.regression ? fmtNumber(leaves.same[k], 3) : fmtPercent(leaves.same[k], 1)];
  return section(t("st_title"),
    el("p", { class: "stability-said" }, el("strong", {}, agreed), " ", t("st_sizes", { own: fmtCount(M.steps[M.start].leaves), n: fmtCount(result.resamples), low, middle, high })),
    nodes.node.length ? part(t("st_splits"), shortTable([t("split"), t("st_chosen"), t("st_cuts"), t("st_instead")], order.length, (k) => split(order[k])), hint(t("st_splits_hint"))) : null,
    columns.column.length ? part(t("st_columns"), depthTable(columns), hint(t("st_columns_hint"))) : null,
    part(t(M.regression ? "st_leaves_spread" : "st_leaves"), shortTable([t("leaf"), t("rows"), t(M.regression ? "st_spread" : "st_same")], ends.length, (k) => leaf(ends[k])), M.regression ? hint(t("st_spread_hint")) : null));
}

/** A table of columns by depth, darker for more trees. */
function depthTable({ column, anywhere, depths, more }) {
  const cell = (share) => el("td", { class: "num", style: shadedStyle(share) }, share > 0 ? fmtPercent(share) : "");
  const head = (text) => el("th", { scope: "col", class: "num" }, text);
  return scrollTable(t("st_columns"), "matrix depths", [el("th", { scope: "col" }, t("column")), head(t("st_anywhere")),
    depths.map((_, d) => head(d + (more && d === depths.length - 1 ? "+" : "")))],
    column.slice(0, 20).map((j, k) => el("tr", {}, el("th", { scope: "row" }, M.columns.name[j]), cell(anywhere[k]), depths.map((d) => cell(d[k])))));
}

/** What resampled trees do at a node, as text. @returns {string[]} */
function stabilityAt({ resamples, nodes, leaves }, i) {
  const k = nodes.node.indexOf(i), e = leaves.node.indexOf(i);
  if (k >= 0 && !isTerminal(i)) {
    return [t("st_here", { n: fmtCount(resamples), reached: fmtPercent(nodes.reached[k]), chosen: fmtPercent(nodes.chosen[k]), column: M.columns.name[M.splits.column[i]] })
      + (nodes.cut_low[k] === null ? "" : " " + t("st_here_cut", { range: cutRange(nodes, k) }))
      + (nodes.instead[k] === null ? "" : " " + t("st_here_instead", { what: insteadText(nodes.instead[k]), share: fmtPercent(nodes.often[k]) }))];
  }
  if (e < 0) return [];
  return [M.regression ? t("st_here_spread", { value: fmtNumber(leaves.same[e], 3) }) : t("st_here_leaf", { share: fmtPercent(leaves.same[e], 1) })];
}

/** The risk of the tree with each column forced at a node. */
function rivalsView(result) {
  const title = result.node === 0 ? t("rv_title_root") : t("rv_title", { node: `#${result.number}` });
  const name = (k) => M.columns.name[result.column[k]];
  const risk = (k) => `${fmtNumber(result.risks[k], 3)} ± ${fmtNumber(result.ses[k], 2)}`;
  const rows = result.column.map((_, k) => ({
    name: el("span", { title: name(k) }, name(k), result.ours[k] ? el("span", { class: "muted under" }, t("rv_ours")) : null),
    value: result.risks[k], low: result.risks[k] - result.ses[k], high: result.risks[k] + result.ses[k], text: risk(k), strong: Boolean(result.near[k]),
  }));
  return section(title, whiskers(rows.slice(0, MAX_LINES), [result.risk - result.se, result.risk + result.se]), hint(t("rv_hint")),
    lazyTable(t("as_table"), () => dataTable([t("column"), t("rv_risk"), t("rv_near"), t("leaves")],
      rows.slice(0, 300).map((_, k) => [name(k) + (result.ours[k] ? ` (${t("rv_ours")})` : ""), risk(k), t(result.near[k] ? "yes" : "no"), fmtCount(result.leaves[k])]))));
}

const GROUP_WORDS = {
  "error": "gr_error", "cost": "gr_cost", "MSE": "gr_mse", "MAE": "gr_mae", "R2": "gr_r2",
  "AUC": "gr_auc", "Brier": "gr_brier", "log loss": "gr_log_loss",
  "selection rate": "gr_selection", "true positive rate": "gr_true", "false positive rate": "gr_false", "calibration": "gr_calibration",
};
const GROUP_SHARES = ["error", "selection rate", "true positive rate", "false positive rate"];

/** A difference with its sign; shares in percentage points. @param {string} key @param {number|null} v */
function fmtGap(key, v) {
  if (v === null) return "–";
  const share = GROUP_SHARES.includes(key) || key === "calibration";
  const size = share ? fmtPoints(Math.abs(v)) : fmtNumber(Math.abs(v), 3);
  return (v < 0 ? "−" : "+") + size;
}
const fmtGroup = (key, v) => (v === null ? "–" : GROUP_SHARES.includes(key) ? fmtPercent(v, 1) : key === "calibration" ? fmtGap(key, v) : fmtNumber(v, 3));

function groupsView(result) {
  const { by, positive, reference, groups, figures } = result;
  const label = (g) => (groups[g] === "missing" ? t("missing") : groups[g]);
  const level = fmtPercent(result.confidence);
  const range = (key, low, high, format) => (low === null ? "" : t("interval_to", { low: format(key, low), high: format(key, high) }));
  const leavesOut = (f, g) => f.apart_low[g] !== null && (f.apart_low[g] > 0 || f.apart_high[g] < 0);
  const differences = figures.flatMap((f) => groups.map((_, g) => g).filter((g) => leavesOut(f, g)).map((g) =>
    el("li", {}, `${t(GROUP_WORDS[f.key]).split(":")[0]}: ${label(g)} ${fmtGap(f.key, f.apart[g])} (${range(f.key, f.apart_low[g], f.apart_high[g], fmtGap)})`)));
  const picture = (f) => part(t(GROUP_WORDS[f.key]), whiskers(groups.map((_, g) => ({
    name: el("span", { title: label(g) }, label(g)), value: f.value[g], low: f.low[g], high: f.high[g], text: fmtGroup(f.key, f.value[g]), strong: leavesOut(f, g),
  })), undefined, f.key === "calibration"));
  const rows = figures.flatMap((f) => groups.map((_, g) => [t(GROUP_WORDS[f.key]).split(":")[0], label(g), fmtCount(result.rows[g]), fmtGroup(f.key, f.value[g]), range(f.key, f.low[g], f.high[g], fmtGroup),
    g === reference ? "" : `${fmtGap(f.key, f.apart[g])} (${range(f.key, f.apart_low[g], f.apart_high[g], fmtGap)})`]));
  return el("div", { class: "groups" }, section(t("gr_title", { by }),
    differences.length ? [el("p", {}, t("gr_apart", { name: label(reference) })), el("ul", { class: "apart" }, differences)] : el("p", {}, t("gr_none", { name: label(reference) })),
    hint(`${positive === null ? t("gr_level", { level }) : t("gr_positive", { name: positive, level })} ${t("gr_many")}`),
    figures.map(picture),
    lazyTable(t("as_table"), () => dataTable([t("gr_figure"), t("gr_group"), t("rows"), t("value"), t("interval_level", { level }), t("difference")], rows))));
}

const under = (text) => el("span", { class: "both-p muted under" }, text);
const MAX_BRANCHES = 40, DRIFT_LEVEL = 0.05;

function driftView(result) {
  const p = fmtP(result.p);
  const verdict = result.start === null ? t("dr_none", { p }) : t("dr_start", { split: question(result.start, 4), p });
  const key = (kind, text) => el("span", { class: "legend-item" }, el("span", { class: "both-fill swatch " + kind }), text);
  return section(t("dr_title"),
    el("p", { class: result.start === null ? "calm drift-said" : "warn drift-said" }, verdict),
    el("p", {}, `${t("dr_rows", { now: fmtCount(result.now), then: fmtCount(result.then) })} ${t("dr_psi", { psi: fmtDecimals(result.psi, 3), chance: fmtDecimals(result.chance, 3) })}`),
    el("div", { class: "legend" }, key("then", t("dr_then")), key("now", t("dr_now"))),
    part(t("dr_branches"), branchLines(result.branches), hint(t("dr_branches_hint"))),
    part(t("dr_leaves"), leafLines(result), hint(t("dr_leaves_hint") + (result.leaves.rates && !M.payload.honest ? " " + t("dr_optimistic") : ""))),
    part(t("dr_columns"), driftColumns(result.columns)));
}

/** A function from a branch to its shares of the rows of its parent, then and now. */
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

/** Branches in the order of the tree; of many, those that changed and the largest. */
function branchLines(branches) {
  const shares = aboveOf(branches);
  const moved = (k) => branches.p[k] !== null && branches.p[k] < DRIFT_LEVEL;
  const every = branches.node.map((_, k) => k);
  const visible = every.slice().sort((a, b) => Number(moved(b)) - Number(moved(a)) || branches.then[b] - branches.then[a]).slice(0, MAX_BRANCHES);
  const lines = visible.sort((a, b) => branches.node[a] - branches.node[b]).map((k) => {
    const i = branches.node[k];
    const name = el("span", { class: "both-name", style: { paddingLeft: `${Math.min(M.depth[i] - 1, 6) * 10}px` } }, linkTo(i, sentence(M.splits, M.parent[i], M.branchIndex[i], 3)), M.branchIndex[i] === 0 ? under(`p = ${fmtP(branches.p[k])}`) : null);
    return el("div", { class: "both-line" + (moved(k) ? " moved" : "") }, name, bothBars(...shares(k)));
  });
  return el("div", { class: "both-list" }, lines, visible.length < every.length ? hint(t("shown_of", { n: visible.length, all: every.length })) : null);
}

function leafLines({ leaves, then, now }) {
  const { rates } = leaves;
  const moved = (k) => Boolean(rates && rates.p[k] !== null && rates.p[k] < DRIFT_LEVEL);
  const order = leaves.node.map((_, k) => k).sort((a, b) => Number(moved(b)) - Number(moved(a)) || leaves.psi[b] - leaves.psi[a]);
  const figure = (value, low, high) => {
    const format = (v) => (M.regression ? fmtNumber(v, 3) : fmtPercent(v, 1));
    return value === null ? "–" : format(value) + (low === null ? "" : ` (${t("interval_to", { low: format(low), high: format(high) })})`);
  };
  const lines = order.slice(0, MAX_BRANCHES).map((k) => el("div", { class: "both-line" + (moved(k) ? " moved" : "") },
    el("span", { class: "both-name" }, linkToLeaf(leaves.node[k]), under(`PSI ${fmtDecimals(leaves.psi[k], 3)}`)),
    bothBars(leaves.then[k] / then, leaves.now[k] / now),
    rates ? el("span", { class: "both-rate" }, t(M.regression ? "dr_mean" : "dr_rate", { then: figure(rates.then[k], rates.then_low[k], rates.then_high[k]), now: figure(rates.now[k], rates.now_low[k], rates.now_high[k]) })
      + (rates.p[k] === null ? "" : `, p = ${fmtP(rates.p[k])}`)) : null));
  return el("div", { class: "both-list" }, lines, lines.length < order.length ? hint(t("shown_of", { n: lines.length, all: order.length })) : null);
}

function driftColumns(columns) {
  const rows = columns.column.map((_, k) => k).filter((k) => columns.missing_then[k] > 0 || columns.missing_now[k] > 0 || columns.unseen_now[k] > 0);
  if (!rows.length) return el("p", {}, t("dr_columns_none"));
  return dataTable([t("column"), t("dr_missing_then"), t("dr_missing_now"), t("p_value"), t("dr_unseen_now")],
    rows.map((k) => [M.columns.name[columns.column[k]], fmtPercent(columns.missing_then[k], 1), fmtPercent(columns.missing_now[k], 1), fmtP(columns.p[k]), fmtPercent(columns.unseen_now[k], 1)]));
}

/** The share of the parent's rows that reach a node, then and now. @returns {string[]} */
function driftAt({ branches }, i) {
  const k = branches.node.indexOf(i);
  if (k < 0) return [];
  const [then, now] = aboveOf(branches)(k);
  return then === null || now === null ? [] : [`${t("dr_here", { then: fmtPercent(then, 1), now: fmtPercent(now, 1) })} p = ${fmtP(branches.p[k])}`];
}
