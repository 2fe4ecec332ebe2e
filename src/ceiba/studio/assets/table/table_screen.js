// The first screen: the columns of the table and the setup, before a tree is grown.

import { barTrack } from "../../../report/assets/charts/charts.js";
import { fmtCount, fmtNumber, fmtPercent, hasText, isolateRtl, language, listNames, t } from "../../../report/assets/core/format.js";
import { selectBox, el, announce, scrollTable, section, sv } from "../../../report/assets/page/dom.js";
import { act, studio } from "../client/client.js";

export function tableScreen() {
  const s = studio.server;
  return el("main", { class: "table-screen", id: "table-screen" },
    resumedBox(),
    el("div", { class: "table-head" },
      el("div", {}, el("h2", {}, s.source.name), el("p", { class: "muted" }, tableSummary()), judgedLine(), sampleMark(), s.source.remarks.map((text) => el("p", { class: "warn" }, text)),
        s.not_replayed ? el("button", { class: "small", id: "in-copy", onclick: () => act("continue_in_copy") }, t("s_in_copy")) : null),
      el("button", { class: "primary", id: "start", disabled: !s.tree, onclick: () => studio.show("editor") }, t(hasSplits() ? "s_continue" : "s_start"))),
    s.tree || s.beginning ? null : el("p", { class: "warn" }, t("s_choose_target")),
    hasSplits() ? el("p", { class: "muted" }, t("s_starts_anew")) : null,
    el("div", { class: "table-grid" }, columnsTable(), setupBox()));
}

/** Whether the tree has any split. */
export const hasSplits = () => Boolean(studio.server.tree) && studio.server.tree.nodes.parent.length > 1;

function tableSummary() {
  const { setup, source } = studio.server;
  const parts = [t("n_rows", { n: fmtCount(source.n_rows) }), t("s_n_columns", { n: fmtCount(setup.columns.length) })];
  if (setup.n_without_target) parts.push(t("s_without_target", { n: fmtCount(setup.n_without_target) }));
  if (setup.n_held_out) parts.push(t("s_n_parts", { train: fmtCount(setup.n_train), held: fmtCount(setup.n_held_out) }));
  if (setup.n_test) parts.push(t("s_n_test", { n: fmtCount(setup.n_test) }));
  return parts.join(" · ");
}

/** How trees are judged, and one click to change it. */
function judgedLine() {
  const { setup } = studio.server;
  if (!studio.server.tree || (setup.held_out && !setup.held_out.share)) return null;
  const n = setup.n_held_out;
  const few = setup.n_train < 500;
  return el("p", { id: "judged-line" }, n ? t("s_judged_held", { n: fmtCount(n), share: fmtPercent(n / (n + setup.n_train + setup.n_test)) }) : t(few ? "s_judged_few" : "s_judged_cv"), " ",
    el("button", { class: "small", id: "judged-toggle", onclick: () => act("set_held_out", { ...(n ? {} : { share: 0.25 }), ...(setup.test ? { test: setup.test } : {}) }) }, t(n ? "s_judged_keep_none" : "s_judged_keep")));
}

/** A note while the columns are described by a sample of the rows. */
function sampleMark() {
  const { columns } = studio;
  if (!columns || columns.n_described >= columns.n_rows) return null;
  return el("p", { class: "muted", id: "by-sample", role: "status" }, t("s_by_sample", { n: fmtCount(columns.n_described) }));
}

function resumedBox() {
  const { resumed } = studio.server;
  if (!resumed) return null;
  const when = new Date(resumed.saved);
  return el("p", { class: "flip", id: "resumed" }, t("s_resumed", { n: fmtCount(resumed.actions), when: Number.isNaN(when.valueOf()) ? resumed.saved : when.toLocaleString(language.code) }), " ",
    el("button", { class: "small", id: "afresh", onclick: () => act("restart") }, t("s_afresh")));
}

/** The table of columns: settings, distribution, association, remarks. */
function columnsTable() {
  const heads = ["column", "s_role", "s_kind", "missing", "distribution", "s_association", "s_remarks"].map((key) => t(key));
  const described = new Map((studio.columns ? studio.columns.columns : []).map((column) => [column.name, column]));
  return el("div", { class: "columns-holder" }, el("table", { class: "columns-table", id: "columns" },
    el("caption", { class: "offscreen" }, t("columns")),
    el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col" }, h)))),
    el("tbody", {}, studio.server.setup.columns.map((column, k) => columnRow(column, described.get(column.name), k, heads)))));
}

