// Reading a case: a typed value, a pasted row of CSV with or without a line of names.

/** Read what was typed: a number (comma or point), a date. */
function parseValue(text, j) {
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

/** Cells of one line of CSV. */
function csvCells(line, mark) {
  const cells = [];
  let cell = "", quoted = false;
  for (let k = 0; k < line.length; k++) {
    const ch = line[k];
    if (quoted) {
      if (ch === '"' && line[k + 1] === '"') {
        cell += '"';
        k++;
      } else if (ch === '"') quoted = false;
      else cell += ch;
    } else if (ch === '"') quoted = true;
    else if (ch === mark) {
      cells.push(cell);
      cell = "";
    } else cell += ch;
  }
  return [...cells, cell];
}

/** A row of CSV, with or without a line of names; gives the case, or null. */
function caseFromCsv(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  if (!lines.length) return null;
  const mark = ["\t", ";", ","].find((m) => lines[0].includes(m)) || ",";
  const cells = csvCells(lines[lines.length - 1], mark).map((c) => c.trim());
  const names = lines.length > 1 ? csvCells(lines[0], mark).map((c) => c.trim()) : M.columns.name;
  if (names.length !== cells.length && lines.length === 1 && cells.length < names.length) return null;
  const values = M.columns.name.map(() => null);
  let found = 0;
  names.forEach((name, k) => {
    const j = M.columns.name.indexOf(name);
    if (j < 0 || cells[k] === undefined) return;
    found++;
    values[j] = valueOfText(cells[k], j);
  });
  return found ? values : null;
}

function valueOfText(cell, j) {
  if (M.columns.kind[j] === "numeric") return parseValue(cell, j) ?? null;
  if (cell === "") return null;
  const code = M.columns.levels[j].indexOf(cell);
  return code >= 0 ? code : M.columns.levels[j].length;
}

function pasteBox() {
  const area = el("textarea", { rows: 2, placeholder: t("paste_hint"), "aria-label": t("paste_row") });
  area.addEventListener("input", () => {
    const values = caseFromCsv(area.value);
    if (!values) return;
    update({ values, hasCase: true });
    renderPanel();
  });
  return area;
}
