// What the tree says of a case: the answer and how sure it is, each question with what it changed,
// the nearest other answer.

function fillResult(box) {
  if (!state.hasCase) {
    box.replaceChildren(el("button", { type: "button", class: "primary", onclick: () => { update({ values: middlingCase(), hasCase: true }); renderPanel(); } }, t("start_case")));
    return;
  }
  const moves = routeCase(state.values, alphaNow());
  const said = predictCase(moves);
  box.replaceChildren(caseAnswer(said), el("h3", {}, t("why")), caseSteps(moves, said), notAsked(moves) || "", nearestChange(said) || "", sharesBox(said));
}

function caseAnswer(said) {
  const leaf = said.leaf;
  const head = M.regression ? fmtNumber(said.value[0]) : className(said.answer);
  const order = M.classes.map((_, k) => k).sort((a, b) => said.value[b] - said.value[a]).slice(0, 6);
  const sure = said.ends.length > 1 ? { text: t("mixture", { n: said.ends.length }), doubt: false, judged: false } : sureWords(leaf);
  return el("div", { class: "case-answer" },
    el("p", { class: "answer" }, t("predicts") + " ", el("strong", { id: "case-answer" }, head), M.regression ? null : el("span", {}, " " + t("with_share", { share: fmtPercent(said.value[said.answer], 1) }))),
    M.regression ? null : barList(order.map((k) => ({ name: className(k), share: said.value[k], text: fmtPercent(said.value[k], 1), colour: M.payload.colours[k], strong: k === said.answer }))),
    sure ? el("p", { id: "case-sure", class: sure.doubt ? "sure doubt" : "sure" }, verdict(sure)) : null,
    el("p", { class: "sure" }, testedText(leaf) ? testedText(leaf) + " " : "", el("button", { type: "button", class: "link", onclick: () => reveal(leaf) }, `${t("leaf")} #${numberOf(leaf)}`)));
}

/** Each question as the condition that holds, and where it leads the figure. */
function caseSteps(moves, said) {
  const figure = (i) => (M.regression ? fmtNumber(M.value[i]) : fmtPercent(M.prob(i, said.answer)));
  const begin = M.regression ? figure(0) : `${className(said.answer)} ${figure(0)}`;
  const items = moves.filter((m) => m.by).map((m) => {
    const j = M.splits.column[m.node];
    const holds = m.branch === null ? `${question(m.node, 6)} · ${t("stays")}` : sentence(M.splits, m.node, m.branch, 6);
    let note = "";
    if (m.by === "surrogate") note = t("by_surrogate", { split: sentence(M.surrogates.splits, m.surrogate, m.branch, 4) });
    else if (m.by === "default") note = t("by_default");
    else if (m.by === "unseen") note = t(m.branch === null ? "by_root" : "by_unseen");
    else if (m.by === "share") note = t("by_share", { share: fmtPercent(m.share) });
    const asked = question(m.node, 12);
    const value = state.values[j];
    const known = value !== null && M.columns.kind[j] === "numeric" && m.by === "primary";
    return el("li", {},
      el("span", { class: "step" },
        el("button", { type: "button", class: "link", title: asked, onclick: () => reveal(m.node) }, holds),
        known ? el("span", { class: "muted" }, ` (${t("it_is", { value: fmtValue(value, j) })})`) : null,
        note ? el("span", { class: "note" }, note) : null),
      m.branch === null ? null : el("span", { class: "leads" }, "→ " + figure(M.child(m.node, m.branch))));
  });
  return el("ol", { class: "steps", "aria-label": t("why") },
    el("li", { class: "begin" }, el("span", { class: "step" }, t("case_begin", { said: begin }))), items);
}

/** Columns that are missing in the case and were not asked about. */
function notAsked(moves) {
  const asked = new Set();
  for (const { node, by } of moves) {
    if (!by) continue;
    asked.add(M.splits.column[node]);
    const s = M.surrogates;
    if (s && s.inUse && by !== "primary") for (let k = s.start[node]; k < s.start[node + 1]; k++) asked.add(s.splits.column[k]);
  }
  const names = usedColumns().filter((j) => state.values[j] === null && !asked.has(j)).map((j) => M.columns.name[j]);
  return names.length ? el("p", { class: "not-asked" }, t("not_asked", { names: listed(names, 8) })) : null;
}

/** In words: what would have to change for another answer. */
function nearestChange(said) {
  if (said.ends.length > 1) return null;
  const found = nearestOther(state.values, said, alphaNow());
  if (!found) return null;
  return el("p", { class: "flip" }, el("strong", {}, t("nearest_change") + " "), joined(found.sets.map((set) => setText(set, 4, found.sets.length > 1))), " → ", answerText(found.node),
    M.known ? ` (${t("n_train_rows", { n: fmtCount(M.rows[found.node]) })})` : "");
}
