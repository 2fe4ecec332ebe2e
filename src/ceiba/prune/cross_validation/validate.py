"""Cross-validate all steps of a pruning sequence with one tree per fold.

The full tree has steps T_1 > T_2 > ... at alphas 0 = a_1 < a_2 < .... Step k is scored at alpha'_k
= sqrt(a_k a_k+1) (the last at infinity): for each fold v a tree is grown on the other rows and
T^(v)(alpha') predicts the held-out rows (Breiman et al. 1984, section 3.4). Alphas are in units of
the mean risk, so they need no scaling from the full data to the training rows. Priors and costs are
those of the full data. With weight w and error e of each row and W = sum of w:

    R_cv = sum w e / W,    standard error = sqrt((sum w e^2 / W - R_cv^2) / n)

where n = W^2 / sum w^2 is Kish's effective sample size, which does not depend on the scale of the
weights; n = W where weights are frequencies.

Error: cost of the prediction, times prior over share of the true class; squared, absolute or
quantile error; half the Poisson deviance, or half the exponential deviance of survival times. R_cv
and its variance are means over repeats; `sd` is the standard deviation of R_cv between repeats.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.grow import Problem
from ceiba.progress import find_listener
from ceiba.prune.cost_complexity import PruningSequence, Risk, pruning_sequence
from ceiba.prune.cross_validation.fold_tree import (
    FoldTree,
    Score,
    StepFunctions,
    make_scored_fold_tree,
)
from ceiba.prune.cross_validation.folds import (
    Fold,
    GrownFold,
    check_shard_folds,
    fold_ids,
    read_folds,
    read_seed,
)
from ceiba.prune.cross_validation.survival_folds import make_survival_fold_tree
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import n_threads

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Risk of each step of a pruning sequence on held-out rows.

    Attributes
    ----------
    alpha : float64 array of shape (n_steps,)
        Alpha' at which each step was scored; infinite at the last.
    risk, se : float64 arrays of shape (n_steps,)
        R_cv and its standard error (of one repeat: the rows are the same in all).
    sd : float64 array of shape (n_steps,)
        Standard deviation of R_cv between repeats; NaN with one repeat.
    n_folds, n_repeats : int
    row_weight : float64 array of shape (n_rows,)
    classes, codes : arrays of shape (n_classes,) and (n_rows,), or None
        The classes, and the position of each row's class among them; None in regression.
    costs : float64 array of shape (n_classes, n_classes), or None
        The cost matrix, if there is one.
    held_out : tuple of StepFunctions, or None
        The held-out predictions at every step, one entry per repeat; None without `keep`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import CostComplexity
    >>> X, y = load_iris(return_X_y=True)
    >>> pruning = CostComplexity(folds="leave-one-out", keep_unpruned=True)
    >>> model = ceiba.DecisionTreeClassifier(prune=pruning).fit(X[:, 2:], y)
    >>> cv = model.cross_validation_
    >>> (cv.risk * 150).round().tolist()
    [7.0, 8.0, 7.0, 100.0, 150.0]
    >>> cv.confusion(2)
    array([[50.,  0.,  0.],
           [ 0., 48.,  2.],
           [ 0.,  5., 45.]])
    """

    alpha: Array
    risk: Array
    se: Array
    sd: Array
    n_folds: int
    n_repeats: int
    row_weight: Array = field(repr=False)
    classes: npt.NDArray[Any] | None = field(default=None, repr=False)
    codes: npt.NDArray[np.integer[Any]] | None = field(default=None, repr=False)
    costs: Array | None = field(default=None, repr=False)
    held_out: tuple[StepFunctions, ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.alpha)

    def predictions(self, step: int | None = None, *, repeat: int = 0) -> npt.NDArray[Any]:
        """Return the predictions of held-out rows, as labels or numbers.

        Parameters
        ----------
        step : int, optional
            One step of the sequence; None: all of them.
        repeat : int, default=0

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_steps)
            Rows that no fold holds out have None (labels) or NaN. Rows that a splitter holds out
            several times have the last prediction.
        """
        functions = self._held_out_functions(repeat)
        steps = range(len(self)) if step is None else [self._check_step(step)]
        columns = [self._predict_labels(functions, k) for k in steps]
        return columns[0] if step is not None else np.stack(columns, axis=1)

    def confusion(self, step: int, *, repeat: int = 0) -> Array:
        """Return the held-out weight of each true class (row) and predicted class (column)."""
        functions = self._held_out_functions(repeat)
        if self.classes is None or self.codes is None:
            raise OptionError("confusion requires a classification tree. Use predictions(step).")
        size = len(self.classes)
        predicted = functions.at(self._check_step(step)).astype(np.intp)
        cell = self.codes[functions.row] * size + predicted
        weight = self.row_weight[functions.row]
        counts: Array = np.bincount(cell, weights=weight, minlength=size**2).astype(np.float64)
        return counts.reshape(size, size)

    def q(self, step: int, *, repeat: int = 0) -> Array:
        """Return the share of each true class (row) that is predicted as each class (column)."""
        counts = self.confusion(step, repeat=repeat)
        total = counts.sum(axis=1, keepdims=True)
        shares: Array = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
        return shares

    def class_cost(self, step: int, *, repeat: int = 0) -> Array:
        """Return the mean cost of the held-out rows of each class."""
        q = self.q(step, repeat=repeat)
        costs = 1.0 - np.eye(len(q)) if self.costs is None else self.costs
        return np.asarray((q * costs).sum(axis=1))

    def _predict_labels(self, functions: StepFunctions, step: int) -> npt.NDArray[Any]:
        predicted, n_rows = functions.at(step), len(self.row_weight)
        if self.classes is None:
            numbers = np.full(n_rows, np.nan)
            numbers[functions.row] = predicted
            return numbers
        if len(np.unique(functions.row)) == n_rows:
            labels = np.empty(n_rows, self.classes.dtype)
        else:
            labels = np.full(n_rows, None, object)
        labels[functions.row] = self.classes[predicted.astype(np.intp)]
        return labels

    def _held_out_functions(self, repeat: int) -> StepFunctions:
        if self.held_out is None:
            raise OptionError(
                "This method requires the held-out predictions. Pass keep=True to cross_validate, "
                "or use CostComplexity(keep_unpruned=True)."
            )
        if not 0 <= repeat < len(self.held_out):
            raise OptionError(f"repeat must be from 0 to {len(self.held_out) - 1}, got {repeat}.")
        return self.held_out[repeat]

    def _check_step(self, step: int) -> int:
        at = step + len(self) if step < 0 else step
        if not 0 <= at < len(self):
            raise OptionError(f"step must be from {-len(self)} to {len(self) - 1}, got {step}.")
        return at


