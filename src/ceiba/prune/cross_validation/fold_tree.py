"""Trees of cross-validation folds, and the losses of their held-out rows at each alpha.

A held-out row ends in a leaf of the fold's tree; at each alpha of the grid its prediction is that
of the leaf's collapsed ancestor. The step function of a row is the short list of (step, prediction)
at which its prediction changes, so the predictions of all rows at all steps take a few numbers per
row. The prediction of a row that goes down several branches (missing="fractional") is a mean over
its leaves, which changes whenever one of them collapses into an ancestor. Scores of rows:

    cost       cost of the prediction, squared or absolute error, half the Poisson deviance
    error      1 if the prediction is wrong, regardless of costs
    log_loss   -log p(truth), p clipped to float64's epsilon from 0 and 1
    brier      (p - truth)^2, summed over the classes (with two classes: of one of them)
    auc        1 - area under the ROC curve of each fold; risk and standard error are those of the
               folds, because a single row has no AUC

Under `class_prior` losses are multiplied by prior over share of the true class. The scores of
survival trees are in `survival_folds.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import frexp
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import quantile_level, quantile_loss
from ceiba.errors import OptionError
from ceiba.grow import Problem, Units
from ceiba.prune.cost_complexity import Risk, node_risks
from ceiba.prune.cross_validation.folds import Fold, GrownFold
from ceiba.table import count_effective_rows
from ceiba.tree import Tree
from ceiba.tree.routing import route

Ints = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]
Rows = npt.NDArray[np.uint32]
Score = Literal["cost", "error", "log_loss", "brier", "auc", "concordance"]
SCORES: Final = ("cost", "error", "log_loss", "brier", "auc", "concordance")
_EPS: Final = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class StepFunctions:
    """Predictions of rows at each pruning step, in compressed sparse row form."""

    row: Ints
    start: Ints
    step: Ints
    answer: npt.NDArray[Any]

    def at(self, step: int) -> npt.NDArray[Any]:
        """Return the prediction of each row at one step."""
        # The entries of a row are sorted by step, so those up to `step` come first.
        passed = np.concatenate(([0], np.cumsum(self.step <= step)))
        n_passed = passed[self.start[1:]] - passed[self.start[:-1]]
        return np.asarray(self.answer[self.start[:-1] + n_passed - 1])

    def sum_losses(self, loss: Array, weight: Array, n_steps: int) -> tuple[Array, Array]:
        """Sum losses (one per entry) and their squares over the rows, at each step."""
        opening = np.zeros(len(loss), bool)
        opening[self.start[:-1][np.diff(self.start) > 0]] = True
        # Cumulative sums of the changes at each entry take O(entries + steps), not O(rows x steps).
        sums, weight = [], weight[self.entry_row]
        for power in (loss, loss**2):
            before = np.where(opening, 0.0, np.concatenate(([0.0], power[:-1])))
            change = np.bincount(self.step, weight * (power - before), n_steps)
            sums.append(np.asarray(np.cumsum(change), np.float64))
        return sums[0], sums[1]

    @property
    def entry_row(self) -> Ints:
        """The index of the row to which each entry belongs."""
        return np.repeat(self.row, np.diff(self.start))

    @classmethod
    def concatenate(cls, functions: Sequence[StepFunctions]) -> StepFunctions:
        """Concatenate step functions, such as those of all folds."""
        lengths = np.concatenate([np.diff(steps.start) for steps in functions])
        return cls(
            np.concatenate([steps.row for steps in functions]),
            np.concatenate(([0], np.cumsum(lengths))),
            np.concatenate([steps.step for steps in functions]),
            np.concatenate([steps.answer for steps in functions]),
        )


def step_functions(
    tree: Tree, step: Nodes, end: Nodes, rows: Rows, answer: npt.NDArray[Any], n_steps: int
) -> StepFunctions:
    """Return the predictions of rows at each pruning step, from their end nodes `end`."""
    parts = [(np.arange(len(end)), np.zeros(len(end), np.int64), end.astype(np.int64))]
    at, node = np.arange(len(end)), end.astype(np.int64)
    while True:  # move rows up level by level until no ancestor is collapsed at any alpha
        node = tree.parent[node].astype(np.int64)
        going = node >= 0
        going[going] = step[node[going]] < n_steps
        at, node = at[going], node[going]
        if len(at) == 0:
            break
        parts.append((at, step[node].astype(np.int64), node))
    row, when, source = (np.concatenate([part[i] for part in parts]) for i in range(3))
    order = np.argsort(row, kind="stable")  # a stable sort keeps the order from leaf to root
    row, when, source = row[order], when[order], source[order]
    # If several ancestors collapse at one step, use the topmost one, which is the last.
    last = np.append((row[1:] != row[:-1]) | (when[1:] != when[:-1]), True)
    row, when, answers = row[last], when[last], answer[source[last]]
    # Drop entries whose prediction equals that of the previous entry of the row.
    new = np.append(True, (row[1:] != row[:-1]) | (answers[1:] != answers[:-1]))
    row, when, answers = row[new], when[new], answers[new]
    start = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(end)))))
    return StepFunctions(rows.astype(np.int64), start, when, answers)


def mixed_step_functions(
    tree: Tree,
    step: Nodes,
    spread: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]],
    rows: Rows,
    n_steps: int,
) -> StepFunctions:
    """Return the predictions of divided rows at each step: weighted means over their leaves."""
    start, leaf, share = spread
    leaves = np.arange(len(leaf), dtype=np.uint32)
    climb = step_functions(tree, step, leaf, leaves, np.arange(tree.n_nodes), n_steps)
    entry = np.repeat(np.arange(len(leaf)), np.diff(climb.start))
    value = tree.value[climb.answer].reshape(len(entry), -1)
    change = value.copy()  # first value of each row and leaf, then its changes
    change[1:] -= np.where((entry[1:] == entry[:-1])[:, None], value[:-1], 0.0)
    change *= share[entry][:, None]
    row = np.repeat(np.arange(len(rows)), np.diff(start))[entry]
    order = np.lexsort((climb.step, row))
    row, when = row[order], climb.step[order]
    total = np.cumsum(change[order], axis=0)
    first = np.searchsorted(row, np.arange(len(rows)))
    before = np.concatenate((np.zeros((1, total.shape[1])), total))[first]
    last = np.append((row[1:] != row[:-1]) | (when[1:] != when[:-1]), True)
    mixed = (total[last] - before[row[last]]).reshape(-1, *tree.value.shape[1:])
    answer: npt.NDArray[Any] = mixed[:, 0, 0]
    if tree.task.has_classes:
        answer = route.best_class(mixed, tree.cost_matrix)[:, 0]
    length = np.bincount(row[last], minlength=len(rows))
    return StepFunctions(
        rows.astype(np.int64), np.concatenate(([0], np.cumsum(length))), when[last], answer
    )


def _losses(criterion: str, truth: Array, predicted: Array) -> Array:
    """Return the loss of each predicted number for a regression criterion."""
    if quantile_level(criterion) is not None:
        return quantile_loss(criterion, truth - predicted)
    if criterion != "poisson":
        return np.asarray((truth - predicted) ** 2)
    mean = np.maximum(predicted, np.finfo(np.float64).tiny)
    ratio = np.divide(truth, mean, out=np.ones_like(mean), where=truth > 0)
    return np.asarray(truth * np.log(ratio) - truth + mean)  # half the Poisson deviance


@dataclass(frozen=True)
class FoldTree:
    """Callable that grows the tree of a fold and sums the losses of its held-out rows."""

    problem: Problem
    grid: Array
    risk: Risk = "cost"
    keep: bool = False

    def __call__(self, fold: Fold, n_jobs: int | None) -> tuple[Array, Array, StepFunctions | None]:
        """Return sums of scores and squared scores at each alpha, and predictions if `keep`."""
        tree = self.grow(fold, n_jobs)
        n = len(self.grid)
        step = np.searchsorted(self.grid, self.collapse_alpha(tree, fold)).astype(np.int32)
        if tree.missing == "fractional":
            held_out = self.problem.table.take(fold.test.astype(np.intp))
            mixed = mixed_step_functions(tree, step, route.spread(tree, held_out), fold.test, n)
            return *self.sum_function_losses(mixed), mixed if self.keep else None
        end = self.end_nodes(tree, fold)
        first, second = self.sum_losses(tree, step, end, fold.test)
        answer = tree.answer if tree.task.has_classes else tree.value[:, 0, 0]
        functions = step_functions(tree, step, end, fold.test, answer, n) if self.keep else None
        return first, second, functions

    def grow(self, fold: Fold, n_jobs: int | None) -> Tree:
        """Grow the tree of a fold on the rows that are not held out."""
        if isinstance(fold, GrownFold):
            return fold.tree
        return self.problem.grow(fold.train, n_jobs=n_jobs)

    def collapse_alpha(self, tree: Tree, fold: Fold) -> Array:
        """Return the alpha at which each node of the fold's tree collapses."""
        mass = self.problem.search_mass(tree) if self.risk == "impurity" else None
        return node_risks(tree, self.risk, mass=mass).collapse_alpha(tree)

    def end_nodes(self, tree: Tree, fold: Fold) -> Nodes:
        """Return the end node of each held-out row."""
        if isinstance(fold, GrownFold):
            return fold.ends
        return route.apply(tree, self.problem.table.take(fold.test.astype(np.intp)))

    def sum_losses(self, tree: Tree, step: Nodes, end: Nodes, rows: Rows) -> tuple[Array, Array]:
        """Return the sums of errors and their squares over the held-out rows, at each alpha."""
        weight, truth = self.error_weight[rows], self.truth[rows]
        n = len(self.grid)
        if not tree.task.has_classes:
            scale = None if self.error_scale is None else self.error_scale[rows]
            value = np.ascontiguousarray(self.units.shrink_target(tree.value[:, 0, 0]))
            level = quantile_level(tree.criterion) or 0.5
            return _core.number_losses(
                tree.parent, step, end, weight, truth, scale, value, self.loss_name, n, level
            )
        size = len(self.problem.target.info.classes[0])
        answer = np.ascontiguousarray(tree.answer)
        flat = self.problem.scales.weighted_costs(size).ravel()
        return _core.class_losses(tree.parent, step, end, weight, truth, answer, flat, size, n)

    def sum_function_losses(self, functions: StepFunctions) -> tuple[Array, Array]:
        """Return the sums of errors and their squares at each alpha, from predictions by step."""
        truth = self.truth[functions.entry_row]
        if self.problem.options.task.has_classes:
            size = len(self.problem.target.info.classes[0])
            error = self.problem.scales.weighted_costs(size)[truth, functions.answer]
        else:
            answer = self.units.shrink_target(functions.answer)
            error = _losses(self.problem.options.criterion_name, truth, answer)
        return functions.sum_losses(error, self.error_weight, len(self.grid))

    @cached_property
    def units(self) -> Units:
        """The units by which the target is divided, so that squared losses do not overflow."""
        return Units.of(self.problem.target.values, None)

    @cached_property
    def truth(self) -> npt.NDArray[Any]:
        """The target of each row, with numbers divided by `units`."""
        target = self.problem.target.values[:, 0]
        return target if self.problem.target.info.classes else self.units.shrink_target(target)

    @property
    def exponent(self) -> int:
        """The exponent of the power of two that restores the scale of the errors, usually 0."""
        if self.problem.target.info.classes:
            return 0
        return self.units.target * (2 if self.loss_name == "squared_error" else 1)

    @property
    def loss_name(self) -> str:
        """Name of the loss of held-out rows in regression, which depends on the criterion."""
        name = self.problem.options.criterion_name
        if name in ("absolute_error", "poisson"):
            return name
        return "squared_error" if quantile_level(name) is None else "pinball"

    @property
    def error_weight(self) -> Array:
        """The weight with which each row contributes to the mean error."""
        return self.problem.row_weight

    @property
    def weights_count_rows(self) -> bool:
        """Whether the standard error counts a row of weight k as k rows."""
        return self.problem.options.frequency_weights

    def mean_and_variance(
        self, first: Array, second: Array, folds: list[Fold]
    ) -> tuple[Array, Array]:
        """Return the mean error of the rows and the variance of that mean, from sums over folds."""
        tested = np.concatenate([fold.test for fold in folds])
        weight = self.error_weight
        # Scaling by a power of two is exact and keeps squares of extreme weights finite.
        scale = 2.0 ** (frexp(float(weight.max()))[1] - 1)
        weight, first, second = weight / scale, first / scale, second / scale
        total = float(weight[tested].sum())
        # A splitter may hold a row out several times. That adds no information, so count it once.
        once = weight[np.unique(tested)]
        as_counts = self.weights_count_rows
        rows = count_effective_rows(once, len(once), as_counts) * (scale if as_counts else 1.0)
        unit = total
        if self.error_scale is not None and not self.per_weight:
            unit = float((weight * self.error_scale)[tested].sum())
        variance = np.maximum(second - first**2 / total, 0.0) / unit**2 * (total / rows)
        return first / unit, variance

    @property
    def error_scale(self) -> Array | None:
        """The factor of each row's error, such as its observed time, or None if all are 1."""
        return None

    @property
    def per_weight(self) -> bool:
        """Whether the mean error is divided by the weight, not by weight times `error_scale`."""
        return False


