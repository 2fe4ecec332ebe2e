"""Impurity, gain and risk of nodes from what the nodes hold.

For class probabilities p: gini 1 - sum p^2, entropy -sum p log2 p (bits), error 1 - max p; twoing
has no impurity of its own and shows gini. For regression the impurity comes with the moments
(`recount.py`). Gain is the decrease per unit of node weight; risk R(t) is r(t) p(t) as in Breiman
et al. (1984): the expected cost of the node's answer times the node's share of the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceiba.errors import TreeError
from ceiba.tree.arrays import Array

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

__all__ = ["class_impurity", "class_risk", "gains"]


def class_impurity(probability: Array, criterion: str) -> Array:
    """Give the impurity of class probabilities over the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> class_impurity(np.array([0.5, 0.5]), "entropy").item()
    1.0
    """
    p = np.asarray(probability, np.float64)
    if criterion in ("gini", "twoing"):
        return np.asarray(1.0 - np.sum(p * p, axis=-1))
    if criterion in ("entropy", "log_loss"):
        log = np.log2(p, out=np.zeros_like(p), where=p > 0)
        return np.asarray(np.abs(np.sum(p * log, axis=-1)))
    if criterion == "error":
        return np.asarray(1.0 - np.max(p, axis=-1))
    raise TreeError(
        f"Criterion {criterion!r} has no impurity of class probabilities. "
        "Known: gini, entropy, log_loss, error, twoing."
    )


def class_risk(probability: Array, answer: Array, share: Array, cost_matrix: Array | None) -> Array:
    """Give R(t) of nodes that answer with class `answer`: expected cost times share.

    `probability` has shape (n, n_outputs, K), `answer` (n, n_outputs); outputs are averaged.
    """
    if cost_matrix is None:
        right = np.take_along_axis(probability, answer[:, :, None], axis=2)[:, :, 0]
        cost = np.where(probability.sum(axis=2) > 0, 1.0 - right, 0.0)
    else:
        cost = np.sum(probability * cost_matrix[:, answer].transpose(1, 2, 0), axis=2)
    return np.asarray(np.maximum(cost.mean(axis=1), 0.0) * share)


def gains(tree: Tree, impurity: Array, share: Array) -> Array:
    """Give the impurity decrease of each node by its split, per unit of weight in its branches."""
    inner = np.flatnonzero(~tree.is_leaf)
    gain = np.zeros(tree.n_nodes)
    if len(inner) == 0:
        return gain
    below = tree.branch_node
    first = tree.branch_start[inner]
    mass = np.add.reduceat(share[below], first)
    weighted = np.add.reduceat(share[below] * impurity[below], first)
    mean = np.divide(weighted, mass, out=impurity[inner].copy(), where=mass > 0)
    gain[inner] = impurity[inner] - mean
    return gain
