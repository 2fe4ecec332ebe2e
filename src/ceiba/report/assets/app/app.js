// The report's application: load the payload, build the page, connect the views.

import { nearestCounterfactual } from "../case/counterfactual.js";
import { caseFromCsv, typicalCase } from "../case/read_case.js";
import { predictCase, routeCase } from "../case/route.js";
import { shapleyValues } from "../case/shapley.js";
import { sliceRegions } from "../case/slice.js";
import { histogramOf } from "../charts/charts.js";
import { ruleCode, ruleParts, ruleText } from "../core/conditions.js";
import { WORDS } from "../core/i18n.js";
import { importanceAt, metricsAt, sortedClass, sourceOf } from "../core/metrics.js";
import { M, setModel } from "../core/model.js";
import { confidenceText } from "../core/confidence.js";
import { fmtCount, setLanguage, t } from "../core/format.js";
import { byId, lastCopied, el } from "../page/dom.js";
import { languageChoice, preferredTheme, showPage, themeButton, treeBody, wireBody } from "../page/frame.js";
import { subscribeTabs, tabs } from "../page/inspector.js";
import { currentAlpha, subscribe, displayNumber, initialFold, readAddress, reveal, state, update, writeAddress } from "../page/state.js";
import { currentLeak } from "../panels/findings.js";
import { headerMarks, proofLine, summaryLine } from "../panels/header.js";
import { casePanel, LARGE_TREE, showCase } from "../panels/panel_case.js";
import { dataPanel } from "../panels/panel_data.js";
import { modelPanel } from "../panels/panel_model.js";
import { nodeExtras, nodePanel } from "../panels/panel_node.js";
import { pruneFigures, prunePanel, showStep } from "../panels/panel_prune.js";
import { filterHits, goToNextHit, presentHits, searchHits, searchText } from "../tree/search.js";
import { hover } from "../tree/hover.js";
import { countBeyondEdges, drawIcicle } from "../tree/icicle.js";
import { connectTree } from "../tree/pane.js";
import { CanvasPen, measuringContext, rankOf } from "../tree/pens.js";
import { tidyLayout } from "../tree/tidy.js";
import { drawDots } from "../tree/tree_draw.js";
import { fitTree, icicle, makeLayout, screenPosition, screenPositions, view, zoomTo } from "../tree/tree_view.js";
import { buildPrint, saveSvg, viewSvg } from "./print.js";

async function readPayload() {
  const holder = byId("payload");
  let text = holder.textContent;
  if (holder.dataset.encoding === "deflate") {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    text = await new Response(stream).text();
  }
  holder.remove();
  return JSON.parse(text);
}

function topBar() {
  const search = el("input", { type: "search", id: "search", placeholder: t("search"), "aria-label": t("search"),
    autocomplete: "off", value: state.search });
  search.addEventListener("input", () => {
    update({ search: search.value });
    byId("hits").textContent = searchHits() ? t("n_found", { n: fmtCount(presentHits().length) }) : "";
  });
  search.addEventListener("keydown", (e) => {
    if (e.key === "Enter") goToNextHit(e.shiftKey ? -1 : 1);
    if (e.key === "Escape") {
      search.value = "";
      update({ search: "" });
      byId("hits").textContent = "";
      byId("outline").focus();
    }
  });
  return el("header", { class: "top" },
    el("div", { class: "title" }, el("div", { class: "title-line" }, el("h1", { title: M.payload.title }, M.payload.title), el("div", { id: "marks", class: "marks" }, headerMarks())),
      el("p", { id: "summary", class: "muted" }, summaryLine()), el("div", { id: "proof" }, proofLine())),
    el("div", { class: "tools" },
      el("div", { class: "search" }, search, el("span", { id: "hits", class: "muted", "aria-live": "polite" })),
      languageChoice(build),
      themeButton(),
      el("button", { id: "save", onclick: saveSvg, title: t("save_svg") }, "SVG"),
      el("button", { id: "print-button", onclick: () => window.print() }, t("print"))));
}

/** Mark the Data tab if a leak is suspected. */
function markDataTab() {
  const tab = byId("tab-data");
  tab.replaceChildren(t("tab_data"), ...(currentLeak() ? [el("span", { class: "tab-mark", role: "img", "aria-label": t("warning") }, "⚠")] : []));
}

/** Build the page, at first and whenever language or theme change. */
function build() {
  showPage(() => [topBar(), treeBody()]);
  wireBody();
  markDataTab();
}

function connect() {
  subscribe(["theme"], build);
  connectTree();
  subscribe(["step"], () => {
    byId("summary").textContent = summaryLine();
    byId("marks").replaceChildren(...headerMarks());
    byId("proof").replaceChildren(...proofLine());
    markDataTab();
  });
  subscribeTabs();
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      e.preventDefault();
      byId("search").focus();
    }
  });
  window.addEventListener("pagehide", writeAddress);
  window.addEventListener("beforeprint", () => buildPrint(byId("print")));
}

/**
 * Load the payload and show it.
 * @param {{panel: () => Element, ofNode: (i: number) => Element|null}|null} trust the Trust tab, on a page that has it
 */
