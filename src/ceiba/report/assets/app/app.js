// Putting the page together: load the payload, build the frame, connect the views.

const TABS = ["node", "case", "prune", "model", "data"]; // and "trust", where its checks were made
const PANELS = { node: nodePanel, case: casePanel, prune: prunePanel, model: modelPanel, data: dataPanel, trust: () => trustPanel() };
// Which changes make a tab stale; language and theme build the page anew.
const STALE = { node: ["selected", "step"], case: [], prune: ["source"], model: ["step", "selected", "source", "filter"], data: ["step"], trust: ["step"] };

async function readPayload() {
  const holder = document.getElementById("payload");
  let text = holder.textContent;
  if (holder.dataset.encoding === "deflate") {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    text = await new Response(stream).text();
  }
  holder.remove();
  return JSON.parse(text);
}

function summaryLine() {
  const parts = [t(M.payload.task) + (M.target ? `: ${isolated(M.target)}` : "")];
  parts.push(stepText(state.step), `${t("depth")} ${depthNow()}`);
  if (M.known) parts.push(t("n_rows", { n: fmtCount(M.rows[0]) }));
  const source = M.test ? "test" : "train";
  const best = quickMetrics(alphaNow(), source);
  if (best) {
    const where = t(source);
    const base = baseline() && baseline().of(source);
    const always = (value) => (base === undefined || base === null ? "" : ` (${t("always", { name: className(M.answer[0]), value })})`);
    if (best.cost !== undefined) parts.push(`${M.cost && !M.payload.class_prior ? `${t("expected_cost")} (${where})` : metricName("cost", where)} ${fmtNumber(best.cost, 3)}` + always(fmtNumber(base, 3)));
    else if (best.accuracy !== undefined) parts.push(`${t("m_accuracy")} (${where}) ${fmtPercent(best.accuracy, 1)}` + always(fmtPercent(base, 1)));
    else if (best.r2 !== undefined) parts.push(`R² (${where}) ${fmtNumber(best.r2, 3)}`, `RMSE ${fmtNumber(best.rmse)}` + (base ? ` (${t("mean_alone", { value: fmtNumber(base) })})` : ""));
  }
  return parts.join(" · ");
}

/** What a reader must not miss, beside the figures of the header: a leak, a tree that is not the fitted one. */
function headerMarks() {
  const leak = leakNow();
  const marks = [];
  if (leak) marks.push(el("button", { type: "button", id: "leak", class: "mark-warn", title: leakText(leak), onclick: () => update({ tab: "data" }) }, "⚠ " + t("leak_mark", { column: M.columns.name[leak.column] })));
  if (isTrial()) marks.push(el("button", { type: "button", id: "trial", class: "mark-trial", title: t("back_fitted"), onclick: () => update({ step: startStep() }) }, "↺ " + t("trial", { now: stepText(state.step), fitted: fmtCount(M.steps[startStep()].leaves) })));
  return marks;
}

function topBar() {
  const search = el("input", { type: "search", id: "search", placeholder: t("search"), "aria-label": t("search"), autocomplete: "off" });
  search.value = state.search;
  search.addEventListener("input", () => {
    update({ search: search.value });
    document.getElementById("hits").textContent = searchHits() ? t("n_found", { n: fmtCount(presentHits().length) }) : "";
  });
  search.addEventListener("keydown", (e) => {
    if (e.key === "Enter") nextHit(e.shiftKey ? -1 : 1);
    if (e.key === "Escape") {
      search.value = "";
      update({ search: "" });
      document.getElementById("hits").textContent = "";
      document.getElementById("twin").focus();
    }
  });
  const lang = el("select", { id: "lang", "aria-label": t("language") }, Object.entries({ en: "English", es: "Español", pt: "Português" }).map(([code, name]) => el("option", { value: code, lang: code }, name)));
  lang.value = LANG;
  lang.addEventListener("change", () => {
    setLanguage(lang.value);
    build();
    document.getElementById("lang").focus();
  });
  return el("header", { class: "top" },
    el("div", { class: "title" }, el("div", { class: "title-line" }, el("h1", { title: M.payload.title }, M.payload.title), el("div", { id: "marks", class: "marks" }, headerMarks())),
      el("p", { id: "summary", class: "muted" }, summaryLine()), el("div", { id: "proof" }, proofLine())),
    el("div", { class: "tools" },
      el("div", { class: "search" }, search, el("span", { id: "hits", class: "muted", "aria-live": "polite" })),
      lang,
      el("button", { type: "button", id: "theme", onclick: switchTheme, "aria-label": t("theme"), title: t("theme") }, "◐"),
      el("button", { type: "button", id: "save", onclick: saveSvg, title: t("save_svg") }, "SVG"),
      el("button", { type: "button", id: "print-button", onclick: () => window.print() }, t("print"))));
}

