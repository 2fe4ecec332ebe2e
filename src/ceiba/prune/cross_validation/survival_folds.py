"""Score held-out rows of survival trees by deviance, Brier score or concordance.

cost: half the exponential deviance about the relative hazard of the row's node. brier: integrated
Brier score of the node's Kaplan-Meier curve, weighted for censoring (Graf et al. 1999), up to
`ceiba.survival.default_horizon`. concordance: 1 - Harrell's C of each fold; risk and standard error
are those of the folds.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.grow import Problem, Units
from ceiba.prune.cost_complexity import Risk
from ceiba.prune.cross_validation.fold_tree import (
    Array,
    FoldTree,
    Nodes,
    Rows,
    Score,
    fold_figures,
    step_functions,
)
from ceiba.prune.cross_validation.folds import Fold
from ceiba.survival import SurvivalCurve, brier_scores, concordance, default_horizon
from ceiba.tree import Tree, node_curve

_TIMES: Final = 50  # times at which Brier scores are computed


def make_survival_fold_tree(
    score: Score, problem: Problem, grid: Array, risk: Risk, keep: bool
) -> FoldTree:
    """Return the callable that computes a cross-validation score of survival trees."""
    kinds = {"cost": SurvivalFoldTree, "brier": BrierFoldTree, "concordance": ConcordanceFoldTree}
    if score not in kinds:
        raise OptionError(
            f"score={score!r} is not supported for survival. Use 'cost', 'brier' or 'concordance'."
        )
    return kinds[score](problem, grid, risk, keep)


class SurvivalFoldTree(FoldTree):
    """Callable that scores a fold of survival data by half the exponential deviance."""

    @cached_property
    def truth(self) -> npt.NDArray[Any]:
        """The event rate of each row per scaled time. As in rpart, all rows determine the scale."""
        return self.problem.hazard.rate

    @cached_property
    def units(self) -> Units:
        """The unit of the target, which is 1 because event rates are already scaled."""
        return Units()

    @property
    def loss_name(self) -> str:
        """Name of the loss of held-out rows, the Poisson deviance of event rates."""
        return "poisson"

    @property
    def error_scale(self) -> Array | None:
        """The observed time of each row, on the same scale as the event rates in `truth`."""
        return self.problem.hazard.time

    @property
    def per_weight(self) -> bool:
        """Whether the mean error is divided by the weight: always true for survival trees."""
        return True


class BrierFoldTree(SurvivalFoldTree):
    """Callable that scores a fold of survival data by the integrated Brier score."""

    def sum_losses(self, tree: Tree, step: Nodes, end: Nodes, rows: Rows) -> tuple[Array, Array]:
        """Return the sums of scores and their squares over the held-out rows, at each alpha."""
        nodes = np.arange(tree.n_nodes)
        functions = step_functions(tree, step, end, rows, nodes, len(self.grid))
        curves = [node_curve(tree, node)(self._times) for node in nodes.tolist()]
        row = functions.entry_row
        time, event = self.problem.target.values[row].T
        scores = brier_scores(
            time, event, np.stack(curves), self._times, self._censoring, functions.answer
        )
        return functions.sum_losses(scores.contributions, self.error_weight, len(self.grid))

    @property
    def error_scale(self) -> Array | None:
        """The factor of each row's error: always None, as Brier scores are not scaled by time."""
        return None

    @cached_property
    def _times(self) -> Array:
        """Quantiles of the event times up to the horizon."""
        time, event = self.problem.target.values.T
        inside = time[(event > 0) & (time <= default_horizon(time, event))]
        return np.unique(np.quantile(inside, np.linspace(0.0, 1.0, _TIMES)))

    @cached_property
    def _censoring(self) -> SurvivalCurve:
        time, event = self.problem.target.values.T
        return SurvivalCurve.of_censoring(time, event, self.problem.row_weight)


class ConcordanceFoldTree(SurvivalFoldTree):
    """Callable that scores a fold of survival data by 1 minus Harrell's C."""

    def sum_losses(self, tree: Tree, step: Nodes, end: Nodes, rows: Rows) -> tuple[Array, Array]:
        """Return 1 - C of the held-out rows at each alpha, and its square."""
        nodes = np.arange(tree.n_nodes)
        functions = step_functions(tree, step, end, rows, nodes, len(self.grid))
        changes = np.union1d(functions.step, [0])
        values = [self._concordance(tree.value[functions.at(at), 0, 0], rows) for at in changes]
        c = np.array([0.0 if value is None else value for value in values])
        if values[0] is None:  # `mean_and_variance` skips folds without comparable pairs
            return np.zeros(len(self.grid)), np.zeros(len(self.grid))
        loss = 1.0 - c[np.searchsorted(changes, np.arange(len(self.grid)), side="right") - 1]
        return loss, loss**2

    def mean_and_variance(
        self, first: Array, second: Array, folds: list[Fold]
    ) -> tuple[Array, Array]:
        """Return the mean of 1 - C over folds with comparable pairs, and the mean's variance."""
        n = sum(self._concordance(np.zeros(len(f.test)), f.test) is not None for f in folds)
        if n == 0:
            raise OptionError(
                "score='concordance' requires at least one fold with a comparable pair of held-out "
                "rows. Pass fewer folds or another score."
            )
        return fold_figures(first, second, n)

    def _concordance(self, risk: Array, rows: Rows) -> float | None:
        """Return Harrell's C of held-out rows, or None if no pair is comparable."""
        time, event = self.problem.target.values[rows].T
        try:
            return concordance(time, event, risk, self.error_weight[rows]).value
        except DataError:
            return None
