"""Recompute the counts and values of a tree from other data.

Rows are routed once. Weights, class counts or moments are summed over the rows that end in each
node, then over subtrees. Squared error is computed about each node's mean and merged upwards by
M2(parent) = sum over branches of M2 + w (mean - mean(parent))^2 (Chan, Golub, LeVeque 1983), which
is accurate under a large common offset. The Poisson impurity is mean(y log y) - m log m, where m is
the mean. Quantiles and their mean losses are computed node by node, in O(rows x depth).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.criteria import quantile_level, quantile_loss, weighted_quantiles
from ceiba.table import exact_sums, read_weights
from ceiba.table.targets import HazardTarget, pop_target, read_target_like
from ceiba.task import Task
from ceiba.tree.arrays import Array, sum_over_subtrees
from ceiba.tree.impurity import alter_priors, class_impurity, class_risk, gains, scale_by_prior
from ceiba.tree.notes import restore_answers
from ceiba.tree.routing import route
from ceiba.tree.routing.attach import (
    attach_rows,
    attach_survival,
    attachment_settings,
    computed_attachments,
)
from ceiba.tree.routing.row_ends import RowEnds, find_row_ends, slice_rows
from ceiba.tree.survival_nodes import SurvivalSums

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

#: Function of (groups, terms, number of groups) that sums the terms of each group.
Summation = Callable[[Array, Array, int], Array]


def sum_in_order(groups: Array, terms: Array, n: int) -> Array:
    """Return the sum of the terms in each group, added in row order."""
    return np.bincount(groups, weights=terms, minlength=n)


def sum_exactly(groups: Array, terms: Array, n: int) -> Array:
    """Return the exactly rounded sum of each group, which does not depend on the row order."""
    return exact_sums(np.ascontiguousarray(terms), groups.astype(np.int32), n)


def recount(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any,
    keep_value: bool,
    add: Summation = sum_in_order,
) -> Tree:
    """Recompute node statistics on other data, using `add` for sums; see `Tree.refit_leaves`."""
    X, y = pop_target(X, y, tree.task)
    table = route.read(tree, X)
    target = read_target_like(y, tree.target, table.n_rows).values
    weights = read_weights(sample_weight, table.n_rows)
    weight = np.ones(table.n_rows) if weights is None else weights
    ends = find_row_ends(tree, table, weight)
    sums = _Sums(target[ends.row], ends, tree.n_nodes, add)
    with np.errstate(over="ignore", invalid="ignore"):  # may overflow to infinity
        new_tree = replace(
            tree,
            n_rows=ends.n_rows,
            weight=sum_over_subtrees(tree, sums.weight()),
            sent_default=ends.sent_default,
            surrogates=None
            if tree.surrogates is None
            else replace(tree.surrogates, sent=ends.sent_surrogate),
            competitors=None,
            tests=None,
            attachments=computed_attachments(tree) if keep_value else None,
        )
        if tree.task is Task.SURVIVAL:
            new_tree = replace(new_tree, attachments=tree.attachments if keep_value else None)
            return _recount_survival(new_tree, target, weight, ends, keep_value)
        if not keep_value:
            new_tree = attach_rows(new_tree, target, ends, attachment_settings(tree))
        kinds = {Task.CLASSIFICATION: _recount_classes, Task.REGRESSION: _recount_numbers}
        return tree.task.lookup(kinds, "Recounting")(new_tree, sums, keep_value)


@dataclass(frozen=True)
class _Sums:
    """Targets and end nodes of rows, with methods that sum over the rows ending in each node."""

    target: Array
    ends: RowEnds
    n_nodes: int
    add: Summation

    def weight(self) -> Array:
        return self.add(self.ends.node, self.ends.weight, self.n_nodes)

    def class_weights(self, k: int, n_classes: int) -> Array:
        """Return the weight of each class of output k among the rows that end in each node."""
        cell = self.ends.node * n_classes + self.target[:, k]
        sums = self.add(cell, self.ends.weight, self.n_nodes * n_classes)
        return sums.reshape(self.n_nodes, -1)

    def weighted(self, terms: Array) -> Array:
        """Return the weighted sum of `terms` (one per row) over the rows that end in each node."""
        return self.add(self.ends.node, self.ends.weight * terms, self.n_nodes)


def _recount_classes(tree: Tree, sums: _Sums, keep_value: bool) -> Tree:
    leaf_counts = np.stack(
        [sums.class_weights(k, tree.value.shape[2]) for k in range(tree.n_outputs)], axis=1
    )
    tree = replace(tree, counts=sum_over_subtrees(tree, leaf_counts))
    assert tree.counts is not None
    counts = scale_by_prior(tree.counts, tree.class_prior)
    total = counts.sum(axis=2, keepdims=True)
    reached = total[:, 0, 0] > 0
    probability = np.divide(counts, total, out=tree.value.copy(), where=total > 0)
    impurity = class_impurity(alter_priors(probability, tree.cost_matrix), tree.criterion)
    impurity = np.where(reached, impurity.mean(axis=1), 0.0)
    if not keep_value:
        tree = replace(tree, value=probability)
    risk = class_risk(probability, tree.answer, tree.share, tree.cost_matrix)
    return replace(
        tree,
        impurity=impurity,
        gain=gains(tree, impurity, tree.search_share),
        risk=np.where(reached, risk, 0.0),
    )


def _recount_numbers(tree: Tree, sums: _Sums, keep_value: bool) -> Tree:
    weight, reached = tree.weight, tree.weight > 0
    if quantile_level(tree.criterion) is not None:
        value, impurity, loss = _quantile_errors(tree, sums.target, sums.ends)
    else:
        value, impurity, loss = _moments(tree, sums)
    old_value = tree.value[:, :, 0]
    value = np.where(reached[:, None], value, old_value)
    impurity = np.where(reached, impurity, 0.0)
    risk = np.where(reached, loss if keep_value else impurity, 0.0) * tree.share
    new_tree = replace(
        tree,
        value=tree.value if keep_value else value[:, :, None],
        impurity=impurity,
        gain=gains(tree, impurity, weight),
        risk=risk,
    )
    return new_tree if keep_value else restore_answers(new_tree)


def _recount_survival(
    tree: Tree, target: Array, weight: Array, ends: RowEnds, keep_value: bool
) -> Tree:
    hazard = HazardTarget(target, weight)
    sums = SurvivalSums.of(tree, hazard, ends)
    value = tree.value[:, 0, 0] if keep_value else sums.shrunken_hazard(hazard.overall)
    impurity = sums.impurity()
    new_tree = replace(
        tree,
        value=value[:, None, None],
        impurity=impurity,
        gain=gains(tree, impurity, tree.weight),
        risk=sums.losses(value) / sums.weight[0],
    )
    return new_tree if keep_value else restore_answers(attach_survival(new_tree, target, ends))


def _moments(tree: Tree, sums: _Sums) -> tuple[Array, Array, Array]:
    """Return each node's mean and impurity, and the loss of its old value on the new rows."""
    n, n_outputs = tree.value.shape[:2]
    safe = np.where(tree.weight > 0, tree.weight, 1.0)
    mean, impurity, loss = np.zeros((n, n_outputs)), np.zeros(n), np.zeros(n)
    for k in range(n_outputs):
        y, old_value = sums.target[:, k], tree.value[:, k, 0]
        m = mean[:, k] = _means(tree, y, sums)
        if tree.criterion == "poisson":
            log_sum = (
                sum_over_subtrees(tree, sums.weighted(y * np.log(np.where(y > 0, y, 1.0)))) / safe
            )
            impurity += log_sum - m * np.log(np.where(m > 0, m, 1.0))
            loss += log_sum - m * np.log(np.where(old_value > 0, old_value, 1.0)) - m + old_value
        else:
            # Node i adds its sum of squares and weight x (mean - parent's mean)^2 to the parent.
            off = np.where(tree.weight[1:] > 0, m[1:] - m[tree.parent[1:]], 0.0)
            squares = sums.weighted((y - m[sums.ends.node]) ** 2).tolist()
            between = [0.0, *(tree.weight[1:] * off**2).tolist()]
            for i, above in reversed(list(enumerate(tree.parent.tolist()))[1:]):
                squares[above] += squares[i] + between[i]  # children have higher ids
            spread = np.array(squares) / safe
            impurity += spread
            loss += spread + (m - old_value) ** 2
    return mean, np.maximum(impurity / n_outputs, 0.0), loss / n_outputs


