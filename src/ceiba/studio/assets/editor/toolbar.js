// The toolbar of the editor: scores of the current tree, and actions on the whole tree.

import { svgPath } from "../../../report/assets/charts/charts.js";
import { M } from "../../../report/assets/core/model.js";
import { fmtCount, fmtNumber, fmtPercent, t } from "../../../report/assets/core/format.js";
import { byId, el, sv } from "../../../report/assets/page/dom.js";
import { reveal, state, update } from "../../../report/assets/page/state.js";
import { act, api, attempt, downloadAddress, isHidden, studio } from "../client/client.js";
import { warningText } from "./branches.js";

/** The toolbar. */
export function editorBar() {
  const s = studio.server;
  return el("section", { class: "editor-bar", id: "editor-bar", "aria-label": t("s_figures") },
    el("div", { class: "figures-now" },
      isJudged() ? figureBox("figure-train", t("s_train"), s.figures.train) : null, s.figures.held_out ? figureBox("figure-held-out", t("s_held_out"), s.figures.held_out) : null, crossValidationBox(s.figures.cross_validated),
      el("span", { class: "figure-box" }, el("span", { class: "figure-name" }, t("leaves")), el("strong", { id: "leaf-count" }, fmtCount(M.nLeaves))),
      profitBox(), liveCurve(), warningButton()),
    el("div", { class: "editor-tools", role: "toolbar", "aria-label": t("s_tools") },
      tool("undo", "↶ " + t("s_undo"), `${t("s_undo")} (Ctrl+Z)`, () => act("undo", { steps: 1 }), !s.undo),
      tool("redo", "↷ " + t("s_redo"), `${t("s_redo")} (Ctrl+Shift+Z)`, () => act("redo", { steps: 1 }), !s.redo),
      studio.growing ? progressLine("grow", t("s_grow_all"), studio.growing, () => attempt(api.stopGrowing))
        : tool("grow-all", t("s_grow_all"), t("s_grow_all_hint"), () => act("grow", { node: 0, levels: null }), isHidden(0)),
      el("span", { class: "tool-gap" }), tool("restart", t("s_restart"), t("s_restart_hint"), () => act("restart"), M.n < 2)));
}

/** Save the tree on the screen. */
export const saveButtons = () => [saveLink("model"), saveLink("report"), tool("bar-export", t("s_save_export"), t("s_save_export"), () => update({ tab: "log" }))];

/** A link that saves a file. */
const saveLink = (what) => el("a", { class: "button small", id: "bar-" + what, href: downloadAddress(what), download: "" }, t("s_save_" + what));

/** Whether the tree has a figure on rows that did not grow it; without one, no training figure is shown. */
export const isJudged = () => Boolean(studio.server.figures.held_out || studio.server.figures.cross_validated?.current);

const tool = (id, text, title, run, off = false) => el("button", { class: "small", id, title, disabled: off, onclick: run }, text);

/** Error, cost or concordance with its standard error, or RMSE and R². */
export function figureText(f) {
  if (f.concordance !== undefined) return `C ${fmtNumber(f.concordance, 3)} ± ${fmtNumber(f.se, 2)}`;
  if (M.regression) return `RMSE ${fmtNumber(f.rmse, 3)} · R² ${fmtNumber(f.r2, 2)}`;
  if (f.cost !== null && f.cost !== undefined) return `${fmtNumber(f.cost, 3)} ± ${fmtNumber(f.se, 2)}`;
  return `${fmtPercent(f.error, 1)} ± ${fmtNumber(100 * f.se, 2)}`;
}

/** The name of the score: error, cost, concordance, or quality for regression. */
export const figureName = (f) => t(f.concordance !== undefined ? "s_concordance" : M.regression ? "s_quality" : f.cost !== null && f.cost !== undefined ? "expected_cost" : "m_error") + (M.payload.class_prior ? ` (${t("s_by_priors")})` : "");

function figureBox(id, name, f) {
  return el("span", { class: "figure-box", id, title: t("s_figure_hint", { n: fmtCount(f.n_rows) }) + (M.payload.class_prior ? ` ${t("s_by_priors_hint")}` : "") },
    el("span", { class: "figure-name" }, `${name} · ${figureName(f)}`), el("strong", {}, figureText(f)));
}

/** What a tree saves per row against deciding without one, on rows that did not grow it. */
function profitBox() {
  const { held_out: held, cross_validated: cv } = studio.server.figures;
  const f = held || (cv && cv.current ? cv : null);
  if (!f || f.profit === null || f.profit === undefined) return null;
  return el("span", { class: "figure-box", id: "figure-profit", title: t("s_profit_hint", { n: fmtCount(f.n_rows) }) }, el("span", { class: "figure-name" }, t("s_profit")), el("strong", {}, fmtNumber(f.profit, 3)));
}

