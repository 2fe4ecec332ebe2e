// The worker: it reads the table, grows and cross-validates, so that the page stays responsive. One message asks for one
// thing; the answer has the same id. To cancel, the page ends the worker and starts another.

import { growTree, openSession, readTree } from "./core.js";
import { readTable, readText, takeRows } from "./csv.js";
import { writeModelFile } from "./model_file.js";
import { makePayload } from "./payload.js";
import { Refusal } from "./refusal.js";

const MAX_BYTES = 3.9e9; // of 4 GB of memory that 32-bit addresses reach
const BYTES_PER_CELL = 14; // the table and what the search derives from it, measured at 1,000,000 x 20
/** @type {{module: any, rules: any, limits: any, version: string, table: any, session: any, last: any}} */
const work = { module: null, rules: null, limits: null, version: "", table: null, session: null, last: null };

/** Some rows of the target; a class is a text, a whole number or a boolean. */
function makeTarget(column, task) {
  if (column.levels) {
    // Classes are the labels that occur, in order of code points.
    const present = [...new Set(column.values)].sort((a, b) => a - b), place = new Map(present.map((code, k) => [code, k]));
    return { name: column.name, type: "object", classes: present.map((code) => column.levels[code]), codes: Int32Array.from(column.values, (code) => place.get(code)) };
  }
  if (task === "regression") return { name: column.name, numbers: /** @type {Float64Array} */ (column.values) };
  const present = [...new Set(column.values)].sort((a, b) => a - b), place = new Map(present.map((value, k) => [value, k]));
  if (column.display === "date" || column.display === "datetime" || !present.every(Number.isInteger)) throw new Refusal("pg_classes", { column: column.name });
  const isBoolean = column.display === "boolean";
  return { name: column.name, type: isBoolean ? "bool" : "int64", classes: isBoolean ? present.map(Boolean) : present, codes: Int32Array.from(column.values, (value) => place.get(value)) };
}

/** The columns of a tree and its target; rows without a target are left out. */
function splitTarget(name, task) {
  const target = work.table.columns.find((column) => column.name === name);
  let columns = work.table.columns;
  if (target.nMissing) {
    const kept = [...target.values.keys()].filter((i) => (target.levels ? target.values[i] >= 0 : !Number.isNaN(target.values[i])));
    columns = takeRows(columns, kept);
  }
  const own = columns.find((column) => column.name === name);
  if (!own.values.length) throw new Refusal("pg_no_target", { column: name });
  return { columns: columns.filter((column) => column !== own).map(dropUnusedLevels), target: makeTarget(own, task), nDropped: target.nMissing };
}

/** Levels that occur, as reading the remaining rows alone would give them. */
function dropUnusedLevels(column) {
  if (!column.levels) return column;
  const used = [...new Set(column.values)].filter((code) => code >= 0).sort((a, b) => a - b);
  if (used.length === column.levels.length) return column;
  const place = new Map(used.map((code, k) => [code, k]));
  return { ...column, levels: used.map((code) => column.levels[code]), values: column.values.map((code) => place.get(code) ?? -1) };
}

const ACTIONS = {
  async start({ wasm, rules, limits, version }) {
    // @ts-ignore: the script of emscripten stands before this one
    Object.assign(work, { module: await ceibaModule({ wasmBinary: wasm }), rules, limits, version });
    return {};
  },
  async read({ file, options }, report) {
    const begun = performance.now();
    const text = typeof file === "string" ? file : await readText(file, options.encoding);
    work.table = readTable(text, options, work.rules, (done) => report("reading", done, 0));
    const { columns, nRows } = work.table;
    return { nRows: columns[0].values.length || nRows, seconds: (performance.now() - begun) / 1000, columns: columns.map(({ name, kind, display, levels, nMissing }) => ({ name, kind, display, nLevels: levels ? levels.length : 0, nMissing })) };
  },
  async grow({ options }, report) {
    const { columns, target, nDropped } = splitTarget(options.target, options.task);
    const nRows = (target.codes || target.numbers).length;
    if (nRows * (columns.length + 1) * BYTES_PER_CELL > MAX_BYTES) throw new Refusal("pg_memory", { reason: `${nRows} x ${columns.length}` });
    if (target.classes && target.classes.length < 2) throw new Refusal("pg_one_class", { column: target.name });
    if (work.session) work.session.close();
    report("growing", 0, 0);
    const begun = performance.now();
    const session = (work.session = openSession(work.module, columns, target));
    growTree(session, options);
    const seconds = (performance.now() - begun) / 1000;
    if (options.folds) {
      const n = session.call("deal_folds", options.folds, 0);
      for (let fold = 0; fold < n; fold++) {
        report("validating", fold, n);
        session.call("validate", fold);
      }
    }
    report("drawing", 0, 0);
    const tree = readTree(session);
    const about = { ...options, version: work.version };
    const payload = makePayload(session, tree, columns, target, about, work.limits);
    work.last = { target, about, columns: payload.columns };
    return { payload, nDropped, seconds, megabytes: work.module.HEAPU8.length / 1e6 };
  },
  /** The model file of T(alpha). */
  async save({ alpha, source }) {
    work.session.call("prune", alpha);
    const { target, about, columns } = work.last;
    return { text: writeModelFile(readTree(work.session, "pruned_"), columns, target, { ...about, source }) };
  },
  /** The gain of each column at a node, and of every cut of the best numeric one. */
  async splits({ node }) {
    const { columns } = work.last;
    work.session.call("compare", node, columns.name.length);
    const best = [...work.session.array("stump_column")].slice(0, 1), gain = [...work.session.array("stump_gain")].slice(0, 1);
    const rivals = [...work.session.array("stump_competitor_column")];
    const gains = best[0] < 0 ? [] : [[best[0], gain[0]], ...rivals.map((j, k) => [j, Math.max(0, work.session.array("stump_competitor_gain")[k])])];
    const numeric = gains.find(([j]) => columns.kind[j] === "numeric");
    if (numeric) work.session.call("draw_curve", node, numeric[0]);
    return { gains, curve: numeric ? { column: numeric[0], cut: [...work.session.array("curve_cut")], gain: [...work.session.array("curve_gain")] } : null };
  },
};

// @ts-ignore: a worker has no window
self.onmessage = async ({ data }) => {
  const answer = (/** @type {any} */ message) => /** @type {any} */ (self).postMessage({ id: data.id, ...message });
  try {
    answer({ result: await ACTIONS[data.action](data, (stage, done, total) => answer({ progress: { stage, done, total } })) });
  } catch (failure) {
    const error = /** @type {any} */ (failure);
    const isRange = error instanceof RangeError; // the memory of the page or of the core
    answer({ error: error instanceof Refusal ? { key: error.key, values: error.values } : { key: isRange ? "pg_memory" : "pg_core", values: { reason: String(error.message || error) } } });
  }
};
