// The Prune tab of the bench: the report's slider on the tree as edited, and a button that makes it so.

function pruneBench() {
  return el("div", {}, M.steps.length < 2 ? null : el("div", { id: "prune-apply" }, applyPruning()), prunePanel());
}

/** Making the shown tree the tree of the workspace; of the tree as it is nothing has to be made. */
function applyPruning() {
  const { alpha } = M.steps[state.step];
  const off = !isTrial();
  return el("div", { class: "row" },
    el("button", { type: "button", class: "primary", id: "prune-take", disabled: off, onclick: () => act("prune", { alpha }) }, t("s_prune_take", { n: stepText(state.step) })),
    el("button", { type: "button", class: "small", id: "prune-back", disabled: off, onclick: () => update({ step: startStep() }) }, t("back_fitted")));
}
