// Putting the studio together: the frame, the two screens, keys, and what follows a new state.

const TABS = ["node", "prune", "model", "trees", "log"];
const PANELS = { node: splitPanel, prune: pruneBench, model: modelPanel, trees: treesPanel, log: logPanel };
// Which changes make a tab stale; a new state makes all of them so.
const STALE = { node: ["selected", "step"], prune: ["source"], model: ["step", "selected", "source", "filter"], trees: [], log: [] };

/** Name of the data, language, theme, and the way between the screens. */
function studioBar() {
  const lang = choice("lang", t("language"), LANGUAGES, LANG, (code) => ({ en: "English", es: "Español", pt: "Português" })[code], (code) => {
    setLanguage(code);
    buildStudio();
    document.getElementById("lang").focus();
  });
  const { source, setup, tree } = studio.server;
  const screen = (name, off = false) => el("button", { type: "button", class: "screen-tab", id: "screen-" + name, "aria-pressed": String(studio.screen === name), disabled: off, onclick: () => showScreen(name) }, t("s_screen_" + name));
  return el("header", { class: "top" },
    el("div", { class: "title" }, el("div", { class: "title-line" }, el("h1", { title: source.name }, source.name), setup.target === null ? null : el("span", { class: "muted target-name" }, `${t("s_target")}: ${isolated(setup.target)}`))),
    el("div", { class: "tools" },
      el("div", { class: "segmented screens", role: "group", "aria-label": t("s_screens") }, screen("table"), screen("bench", !tree)),
      lang,
      el("button", { type: "button", id: "theme", onclick: () => update({ theme: state.theme === "dark" ? "light" : "dark" }), "aria-label": t("theme"), title: t("theme") }, "◐"),
      el("button", { type: "button", id: "close", title: t("s_finish_hint"), onclick: finish }, t("s_finish"))));
}

async function finish() {
  try {
    await api.close();
  } catch (error) {
    complain(error);
  }
}

/** The page from the beginning: at first, and when language or theme change. */
function buildStudio() {
  document.documentElement.lang = LANG;
  document.documentElement.dataset.theme = state.theme;
  document.title = `${studio.server.source.name} · ceiba`;
  readInk();
  unwireTree();
  document.getElementById("app").replaceChildren(studioBar(),
    el("div", { id: "lost", class: "lost", role: "alert", hidden: link.up && !link.closed }, lostText()),
    el("div", { id: "notice", class: "notice", role: "status", hidden: true }),
    studio.screen === "table" ? tableScreen() : benchScreen(),
    el("div", { id: "hover-card", class: "hover-card", "aria-hidden": "true", hidden: true }), el("div", { id: "live", class: "offscreen", "aria-live": "polite" }));
  if (studio.screen === "bench") wireBench();
}

/** Leave the tree alone while its canvases are not on the page. */
function unwireTree() {
  if (sizes) sizes.disconnect();
  clearTimeout(twinTimer);
  clearTimeout(edgesTimer);
  view.canvas = icicle.canvas = null;
}

const lostText = () => t(link.closed ? "s_closed" : "s_lost");

function benchScreen() {
  return el("div", { class: "bench", id: "bench" }, benchBar(), el("div", { class: "body" + (state.panelHidden ? " no-panel" : "") }, treePane(), inspector()));
}

function wireBench() {
  view.layout = null;
  view.touched = false;
  wireTree();
  watchEnd();
  showKeys();
  renderPanel();
  document.getElementById("twin").addEventListener("keydown", benchKeys);
}

/** Keys on the tree beyond those of the report. */
function benchKeys(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || isTrial()) return;
  const node = state.selected;
  if (e.key === "g") act("grow", { node, levels: 1 });
  else if (e.key === "G") act("grow", { node, levels: null });
  else if ((e.key === "Delete" || e.key === "Backspace") && !M.isLeaf(node)) act("cut", { node });
  else if (e.key === "Enter") focusPanel();
  else if (e.key === "/" && document.getElementById("rival-filter")) document.getElementById("rival-filter").focus();
  else return;
  e.preventDefault();
}

/** From the tree to the first thing that can be done in the panel. */
function focusPanel() {
  const first = ["#panel .rival-name", "#panel input", "#panel button:not([disabled])"].map((one) => /** @type {HTMLElement|null} */ (document.querySelector(one))).find(Boolean);
  if (first) first.focus();
}

/** @param {"table"|"bench"} name */
function showScreen(name) {
  if (name === "bench" && !studio.server.tree) return;
  studio.screen = name;
  buildStudio();
  const to = document.getElementById(name === "bench" ? "twin" : "screen-table");
  if (to) to.focus({ preventScroll: true });
  if (name === "table") loadColumns();
}

let columnsRevision = -1;
/** Describe the columns again when the table may have changed. */
async function loadColumns() {
  const { revision } = studio.server;
  if (columnsRevision === revision && studio.columns) return;
  columnsRevision = revision;
  try {
    const [columns, { files }] = await Promise.all([api.columns(), api.files()]);
    const show = (described) => {
      if (columnsRevision !== revision) return false; // set up anew meanwhile
      Object.assign(studio, { columns: described, files });
      if (studio.screen === "table") fillTable(true);
      return true;
    };
    if (show(columns) && columns.n_described < columns.n_rows) show(await api.columns(true));
  } catch (error) {
    complain(error);
  }
}

