// The notation of the cells of a column, by the patterns and the order of ceiba.table.files.cell_styles: 1.5, 1.234,5,
// R$ 12, 8 %, 31/12/2024, true. A notation must match every cell; the other columns decide between two that do.

import { Refusal } from "./refusal.js";

/** @typedef {{kind: string, decimal?: string, thousands?: string, prefix?: string, suffix?: string, form?: string}} Style */

/** Compare texts by code points, as Python does. */
export function codePoints(/** @type {string} */ a, /** @type {string} */ b) {
  const n = Math.min(a.length, b.length);
  for (let k = 0; k < n; k++) {
    if (a[k] === b[k]) continue;
    const [x, y] = [a.codePointAt(k), b.codePointAt(k)];
    const low = (c) => c >= 0xdc00 && c <= 0xdfff; // the second half of one pair
    return low(x) || low(y) ? a.codePointAt(k - 1) - b.codePointAt(k - 1) : x - y;
  }
  return a.length - b.length;
}

const matchesAll = (cells, pattern) => cells.every((cell) => pattern.test(cell));

/** The styles that match all distinct texts of a column, the plainest first. @returns {Style[]} */
export function matchingStyles(texts, rules) {
  const present = texts.filter((text) => !rules.weakSet.has(text));
  if (!present.length) return [];
  if (matchesAll(present, /^(true|false)$/i)) return [{ kind: "boolean" }];
  if (matchesAll(present, /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/)) {
    const dates = dateStyles(present, rules);
    if (dates.length) return dates;
    if (matchesAll(present, /^\d{4}-/) && present.some((cell) => /^\d{4}-\d{1,2}-\d{1,2}\D/.test(cell))) throw new Refusal("pg_time", { cell: present[0] });
  }
  return numberStyles(present, rules);
}

/** @returns {Style[]} */
function numberStyles(cells, rules) {
  if (cells.some((cell) => rules.code.test(cell))) return [];
  if (matchesAll(cells, /^[+-]?\d{1,18}$/)) return [{ kind: "integer", decimal: "" }];
  const parts = cells.map((cell) => new RegExp(rules.affixed).exec(cell));
  let prefix = "", suffix = "", bodies = cells;
  if (parts.every(Boolean)) {
    [prefix, suffix] = [parts[0][2], parts[0][4]];
    if (parts.some((part) => part[2] !== prefix || part[4] !== suffix)) return [];
    bodies = parts.map((part) => part[1] + part[3].trim());
  }
  return rules.numbers.filter(({ pattern }) => matchesAll(bodies, new RegExp(pattern)))
    .map(({ decimal, thousands }) => ({ kind: "number", decimal, thousands, prefix, suffix }))
    .filter((style) => cells.every((cell) => Number.isFinite(readNumber(cell, style, rules))));
}

/** The number of a cell in a style. */
export function readNumber(cell, style, rules) {
  const part = style.prefix || style.suffix ? new RegExp(rules.affixed).exec(cell) : null;
  let body = part ? part[1] + part[3].trim() : cell;
  if (style.thousands) body = body.replace(new RegExp(rules.groups[style.thousands], "g"), "");
  return Number(style.decimal === "," ? body.replace(",", ".") : body);
}

/** @returns {Style[]} */
function dateStyles(cells, rules) {
  const reads = (form, pattern) => matchesAll(cells, new RegExp(pattern)) && cells.every((cell) => Number.isFinite(readDate(cell, form)));
  const clocks = Object.entries(rules.clocks);
  const times = [...Object.entries(rules.dates)].flatMap(([form, day]) => clocks.map(([clock, pattern]) => [`${form} ${clock}`, day.slice(0, -1) + pattern]));
  return [
    ...Object.entries(rules.dates).filter(([form, pattern]) => reads(form, pattern)).map(([form]) => ({ kind: "date", form })),
    ...times.filter(([form, pattern]) => reads(form, pattern)).map(([form]) => ({ kind: "datetime", form })),
  ];
}

/** Milliseconds since 1970 of a date in a form such as %d/%m/%Y %H:%M; NaN if there is no such day. */
export function readDate(text, form) {
  const fields = form.match(/%[a-zA-Z]/g), numbers = text.match(/\d+/g);
  if (!numbers || numbers.length !== fields.length) return NaN;
  const of = (field) => +(numbers[fields.indexOf(field)] ?? 0);
  const short = of("%y"), year = fields.includes("%y") ? short + (short < 70 ? 2000 : 1900) : of("%Y");
  const [month, day, hour, minute, second] = ["%m", "%d", "%H", "%M", "%S"].map(of);
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  date.setUTCFullYear(year, month - 1, day);
  const same = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return same && hour < 24 && minute < 60 && second < 60 ? date.getTime() : NaN;
}

/** The possible decimal marks of a column; none if no cell has a mark. */
function decimalMarks(/** @type {Style[]} */ styles) {
  const numbers = styles.filter((style) => style.kind === "number");
  if (!numbers.length || styles[0].kind === "integer" || numbers.some((style) => !style.decimal)) return [];
  return [...new Set(numbers.map((style) => style.decimal))];
}

/** Which of day and month may come first; none if the year comes first. */
function dateOrders(/** @type {Style[]} */ styles) {
  const starts = styles.map((style) => (style.form || "").slice(0, 2));
  return starts.every((start) => start === "%d" || start === "%m") ? [...new Set(starts)] : [];
}

/** One style per column; the only possibility for one column settles the ambiguities of the others. @param {Style[][]} fits @param {string} separator @returns {Style[]} */
export function chooseStyles(fits, separator) {
  const settled = (possible) => new Set(fits.map(possible).filter((some) => some.length === 1).flat());
  const marks = settled(decimalMarks), orders = settled(dateOrders);
  return fits.map((styles) => {
    if (!styles.length) return { kind: "text" };
    if (styles[0].kind === "number") return chooseNumber(styles, marks, separator);
    const possible = dateOrders(styles);
    if (possible.length < 2) return styles[0];
    const order = orders.size === 1 ? [...orders][0] : "%d";
    return styles.find((style) => style.form.startsWith(order));
  });
}

function chooseNumber(/** @type {Style[]} */ styles, marks, separator) {
  if (decimalMarks(styles).length < 2) return styles[0];
  const by = (mark) => styles.find((style) => style.decimal === mark);
  const isGrouped = by(".").thousands === ","; // 1,234: else it is 1.234
  if (marks.size === 1) return by([...marks][0]);
  if (!["", "%"].includes(styles[0].prefix || styles[0].suffix || "")) return by(isGrouped ? "." : ","); // no currency has three decimals
  return by(isGrouped && separator === ";" ? "," : ".");
}
