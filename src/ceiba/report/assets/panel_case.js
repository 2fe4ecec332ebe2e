// The Case tab: a form made of the schema, the way of the case, each test passed or not, what would
// have to change. The case lives in the address, so a link to the file shows it again.

/** A middling case: medians and most common levels where known, else middles of ranges and first levels. */
function middlingCase() {
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
  for (let i = 0; i < M.n; i++) if (M.splits.kind[i] === CUT && M.splits.column[i] === j) return M.splits.cut[i];
  return 0;
}

function usedColumns() {
  const used = new Set();
  for (let i = 0; i < M.n; i++) if (!M.isLeaf(i)) used.add(M.splits.column[i]);
  if (M.surrogates && M.surrogates.inUse) M.surrogates.splits.column.forEach((j) => used.add(j));
  const worth = importanceAt(-1);
  return [...used].sort((a, b) => worth[b] - worth[a] || a - b);
}

function setValue(j, value) {
  const values = state.values.slice();
  values[j] = value;
  update({ values, hasCase: true });
}

function casePanel() {
  const used = usedColumns();
  const others = M.columns.name.map((_, j) => j).filter((j) => !used.includes(j));
  const result = el("div", { id: "case-result", "aria-live": "polite" });
  const panel = el("div", {},
    el("p", { class: "muted" }, t("case_hint")),
    result,
    el("form", { class: "case", onsubmit: (e) => e.preventDefault() }, used.map((j) => caseField(j))),
    others.length ? el("details", {}, el("summary", {}, t("unused_columns", { n: others.length })), el("p", { class: "muted" }, listed(others.map((j) => M.columns.name[j]), 60))) : null,
    section(t("paste_row"), pasteBox()),
    el("div", { class: "row" },
      el("button", { type: "button", class: "small", onclick: () => { update({ values: middlingCase(), hasCase: true }); renderPanel(); } }, t("middling")),
      el("button", { type: "button", class: "small", onclick: () => { update({ hasCase: false }); renderPanel(); } }, t("clear_case"))),
    spacePanel());
  fillResult(result);
  return panel;
}

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

function caseField(j) {
  const c = M.columns;
  const id = "case" + j;
  const value = state.hasCase ? state.values[j] : undefined;
  const label = el("label", { for: id, title: c.name[j] }, c.name[j]);
  if (c.kind[j] !== "numeric" || c.display[j] === "boolean") return el("div", { class: "field" }, label, levelField(j, id, value));
  const text = value === undefined || value === null ? "" : c.display[j] === "number" ? String(value) : fmtValue(value, j);
  const input = el("input", { id, type: "text", inputmode: c.display[j] === "number" ? "decimal" : "text", autocomplete: "off", placeholder: t("missing") });
  input.value = text;
  const [low, high] = [c.minimum[j], c.maximum[j]];
  const slider = c.display[j] === "number" && low !== null && high > low ? rangeField(j, low, high, value, input) : null;
  input.addEventListener("input", () => {
    const read = parseValue(input.value, j);
    input.setAttribute("aria-invalid", read === undefined ? "true" : "false");
    if (read !== undefined) {
      setValue(j, read);
      if (slider && read !== null) slider.querySelector("input").value = String(read);
    }
  });
  return el("div", { class: "field" }, label, el("div", { class: "field-inputs" }, input, slider));
}

