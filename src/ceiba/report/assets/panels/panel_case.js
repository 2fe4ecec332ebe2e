// The Case tab: a form with a field per column, and the prediction of the case. The case is kept in the address,
// so that a link restores it.

import { nearestCounterfactual } from "../case/counterfactual.js";
import { caseFromCsv, typicalCase, parseValue, usedColumns } from "../case/read_case.js";
import { predictCase, routeCase } from "../case/route.js";
import { shapleyValues } from "../case/shapley.js";
import { barList } from "../charts/charts.js";
import { valueSetText } from "../core/conditions.js";
import { M } from "../core/model.js";
import { confidenceText, testRowsText } from "../core/confidence.js";
import { answerText, className, fmtCount, fmtNumber, fmtPercent, fmtPoints, fmtValue, joinWithAnd, listNames, numberAnswer, question } from "../core/format.js";
import { sentence, t } from "../core/format.js";
import { byId, el, section, sv, verdict } from "../page/dom.js";
import { renderPanel } from "../page/inspector.js";
import { currentAlpha, displayNumber, nodeCurve, reveal, state, update } from "../page/state.js";
import { fillSpace, spacePanel } from "./panel_space.js";

function setValue(j, value) {
  const values = state.values.slice();
  values[j] = value;
  update({ values, hasCase: true });
}

export function casePanel() {
  const used = usedColumns();
  const others = M.columns.name.map((_, j) => j).filter((j) => !used.includes(j));
  const result = el("div", { id: "case-result", "aria-live": "polite" });
  const panel = el("div", {},
    el("p", { class: "muted" }, t("case_hint")),
    result,
    el("form", { class: "case", onsubmit: (e) => e.preventDefault() }, used.map((j) => caseField(j))),
    others.length ? el("details", {}, el("summary", {}, t("unused_columns", { n: others.length })), el("p", { class: "muted" }, listNames(others.map((j) => M.columns.name[j]), 60))) : null,
    section(t("paste_row"), pasteBox()),
    el("div", { class: "row" },
      el("button", { class: "small", onclick: () => { update({ values: typicalCase(), hasCase: true }); renderPanel(); } }, t("middling")),
      el("button", { class: "small", onclick: () => { update({ hasCase: false }); renderPanel(); } }, t("clear_case"))),
    spacePanel());
  fillResult(result);
  return panel;
}

let spaceTimer = 0;
/** Show another case in the open tab; the slice through it follows a moment later, in a separate frame. @param {Set<string>} changed */
export function showCase(changed) {
  if (!["values", "hasCase", "step"].some((k) => changed.has(k))) return;
  fillResult(byId("case-result"));
  clearTimeout(spaceTimer);
  spaceTimer = setTimeout(() => {
    const holder = byId("space");
    if (holder) fillSpace(holder);
  }, 40);
}

function caseField(j) {
  const c = M.columns;
  const id = "case" + j;
  const value = state.hasCase ? state.values[j] : undefined;
  const label = el("label", { for: id, title: c.name[j] }, c.name[j]);
  if (c.kind[j] !== "numeric" || c.display[j] === "boolean") return el("div", { class: "field" }, label, levelField(j, id, value));
  const text = value === undefined || value === null ? "" : c.display[j] === "number" ? String(value) : fmtValue(value, j);
  const input = el("input", { id, type: "text", inputmode: c.display[j] === "number" ? "decimal" : "text",
    autocomplete: "off", placeholder: t("missing"), value: text });
  const [low, high] = [c.minimum[j], c.maximum[j]];
  const slider = c.display[j] === "number" && low !== null && high > low ? rangeField(j, low, high, value, input) : null;
  input.addEventListener("input", () => {
    const read = parseValue(input.value, j);
    input.setAttribute("aria-invalid", read === undefined ? "true" : "false");
    if (read !== undefined) {
      setValue(j, read);
      if (slider) showOnRange(slider, read, low);
    }
  });
  return el("div", { class: "field" }, label, el("div", { class: "field-inputs" }, input, slider));
}