/** Make the icicle large; what is left of the tree's room is for its top, unless the reader folded it otherwise. */
function showOverview(bigIcicle) {
  const opening = state.folded === lastOpening;
  update({ bigIcicle });
  if (opening && !state.hasCase) update({ folded: openingNow() });
  fitTree();
}

function switchTheme() {
  update({ theme: state.theme === "dark" ? "light" : "dark" });
}

function treePane() {
  const canvas = el("canvas", { id: "tree", "aria-hidden": "true" });
  const twin = el("div", { id: "twin", role: "tree", tabindex: 0, "aria-label": t("tree_label"), class: "twin" });
  const small = [el("canvas", { id: "icicle", "aria-hidden": "true" }), el("canvas", { id: "icicle-marks", "aria-hidden": "true" })];
  const button = (id, text, label, run) => el("button", { type: "button", id, title: label, "aria-label": /[\p{L}\d]/u.test(text) ? undefined : label, onclick: run }, text);
  return el("main", { class: "left" + (state.bigIcicle ? " big-icicle" : "") },
    el("div", { class: "canvas-tools", role: "toolbar", "aria-label": t("tree") },
      button("fit", "⤢ " + t("fit"), t("fit_hint"), () => fitTree(undefined, false)), button("one", "1:1", t("one_to_one"), () => { zoomTo(1); bringIntoView(state.selected); }),
      button("zoom-in", "+", t("zoom_in"), () => zoomTo(view.zoom * 1.4)), button("zoom-out", "−", t("zoom_out"), () => zoomTo(view.zoom / 1.4)),
      button("turn", "⟲", t("turn"), () => { state.orientation = view.direction === "right" ? "down" : "right"; fitTree(); }),
      button("fold", t("fold_all"), t("fold_hint"), () => { update({ folded: openingNow() }); fitTree(); }),
      button("unfold", t("unfold_all"), t("unfold_hint"), () => { update({ folded: new Set() }); fitTree(); }),
      button("big", "▤ " + t("overview"), t("overview_hint"), () => showOverview(!state.bigIcicle)),
      el("button", { type: "button", id: "filter", "aria-expanded": String(state.filterOpen), "aria-controls": "filter-box", title: t("filter_hint"), onclick: () => update({ filterOpen: !state.filterOpen }) }, "▽ " + t("filter")),
      el("button", { type: "button", id: "hide-panel", class: "to-right", "aria-expanded": String(!state.panelHidden), "aria-controls": "inspector", onclick: () => update({ panelHidden: !state.panelHidden }) }, panelText()),
      filterBox()),
    el("div", { class: "tree-holder", id: "tree-holder" }, canvas, el("canvas", { id: "tree-marks", "aria-hidden": "true" }), twin, edgeButtons(), el("div", { class: "key-hint muted" }, t("keys"))),
    el("div", { class: "icicle-holder", id: "icicle-holder" }, small),
    colourKey());
}

const panelText = () => (state.panelHidden ? `‹ ${t("inspector")}` : `${t("hide_panel")} ›`);

