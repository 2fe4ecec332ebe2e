"""Derive the arrays of a tree from the arrays that the core returns.

The core returns weights, counts and impurities. Class probabilities and risks under priors and
costs (`ceiba.grow.priors`), values within limits and shrunken rates are derived here on first
access, because that takes longer than a small fit. R(t) of a regression node is its impurity (its
loss if values are limited or shrunken) times its share. R(t) is NaN for several class outputs.

Rates of events are shrunk toward the overall rate as in rpart, because a leaf with few events is
uncertain and one without events would predict 0. The rate of a node is the mean of a gamma
distribution: with d events in time t, k the coefficient of variation of the prior ("shrink") and
D / T the overall rate,

    rate = (d + a) / (t + b),    a = 1 / k^2,    b = a / (D / T)

and R(t) is half the deviance about that rate, not about the node's own d / t: with m = d / t and
I(t) the impurity (half the mean deviance about m), I(t) + m log(m / rate) - m + rate per unit of
time (Therneau and Atkinson, An Introduction to Recursive Partitioning Using the RPART Routines).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.criteria import quantile_level
from ceiba.tree.splits.split_table import SplitTable
from ceiba.tree.splits.surrogates import CompetitorTable, SurrogateTable

Array = npt.NDArray[np.float64]


class ValueRules(NamedTuple):
    """Options that determine how the node arrays of a grown tree are derived."""

    criterion: str
    classes: bool
    empty_branches: bool
    weights_count_rows: bool
    shrink: float
    surrogates: bool | None  # whether surrogates route rows; None without surrogates
    competitors: bool


class GrownArrays(NamedTuple):
    """Arrays returned by the core, and the parameters with which node values are derived."""

    arrays: _core.TreeArrays
    rules: ValueRules
    n_outputs: int
    target_exponent: int = 0  # the target was divided by 2**target_exponent
    weight_exponent: int = 0  # the weights were divided by 2**weight_exponent
    factor: Array | None = None  # weight factor of each class, see `ceiba.grow.priors`
    costs: Array | None = None
    whole: float | None = None  # total weight of the full tree if this tree is a subtree


def derive_node_arrays(grown: GrownArrays) -> dict[str, Any]:
    """Return the array fields of a tree, in the user's units of target and weight."""
    rules, factor, costs = grown.rules, grown.factor, grown.costs
    views = _in_user_units(grown)
    parent, weight, impurity = views["parent"], views["weight"], views["impurity"]
    total = weight[0] if grown.whole is None else grown.whole
    shape = (len(weight), grown.n_outputs, -1)
    value, counts, limited = views["value"].reshape(shape), None, views["limited"]
    if not rules.classes:
        if rules.empty_branches:
            value = fill_empty_nodes(value.copy(), parent, weight)
            if len(limited):
                limited = fill_empty_nodes(limited.copy(), parent, weight)
        loss = impurity
        if len(limited):
            loss = loss + added_loss(rules.criterion, value[:, 0, 0], limited)
            value = limited.reshape(shape) + 0.0  # no -0.0
        if rules.shrink:
            rate, loss = shrink_rates(value[:, 0, 0], weight, loss, rules.shrink)
            value = rate.reshape(shape)
        with np.errstate(over="ignore", invalid="ignore"):  # overflow, or weight 0
            risk = loss * weight / total
    else:
        counts = value
        answers = set_class_share(counts, limited) if len(limited) else counts
        value = node_value(answers, factor)
        if rules.empty_branches:
            value = fill_empty_nodes(value, parent, weight)
        if grown.n_outputs == 1:
            by = answers[:, 0, :] if len(limited) else None
            risk = node_risk(counts[:, 0, :], factor, costs, by) / total
        else:
            risk = np.full(len(weight), np.nan)
    surrogates = competitors = None
    if rules.surrogates is not None:
        surrogates = SurrogateTable(
            views["surrogate_start"],
            SplitTable(**views["surrogates"]),
            views["agreement"],
            views["adjusted"],
            views["surrogate_sent"],
            rules.surrogates,
        )
    if rules.competitors:
        splits = SplitTable(**views["competitors"])
        competitors = CompetitorTable(views["competitor_start"], splits, views["competitor_gain"])
    # With frequency weights, a weight of k represents k rows.
    n_rows = np.rint(weight).astype(np.int64) if rules.weights_count_rows else views["n_rows"]
    names = ("parent", "branch_start", "branch_node", "default_branch", "weight", "impurity",
             "gain", "sent_default")  # fmt: skip
    return {name: views[name] for name in names} | {
        "splits": SplitTable(**views["splits"]),
        "n_rows": n_rows,
        "value": value,
        "risk": risk,
        "counts": counts,
        "surrogates": surrogates,
        "competitors": competitors,
    }