/** A slider over the training range, with marks at quantiles. */
function rangeField(j, low, high, value, input) {
  const range = el("input", { type: "range", min: low, max: high, step: "any", "aria-label": M.columns.name[j], tabindex: -1 });
  range.addEventListener("input", () => {
    box.classList.remove("blank");
    const step = 10 ** (Math.floor(Math.log10(high - low)) - 3);
    const read = Number((Math.round(+range.value / step) * step).toPrecision(8));
    input.value = String(read);
    setValue(j, read);
  });
  const marks = sv("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "quantiles", "aria-hidden": "true" });
  for (const q of (M.columns.quantiles[j] || []).slice(1, 6)) {
    marks.append(sv("rect", { x: ((q - low) / (high - low)) * 100 - 0.3, y: 0, width: 0.6, height: 4 }));
  }
  const box = el("div", { class: "range" }, range, marks);
  showOnRange(box, value ?? null, low);
  return box;
}

/** Move the knob to a value; it is hidden for a missing value. */
function showOnRange(box, value, low) {
  const range = box.querySelector("input");
  box.classList.toggle("blank", value === null);
  range.value = String(value ?? low);
  range.setAttribute("aria-valuetext", value === null ? t("missing") : String(value));
}

function levelField(j, id, value) {
  const boolean = M.columns.kind[j] === "numeric";
  const levels = boolean ? [t("no"), t("yes")] : M.columns.levels[j];
  const read = (e) => setValue(j, e.target.value === "missing" ? null : Number(e.target.value));
  return el("select", { id, value: value === undefined || value === null ? "missing" : String(value), onchange: read },
    levels.map((name, code) => el("option", { value: code }, name)),
    boolean ? null : el("option", { value: levels.length }, `(${t("unseen_level")})`), el("option", { value: "missing" }, `(${t("missing")})`));
}

function pasteBox() {
  const area = el("textarea", { rows: 2, placeholder: t("paste_hint"), "aria-label": t("paste_row") });
  area.addEventListener("input", () => {
    const values = caseFromCsv(area.value);
    if (!values) return;
    update({ values, hasCase: true });
    renderPanel();
  });
  return area;
}

function fillResult(box) {
  if (!state.hasCase) {
    box.replaceChildren(el("button", { class: "primary", onclick: () => { update({ values: typicalCase(), hasCase: true }); renderPanel(); } }, t("start_case")));
    return;
  }
  const moves = routeCase(state.values, currentAlpha());
  const prediction = predictCase(moves);
  box.replaceChildren(caseAnswer(prediction), el("h3", {}, t("why")), caseSteps(moves, prediction), missingUnasked(moves) || "", nearestChange(prediction) || "", contributionsBox(prediction));
}

function caseAnswer(prediction) {
  const leaf = prediction.leaf;
  const head = M.regression ? numberAnswer(prediction.value[0]) : className(prediction.answer);
  const order = M.classes.map((_, k) => k).sort((a, b) => prediction.value[b] - prediction.value[a]).slice(0, 6);
  const sure = prediction.ends.length > 1 ? { text: t("mixture", { n: prediction.ends.length }), isUncertain: false, hasVerdict: false } : confidenceText(leaf);
  return el("div", { class: "case-answer" },
    el("p", { class: "answer" }, t("predicts") + " ", el("strong", { id: "case-answer" }, head), M.regression ? null : el("span", {}, " " + t("with_share", { share: fmtPercent(prediction.value[prediction.answer], 1) }))),
    M.regression ? null : barList(order.map((k) => ({ name: className(k), share: prediction.value[k], text: fmtPercent(prediction.value[k], 1), colour: M.payload.colours[k], strong: k === prediction.answer }))),
    nodeCurve.view(leaf), nodeCurve.text(leaf) ? el("p", { id: "case-median" }, nodeCurve.text(leaf)) : null,
    sure ? el("p", { id: "case-sure", class: sure.isUncertain ? "sure uncertain" : "sure" }, verdict(sure)) : null,
    el("p", { class: "sure" }, testRowsText(leaf) ? testRowsText(leaf) + " " : "", el("button", { class: "link", onclick: () => reveal(leaf) }, `${t("leaf")} #${displayNumber(leaf)}`)));
}

/** Each split on the path as the condition that holds, and the value that it leads to. */
function caseSteps(moves, prediction) {
  const figure = (i) => (M.regression ? fmtNumber(M.value[i]) : fmtPercent(M.prob(i, prediction.answer)));
  const begin = M.regression ? figure(0) : `${className(prediction.answer)} ${figure(0)}`;
  const items = moves.filter((m) => m.by).map((m) => {
    const j = M.splits.column[m.node];
    const holds = m.branch === null ? `${question(m.node, 6)} · ${t("stays")}` : sentence(M.splits, m.node, m.branch, 6);
    let note = "";
    if (m.by === "surrogate") note = t("by_surrogate", { split: sentence(M.surrogates.splits, m.surrogate, m.branch, 4) });
    else if (m.by === "default") note = t("by_default");
    else if (m.by === "unseen") note = t(m.branch === null ? "by_root" : "by_unseen");
    else if (m.by === "share") note = t("by_share", { share: fmtPercent(m.share) });
    const title = question(m.node, 12);
    const value = state.values[j];
    const showsValue = value !== null && M.columns.kind[j] === "numeric" && m.by === "primary";
    return el("li", {},
      el("span", { class: "step" },
        el("button", { class: "link", title, onclick: () => reveal(m.node) }, holds),
        showsValue ? el("span", { class: "muted" }, ` (${t("it_is", { value: fmtValue(value, j) })})`) : null,
        note ? el("span", { class: "note" }, note) : null),
      m.branch === null ? null : el("span", { class: "leads" }, "→ " + figure(M.child(m.node, m.branch))));
  });
  return el("ol", { class: "steps", "aria-label": t("why") },
    el("li", { class: "begin" }, el("span", { class: "step" }, t("case_begin", { said: begin }))), items);
}

/** Columns that are missing in the case but not used on its path. */
function missingUnasked(moves) {
  const used = new Set();
  for (const { node, by } of moves) {
    if (!by) continue;
    used.add(M.splits.column[node]);
    const s = M.surrogates;
    if (s && s.inUse && by !== "primary") for (let k = s.start[node]; k < s.start[node + 1]; k++) used.add(s.splits.column[k]);
  }
  const names = usedColumns().filter((j) => state.values[j] === null && !used.has(j)).map((j) => M.columns.name[j]);
  return names.length ? el("p", { class: "not-asked" }, t("not_asked", { names: listNames(names, 8) })) : null;
}

/** The nearest counterfactual as a sentence. */
function nearestChange(prediction) {
  if (prediction.ends.length > 1) return null;
  const nearest = nearestCounterfactual(state.values, prediction, currentAlpha());
  if (!nearest) return null;
  return el("p", { class: "flip" }, el("strong", {}, t("nearest_change") + " "), joinWithAnd(nearest.sets.map((set) => valueSetText(set, 4, nearest.sets.length > 1))), " → ", answerText(nearest.node),
    M.hasRows ? ` (${t("n_train_rows", { n: fmtCount(M.rows[nearest.node]) })})` : "");
}

const MAX_CONTRIBUTIONS = 8;
export const LARGE_TREE = 1000; // nodes; contributions are then computed in a separate frame
let contributionsTimer = 0;

/** The box of the contributions, filled at once or a moment later. */
function contributionsBox(prediction) {
  const box = el("div", { id: "case-shares" });
  clearTimeout(contributionsTimer);
  if (M.n <= LARGE_TREE) fillContributions(box, prediction);
  else contributionsTimer = setTimeout(() => fillContributions(box, prediction), 60);
  return box;
}

function fillContributions(box, prediction) {
  const k = M.regression ? 0 : prediction.answer;
  const { base, parts } = shapleyValues(state.values, currentAlpha(), k);
  const least = 1e-9 * Math.max(...parts.map(Math.abs), Math.abs(base));
  const order = usedColumns().filter((j) => Math.abs(parts[j]) > least).sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]));
  if (!order.length) return;
  const visible = order.slice(0, order.length > MAX_CONTRIBUTIONS + 1 ? MAX_CONTRIBUTIONS : order.length);
  const rest = order.slice(visible.length);
  const rows = visible.map((j) => ({ name: `${M.columns.name[j]} = ${fmtValue(state.values[j], j)}`, part: parts[j] }));
  if (rest.length) rows.push({ name: t("shap_rest", { n: rest.length }), part: rest.reduce((sum, j) => sum + parts[j], 0) });
  const none = usedColumns().filter((j) => M.splits.column.includes(j) && !order.includes(j)).map((j) => M.columns.name[j]);
  const figure = (v) => (M.regression ? fmtNumber(v) : fmtPercent(v, 1));
  const of = M.regression ? "" : `: ${className(k)}`;
  box.replaceChildren(el("h3", {}, t("shap_title")),
    contributionTotal(t("shap_base") + of, figure(base)), ...contributionBars(rows), contributionTotal(t("shap_end") + of, figure(prediction.value[k])),
    none.length ? el("p", { class: "not-asked" }, t("shap_none", { names: listNames(none, 8) })) : "",
    el("p", { class: "muted small-text" }, t("shap_hint")));
}

