// A CSV file as typed columns, by the rules of ceiba.read_file. What these rules do not cover is refused with the
// reason, so that a file gives the same tree here as in Python. The patterns of cells are Python's own (`rules`).
//
// Numbers in plain notation are stored at once, so that a large table needs 8 bytes per cell. All other cells are stored
// as codes of their distinct texts, which is all that the choice of a notation looks at.

import { chooseStyles, codePoints, matchingStyles, readDate, readNumber } from "./cell_styles.js";
import { Refusal } from "./refusal.js";

const SAMPLE = 2 ** 20; // characters from which separator and header are detected
const SAMPLE_RECORDS = 1000;
const SEPARATORS = [";", "\t", "|", ","];
const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const WHOLE = /^[+-]?\d{1,18}$/;
const GROUPED = /^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)$/; // 1.234 may be 1234 where commas are decimal
const NUMERIC = /^[+-]?[\d.,'\s]*\d[\d.,'\s]*%?$/;
const PACKED = [["zip", [0x50, 0x4b, 3, 4]], ["bzip2", [0x42, 0x5a, 0x68]], ["xz", [0xfd, 0x37, 0x7a, 0x58]], ["zstd", [0x28, 0xb5, 0x2f, 0xfd]], ["Parquet", [0x50, 0x41, 0x52, 0x31]], ["SQLite", [0x53, 0x51, 0x4c, 0x69]]];

/** Text without the blanks around it, as polars strips it. */
const strip = (/** @type {string} */ cell) => cell.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");

/** The text of a file. @param {Blob} file @param {string} encoding "" for UTF-8, or UTF-16 with a byte order mark */
export async function readText(file, encoding) {
  let bytes = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const starts = (mark) => mark.every((byte, k) => bytes[k] === byte);
  const packed = PACKED.find(([, mark]) => starts(mark));
  if (packed) throw new Refusal("pg_packed", { format: packed[0] });
  let content = file;
  if (starts([0x1f, 0x8b])) {
    content = await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
    bytes = new Uint8Array(await content.slice(0, 4).arrayBuffer());
  }
  const wide = starts([0xff, 0xfe]) ? "utf-16le" : starts([0xfe, 0xff]) ? "utf-16be" : "";
  try {
    const decoder = new TextDecoder(encoding || wide || "utf-8", { fatal: true });
    const text = decoder.decode(await content.arrayBuffer());
    if (text.includes("\0") || (encoding && /[\x81\x8d\x8f\x90\x9d]/.test(text))) throw new Refusal("pg_binary");
    return text.includes("\n") || !text.includes("\r") ? text : text.replaceAll("\r", "\n");
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(error instanceof TypeError ? "pg_not_utf8" : "pg_too_large");
  }
}

/** Call `take` with the cells of each record and its line. @param {string} text @param {number} from @param {string} separator @param {(cells: string[], line: number) => boolean|void} take ends the walk by true */
function walkRecords(text, from, separator, take) {
  let line = 1 + (from ? text.slice(0, from).split("\n").length - 1 : 0);
  for (let at = from; at < text.length;) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    const first = line++;
    let record = text.slice(at, end);
    let cells;
    if (record.includes('"')) {
      while ((record.split('"').length - 1) % 2) { // a cell in quotes goes over several lines
        if (end >= text.length) throw new Refusal("pg_quote_open", { line: first });
        const next = text.indexOf("\n", end + 1);
        end = next < 0 ? text.length : next;
        line++;
        record = text.slice(at, end);
      }
      cells = splitQuoted(record.replace(/\r$/, ""), separator, first);
    } else cells = (record.endsWith("\r") ? record.slice(0, -1) : record).split(separator);
    at = end + 1;
    if (take(cells, first)) return;
  }
}

/** The cells of a record with quotes. */
function splitQuoted(record, separator, line) {
  const cells = [];
  for (let at = 0; at <= record.length;) {
    let end = record.indexOf(separator, at);
    if (record[at] === '"') {
      let close = record.indexOf('"', at + 1);
      while (close > 0 && record[close + 1] === '"') close = record.indexOf('"', close + 2);
      if (close < 0) throw new Refusal("pg_quote", { line });
      end = close + 1;
      if (end < record.length && record[end] !== separator) throw new Refusal("pg_quote", { line });
      cells.push(record.slice(at + 1, close).replaceAll('""', '"'));
    } else {
      if (end < 0) end = record.length;
      const cell = record.slice(at, end);
      if (cell.includes('"')) throw new Refusal("pg_quote", { line });
      cells.push(cell);
    }
    at = end + 1;
  }
  return cells;
}

