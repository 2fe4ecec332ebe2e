"""Set leaf values after growing and pruning, and warn about empty leaves and target leaks.

The strength of a smoothing is chosen by cross-validation in one pass: a tree per fold, grown and
pruned as in the fit, predicts its held-out rows with every strength at once. Classification: least
log loss (under priors, if any); regression: least squared error.

A column that alone decides the target is usually a leak. `warn_of_leak` warns if the first split
(or the first two on the same column) leaves at most 0.5 % of the root's risk and every branch has
at least 0.5 % of the rows. Tables of fewer than 200 rows are not checked: such columns are common
in them, and their fits take microseconds.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import CeibaWarning, LeakWarning, OptionError
from ceiba.grow import (
    Honest,
    MEstimate,
    Problem,
    Shrinkage,
    expand_leaf_values,
    fixed_strength,
    smoothed_values,
)
from ceiba.prune.cross_validation import read_folds
from ceiba.table import Table, should_warn_identifier
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import route

MIN_ROWS_FOR_LEAK = 200
_MAX_RISK_LEFT = 0.005
#: If a column determines the target, splits on it leave at most this share of the impurity.
_MAX_IMPURITY_LEFT = 0.25
FOLDS = 10
_MIN_PROBABILITY = 1e-15  # lower limit of probabilities, which keeps their logarithms finite


def warn_of_leak(tree: Tree, table: Table) -> None:
    """Warn if the column of the first split alone determines the target."""
    grown = tree._grown
    # In most trees, the remaining impurity already excludes a leak, so skip the slower check.
    if (
        grown is not None
        and grown.factor is None
        and grown.costs is None
        and grown.arrays.left_by_first_column() > _MAX_IMPURITY_LEFT
    ):
        return
    if tree.n_outputs > 1 or tree.n_leaves == 1:
        return
    total = float(tree.risk[0])
    # Allow a second cut of the column: replace one child of a binary root by its children.
    start, branches, column = tree.branch_start, tree.branch_node, tree.splits.column
    parts = branches[: start[1]].tolist()
    again = [i for i in parts if not tree.is_leaf[i] and column[i] == column[0]]
    if again and len(parts) <= 2:
        top = max(again, key=lambda i: float(tree.risk[i]))
        parts = [i for i in parts if i != top] + branches[start[top] : start[top + 1]].tolist()
    left = float(tree.risk[parts].sum())
    smallest = int(tree.n_rows[parts].min())
    if not (total > 0 and left <= _MAX_RISK_LEFT * total and math.isfinite(left)):
        return  # the risk is infinite if the squares of large targets overflow
    if smallest < max(2, table.n_rows // 200):
        return
    first = int(column[0])
    by_column = table.is_whole and table.matrix is None and table.sparse is None
    if by_column and should_warn_identifier(table.columns, first):
        return
    name = tree.schema.names[first]
    target = "the target" if tree.target.name is None else repr(tree.target.name)
    warnings.warn(
        f"Column {name!r} alone decides {target} (remaining share of risk: {left / total:.2g}). "
        f"Remove the column if it is not known before {target}, because it is then a leak.",
        LeakWarning,
        stacklevel=4,
    )


def read_leaf_values(params: Mapping[str, Any]) -> tuple[Honest | None, Any]:
    """Return the `Honest` object and the smoothing rule in `leaf_values`, each None if absent."""
    rule = expand_leaf_values(params["leaf_values"])
    honest = rule if isinstance(rule, Honest) else None
    if honest is not None:
        honest.check()
        rule = expand_leaf_values(honest.values)
    if isinstance(rule, MEstimate | Shrinkage):
        rule.check()
    rule = None if rule == "share" else rule
    if (honest is not None or rule is not None) and params.get("monotonic_cst") is not None:
        raise OptionError(
            f"leaf_values={params['leaf_values']!r} is not supported with monotonic_cst. Omit one."
        )
    return honest, rule


def read_levels(levels: Any, n_outputs: int) -> npt.NDArray[np.float64]:
    """Return the levels of `leaf_quantiles` as an array; raise an error for invalid levels."""
    try:
        values = np.asarray(levels, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.ndim != 1 or not len(values) or not ((values > 0) & (values < 1)).all():
        raise OptionError(
            "leaf_quantiles must be a sequence of quantile levels between 0 and 1, such as "
            f"(0.1, 0.5, 0.9), got {levels!r}."
        )
    if (np.diff(values) <= 0).any():
        raise OptionError(f"leaf_quantiles must be strictly increasing, got {levels!r}.")
    if n_outputs > 1:
        raise OptionError(
            f"leaf_quantiles requires a single-output target, got {n_outputs} outputs. Fit one "
            "tree per output."
        )
    return values


def warn_of_empty_leaves(tree: Tree) -> None:
    """Warn about leaves of an honest tree that have no rows to compute their values."""
    empty = int(np.count_nonzero(tree.is_leaf & (tree.weight <= 0)))
    if empty:
        warnings.warn(
            f"{empty} of {tree.n_leaves} honest leaves have no rows and predict their parent's "
            f"value. Increase min_samples_leaf, or prune the tree.",
            CeibaWarning,
            stacklevel=4,
        )


def choose_strength(
    problem: Problem, rule: Any, fit_fold: Callable[[npt.NDArray[Any]], Tree], seed: int
) -> float:
    """Return the given smoothing strength, or choose it by cross-validation."""
    fixed = fixed_strength(rule)
    if fixed is not None:
        return float(fixed)
    loss = np.zeros(len(rule.grid))
    weight = problem.row_weight * _prior_factor(problem)
    n_folds = max(2, min(FOLDS, problem.n_rows))
    for fold in read_folds(n_folds, problem, random_state=seed):
        if not weight[fold.train].any():  # all training rows of the fold have weight 0
            continue
        # One tree per fold is enough, because the strength changes only the node values.
        tree = fit_fold(fold.train.astype(np.uint32))
        table, truth = problem.table.take(fold.test), problem.target.values[fold.test]
        if tree.missing == "fractional":  # a row may end in several nodes
            start, node, share = route.spread(tree, table)
        else:
            node = route.apply(tree, table)
            start, share = np.arange(len(node) + 1), np.ones(len(node))
        for g, strength in enumerate(rule.grid):
            value = smoothed_values(tree, rule, strength)[node] * share[:, None, None]
            answer = np.add.reduceat(value, start[:-1], axis=0)
            loss[g] += float(weight[fold.test] @ _losses(answer, truth, tree.task))
    return float(rule.grid[int(np.argmin(loss))])


def _losses(answer: Any, truth: Any, task: Task) -> Any:
    if task.is_regression("Smoothing of leaf values"):
        return ((answer[:, :, 0] - truth) ** 2).mean(axis=1)
    right = np.take_along_axis(answer, truth[:, :, None].astype(np.intp), axis=2)[:, :, 0]
    return -np.log(np.maximum(right, _MIN_PROBABILITY)).mean(axis=1)


def _prior_factor(problem: Problem) -> Any:
    """Return the factor by which the class priors scale the weight of each row."""
    prior = problem.scales.prior
    if prior is None:
        return np.ones(problem.n_rows)
    codes = problem.target.values[:, 0]
    sums = np.bincount(codes, weights=problem.row_weight, minlength=len(prior))
    factor = prior / np.where(sums > 0, sums, 1.0)
    return factor[codes] * problem.row_weight.sum()
