"""rpart's complexity of nodes, and its stop rule `cp`.

From the leaves up, a node's complexity is g = (R(t) - risk of what is kept below) / splits kept
below. The son with the smaller complexity is taken out of that sum first if g is larger than its
complexity, then g is taken anew, then the other son (partition.c of rpart 4.1). A node whose
complexity does not exceed alpha = cp * R(root) loses its sons.

This is nearly the weakest-link order, but not always: what was taken out is not put back when a
node above goes first, so about one tree in five has an inner node with too small a complexity.
Trees as R grows them need this rule. For the pruning itself use `pruning_sequence`, which is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import TreeError
from ceiba.prune.cost_complexity import risk_sums

if TYPE_CHECKING:
    from ceiba.tree import Tree

__all__ = ["prune_by_cp", "rpart_complexity"]

Array = npt.NDArray[np.float64]

# What is equal on paper may differ in the last bits when weights or priors are not whole numbers.
_NOISE: Final = 1e-12


def prune_by_cp(tree: Tree, cp: float) -> Tree:
    """Collapse what rpart would not have kept with this `cp`.

    Parameters
    ----------
    tree : Tree
        Grown without a cp stop.
    cp : float
        Share of the root's risk that each split must save, by rpart's reckoning; below 0: all
        splits are kept.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import prune_by_cp
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ceiba.DecisionTreeClassifier(min_samples_leaf=7).fit(X, y).tree_
    >>> tree.n_leaves, prune_by_cp(tree, 0.01).n_leaves
    (6, 3)
    """
    risk, _ = risk_sums(tree, "cost")
    alpha = cp * float(risk[0])
    _, inner = _complexity(tree, risk, alpha)
    return tree.collapse(np.flatnonzero(~inner & ~tree.is_leaf))


def rpart_complexity(tree: Tree, cp: float) -> Array:
    """Give each node's complexity as rpart has it, as a share of the root's risk.

    Leaves have `cp`; no node has more than its parent.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.prune import rpart_complexity
    >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
    >>> rpart_complexity(model.tree_, 0.01)
    array([1.  , 0.01, 0.01])
    """
    risk, _ = risk_sums(tree, "cost")
    whole = float(risk[0]) or 1.0
    complexity, _ = _complexity(tree, risk, cp * whole)
    parent = tree.parent.tolist()
    for i in range(1, tree.n_nodes):
        complexity[i] = min(complexity[i], complexity[parent[i]])
    return np.array(complexity) / whole


def _complexity(tree: Tree, sums: Array, alpha: float) -> tuple[list[float], npt.NDArray[np.bool_]]:
    """Give the complexities in units of the risks, and which nodes keep their sons."""
    if not tree.is_binary:
        raise TreeError("rpart's complexity is for binary trees; this one has multiway splits.")
    risk = sums.tolist()
    start, sons = tree.branch_start.tolist(), tree.branch_node.tolist()
    complexity = [alpha] * tree.n_nodes
    kept_risk, kept_splits = risk.copy(), [0] * tree.n_nodes
    for i in range(tree.n_nodes - 1, -1, -1):
        if start[i] == start[i + 1]:
            continue
        first, second = sons[start[i]], sons[start[i] + 1]
        if complexity[second] < complexity[first]:
            first, second = second, first
        noise = _NOISE * risk[i]
        below = [kept_risk[first], kept_risk[second]]
        splits = [kept_splits[first], kept_splits[second]]
        link = (risk[i] - sum(below)) / (sum(splits) + 1)
        for at, son in enumerate((first, second)):
            if link <= complexity[son] + noise:
                break
            below[at], splits[at] = risk[son], 0
            link = (risk[i] - sum(below)) / (sum(splits) + 1)
        complexity[i] = link
        if link > alpha + noise:
            kept_risk[i], kept_splits[i] = sum(below), sum(splits) + 1
    return complexity, np.array(kept_splits) > 0