/** What colours and marks mean. @param {{folded: boolean, asked: boolean}} [drawn] marks in a picture; of the page itself `showKeys` says which */
function colourKey(drawn) {
  const said = (text) => el("span", { class: "muted" }, text);
  const key = (id, kind, mark, text) => el("span", { class: "legend-item", id: drawn ? undefined : id }, el("span", { class: kind, "aria-hidden": "true" }, mark), said(text));
  const marks = [said([t(M.regression ? "key_number" : "key_class"), M.known ? t("key_width") : ""].filter(Boolean).join(" · "))];
  if (!drawn || drawn.asked) marks.push(key("key-missing", "asked", "?", t("key_missing")));
  if (!drawn || drawn.folded) marks.push(key("key-fold", "pill", "+6", t("key_fold")));
  if (M.regression) {
    const node = legend([0, 0.25, 0.5, 0.75, 1].map((share) => [css(numberColour(share)), fmtNumber(valueAtRank(share), 3)]));
    node.classList.add("key");
    node.append(...marks);
    return node;
  }
  const node = legend(M.classes.slice(0, MOST_COLOURS).map((_, k) => [M.payload.colours[k], className(k)]));
  node.classList.add("key");
  if (M.K > MOST_COLOURS) node.append(said(t("more_classes", { n: M.K - MOST_COLOURS })), said(t("key_labels")));
  node.append(...marks);
  return node;
}

function inspector() {
  const tabs = TABS.map((name, k) => el("button", {
    type: "button", role: "tab", id: "tab-" + name, "aria-controls": "panel", "aria-selected": String(name === state.tab), tabindex: name === state.tab ? 0 : -1,
    onclick: () => update({ tab: name }),
    onkeydown: (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      const to = TABS[(k + step + TABS.length) % TABS.length];
      update({ tab: to });
      document.getElementById("tab-" + to).focus();
    },
  }, t("tab_" + name)));
  return el("aside", { class: "right", id: "inspector", "aria-label": t("inspector") },
    el("div", { class: "tabs", role: "tablist" }, tabs),
    el("div", { class: "panel", id: "panel", role: "tabpanel", tabindex: 0, "aria-labelledby": "tab-" + state.tab, onscroll: (e) => (panelTop = e.target.scrollTop) }),
    el("div", { id: "more", class: "more", "aria-hidden": "true" }, "▾"));
}

/** A leak is marked on the tab that speaks of it. */
function markDataTab() {
  const tab = document.getElementById("tab-data");
  tab.replaceChildren(t("tab_data"), ...(leakNow() ? [el("span", { class: "tab-mark", role: "img", "aria-label": t("warning") }, "⚠")] : []));
}

let panelTop = 0; // how far the panel is scrolled
/** @type {HTMLElement|null} */ let panelEnd = null;

/** Say that a panel goes on below, as long as its end is not seen. */
function watchEnd() {
  panelEnd = el("div", { class: "panel-end" });
  const more = document.getElementById("more");
  new IntersectionObserver((seen) => more.classList.toggle("gone", seen[seen.length - 1].isIntersecting), { root: document.getElementById("panel"), rootMargin: "0px 0px 24px" }).observe(panelEnd);
}

const CONTROLS = "button, input, select, textarea, summary, [tabindex]";
/** Build the tab anew. A control that had the focus has it again, if the new tab has its like in that place; else the panel. */
function renderPanel() {
  const panel = document.getElementById("panel");
  const held = panel.dataset.tab === state.tab && document.activeElement !== panel && panel.contains(document.activeElement) ? document.activeElement : null;
  const place = held ? [...panel.querySelectorAll(CONTROLS)].indexOf(held) : -1;
  const heading = state.tab === "node" ? [] : [el("h2", { class: "offscreen" }, t("tab_" + state.tab))];
  panel.replaceChildren(...heading, PANELS[state.tab](), panelEnd);
  // Asking the panel for its place would make the browser lay out the page twice.
  if (panel.dataset.tab !== state.tab) panelTop = 0;
  else if (panelTop) panel.scrollTop = panelTop;
  panel.dataset.tab = state.tab;
  if (held) {
    const like = /** @type {HTMLElement} */ (panel.querySelectorAll(CONTROLS)[place]);
    (like && like.tagName === held.tagName && like.className === held.className ? like : panel).focus({ preventScroll: true });
  }
  panel.setAttribute("aria-labelledby", "tab-" + state.tab);
  for (const name of TABS) {
    const tab = document.getElementById("tab-" + name);
    tab.setAttribute("aria-selected", String(name === state.tab));
    tab.tabIndex = name === state.tab ? 0 : -1;
  }
}