/** @param {any} column its settings @param {any} description its description @param {number} k */
function columnRow(column, description, k, heads) {
  const cell = (h, kind, ...children) => el("td", { class: kind, "data-head": heads[h] }, children);
  return el("tr", { class: "role-" + column.role, "data-column": column.name },
    el("th", { scope: "row", class: "column-name" }, column.unnamed ? el("input", { id: `name-${k}`, type: "text", maxlength: 200, autocomplete: "off", value: column.label, "aria-label": `${t("s_rename")}: ${column.name}`, title: t("s_rename"), onchange: (e) => act("set_column", { column: column.name, name: e.target.value }) }) : isolateRtl(column.name)),
    cell(1, "", roleChoice(column, k)),
    cell(2, "", kindChoice(column, k), column.role === "use" ? columnMore(column, k) : null, column.codes ? eventChoice(column, k) : null),
    cell(3, "num", description ? (description.n_missing ? fmtPercent(description.missing, 1) : "–") : "…"),
    cell(4, "", description ? columnPicture(description) : "…"),
    cell(5, "", description ? associationBar(description) : "…"),
    cell(6, "remarks", description ? description.remarks.map((r) => el("p", { class: "remark" }, "⚠ " + remarkText(r, description))) : null));
}

const ROLES = ["use", "ignore", "weight", "target", "event"];
const roleChoice = (column, k) => selectBox(`role-${k}`, `${t("s_role")}: ${column.name}`, ROLES, column.role, (v) => t("s_role_" + v), (role) => act("set_column", { column: column.name, role }));
const kindChoice = (column, k) => selectBox(`kind-${k}`, `${t("s_kind")}: ${column.name}`, column.kinds.includes(column.kind) ? column.kinds : [column.kind, ...column.kinds], column.kind, (v) => t("s_kind_" + v), (kind) => act("set_column", { column: column.name, kind }));

/** Which value of the event column is the event. */
const eventChoice = (column, k) => el("label", { class: "inline" }, t("s_event_code"), selectBox(`event-${k}`, t("s_event_code"), column.codes, studio.server.setup.event_code, (v) => v, (code) => act("set_column", { column: column.name, code })));

/** Further settings of a column: monotone direction, cost, order of its levels. */
function columnMore(column, k) {
  const parts = [];
  if (column.kind !== "category" && column.kind !== "identifier") {
    parts.push(el("label", { class: "inline" }, t("s_monotone"), selectBox(`monotone-${k}`, `${t("s_monotone")}: ${column.name}`, [0, 1, -1], column.monotone, (v) => t({ 0: "s_monotone_free", 1: "s_monotone_up", "-1": "s_monotone_down" }[v]), (v) => act("set_column", { column: column.name, monotone: Number(v) }))));
  }
  const cost = numberField(`cost-${k}`, column.cost, (v) => v !== "" && act("set_column", { column: column.name, cost: Number(v) }),
    { "aria-label": `${t("s_column_cost")}: ${column.name}` });
  parts.push(el("label", { class: "inline", title: t("s_column_cost_hint") }, t("s_column_cost"), cost));
  if (column.kind === "ordered" && column.levels) parts.push(orderList(column, k));
  const set = column.monotone !== 0 || column.cost !== 1;
  return el("details", { class: "column-more", open: openMore.has(column.name), ontoggle: (e) => (e.target.open ? openMore.add(column.name) : openMore.delete(column.name)) }, el("summary", {}, set ? `${t("s_more")} •` : t("s_more")), parts);
}
/** @type {Set<string>} */ const openMore = new Set();

/** The levels of an ordered column, with buttons to reorder them. */
function orderList(column, k) {
  const swap = (a, b) => {
    const order = [...column.levels];
    [order[a], order[b]] = [order[b], order[a]];
    return act("set_column", { column: column.name, order });
  };
  return el("ol", { class: "order-list", "aria-label": t("s_order") }, column.levels.map((level, a) => el("li", {}, el("div", {}, el("span", {}, String(level)),
    el("button", { class: "small", id: `up-${k}-${a}`, disabled: a === 0, "aria-label": t("s_move_up", { level }), onclick: () => swap(a, a - 1) }, "↑"),
    el("button", { class: "small", id: `down-${k}-${a}`, disabled: a === column.levels.length - 1, "aria-label": t("s_move_down", { level }), onclick: () => swap(a, a + 1) }, "↓")))));
}

function setupBox() {
  const { setup } = studio.server;
  return el("div", { class: "setup", role: "group", "aria-label": t("s_setup") },
    section(t("s_target"), targetChoice()),
    section(t("s_preset"), presetChoice()),
    section(t("s_held_out_rows"), heldOutChoice()),
    el("details", { class: "block", open: openGrowing ?? window.innerWidth > 1180, ontoggle: (e) => (openGrowing = e.target.open) }, el("summary", {}, t("s_growing")), growingOptions()),
    setup.task === "classification" && setup.classes.length ? section(t("s_priors_costs"), priorsAndCosts()) : null);
}

/** @type {boolean|null} whether the options of growing are open; null: if there is room */ let openGrowing = null;