def class_counts(tree: Any) -> Array | None:
    """Return `tree.counts` without computing the other arrays of a grown tree."""
    grown = tree.__dict__.get("_grown")
    if grown is None or grown.weight_exponent or not grown.rules.classes:
        return tree.counts  # type: ignore[no-any-return]
    return np.asarray(grown.arrays.value.reshape(grown.arrays.n_nodes, grown.n_outputs, -1))


def most_frequent_classes(grown: GrownArrays) -> Any:
    """Return the most frequent class of each node, or None if predictions may differ from it."""
    if not grown.rules.classes or grown.n_outputs > 1 or grown.rules.empty_branches:
        return None
    plain = grown.factor is None and grown.costs is None
    return grown.arrays.best_classes() if plain else None


def _in_user_units(grown: GrownArrays) -> dict[str, Any]:
    """Return the core's arrays in the user's units; impurities may overflow to infinity."""
    views: dict[str, Any] = grown.arrays.views()
    if grown.weight_exponent:
        views["weight"] = np.ldexp(views["weight"], grown.weight_exponent)
        if grown.rules.classes:
            views["value"] = np.ldexp(views["value"], grown.weight_exponent)
    if grown.target_exponent:
        power = 2 if grown.rules.criterion in ("squared_error", "friedman_mse") else 1
        with np.errstate(over="ignore", under="ignore"):
            for name in ("value", "limited"):
                views[name] = np.ldexp(views[name], grown.target_exponent)
            for name in ("impurity", "gain", "competitor_gain"):
                views[name] = np.ldexp(views[name], power * grown.target_exponent)
    return views


def node_value(counts: Array, factor: Array | None) -> Array:
    """Return class probabilities from node counts of shape (n, n_outputs, n_classes)."""
    adjusted = counts if factor is None else counts * factor
    total = adjusted.sum(axis=2, keepdims=True)
    return divide_or_zero(adjusted, total)


def fill_empty_nodes(value: Array, parent: npt.NDArray[np.int32], weight: Array) -> Array:
    """Fill in the values of nodes without rows from their nearest ancestor with rows."""
    empty = np.flatnonzero(weight[1:] == 0) + 1
    source = parent[empty]
    while (none := (weight[source] == 0) & (source > 0)).any():
        source = np.where(none, parent[source], source)
    value[empty] = value[source]
    return value


def node_risk(
    counts: Array, factor: Array | None, costs: Array | None, answers: Array | None = None
) -> Array:
    """Return node risks times total weight, exact for integer weights without priors or costs."""
    losses = []
    for sums in (counts,) if answers is None else (counts, answers):
        adjusted = sums if factor is None else sums * factor
        total = adjusted.sum(axis=1, keepdims=True)
        losses.append(total - adjusted if costs is None else adjusted @ costs)
    return np.asarray(losses[0][np.arange(len(counts)), losses[-1].argmin(axis=1)])


def set_class_share(counts: Array, share: Array) -> Array:
    """Return two-class counts in which the second class has the given share."""
    if counts.shape[2] < 2:
        return counts
    total = counts.sum(axis=2)
    old_share = np.divide(counts[:, :, 1], total, out=np.zeros_like(total), where=total > 0)
    rescaled = np.stack([(1.0 - share)[:, None] * total, share[:, None] * total], axis=2)
    # Keep the counts where the share does not change, so that integers stay exact.
    return np.where((old_share == share[:, None])[:, :, None], counts, rescaled)


def added_loss(criterion: str, value: Array, answer: Array) -> Array:
    """Return the added loss if nodes predict `answer` instead of `value` (0 for quantiles)."""
    if quantile_level(criterion) is not None:
        return np.zeros_like(value)
    if criterion == "poisson":
        events = value > 0
        ratio = np.divide(value, answer, out=np.ones_like(value), where=events & (answer > 0))
        # The loss is at least 0, but rounding errors can make it negative for similar values.
        return np.maximum(value * np.log(ratio) - value + answer, 0.0)
    gap: Array = value - answer
    return gap * gap


def shrink_rates(value: Array, time: Array, impurity: Array, shrink: float) -> tuple[Array, Array]:
    """Return the shrunken event rate of each node, and its risk per unit of time."""
    value = np.where(time > 0, value, 0.0)  # no events without weight
    # Written without a division by the overall rate, value[0], because that rate may be 0.
    strength = shrink**2 * time
    rate = value[0] * (value * strength + 1.0) / (value[0] * strength + 1.0)
    return rate, impurity + added_loss("poisson", value, rate)


def divide_or_zero(top: Array, bottom: Array) -> Array:
    """Divide element-wise; the result is 0 where the divisor is 0."""
    result: Array = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom > 0)
    return result
