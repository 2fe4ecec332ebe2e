"""Compute impurity, gain and risk of nodes from class probabilities and node shares.

The formulas are those of `ceiba.criteria`; criteria that score splits (twoing, hellinger) use
gini at nodes. With costs, the impurity uses the altered priors p(k) sum_j C[k, j], normalized as
in the split search (Breiman et al. 1984, section 4.4). `recount.py` computes the impurity of
regression nodes. Gain is the impurity decrease per unit of node weight. The risk R(t) = r(t) p(t)
is the expected cost of the node's prediction times the node's share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceiba.criteria import TEST_CRITERIA, criterion_named, gini, split_gain
from ceiba.errors import TreeError
from ceiba.task import Task
from ceiba.tree.arrays import Array

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree


def scale_by_prior(counts: Array, prior: Array | None) -> Array:
    """Scale class counts so that the root counts are proportional to the prior."""
    if prior is None:
        return counts
    totals = counts[0, 0]
    with np.errstate(over="ignore"):
        factor = np.divide(prior, totals, out=np.zeros_like(totals), where=totals > 0)
    if np.isinf(factor).any():  # subnormal weights
        share = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        return np.asarray(share * prior * totals.sum())
    return np.asarray(counts * factor * totals.sum())


def alter_priors(probability: Array, cost_matrix: Array | None) -> Array:
    """Return class probabilities under priors altered by the cost matrix."""
    if cost_matrix is None:
        return probability
    mass = probability * cost_matrix.sum(axis=1)
    total = mass.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(mass, total, out=probability.copy(), where=total > 0))


def class_impurity(probability: Array, criterion: str) -> Array:
    """Return the impurity of class probabilities (gini if the criterion only scores splits)."""
    if criterion in TEST_CRITERIA:
        raise TreeError(
            f"Criterion {criterion!r} does not define a node impurity, because it selects splits "
            "by a significance test."
        )
    formula = criterion_named(criterion, Task.CLASSIFICATION).of_counts or gini
    return np.asarray(formula(probability))


def class_risk(probability: Array, answer: Array, share: Array, cost_matrix: Array | None) -> Array:
    """Return the risk of each node: expected cost times its share, or NaN for several outputs."""
    if probability.shape[1] > 1:
        return np.full(len(probability), np.nan)
    p = probability[:, 0, :]
    if cost_matrix is None:
        cost = 1.0 - np.take_along_axis(p, answer[:, None], axis=1)[:, 0]
    else:
        cost = np.sum(p * cost_matrix[:, answer].T, axis=1)
    return np.asarray(np.maximum(cost, 0.0) * share)


@np.errstate(over="ignore", invalid="ignore")  # may overflow to infinity
def gains(tree: Tree, impurity: Array, share: Array) -> Array:
    """Return the gain of each split per unit of weight in its branches, or 0 at leaves."""
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
        pair = tree.branch_node[tree.branch_start[two][:, None] + [0, 1]]
        p = alter_priors(tree.class_probability, tree.cost_matrix)
        gain[two] = of_split(p[pair] * share[pair][..., None])
    return gain
