"""The work of one fold of cross-validation: grow, walk, and sum the errors of the rows held out.

A held-out row ends in a leaf of the fold's tree; at each alpha of the grid its prediction
is that of the leaf's collapsed ancestor (one walk up its path in the core). Error: cost of the
answer times prior over share of the true class, squared or absolute error, half the Poisson
deviance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.problem import Problem
from ceiba.grow.units import Units
from ceiba.prune.cross_validation.folds import Fold, GrownFold
from ceiba.prune.cross_validation.pruned_answers import (
    StepFunctions,
    mixed_step_functions,
    step_functions,
)
from ceiba.prune.risk import Risk, node_risks
from ceiba.tree import Tree
from ceiba.tree.routing import route

Array = npt.NDArray[np.float64]


def _half_deviance(truth: Array, mean: Array) -> Array:
    mean = np.maximum(mean, np.finfo(np.float64).tiny)
    ratio = np.divide(truth, mean, out=np.ones_like(mean), where=truth > 0)
    return np.asarray(truth * np.log(ratio) - truth + mean)


# As in the core, for rows whose prediction is a mean over several leaves.
def _squared(truth: Array, predicted: Array) -> Array:
    return np.asarray((truth - predicted) ** 2)


# Where a criterion has a loss of its own; the others are judged by squared error.
_LOSS: Final[dict[str, Callable[[Array, Array], Array]]] = {
    "absolute_error": lambda truth, predicted: np.asarray(np.abs(truth - predicted)),
    "poisson": _half_deviance,
}


@dataclass(frozen=True)
class FoldTree:
    """The work of one fold: grow, walk, and hand back sums over its held-out rows.

    Recipes with rules of their own override `grow`, `collapse_alpha`, `ends`, and how errors are
    weighed.
    """

    problem: Problem
    grid: Array
    risk: Risk = "cost"
    keep: bool = False

    def __call__(self, fold: Fold, n_jobs: int | None) -> tuple[Array, Array, StepFunctions | None]:
        """Return the sums of w e and w e^2 at each alpha of the grid, and the rows' answers."""
        tree = self.grow(fold, n_jobs)
        n = len(self.grid)
        step = np.searchsorted(self.grid, self.collapse_alpha(tree, fold)).astype(np.int32)
        if tree.missing == "fractional":
            held_out = self.problem.table.take(fold.test.astype(np.intp))
            mixed = mixed_step_functions(tree, step, route.spread(tree, held_out), fold.test, n)
            return *self.losses_of_functions(mixed), mixed if self.keep else None
        end = self.ends(tree, fold)
        first, second = self.losses(tree, step, end, fold.test)
        answer = tree.answer if tree.task.has_classes else tree.value[:, 0, 0]
        functions = step_functions(tree, step, end, fold.test, answer, n) if self.keep else None
        return first, second, functions

    def grow(self, fold: Fold, n_jobs: int | None) -> Tree:
        """Grow the tree of the rows that are not held out."""
        if isinstance(fold, GrownFold):
            return fold.tree
        return self.problem.grow(fold.train, n_jobs=n_jobs)

    def collapse_alpha(self, tree: Tree, fold: Fold) -> Array:
        """Return the alpha at which each node of the fold's tree collapses."""
        mass = self.problem.search_mass(tree) if self.risk == "impurity" else None
        return node_risks(tree, self.risk, mass=mass).collapse_alpha(tree)

    def ends(self, tree: Tree, fold: Fold) -> npt.NDArray[np.int32]:
        """Return the node in which each held-out row ends."""
        if isinstance(fold, GrownFold):
            return fold.ends
        return route.apply(tree, self.problem.table.take(fold.test.astype(np.intp)))

    def losses(
        self,
        tree: Tree,
        step: npt.NDArray[np.int32],
        end: npt.NDArray[np.int32],
        rows: npt.NDArray[np.uint32],
    ) -> tuple[Array, Array]:
        """Sum errors and their squares over the held-out rows, at each alpha."""
        weight, truth = self.error_weight[rows], self.truth[rows]
        n = len(self.grid)
        if tree.task.is_regression("Cross-validation"):
            scale = None if self.error_scale is None else self.error_scale[rows]
            value = np.ascontiguousarray(self.units.shrink_target(tree.value[:, 0, 0]))
            loss = self.loss_name
            return _core.number_losses(tree.parent, step, end, weight, truth, scale, value, loss, n)
        costs = self._costs()
        answer, flat = np.ascontiguousarray(tree.answer), costs.ravel()
        size = len(costs)
        return _core.class_losses(tree.parent, step, end, weight, truth, answer, flat, size, n)

    def losses_of_functions(self, functions: StepFunctions) -> tuple[Array, Array]:
        """Sum errors and their squares over rows whose step functions are known."""
        truth = self.truth[functions.entry_row]
        if self.problem.options.task.is_classification("Cross-validation"):
            error = self._costs()[truth, functions.answer]
        else:
            loss = _LOSS.get(self.problem.options.criterion_name, _squared)
            error = loss(truth, self.units.shrink_target(functions.answer))
        return functions.sum_losses(error, self.error_weight, len(self.grid))

    def _costs(self) -> Array:
        """Return the cost of each truth (row) and answer (column), times prior over share."""
        scales = self.problem.scales
        size = len(self.problem.target.info.classes[0])
        costs = 1.0 - np.eye(size) if scales.costs is None else scales.costs
        return costs if scales.factor is None else scales.factor[:, None] * costs

    @cached_property
    def units(self) -> Units:
        """Units of the target in which squares of squared errors exist."""
        return Units.of(self.problem.target.values, None)

    @cached_property
    def truth(self) -> npt.NDArray[Any]:
        """What each row is, in these units."""
        return self.units.shrink_target(self.problem.target.values[:, 0])

    @property
    def exponent(self) -> int:
        """The power of two by which errors are too small; 0 for all ordinary data."""
        squared = self.problem.options.criterion_name not in _LOSS
        return self.units.target * (2 if squared else 1)

    @property
    def loss_name(self) -> str:
        """The loss of held-out numbers: that of the criterion."""
        name = self.problem.options.criterion_name
        return name if name in _LOSS else "squared_error"

    @property
    def error_weight(self) -> Array:
        """Weight of each row's error."""
        return self.problem.row_weight

    @property
    def weights_count_rows(self) -> bool:
        """Whether a weight of k stands for k rows in the standard error."""
        return self.problem.options.frequency_weights

    def mean_and_variance(
        self, first: Array, second: Array, folds: list[Fold]
    ) -> tuple[Array, Array] | None:
        """Give mean and variance from the sums over folds; None: as means over rows have them."""
        return None

    @property
    def error_scale(self) -> Array | None:
        """Factor of each row's error (time under observation); None: 1."""
        return None