/** Build the first screen anew; what had the focus has it again. @param {boolean} [keepTyped] with what was being typed */
function fillTable(keepTyped = false) {
  const held = document.activeElement;
  const typed = held instanceof HTMLInputElement ? held.value : null;
  const screen = document.getElementById("table-screen");
  const top = screen.scrollTop;
  screen.replaceWith(tableScreen());
  document.getElementById("table-screen").scrollTop = top;
  const again = /** @type {any} */ (held && held.id ? document.getElementById(held.id) : null);
  if (!again) return;
  again.focus({ preventScroll: true });
  if (keepTyped && typed !== null) again.value = typed;
}

const shapeOf = (server) => (server && server.tree ? JSON.stringify([server.tree.nodes.parent, server.tree.nodes.splits]) : "");

/** What a new state changes on the page. */
function afterTaking(before) {
  const held = document.activeElement ? document.activeElement.id : "";
  if (draft && shapeOf(before) !== shapeOf(studio.server)) draft = null;
  if (studio.screen === "table") {
    document.querySelector("header.top").replaceWith(studioBar());
    fillTable();
    loadColumns();
  } else if (!studio.server.tree) showScreen("table");
  else {
    fillBar();
    redrawTree();
    renderPanel();
  }
  if (held && document.activeElement === document.body && document.getElementById(held)) document.getElementById(held).focus({ preventScroll: true });
}

/** Lay the tree out anew; where the reader has moved it, it stays where it is as far as it can. */
function redrawTree() {
  showHover(-1);
  const layout = makeLayout();
  if (view.touched) {
    view.layout = layout;
    bringIntoView(state.selected, true);
  } else fitTree(layout);
  const key = document.querySelector(".left > .key");
  if (key) key.replaceWith(colourKey());
  document.getElementById("filter-found").textContent = filterText();
  showKeys();
  buildTwin(document.getElementById("twin"));
  scheduleTree();
  scheduleIcicle();
}

/** @param {any} message of the websocket */
function hearServer(message) {
  if (message.type === "state") studio.heard = Math.max(studio.heard, message.revision);
  if (message.type === "state" && message.revision !== studio.server.revision && !studio.busy) refresh();
  else if (message.type === "progress") studio.progress = { done: message.done, total: message.total };
  else if (["cross_validated", "cancelled", "failed"].includes(message.type)) {
    studio.progress = null;
    if (message.type === "failed") notify(message.text, "warn");
    refresh();
  } else if (message.type === "closed") {
    link.closed = true;
    showLost();
  }
  if (studio.screen === "bench" && message.type !== "state") fillBar();
}

function showLost() {
  const box = document.getElementById("lost");
  box.hidden = link.up && !link.closed;
  box.textContent = lostText();
}

function connectStudio() {
  onTaken(afterTaking);
  follow(["theme"], buildStudio);
  connectTree();
  follow(["selected"], () => (draft = draft && draft.node === state.selected ? draft : null));
  follow(["tab", "selected", "step", "source", "filter"], (changed) => {
    if (changed.has("tab") || STALE[state.tab].some((k) => changed.has(k))) return renderPanel();
    if (state.tab === "prune" && changed.has("step")) {
      placeNow();
      document.getElementById("prune-figures").replaceChildren(...pruneFigures().filter(Boolean));
      document.getElementById("prune-apply").replaceChildren(applyPruning());
      placeSlider(document.getElementById("prune-slider"));
    }
  });
  document.addEventListener("keydown", (e) => {
    const typing = /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName) && document.activeElement.id !== "cut-handle";
    if (!(e.ctrlKey || e.metaKey) || typing) return;
    const key = e.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    e.preventDefault();
    const forward = key === "y" || e.shiftKey;
    if (studio.server[forward ? "redo" : "undo"]) act(forward ? "redo" : "undo", { steps: 1 });
  });
  link.hear = hearServer;
  link.changed = (up) => {
    showLost();
    say(up ? t("s_back") : lostText());
    if (up) refresh(true);
  };
  link.open();
}

async function startStudio() {
  const [server, run] = await Promise.all([api.state(), api.crossValidation()]);
  if (run.running) studio.progress = { done: run.done, total: run.total };
  setLanguage(server.lang);
  const dark = window.matchMedia && window.matchMedia("(prefers-color-scheme: dark)").matches;
  state.theme = dark ? "dark" : "light";
  state.filter = NO_FILTER;
  take(server);
  studio.screen = isBegun() && !server.resumed ? "bench" : "table";
  buildStudio();
  connectStudio();
  if (studio.screen === "table") loadColumns();
  // For tests: what the page holds and does, nothing that it could be made to fetch elsewhere.
  /** @type {any} */ (window).ceibaStudio = {
    studio, state, view, link, update, reveal, act, model: () => M, draft: () => draft, place: (i) => screenPlace(view.layout.place[i]), rivals, roundest, axisOf, moveLevel, mergeGroups, words: WORDS, copied: () => lastCopied, ready: true,
  };
}

startStudio().catch((error) => {
  document.getElementById("app").append(el("p", { class: "warn" }, String(error.message || error)));
  throw error;
});