/** The separator that all lines agree on, else the most frequent of the first line. */
function detectSeparator(text) {
  const outside = text.split('"').filter((_, k) => k % 2 === 0).join("");
  const lines = outside.split("\n").slice(0, 50).filter((line) => /[^ \r]/.test(line));
  const count = (line, mark) => line.split(mark).length - 1;
  if (!lines.length) return ",";
  const agreed = SEPARATORS.filter((mark) => count(lines[0], mark) && lines.every((line) => count(line, mark) === count(lines[0], mark)));
  const best = (agreed.length ? agreed : SEPARATORS).reduce((a, b) => (count(lines[0], b) > count(lines[0], a) ? b : a));
  if (count(lines[0], best)) return best;
  const blanks = new Set(lines.map((line) => count(line, " ")));
  return lines.length > 1 && blanks.size === 1 && !blanks.has(0) ? " " : ",";
}

/** Whether the first record holds names rather than data. @param {string[][]} records */
function isHeader(records) {
  if (records.length < 2 || !records[0].some(Boolean)) return true;
  const first = records[0];
  let alike = 0, again = 0, texts = 0;
  for (let j = 0; j < first.length; j++) {
    const column = records.slice(1).map((row) => row[j]).filter(Boolean);
    if (!first[j] || !column.length) continue;
    if (column.filter((cell) => NUMERIC.test(cell)).length > 0.8 * column.length) {
      if (!NUMERIC.test(first[j])) return true;
      alike++;
    } else {
      texts++;
      if (column.includes(first[j])) again++;
    }
  }
  const numbers = first.filter((cell) => NUMERIC.test(cell));
  if (alike && numbers.length > 1 && numbers.every((cell) => /^\d+$/.test(cell)) && numbers.every((cell, k) => !k || +cell - +numbers[k - 1] === 1)) return true;
  return !(alike || (again > texts / 2 && (again > 1 || new Set(first).size < first.length)));
}

/** Unique names of columns; a column without a name is numbered. @param {string[]} given */
function nameColumns(given) {
  const twice = given.find((name, k) => name && given.indexOf(name) < k);
  if (twice) throw new Refusal("pg_duplicate", { column: twice });
  return given.map((name, k) => {
    if (!name && given.includes(`column_${k + 1}`)) throw new Refusal("pg_duplicate", { column: `column_${k + 1}` });
    return name || `column_${k + 1}`;
  });
}

/** A list of numbers that grows by doubling. */
class Growing {
  constructor(/** @type {any} */ Type) {
    this.Type = Type;
    this.values = new Type(1024);
    this.size = 0;
  }
  push(/** @type {number} */ value) {
    if (this.size === this.values.length) {
      const larger = new this.Type(2 * this.size);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.size++] = value;
  }
}

/** The cells of a column while it is read: plain numbers, or codes of distinct texts. */
class Cells {
  constructor(/** @type {any} */ rules, /** @type {boolean} */ isPlain) {
    this.rules = rules;
    this.isPlain = isPlain;
    this.list = new Growing(isPlain ? Float64Array : Int32Array);
    this.codes = new Map();
    this.isWhole = this.isGrouped = true;
    this.hasNumber = this.hasWeak = false;
  }
  /** Whether the cell was stored; false: it is no plain number. */
  add(/** @type {string} */ raw) {
    const cell = strip(raw);
    if (this.rules.markerSet.has(cell)) this.list.push(this.isPlain ? NaN : -1);
    else if (!this.isPlain) {
      let code = this.codes.get(cell);
      if (code === undefined) this.codes.set(cell, (code = this.codes.size));
      this.list.push(code);
    } else if (this.rules.weakSet.has(cell)) {
      this.hasWeak = true;
      this.list.push(NaN);
    } else {
      const number = +cell;
      if (!PLAIN.test(cell) || this.rules.code.test(cell) || !Number.isFinite(number)) return false;
      this.isWhole = this.isWhole && WHOLE.test(cell);
      this.isGrouped = this.isGrouped && GROUPED.test(cell);
      this.hasNumber = true;
      this.list.push(number);
    }
    return true;
  }
}

/** @typedef {{name: string, kind: "numeric"|"categorical", display: string, values: Float64Array|Int32Array, levels: string[]|null, nMissing: number}} TableColumn */
/**
 * The columns of a text. @param {string} text @param {{separator?: string, header?: boolean}} options @param {any} given rules of Python
 * @param {(share: number) => void} progress
 * @returns {{columns: TableColumn[], nRows: number, hasHeader: boolean, separator: string}}
 */
export function readTable(text, options, given, progress) {
  const rules = { ...given, markerSet: new Set(given.markers), weakSet: new Set(given.weak), code: new RegExp(given.code) };
  const mark = /^sep=(.?)\r?\n/i.exec(text.slice(0, 10));
  const start = mark ? mark[0].length : 0;
  const separator = options.separator || (mark && (mark[1] || "\t")) || detectSeparator(text.slice(start, start + SAMPLE));
  /** @type {string[][]} */ const sample = [];
  walkRecords(text, start, separator, (cells) => {
    if (cells.length > 1 || cells[0] !== "") sample.push(cells.map(strip));
    return sample.length >= SAMPLE_RECORDS;
  });
  if (!sample.length) throw new Refusal("pg_empty");
  const hasHeader = options.header ?? isHeader(sample);
  const names = hasHeader ? nameColumns(sample[0]) : sample[0].map((_, k) => `column_${k + 1}`);
  if (names.length < 2) throw new Refusal("pg_one_column", { separator });
  const plain = names.map(() => true);
  /** @type {Cells[]|null} */ let cells = null;
  while (!cells) cells = readCells(text, start, separator, hasHeader, names.length, plain, rules, progress);
  return typeCells(cells, names, separator, hasHeader, rules);
}

