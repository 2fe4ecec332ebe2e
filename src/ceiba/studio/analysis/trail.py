"""Compute the main score and size of the trees in the history, for the curve on the page."""

from __future__ import annotations

from typing import Any, Final

from ceiba.studio.analysis.node_analysis import NodeAnalysis, NodeRowCache
from ceiba.studio.analysis.scores import score_tree
from ceiba.studio.work.state import State
from ceiba.studio.work.workspace import Workspace

_MAX_POINTS: Final = 60
_MAX_ROWS: Final = 20_000  # for larger tables, do not score earlier trees after a restart


class Trail:
    """The scores of the trees in a workspace, computed once per tree."""

    def __init__(self) -> None:
        self._figures: dict[int, tuple[Any, dict[str, Any]]] = {}  # models and scores by id

    def points(
        self, workspace: Workspace, analysis: NodeAnalysis, figures: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """List the scores of recent trees that have the current rows, priors and costs."""
        now = _rows_and_costs(analysis.state)
        self._figures[id(analysis.state.model)] = (analysis.state.model, figures)
        entries = workspace.steps[: workspace.position]
        states = [workspace.first_state, *(entry.state for entry in entries)]
        points: list[dict[str, Any]] = []
        model = None
        for state in states:
            if state.model is None or state.model is model or _rows_and_costs(state) != now:
                continue
            model = state.model
            scored = self._score(state, analysis)
            if scored is not None:
                points.append({"n_leaves": int(state.fitted_tree.n_leaves), **_figure(scored)})
                validation = workspace.find_validation(state)
                if validation is not None:
                    points[-1]["cross_validated"] = _loss(validation.figures)
        return points[-_MAX_POINTS:]

    def _score(self, state: State, analysis: NodeAnalysis) -> dict[str, Any] | None:
        entry = self._figures.get(id(state.model))
        if entry is None and analysis.data.X.n_rows <= _MAX_ROWS:
            figures = score_tree(NodeAnalysis(state, analysis.data, NodeRowCache(1)))
            entry = self._figures[id(state.model)] = (state.model, figures)
        return None if entry is None else entry[1]


def _rows_and_costs(state: State) -> Any:
    """Return the settings on which the scores of a tree depend: rows, priors and costs."""
    setup = state.setup
    rows = (setup.y, repr(setup.arguments()), repr(setup.held_out), setup.from_model)
    return rows, setup.class_prior, setup.cost_matrix


def _figure(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if figures[name] is None else _loss(figures[name])
        for name in ("train", "held_out")
    }


def _loss(figures: dict[str, Any]) -> float:
    """Return the main score: cost, error, RMSE or 1 - concordance."""
    if figures.get("cost") is not None:
        return float(figures["cost"])
    if "concordance" in figures:
        return 1.0 - float(figures["concordance"])
    return float(figures["error"] if "error" in figures else figures["rmse"])