/** Build everything; again when the language changes. */
function build() {
  document.documentElement.lang = LANG;
  document.documentElement.dataset.theme = state.theme;
  readInk();
  const app = document.getElementById("app");
  app.replaceChildren(topBar(), el("div", { class: "body" + (state.panelHidden ? " no-panel" : "") }, treePane(), inspector()), el("div", { id: "hover-card", class: "hover-card", "aria-hidden": "true", hidden: true }), el("div", { id: "live", class: "offscreen", "aria-live": "polite" }));
  view.canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("tree"));
  view.marks = /** @type {HTMLCanvasElement} */ (document.getElementById("tree-marks"));
  icicle.canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("icicle"));
  icicle.marks = /** @type {HTMLCanvasElement} */ (document.getElementById("icicle-marks"));
  icicle.painted = "";
  treeGestures(view.canvas, document.getElementById("twin"));
  icicleGestures(icicle.canvas);
  measure();
  buildTwin(document.getElementById("twin"));
  watchEnd();
  markDataTab();
  showKeys();
  renderPanel();
  const watch = new ResizeObserver(() => measure());
  watch.observe(document.getElementById("tree-holder"));
  watch.observe(document.getElementById("icicle-holder"));
}

/** Take the sizes of the canvases from the page; the first time, and until the user moved it, fit. */
function measure() {
  const big = document.getElementById("tree-holder").getBoundingClientRect();
  const small = document.getElementById("icicle-holder").getBoundingClientRect();
  const changed = big.width !== view.width || big.height !== view.height;
  Object.assign(view, { width: big.width, height: big.height });
  Object.assign(icicle, { width: small.width, height: small.height });
  if (!view.layout || (changed && !view.touched)) fitTree();
  scheduleTree();
  scheduleIcicle();
}

/** Marks are explained as long as the tree shows some: dots have none. Of a hidden key the room stays where only the zoom hides it, or the page would move. */
function showKeys() {
  const { folded, asked } = view.layout;
  const dots = boxSize().level === "dot";
  for (const [id, drawn] of /** @type {[string, boolean][]} */ ([["key-missing", asked], ["key-fold", folded]])) {
    const key = document.getElementById(id);
    if (key.hidden === drawn) key.hidden = !drawn;
    const seen = dots ? "hidden" : "";
    if (key.style.visibility !== seen) key.style.visibility = seen;
  }
}

let twinTimer = 0;
/** The twin follows when the hand rests: it is only heard. */
function buildTwinSoon() {
  clearTimeout(twinTimer);
  twinTimer = setTimeout(() => buildTwin(document.getElementById("twin")), 250);
}

let spaceTimer = 0;
/** The slice through the case follows a moment after the answer, in a frame of its own. */
function fillSpaceSoon() {
  clearTimeout(spaceTimer);
  spaceTimer = setTimeout(() => {
    const holder = document.getElementById("space");
    if (holder) fillSpace(holder);
  }, 40);
}

