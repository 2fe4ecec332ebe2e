// The path to a node as one condition: the splits of a column merged into one value set, including missing and
// unseen values; formatted as text, Python and SQL. With surrogates, the code has one condition per split
// instead of per column, so that it selects the same rows.

import { boundsOf, CUT, INTERVALS, M, PRESENCE } from "./model.js";
import { isolateRtl, isoTime, isYesNo, joinWithAnd, listNames, quoteLevel, rangeText, t } from "./format.js";

/**
 * A set of values of one column: numbers low < x <= high, or codes (the last one: unseen levels).
 * @typedef {{j: number, low: number, high: number, codes: Uint8Array|null, named: Uint8Array|null, missing: boolean}} ValueSet
 */

/** @returns {ValueSet} */
function emptySet(j) {
  const n = M.columns.levels[j].length;
  const numeric = M.columns.kind[j] === "numeric";
  return {
    j, low: Infinity, high: Infinity, missing: false,
    codes: numeric ? null : new Uint8Array(n + 1), named: numeric ? null : new Uint8Array(n + 1),
  };
}

/** Values that a split sends to a branch. */
export function branchValues(splits, i, branch) {
  const j = splits.column[i];
  const accepted = emptySet(j);
  if (splits.kind[i] === PRESENCE) {
    if (branch === 1) return { ...accepted, missing: true };
    if (accepted.codes) accepted.codes.fill(1);
    if (accepted.named) accepted.named.fill(1, 0, -1); // unseen levels have no name
    return { ...accepted, low: -Infinity };
  }
  if (splits.kind[i] === CUT) {
    const low = branch === splits.low[i];
    if (!accepted.codes) return Object.assign(accepted, low ? { low: -Infinity, high: splits.cut[i] } : { low: splits.cut[i], high: Infinity });
    for (let c = 0; c < accepted.codes.length - 1; c++) {
      if (low === c <= splits.cut[i]) accepted.codes[c] = accepted.named[c] = 1;
    }
    return accepted;
  }
  if (splits.kind[i] === INTERVALS) {
    const [low, high] = boundsOf(splits, i, branch);
    return Object.assign(accepted, { low, high });
  }
  for (let k = splits.levelStart[i]; k < splits.levelStart[i + 1]; k++) {
    if (splits.levelBranch[k] === branch) accepted.codes[splits.levelCode[k]] = accepted.named[splits.levelCode[k]] = 1;
  }
  return accepted;
}

/** Level codes that split i does not know. */
function unknownLevels(splits, i) {
  const j = splits.column[i];
  const set = emptySet(j);
  if (!set.codes || splits.kind[i] === PRESENCE) return set;
  if (splits.kind[i] === CUT) set.codes[set.codes.length - 1] = 1;
  else {
    set.codes.fill(1);
    for (let k = splits.levelStart[i]; k < splits.levelStart[i + 1]; k++) set.codes[splits.levelCode[k]] = 0;
  }
  return set;
}

/** Unite a with b, in place; at most one of them has an interval of numbers. */
function uniteInto(a, b) {
  if (a.codes) a.codes.forEach((_, c) => {
    a.codes[c] |= b.codes[c];
    a.named[c] |= b.named[c];
  });
  else if (a.low >= a.high) Object.assign(a, { low: b.low, high: b.high });
  a.missing = a.missing || b.missing;
  return a;
}

/** The intersection of two value sets. */
export function intersect(a, b) {
  const codes = a.codes && a.codes.map((v, c) => v & b.codes[c]);
  const named = a.named && a.named.map((v, c) => v & b.named[c]);
  return { j: a.j, low: Math.max(a.low, b.low), high: Math.min(a.high, b.high), codes, named, missing: a.missing && b.missing };
}

