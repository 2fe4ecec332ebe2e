// The first screen: the table, column by column, before anything is learned.

function tableScreen() {
  const s = studio.server;
  return el("main", { class: "table-screen", id: "table-screen" },
    resumedBox(),
    el("div", { class: "table-head" },
      el("div", {}, el("h2", {}, s.source.name), el("p", { class: "muted" }, tableSummary()), sampleMark(), s.source.remarks.map((text) => el("p", { class: "warn" }, text))),
      el("button", { type: "button", class: "primary", id: "start", disabled: !s.tree, onclick: () => showScreen("bench") }, t(isBegun() ? "s_continue" : "s_start"))),
    s.tree || s.beginning ? null : el("p", { class: "warn" }, t("s_choose_target")),
    isBegun() ? el("p", { class: "muted" }, t("s_starts_anew")) : null,
    el("div", { class: "table-grid" }, columnsTable(), setupBox()));
}

/** Whether the tree has been worked on. */
const isBegun = () => Boolean(studio.server.tree) && studio.server.tree.nodes.parent.length > 1;

function tableSummary() {
  const { setup, source } = studio.server;
  const parts = [t("n_rows", { n: fmtCount(source.n_rows) }), t("s_n_columns", { n: fmtCount(setup.columns.length) })];
  if (setup.n_without_target) parts.push(t("s_without_target", { n: fmtCount(setup.n_without_target) }));
  if (setup.n_held_out) parts.push(t("s_n_parts", { train: fmtCount(setup.n_train), held: fmtCount(setup.n_held_out) }));
  return parts.join(" · ");
}

/** Says so while the columns are described by some of the rows alone. */
function sampleMark() {
  const { columns } = studio;
  if (!columns || columns.n_described >= columns.n_rows) return null;
  return el("p", { class: "muted", id: "by-sample", role: "status" }, t("s_by_sample", { n: fmtCount(columns.n_described) }));
}

function resumedBox() {
  const { resumed } = studio.server;
  if (!resumed) return null;
  const when = new Date(resumed.saved);
  return el("p", { class: "flip", id: "resumed" }, t("s_resumed", { n: fmtCount(resumed.actions), when: Number.isNaN(when.valueOf()) ? resumed.saved : when.toLocaleString(LANG) }), " ",
    el("button", { type: "button", class: "small", id: "afresh", onclick: () => act("restart") }, t("s_afresh")));
}

/** All columns with their figures and what can be set of them. */
function columnsTable() {
  const heads = ["column", "s_role", "s_kind", "missing", "distribution", "s_association", "s_remarks"].map((key) => t(key));
  const described = new Map((studio.columns ? studio.columns.columns : []).map((one) => [one.name, one]));
  return el("div", { class: "columns-holder" }, el("table", { class: "columns-table", id: "columns" },
    el("caption", { class: "offscreen" }, t("columns")),
    el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, studio.server.setup.columns.map((one, k) => columnRow(one, described.get(one.name), k, heads)))));
}

/** @param {any} one as set up @param {any} seen as described @param {number} k */
function columnRow(one, seen, k, heads) {
  const cell = (h, kind, ...children) => el("td", { class: kind, "data-head": heads[h] }, children);
  return el("tr", { class: "role-" + one.role, "data-column": one.name },
    el("th", { scope: "row", class: "column-name" }, isolated(one.name)),
    cell(1, "", roleChoice(one, k)),
    cell(2, "", kindChoice(one, k), one.role === "use" ? columnMore(one, k) : null),
    cell(3, "num", seen ? (seen.n_missing ? fmtPercent(seen.missing, 1) : "–") : "…"),
    cell(4, "", seen ? columnPicture(seen) : "…"),
    cell(5, "", seen ? associationBar(seen) : "…"),
    cell(6, "remarks", seen ? seen.remarks.map((r) => el("p", { class: "remark" }, "⚠ " + remarkText(r, seen))) : null));
}

function choice(id, label, values, value, name, chosen) {
  const list = el("select", { id, "aria-label": label }, values.map((v) => el("option", { value: String(v) }, name(v))));
  list.value = String(value);
  list.addEventListener("change", () => chosen(list.value));
  return list;
}

const ROLES = ["use", "ignore", "weight", "target"];
const roleChoice = (one, k) => choice(`role-${k}`, `${t("s_role")}: ${one.name}`, ROLES, one.role, (v) => t("s_role_" + v), (role) => act("set_column", { column: one.name, role }));
const kindChoice = (one, k) => choice(`kind-${k}`, `${t("s_kind")}: ${one.name}`, one.kinds.includes(one.kind) ? one.kinds : [one.kind, ...one.kinds], one.kind, (v) => t("s_kind_" + v), (kind) => act("set_column", { column: one.name, kind }));

/** What else can be set of a column: direction, cost, order of its levels. */
function columnMore(one, k) {
  const parts = [];
  if (one.kind !== "category" && one.kind !== "identifier") {
    parts.push(el("label", { class: "inline" }, t("s_monotone"), choice(`monotone-${k}`, `${t("s_monotone")}: ${one.name}`, [0, 1, -1], one.monotone, (v) => t({ 0: "s_monotone_free", 1: "s_monotone_up", "-1": "s_monotone_down" }[v]), (v) => act("set_column", { column: one.name, monotone: Number(v) }))));
  }
  const cost = el("input", { id: `cost-${k}`, type: "number", min: 0, step: "any", "aria-label": `${t("s_column_cost")}: ${one.name}` });
  cost.value = one.cost;
  cost.addEventListener("change", () => cost.value !== "" && act("set_column", { column: one.name, cost: Number(cost.value) }));
  parts.push(el("label", { class: "inline", title: t("s_column_cost_hint") }, t("s_column_cost"), cost));
  if (one.kind === "ordered" && one.levels) parts.push(orderList(one, k));
  const set = one.monotone !== 0 || one.cost !== 1;
  return el("details", { class: "column-more", open: openMore.has(one.name), ontoggle: (e) => (e.target.open ? openMore.add(one.name) : openMore.delete(one.name)) }, el("summary", {}, set ? `${t("s_more")} •` : t("s_more")), parts);
}
/** @type {Set<string>} */ const openMore = new Set();

/** The levels of an ordered column, to be put in order. */
function orderList(one, k) {
  const swap = (a, b) => {
    const order = [...one.levels];
    [order[a], order[b]] = [order[b], order[a]];
    return act("set_column", { column: one.name, order });
  };
  return el("ol", { class: "order-list", "aria-label": t("s_order") }, one.levels.map((level, a) => el("li", {}, el("div", {}, el("span", {}, String(level)),
    el("button", { type: "button", class: "small", id: `up-${k}-${a}`, disabled: a === 0, "aria-label": t("s_move_up", { level }), onclick: () => swap(a, a - 1) }, "↑"),
    el("button", { type: "button", class: "small", id: `down-${k}-${a}`, disabled: a === one.levels.length - 1, "aria-label": t("s_move_down", { level }), onclick: () => swap(a, a + 1) }, "↓")))));
}
