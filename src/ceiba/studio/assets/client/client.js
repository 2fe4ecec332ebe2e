// The client of the server: requests, actions, the websocket that announces changes, and reconnecting.

import { M, setModel } from "../../../report/assets/core/model.js";
import { language, t } from "../../../report/assets/core/format.js";
import { byId, el } from "../../../report/assets/page/dom.js";
import { initialFold, state } from "../../../report/assets/page/state.js";

const TOKEN = new URLSearchParams(location.search).get("token") || "";

class RequestError extends Error {
  /** @param {number} status @param {{code?: string, text?: string}} error */
  constructor(status, error) {
    super(error.text || String(status));
    this.status = status;
    this.code = error.code || "";
  }
}

/** Send a request. @param {string} path @param {{method?: string, body?: any}} [options] @returns {Promise<any>} */
async function request(path, { method = "GET", body } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method, cache: "no-store", headers: { "X-Ceiba-Token": TOKEN, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    connection.markLost();
    throw new RequestError(0, { code: "offline", text: t("s_offline") });
  }
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new RequestError(response.status, data.error || {});
  return data;
}

export const api = {
  state: () => request("/api/state"),
  columns: (all = false) => request("/api/columns" + (all ? "?rows=all" : "")),
  files: () => request("/api/files"),
  action: (name, args, revision) => request("/api/action", { method: "POST", body: { action: name, arguments: args, ...(revision === undefined ? {} : { revision }) } }),
  rivals: (node) => request(`/api/node/${node}/rivals`),
  pValues: (node) => request(`/api/node/${node}/p-values`),
  column: (node, name) => request(`/api/node/${node}/column/${encodeURIComponent(name)}`),
  preview: (node, split) => request(`/api/node/${node}/preview`, { method: "POST", body: { split } }),
  furtherCut: (node, column, cuts) => request(`/api/node/${node}/further-cut`, { method: "POST", body: { column, cuts } }),
  compare: (a, b) => request(`/api/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}&lang=${language.code}`),
  crossValidate: (folds, trees) => request("/api/cross-validation", { method: "POST", body: { folds, trees } }),
  crossValidation: () => request("/api/cross-validation"),
  stopCrossValidation: () => request("/api/cross-validation", { method: "DELETE" }),
  stopGrowing: () => request("/api/growth", { method: "DELETE" }),
  answer: (node, column) => request(`/api/lesson/${node}`, { method: "POST", body: { column } }),
  steps: (node, column, measure) => request(`/api/lesson/${node}?column=${encodeURIComponent(column)}&measure=${measure}&lang=${language.code}`),
  close: () => request("/api/close", { method: "POST", body: {} }),
};

/** The address of a download. @param {string} what */
export const downloadAddress = (what, format = "") => `/api/download/${what}?token=${encodeURIComponent(TOKEN)}` + (format ? `&format=${encodeURIComponent(format)}` : "");

