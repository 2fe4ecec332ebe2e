// The Case tab: a form made of the schema. The case lives in the address, so a link to the file
// shows it again.

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
  for (let i = 0; i < M.n; i++) if (M.splits.column[i] === j && cutsOf(M.splits, i).length) return cutsOf(M.splits, i)[0];
  return 0;
}

/** @type {number[]|null} */ let usedCache = null;
perModel(() => (usedCache = null));
/** Columns that the tree asks about, by importance. */
function usedColumns() {
  if (usedCache) return usedCache;
  const used = new Set();
  for (let i = 0; i < M.n; i++) if (!M.isLeaf(i)) used.add(M.splits.column[i]);
  if (M.surrogates && M.surrogates.inUse) M.surrogates.splits.column.forEach((j) => used.add(j));
  const worth = importanceAt(-1);
  return (usedCache = [...used].sort((a, b) => worth[b] - worth[a] || a - b));
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
      if (slider) showOnRange(slider, read, low);
    }
  });
  return el("div", { class: "field" }, label, el("div", { class: "field-inputs" }, input, slider));
}

/** Slider over the range seen in training, with marks at quantiles. */
function rangeField(j, low, high, value, input) {
  const range = el("input", { type: "range", min: low, max: high, step: "any", "aria-label": M.columns.name[j], tabindex: -1 });
  range.addEventListener("input", () => {
    box.classList.remove("blank");
    const step = 10 ** (Math.floor(Math.log10(high - low)) - 3);
    const read = Number((Math.round(+range.value / step) * step).toPrecision(8));
    input.value = String(read);
    setValue(j, read);
  });
  const marks = sv("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "quantiles", "aria-hidden": "true" });
  for (const q of (M.columns.quantiles[j] || []).slice(1, 6)) {
    marks.append(sv("rect", { x: ((q - low) / (high - low)) * 100 - 0.3, y: 0, width: 0.6, height: 4 }));
  }
  const box = el("div", { class: "range" }, range, marks);
  showOnRange(box, value ?? null, low);
  return box;
}

/** Put the knob at a value; a missing value has no place, so no knob is shown. */
function showOnRange(box, value, low) {
  const range = box.querySelector("input");
  box.classList.toggle("blank", value === null);
  range.value = String(value ?? low);
  range.setAttribute("aria-valuetext", value === null ? t("missing") : String(value));
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