def _means(tree: Tree, y: Array, sums: _Sums) -> Array:
    """Return the weighted mean of `y` over the rows of each node."""
    # Scale by a power of two (exact) so that sums of values near 1e308 stay finite.
    shift = max(int(np.frexp(np.abs(y).max(initial=0.0))[1]) - 512, 0)
    y = np.ldexp(y, -shift) if shift else y
    weight = sums.weight()
    total = np.where(weight > 0, weight, 1.0)
    # Compute the mean of the rows that end in a node, then add the mean deviation from it, so that
    # equal values have an exact mean. Inner nodes average deviations from the overall mean.
    mean = sums.weighted(y) / total
    mean = mean + sums.weighted(y - mean[sums.ends.node]) / total
    offset = float(weight @ mean) / max(float(weight.sum()), np.finfo(float).tiny)
    through = sum_over_subtrees(tree, weight * (mean - offset))
    inner = through / np.where(tree.weight > 0, tree.weight, 1.0) + offset
    return np.ldexp(np.where(tree.is_leaf, mean, inner), shift)


def _quantile_errors(tree: Tree, y: Array, ends: RowEnds) -> tuple[Array, Array, Array]:
    """Return each node's weighted quantile, its mean loss and the mean loss of the old value."""
    n, n_outputs = tree.value.shape[:2]
    value, impurity, loss = np.zeros((n, n_outputs)), np.zeros(n), np.zeros(n)
    level = [quantile_level(tree.criterion)]
    for i, rows in slice_rows(tree, ends):
        weight = ends.weight[rows]
        for k in range(n_outputs):
            value[i, k] = weighted_quantiles(y[rows, k], weight, level)[0]
            new, old = y[rows, k] - value[i, k], y[rows, k] - tree.value[i, k, 0]
            impurity[i] += np.average(quantile_loss(tree.criterion, new), weights=weight)
            loss[i] += np.average(quantile_loss(tree.criterion, old), weights=weight)
    return value, impurity / n_outputs, loss / n_outputs
