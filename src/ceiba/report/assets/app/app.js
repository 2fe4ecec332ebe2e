// Putting the page together: load the payload, build the frame, connect the views.

import { nearestOther } from "../case/nearest.js";
import { caseFromCsv, middlingCase } from "../case/read.js";
import { predictCase, routeCase } from "../case/route.js";
import { shapleyOf } from "../case/shapley.js";
import { sliceOf } from "../case/slice.js";
import { histogramOf } from "../charts/charts.js";
import { ruleCode, ruleParts, ruleText } from "../core/conditions.js";
import { WORDS } from "../core/i18n.js";
import { importanceAt, metricsAt, sortedClass, sourceOf } from "../core/metrics.js";
import { M, setModel } from "../core/model.js";
import { sureWords } from "../core/sure.js";
import { fmtCount, setLanguage, t } from "../core/words.js";
import { byId, copied, el } from "../page/dom.js";
import { languageChoice, preferredTheme, showPage, themeButton, treeBody, wireBody } from "../page/frame.js";
import { followTabs, tabs } from "../page/inspector.js";
import { alphaNow, follow, numberOf, openingNow, readAddress, reveal, state, update, writeAddress } from "../page/state.js";
import { leakNow } from "../panels/findings.js";
import { headerMarks, proofLine, summaryLine } from "../panels/header.js";
import { casePanel, LARGE_TREE, showCase } from "../panels/panel_case.js";
import { dataPanel } from "../panels/panel_data.js";
import { modelPanel } from "../panels/panel_model.js";
import { nodeExtras, nodePanel } from "../panels/panel_node.js";
import { pruneFigures, prunePanel, showStep } from "../panels/panel_prune.js";
import { filterHits, nextHit, presentHits, searchHits, searchText } from "../tree/find.js";
import { hover } from "../tree/hover.js";
import { beyondEdges, drawIcicle } from "../tree/icicle.js";
import { connectTree } from "../tree/pane.js";
import { CanvasPen, measuring, rankOf } from "../tree/pens.js";
import { tidy } from "../tree/tidy.js";
import { drawDots } from "../tree/tree_draw.js";
import { fitTree, icicle, makeLayout, screenPlace, screenPlaces, view, zoomTo } from "../tree/tree_view.js";
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
    if (e.key === "Enter") nextHit(e.shiftKey ? -1 : 1);
    if (e.key === "Escape") {
      search.value = "";
      update({ search: "" });
      byId("hits").textContent = "";
      byId("twin").focus();
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

/** A leak is marked on the tab that speaks of it. */
function markDataTab() {
  const tab = byId("tab-data");
  tab.replaceChildren(t("tab_data"), ...(leakNow() ? [el("span", { class: "tab-mark", role: "img", "aria-label": t("warning") }, "⚠")] : []));
}

/** Build everything; again when language or theme change. */
function build() {
  showPage(() => [topBar(), treeBody()]);
  wireBody();
  markDataTab();
}

function connect() {
  follow(["theme"], build);
  connectTree();
  follow(["step"], () => {
    byId("summary").textContent = summaryLine();
    byId("marks").replaceChildren(...headerMarks());
    byId("proof").replaceChildren(...proofLine());
    markDataTab();
  });
  followTabs();
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
 * @param {{panel: () => Element, ofNode: (i: number) => Element|null}|null} trust what shows the checks of trust, on a page that has them
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
  if (trust) {
    tabs.trust = { build: trust.panel, stale: ["step"] };
    nodeExtras.push(trust.ofNode);
  }
  state.values = middlingCase();
  state.theme = preferredTheme();
  state.source = M.test ? "test" : "train";
  state.step = M.start;
  state.folded = openingNow();
  const given = readAddress(Object.keys(tabs));
  build();
  connect();
  update(given);
  computeAhead();
  if (given.selected) reveal(given.selected);
  // For tests, and for pages that embed this one: everything it computes, nothing it can be made to fetch.
  /** @type {any} */ (window).ceibaReport = {
    model: M, state, view, update, reveal, viewSvg, sureWords, metricsAt: (step, source) => metricsAt(M.steps[step].alpha, source),
    predict: (values, step = state.step) => {
      const moves = routeCase(values, M.steps[step].alpha);
      const said = predictCase(moves);
      return { moves, leaf: said.leaf, answer: said.answer, value: [...said.value] };
    },
    slice: (values, x, y, step = state.step) => sliceOf(values, x, y, M.steps[step].alpha),
    nearest: (values, step = state.step) => nearestOther(values, predictCase(routeCase(values, M.steps[step].alpha)), M.steps[step].alpha),
    shapley: (values, k = 0, step = state.step) => {
      const { base, parts } = shapleyOf(values, M.steps[step].alpha, k);
      return { base, parts: [...parts] };
    },
    ruleCode, ruleText, ruleParts, caseFromCsv, words: WORDS,
      copied: () => copied.text, buildPrint: () => buildPrint(byId("print")),
    importanceAt: (step) => [...importanceAt(M.steps[step].alpha)], tidy, place: (k) => screenPlace(k), hover, icicle,
      numberOf, histogramOf, filterHits, beyondEdges, rankOf, zoomTo, fitTree, ahead: () => ahead.length, ready: true,
  };
}

/** @type {(() => void)[]} */ const ahead = [];
/** A few milliseconds at a time; of the steps the nearest to the open one first. */
function computeAhead() {
  const apart = (/** @type {import("../core/model.js").Step} */ s) => Math.abs(M.steps.indexOf(s) - state.step);
  const steps = M.steps.filter((s) => s.there).sort((a, b) => apart(a) - apart(b));
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
  for (let i = 0; i < Math.min(M.n, 24); i++) ahead.push(() => withoutTrace({ selected: i }, nodePanel));
  for (const s of steps.slice(1, 9)) ahead.push(() => withoutTrace({ step: M.steps.indexOf(s) }, rehearseStep));
  if (M.n > LARGE_TREE) for (let turn = 0; turn < 4; turn++) ahead.push(() => shapleyOf(state.values, alphaNow(), 0));
  if (M.n > 2000) for (let turn = 0; turn < 6; turn++) for (const search of [M.columns.name[0], "\u0000"]) ahead.push(() => withoutTrace({ search, folded: new Set() }, rehearseSearch));
  const work = () => {
    const end = performance.now() + 3;
    while (ahead.length && performance.now() < end) ahead.shift()();
    if (ahead.length) setTimeout(work, 8);
  };
  setTimeout(work, 100);
}

/** Run something in another state, of which no view hears. @param {Partial<typeof state>} other @param {() => void} run */
function withoutTrace(other, run) {
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

/** What a step of the slider computes. */
function rehearseStep() {
  makeLayout();
  summaryLine();
  headerMarks();
  pruneFigures();
}

/** The pictures of a search in the whole tree, on a canvas that is not shown. */
function rehearseSearch() {
  const pen = new CanvasPen(measuring);
  view.layout = wholeLayout = wholeLayout || makeLayout();
  drawIcicle(pen, icicle.width, icicle.height, true);
  const box = { level: "dot", scale: 1, w: 6, h: 6 };
  drawDots({ pen, box, width: view.width, height: view.height, across: true, at: screenPlaces(), room: 0, near: 1, way: new Set(), found: searchHits(), kept: null });
  if (!ahead.length) wholeLayout = null;
}
let wholeLayout = null;