export const connection = {
  /** @type {WebSocket|null} */ socket: null, isUp: true, closed: false, wait: 500,
  /** @type {(message: any) => void} */ onMessage: () => {},
  /** @type {(up: boolean) => void} */ onChange: () => {},
  markLost() {
    if (connection.closed || !connection.isUp) return;
    connection.isUp = false;
    connection.onChange(false);
    // A request failed while the socket still seems open: reopen it, to learn when the server is back.
    if (connection.socket && connection.socket.readyState === WebSocket.OPEN) connection.socket.close();
  },
  open() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/changes?token=${encodeURIComponent(TOKEN)}`);
    connection.socket = socket;
    socket.addEventListener("open", () => {
      connection.wait = 500;
      const again = !connection.isUp;
      connection.isUp = true;
      if (again) connection.onChange(true);
    });
    socket.addEventListener("message", (e) => connection.onMessage(JSON.parse(e.data)));
    socket.addEventListener("close", () => {
      connection.markLost();
      if (connection.closed) return;
      setTimeout(connection.open, connection.wait);
      connection.wait = Math.min(connection.wait * 1.6, 4000);
    });
  },
};

export const studio = {
  /** @type {any} the last state from the server */ server: null,
  /** @type {any} the description of the columns */ columns: null, /** @type {string[]} tables in the folder of the data */ files: [],
  /** @type {"table"|"editor"|""} */ screen: "",
  /** @type {(screen: "table"|"editor") => void} set by the entry */ show: () => {},
  /** @type {any} the draft of a split (column, node, data; cuts, of which one is active, or groups; answer to the last preview; error) */ draft: null,
  /** whether a split was taken from the editor: its hint is known then */ hasTakenDraft: false,
  /** number of running actions */ busy: 0, /** the last revision announced by the server */ announcedRevision: 0,
  /** @type {{done: number, total: number}|null} of a cross-validation */ progress: null, /** @type {{done: number, total: number}|null} in nodes */ growing: null,
  /** @type {number[]} milliseconds that previews took */ previewMs: [],
};

/** @type {((before: any) => void)[]} */ const stateListeners = [];
/** Call a function after each new state. @param {(before: any) => void} run */
export const onNewState = (run) => stateListeners.push(run);

/** Branches from the root to a node. */
export function branchPathTo(i) {
  const path = [];
  for (let a = i; a > 0; a = M.parent[a]) path.unshift(M.branchIndex[a]);
  return path;
}

/** The node at the end of a path, or the last one that exists; with `whole`, -1 instead. */
export function nodeAtPath(path, whole = false) {
  let i = 0;
  for (const b of path) {
    if (b >= M.nBranches(i)) return whole ? -1 : i;
    i = M.child(i, b);
  }
  return i;
}

const MAX_NEW_NODES = 24; // with more new nodes at once, the tree is folded as initially

/** Show a state of the server. @param {any} server @param {boolean} [anyhow] even if its revision is older, since the server may have restarted */
export function applyState(server, anyhow = false) {
  const before = studio.server;
  if (before && server.revision < before.revision && !anyhow) return;
  const had = before && before.tree ? { n: M.n, selected: branchPathTo(state.selected), folded: [...state.folded].map(branchPathTo) } : null;
  studio.server = server;
  if (server.tree) {
    setModel(server.tree);
    state.step = M.start;
    state.selected = had ? nodeAtPath(had.selected) : 0;
    state.folded = had ? new Set(had.folded.map((path) => nodeAtPath(path, true)).filter((i) => i > 0 && !M.isLeaf(i))) : initialFold();
    if (had && M.n > had.n + MAX_NEW_NODES) state.folded = initialFold(0, state.selected);
    state.source = M.test ? "test" : "train";
    state.casePath = [];
  }
  for (const run of stateListeners) run(before);
  if (server.beginning) setTimeout(() => refresh(true), 250); // the root is still being fitted
}

/** Read the state again. */
export async function refresh(anyhow = false) {
  if (anyhow) studio.announcedRevision = 0;
  await attempt(async () => applyState(await api.state(), anyhow));
}

let queue = Promise.resolve();
/** Run an action of the workspace, after those before it. @param {string} name @param {Record<string, any>} [args] @returns {Promise<boolean>} whether it succeeded */
export function act(name, args = {}) {
  const run = async () => {
    setBusy(1);
    try {
      // A node number refers to the shown tree; after an edit in another tab it may mean another node.
      applyState(await api.action(name, args, "node" in args ? studio.server.revision : undefined));
      return true;
    } catch (error) {
      if (error instanceof RequestError && error.status === 409) {
        notify(t("s_stale"), "warn");
        await refresh();
      } else showError(error);
      return false;
    } finally {
      setBusy(-1);
    }
  };
  const done = queue.then(run);
  queue = done.then(() => {});
  return done;
}

function setBusy(by) {
  studio.busy += by;
  document.documentElement.classList.toggle("busy", studio.busy > 0);
  if (!studio.busy && studio.server && studio.announcedRevision > studio.server.revision) refresh(); // another tab has acted
}

/** Run a request, and show its error if it fails. @template T @param {() => Promise<T>} run @returns {Promise<T|undefined>} */
export async function attempt(run) {
  try {
    return await run();
  } catch (error) {
    showError(error);
  }
}

/** Show the error of a request. @param {any} error */
export function showError(error) {
  if (!(error instanceof RequestError)) throw error;
  if (error.code !== "offline") notify(error.message, "warn");
}

let noticeTimer = 0;
/** Show a notice that disappears after some seconds. @param {string} text */
export function notify(text, kind = "") {
  const box = byId("notice");
  box.className = "notice " + kind;
  box.replaceChildren(el("span", {}, text), el("button", { class: "small", "aria-label": t("s_dismiss"), onclick: () => (box.hidden = true) }, "×"));
  box.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (box.hidden = true), kind === "warn" ? 12000 : 5000);
}

/** Whether a lesson hides the figures of a node. */
export const isHidden = (i) => Boolean(studio.server.lesson) && !studio.server.lesson.answered.some((item) => item.node === i);
