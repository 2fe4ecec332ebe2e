"""Build a `Tree` from parents, splits and leaf values, and derive all other fields.

Branch lists follow from the parents. An inner node gets the total weight of its leaves and, if its
value is NaN, their weighted mean value. Impurity, gain and risk follow from the values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.criteria import DEFAULT_CRITERION
from ceiba.table import Schema
from ceiba.task import Task
from ceiba.tree.arrays import Array, sum_over_subtrees
from ceiba.tree.impurity import alter_priors, class_impurity, class_risk, gains
from ceiba.tree.invariants import check
from ceiba.tree.splits.split_table import SplitKind, SplitTable
from ceiba.tree.tree import Missing, Tree, Unseen


def branches_from_parents(parent: Array) -> tuple[Array, Array]:
    """Return `branch_start` and `branch_node` of a tree numbered in pre-order."""
    above = np.asarray(parent)[1:]
    count = np.bincount(above, minlength=len(parent)) if len(above) else np.zeros(len(parent), int)
    start = np.concatenate(([0], np.cumsum(count)))
    return start.astype(np.int32), (np.argsort(above, kind="stable") + 1).astype(np.int32)


def from_arrays(
    schema: Schema,
    *,
    parent: npt.ArrayLike,
    splits: SplitTable,
    value: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    n_rows: npt.ArrayLike | None = None,
    weight: npt.ArrayLike | None = None,
    impurity: npt.ArrayLike | None = None,
    default_branch: npt.ArrayLike | None = None,
    criterion: str | None = None,
    missing: Missing = "majority",
    unseen: Unseen = "majority",
    cost_matrix: npt.ArrayLike | None = None,
    class_prior: npt.ArrayLike | None = None,
) -> Tree:
    """Build a tree from arrays with the parent, split and value of each node.

    Parameters
    ----------
    schema : Schema
        With a target.
    parent : array of shape (n,)
        Parent of each node in pre-order, -1 at the root.
    splits : SplitTable
        The split of each node; `SplitTable.cuts(column, cut)` for numeric trees.
    value : array of shape (n, n_outputs, max_classes), (n, max_classes) or (n,)
        Class probabilities or values of the nodes. Inner nodes may be NaN: they get the weighted
        mean of their leaves.
    counts : array like `value`, optional
        Weighted class counts.
    n_rows, weight : arrays of shape (n,), optional
        Only the leaves are read. Default: 0 rows; the weight is `n_rows`, or 1 without `n_rows`.
    impurity : array of shape (n,), optional
        Default: from the probabilities; for regression the variance of the leaves' values.
    default_branch : array of shape (n,), optional
        Branch of missing values. Default: the branch reserved for them, else the heaviest.
    criterion, missing, unseen, cost_matrix, class_prior
        As in `Tree`. The criterion defaults to gini or squared_error.

    Returns
    -------
    Tree

    Examples
    --------
    >>> import numpy as np
    >>> import ceiba
    >>> from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo
    >>> target = TargetInfo(name="y", task="regression", classes=(), n_outputs=1)
    >>> schema = Schema(columns=(ColumnInfo("x", Kind.NUMERIC),), target=target, named=True)
    >>> splits = ceiba.tree.SplitTable.cuts(np.array([0, -1, -1]), np.array([2.5, 0, 0]))
    >>> tree = ceiba.tree.from_arrays(
    ...     schema, parent=[-1, 0, 0], splits=splits, value=[np.nan, 1.0, 3.0])
    >>> tree.predict({"x": [0.0, 5.0]}).tolist()
    [1.0, 3.0]
    """
    above = np.asarray(parent, np.int32)
    n = len(above)
    numbers = np.asarray(value, np.float64)
    numbers = numbers.reshape(n, 1, -1) if numbers.ndim < 3 else numbers
    task = Task.CLASSIFICATION if schema.target is None else schema.target.task
    bare = build_empty_tree(
        schema,
        above,
        splits,
        np.full(n, -1),
        value=numbers,
        counts=None if counts is None else np.asarray(counts, np.float64).reshape(numbers.shape),
        risk=np.full(n, np.nan),
        criterion=criterion or task.lookup(DEFAULT_CRITERION, "A tree from arrays"),
        missing=missing,
        unseen=unseen,
        cost_matrix=None if cost_matrix is None else np.asarray(cost_matrix),
        class_prior=None if class_prior is None else np.asarray(class_prior),
    )
    check(bare, content=False)
    weighed = _fill_weights(bare, n_rows, weight)
    default: Any = default_branch
    if default is None:
        alone = (splits.kind != SplitKind.PRESENCE) & splits.has_missing_branch
        default = np.where(alone, bare.n_branches - 1, weighed.majority_branch)
    tree = _fill_impurity_and_risk(replace(weighed, default_branch=np.asarray(default)), impurity)
    check(tree)
    return tree


def _fill_weights(tree: Tree, n_rows: Any, weight: Any) -> Tree:
    """Sum leaf rows, weights and counts over subtrees; set NaN values of inner nodes to means."""

    def up(leaves: Any) -> Array:
        leaf_values = np.where(tree.is_leaf.reshape(-1, *[1] * (np.ndim(leaves) - 1)), leaves, 0.0)
        return sum_over_subtrees(tree, leaf_values)

    if weight is None:
        weight = np.ones(tree.n_nodes) if n_rows is None else n_rows
    total = up(np.asarray(weight, np.float64))
    mean = np.divide(
        up(np.nan_to_num(tree.value) * np.asarray(weight, np.float64)[:, None, None]),
        total[:, None, None],
        out=np.zeros_like(tree.value),
        where=total[:, None, None] > 0,
    )
    return replace(
        tree,
        n_rows=np.zeros(tree.n_nodes) if n_rows is None else up(np.asarray(n_rows)),
        weight=total,
        value=np.where(np.isnan(tree.value) & ~tree.is_leaf[:, None, None], mean, tree.value),
        counts=None if tree.counts is None else up(tree.counts),
    )


def _fill_impurity_and_risk(tree: Tree, impurity: Any) -> Tree:
    """Return the tree with computed gains, risks and, unless given, impurities."""
    if tree.task.is_classification("A tree from arrays"):
        if impurity is None:
            probability = alter_priors(tree.value, tree.cost_matrix)
            impurity = class_impurity(probability, tree.criterion).mean(axis=1)
        risk = class_risk(tree.value, tree.answer, tree.share, tree.cost_matrix)
    else:
        impurity = _leaf_variance(tree) if impurity is None else impurity
        risk = tree.share * np.asarray(impurity, np.float64)
    impurity = np.asarray(impurity, np.float64)
    gain = gains(tree, impurity, tree.search_share)
    return replace(tree, impurity=impurity, risk=risk, gain=gain)


def _leaf_variance(tree: Tree) -> Array:
    """Return the variance of the leaf values in the subtree of each node."""
    number = tree.value[:, :, 0]
    leaf_squares = np.where(tree.is_leaf, tree.weight, 0.0)[:, None] * number**2
    square = sum_over_subtrees(tree, leaf_squares)
    mean = square / np.where(tree.weight > 0, tree.weight, 1.0)[:, None]
    return np.where(tree.is_leaf, 0.0, np.maximum(mean - number**2, 0.0).mean(axis=1))


def build_empty_tree(
    schema: Schema, parent: Array, splits: SplitTable, default_branch: Array, **facts: Any
) -> Tree:
    """Return a tree with these splits but no counts and values, which `refit_leaves` sets."""
    n = len(parent)
    start, node = branches_from_parents(parent)
    if "value" not in facts:
        target = schema.target
        assert target is not None
        classes = target.task.has_classes
        value = np.zeros((n, target.n_outputs, target.width))
        if classes:
            value[:, :, 0] = 1.0
        facts |= {"value": value, "counts": np.zeros_like(value) if classes else None}
    unknown = ("n_rows", "weight", "impurity", "gain", "risk", "sent_default")
    return Tree(
        schema=schema,
        parent=parent,
        branch_start=start,
        branch_node=node,
        splits=splits,
        default_branch=default_branch,
        **(dict.fromkeys(unknown, np.zeros(n)) | facts),
    )
