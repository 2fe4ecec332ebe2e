"""What leaves answer after growing and pruning: honest rows, smoothed values, and their strength.

The strength of a smoothing is chosen by cross-validation in one pass: a tree per fold, grown and
pruned as the fit is, answers its held-out rows under every strength at once. Classification: least
log loss (under priors, if there are any); regression: least squared error.

Also a warning after fitting that one column alone decides the target, which is mostly a leak. It is
looked for where the tree begins: a column that parts the rows into two or three branches without
mistakes (at most 0.5 % of the root's risk is left), each of at least 0.5 % of the rows. Tables of
fewer than 200 rows are not looked at: there such a column is common, and a fit takes microseconds.
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
    smoothed_values,
    strength_of,
)
from ceiba.prune.cross_validation import read_folds
from ceiba.table import Table, warned_identifier
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import route

FEWEST_ROWS = 200
_LEFT = 0.005
#: Share of the impurity (of any criterion) that a column which leaves no risk cannot leave. The
#: core knows it at once; the arrays of the tree would take as long as a small fit.
_HOPELESS = 0.25
FOLDS = 10
_LEAST = 1e-15  # probability of what was held to be impossible, as in scikit-learn's log loss


def warn_of_leak(tree: Tree, table: Table) -> None:
    """Warn if the first column of a tree, fitted to `FEWEST_ROWS` or more, decides the target."""
    if tree._left_by_first_feature > _HOPELESS:
        return
    if tree.n_outputs > 1 or tree.n_leaves == 1:
        return
    whole = float(tree.risk[0])
    # The branches of the root, one of them split again if by the same column.
    start, branches, column = tree.branch_start, tree.branch_node, tree.splits.column
    parts = branches[: start[1]].tolist()
    again = [i for i in parts if not tree.is_leaf[i] and column[i] == column[0]]
    if again and len(parts) <= 2:
        most = max(again, key=lambda i: float(tree.risk[i]))
        parts = [i for i in parts if i != most] + branches[start[most] : start[most + 1]].tolist()
    left = float(tree.risk[parts].sum())
    smallest = int(tree.n_rows[parts].min())
    decides = whole > 0 and left <= _LEFT * whole and math.isfinite(left)  # squares may overflow
    if not decides or smallest < max(2, table.n_rows // 200):
        return
    first = int(column[0])
    by_column = table.is_whole and table.matrix is None and table.sparse is None
    if by_column and warned_identifier(table.columns, first):
        return
    name = tree.schema.names[first]
    target = "the target" if tree.target.name is None else repr(tree.target.name)
    warnings.warn(
        f"Column {name!r} alone decides {target}: it leaves {left / whole:.2g} of the risk. Is it "
        f"known before {target} is? If not, it is a leak: leave it out.",
        LeakWarning,
        stacklevel=4,
    )


def read_leaf_values(params: Mapping[str, Any]) -> tuple[Honest | None, Any]:
    """Return the honest leaves, if any, and the rule of values: None for shares and means."""
    rule = expand_leaf_values(params.get("leaf_values", "share"))
    honest = rule if isinstance(rule, Honest) else None
    if honest is not None:
        honest.check()
        rule = expand_leaf_values(honest.values)
    if isinstance(rule, MEstimate | Shrinkage):
        rule.check()
    rule = None if rule == "share" else rule
    if (honest is not None or rule is not None) and params.get("monotonic_cst") is not None:
        raise OptionError(
            f"leaf_values={params['leaf_values']!r} may break monotonic_cst. Leave one of them out."
        )
    return honest, rule


def refuse_unpruned(pruning: Any) -> None:
    """Refuse to keep an unpruned tree whose values would be others than the model's."""
    if getattr(pruning, "keep_unpruned", False):
        raise OptionError(
            "keep_unpruned=True and leaf_values do not go together: the kept tree would have other "
            "values. Leave one of them out."
        )


def warn_of_empty_leaves(tree: Tree) -> None:
    """Warn of leaves that no honest row reaches."""
    empty = int(np.count_nonzero(tree.is_leaf & (tree.weight <= 0)))
    if empty:
        warnings.warn(
            f"{empty} of {tree.n_leaves} leaves are reached by none of the rows kept for the "
            "values and take the value of the node above. A larger min_samples_leaf, or pruning, "
            "leaves fewer of them.",
            CeibaWarning,
            stacklevel=4,
        )


def chosen_strength(
    problem: Problem, rule: Any, tree_of: Callable[[npt.NDArray[Any]], Tree], seed: int
) -> float:
    """Return the strength of a smoothing, chosen by cross-validation if it is not given."""
    fixed = strength_of(rule)
    if fixed is not None:
        return float(fixed)
    loss = np.zeros(len(rule.grid))
    weight = problem.row_weight * _prior_factor(problem)
    n_folds = max(2, min(FOLDS, problem.n_rows))
    for fold in read_folds(n_folds, problem, random_state=seed):
        if not weight[fold.train].any():  # nothing to learn from
            continue
        tree = tree_of(fold.train.astype(np.uint32))
        table, truth = problem.table.take(fold.test), problem.target.values[fold.test]
        start, node, share = _ends(tree, table)
        for g, strength in enumerate(rule.grid):
            value = smoothed_values(tree, rule, strength)[node] * share[:, None, None]
            answer = np.add.reduceat(value, start[:-1], axis=0)
            loss[g] += float(weight[fold.test] @ _losses(answer, truth, tree.task))
    return float(rule.grid[int(np.argmin(loss))])


def _ends(tree: Tree, table: Any) -> tuple[Any, Any, Any]:
    """Return the nodes in which rows end, with shares, as compressed rows."""
    if tree.missing == "fractional":
        return route.spread(tree, table)
    node = route.apply(tree, table)
    return np.arange(len(node) + 1), node, np.ones(len(node))


def _losses(answer: Any, truth: Any, task: Task) -> Any:
    if task.is_regression("Smoothing of leaf values"):
        return ((answer[:, :, 0] - truth) ** 2).mean(axis=1)
    right = np.take_along_axis(answer, truth[:, :, None].astype(np.intp), axis=2)[:, :, 0]
    return -np.log(np.maximum(right, _LEAST)).mean(axis=1)


def _prior_factor(problem: Problem) -> Any:
    """Return what priors make of each row's weight."""
    prior = problem.scales.prior
    if prior is None:
        return np.ones(problem.n_rows)
    codes = problem.target.values[:, 0]
    sums = np.bincount(codes, weights=problem.row_weight, minlength=len(prior))
    factor = prior / np.where(sums > 0, sums, 1.0)
    return factor[codes] * problem.row_weight.sum()
