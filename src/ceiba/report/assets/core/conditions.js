// The path to a node as one condition: tests on a column merged into one value set, missing and
// unseen values part of it, written as text, Python and SQL. Where surrogates decide for missing
// values the code is written step by step instead of merged, so that it selects the same rows.

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

/** Values that a split sends to a branch, and whether it can place unseen levels and missing ones at all. */
export function branchValues(splits, i, branch) {
  const j = splits.column[i];
  const yes = emptySet(j);
  if (splits.kind[i] === PRESENCE) {
    if (branch === 1) return { ...yes, missing: true };
    if (yes.codes) yes.codes.fill(1);
    if (yes.named) yes.named.fill(1, 0, -1); // unseen levels are not named
    return { ...yes, low: -Infinity };
  }
  if (splits.kind[i] === CUT) {
    const low = branch === splits.low[i];
    if (!yes.codes) return Object.assign(yes, low ? { low: -Infinity, high: splits.cut[i] } : { low: splits.cut[i], high: Infinity });
    for (let c = 0; c < yes.codes.length - 1; c++) {
      if (low === c <= splits.cut[i]) yes.codes[c] = yes.named[c] = 1;
    }
    return yes;
  }
  if (splits.kind[i] === INTERVALS) {
    const [low, high] = boundsOf(splits, i, branch);
    return Object.assign(yes, { low, high });
  }
  for (let k = splits.levelStart[i]; k < splits.levelStart[i + 1]; k++) {
    if (splits.levelBranch[k] === branch) yes.codes[splits.levelCode[k]] = yes.named[splits.levelCode[k]] = 1;
  }
  return yes;
}

/** Codes that split i does not know. */
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

/** Join b into a; one of them has no numbers. */
function uniteInto(a, b) {
  if (a.codes) a.codes.forEach((_, c) => {
    a.codes[c] |= b.codes[c];
    a.named[c] |= b.named[c];
  });
  else if (a.low >= a.high) Object.assign(a, { low: b.low, high: b.high });
  a.missing = a.missing || b.missing;
  return a;
}

/** What both allow. */
export function intersect(a, b) {
  const codes = a.codes && a.codes.map((v, c) => v & b.codes[c]);
  const named = a.named && a.named.map((v, c) => v & b.named[c]);
  return { j: a.j, low: Math.max(a.low, b.low), high: Math.min(a.high, b.high), codes, named, missing: a.missing && b.missing };
}

/** What node i's split asks of a row that takes a branch: its own values, and those it cannot place. */
export function splitCondition(i, branch) {
  const s = M.splits;
  const j = s.column[i];
  const yes = branchValues(s, i, branch);
  const silent = emptySet(j);
  if (s.kind[i] !== PRESENCE) silent.missing = true;
  const unseen = unknownLevels(s, i);
  if (M.payload.unseen === "missing") uniteInto(silent, unseen);
  else if (branch === M.majority[i] && M.payload.unseen !== "default") uniteInto(yes, unseen);
  const stand = M.surrogates && M.surrogates.inUse ? M.surrogates : null;
  const tests = [];
  if (stand) {
    for (let k = stand.start[i]; k < stand.start[i + 1]; k++) {
      const mute = unknownLevels(stand.splits, k);
      if (stand.splits.kind[k] !== PRESENCE) mute.missing = true;
      tests.push([branchValues(stand.splits, k, branch), mute]);
    }
  }
  const other = M.payload.missing === "fractional" ? M.weight[M.child(i, branch)] > 0 || !M.hasRows : M.defaultBranch[i] === branch;
  if (!tests.length && other) uniteInto(yes, silent);
  return { j, accepted: yes, undecided: silent, tests, isDefault: other };
}

/** Steps from the root to a node. */
function pathConditions(node) {
  const found = [];
  for (let i = node; i > 0; i = M.parent[i]) found.push(splitCondition(M.parent[i], M.branchIndex[i]));
  return found.reverse();
}

/** The merged value set of each column, in the order in which the path asks. @returns {ValueSet[]} */
function valueSets(node) {
  const found = new Map();
  for (const step of pathConditions(node)) {
    const had = found.get(step.j);
    found.set(step.j, had ? intersect(had, step.accepted) : step.accepted);
  }
  return [...found.values()];
}

/** What a value set says, in words; "" when it restricts nothing. @param {boolean} [closed] in brackets where it holds an "or" */
export function valueSetText(set, most = 8, closed = false) {
  const name = isolateRtl(M.columns.name[set.j]);
  const or = set.missing && M.columns.n_missing[set.j] > 0;
  const whole = (/** @type {string} */ said) => (!or ? said : closed ? `(${said} ${t("or_missing")})` : `${said} ${t("or_missing")}`);
  if (!set.codes) {
    if (set.low >= set.high) return set.missing ? `${name} ${t("is_missing")}` : `${name}: ∅`;
    const below = set.high < Infinity, above = set.low > -Infinity;
    if (!below && !above) return set.missing ? "" : `${name} ${t("is_present")}`;
    if (below !== above && isYesNo(set.j, below ? set.high : set.low)) return whole(`${name} = ${t(below ? "no" : "yes")}`);
    return whole(rangeText(name, set.low, set.high, set.j));
  }
  const levels = M.columns.levels[set.j].map(quoteLevel);
  let shown = levels.filter((_, c) => set.named[c]);
  if (!shown.length) shown = levels.filter((_, c) => set.codes[c]);
  if (!shown.length) {
    if (set.codes[levels.length]) return `${name}: ${t("unseen_level")}`;
    return set.missing ? `${name} ${t("is_missing")}` : `${name}: ∅`;
  }
  if (shown.length === levels.length) return set.missing ? "" : `${name} ${t("is_present")}`;
  const said = shown.length === 1 ? `${name} = ${shown[0]}` : `${name} ∈ {${listNames(shown, most)}}`;
  return whole(said);
}

/** The rule of a node, one text per column. */
export const ruleParts = (node, most = 8, closed = false) => valueSets(node).map((s) => valueSetText(s, most, closed)).filter(Boolean);
/** The rule as one sentence; "or missing" stands in brackets beside an "and". */
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
    const said = set.low > -Infinity && set.high < Infinity ? `${low} < ${c} <= ${high}` : set.high < Infinity ? `${c} <= ${high}` : `${c} > ${low}`;
    return `(${c} is not None and ${said})`;
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

/** A value set as code, exactly. */
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
  const own = valueSetCode(step.accepted, d);
  if (!step.tests.length) return own;
  let chain = step.isDefault ? d.yes : d.no;
  for (const [yes, mute] of step.tests.slice().reverse()) {
    chain = `(${valueSetCode(yes, d)}${d.or}(${valueSetCode(mute, d)}${d.and}${chain}))`;
  }
  return `(${own}${d.or}(${valueSetCode(step.undecided, d)}${d.and}${chain}))`;
}

/** The condition of a node as code. @param {"python"|"sql"} language */
export function ruleCode(node, language) {
  const d = language === "sql" ? sqlDialect : pythonDialect;
  const steps = pathConditions(node);
  const parts = steps.some((s) => s.tests.length) ? steps.map((s) => conditionCode(s, d)) : valueSets(node).map((s) => valueSetCode(s, d));
  return parts.filter((p) => p !== d.yes).join(d.and) || d.yes;
}
