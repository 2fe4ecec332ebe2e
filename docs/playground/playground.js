// The playground: a CSV file or a shipped table becomes a tree, in this page alone. The tree, its node, cases, sizes,
// rules and columns are drawn by the modules of the report; a worker does the work (worker.js).

import { typicalCase } from "../../src/ceiba/report/assets/case/read_case.js";
import { predictCase, routeCase } from "../../src/ceiba/report/assets/case/route.js";
import { fmtCount, fmtNumber, language, LANGUAGES, setLanguage, t } from "../../src/ceiba/report/assets/core/format.js";
import { M, setModel } from "../../src/ceiba/report/assets/core/model.js";
import { byId, dataTable, el, section, selectBox, sv } from "../../src/ceiba/report/assets/page/dom.js";
import { languageChoice, preferredTheme, showFailure, showPage, themeButton, treeBody, wireBody } from "../../src/ceiba/report/assets/page/frame.js";
import { subscribeTabs, tabs } from "../../src/ceiba/report/assets/page/inspector.js";
import { currentAlpha, initialFold, state, subscribe, update } from "../../src/ceiba/report/assets/page/state.js";
import { summaryLine } from "../../src/ceiba/report/assets/panels/header.js";
import { casePanel, showCase } from "../../src/ceiba/report/assets/panels/panel_case.js";
import { dataPanel } from "../../src/ceiba/report/assets/panels/panel_data.js";
import { modelPanel } from "../../src/ceiba/report/assets/panels/panel_model.js";
import { nodeExtras, nodePanel } from "../../src/ceiba/report/assets/panels/panel_node.js";
import { prunePanel, showStep } from "../../src/ceiba/report/assets/panels/panel_prune.js";
import { connectTree, unwireTree } from "../../src/ceiba/report/assets/tree/pane.js";
import { view } from "../../src/ceiba/report/assets/tree/tree_view.js";
import { ask, endWorker, startWorker } from "./client.js";

const CRITERIA = { classification: ["gini", "entropy", "error", "twoing", "hellinger"], regression: ["squared_error", "absolute_error", "poisson"] };
const DEPTHS = ["", ..."123456789", "10", "12", "15", "20"];

/** What is on the page besides the tree. `live`: a picture of a lesson, whose table is typed. */
const play = {
  /** @type {any} tables, rules, limits and version */ data: null,
  /** @type {any} */ live: null,
  /** @type {File|string|null} */ file: null, name: "", text: "",
  /** @type {{nRows: number, columns: any[]}|null} */ table: null,
  options: { target: "", task: "classification", criterion: "gini", maxDepth: "", minLeaf: 1, multiway: false, folds: 10, rule: "1se", encoding: "", header: "" },
  busy: "", error: "", note: "", /** tasks that ended */ done: 0, timing: { reading: 0, growing: 0, megabytes: 0 },
};

/** Run some work of the worker with a progress line; a refusal is shown. @param {() => Promise<void>} run */
async function busily(run) {
  Object.assign(play, { busy: t("pg_busy_reading"), error: "", note: "" });
  showWork();
  try {
    await run();
  } catch (failure) {
    const error = /** @type {any} */ (failure);
    play.error = error.key ? t(error.key, error.values) : String(error.message || error);
  }
  play.busy = "";
  play.done++;
  buildPlayground();
}

const onProgress = ({ stage, done, total }) => {
  play.busy = t("pg_busy_" + stage, { done: fmtCount(done + (total ? 1 : 0)), total: fmtCount(total) });
  showWork(total ? done / total : null);
};

/** Read a table, choose its last column as the target, and grow. @param {File|string} file @param {string} name @param {Record<string, any>} [wanted] options */
function openTable(file, name, wanted = {}) {
  const { encoding, header } = play.options;
  return busily(async () => {
    play.table = null;
    const options = { encoding, ...(header === "" ? {} : { header: header === "yes" }) };
    const table = await ask("read", { file, options }, onProgress);
    play.timing.reading = table.seconds;
    Object.assign(play, { table, file, name, text: typeof file === "string" ? file : "" });
    const names = table.columns.map((column) => column.name);
    const target = wanted.target || (names.includes(play.options.target) ? play.options.target : names[names.length - 1]);
    Object.assign(play.options, wanted);
    chooseTarget(target, wanted.task);
    if (wanted.criterion) play.options.criterion = wanted.criterion;
    await growNow();
  });
}