def cross_validate(
    tree: Tree | PruningSequence,
    problem: Problem,
    *,
    folds: Any = 10,
    risk: Risk = "cost",
    repeats: int = 1,
    stratify: bool = True,
    groups: Any = None,
    score: Score = "cost",
    random_state: Any = None,
    keep: bool = True,
    verbose: bool = False,
) -> CrossValidation:
    """Cross-validate every step of a tree's pruning sequence, growing one tree per fold."""
    sequence = tree if isinstance(tree, PruningSequence) else pruning_sequence(tree, risk=risk)
    if repeats < 1:
        raise OptionError(f"repeats must be at least 1, got {repeats!r}.")
    grid = np.append(sequence.alpha_between, np.inf)
    seed = read_seed(random_state)
    if not problem.table.is_whole:
        check_shard_folds(folds, groups, problem.options)
        from ceiba.shards import with_targets

        problem = with_targets(problem)
    work = FoldTree(problem, grid, risk, keep)
    if problem.options.task is Task.SURVIVAL:
        work = make_survival_fold_tree(score, problem, grid, risk, keep)
    elif score != "cost":
        work = make_scored_fold_tree(score, problem, grid, risk, keep)
    options: dict[str, Any] = {"stratify": stratify, "groups": groups, "random_state": seed}
    make = read_folds if problem.table.is_whole else _grow_shard_folds
    plan = [make(folds, problem, repeat=r, **options) for r in range(repeats)]
    return run_folds(work, plan, verbose=verbose)


def _grow_shard_folds(folds: Any, problem: Problem, **options: Any) -> list[Fold]:
    """Grow the trees of all folds of a sharded table in the same passes over the data."""
    from ceiba.shards import grow_folds

    ids = fold_ids(folds, problem, **options)
    assert ids is not None
    train = np.empty(0, np.uint32)  # no training rows, because the trees are already grown
    return [GrownFold(train, *grown) for grown in grow_folds(problem, ids)]


