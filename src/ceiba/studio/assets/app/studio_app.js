// The studio's application: the page, its two screens, keys, and updates after a new state.

import { M } from "../../../report/assets/core/model.js";
import { isolateRtl, setLanguage, t } from "../../../report/assets/core/format.js";
import { byId, el, announce } from "../../../report/assets/page/dom.js";
import { languageChoice, preferredTheme, showFailure, showPage, themeButton, treeBody } from "../../../report/assets/page/frame.js";
import { wireBody } from "../../../report/assets/page/frame.js";
import { subscribeTabs, renderPanel, tabs } from "../../../report/assets/page/inspector.js";
import { subscribe, isPreview, reveal, state, update } from "../../../report/assets/page/state.js";
import { addCurves } from "../../../report/assets/trust/survival_chart.js";
import { filterText } from "../../../report/assets/tree/search.js";
import { showHover } from "../../../report/assets/tree/hover.js";
import { colourLegend, connectTree, fitInitially, updateLegend, unwireTree } from "../../../report/assets/tree/pane.js";
import { buildOutline } from "../../../report/assets/tree/tree_events.js";
import { bringIntoView, makeLayout, scheduleIcicle, scheduleTree, screenPosition } from "../../../report/assets/tree/tree_view.js";
import { view } from "../../../report/assets/tree/tree_view.js";
import { editorBar, fillBar, saveButtons } from "../editor/toolbar.js";
import { rivals } from "../editor/branches.js";
import { paintGhost, wireGhost } from "../editor/ghost.js";
import { splitPanel } from "../editor/panel_split.js";
import { compareAgain, judgedModelPanel, logPanel, prunePanelWithActions, showPruning, treesPanel } from "../editor/tabs.js";
import { hasSplits, tableScreen } from "../table/table_screen.js";
import { act, api, attempt, connection, notify, onNewState, refresh, studio, applyState } from "../client/client.js";

/** The header: name of the data, switch between the screens, language, theme. */
function studioBar() {
  const { source, setup, tree } = studio.server;
  const at = studio.screen === "editor" && state.tab === "log" ? "hand_over" : studio.screen;
  const screen = (name, step, off = false) => el("button", { class: "screen-tab", id: "screen-" + name, "aria-pressed": String(at === name), disabled: off, onclick: () => showWorkStep(name) }, `${step} ${t("s_screen_" + name)}`);
  return el("header", { class: "top" },
    el("div", { class: "title" }, el("div", { class: "title-line" }, el("h1", { title: source.name }, source.name), setup.target === null ? null : el("span", { class: "muted target-name" }, `${t("s_target")}: ${isolateRtl(setup.target_label)}`))),
    el("div", { class: "tools" },
      el("div", { class: "segmented screens", role: "group", "aria-label": t("s_screens") }, screen("table", 1), screen("editor", 2, !tree), screen("hand_over", 3, !tree)),
      studio.screen === "editor" ? saveButtons() : null,
      languageChoice(buildStudio),
      themeButton(),
      el("button", { id: "close", title: t("s_finish_hint"), onclick: () => attempt(api.close) }, t("s_finish"))));
}

/** Show one of the three steps: the table, the tree, or the tab with which it is handed over. @param {string} name */
function showWorkStep(name) {
  if (name !== "table") update({ tab: name === "hand_over" ? "log" : state.tab === "log" ? "node" : state.tab });
  showScreen(name === "table" ? "table" : "editor");
}

/** Build the page, at first and whenever screen, language or theme change. */
function buildStudio() {
  document.title = `${studio.server.source.name} · ceiba`;
  unwireTree();
  showPage(() => [studioBar(),
    el("div", { id: "lost", class: "lost", role: "alert", hidden: connection.isUp && !connection.closed }, lostText()),
    el("div", { id: "notice", class: "notice", role: "status", hidden: true }),
    studio.screen === "table" ? tableScreen() : el("div", { class: "editor", id: "editor" }, editorBar(), treeBody())]);
  if (studio.screen === "editor") wireEditor();
}