const CURVE = { width: 150, height: 40, pad: 5 };
/** Error against leaves along the work: a dot per tree, lines for training, held-out and cross-validated rows. */
function liveCurve() {
  const trail = (studio.server.trail || []).filter((point) => point.held_out !== null || point.cross_validated !== undefined);
  if (trail.length < 2) return null;
  const names = ["train", "held_out", "cross_validated"];
  const values = trail.flatMap((point) => names.map((name) => point[name])).filter((v) => v !== null && v !== undefined);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const most = Math.log(Math.max(2, ...trail.map((point) => point.n_leaves)));
  const x = (point) => CURVE.pad + (Math.log(point.n_leaves) / most) * (CURVE.width - 2 * CURVE.pad);
  const y = (v) => CURVE.height - CURVE.pad - ((v - low) / (high - low || 1)) * (CURVE.height - 2 * CURVE.pad);
  const label = t(M.payload.survival ? "s_curve_label_survival" : "s_curve_label");
  const svg = sv("svg", { viewBox: `0 0 ${CURVE.width} ${CURVE.height}`, class: "live-curve", id: "live-curve", role: "img", "aria-label": label }, sv("title", {}, label));
  names.forEach((name, k) => {
    const known = trail.filter((point) => point[name] !== null && point[name] !== undefined);
    const kind = ["train", "test", "cv"][k];
    if (known.length > 1) svg.append(sv("path", { d: svgPath(known.map((point) => [x(point), y(point[name])])), class: "line " + kind }));
    known.forEach((point) => svg.append(sv("circle", { cx: x(point), cy: y(point[name]), r: point === trail[trail.length - 1] ? 4 : 2, class: "curve-dot " + kind })));
  });
  return svg;
}

/** A progress bar with a button to cancel. */
const progressLine = (id, label, { done, total }, stop) => el("span", { class: "cv-line" },
  el("progress", { id: id + "-progress", max: total, value: done, "aria-label": label }), el("span", { class: "num" }, `${fmtCount(done)}/${fmtCount(total)}`),
  el("button", { class: "small", id: id + "-stop", onclick: stop }, t("s_cancel")));

/** Cross-validation on demand, with its progress and a button to stop it. */
function crossValidationBox(f) {
  const run = el("button", { class: "small", id: "cv-run", onclick: () => startCrossValidation() }, t(f ? "s_cv_again" : "s_cv_run"));
  const box = el("span", { class: "figure-box", id: "cv-box" }, el("span", { class: "figure-name" }, t("cross_validated")));
  if (studio.progress) {
    box.append(progressLine("cv", t("cross_validated"), studio.progress, stopCrossValidation));
  } else if (f) box.append(el("span", { class: "cv-line" }, el("strong", { class: f.current === false ? "old" : "", title: f.current === false ? t("s_cv_old") : undefined }, figureText(f)), f.current === false ? el("span", { class: "tag" }, t("s_older")) : null, f.current === false ? run : null));
  else box.append(run);
  return box;
}

const FOLDS = 10;
/** Cross-validate the current tree, or those with these names. @param {string[]} [trees] */
export async function startCrossValidation(trees = [""]) {
  studio.progress = { done: 0, total: FOLDS * trees.length }; // before the request: a small table may be done before its response
  fillBar();
  if (await attempt(() => api.crossValidate(FOLDS, trees))) return;
  studio.progress = null;
  fillBar();
}

async function stopCrossValidation() {
  await attempt(api.stopCrossValidation);
  studio.progress = null;
  fillBar();
}

/** The number of warnings; a click selects the node of the next one. */
function warningButton() {
  const list = studio.server.warnings.filter((warning) => !isHidden(warning.node));
  if (!list.length) return null;
  const next = () => {
    const at = list.findIndex((warning) => warning.node > state.selected);
    reveal(list[Math.max(at, 0)].node);
    update({ tab: "node" });
  };
  return el("button", { id: "warnings", class: "mark-warn", title: list.map((warning) => `#${warning.node}: ${warningText(warning)}`).join("\n"), onclick: next }, `⚠ ${t("s_n_warnings", { n: fmtCount(list.length) })}`);
}

/** Rebuild the toolbar and restore the focus. */
export function fillBar() {
  const bar = byId("editor-bar");
  if (!bar) return;
  const held = bar.contains(document.activeElement) ? document.activeElement.id : "";
  bar.replaceWith(editorBar());
  const again = byId(held) || byId({ "cv-run": "cv-stop", "cv-stop": "cv-run", "grow-all": "grow-stop", "grow-stop": "grow-all" }[held] || "");
  if (held && again) again.focus();
}
