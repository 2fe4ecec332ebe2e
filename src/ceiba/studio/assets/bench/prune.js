// The Prune tab of the bench: the report's slider on the tree as edited, and a button that makes it so.

function pruneBench() {
  return el("div", {}, prunePanel(), el("div", { id: "prune-apply" }, applyPruning()));
}

/** Making the shown tree the tree of the workspace; nothing to do where it is that already. */
function applyPruning() {
  if (M.steps.length < 2 || !isTrial()) return el("p", { class: "muted" }, t("s_prune_hint"));
  const { alpha } = M.steps[state.step];
  return el("div", { class: "row" },
    el("button", { type: "button", class: "primary", id: "prune-take", onclick: () => act("prune", { alpha }) }, t("s_prune_take", { n: stepText(state.step) })),
    el("button", { type: "button", class: "small", id: "prune-back", onclick: () => update({ step: startStep() }) }, t("back_fitted")));
}
