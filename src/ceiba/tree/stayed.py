"""The risk of rows that stay in an inner node: their value is missing and no branch takes them.

A node holds what all its rows say, its branches what theirs say; the difference are the rows that
stayed. From class counts the cost of the node's answer to them is exact. So is the squared error:
that of a branch's rows about the node's mean is their own plus weight x distance^2. Of other losses
the node does not know enough, and they take their share of its risk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceiba.tree.arrays import Array
from ceiba.tree.impurity import scale_by_prior

if TYPE_CHECKING:
    from ceiba.tree.figures import Figures

__all__ = ["stayed_risk"]


def stayed_risk(tree: Figures) -> Array:
    """Give the part of R(t) that rows staying in inner node t have; 0 where none do, NaN unknown.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.tree.stayed import stayed_risk
    >>> stayed_risk(ceiba.tree.build(("x <= 2.5", "a", "b"))).tolist()
    [0.0, 0.0, 0.0]
    """
    result = np.zeros(tree.n_nodes)
    at = np.flatnonzero(~tree.is_leaf & (tree.default_branch < 0) & (tree.sent_default > 0))
    if len(at) == 0:
        return result
    if tree.counts is not None and tree.n_outputs == 1:
        result[at] = _cost(tree, at)
    elif tree.criterion == "squared_error" and tree.n_outputs == 1:
        result[at] = _squares(tree, at)
    else:
        result[at] = tree.part_ending[at] * tree.risk[at]
    return result


def _cost(tree: Figures, at: Array) -> Array:
    """Give the cost of the nodes' answers to the rows that stay, by their class counts."""
    assert tree.counts is not None
    counts = scale_by_prior(tree.counts, tree.class_prior)[:, 0, :]
    gone = np.zeros_like(counts)
    np.add.at(gone, tree.parent[1:], counts[1:])
    left = np.maximum(counts[at] - gone[at], 0.0)
    costs = 1.0 - np.eye(left.shape[1]) if tree.cost_matrix is None else tree.cost_matrix
    whole = tree.weight[0] if tree.weight[0] > 0 else 1.0
    return np.asarray((left * costs[:, tree.answer[at]].T).sum(axis=1) / whole)


def _squares(tree: Figures, at: Array) -> Array:
    """Give the squared error of the rows that stay: the node's less that of its branches' rows."""
    value, parent, share = tree.value[:, 0, 0], tree.parent[1:], tree.share[1:]
    about_parent = tree.risk[1:] + share * (value[1:] - value[parent]) ** 2
    gone = np.bincount(parent, weights=about_parent, minlength=tree.n_nodes)
    return np.asarray(np.maximum(tree.risk[at] - gone[at], 0.0))
