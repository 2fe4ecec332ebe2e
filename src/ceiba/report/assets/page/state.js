// The state of the page, changed by `update` only; views subscribe to its keys. Tab, node, step and case
// are also kept in the address after #, so that a link restores them.

import { routeCase } from "../case/route.js";
import { M, computeOnce } from "../core/model.js";

/** @typedef {{rows: number, sure: number, cls: number, low: number|null, high: number|null}} Filter */
/** @type {Filter} */ export const NO_FILTER = { rows: 0, sure: 0, cls: -1, low: null, high: null };

/** The curve of a node and its figures, set by pages of survival trees. @type {{view: (i: number) => Element|null, text: (i: number) => string}} */
export const nodeCurve = { view: () => null, text: () => "" };

export const state = {
  selected: 0, step: 0, tab: "node", theme: "light", orientation: "auto", source: "train",
  /** @type {Set<number>} inner nodes whose branches are hidden */ folded: new Set(),
  /** @type {(number|null)[]} */ values: [], hasCase: false,
  /** @type {number[]} nodes on the path of the case */ casePath: [],
  search: "", bigIcicle: false, focusVersion: 0, panelHidden: false,
  filter: NO_FILTER, filterOpen: false,
};

/** @type {[string[], (changed: Set<string>) => void][]} */
const subscribers = [];
export const subscribe = (keys, run) => subscribers.push([keys, run]);

/** @param {Partial<typeof state>} change */
export function update(change) {
  const changed = new Set(Object.keys(change).filter((k) => state[k] !== change[k]));
  Object.assign(state, change);
  if (changed.has("step")) selectPresent(changed);
  if ((changed.has("values") || changed.has("hasCase") || changed.has("step")) && state.hasCase) {
    const path = [...new Set(routeCase(state.values, currentAlpha()).map((m) => m.node))];
    // If the path stays the same, the tree need not be laid out again.
    if (changed.has("step") || path.join() !== state.casePath.join()) {
      state.casePath = path;
      changed.add("casePath");
      unfoldPath(path, changed);
    }
  } else if (changed.has("hasCase")) {
    state.casePath = [];
    state.folded = initialFold();
    changed.add("casePath").add("folded");
  }
  if (changed.size) for (const [keys, run] of subscribers) if (keys.some((k) => changed.has(k))) run(changed);
  scheduleAddress();
}

/** Unfold the path of the case; if it is deep, fold everything else. */
function unfoldPath(path, changed) {
  const open = new Set(path);
  const deep = path.some((i) => M.depth[i] > 5);
  if (!deep && !path.some((i) => state.folded.has(i))) return;
  const folded = new Set(deep ? [] : [...state.folded].filter((i) => !open.has(i)));
  if (deep) for (let i = 0; i < M.n; i++) if (!open.has(i) && !M.isLeaf(i)) folded.add(i);
  state.folded = folded;
  changed.add("folded");
}

/** After pruning, select the nearest ancestor that is still present. */
function selectPresent(changed) {
  let i = state.selected;
  while (i > 0 && !isPresent(i)) i = M.parent[i];
  if (i !== state.selected) {
    state.selected = i;
    changed.add("selected");
  }
}

export const currentAlpha = () => M.steps[state.step].alpha;
/** Whether a node is in the pruned tree. */
export const isPresent = (i) => i === 0 || M.nodeAlpha[M.parent[i]] > currentAlpha();
export const currentStep = () => state.step;
const terminalMask = computeOnce(() => {
  const alpha = currentAlpha();
  const mask = new Uint8Array(M.n);
  for (let k = 0; k < M.n; k++) if (M.nodeAlpha[k] <= alpha || M.isLeaf(k)) mask[k] = 1;
  return mask;
}, currentStep);
/** Whether a node is terminal in the pruned tree; cached per step, since every loop over nodes calls this. */
export const isTerminal = (i) => terminalMask()[i] === 1;
/** Node numbers in the shown tree: those of apply(), of rules and of SQL for that tree. */
const numbers = computeOnce(() => {
  const of = new Int32Array(M.n).fill(-1), at = [];
  for (let i = 0; i < M.n; i += isTerminal(i) ? M.size[i] : 1) of[i] = at.push(i) - 1;
  return { of, at };
}, currentStep);
export const displayNumber = (i) => numbers().of[i];
export const nodeByNumber = (number) => numbers().at[number] ?? -1;
export const presentLeaves = (i) => {
  let count = 0;
  for (let k = i; k < i + M.size[i]; k++) if (isPresent(k) && isTerminal(k)) count++;
  return count;
};

