// Lessons: the figures of a node are hidden until the learner has chosen the best split; then its measures are
// computed step by step, with the numbers in the formulas.

import { M } from "../../../report/assets/core/model.js";
import { fmtNumber, joinWithAnd, language, t } from "../../../report/assets/core/format.js";
import { byId, selectBox, el } from "../../../report/assets/page/dom.js";
import { renderPanel } from "../../../report/assets/page/inspector.js";
import { rivals } from "../editor/branches.js";
import { currentRivals } from "../editor/rivals.js";
import { api, attempt, notify, refresh, studio } from "../client/client.js";

const MEASURES = ["entropy", "gini", "gain", "gain_ratio", "chi2"];
const lesson = {
  column: "", measure: "gain", /** @type {any} */ result: null, node: -1, revision: -1,
  /** @type {any} */ steps: null, shown: 0,
};

/** The form in which the learner chooses the best column. */
export function lessonQuestion(i) {
  const data = currentRivals();
  const names = data ? data.rivals.map((item) => item.column) : [];
  const answer = async () => {
    const chosen = /** @type {HTMLInputElement|null} */ (document.querySelector('input[name="lesson"]:checked'));
    if (!chosen) return notify(t("s_lesson_choose"), "warn");
    const result = await attempt(() => api.answer(i, chosen.value));
    if (!result) return;
    Object.assign(lesson, { result: { ...result, chosen: chosen.value }, node: i, column: chosen.value, steps: null, shown: 0 });
    rivals.revision = -1;
    await refresh();
    renderPanel();
  };
  return el("section", { class: "block lesson", id: "rivals" },
    el("fieldset", {}, el("legend", {}, t("s_lesson_question")),
      names.map((name, k) => el("label", { class: "lesson-choice" }, el("input", { type: "radio", name: "lesson", value: name, id: `lesson-${k}` }), el("span", {}, name)))),
    el("p", { class: "muted" }, t("s_lesson_hint")),
    el("button", { class: "primary", id: "lesson-answer", onclick: answer }, t("s_lesson_answer")));
}

/** Whether the answer was right, and the computation of the measures. */
export function lessonResult(i) {
  if (!studio.server.lesson) return null;
  const previous = studio.server.lesson.answered.find((item) => item.node === i);
  const outcome = lesson.result && lesson.node === i ? lesson.result : null;
  const verdict = outcome ? el("p", { class: outcome.right ? "calm" : "warn", id: "lesson-verdict", role: "status" },
    t(outcome.right ? "s_lesson_right" : outcome.best.length > 1 ? "s_lesson_wrong_many" : "s_lesson_wrong", { chosen: outcome.chosen, best: joinWithAnd(outcome.best) })) : null;
  if (lesson.node !== i) Object.assign(lesson, { node: i, column: previous ? previous.column : "", steps: null, shown: 0, result: null });
  return el("section", { class: "block lesson" }, verdict, el("h3", {}, t("s_lesson_steps")), stepChoice(), el("div", { id: "lesson-steps", "aria-live": "polite" }, stepParts()));
}

/** The name of a measure; with entropy, the gain is an information gain. */
const measureName = (v) => t(v === "gain" && M.payload.criterion !== "entropy" ? "s_measure_gini_gain" : "s_measure_" + v);

/** The choice of the column and the measure. */
function stepChoice() {
  const reset = (change) => {
    Object.assign(lesson, change, { steps: null, shown: 0 });
    fillSteps();
  };
  return el("div", { class: "row" },
    selectBox("lesson-column", t("column"), M.columns.name, lesson.column || M.columns.name[0], (v) => v, (column) => reset({ column })),
    selectBox("lesson-measure", t("s_lesson_measure"), MEASURES, lesson.measure, measureName, (measure) => reset({ measure })),
    el("button", { class: "small", id: "lesson-next", onclick: nextStep }, t("s_lesson_next")),
    el("button", { class: "small", id: "lesson-all", onclick: () => nextStep(Infinity) }, t("s_lesson_all")));
}

/** Show one more step, or all; they are loaded at first. @param {any} [by] */
async function nextStep(by = 1) {
  if (!lesson.steps || lesson.steps.lang !== language.code) {
    const computation = await attempt(() => api.steps(lesson.node, lesson.column || M.columns.name[0], lesson.measure));
    if (!computation) return;
    lesson.steps = { ...computation, lang: language.code };
  }
  lesson.shown = Math.min(lesson.shown + (typeof by === "number" ? by : 1), lesson.steps.steps.length);
  fillSteps();
}

function fillSteps() {
  const holder = byId("lesson-steps");
  if (holder) holder.replaceChildren(...stepParts());
}

/** A formula with the decimal mark of the language. @param {string} formula */
const withDecimals = (formula) => (language.code === "en" ? formula : formula.replace(/(\d)\.(?=\d)/g, "$1,"));

function stepParts() {
  if (!lesson.steps) return [el("p", { class: "muted" }, t("s_lesson_steps_hint"))];
  const { steps, result } = lesson.steps;
  const whole = lesson.shown >= steps.length;
  return [el("ol", { class: "lesson-steps" }, steps.slice(0, lesson.shown).map((item) => el("li", {},
    el("strong", {}, item.title), item.text ? el("p", {}, item.text) : null, item.formula ? el("p", { class: "formula" }, withDecimals(item.formula)) : null))),
  whole && result !== null && result !== undefined ? el("p", { class: "answer" }, `${measureName(lesson.measure)} = `, el("strong", {}, fmtNumber(result))) : ""];
}