/** The condition of a branch of node i: values accepted by the split, values that it cannot decide, and how surrogates decide those. */
export function splitCondition(i, branch) {
  const s = M.splits;
  const j = s.column[i];
  const accepted = branchValues(s, i, branch);
  const undecided = emptySet(j);
  if (s.kind[i] !== PRESENCE) undecided.missing = true;
  const unseen = unknownLevels(s, i);
  if (M.payload.unseen === "missing") uniteInto(undecided, unseen);
  else if (branch === M.majority[i] && M.payload.unseen !== "default") uniteInto(accepted, unseen);
  const surrogates = M.surrogates && M.surrogates.inUse ? M.surrogates : null;
  const tests = [];
  if (surrogates) {
    for (let k = surrogates.start[i]; k < surrogates.start[i + 1]; k++) {
      const unknown = unknownLevels(surrogates.splits, k);
      if (surrogates.splits.kind[k] !== PRESENCE) unknown.missing = true;
      tests.push([branchValues(surrogates.splits, k, branch), unknown]);
    }
  }
  const isDefault = M.payload.missing === "fractional" ? M.weight[M.child(i, branch)] > 0 || !M.hasRows : M.defaultBranch[i] === branch;
  if (!tests.length && isDefault) uniteInto(accepted, undecided);
  return { j, accepted, undecided, tests, isDefault };
}

/** The conditions from the root to a node. */
function pathConditions(node) {
  const result = [];
  for (let i = node; i > 0; i = M.parent[i]) result.push(splitCondition(M.parent[i], M.branchIndex[i]));
  return result.reverse();
}

/** The merged value set of each column, in the order of the path. @returns {ValueSet[]} */
function valueSets(node) {
  const result = new Map();
  for (const step of pathConditions(node)) {
    const had = result.get(step.j);
    result.set(step.j, had ? intersect(had, step.accepted) : step.accepted);
  }
  return [...result.values()];
}

/** A value set as text; "" if it restricts nothing. @param {boolean} [closed] in brackets if it contains "or" */
export function valueSetText(set, most = 8, closed = false) {
  const name = isolateRtl(M.columns.name[set.j]);
  const or = set.missing && M.columns.n_missing[set.j] > 0;
  const whole = (/** @type {string} */ text) => (!or ? text : closed ? `(${text} ${t("or_missing")})` : `${text} ${t("or_missing")}`);
  if (!set.codes) {
    if (set.low >= set.high) return set.missing ? `${name} ${t("is_missing")}` : `${name}: ∅`;
    const below = set.high < Infinity, above = set.low > -Infinity;
    if (!below && !above) return set.missing ? "" : `${name} ${t("is_present")}`;
    if (below !== above && isYesNo(set.j, below ? set.high : set.low)) return whole(`${name} = ${t(below ? "no" : "yes")}`);
    return whole(rangeText(name, set.low, set.high, set.j));
  }
  const levels = M.columns.levels[set.j].map(quoteLevel);
  let visible = levels.filter((_, c) => set.named[c]);
  if (!visible.length) visible = levels.filter((_, c) => set.codes[c]);
  if (!visible.length) {
    if (set.codes[levels.length]) return `${name}: ${t("unseen_level")}`;
    return set.missing ? `${name} ${t("is_missing")}` : `${name}: ∅`;
  }
  if (visible.length === levels.length) return set.missing ? "" : `${name} ${t("is_present")}`;
  const text = visible.length === 1 ? `${name} = ${visible[0]}` : `${name} ∈ {${listNames(visible, most)}}`;
  return whole(text);
}

/** The rule of a node: one text per column. */
export const ruleParts = (node, most = 8, closed = false) => valueSets(node).map((s) => valueSetText(s, most, closed)).filter(Boolean);
/** The rule of a node as one sentence; "or missing" is in brackets next to an "and". */
export const ruleText = (node, most = 8) => {
  const parts = ruleParts(node, most, true);
  return parts.length > 1 ? joinWithAnd(parts) : ruleParts(node, most)[0] || t("all_rows");
};

// ---------------------------------------------------------------- code

const pythonDialect = {
  and: " and ", or: " or ", yes: "True", no: "False",
  name: (j) => `row[${JSON.stringify(M.columns.name[j])}]`,
  missing: (c) => `(${c} is None or ${c} != ${c})`,
  present: (c) => `(${c} is not None and ${c} == ${c})`,
  numbers: (c, set) => {
    const low = pythonNumber(set.low, set.j), high = pythonNumber(set.high, set.j);
    const text = set.low > -Infinity && set.high < Infinity ? `${low} < ${c} <= ${high}` : set.high < Infinity ? `${c} <= ${high}` : `${c} > ${low}`;
    return `(${c} is not None and ${text})`;
  },
  levels: (c, list, not) => `${c} ${not ? "not " : ""}in [${list.join(", ")}]`,
  literal: (v) => (typeof v === "boolean" ? (v ? "True" : "False") : typeof v === "number" ? String(v) : JSON.stringify(v)),
};