function connect() {
  follow(["theme"], () => {
    document.documentElement.dataset.theme = state.theme;
    build();
  });
  follow(["step", "folded"], (changed) => {
    view.layout = makeLayout();
    showKeys();
    if ((changed.has("step") && !view.touched) || changed.has("way")) fitTree(view.layout);
    buildTwinSoon();
  });
  follow(["selected", "step", "folded", "way", "search", "filter"], (changed) => {
    scheduleTree(boxSize().level !== "dot" || ["step", "folded", "way", "search", "filter"].some((k) => changed.has(k)));
    scheduleIcicle();
  });
  follow(["selected"], () => markTwin(document.getElementById("twin")));
  follow(["focusVersion"], () => bringIntoView(state.selected));
  // Laid out anew, the tree is fitted; else the end of the way may lie beyond the edge.
  follow(["way"], (changed) => {
    if (state.way.length && !changed.has("folded") && !changed.has("step")) bringIntoView(state.way[state.way.length - 1]);
  });
  follow(["step"], () => {
    document.getElementById("summary").textContent = summaryLine();
    document.getElementById("marks").replaceChildren(...headerMarks());
    document.getElementById("proof").replaceChildren(...proofLine());
    markDataTab();
  });
  follow(["filter", "step"], () => (document.getElementById("filter-found").textContent = filterText()));
  follow(["filterOpen"], () => {
    document.getElementById("filter-box").hidden = !state.filterOpen;
    document.getElementById("filter").setAttribute("aria-expanded", String(state.filterOpen));
  });
  follow(["panelHidden"], () => {
    document.querySelector(".body").classList.toggle("no-panel", state.panelHidden);
    const button = document.getElementById("hide-panel");
    button.textContent = panelText();
    button.setAttribute("aria-expanded", String(!state.panelHidden));
    measure();
  });
  follow(["step", "folded", "tab"], () => showHover(-1));
  follow(["bigIcicle"], () => {
    document.querySelector(".left").classList.toggle("big-icicle", state.bigIcicle);
    measure();
  });
  follow(["tab", "selected", "step", "values", "hasCase", "source", "filter"], (changed) => {
    if (changed.has("tab") || STALE[state.tab].some((k) => changed.has(k))) return renderPanel();
    if (state.tab === "case" && ["values", "hasCase", "step"].some((k) => changed.has(k))) {
      fillResult(document.getElementById("case-result"));
      fillSpaceSoon();
    }
    if (state.tab === "prune" && changed.has("step")) {
      placeNow();
      document.getElementById("prune-figures").replaceChildren(...pruneFigures().filter(Boolean));
      placeSlider(document.getElementById("prune-slider"));
    }
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      e.preventDefault();
      document.getElementById("search").focus();
    }
  });
  window.addEventListener("pagehide", writeAddress);
  window.addEventListener("beforeprint", () => buildPrint(document.getElementById("print")));
}

async function start() {
  const payload = await readPayload();
  setLanguage(payload.lang);
  M = loadModel(payload);
  if (payload.trust) TABS.push("trust");
  state.values = middlingCase();
  const dark = window.matchMedia && window.matchMedia("(prefers-color-scheme: dark)").matches;
  state.theme = dark ? "dark" : "light";
  state.source = M.test ? "test" : "train";
  state.filter = NO_FILTER;
  state.step = startStep();
  state.folded = openingNow();
  const given = readAddress();
  build();
  connect();
  update(given);
  computeAhead();
  if (given.selected) reveal(given.selected);
  // For tests, and for pages that embed this one: everything it computes, nothing it can be made to fetch.
  /** @type {any} */ (window).ceibaReport = {
    model: M, state, view, update, reveal, showOverview, viewSvg, sureWords, metricsAt: (step, source) => metricsAt(M.steps[step].alpha, source),
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
    ruleCode, ruleText, ruleParts, caseFromCsv, words: WORDS, copied: () => lastCopied, buildPrint: () => buildPrint(document.getElementById("print")),
    importanceAt: (step) => [...importanceAt(M.steps[step].alpha)], tidy, place: (k) => screenPlace(k), hover, icicle, numberOf, histogramOf, columnBars, filterHits, beyondEdges, rankOf, summaryLine, zoomTo, fitTree, className, ahead: () => ahead.length, ready: true,
  };
}

start().catch((error) => {
  document.getElementById("app").append(el("p", { class: "warn" }, String(error)));
  throw error;
});