def run_folds(
    fold_tree: FoldTree, plan: list[list[Fold]], *, verbose: bool = False
) -> CrossValidation:
    """Call `fold_tree` on the folds of all repeats, and merge the results."""
    for folds in plan:
        for number, fold in enumerate(folds, 1):
            if not fold.has_weight(fold_tree.problem.row_weight):
                raise DataError(
                    f"Fold {number} of {len(folds)} must not hold out all rows with a positive "
                    "weight. Remove zero-weight rows, or pass other folds."
                )
    repeats = [_run_repeat(fold_tree, plan, number, verbose) for number in range(len(plan))]
    figures = [
        fold_tree.mean_and_variance(repeat.first, repeat.second, folds)
        for repeat, folds in zip(repeats, plan, strict=True)
    ]
    risks = np.stack([risk for risk, _ in figures])
    several = len(figures) > 1
    problem = fold_tree.problem
    has_classes = problem.options.task.has_classes
    return CrossValidation(
        alpha=fold_tree.grid,
        risk=np.ldexp(risks.mean(axis=0), fold_tree.exponent),
        se=np.ldexp(np.sqrt(np.mean([v for _, v in figures], axis=0)), fold_tree.exponent),
        sd=np.ldexp(risks.std(axis=0, ddof=1), fold_tree.exponent)
        if several
        else np.full(risks.shape[1], np.nan),
        n_folds=len(plan[0]),
        n_repeats=len(plan),
        row_weight=problem.row_weight,
        classes=problem.target.info.classes[0] if has_classes else None,
        codes=problem.target.values[:, 0] if has_classes else None,
        costs=problem.scales.costs if has_classes else None,
        held_out=tuple(StepFunctions.concatenate(repeat.functions) for repeat in repeats)
        if fold_tree.keep
        else None,
    )


# ---------------------------------------------------------------------- all folds


@dataclass
class _RepeatSums:
    """Sums of scores and of their squares at each alpha over the folds of one repeat."""

    first: Array
    second: Array
    functions: list[StepFunctions]


def _run_repeat(
    fold_tree: FoldTree, plan: list[list[Fold]], number: int, verbose: bool
) -> _RepeatSums:
    """Score the folds of one repeat, in threads for large tables, and sum the scores in order."""
    problem, folds = fold_tree.problem, plan[number]
    work = problem.n_rows * problem.table.n_columns
    threads = n_threads(problem.options.n_jobs, work, n_tasks=len(folds))
    workers = min(threads, len(folds))
    total = _RepeatSums(np.zeros(len(fold_tree.grid)), np.zeros(len(fold_tree.grid)), [])
    n_jobs = threads // max(workers, 1)
    results = _fold_results(fold_tree, folds, workers, n_jobs)
    listener, n_folds = find_listener("folds"), sum(map(len, plan))
    for done, (first, second, functions) in enumerate(results, 1 + sum(map(len, plan[:number]))):
        total.first += first
        total.second += second
        if functions is not None:
            total.functions.append(functions)
        if listener is not None:
            listener(done, n_folds)
        if verbose:
            bar, end = "#" * (30 * done // n_folds), "\n" if done == n_folds else ""
            text = f"\rcross-validation [{bar:<30}] fold {done} of {n_folds}"
            print(text, end=end, file=sys.stderr, flush=True)
    return total


def _fold_results(
    fold_tree: FoldTree, folds: list[Fold], workers: int, n_jobs: int
) -> Iterator[tuple[Array, Array, StepFunctions | None]]:
    if workers <= 1:  # run the folds in this thread, so that Ctrl-C interrupts growing
        for fold in folds:
            yield fold_tree(fold, 1)
        return
    with ThreadPoolExecutor(workers) as pool:
        try:
            started = []
            with suppress(RuntimeError):  # if no thread can start, the other folds run below
                for fold in folds:
                    started.append(pool.submit(fold_tree, fold, n_jobs))
            for future in started:
                yield future.result()
            for fold in folds[len(started) :]:
                yield fold_tree(fold, n_jobs)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