/** Slider over the range seen in training, with marks at quantiles. */
function rangeField(j, low, high, value, input) {
  const range = el("input", { type: "range", min: low, max: high, step: "any", "aria-label": M.columns.name[j], tabindex: -1 });
  range.value = String(value ?? (low + high) / 2);
  range.addEventListener("input", () => {
    const step = 10 ** (Math.floor(Math.log10(high - low)) - 3);
    const read = Number((Math.round(+range.value / step) * step).toPrecision(8));
    input.value = String(read);
    setValue(j, read);
  });
  const marks = sv("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "quantiles", "aria-hidden": "true" });
  for (const q of (M.columns.quantiles[j] || []).slice(1, 6)) {
    marks.append(sv("rect", { x: ((q - low) / (high - low)) * 100 - 0.3, y: 0, width: 0.6, height: 4 }));
  }
  return el("div", { class: "range" }, range, marks);
}

function levelField(j, id, value) {
  const boolean = M.columns.kind[j] === "numeric";
  const levels = boolean ? [t("no"), t("yes")] : M.columns.levels[j];
  const select = el("select", { id }, levels.map((name, code) => el("option", { value: code }, name)),
    boolean ? null : el("option", { value: levels.length }, `(${t("unseen_level")})`), el("option", { value: "missing" }, `(${t("missing")})`));
  select.value = value === undefined || value === null ? "missing" : String(value);
  select.addEventListener("change", () => setValue(j, select.value === "missing" ? null : Number(select.value)));
  return select;
}

function fillResult(box) {
  if (!state.hasCase) {
    box.replaceChildren(el("button", { type: "button", class: "primary", onclick: () => { update({ values: middlingCase(), hasCase: true }); renderPanel(); } }, t("start_case")));
    return;
  }
  const moves = routeCase(state.values, alphaNow());
  const said = predictCase(moves);
  box.replaceChildren(caseAnswer(said), el("h3", {}, t("why")), caseSteps(moves), nearestChange(said) || "");
}

function caseAnswer(said) {
  const leaf = said.leaf;
  const head = M.regression ? fmtNumber(said.value[0], 6) : M.classes[said.answer];
  const order = M.classes.map((_, k) => k).sort((a, b) => said.value[b] - said.value[a]).slice(0, 6);
  const facts = [
    el("button", { type: "button", class: "link", onclick: () => reveal(leaf) }, `${t("leaf")} #${leaf}`),
    M.known ? t("n_train_rows", { n: fmtCount(M.rows[leaf]) }) : null,
    said.ends.length > 1 ? t("mixture", { n: said.ends.length }) : intervalText(leaf), testedText(leaf),
  ].filter(Boolean);
  return el("div", { class: "case-answer" },
    el("p", { class: "answer" }, t("predicts") + " ", el("strong", { id: "case-answer" }, head), M.regression ? null : el("span", {}, " " + t("with_share", { share: fmtPercent(said.value[said.answer], 1) }))),
    M.regression ? null : barList(order.map((k) => ({ name: M.classes[k], share: said.value[k], text: fmtPercent(said.value[k], 1), colour: M.payload.colours[k], strong: k === said.answer }))),
    el("p", { class: "muted small-text sure" }, facts.flatMap((f, k) => (k ? [" · ", f] : [f]))));
}

/** What the test rows of a leaf say of its answer. */
function testedText(i) {
  if (!M.test || M.regression) return null;
  const held = M.test.counts.subarray(i * M.K, (i + 1) * M.K);
  const n = held.reduce((a, b) => a + b, 0);
  return n ? t("tested_right", { n: fmtCount(n), share: fmtPercent(held[M.answer[i]] / n, 1) }) : null;
}

function caseSteps(moves) {
  const items = moves.filter((m) => m.by).map((m) => {
    const j = M.splits.column[m.node];
    const two = M.nBranches(m.node) === 2 && m.branch !== null && m.by !== "share" && !namesAnswers(m.node);
    const mark = two ? (m.branch === 0 ? "✓" : "✗") : "→";
    const said = m.branch === null ? t("stays") : sentence(M.splits, m.node, m.branch, 6);
    let note = "";
    if (m.by === "surrogate") note = t("by_surrogate", { split: sentence(M.surrogates.splits, m.surrogate, m.branch, 4) });
    else if (m.by === "default") note = t("by_default");
    else if (m.by === "unseen") note = t("by_unseen");
    else if (m.by === "share") note = t("by_share", { share: fmtPercent(m.share) });
    return el("li", {},
      el("span", { class: "check " + (mark === "✗" ? "fail" : "pass"), "aria-label": mark === "→" ? "" : t(mark === "✓" ? "yes" : "no") }, mark),
      el("button", { type: "button", class: "link", onclick: () => reveal(m.node) }, two ? question(m.node, 6) : said),
      el("span", { class: "muted" }, `  (${fmtValue(state.values[j], j)})`), note ? el("span", { class: "note" }, note) : null);
  });
  return el("ol", { class: "steps", tabindex: items.length > 6 ? 0 : undefined, "aria-label": t("why") }, items);
}

/** In words: what would have to change for another answer. */
function nearestChange(said) {
  if (said.ends.length > 1 || (M.surrogates && M.surrogates.inUse)) return null;
  const found = nearestOther(state.values, said, alphaNow());
  if (!found) return null;
  return el("p", { class: "flip" }, el("strong", {}, t("nearest_change") + " "), found.sets.map((set) => setText(set, 4)).join(` ${t("and")} `), " → ", answerText(found.node));
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