/** Select a node, and unfold its ancestors. */
export function reveal(i) {
  while (i > 0 && !isPresent(i)) i = M.parent[i];
  let folded = state.folded;
  for (let a = M.parent[i]; a >= 0; a = M.parent[a]) {
    if (!folded.has(a)) continue;
    if (folded === state.folded) folded = new Set(folded);
    folded.delete(a);
  }
  update({ selected: i, folded, focusVersion: state.focusVersion + 1 });
}

/** How much of the tree is unfolded initially, largest first: nodes and levels. */
const INITIAL_SIZES = [[31, 4], [15, 3], [7, 2], [3, 1]];
/** @type {Set<number>|null} */ let lastInitialFold = null;
/** Whether the tree is folded as initially. */
export const isInitialFold = () => state.folded === lastInitialFold;
/** The initial fold, with the path to a node unfolded. @param {number} [smaller] how many sizes below the largest, for a small canvas */
export function initialFold(smaller = 0, to = 0) {
  const [most, deep] = INITIAL_SIZES[Math.min(smaller + (state.bigIcicle ? 1 : 0), INITIAL_SIZES.length - 1)];
  lastInitialFold = foldToSize(most, deep);
  for (let a = M.parent[to]; a >= 0; a = M.parent[a]) lastInitialFold.delete(a);
  return lastInitialFold;
}

/** Fold the tree to about `most` visible nodes, the heaviest first, on at most `deep` levels. */
export function foldToSize(most, deep) {
  const folded = new Set();
  const open = [0];
  let seen = 1;
  for (let i = 0; i < M.n; i++) if (!M.isLeaf(i)) folded.add(i);
  while (open.length) {
    open.sort((a, b) => M.depth[a] - M.depth[b] || M.breadth[b] - M.breadth[a]);
    const i = open.shift();
    if (isTerminal(i) || M.depth[i] >= deep) continue;
    if (seen + M.nBranches(i) > most && seen > 1) continue;
    folded.delete(i);
    seen += M.nBranches(i);
    for (let b = 0; b < M.nBranches(i); b++) if (!M.isLeaf(M.child(i, b))) open.push(M.child(i, b));
  }
  return folded;
}

let addressTimer = 0;
/** Write the address after a pause: browsers limit how often it may change. */
function scheduleAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, 300);
}

export function writeAddress() {
  if (!M.n) return;
  const parts = [`tab=${state.tab}`, `node=${displayNumber(state.selected)}`, `step=${state.step}`];
  if (state.hasCase) parts.push("case=" + encodeURIComponent(JSON.stringify(state.values)));
  try {
    history.replaceState(null, "", "#" + parts.join("&"));
  } catch {
    // A frame in a notebook has no address.
  }
}

/** Read a change of the state from the address. @param {string[]} tabs the tabs of the page */
export function readAddress(tabs) {
  const change = {};
  let number = -1;
  for (const part of location.hash.slice(1).split("&")) {
    const [key, value] = [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)];
    if (key === "tab" && tabs.includes(value)) change.tab = value;
    if (key === "step" && M.steps[+value] && M.steps[+value].isAvailable) change.step = +value;
    if (key === "node") number = Math.trunc(+value);
    if (key === "case") {
      try {
        const parsed = JSON.parse(decodeURIComponent(value));
        const fits = Array.isArray(parsed) && parsed.length === M.columns.name.length;
        if (fits && parsed.every((v) => v === null || typeof v === "number")) Object.assign(change, { values: parsed, hasCase: true });
      } catch {
        // Ignore a malformed address.
      }
    }
  }
  // The node number refers to the tree at that step.
  const had = state.step;
  state.step = change.step ?? had;
  if (nodeByNumber(number) > 0) change.selected = nodeByNumber(number);
  state.step = had;
  return change;
}

/** Whether the shown tree is not the fitted one. */
export const isPreview = () => M.steps[state.step].leaves !== M.steps[M.start].leaves;

/** Depth of the pruned tree. */
export const currentDepth = computeOnce(() => {
  let deep = 0;
  for (let i = 0; i < M.n; i += isTerminal(i) ? M.size[i] : 1) if (M.depth[i] > deep) deep = M.depth[i];
  return deep;
}, currentStep);
