// Reading a case: from typed values, from a pasted row, or a typical one; and the columns that the tree uses.

import { importanceAt } from "../core/metrics.js";
import { cutsOf, M, computeOnce } from "../core/model.js";

/** A typical case: medians and most common levels if known, else centres of ranges and first levels. */
export function typicalCase() {
  return M.columns.name.map((_, j) => {
    if (M.columns.kind[j] !== "numeric") return M.columns.common[j] ?? (M.columns.levels[j].length ? 0 : null);
    const q = M.columns.quantiles[j];
    if (q) return q[3];
    const [low, high] = [M.columns.minimum[j], M.columns.maximum[j]];
    if (low === null || high === null) return firstCut(j);
    return M.columns.display[j] === "boolean" ? 0 : Number(((low + high) / 2).toPrecision(4));
  });
}

function firstCut(j) {
  for (let i = 0; i < M.n; i++) if (M.splits.column[i] === j && cutsOf(M.splits, i).length) return cutsOf(M.splits, i)[0];
  return 0;
}

/** Columns that the tree uses, by importance. */
export const usedColumns = computeOnce(() => {
  const used = new Set();
  for (let i = 0; i < M.n; i++) if (!M.isLeaf(i)) used.add(M.splits.column[i]);
  if (M.surrogates && M.surrogates.inUse) M.surrogates.splits.column.forEach((j) => used.add(j));
  const importance = importanceAt(-1);
  return [...used].sort((a, b) => importance[b] - importance[a] || a - b);
});

/** Parse a number (with comma or point), date or boolean; null if missing, undefined if invalid. */
export function parseValue(text, j) {
  const clean = text.trim();
  if (clean === "" || ["na", "nan", "null", "none", "?"].includes(clean.toLowerCase())) return null;
  const display = M.columns.display[j];
  if (display === "date" || display === "datetime") {
    const ms = Date.parse(/\d{2}:\d{2}/.test(clean) ? clean + (/[zZ]|[+-]\d\d:?\d\d$/.test(clean) ? "" : "Z") : clean + "T00:00Z");
    return Number.isNaN(ms) ? undefined : ms / 1000;
  }
  if (display === "boolean" && /^(true|false|yes|no)$/i.test(clean)) return /^(true|yes)$/i.test(clean) ? 1 : 0;
  if (/^[+-]?inf(inity)?$/i.test(clean)) return clean.startsWith("-") ? -Infinity : Infinity;
  const number = Number(clean.includes(",") && !clean.includes(".") ? clean.replace(",", ".") : clean);
  return Number.isNaN(number) ? undefined : number;
}

/** Split one line of CSV; quoted cells may contain the separator. @returns {string[]} */
function splitCsvLine(line, mark) {
  const cells = (line + mark).match(new RegExp(`( *"([^"]|"")*" *|[^${mark}]*)${mark}`, "g")).map((cell) => cell.slice(0, -1).trim());
  return cells.map((cell) => (/^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

/** Parse a row of CSV, with or without a header; null if no column matches. */
export function caseFromCsv(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  if (!lines.length) return null;
  const mark = ["\t", ";", ","].find((m) => lines[0].includes(m)) || ",";
  const cells = splitCsvLine(lines[lines.length - 1], mark);
  const names = lines.length > 1 ? splitCsvLine(lines[0], mark) : M.columns.name;
  if (names.length !== cells.length && lines.length === 1 && cells.length < names.length) return null;
  const values = M.columns.name.map(() => null);
  let count = 0;
  names.forEach((name, k) => {
    const j = M.columns.name.indexOf(name);
    if (j < 0 || cells[k] === undefined) return;
    count++;
    values[j] = parseCell(cells[k], j);
  });
  return count ? values : null;
}

function parseCell(cell, j) {
  if (M.columns.kind[j] === "numeric") return parseValue(cell, j) ?? null;
  if (cell === "") return null;
  const code = M.columns.levels[j].indexOf(cell);
  return code >= 0 ? code : M.columns.levels[j].length;
}