function pythonNumber(x, j) {
  const display = M.columns.display[j];
  if (display === "number" || display === "boolean" || !Number.isFinite(x)) return String(x);
  if (display === "duration") return `datetime.timedelta(seconds=${x})`;
  if (display === "date") return `datetime.date(1970, 1, 1) + datetime.timedelta(days=${Math.floor(Math.floor(x) / 86400)})`;
  return `datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=${x})`;
}

const sqlText = (v) => "'" + String(v).replace(/'/g, "''") + "'";
const sqlDialect = {
  and: " AND ", or: " OR ", yes: "1 = 1", no: "1 = 0",
  name: (j) => '"' + M.columns.name[j].replace(/"/g, '""') + '"',
  missing: (c) => `${c} IS NULL`,
  present: (c) => `${c} IS NOT NULL`,
  numbers: (c, set) => {
    const display = M.columns.display[set.j];
    const number = (x) => {
      if (display === "date") return "DATE " + sqlText(isoTime(Math.floor(Math.floor(x) / 86400) * 86400, "date"));
      if (display === "datetime") return "TIMESTAMP " + sqlText(isoTime(x, display).replace("T", " "));
      return String(x);
    };
    const at = display === "boolean" ? `CAST(${c} AS INTEGER)` : c;
    const parts = [];
    if (set.low > -Infinity) parts.push(`${at} > ${number(set.low)}`);
    if (set.high < Infinity) parts.push(`${at} <= ${number(set.high)}`);
    return parts.length > 1 ? `(${parts.join(" AND ")})` : parts[0];
  },
  levels: (c, list, not) => `${c} ${not ? "NOT " : ""}IN (${list.join(", ")})`,
  literal: (v) => (typeof v === "boolean" ? (v ? "TRUE" : "FALSE") : typeof v === "number" ? String(v) : sqlText(v)),
};

/** A value set as code, including missing and unseen values. */
function valueSetCode(set, d) {
  const c = d.name(set.j);
  let inside, whole;
  if (!set.codes) {
    whole = set.low === -Infinity && set.high === Infinity;
    inside = set.low >= set.high ? null : whole ? d.present(c) : d.numbers(c, set);
  } else {
    const values = M.columns.level_values[set.j] || M.columns.levels[set.j];
    const unseen = set.codes[values.length];
    const list = values.filter((_, k) => Boolean(set.codes[k]) !== Boolean(unseen)).map(d.literal);
    whole = unseen && !list.length;
    if (whole) inside = d.present(c);
    else if (!unseen) inside = list.length ? d.levels(c, list, false) : null;
    else inside = `(${d.present(c)}${d.and}${d.levels(c, list, true)})`;
  }
  if (whole && set.missing) return d.yes;
  if (!inside) return set.missing ? d.missing(c) : d.no;
  return set.missing ? `(${d.missing(c)}${d.or}${inside})` : inside;
}

function conditionCode(step, d) {
  const accepted = valueSetCode(step.accepted, d);
  if (!step.tests.length) return accepted;
  let chain = step.isDefault ? d.yes : d.no;
  for (const [values, unknown] of step.tests.slice().reverse()) {
    chain = `(${valueSetCode(values, d)}${d.or}(${valueSetCode(unknown, d)}${d.and}${chain}))`;
  }
  return `(${accepted}${d.or}(${valueSetCode(step.undecided, d)}${d.and}${chain}))`;
}

/** The condition of a node as code. @param {"python"|"sql"} language */
export function ruleCode(node, language) {
  const d = language === "sql" ? sqlDialect : pythonDialect;
  const steps = pathConditions(node);
  const parts = steps.some((s) => s.tests.length) ? steps.map((s) => conditionCode(s, d)) : valueSets(node).map((s) => valueSetCode(s, d));
  return parts.filter((p) => p !== d.yes).join(d.and) || d.yes;
}