/** Read all cells; null if a column is not plain after all, which `plain` then says. */
function readCells(text, start, separator, hasHeader, width, plain, rules, progress) {
  const cells = plain.map((isPlain) => new Cells(rules, isPlain));
  let isFirst = hasHeader, failed = false, count = 0;
  walkRecords(text, start, separator, (record, line) => {
    if (isFirst) {
      isFirst = record.length === 1 && record[0] === "";
      return false;
    }
    if (record.length > width) throw new Refusal("pg_ragged", { line, cells: record.length, names: width });
    for (let j = 0; j < width; j++) {
      if (cells[j].add(record[j] ?? "")) continue;
      plain[j] = false;
      failed = true;
    }
    if (++count % 65536 === 0) progress(count);
    return failed;
  });
  cells.forEach((column, j) => {
    // 1.234 or 1234: the distinct texts decide, with the other columns. Among weak markers alone they are levels.
    const isOpen = column.isGrouped && !column.isWhole, hasOnlyWeak = column.hasWeak && !column.hasNumber;
    if (!column.isPlain || !(isOpen || hasOnlyWeak)) return;
    plain[j] = false;
    failed = true;
  });
  return failed ? null : cells;
}

/** Choose the notation of each column, and convert. */
function typeCells(cells, names, separator, hasHeader, rules) {
  const texts = cells.map((column) => [...column.codes.keys()]);
  const fits = cells.map((column, j) => {
    if (!column.isPlain) return matchingStyles(texts[j], rules);
    return column.isWhole ? [{ kind: "integer", decimal: "" }] : [{ kind: "number", decimal: "." }];
  });
  const styles = chooseStyles(fits, separator);
  let columns = cells.map((column, j) => typeColumn(column, names[j], texts[j], styles[j], rules));
  if (hasHeader) { // trailing separators
    const nameless = columns.filter((column) => /^column_\d+$/.test(column.name) && column.nMissing === column.values.length);
    if (nameless.length < columns.length) columns = columns.filter((column) => !nameless.includes(column));
  }
  return { columns: dropEmptyRows(columns), nRows: columns[0].values.length, hasHeader, separator };
}

/** @returns {TableColumn} */
function typeColumn(column, name, texts, style, rules) {
  const list = column.list.values.slice(0, column.list.size);
  const result = (values, display) => ({ name, kind: /** @type {"numeric"} */ ("numeric"), display, values, levels: null, nMissing: values.reduce((n, v) => n + (Number.isNaN(v) ? 1 : 0), 0) });
  if (column.isPlain) return result(list, "number");
  if (!texts.length) return result(new Float64Array(list.length).fill(NaN), "number");
  if (style.kind === "text") {
    const levels = [...texts].sort(codePoints);
    const code = new Map(levels.map((level, k) => [level, k]));
    const place = Int32Array.from(texts, (text) => code.get(text));
    const values = list.map((k) => (k < 0 ? -1 : place[k]));
    return { name, kind: "categorical", display: "number", values, levels, nMissing: values.reduce((n, k) => n + (k < 0 ? 1 : 0), 0) };
  }
  const read = style.kind === "boolean" ? (text) => (text.toLowerCase() === "true" ? 1 : 0) : style.kind === "number" || style.kind === "integer" ? (text) => readNumber(text, style, rules) : (text) => readDate(text, style.form) / 1000;
  const values = Float64Array.from(texts, (text) => (rules.weakSet.has(text) ? NaN : read(text)));
  return result(Float64Array.from(list, (k) => (k < 0 ? NaN : values[k])), style.kind === "integer" ? "number" : style.kind);
}

/** Leave out rows without any value: empty lines. @param {TableColumn[]} columns */
function dropEmptyRows(columns) {
  const isMissing = (column, i) => (column.levels ? column.values[i] < 0 : Number.isNaN(column.values[i]));
  if (columns.some((column) => !column.nMissing)) return columns;
  const n = columns[0].values.length;
  const kept = Array.from({ length: n }, (_, i) => i).filter((i) => !columns.every((column) => isMissing(column, i)));
  return kept.length === n ? columns : takeRows(columns, kept);
}

/** Some rows of a table; levels that none of them has stay. @param {TableColumn[]} columns @param {number[]} rows */
export function takeRows(columns, rows) {
  return columns.map((column) => {
    /** @type {any} */ const values = column.levels ? Int32Array.from(rows, (i) => column.values[i]) : Float64Array.from(rows, (i) => column.values[i]);
    const isMissing = (v) => (column.levels ? v < 0 : Number.isNaN(v));
    return { ...column, values, nMissing: values.reduce((n, v) => n + (isMissing(v) ? 1 : 0), 0) };
  });
}