function targetChoice() {
  const { setup } = studio.server;
  const names = setup.columns.map((column) => column.name);
  const label = (v) => setup.columns.find((column) => column.name === v)?.label ?? v;
  return el("div", {}, selectBox("target", t("s_target"), setup.target === null ? ["", ...names] : names, setup.target ?? "", label, (column) => column && act("set_column", { column, role: "target" })),
    setup.task ? el("p", { class: "muted small-text", id: "task" }, t(setup.task) + (setup.classes.length ? `: ${listNames(setup.classes, 6)}` : setup.event ? `: ${t("s_event_of", { column: label(setup.event) })}` : "")) : null);
}

const CREDIT = { share: 0.25, min_samples_leaf: 0.05 };
/** Settings by purpose: those of a scorecard have leaves of 5% of the rows and a quarter for validation. */
function presetChoice() {
  const { held_out: held, options } = studio.server.setup;
  const credit = Boolean(held) && held.share === CREDIT.share && options.min_samples_leaf === CREDIT.min_samples_leaf;
  const choose = async (/** @type {string} */ v) => {
    const least = v === "credit" ? CREDIT.min_samples_leaf : Math.max(5, Math.round(0.005 * studio.server.setup.n_train));
    if (v === "credit" && !(held && held.share === CREDIT.share) && !(await act("set_held_out", { share: CREDIT.share }))) return;
    await act("set_options", { options: { min_samples_leaf: least } });
  };
  return el("div", {}, selectBox("preset", t("s_preset"), ["general", "credit"], credit ? "credit" : "general", (v) => t("s_preset_" + v), choose), credit ? el("p", { class: "muted small-text" }, t("s_preset_credit_hint")) : null);
}

const HELD_OUT_SHARES = [0, 0.2, 0.25, 0.3, 0.4, 0.5];
/** The choice of held-out rows: none, a share, or another file of the folder; and of sealed test rows. */
function heldOutChoice() {
  const { held_out: held, test, n_train: n } = studio.server.setup;
  const value = !held ? "0" : held.given ? "given" : held.file !== undefined ? "file:" + held.file : String(held.share);
  const values = [...new Set([...(held && held.given ? ["given"] : []), ...HELD_OUT_SHARES.map(String), ...(held && held.share ? [String(held.share)] : []), ...studio.files.map((name) => "file:" + name)])];
  const name = (/** @type {string} */ v) => (v === "given" ? t("s_held_given") : v === "0" ? t("s_held_none") : v.startsWith("file:") ? t("s_held_file", { name: v.slice(5) }) : t("s_held_share", { share: fmtPercent(Number(v)) }));
  const held_out = (/** @type {string} */ v) => (v === "0" ? {} : v.startsWith("file:") ? { file: v.slice(5) } : { share: Number(v) });
  const sealed = [...new Set([0, 0.1, 0.2, 0.25, test || 0])].map(String);
  return el("div", {}, selectBox("held-out", t("s_held_out_rows"), values, value, name, (v) => act("set_held_out", { ...held_out(v), ...(test ? { test } : {}) })),
    el("p", { class: "muted small-text", id: "judged-by" }, held ? t("s_held_hint") : t(n !== null && n < 500 ? "s_held_few" : "s_held_all")),
    value === "given" ? null : el("div", {}, el("label", { for: "test-share" }, t("s_test_rows")), selectBox("test-share", t("s_test_rows"), sealed, String(test || 0), (v) => (v === "0" ? t("s_held_none") : t("s_held_share", { share: fmtPercent(Number(v)) })), (v) => act("set_held_out", { ...held_out(value), ...(v === "0" ? {} : { test: Number(v) }) }))),
    el("p", { class: "muted small-text" }, t("s_test_hint")));
}

/** @param {string} id @param {number|string} value @param {(v: string) => void} changed @param {Record<string, any>} more */
const numberField = (id, value, changed, more) =>
  el("input", { id, type: "number", min: 0, step: "any", value, onchange: (e) => changed(e.target.value), ...more });

/** Options of growing: select boxes where values are listed, else numbers; empty is the default. */
function growingOptions() {
  const { options, allowed } = studio.server.setup;
  const set = (name, value) => act("set_options", { options: { [name]: value } });
  return el("div", { class: "option-grid" }, Object.keys(options).map((name) => {
    const id = "option-" + name;
    const label = el("label", { for: id }, hasText("s_option_" + name) ? t("s_option_" + name) : name);
    if (allowed[name]) return [label, selectBox(id, label.textContent, allowed[name], options[name], (v) => (hasText("s_value_" + v) && name !== "criterion" ? t("s_value_" + v) : String(v)), (v) => set(name, v))];
    return [label, numberField(id, options[name] ?? "", (v) => set(name, v === "" ? null : Number(v)), { placeholder: t("s_no_limit") })];
  }));
}