/** Texts and booleans are classes; numbers may be either. */
function chooseTarget(name, task) {
  const column = play.table.columns.find((one) => one.name === name);
  play.options.target = name;
  play.options.task = task || (column.kind !== "numeric" || column.display === "boolean" ? "classification" : "regression");
  if (!CRITERIA[play.options.task].includes(play.options.criterion)) play.options.criterion = CRITERIA[play.options.task][0];
}

async function growNow() {
  const { options } = play;
  const maxDepth = options.maxDepth === "" ? null : +options.maxDepth;
  const parameters = { criterion: options.criterion, ...(maxDepth === null ? {} : { max_depth: String(maxDepth) }), ...(options.minLeaf > 1 ? { min_samples_leaf: String(options.minLeaf) } : {}), ...(options.folds ? { prune: options.rule === "1se" ? "1se" : "cv" } : {}) };
  const { payload, nDropped, seconds, megabytes } = await ask("grow", { options: { ...options, maxDepth, title: play.name, lang: language.code, parameters } }, onProgress);
  Object.assign(play.timing, { growing: seconds, megabytes });
  setModel(payload);
  Object.assign(state, { selected: 0, step: M.start, values: typicalCase(), hasCase: false, casePath: [], source: "train", search: "" });
  state.folded = initialFold();
  play.note = [t("pg_grown", { seconds: fmtNumber(seconds, 2) }), nDropped ? t("pg_dropped", { n: fmtCount(nDropped) }) : ""].filter(Boolean).join(" ");
}

const regrow = () => play.table && busily(growNow);

/** Stop the worker; the table is read again when it is next needed. */
async function cancelWork() {
  endWorker();
  await startWorker(play.data);
  Object.assign(play, { busy: "", note: t("pg_cancelled"), table: null });
  buildPlayground();
}