const contributionTotal = (name, text) => el("div", { class: "shap-row shap-end" }, el("span", { class: "shap-name", title: name }, name), el("span", {}), el("span", { class: "shap-text" }, text));

/** Signed bars on a common scale. @param {{name: string, part: number}[]} rows */
function contributionBars(rows) {
  const low = Math.min(0, ...rows.map((r) => r.part)), high = Math.max(0, ...rows.map((r) => r.part));
  const at = (v) => (100 * (v - low)) / (high - low);
  const text = (v) => (v < 0 ? "−" : "+") + (M.regression ? fmtNumber(Math.abs(v), 3) : fmtPoints(Math.abs(v)));
  return rows.map(({ name, part }) => {
    const [left, right] = [at(Math.min(part, 0)), at(Math.max(part, 0))];
    const fill = el("span", { class: "shap-fill" + (part < 0 ? " down" : ""), style: { left: `${left}%`, width: `${right - left}%` } });
    const zero = el("span", { class: "shap-zero", style: { left: `calc(${at(0)}% - ${at(0) > 99 ? 1 : 0}px)` } });
    return el("div", { class: "shap-row" }, el("span", { class: "shap-name", title: name }, name), el("span", { class: "shap-track", "aria-hidden": "true" }, fill, zero), el("span", { class: "shap-text" }, text(part)));
  });
}
