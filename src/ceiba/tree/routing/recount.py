"""Recount: the same tree with the counts of other data.

Rows are routed once; what ends in each node (weights, class counts or moments) is summed up the
tree. Squared error is computed about each node's own mean and merged upwards by
M2(parent) = sum over branches of M2 + w (mean - mean(parent))^2 (Chan, Golub, LeVeque 1983), so
that it does not suffer from a large common offset. Poisson: mean(y log y) - m log m, m the mean.
Absolute error: weighted median and mean absolute deviation, node by node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.criteria import weighted_median
from ceiba.table import Table
from ceiba.table.targets.split_target import split_target
from ceiba.table.targets.target import read_target_like
from ceiba.table.weights import read_weights
from ceiba.tree.arrays import Array
from ceiba.tree.impurity import altered, class_impurity, class_risk, gains, scale_by_prior
from ceiba.tree.notes import kept_answers
from ceiba.tree.routing import route
from ceiba.tree.routing.branches import visits
from ceiba.tree.routing.sums import Adding, Deviation, RowSums, SumsByNode, in_order, x_log_x
from ceiba.tree.shape import sum_up

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree


def recount(
    tree: Tree, X: Any, y: Any, *, sample_weight: Any, keep_value: bool, add: Adding = in_order
) -> Tree:
    """Return the same tree with the counts of other data; see `Tree.recount`.

    `add` says how sums over rows are added up.
    """
    if isinstance(y, str):
        X, y = split_target(X, y)
    table = route.read(tree, X)
    target = read_target_like(y, tree.target, table.n_rows).values
    given = read_weights(sample_weight, table.n_rows)
    weight = np.ones(table.n_rows) if given is None else given
    ends = endings(tree, table, weight)
    sums = RowSums(target[ends.row], ends, tree.n_nodes, add)
    return recounted(tree, ends, sums, keep_value=keep_value)


@np.errstate(over="ignore", invalid="ignore")  # beyond float64 lies infinity
def recounted(tree: Tree, arrived: Arrivals, sums: SumsByNode, *, keep_value: bool) -> Tree:
    """Return the same tree with the counts of rows that arrived in its nodes."""
    counted = replace(
        tree,
        n_rows=arrived.n_rows,
        weight=sum_up(tree, sums.weight()),
        sent_default=arrived.sent_default,
        surrogates=None
        if tree.surrogates is None
        else replace(tree.surrogates, sent=arrived.sent_surrogate),
        competitors=None,
        tests=None,
    )
    if tree.task == "classification":
        return _classes(counted, sums, keep_value)
    return _numbers(counted, sums, keep_value)


_PER_ROW = ("row", "node", "weight")
_PER_NODE = ("n_rows", "sent_default", "sent_surrogate")


@dataclass(frozen=True)
class Arrivals:
    """Rows that go through each node, and how many of them nothing but a default has sent on."""

    n_rows: Array
    sent_default: Array
    sent_surrogate: Array


@dataclass(frozen=True)
class Endings(Arrivals):
    """Where rows end: row, node and weight (a row may end in several nodes, with shares)."""

    row: Array
    node: Array
    weight: Array


def endings(tree: Tree, table: Table, weight: Array) -> Endings:
    """Find where the rows of a table end."""
    if table.is_whole:
        return _endings_of_piece(tree, table, weight)
    parts, first = [], 0
    for rows in table.pieces():
        own = _endings_of_piece(tree, rows, weight[first : first + rows.n_rows])
        parts.append(replace(own, row=own.row + first))
        first += rows.n_rows
    joined = (np.concatenate([getattr(one, name) for one in parts]) for name in _PER_ROW)
    summed = (np.sum([getattr(one, name) for one in parts], axis=0) for name in _PER_NODE)
    return Endings(*summed, *joined)


def _endings_of_piece(tree: Tree, table: Table, weight: Array) -> Endings:
    counted = weight > 0
    rows = np.arange(table.n_rows)
    sent_default = np.zeros(tree.n_nodes, np.int64)
    sent = np.zeros(0 if tree.surrogates is None else len(tree.surrogates), np.int64)
    if tree.missing == "fractional":  # no row is sent by default
        route.refuse(tree, table)
        start, node, share, n_rows = tree._router.spread(table.core(), counted.astype(np.uint8))
        rows = np.repeat(rows, np.diff(start))
        return Endings(n_rows, sent_default, sent, rows, node, weight[rows] * share)
    if not _any_missing(tree, table):
        end = route.apply(tree, table)
        n_rows = sum_up(tree, np.bincount(end[counted], minlength=tree.n_nodes))
        return Endings(n_rows, sent_default, sent, rows, end, weight)
    route.refuse(tree, table)
    end = np.zeros(table.n_rows, np.int64)
    n_rows = np.zeros(tree.n_nodes, np.int64)
    for visit in visits(tree, table):
        end[visit.ending] = visit.node
        n_rows[visit.node] = np.count_nonzero(counted[visit.rows])
        sent_default[visit.node] = visit.by_default
        if visit.by_surrogate and tree.active_surrogates is not None:
            first = int(tree.active_surrogates.start[visit.node])
            sent[first : first + len(visit.by_surrogate)] = visit.by_surrogate
    return Endings(n_rows, sent_default, sent, rows, end, weight)


def _any_missing(tree: Tree, table: Table) -> bool:
    """Return whether any value may be missing; an unseen level may be treated as missing."""
    columns = [table.columns[j] for j in tree.used_features.tolist()]
    levels = tree.unseen == "missing" and not all(column.info.is_numeric for column in columns)
    return levels or any(column.missing.any() for column in columns)


def _classes(tree: Tree, sums: SumsByNode, keep_value: bool) -> Tree:
    own = np.stack([sums.classes(k, tree.value.shape[2]) for k in range(tree.n_outputs)], axis=1)
    tree = replace(tree, counts=sum_up(tree, own))
    assert tree.counts is not None
    counts = scale_by_prior(tree.counts, tree.class_prior)
    total = counts.sum(axis=2, keepdims=True)
    reached = total[:, 0, 0] > 0
    probability = np.divide(counts, total, out=tree.value.copy(), where=total > 0)
    impurity = class_impurity(altered(probability, tree.cost_matrix), tree.criterion)
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


def _numbers(tree: Tree, sums: SumsByNode, keep_value: bool) -> Tree:
    weight, reached = tree.weight, tree.weight > 0
    if tree.criterion == "absolute_error":
        assert isinstance(sums, RowSums)
        value, impurity, loss = _absolute(tree, sums.target, sums.ends)
    else:
        value, impurity, loss = _moments(tree, sums)
    kept = tree.value[:, :, 0]
    value = np.where(reached[:, None], value, kept)
    impurity = np.where(reached, impurity, 0.0)
    risk = np.where(reached, loss if keep_value else impurity, 0.0) * tree.share
    counted = replace(
        tree,
        value=tree.value if keep_value else value[:, :, None],
        impurity=impurity,
        gain=gains(tree, impurity, weight),
        risk=risk,
    )
    return counted if keep_value else kept_answers(counted)


def _moments(tree: Tree, sums: SumsByNode) -> tuple[Array, Array, Array]:
    """Return the nodes' means, impurities and the loss of the tree's own values, by moments."""
    n, n_outputs = tree.value.shape[:2]
    safe = np.where(tree.weight > 0, tree.weight, 1.0)
    mean, impurity, loss = np.zeros((n, n_outputs)), np.zeros(n), np.zeros(n)
    for k in range(n_outputs):
        m = mean[:, k] = _means(tree, k, sums)
        kept = tree.value[:, k, 0]
        if tree.criterion == "poisson":
            log_sum = sum_up(tree, sums.numbers(k, x_log_x)) / safe
            impurity += log_sum - m * np.log(np.where(m > 0, m, 1.0))
            loss += log_sum - m * np.log(np.where(kept > 0, kept, 1.0)) - m + kept
        else:
            with np.errstate(
                over="ignore", invalid="ignore"
            ):  # squares beyond float64 are infinite
                off = np.where(tree.weight[1:] > 0, m[1:] - m[tree.parent[1:]], 0.0)
                own = sums.numbers(k, Deviation(m, power=2))
                spread = _merge(tree.parent, own, tree.weight[1:] * off**2) / safe
                impurity += spread
                loss += spread + (m - kept) ** 2
    return mean, np.maximum(impurity / n_outputs, 0.0), loss / n_outputs


def _means(tree: Tree, k: int, sums: SumsByNode) -> Array:
    """Return the weighted mean of each node."""
    # Sums of numbers near the end of float64 would not be finite: a power of two less, and back.
    shift = max(int(np.frexp(sums.largest(k))[1]) - 512, 0)
    own = sums.weight()
    total = np.where(own > 0, own, 1.0)
    # Where rows end, the mean is taken twice: the second time about the first, so that equal
    # values give exactly their value. Inner nodes average these about the root's mean.
    mean = sums.numbers(k, Deviation(shift=shift)) / total
    mean = mean + sums.numbers(k, Deviation(mean, shift=shift)) / total
    offset = float(own @ mean) / max(float(own.sum()), np.finfo(float).tiny)
    through = sum_up(tree, own * (mean - offset))
    inner = through / np.where(tree.weight > 0, tree.weight, 1.0) + offset
    return np.ldexp(np.where(tree.is_leaf, mean, inner), shift)


def _merge(parent: Array, own: Array, apart: Array) -> Array:
    """Sum squared deviations up the tree; node i adds `apart[i - 1]` to its parent besides."""
    above, total = parent.tolist(), own.tolist()
    for i, extra in zip(range(len(total) - 1, 0, -1), reversed(apart.tolist()), strict=True):
        total[above[i]] += total[i] + extra
    return np.array(total)


def _absolute(tree: Tree, y: Array, ends: Endings) -> tuple[Array, Array, Array]:
    """Return the nodes' weighted medians, mean absolute deviations and losses."""
    n, n_outputs = tree.value.shape[:2]
    median, impurity, loss = np.zeros((n, n_outputs)), np.zeros(n), np.zeros(n)
    order = np.argsort(ends.node, kind="stable")
    first = np.searchsorted(ends.node[order], np.arange(n))
    last = np.searchsorted(ends.node[order], tree.subtree_end)
    for i in np.flatnonzero(tree.weight > 0).tolist():
        here = order[first[i] : last[i]]
        weight = ends.weight[here]
        for k in range(n_outputs):
            median[i, k] = weighted_median(y[here, k], weight)
            impurity[i] += np.average(np.abs(y[here, k] - median[i, k]), weights=weight)
            loss[i] += np.average(np.abs(y[here, k] - tree.value[i, k, 0]), weights=weight)
    return median, impurity / n_outputs, loss / n_outputs
