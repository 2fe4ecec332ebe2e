// The printed report: summary, icicle, table of rules, and the top levels of the tree on a landscape page.
// It is built when printing starts, always in light colours.

import { ruleText } from "../core/conditions.js";
import { terminalsAt, sourceOf } from "../core/metrics.js";
import { M } from "../core/model.js";
import { answerText, fmtCount, t } from "../core/format.js";
import { download, el, sv, dataTable } from "../page/dom.js";
import { tabs } from "../page/inspector.js";
import { currentAlpha, currentDepth, displayNumber, foldToSize, state } from "../page/state.js";
import { metricsTable, currentSource } from "../panels/metric_tables.js";
import { findingBoxes } from "../panels/findings.js";
import { proofNotes, proofText, summaryLine } from "../panels/header.js";
import { calibrationView, confusionTable, importanceList, residualView } from "../panels/panel_model.js";
import { drawIcicle } from "../tree/icicle.js";
import { colourLegend } from "../tree/pane.js";
import { palette, readPalette, SvgPen } from "../tree/pens.js";
import { drawSelected, drawTree } from "../tree/tree_draw.js";
import { boxSize, makeLayout, spacing, view } from "../tree/tree_view.js";

const PRINT_WIDTH = 680;
// The tree is printed on landscape pages at full size, with no text below 8 points.
const TREE_WIDTH = 990, TREE_HEIGHT = 560;

export function buildPrint(root) {
  const theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  readPalette();
  const alpha = currentAlpha();
  const terminals = terminalsAt(alpha);
  const leaves = terminals.filter((e) => !e.rest).map((e) => e.node).sort((a, b) => M.breadth[b] - M.breadth[a]);
  const many = leaves.length > 150;
  root.replaceChildren(
    el("h1", {}, M.payload.title), el("p", {}, summaryLine()), proofText() ? el("p", {}, `${proofText()} ${proofNotes()}`) : "",
    ...findingBoxes(), el("h2", {}, t("quality")), metricsTable(alpha), el("h2", {}, t("importance")), importanceList(alpha),
    el("h2", {}, t("overview")), icicleSvg(PRINT_WIDTH, Math.min(26 * (currentDepth() + 1), 260)),
    ...printedFigures(terminals),
    tabs.trust ? el("div", {}, el("h2", {}, t("tab_trust")), tabs.trust.build()) : "",
    el("h2", {}, t("rules")),
    dataTable(["#", t("predicted"), t("rows"), t("rule")], leaves.slice(0, 150).map((i) => [`#${displayNumber(i)}`, answerText(i), M.hasRows ? fmtCount(M.rows[i]) : "–", ruleText(i, 20)]), "print-rules"),
    many ? el("p", {}, t("more_rules", { n: leaves.length - 150 })) : el("p", {}),
    el("p", { class: "muted" }, `ceiba ${M.payload.ceiba} · ${M.payload.created}`),
    // Last: a landscape page leaves the rest of the page before it empty.
    el("div", { class: "wide" }, el("h2", {}, t("tree")), ...treeSvg()));
  document.documentElement.dataset.theme = theme;
  readPalette();
}

/** Confusion matrix and calibration; for regression, observed against predicted. */
function printedFigures(terminals) {
  const source = currentSource();
  const figures = source ? sourceOf(source) : null;
  if (!figures) return [];
  const name = (key) => el("h2", {}, `${t(key)} (${t(source)})`);
  if (M.regression) return figures.mean ? [el("div", { class: "pair" }, el("div", {}, name("observed_predicted"), residualView(figures, terminals)))] : [];
  return [el("div", { class: "pair" }, el("div", {}, name("confusion"), confusionTable(figures, terminals)), M.test ? el("div", {}, el("h2", {}, t("calibration")), calibrationView(terminals)) : null)];
}

function icicleSvg(width, height) {
  const svg = sv("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "picture" });
  drawIcicle(new SvgPen(svg), width, height, false);
  return svg;
}

/** The shown tree as SVG, laid out for a page, with its legend. */
function treeSvg() {
  const kept = { ...view };
  const { folded, selected } = state;
  state.selected = -1;
  view.direction = "right";
  let w = 0, h = 0;
  for (const [most, deep] of [[31, 4], [23, 4], [23, 3], [15, 3], [9, 2], [5, 1]]) {
    state.folded = foldToSize(most, deep);
    view.layout = makeLayout();
    Object.assign(view, { stretch: [1, 1], stretched: true, narrow: false, lines: 1, zoom: 0.32 });
    // As large as the page allows, so that boxes have room for rows and predictions.
    const stretch = [TREE_HEIGHT / (view.layout.most * spacing(view.zoom, 0)), (TREE_WIDTH - boxSize().w - 160) / (Math.max(view.layout.deep, 1) * spacing(view.zoom, 1))];
    view.stretch = [Math.min(Math.max(stretch[0], 1), 2.4), Math.min(Math.max(stretch[1], 1), 1.5)];
    view.lines = 3;
    const box = boxSize();
    [w, h] = [view.layout.deep * spacing(view.zoom, 1) + box.w + 60, view.layout.most * spacing(view.zoom, 0) + 20];
    Object.assign(view, { x: box.w / 2 + 2, y: 6, width: w, height: h });
    if (w <= TREE_WIDTH && h <= TREE_HEIGHT + 30) break;
  }
  const svg = sv("svg", { viewBox: `0 0 ${w} ${h}`, class: "picture" });
  svg.setAttribute("width", String(Math.min(w, TREE_WIDTH)));
  drawTree(new SvgPen(svg), w, h);
  const key = colourLegend(view.layout);
  Object.assign(state, { folded, selected });
  Object.assign(view, kept);
  return [svg, key];
}

/** The current view as SVG. */
export function viewSvg() {
  const svg = sv("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${view.width} ${view.height}`, width: view.width, height: view.height });
  svg.append(sv("rect", { width: view.width, height: view.height, fill: palette.panel }));
  drawTree(new SvgPen(svg), view.width, view.height);
  drawSelected(new SvgPen(svg));
  return svg;
}

export function saveSvg() {
  const svg = viewSvg();
  download("tree.svg", "image/svg+xml", new XMLSerializer().serializeToString(svg));
}
