// Talking to the server: requests, the websocket that tells of changes, and what to do when it is gone.

import { M, setModel } from "../../../report/assets/core/model.js";
import { language, t } from "../../../report/assets/core/words.js";
import { byId, el } from "../../../report/assets/page/dom.js";
import { openingNow, state } from "../../../report/assets/page/state.js";

const TOKEN = new URLSearchParams(location.search).get("token") || "";

class Refused extends Error {
  /** @param {number} status @param {{code?: string, text?: string}} error */
  constructor(status, error) {
    super(error.text || String(status));
    this.status = status;
    this.code = error.code || "";
  }
}

/** Ask the server. @param {string} path @param {{method?: string, body?: any}} [options] @returns {Promise<any>} */
async function request(path, { method = "GET", body } = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method, cache: "no-store", headers: { "X-Ceiba-Token": TOKEN, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    link.lost();
    throw new Refused(0, { code: "offline", text: t("s_offline") });
  }
  const given = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, given.error || {});
  return given;
}

export const api = {
  state: () => request("/api/state"),
  columns: (all = false) => request("/api/columns" + (all ? "?rows=all" : "")),
  files: () => request("/api/files"),
  action: (name, given, revision) => request("/api/action", { method: "POST", body: { action: name, arguments: given, ...(revision === undefined ? {} : { revision }) } }),
  rivals: (node) => request(`/api/node/${node}/rivals`),
  pValues: (node) => request(`/api/node/${node}/p-values`),
  column: (node, name) => request(`/api/node/${node}/column/${encodeURIComponent(name)}`),
  preview: (node, split) => request(`/api/node/${node}/preview`, { method: "POST", body: { split } }),
  furtherCut: (node, column, cuts) => request(`/api/node/${node}/further-cut`, { method: "POST", body: { column, cuts } }),
  compare: (a, b) => request(`/api/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`),
  crossValidate: (folds) => request("/api/cross-validation", { method: "POST", body: { folds } }),
  crossValidation: () => request("/api/cross-validation"),
  stopCrossValidation: () => request("/api/cross-validation", { method: "DELETE" }),
  answer: (node, column) => request(`/api/lesson/${node}`, { method: "POST", body: { column } }),
  steps: (node, column, measure) => request(`/api/lesson/${node}?column=${encodeURIComponent(column)}&measure=${measure}&lang=${language.code}`),
  close: () => request("/api/close", { method: "POST", body: {} }),
};

/** Where a file is fetched. @param {string} what */
export const downloadAddress = (what, format = "") => `/api/download/${what}?token=${encodeURIComponent(TOKEN)}` + (format ? `&format=${encodeURIComponent(format)}` : "");

