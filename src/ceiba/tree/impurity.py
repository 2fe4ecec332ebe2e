"""Impurity, gain and risk of nodes from what the nodes hold.

For class probabilities p: gini sum p (1 - p), entropy -sum p log2 p (bits), error 1 - max p;
criteria of splits (twoing, hellinger) have no impurity of their own and show gini; their gain at a
node with two branches is that of the split (`criteria.py`). With costs the impurity is that of the
altered priors, p(k) sum_j C[k, j] normalised, as in the split search (Breiman et al. 1984, 4.4).
For regression the impurity comes with the moments (`recount.py`). Gain is the decrease per unit of
node weight; risk R(t) = r(t) p(t): the expected cost of the node's answer times its share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceiba.criteria import split_gain
from ceiba.errors import TreeError
from ceiba.tree.arrays import Array

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

__all__ = ["altered", "class_impurity", "class_risk", "gains", "scale_by_prior"]


def scale_by_prior(counts: Array, prior: Array | None) -> Array:
    """Scale class counts of shape (n, 1, K) so that the root's are in proportion to the prior."""
    if prior is None:
        return counts
    whole = counts[0, 0]
    factor = np.divide(prior, whole, out=np.zeros_like(whole), where=whole > 0)
    return np.asarray(counts * factor * whole.sum())


def altered(probability: Array, cost_matrix: Array | None) -> Array:
    """Turn class probabilities into those of the altered priors, by the costs of each truth."""
    if cost_matrix is None:
        return probability
    mass = probability * cost_matrix.sum(axis=1)
    total = mass.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(mass, total, out=probability.copy(), where=total > 0))


def class_impurity(probability: Array, criterion: str) -> Array:
    """Give the impurity of class probabilities over the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> class_impurity(np.array([0.5, 0.5]), "entropy").item()
    1.0
    """
    p = np.asarray(probability, np.float64)
    if criterion == "gini" or split_gain(criterion) is not None:
        # Not 1 - sum p^2: a pure node is exactly 0.
        return np.asarray(np.sum(p * (1.0 - p), axis=-1))
    if criterion in ("entropy", "log_loss", "gain_ratio"):
        log = np.log2(p, out=np.zeros_like(p), where=p > 0)
        return np.asarray(np.abs(np.sum(p * log, axis=-1)))
    if criterion == "error":
        return np.asarray(1.0 - np.max(p, axis=-1))
    raise TreeError(
        f"Criterion {criterion!r} has no impurity of class probabilities. "
        "Known: gini, entropy, log_loss, error, twoing, hellinger, gain_ratio."
    )


def class_risk(probability: Array, answer: Array, share: Array, cost_matrix: Array | None) -> Array:
    """Give R(t) of nodes that answer with class `answer`: expected cost times share.

    `probability` has shape (n, n_outputs, K), `answer` (n,). Several outputs have no single risk:
    NaN.
    """
    if probability.shape[1] > 1:
        return np.full(len(probability), np.nan)
    p = probability[:, 0, :]
    if cost_matrix is None:
        cost = 1.0 - np.take_along_axis(p, answer[:, None], axis=1)[:, 0]
    else:
        cost = np.sum(p * cost_matrix[:, answer].T, axis=1)
    return np.asarray(np.maximum(cost, 0.0) * share)


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
    of_split = split_gain(tree.criterion)
    if of_split is not None and tree.n_outputs == 1:
        two = inner[tree.n_branches[inner] == 2]
        sides = tree.branch_node[tree.branch_start[two][:, None] + [0, 1]]
        p = altered(tree.class_probability, tree.cost_matrix)
        gain[two] = of_split(p[sides] * share[sides][..., None])
    return gain
