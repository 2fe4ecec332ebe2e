// Talking to the server: requests, the websocket that tells of changes, and what to do when it is gone.

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

const api = {
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
  steps: (node, column, measure) => request(`/api/lesson/${node}?column=${encodeURIComponent(column)}&measure=${measure}&lang=${LANG}`),
  close: () => request("/api/close", { method: "POST", body: {} }),
};

/** Where a file is fetched. @param {string} what */
const downloadAddress = (what, format = "") => `/api/download/${what}?token=${encodeURIComponent(TOKEN)}` + (format ? `&format=${encodeURIComponent(format)}` : "");

const link = {
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