const lostText = () => t(connection.closed ? "s_closed" : "s_lost");

function wireEditor() {
  view.layout = null;
  view.touched = false;
  wireBody();
  wireGhost();
  byId("outline").addEventListener("keydown", onEditorKey);
  byId("tree").parentElement.append(el("p", { class: "sheet-hint", id: "sheet-hint" }, t("s_sheet_hint")));
  showSheetHint();
}

/** Say what to do next while the sheet has the root alone. */
const showSheetHint = () => (byId("sheet-hint").hidden = M.n > 1);

/** Keys on the tree, in addition to those of the report. */
function onEditorKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || isPreview()) return;
  const node = state.selected;
  if (e.key === "g") act("grow", { node, levels: 1 });
  else if (e.key === "G") act("grow", { node, levels: null });
  else if ((e.key === "Delete" || e.key === "Backspace") && !M.isLeaf(node)) act("cut", { node });
  else if (e.key === "Enter") focusPanel();
  else if (e.key === "/" && byId("rival-filter")) byId("rival-filter").focus();
  else return;
  e.preventDefault();
}

/** Move the focus from the tree to the first control of the panel. */
function focusPanel() {
  const first = ["#panel .rival-name", "#panel input", "#panel button:not([disabled])"].map((selector) => /** @type {HTMLElement|null} */ (document.querySelector(selector))).find(Boolean);
  if (first) first.focus();
}

/** @param {"table"|"editor"} name */
function showScreen(name) {
  if (name === "editor" && !studio.server.tree) return;
  studio.screen = name;
  buildStudio();
  const to = byId(name === "editor" ? "outline" : "screen-table");
  if (to) to.focus({ preventScroll: true });
  if (name === "table") loadColumns();
}

let columnsRevision = -1;
/** Load the description of the columns if the setup may have changed. */
async function loadColumns() {
  const { revision } = studio.server;
  if (columnsRevision === revision && studio.columns) return;
  columnsRevision = revision;
  await attempt(async () => {
    const [columns, { files }] = await Promise.all([api.columns(), api.files()]);
    const show = (described) => {
      if (columnsRevision !== revision) return false; // the setup has changed
      Object.assign(studio, { columns: described, files });
      if (studio.screen === "table") fillTable(true);
      return true;
    };
    if (show(columns) && columns.n_described < columns.n_rows) show(await api.columns(true));
  });
}

/** Rebuild the first screen and restore the focus. @param {boolean} [keepTyped] and the text being typed */
function fillTable(keepTyped = false) {
  const held = document.activeElement;
  const typed = held instanceof HTMLInputElement ? held.value : null;
  const screen = byId("table-screen");
  const top = screen.scrollTop;
  screen.replaceWith(tableScreen());
  byId("table-screen").scrollTop = top;
  const again = /** @type {any} */ (held && held.id ? byId(held.id) : null);
  if (!again) return;
  again.focus({ preventScroll: true });
  if (keepTyped && typed !== null) again.value = typed;
}

const treeShape = (server) => (server && server.tree ? JSON.stringify([server.tree.nodes.parent, server.tree.nodes.splits]) : "");

/** Update the page after a new state. */
function afterNewState(before) {
  const held = document.activeElement ? document.activeElement.id : "";
  if (studio.draft && treeShape(before) !== treeShape(studio.server)) studio.draft = null;
  if (studio.screen === "table") {
    document.querySelector("header.top").replaceWith(studioBar());
    fillTable();
    loadColumns();
  } else if (!studio.server.tree) showScreen("table");
  else {
    fillBar();
    redrawTree();
    showSheetHint();
    renderPanel();
  }
  if (held && document.activeElement === document.body && byId(held)) byId(held).focus({ preventScroll: true });
}

