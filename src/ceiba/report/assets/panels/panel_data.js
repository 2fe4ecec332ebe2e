// The Data tab: warnings, facts about the model, columns, parameters, versions.

import { columnHistogram, drawHistogram } from "../charts/charts.js";
import { importanceAt } from "../core/metrics.js";
import { M } from "../core/model.js";
import { className, fmtCount, fmtNumber, fmtPercent, fmtValue, listNames, t, TEST_MARKS } from "../core/format.js";
import { el, factList, section, sv, dataTable } from "../page/dom.js";
import { currentAlpha, currentDepth, state } from "../page/state.js";
import { palette, SvgPen } from "../tree/pens.js";
import { findingBoxes, noLeakText } from "./findings.js";

export function dataPanel() {
  const c = M.columns;
  const p = M.payload;
  const importance = importanceAt(currentAlpha());
  const order = c.name.map((_, j) => j).sort((a, b) => importance[b] - importance[a] || a - b);
  const range = (j) => {
    if (c.kind[j] !== "numeric") return `${c.levels[j].length}: ${listNames(c.levels[j], 6)}`;
    if (c.display[j] === "boolean") return `${t("no")} / ${t("yes")}`;
    if (c.minimum[j] === null) return "–";
    return `${fmtValue(c.minimum[j], j)} … ${fmtValue(c.maximum[j], j)}`;
  };
  const bars = (j) => {
    const hist = columnHistogram(j);
    if (!hist) return "";
    const svg = sv("svg", { viewBox: "0 0 84 26", class: "spark", role: "img", "aria-label": `${t("distribution")}: ${c.name[j]}` });
    const colours = p.n_bar_classes > 1 ? p.colours : [palette.muted];
    drawHistogram(new SvgPen(svg), hist, { x: 0, y: 1, w: 84, h: 24 }, colours, { words: false });
    return svg;
  };
  const facts = [
    [t("task"), t(p.task) + (M.regression ? "" : ` (${M.K})`)], [t("target"), p.target ?? "–"],
    ...(p.n_outputs > 1 ? [[t("output"), `${p.output + 1} / ${p.n_outputs}`]] : []),
    [t("criterion"), splitCriterion()], [t("rows"), M.hasRows ? fmtCount(M.rows[0]) : "–"], ...(M.test ? [[t("test_rows"), fmtCount(M.test.rows[0])]] : []),
    [t("leaves"), shownOfWhole(M.steps[state.step].leaves, M.nLeaves)], [t("depth"), shownOfWhole(currentDepth(), M.maxDepth)], [t("missing_rule"), t("rule_missing_" + p.missing)], [t("unseen_rule"), t("rule_unseen_" + p.unseen)],
    ...(p.cost_matrix ? [[t("cost_matrix"), costText()]] : []), ...(p.class_prior ? [[t("class_prior"), p.class_prior.map((v, k) => `${className(k)} ${fmtNumber(v, 3)}`).join("; ")]] : []),
  ];
  const provenance = [[t("model"), p.model ?? "–"], ...Object.entries(p.parameters), ["ceiba", p.ceiba], ["Python", p.python], [t("date"), p.created]];
  const warnings = [...findingBoxes(), ...(noLeakText() ? [el("p", { class: "calm" }, noLeakText())] : [])];
  return el("div", {},
    warnings.length ? section(t("warnings"), warnings) : null,
    section(t("about"), factList(facts)),
    section(t("columns"), dataTable([t("column"), t("importance"), t("missing"), t("values")],
      order.slice(0, 300).map((j) => [el("span", {}, el("span", { class: "clamp", title: c.name[j] }, c.name[j]), el("span", { class: "muted under" }, t("kind_" + (c.display[j] === "number" ? c.kind[j] : c.display[j])))), importance[j] > 0 ? fmtPercent(importance[j], 1) : "–", fmtCount(c.n_missing[j]), el("span", {}, bars(j), range(j))]), "columns")),
    section(t("made_with"), factList(provenance, "facts literal")));
}

/** The criterion by which splits were chosen, which may differ from the impurity of the nodes. */
function splitCriterion() {
  const { nodes, parameters, criterion } = M.payload;
  if (nodes.tests && TEST_MARKS[nodes.tests.name]) return nodes.tests.name;
  return parameters.criterion ? parameters.criterion.replace(/^'|'$/g, "") : criterion;
}

/** A figure of the shown tree, and that of the full tree if it differs. */
const shownOfWhole = (now, whole) => (now === whole ? fmtCount(now) : t("of_whole", { now: fmtCount(now), whole: fmtCount(whole) }));

function costText() {
  const parts = [];
  for (let i = 0; i < M.K && parts.length < 12; i++) for (let j = 0; j < M.K; j++) if (i !== j && M.cost[i * M.K + j]) parts.push(`${M.classes[i]} → ${M.classes[j]}: ${fmtNumber(M.cost[i * M.K + j])}`);
  return parts.join("; ");
}