def make_scored_fold_tree(
    score: Score, problem: Problem, grid: Array, risk: Risk = "cost", keep: bool = False
) -> FoldTree:
    """Return a callable that scores folds of classification trees by a score such as AUC."""
    if not problem.options.task.has_classes or score == "concordance":
        raise OptionError(
            f"score={score!r} is not supported for {problem.options.task}. Use score='cost'."
        )
    if problem.options.missing_rule == "fractional" and score != "error":
        raise OptionError(
            f"score={score!r} is not supported with missing='fractional'. Use score='cost' or "
            "score='error', or missing='learn'."
        )
    if score == "auc":
        classes = problem.target.info.classes[0]
        if len(classes) != 2:
            raise OptionError(
                f"score='auc' requires two classes, got {len(classes)}. Use score='log_loss'."
            )
        return AucFoldTree(problem, grid, risk, keep)
    return ScoredFoldTree(problem, grid, risk, keep, score)


@dataclass(frozen=True)
class ScoredFoldTree(FoldTree):
    """Callable that scores a fold by the error rate, the log loss or the Brier score."""

    score: Score = "log_loss"

    def sum_losses(self, tree: Tree, step: Nodes, end: Nodes, rows: Rows) -> tuple[Array, Array]:
        """Return the sums of the score and its square over the held-out rows, at each alpha."""
        nodes = np.arange(tree.n_nodes)
        functions = step_functions(tree, step, end, rows, nodes, len(self.grid))
        p = tree.value[:, 0, :]
        # `table` has the loss of each node (row) for each true class (column).
        if self.score == "error":
            table = (tree.answer[:, None] != np.arange(p.shape[1])).astype(np.float64)
        elif self.score == "log_loss":
            table = -np.log(np.clip(p, _EPS, 1 - _EPS))
        else:
            half = 0.5 if p.shape[1] == 2 else 1.0
            squares = (p**2).sum(axis=1, keepdims=True)
            table = half * np.maximum(squares - 2 * p + 1.0, 0.0)
        factor = self.problem.scales.factor
        table = table if factor is None else table * factor
        loss = table[functions.answer, self.truth[functions.entry_row]]
        return functions.sum_losses(loss, self.error_weight, len(self.grid))

    def sum_function_losses(self, functions: StepFunctions) -> tuple[Array, Array]:
        """Return the sums of errors and their squares over rows that take several branches."""
        truth = self.truth[functions.entry_row]
        wrong = (functions.answer != truth).astype(np.float64)
        factor = self.problem.scales.factor
        wrong = wrong if factor is None else wrong * factor[truth]
        return functions.sum_losses(wrong, self.error_weight, len(self.grid))