/** Lay the tree out again; if the user has moved it, keep its position. */
function redrawTree() {
  showHover(-1);
  const layout = makeLayout();
  if (view.touched) {
    view.layout = layout;
    bringIntoView(state.selected, true);
  } else fitInitially();
  const key = document.querySelector(".left > .key");
  if (key) key.replaceWith(colourLegend());
  byId("filter-found").textContent = filterText();
  updateLegend();
  buildOutline(byId("outline"));
  scheduleTree();
  scheduleIcicle();
}

/** Handle a message of the websocket. @param {any} message */
function onServerMessage(message) {
  if (message.type === "state") studio.announcedRevision = Math.max(studio.announcedRevision, message.revision);
  if (message.type === "state" && message.revision !== studio.server.revision && !studio.busy) refresh();
  else if (message.type === "progress") studio.progress = { done: message.done, total: message.total };
  else if (message.type === "growing") studio.growing = message.total ? { done: message.done, total: message.total } : null;
  else if (["cross_validated", "cancelled", "failed"].includes(message.type)) {
    studio.progress = null;
    if (message.type === "failed") notify(message.text, "warn");
    refresh().then(() => message.type === "cross_validated" && compareAgain());
  } else if (message.type === "closed") {
    connection.closed = true;
    showConnection();
  }
  if (studio.screen === "editor" && message.type !== "state") fillBar();
}

function showConnection() {
  const box = byId("lost");
  box.hidden = connection.isUp && !connection.closed;
  box.textContent = lostText();
  const main = /** @type {HTMLElement|null} */ (document.querySelector(".editor, #table-screen"));
  if (main) main.inert = !box.hidden; // its buttons would do nothing
}

function connectStudio() {
  onNewState(afterNewState);
  subscribe(["theme"], buildStudio);
  connectTree();
  subscribe(["selected"], () => {
    studio.draft = studio.draft && studio.draft.node === state.selected ? studio.draft : null;
    paintGhost();
  });
  subscribeTabs();
  subscribe(["tab"], () => document.querySelector("header.top").replaceWith(studioBar()));
  document.addEventListener("keydown", (e) => {
    const typing = /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName) && document.activeElement.id !== "cut-handle";
    if (!(e.ctrlKey || e.metaKey) || typing) return;
    const key = e.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    e.preventDefault();
    const forward = key === "y" || e.shiftKey;
    if (studio.server[forward ? "redo" : "undo"]) act(forward ? "redo" : "undo", { steps: 1 });
  });
  connection.onMessage = onServerMessage;
  connection.onChange = (up) => {
    showConnection();
    announce(up ? t("s_back") : lostText());
    if (up) refresh(true);
  };
  connection.open();
}

async function startStudio() {
  const [server, run] = await Promise.all([api.state(), api.crossValidation()]);
  if (run.running) studio.progress = { done: run.done, total: run.total };
  setLanguage(server.lang);
  state.theme = preferredTheme();
  addCurves();
  state.orientation = "right"; // the tree grows: to the right, many leaves still have text
  studio.show = showScreen;
  Object.assign(tabs, {
    node: { build: splitPanel, stale: ["selected", "step"] }, prune: { build: prunePanelWithActions, stale: ["source"], show: showPruning },
    model: { build: judgedModelPanel, stale: ["step", "selected", "source", "filter"] }, trees: { build: treesPanel, stale: [] }, log: { build: logPanel, stale: [] },
  });
  applyState(server);
  studio.screen = hasSplits() && !server.resumed ? "editor" : "table";
  buildStudio();
  connectStudio();
  if (studio.screen === "table") loadColumns();
  // For tests; nothing in it can fetch from elsewhere.
  /** @type {any} */ (window).ceibaStudio = {
    studio, state, view, connection, reveal, act, model: () => M, draft: () => studio.draft, place: (i) => screenPosition(view.layout.place[i]), rivals, ready: true,
  };
}

startStudio().catch(showFailure);
