// What the page knows of the workspace: the state of the server, taken in whole. Selection and folds
// are kept by their ways from the root, since an edit gives nodes other numbers.

const studio = {
  /** @type {any} the state as the server gave it */ server: null,
  /** @type {any} the columns as described */ columns: null, /** @type {string[]} tables beside the data */ files: [],
  /** @type {"table"|"bench"|""} */ screen: "",
  /** requests under way */ busy: 0, /** the last revision that the server told of */ heard: 0,
  /** @type {{done: number, total: number}|null} */ progress: null,
  /** @type {number[]} milliseconds that previews took */ previewMs: [],
};

/** @type {((before: any) => void)[]} */ const takers = [];
/** Have something run when a new state has come. @param {(before: any) => void} run */
const onTaken = (run) => takers.push(run);

/** Branches from the root to a node. */
function wayTo(i) {
  const way = [];
  for (let a = i; a > 0; a = M.parent[a]) way.unshift(M.branchIndex[a]);
  return way;
}

/** The node at the end of a way, or the last one on it that is there; -1 if it must be whole. */
function nodeAtWay(way, whole = false) {
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
function take(server, anyhow = false) {
  const before = studio.server;
  if (before && server.revision < before.revision && !anyhow) return;
  const had = M && before && before.tree ? { n: M.n, selected: wayTo(state.selected), folded: [...state.folded].map(wayTo) } : null;
  studio.server = server;
  if (server.tree) {
    setModel(server.tree);
    state.step = startStep();
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
async function refresh(anyhow = false) {
  if (anyhow) studio.heard = 0;
  try {
    take(await api.state(), anyhow);
  } catch (error) {
    complain(error);
  }
}

let queue = Promise.resolve();
/** Do something to the workspace; one after another. @param {string} name @param {Record<string, any>} [given] @returns {Promise<boolean>} whether it was done */
function act(name, given = {}) {
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

/** Say what went wrong. @param {any} error */
function complain(error) {
  if (!(error instanceof Refused)) throw error;
  if (error.code !== "offline") notify(error.message, "warn");
}

let noticeTimer = 0;
/** A line over the page that goes by itself. @param {string} text */
function notify(text, kind = "") {
  const box = document.getElementById("notice");
  box.className = "notice " + kind;
  box.replaceChildren(el("span", {}, text), el("button", { type: "button", class: "small", "aria-label": t("s_dismiss"), onclick: () => (box.hidden = true) }, "×"));
  box.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (box.hidden = true), kind === "warn" ? 12000 : 5000);
}