/** Offer the shown tree as a model file. */
async function saveModel() {
  const { text } = await ask("save", { alpha: currentAlpha(), source: play.name });
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: play.name.replace(/\.\w+(\.gz)?$/, "") + ".ceiba" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// --- the form ---------------------------------------------------------------------------------------------------------

const set = (key, value, run = regrow) => {
  play.options[key] = value;
  run();
};
const labelled = (text, control) => el("label", { class: "inline" }, text, control);
const choice = (id, key, label, values, name) => labelled(label, selectBox(id, label, values, play.options[key], name, (value) => set(key, value)));

/** Where the table comes from: a file that is dropped or chosen, or a shipped table. */
function sourceRow() {
  const input = el("input", { type: "file", id: "file", accept: ".csv,.tsv,.txt,.gz", "aria-label": t("pg_choose"), onchange: () => input.files.length && openTable(input.files[0], input.files[0].name) });
  const tables = play.data.tables;
  const names = ["", ...tables.map((one) => one.name)];
  const load = (name) => {
    const one = tables.find((table) => table.name === name);
    if (one) openTable(one.csv, one.name, { target: one.target, ...one.options });
  };
  return el("div", { class: "row drop", id: "drop" }, el("strong", {}, t("pg_drop")), input, labelled(t("pg_tables"), selectBox("tables", t("pg_tables"), names, names.includes(play.name) ? play.name : "", (name) => name || "…", load)),
    el("details", {}, el("summary", {}, t("pg_format")), el("div", { class: "row" },
      labelled(t("pg_encoding"), selectBox("encoding", t("pg_encoding"), ["", "windows-1252"], play.options.encoding, (code) => (code ? "Windows-1252" : "UTF-8, UTF-16"), (value) => reread("encoding", value))),
      labelled(t("pg_header"), selectBox("header", t("pg_header"), ["", "yes", "no"], play.options.header, (value) => t(value || "pg_detected"), (value) => reread("header", value))))));
}

const reread = (key, value) => {
  play.options[key] = value;
  if (play.file) openTable(play.file, play.name);
};

const MAX_OPEN_LINES = 20;
/** @type {{code: string, box: any}} */ const typed = { code: "", box: null };
/** The table of a lesson, to be typed; one element per language, so that a new tree keeps what is typed, and where. */
function typedTable() {
  if (typed.code !== language.code) Object.assign(typed, { code: language.code, box: makeTypedTable() });
  return typed.box;
}

function makeTypedTable() {
  let timer = 0;
  const area = el("textarea", { id: "typed", rows: 7, spellcheck: "false", "aria-label": t("pg_typed"), value: play.text, oninput: () => {
    clearTimeout(timer);
    timer = setTimeout(() => openTable(area.value, play.name, { target: play.options.target }), 400);
  } });
  return el("details", { id: "typed-box", open: play.text.split("\n").length <= MAX_OPEN_LINES }, el("summary", {}, t("pg_typed")), area);
}

function optionRow() {
  if (!play.table) return null;
  const { columns } = play.table, { options } = play;
  const target = columns.find((column) => column.name === options.target);
  const hasLevels = columns.some((column) => column.kind !== "numeric" && column !== target);
  return el("div", { class: "row" },
    labelled(t("pg_target"), selectBox("target", t("pg_target"), columns.map((column) => column.name), options.target, (name) => name, (name) => { chooseTarget(name); regrow(); })),
    target && target.kind === "numeric" ? labelled(t("pg_task"), selectBox("task", t("pg_task"), ["regression", "classification"], options.task, (task) => t(task), (task) => { chooseTarget(options.target, task); regrow(); })) : null,
    choice("criterion", "criterion", t("pg_criterion"), CRITERIA[options.task], (name) => name.replaceAll("_", " ")),
    choice("depth", "maxDepth", t("pg_depth"), DEPTHS, (depth) => depth || t("pg_no_limit")),
    labelled(t("pg_min_leaf"), el("input", { type: "number", id: "min-leaf", min: 1, max: 100000, value: options.minLeaf, onchange: (e) => set("minLeaf", Math.max(1, Math.trunc(+e.target.value) || 1)) })),
    hasLevels ? labelled(t("pg_multiway"), el("input", { type: "checkbox", id: "multiway", checked: options.multiway, onchange: (e) => set("multiway", e.target.checked) })) : null,
    labelled(t("pg_folds"), selectBox("folds", t("pg_folds"), ["1se", "min", "0"], options.folds ? options.rule : "0", (rule) => t("pg_rule_" + rule), (rule) => { options.folds = rule === "0" ? 0 : 10; options.rule = rule === "0" ? options.rule : rule; regrow(); })),
    M.n && !play.live ? el("button", { id: "download", class: "primary small", onclick: saveModel, title: t("pg_save_hint") }, t("pg_save")) : null);
}

const workLine = () => el("div", { id: "work", class: "row work" });

/** Show progress, errors and notes. @param {number|null} [share] */
function showWork(share = null) {
  const line = byId("work");
  if (!line) return;
  const bar = play.busy ? el("progress", { max: 1, "aria-label": play.busy, ...(share === null ? {} : { value: share }) }) : null;
  line.replaceChildren(...[bar, play.busy ? el("span", { role: "status" }, play.busy) : null, play.busy ? el("button", { id: "cancel", class: "small", onclick: cancelWork }, t("pg_cancel")) : null,
    !play.busy && play.error ? el("p", { class: "warn", id: "refusal", role: "alert" }, play.error) : null,
    !play.busy && !play.error && play.note ? el("span", { id: "grown", class: "muted", role: "status" }, play.note) : null].filter(Boolean));
}

function playBar() {
  const summary = M.n && play.table ? summaryLine() : t("pg_lead");
  return el("header", { class: "top" },
    el("div", { class: "title" }, el("div", { class: "title-line" }, el("h1", {}, play.name || t("pg_title"))), el("p", { id: "summary", class: "muted" }, summary)),
    el("div", { class: "tools" }, languageChoice(buildPlayground), themeButton()));
}

/** What the page promises, and its limits. */
const promise = () => el("p", { class: "muted small-text promise" }, t("pg_nothing_sent"), " ", t("pg_memory_note"), " ", el("span", { id: "version" }, `ceiba ${play.data.version}`));

/** Build the page, at first and after every change. */
function buildPlayground() {
  document.title = `${play.name || t("pg_title")} · ceiba`;
  const hasTree = Boolean(M.n && play.table);
  const held = document.activeElement && document.activeElement.id;
  unwireTree();
  showPage(() => [playBar(), el(hasTree ? "section" : "main", { class: "setup", "aria-label": t("pg_setup") }, play.live ? typedTable() : sourceRow(), optionRow(), workLine(), play.live ? null : promise()), hasTree ? treeBody() : null].filter(Boolean));
  showWork();
  if (hasTree) {
    view.layout = null;
    view.touched = false;
    wireBody();
  }
  if (held && byId(held)) byId(held).focus({ preventScroll: true });
}

// --- the gains of a node ----------------------------------------------------------------------------------------------

/** The gain of each column at a node, and of every cut of the best numeric column, searched by the core. */
function nodeGains(i) {
  if (M.isLeaf(i)) return null;
  const box = section(t("pg_gains"));
  ask("splits", { node: i }).then(({ gains, curve }) => {
    box.append(dataTable([t("column"), t("gain")], gains.map(([j, gain]) => [M.columns.name[j], fmtNumber(gain)]), "gains"));
    if (curve && curve.cut.length > 1) box.append(cutCurve(curve));
  }, () => box.remove());
  return box;
}

function cutCurve({ column, cut, gain }) {
  const [width, height] = [380, 110], low = cut[0], high = cut[cut.length - 1], most = Math.max(...gain) || 1;
  const x = (v) => 4 + ((v - low) / (high - low)) * (width - 8), y = (v) => height - 18 - (v / most) * (height - 26);
  const best = gain.indexOf(Math.max(...gain)), name = M.columns.name[column];
  const label = t("pg_curve", { column: name, cut: fmtNumber(cut[best]), gain: fmtNumber(gain[best]) });
  return el("figure", { class: "gain-curve" }, sv("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    sv("path", { d: cut.map((v, k) => `${k ? "L" : "M"}${x(v).toFixed(1)} ${y(gain[k]).toFixed(1)}`).join(""), fill: "none", stroke: "currentColor" }),
    sv("circle", { cx: x(cut[best]), cy: y(gain[best]), r: 4, fill: "currentColor" })), el("figcaption", { class: "muted small-text" }, label));
}

// --- the start --------------------------------------------------------------------------------------------------------

function connectPage() {
  subscribe(["theme"], buildPlayground);
  connectTree();
  subscribe(["step"], () => (byId("summary").textContent = summaryLine()));
  subscribeTabs();
  const over = (isOver) => byId("drop") && byId("drop").classList.toggle("over", isOver);
  document.addEventListener("dragover", (e) => { e.preventDefault(); over(true); });
  document.addEventListener("dragleave", () => over(false));
  document.addEventListener("drop", (e) => {
    e.preventDefault();
    over(false);
    const { files } = e.dataTransfer;
    if (files.length > 1) Object.assign(play, { error: t("pg_one_file"), note: "" });
    if (files.length > 1) showWork();
    else if (files.length && !play.live) openTable(files[0], files[0].name);
  });
}

/** The data of a lesson's picture and the language, from the address. */
function readRequest() {
  const request = new URLSearchParams(location.hash.slice(1));
  const wanted = [request.get("lang"), ...navigator.languages.map((code) => code.slice(0, 2)), "en"].find((code) => LANGUAGES.includes(code));
  return { lang: wanted, live: request.has("live") ? JSON.parse(request.get("live")) : null };
}

async function startPlayground() {
  play.data = JSON.parse(byId("data").textContent);
  const { lang, live } = readRequest();
  setLanguage(lang);
  state.theme = preferredTheme();
  Object.assign(tabs, {
    node: { build: nodePanel, stale: ["selected", "step"] }, case: { build: casePanel, stale: [], show: showCase },
    prune: { build: prunePanel, stale: ["source"], show: showStep },
    model: { build: modelPanel, stale: ["step", "selected", "source", "filter"] }, data: { build: dataPanel, stale: ["step"] },
  });
  nodeExtras.push(nodeGains);
  play.live = live;
  if (live) Object.assign(play, { name: live.name, text: live.csv });
  buildPlayground();
  connectPage();
  await startWorker(play.data);
  if (live) await openTable(live.csv, live.name, { target: live.target, ...live.options });
  // For tests; nothing in it can fetch anything.
  /** @type {any} */ (window).ceibaPlayground = {
    play, update, ready: true, predict: () => M.classes[predictCase(routeCase(state.values, currentAlpha())).answer],
  };
}

startPlayground().catch(showFailure);