/** Class priors and misclassification costs. */
function priorsAndCosts() {
  const { classes, class_prior: prior, cost_matrix: costs } = studio.server.setup;
  if (classes.length > 8) return el("p", { class: "muted" }, t("s_many_classes"));
  return el("div", {}, priorFields(classes, prior), costFields(classes, costs));
}

function priorFields(classes, prior) {
  const fields = classes.map((name, k) => numberField(`prior-${k}`, prior ? prior[name] ?? "" : "", () => send(),
    { max: 1, placeholder: t("s_as_rows"), "aria-label": `${t("class_prior")}: ${name}` }));
  const send = () => {
    const filled = fields.filter((f) => f.value !== "");
    if (!filled.length) return act("set_options", { options: {}, class_prior: null });
    if (filled.length === fields.length) return act("set_options", { options: {}, class_prior: Object.fromEntries(classes.map((name, k) => [name, Number(fields[k].value)])) });
    return announce(t("s_prior_all"));
  };
  return el("details", { open: Boolean(prior) }, el("summary", {}, t("class_prior")), el("div", { class: "option-grid" }, classes.map((name, k) => [el("label", { for: `prior-${k}` }, name), fields[k]])), el("p", { class: "muted small-text" }, t("s_prior_hint")));
}

function costFields(classes, costs) {
  const value = (r, c) => (costs ? costs[r][c] : r === c ? 0 : 1);
  const fields = classes.map((truth, r) => classes.map((said, c) =>
    numberField(`error-cost-${r}-${c}`, value(r, c), () => send(), { disabled: r === c, "aria-label": t("s_cost_of", { truth, said }) })));
  const send = () => {
    const matrix = fields.map((line) => line.map((f) => Number(f.value)));
    const plain = matrix.every((line, r) => line.every((v, c) => v === (r === c ? 0 : 1)));
    return act("set_options", { options: {}, cost_matrix: plain ? null : matrix });
  };
  return el("details", { open: Boolean(costs) }, el("summary", {}, t("cost_matrix")),
    scrollTable(t("cost_matrix"), "cost-table", [el("td", {}, t("s_cost_corner")), classes.map((name) => el("th", { scope: "col" }, name))],
      classes.map((name, r) => el("tr", {}, el("th", { scope: "row" }, name), fields[r].map((f) => el("td", {}, f))))));
}

/** The distribution of a column. @param {any} description */
function columnPicture(description) {
  if (description.histogram.length) return numberPicture(description);
  if (description.kind === "identifier") return el("span", { class: "muted" }, t("s_n_distinct", { n: fmtCount(description.n_distinct) }));
  const most = description.levels.slice(0, 4);
  const total = studio.columns.n_described - description.n_missing || 1;
  const rest = description.n_distinct - most.length;
  return el("div", { class: "level-bars" }, most.map(([level, n]) => el("div", { class: "level-bar" },
    el("span", { class: "bar-name", title: String(level) }, String(level)), barTrack(n / total), el("span", { class: "num" }, fmtPercent(n / total)))),
  rest > 0 ? el("span", { class: "muted small-text" }, t("more_levels", { n: fmtCount(rest) })) : null);
}

function numberPicture(description) {
  const counts = description.histogram;
  const most = Math.max(...counts, 1);
  const svg = sv("svg", { viewBox: `0 0 ${counts.length * 8} 28`, class: "column-histogram", preserveAspectRatio: "none", "aria-hidden": "true" });
  counts.forEach((n, k) => n && svg.append(sv("rect", { x: 8 * k + 0.5, y: 28 - Math.max((27 * n) / most, 1), width: 7, height: Math.max((27 * n) / most, 1), class: "histogram-bar" })));
  const format = (v) => (typeof v === "number" ? fmtNumber(v, 4) : String(v));
  const q = description.quantiles;
  return el("div", { class: "number-picture" }, svg, el("div", { class: "ends" }, el("span", {}, format(q[0])), el("span", { class: "muted" }, `${t("s_median")} ${format(q[2])}`), el("span", {}, format(q[q.length - 1]))));
}

/** A bar of the association: the share of the target's impurity that the best single split removes. */
function associationBar(description) {
  if (description.association === null) return el("span", { class: "muted" }, "–");
  return el("div", { class: "association", title: t("s_association_hint") },
    barTrack(description.association), el("span", { class: "num" }, fmtPercent(description.association, 1)));
}

const REMARKS = ["empty", "constant", "nearly_constant", "identifier", "dates_differ", "many_levels", "numbers_as_text", "dates_as_text", "codes", "mostly_missing", "missing_code", "leak"];
/** A remark of the description, translated. @param {any} remark */
const remarkText = (remark, description) => (REMARKS.includes(remark.code) ? t("s_remark_" + remark.code, { n: fmtCount(description.n_distinct), share: fmtPercent(description.missing), value: remark.value }) : remark.text);
