"""Held-out rows judged by another score than the cost of the answer: probabilities, ranking, error.

    error      1 where the answer is wrong, whatever the costs
    log_loss   -log p(truth), p kept within float64's epsilon of 0 and 1
    brier      (p - truth)^2, summed over the classes (with two classes: of one of them)
    auc        1 - area under the ROC curve of each fold; risk and standard error are those of the
               folds, since a ranking has no error of a single row

A held-out row ends in a leaf; as the tree is pruned, the collapsed ancestors of that leaf take over
(`pruned_answers.py`), so the loss at every step is a look-up by node and class. Under `class_prior`
losses are weighed by prior over share, as costs are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow.problem import Problem
from ceiba.prune.cross_validation.fold_tree import FoldTree
from ceiba.prune.cross_validation.folds import Fold
from ceiba.prune.cross_validation.pruned_answers import StepFunctions, step_functions
from ceiba.prune.risk import Risk
from ceiba.tree import Tree

Score = Literal["cost", "error", "log_loss", "brier", "auc"]
SCORES: Final = ("cost", "error", "log_loss", "brier", "auc")
Array = npt.NDArray[np.float64]

_EPS: Final = float(np.finfo(np.float64).eps)


def score_fold_tree(
    score: Score, problem: Problem, grid: Array, risk: Risk = "cost", keep: bool = False
) -> FoldTree:
    """Return the work of a fold under another score than the cost."""
    if problem.options.task != "classification":
        raise OptionError(
            f"score={score!r} is about classes. A regression tree is judged by its loss: leave "
            "score at 'cost'."
        )
    if problem.options.missing_rule == "fractional" and score != "error":
        raise OptionError(
            f"score={score!r} judges the probabilities of single leaves, and with "
            "missing='fractional' a row has several. Use score='cost', or missing='learn'."
        )
    if score == "auc":
        classes = problem.target.info.classes[0]
        if len(classes) != 2:
            raise OptionError(
                f"score='auc' needs two classes; this target has {len(classes)}. Use 'log_loss' or "
                "'brier'."
            )
        return RankedFoldTree(problem, grid, risk, keep)
    return ScoredFoldTree(problem, grid, risk, keep, score)


@dataclass(frozen=True)
class ScoredFoldTree(FoldTree):
    """The work of a fold whose held-out rows are judged by a loss of class probabilities."""

    score: Score = "log_loss"

    def losses(
        self,
        tree: Tree,
        step: npt.NDArray[np.int32],
        end: npt.NDArray[np.int32],
        rows: npt.NDArray[np.uint32],
    ) -> tuple[Array, Array]:
        """Sum losses and their squares over the held-out rows, at each alpha."""
        nodes = np.arange(tree.n_nodes)
        functions = step_functions(tree, step, end, rows, nodes, len(self.grid))
        loss = self._table(tree)[functions.answer, self.truth[functions.entry_row]]
        return functions.sum_losses(loss, self.error_weight, len(self.grid))

    def _table(self, tree: Tree) -> Array:
        """Return the loss of each node (row) and true class (column)."""
        p = tree.value[:, 0, :]
        if self.score == "error":
            table = (tree.answer[:, None] != np.arange(p.shape[1])).astype(np.float64)
        elif self.score == "log_loss":
            table = -np.log(np.clip(p, _EPS, 1 - _EPS))
        else:
            half = 0.5 if p.shape[1] == 2 else 1.0
            squares = (p**2).sum(axis=1, keepdims=True)
            table = half * np.maximum(squares - 2 * p + 1.0, 0.0)
        factor = self.problem.scales.factor
        return np.asarray(table if factor is None else table * factor)

    def losses_of_functions(self, functions: StepFunctions) -> tuple[Array, Array]:
        """Sum the errors of rows that go down several branches."""
        truth = self.truth[functions.entry_row]
        wrong = (functions.answer != truth).astype(np.float64)
        factor = self.problem.scales.factor
        wrong = wrong if factor is None else wrong * factor[truth]
        return functions.sum_losses(wrong, self.error_weight, len(self.grid))


@dataclass(frozen=True)
class RankedFoldTree(FoldTree):
    """The work of a fold whose held-out rows are judged by how well they are ranked."""

    def losses(
        self,
        tree: Tree,
        step: npt.NDArray[np.int32],
        end: npt.NDArray[np.int32],
        rows: npt.NDArray[np.uint32],
    ) -> tuple[Array, Array]:
        """Give 1 - AUC of the held-out rows at each alpha, and its square."""
        nodes = np.arange(tree.n_nodes)
        functions = step_functions(tree, step, end, rows, nodes, len(self.grid))
        weight, truth = self.error_weight[rows], self.truth[rows] == 1
        if not weight[truth].any() or not weight[~truth].any():
            # Without both classes there is no ranking: `mean_and_variance` does not count the fold.
            return np.zeros(len(self.grid)), np.zeros(len(self.grid))
        changes = np.union1d(functions.step, [0])
        area = np.zeros(len(changes))
        for i, at in enumerate(changes.tolist()):
            area[i] = _area(tree.value[functions.at(at), 0, 1], truth, weight)
        loss = 1.0 - area[np.searchsorted(changes, np.arange(len(self.grid)), side="right") - 1]
        return loss, loss**2

    def mean_and_variance(
        self, first: Array, second: Array, folds: list[Fold]
    ) -> tuple[Array, Array] | None:
        """Return the mean over folds, and the variance of that mean."""
        n = sum(1 for fold in folds if self._has_both(fold))
        if n == 0:
            raise OptionError(
                "score='auc': no fold holds out rows of both classes. Give fewer folds, or another "
                "score."
            )
        mean = first / n
        variance = np.maximum(second / n - mean**2, 0.0) / max(n - 1, 1)
        return mean, variance

    def _has_both(self, fold: Fold) -> bool:
        weight, truth = self.error_weight[fold.test], self.truth[fold.test] == 1
        return bool(weight[truth].any() and weight[~truth].any())


def _area(score: Array, truth: npt.NDArray[np.bool_], weight: Array) -> float:
    """Give the area under the ROC curve: a positive above a negative, ties count half."""
    levels, where = np.unique(score, return_inverse=True)
    hits = np.bincount(where, weight * truth, len(levels))
    others = np.bincount(where, weight * ~truth, len(levels))
    below = np.cumsum(others) - others
    return float((hits * (below + 0.5 * others)).sum() / (hits.sum() * others.sum()))