export async function start(trust) {
  const payload = await readPayload();
  setLanguage(payload.lang);
  setModel(payload);
  Object.assign(tabs, {
    node: { build: nodePanel, stale: ["selected", "step"] }, case: { build: casePanel, stale: [], show: showCase },
      prune: { build: prunePanel, stale: ["source"], show: showStep },
    model: { build: modelPanel, stale: ["step", "selected", "source", "filter"] }, data: { build: dataPanel, stale: ["step"] },
  });
  if (trust && payload.trust) {
    tabs.trust = { build: trust.panel, stale: ["step"] };
    nodeExtras.push(trust.ofNode);
  }
  state.values = typicalCase();
  state.theme = preferredTheme();
  state.source = M.test ? "test" : "train";
  state.step = M.start;
  state.folded = initialFold();
  const given = readAddress(Object.keys(tabs));
  build();
  connect();
  update(given);
  computeAhead();
  if (given.selected) reveal(given.selected);
  // For tests, and for pages that embed this one; nothing in it can fetch anything.
  /** @type {any} */ (window).ceibaReport = {
    model: M, state, view, update, reveal, viewSvg, confidenceText, metricsAt: (step, source) => metricsAt(M.steps[step].alpha, source),
    predict: (values, step = state.step) => {
      const moves = routeCase(values, M.steps[step].alpha);
      const prediction = predictCase(moves);
      return { moves, leaf: prediction.leaf, answer: prediction.answer, value: [...prediction.value] };
    },
    slice: (values, x, y, step = state.step) => sliceRegions(values, x, y, M.steps[step].alpha),
    nearest: (values, step = state.step) => nearestCounterfactual(values, predictCase(routeCase(values, M.steps[step].alpha)), M.steps[step].alpha),
    shapley: (values, k = 0, step = state.step) => {
      const { base, parts } = shapleyValues(values, M.steps[step].alpha, k);
      return { base, parts: [...parts] };
    },
    ruleCode, ruleText, ruleParts, caseFromCsv, words: WORDS,
      copied: () => lastCopied.text, buildPrint: () => buildPrint(byId("print")),
    importanceAt: (step) => [...importanceAt(M.steps[step].alpha)], tidyLayout, place: (k) => screenPosition(k), hover, icicle,
      displayNumber, histogramOf, filterHits, countBeyondEdges, rankOf, zoomTo, fitTree, ahead: () => ahead.length, ready: true,
  };
}

/** @type {(() => void)[]} */ const ahead = [];
/** Fill caches in the background, a few milliseconds at a time; the steps nearest to the current one first. */
function computeAhead() {
  const stepDistance = (/** @type {import("../core/model.js").Step} */ s) => Math.abs(M.steps.indexOf(s) - state.step);
  const steps = M.steps.filter((s) => s.isAvailable).sort((a, b) => stepDistance(a) - stepDistance(b));
  for (const name of ["train", "test"]) {
    const source = sourceOf(name);
    if (!source) continue;
    if (!M.regression) for (let k = 0; k < M.K; k++) ahead.push(() => sortedClass(source, k));
    if (M.n > 500) ahead.push(...steps.map((s) => () => metricsAt(s.alpha, name)));
  }
  for (let from = 0; from < M.n; from += 400) {
    ahead.push(() => {
      for (let i = from; i < Math.min(from + 400, M.n); i++) searchText(i);
    });
  }
  for (let i = 0; i < Math.min(M.n, 24); i++) ahead.push(() => inTemporaryState({ selected: i }, nodePanel));
  for (const s of steps.slice(1, 9)) ahead.push(() => inTemporaryState({ step: M.steps.indexOf(s) }, rehearseStep));
  if (M.n > LARGE_TREE) for (let turn = 0; turn < 4; turn++) ahead.push(() => shapleyValues(state.values, currentAlpha(), 0));
  if (M.n > 2000) for (let turn = 0; turn < 6; turn++) for (const search of [M.columns.name[0], "\u0000"]) ahead.push(() => inTemporaryState({ search, folded: new Set() }, rehearseSearch));
  const work = () => {
    const end = performance.now() + 3;
    while (ahead.length && performance.now() < end) ahead.shift()();
    if (ahead.length) setTimeout(work, 8);
  };
  setTimeout(work, 100);
}

/** Run something in another state, without notifying the views. @param {Partial<typeof state>} other @param {() => void} run */
function inTemporaryState(other, run) {
  const had = { ...state };
  const { layout } = view;
  Object.assign(state, other);
  try {
    run();
  } finally {
    Object.assign(state, had);
    view.layout = layout;
  }
}

/** Compute what a step of the slider needs. */
function rehearseStep() {
  makeLayout();
  summaryLine();
  headerMarks();
  pruneFigures();
}

/** Draw a search in the whole tree on a hidden canvas. */
function rehearseSearch() {
  const pen = new CanvasPen(measuringContext);
  view.layout = wholeLayout = wholeLayout || makeLayout();
  drawIcicle(pen, icicle.width, icicle.height, true);
  const box = { level: "dot", scale: 1, w: 6, h: 6 };
  drawDots({ pen, box, width: view.width, height: view.height, across: true, at: screenPositions(), room: 0, near: 1, path: new Set(), hits: searchHits(), passing: null });
  if (!ahead.length) wholeLayout = null;
}
let wholeLayout = null;