@dataclass(frozen=True)
class AucFoldTree(FoldTree):
    """Callable that scores a fold by 1 minus the area under the ROC curve (AUC)."""

    def sum_losses(self, tree: Tree, step: Nodes, end: Nodes, rows: Rows) -> tuple[Array, Array]:
        """Return 1 - AUC of the held-out rows at each alpha, and its square."""
        nodes = np.arange(tree.n_nodes)
        functions = step_functions(tree, step, end, rows, nodes, len(self.grid))
        weight, truth = self.error_weight[rows], self.truth[rows] == 1
        if not self._has_both_classes(rows):
            # AUC requires both classes, so `mean_and_variance` does not count this fold.
            return np.zeros(len(self.grid)), np.zeros(len(self.grid))
        changes = np.union1d(functions.step, [0])
        area = np.zeros(len(changes))
        for i, at in enumerate(changes.tolist()):
            area[i] = _roc_auc(tree.value[functions.at(at), 0, 1], truth, weight)
        loss = 1.0 - area[np.searchsorted(changes, np.arange(len(self.grid)), side="right") - 1]
        return loss, loss**2

    def mean_and_variance(
        self, first: Array, second: Array, folds: list[Fold]
    ) -> tuple[Array, Array]:
        """Return the mean of 1 - AUC over the folds with both classes, and the mean's variance."""
        n = sum(self._has_both_classes(fold.test) for fold in folds)
        if n == 0:
            raise OptionError(
                "score='auc' requires held-out rows of both classes in at least one fold. Pass "
                "fewer folds or another score."
            )
        return fold_figures(first, second, n)

    def _has_both_classes(self, rows: Rows) -> bool:
        weight, truth = self.error_weight[rows], self.truth[rows] == 1
        return bool(weight[truth].any() and weight[~truth].any())


def fold_figures(first: Array, second: Array, n: int) -> tuple[Array, Array]:
    """Return the mean score of `n` folds and its variance, from the sums of scores and squares."""
    mean = first / n
    return mean, np.maximum(second / n - mean**2, 0.0) / max(n - 1, 1)


def _roc_auc(score: Array, truth: npt.NDArray[np.bool_], weight: Array) -> float:
    """Return the AUC: the share of row pairs in which the positive row has the higher score."""
    levels, level = np.unique(score, return_inverse=True)
    hits = np.bincount(level, weight * truth, len(levels))
    misses = np.bincount(level, weight * ~truth, len(levels))
    below = np.cumsum(misses) - misses
    return float((hits * (below + 0.5 * misses)).sum() / (hits.sum() * misses.sum()))
