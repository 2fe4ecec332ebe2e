// The compiled core behind its C functions (cpp/wasm): a session holds a table, its target and a tree.

import { Refusal } from "./refusal.js";

const ARRAY_TYPES = { b: Int8Array, i: Int32Array, q: BigInt64Array, d: Float64Array };

class Session {
  /** @param {any} module of emscripten @param {number} nRows */
  constructor(module, nRows) {
    this.module = module;
    this.held = [];
    this.at = module._ceiba_new(nRows);
  }

  /** Call a function of the core with its arguments; texts are copied. */
  call(/** @type {string} */ name, /** @type {(number|string)[]} */ ...given) {
    const texts = given.filter((value) => typeof value === "string").map((value) => this.module.stringToNewUTF8(value));
    const waiting = [...texts];
    const result = this.module["_ceiba_" + name](this.at, ...given.map((value) => (typeof value === "string" ? waiting.shift() : value)));
    texts.forEach((text) => this.module._ceiba_free(text));
    if (result < 0) this.fail();
    return result;
  }

  fail() {
    const reason = this.module.UTF8ToString(this.module._ceiba_error());
    throw new Refusal(reason === "memory" ? "pg_memory" : "pg_core", { reason });
  }

  /** Copy numbers into the memory of the core, where they stay until `close`. */
  put(/** @type {Float64Array|Int32Array} */ values) {
    const at = this.module._ceiba_alloc(Math.max(8, values.byteLength));
    if (!at) throw new Refusal("pg_memory", { reason: "memory" });
    this.module.HEAPU8.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    this.held.push(at);
    return at;
  }

  /** An array of the session by its name, as a copy; integers of 64 bits become numbers. @returns {any} */
  array(/** @type {string} */ name) {
    const about = this.module._ceiba_alloc(8), text = this.module.stringToNewUTF8(name);
    const from = this.module._ceiba_array(this.at, text, about);
    const [length, type] = new Int32Array(this.module.HEAPU8.slice(about, about + 8).buffer);
    [about, text].forEach((memory) => this.module._ceiba_free(memory));
    if (this.module.UTF8ToString(this.module._ceiba_error())) this.fail();
    const Type = ARRAY_TYPES[String.fromCharCode(type)];
    const values = new Type(this.module.HEAPU8.slice(from, from + length * Type.BYTES_PER_ELEMENT).buffer);
    return Type === BigInt64Array ? Float64Array.from(values, Number) : values;
  }

  arrays(/** @type {string[]} */ names, prefix = "") {
    return Object.fromEntries(names.map((name) => [name, this.array(prefix + name)]));
  }

  close() {
    if (this.at) this.module._ceiba_delete(this.at);
    this.held.forEach((memory) => this.module._ceiba_free(memory));
    this.at = 0;
  }
}

const SPLIT_ARRAYS = ["kind", "column", "cut", "low_branch", "digits", "level_start", "level_code", "level_branch"];
const NODE_ARRAYS = ["parent", "branch_start", "branch_node", "default_branch", "n_rows", "sent_default", "weight", "impurity", "gain", "value", "risk", "node_alpha"];

/** The tree of a session; its arrays may begin with `pruned_`. */
export function readTree(/** @type {Session} */ session, prefix = "") {
  const names = prefix ? NODE_ARRAYS.filter((name) => name !== "node_alpha") : NODE_ARRAYS;
  return { ...session.arrays(names, prefix), splits: session.arrays(SPLIT_ARRAYS, prefix) };
}

/** The runner-up splits of a node and their gains; null if the best split of its rows is not that of the tree. */
export function searchCompetitors(/** @type {Session} */ session, tree, node, most) {
  session.call("compare", node, most);
  const [column] = session.array("stump_column"), [gain] = session.array("stump_gain");
  const isSame = column === tree.splits.column[node] && Math.abs(gain - tree.gain[node]) <= 1e-12 + 1e-6 * Math.abs(tree.gain[node]);
  return isSame ? { splits: session.arrays(SPLIT_ARRAYS, "stump_competitor_"), gain: session.array("stump_competitor_gain") } : null;
}

/** Put a table and its target into a new session. @param {any} module @param {import("./csv.js").TableColumn[]} columns @param {{codes?: Int32Array, numbers?: Float64Array, classes?: any[]}} target */
export function openSession(module, columns, target) {
  const session = new Session(module, (target.codes || target.numbers).length);
  for (const column of columns) {
    const at = session.put(column.values);
    if (column.levels) session.call("add_levels", at, column.levels.length);
    else session.call("add_numbers", at);
  }
  if (target.codes) session.call("set_classes", session.put(target.codes), target.classes.length);
  else session.call("set_numbers", session.put(target.numbers));
  return session;
}

/** Grow with options of the estimators. @param {Session} session @param {{criterion: string, maxDepth: number|null, minLeaf: number, multiway?: boolean}} options @returns {number} nodes */
export function growTree(session, options) {
  session.call("set_criterion", options.criterion);
  session.call("set_option", "max_depth", options.maxDepth ?? -1);
  session.call("set_option", "min_samples_leaf", options.minLeaf);
  session.call("set_option", "min_samples_split", Math.max(2, 2 * options.minLeaf));
  session.call("set_option", "multiway", options.multiway ? 1 : 0);
  return session.call("grow");
}
