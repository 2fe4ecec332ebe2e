// Classroom mode: the figures of a node are hidden until the learner has said which question is best;
// then the computation is shown with the numbers put into the formula, one step after another.

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

/** The question that the learner has to answer. */
export function lessonQuestion(i) {
  const data = currentRivals();
  const names = data ? data.rivals.map((one) => one.column) : [];
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

/** Whether the answer was right, and how the figures come about. */
export function lessonResult(i) {
  if (!studio.server.lesson) return null;
  const mine = studio.server.lesson.answered.find((one) => one.node === i);
  const known = lesson.result && lesson.node === i ? lesson.result : null;
  const verdict = known ? el("p", { class: known.right ? "calm" : "warn", id: "lesson-verdict", role: "status" },
    t(known.right ? "s_lesson_right" : known.best.length > 1 ? "s_lesson_wrong_many" : "s_lesson_wrong", { chosen: known.chosen, best: joinWithAnd(known.best) })) : null;
  if (lesson.node !== i) Object.assign(lesson, { node: i, column: mine ? mine.column : "", steps: null, shown: 0, result: null });
  return el("section", { class: "block lesson" }, verdict, el("h3", {}, t("s_lesson_steps")), stepChoice(), el("div", { id: "lesson-steps", "aria-live": "polite" }, stepParts()));
}

/** What a measure is called: a gain is one of information where trees grow by entropy. */
const measureName = (v) => t(v === "gain" && M.payload.criterion !== "entropy" ? "s_measure_gini_gain" : "s_measure_" + v);

/** Which column and which figure are to be computed. */
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

/** Show one more step, or all; the first time they are fetched. @param {any} [by] */
async function nextStep(by = 1) {
  if (!lesson.steps || lesson.steps.lang !== language.code) {
    const found = await attempt(() => api.steps(lesson.node, lesson.column || M.columns.name[0], lesson.measure));
    if (!found) return;
    lesson.steps = { ...found, lang: language.code };
  }
  lesson.shown = Math.min(lesson.shown + (typeof by === "number" ? by : 1), lesson.steps.steps.length);
  fillSteps();
}

function fillSteps() {
  const holder = byId("lesson-steps");
  if (holder) holder.replaceChildren(...stepParts());
}

/** A formula with numbers as the language writes them. @param {string} formula */
const withDecimals = (formula) => (language.code === "en" ? formula : formula.replace(/(\d)\.(?=\d)/g, "$1,"));

function stepParts() {
  if (!lesson.steps) return [el("p", { class: "muted" }, t("s_lesson_steps_hint"))];
  const { steps, result } = lesson.steps;
  const whole = lesson.shown >= steps.length;
  return [el("ol", { class: "lesson-steps" }, steps.slice(0, lesson.shown).map((one) => el("li", {},
    el("strong", {}, one.title), one.text ? el("p", {}, one.text) : null, one.formula ? el("p", { class: "formula" }, withDecimals(one.formula)) : null))),
  whole && result !== null && result !== undefined ? el("p", { class: "answer" }, `${measureName(lesson.measure)} = `, el("strong", {}, fmtNumber(result))) : ""];
}
