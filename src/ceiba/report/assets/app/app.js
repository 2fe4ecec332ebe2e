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

function switchTheme() {
  update({ theme: state.theme === "dark" ? "light" : "dark" });
}

/** A leak is marked on the tab that speaks of it. */
function markDataTab() {
  const tab = document.getElementById("tab-data");
  tab.replaceChildren(t("tab_data"), ...(leakNow() ? [el("span", { class: "tab-mark", role: "img", "aria-label": t("warning") }, "⚠")] : []));
}

/** Build everything; again when the language changes. */
function build() {
  document.documentElement.lang = LANG;
  document.documentElement.dataset.theme = state.theme;
  readInk();
  const app = document.getElementById("app");
  app.replaceChildren(topBar(), el("div", { class: "body" + (state.panelHidden ? " no-panel" : "") }, treePane(), inspector()), el("div", { id: "hover-card", class: "hover-card", "aria-hidden": "true", hidden: true }), el("div", { id: "live", class: "offscreen", "aria-live": "polite" }));
  wireTree();
  watchEnd();
  markDataTab();
  showKeys();
  renderPanel();
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
  connectTree();
  follow(["step"], () => {
    document.getElementById("summary").textContent = summaryLine();
    document.getElementById("marks").replaceChildren(...headerMarks());
    document.getElementById("proof").replaceChildren(...proofLine());
    markDataTab();
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
  setModel(payload);
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