export const link = {
  /** @type {WebSocket|null} */ socket: null, up: true, closed: false, wait: 500,
  /** @type {(message: any) => void} */ hear: () => {},
  /** @type {(up: boolean) => void} */ changed: () => {},
  lost() {
    if (link.closed || !link.up) return;
    link.up = false;
    link.changed(false);
    // A request failed while the socket still seems open: only a new one tells that the server is back.
    if (link.socket && link.socket.readyState === WebSocket.OPEN) link.socket.close();
  },
  open() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/changes?token=${encodeURIComponent(TOKEN)}`);
    link.socket = socket;
    socket.addEventListener("open", () => {
      link.wait = 500;
      const again = !link.up;
      link.up = true;
      if (again) link.changed(true);
    });
    socket.addEventListener("message", (e) => link.hear(JSON.parse(e.data)));
    socket.addEventListener("close", () => {
      link.lost();
      if (link.closed) return;
      setTimeout(link.open, link.wait);
      link.wait = Math.min(link.wait * 1.6, 4000);
    });
  },
};

export const studio = {
  /** @type {any} the state as the server gave it */ server: null,
  /** @type {any} the columns as described */ columns: null, /** @type {string[]} tables beside the data */ files: [],
  /** @type {"table"|"bench"|""} */ screen: "",
  /** @type {(screen: "table"|"bench") => void} set by the app */ show: () => {},
  /** @type {any} the split under the hand (column, node, data; cuts, of which one is active, or groups; answer of the last preview; error) */ draft: null,
  /** requests under way */ busy: 0, /** the last revision that the server told of */ heard: 0,
  /** @type {{done: number, total: number}|null} */ progress: null,
  /** @type {number[]} milliseconds that previews took */ previewMs: [],
};

/** @type {((before: any) => void)[]} */ const takers = [];
/** Have something run when a new state has come. @param {(before: any) => void} run */
export const onTaken = (run) => takers.push(run);

/** Branches from the root to a node. */
export function wayTo(i) {
  const way = [];
  for (let a = i; a > 0; a = M.parent[a]) way.unshift(M.branchIndex[a]);
  return way;
}

/** The node at the end of a way, or the last one on it that is there; -1 if it must be whole. */
export function nodeAtWay(way, whole = false) {
  let i = 0;
  for (const b of way) {
    if (b >= M.nBranches(i)) return whole ? -1 : i;
    i = M.child(i, b);
  }
  return i;
}

const MANY_NEW = 24; // nodes at once, from which on the tree opens as it would at first

/** Folds as at the beginning, with the way to a node open. */
function openingTo(i) {
  const folded = openingNow();
  for (let a = M.parent[i]; a >= 0; a = M.parent[a]) folded.delete(a);
  return folded;
}

/** Show a state of the server. @param {any} server @param {boolean} [anyhow] even if it seems older: the server began anew */
export function take(server, anyhow = false) {
  const before = studio.server;
  if (before && server.revision < before.revision && !anyhow) return;
  const had = before && before.tree ? { n: M.n, selected: wayTo(state.selected), folded: [...state.folded].map(wayTo) } : null;
  studio.server = server;
  if (server.tree) {
    setModel(server.tree);
    state.step = M.start;
    state.selected = had ? nodeAtWay(had.selected) : 0;
    state.folded = had ? new Set(had.folded.map((way) => nodeAtWay(way, true)).filter((i) => i > 0 && !M.isLeaf(i))) : openingNow();
    if (had && M.n > had.n + MANY_NEW) state.folded = openingTo(state.selected);
    state.source = M.test ? "test" : "train";
    state.way = [];
  }
  for (const run of takers) run(before);
  if (server.beginning) setTimeout(() => refresh(true), 250); // the columns are there before the root
}

/** Read the state again. */
export async function refresh(anyhow = false) {
  if (anyhow) studio.heard = 0;
  await attempt(async () => take(await api.state(), anyhow));
}

let queue = Promise.resolve();
/** Do something to the workspace; one after another. @param {string} name @param {Record<string, any>} [given] @returns {Promise<boolean>} whether it was done */
export function act(name, given = {}) {
  const run = async () => {
    setBusy(1);
    try {
      // A node is one of the tree that is shown: after somebody else's edit it may be another.
      take(await api.action(name, given, "node" in given ? studio.server.revision : undefined));
      return true;
    } catch (error) {
      if (error instanceof Refused && error.status === 409) {
        notify(t("s_stale"), "warn");
        await refresh();
      } else complain(error);
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
  if (!studio.busy && studio.server && studio.heard > studio.server.revision) refresh(); // another tab acted meanwhile
}

/** Do something that the server may refuse, and say so if it does. @template T @param {() => Promise<T>} run @returns {Promise<T|undefined>} */
export async function attempt(run) {
  try {
    return await run();
  } catch (error) {
    complain(error);
  }
}

/** Say what went wrong. @param {any} error */
export function complain(error) {
  if (!(error instanceof Refused)) throw error;
  if (error.code !== "offline") notify(error.message, "warn");
}

let noticeTimer = 0;
/** A line over the page that goes by itself. @param {string} text */
export function notify(text, kind = "") {
  const box = byId("notice");
  box.className = "notice " + kind;
  box.replaceChildren(el("span", {}, text), el("button", { class: "small", "aria-label": t("s_dismiss"), onclick: () => (box.hidden = true) }, "×"));
  box.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (box.hidden = true), kind === "warn" ? 12000 : 5000);
}

/** Whether a lesson still hides the figures of a node. */
export const isHidden = (i) => Boolean(studio.server.lesson) && !studio.server.lesson.answered.some((one) => one.node === i);
