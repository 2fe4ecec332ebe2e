"""Compute leaf values from the rows of the leaf or from held-out rows ("honest"), and smooth them.

Smoothing: with n rows in a node (weights scaled to a mean of 1) and its value v, after priors:

- Laplace: (n v + 1) / (n + K), K classes;
- m-estimate: (n v + m v(root)) / (n + m) (Cestnik 1990);
- shrinkage along the path: h(t) = h(parent) + (v(t) - v(parent)) / (1 + strength / n(parent)),
  h(root) = v(root) (Agarwal et al. 2022, hierarchical shrinkage).

Counts, rows and impurities of the nodes do not change; risks are those of the new predictions.
Honest values come from rows that were not used to choose splits, and so lack the bias of this
choice (Athey and Imbens 2016).

Monotone limits: a split of a column with a direction bounds all values below it by the midpoint of
the values of its branches. The core applies these limits while it grows (`hand_down_limits`), and
`apply_monotonic_limits` applies them to a recounted tree. They change predictions and risks, but
not class counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.grow.core_grower import Units
from ceiba.grow.priors import class_factor
from ceiba.options import OptionObject, instance, nothing, number, one_of, parameter
from ceiba.table import recount_missing
from ceiba.tree import (
    Tree,
    check_values,
    class_risk,
    node_risk,
    node_value,
    rows_by_weight,
    set_class_share,
)

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem


Array = npt.NDArray[np.float64]
#: Names of the rules for leaf values besides "honest".
LEAF_VALUES: Final = ("share", "laplace", "m_estimate", "shrinkage")
Rows = npt.NDArray[np.intp]


class MEstimate(OptionObject):
    """Smoothing of leaf values towards the root's value, as if m rows with that value were added.

    Parameters
    ----------
    m : float, default=None
        None: chosen by cross-validation.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeClassifier(leaf_values=ceiba.MEstimate(m=2))
    >>> model.fit([[1], [2], [3], [4]], list("aabb")).predict_proba([[1]]).tolist()
    [[0.75, 0.25]]
    """

    m: float | None = parameter(number(0.0), nothing, default=None)
    grid: ClassVar[tuple[float, ...]] = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)


class Shrinkage(OptionObject):
    """Smoothing of leaf values towards the values of their ancestors, strongest below small nodes.

    Hierarchical shrinkage (Agarwal et al. 2022).

    Parameters
    ----------
    strength : float, default=None
        None: chosen by cross-validation.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeRegressor(leaf_values=ceiba.Shrinkage(strength=4))
    >>> model.fit([[1], [2], [3], [4]], [0.0, 0.0, 8.0, 8.0]).predict([[1], [4]]).tolist()
    [2.0, 6.0]
    """

    strength: float | None = parameter(number(0.0), nothing, default=None)
    grid: ClassVar[tuple[float, ...]] = (
        0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0,
    )  # fmt: skip


def fixed_strength(rule: Any) -> float | None:
    """Return the given smoothing strength, or None if cross-validation must choose it."""
    return rule.m if isinstance(rule, MEstimate) else getattr(rule, "strength", 0.0)


def smoothed_values(tree: Tree, rule: Any, strength: float = 0.0) -> Array:
    """Return the values of all nodes, smoothed by "laplace", `MEstimate` or `Shrinkage`."""
    units = Units.of(tree.value, None)  # scaling prevents overflow in sums of large values
    value = np.asarray(units.shrink_target(tree.value))
    n = rows_by_weight(tree)[:, None, None]
    if isinstance(rule, Shrinkage):
        return np.asarray(np.ldexp(_shrink_values(tree, value, n[:, 0, 0], strength), units.target))
    if isinstance(rule, MEstimate):
        total = n + strength
        # A node without rows keeps its value, which is the value of its parent.
        mean = np.divide(n * value + strength * value[0], total, out=value.copy(), where=total > 0)
        return np.asarray(np.ldexp(mean, units.target))
    if not tree.task.has_classes:
        raise OptionError(
            f"leaf_values='laplace' is not supported for {tree.task}. Use 'm_estimate' or "
            "'shrinkage'."
        )
    classes = np.zeros(value.shape[1:])
    for k, size in enumerate(tree.n_classes.tolist()):
        classes[k, :size] = 1.0
    return np.asarray((n * value + classes) / (n + classes.sum(axis=1, keepdims=True)))


def _shrink_values(tree: Tree, value: Array, n: Array, strength: float) -> Array:
    """Return the shrunken value of each node: a weighted mean of the values on its path."""
    # Let s(t) = 1 / (1 + strength / n(t)), which decreases along a path, and s = 1 above the root.
    # Then h(t) = s(parent) v(t) + sum of (s(parent of a) - s(a)) v(a) over the nodes a above t.
    with np.errstate(over="ignore"):
        s = 1.0 / (1.0 + strength / np.maximum(n, 1e-300))
    before, above_sum = np.ones(len(n)), np.zeros_like(value)
    for i, above in enumerate(tree.parent.tolist()):  # parents come before their children
        if above >= 0:
            before[i] = s[above]
            above_sum[i] = above_sum[above] + max(before[above] - s[above], 0.0) * value[above]
    return np.asarray(above_sum + before[:, None, None] * value)


def smooth(tree: Tree, rule: Any, strength: float = 0.0) -> Tree:
    """Return the tree with smoothed values, and the risks of the new predictions."""
    value = smoothed_values(tree, rule, strength)
    new = replace(tree, value=value, smoothed=True)
    check_values(new)
    if tree.task.is_regression("Smoothing of leaf values"):
        if tree.criterion not in ("squared_error", "friedman_mse"):
            return replace(new, risk=np.full(tree.n_nodes, np.nan))
        with np.errstate(over="ignore"):
            shift = ((value - tree.value) ** 2).mean(axis=(1, 2))
        # E[(y - h)^2] = E[(y - v)^2] + (v - h)^2, because v is the mean of the node's rows.
        return replace(new, risk=tree.risk + shift * tree.share)
    if tree.n_outputs > 1:
        return new
    probability = tree.class_probability[:, None, :]
    return replace(new, risk=class_risk(probability, new.answer, tree.share, tree.cost_matrix))


class Honest(OptionObject):
    """Leaf values, probabilities and intervals from rows that were not used to choose the splits.

    Parameters
    ----------
    share : float, default=0.5
        Share of the rows that is reserved for the values.
    values : {"share", "laplace", "m_estimate", "shrinkage"}, MEstimate or Shrinkage
        How leaf values are computed from these rows, as in `leaf_values`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(max_depth=2, leaf_values=ceiba.Honest(share=0.4))
    >>> int(model.fit(X, y).tree_.n_rows[0]), model.tree_.honest
    (60, True)
    """

    share: float = parameter(number(0.0, 1.0, "()"), default=0.5)
    values: Any = parameter(
        one_of(*LEAF_VALUES),
        instance("MEstimate or Shrinkage", MEstimate, Shrinkage),
        default="share",
    )


def expand_leaf_values(rule: Any) -> Any:
    """Return the object for a short form of `leaf_values`; return other values unchanged."""
    if not isinstance(rule, str):
        return rule
    short = {"m_estimate": MEstimate(), "shrinkage": Shrinkage(), "honest": Honest()}
    return short.get(rule, rule)


def split_honest_rows(problem: Problem, share: float, seed: int) -> tuple[Rows, Rows]:
    """Divide the rows, stratified by class, into rows for the splits and rows for the values."""
    rows = np.arange(problem.n_rows)
    if problem.weight is not None:  # zero-weight rows determine neither splits nor values
        rows = np.flatnonzero(problem.weight > 0)
    n = len(rows)
    rng = np.random.default_rng([seed, 0x40E57])
    order = rows[rng.permutation(n)]
    if problem.options.task.has_classes:
        order = order[np.argsort(problem.target.values[order, 0], kind="stable")]
    # The rows of a class are contiguous, so evenly spaced positions divide each class by `share`.
    in_values = np.floor((np.arange(n) + 1) * share + 1e-9) > np.floor(np.arange(n) * share + 1e-9)
    values, structure = np.sort(order[in_values]), np.sort(order[~in_values])
    if not len(values) or not len(structure):
        raise DataError(
            f"Honest(share={share:g}) must leave at least one row for the leaf values and one for "
            f"the splits, got {n} sample{'s' * (n != 1)}. Pass more rows or another share."
        )
    return structure, values


def honest_values(tree: Tree, problem: Problem) -> Tree:
    """Recompute the counts, values and risks of a tree from the rows in `problem`."""
    new_tree = tree.refit_leaves(problem.table, problem.target, sample_weight=problem.weight)
    value, empty = new_tree.value.copy(), new_tree.weight <= 0
    for i in np.flatnonzero(empty).tolist():  # parents come before their children
        value[i] = value[new_tree.parent[i]]
    frequency = problem.weight if problem.options.frequency_weights else None
    if frequency is not None:  # a row with weight k counts as k rows
        new_tree = replace(new_tree, n_rows=np.rint(new_tree.weight).astype(np.int64))
    schema = recount_missing(new_tree.schema, problem.table, frequency)
    honest = replace(new_tree, value=value, honest=True, schema=schema)
    check_values(honest)
    return honest


def apply_monotonic_limits(tree: Tree, directions: Sequence[int]) -> Tree:
    """Return a two-class tree with its predictions clipped to satisfy `monotonic_cst`."""
    if not any(directions) or tree.counts is None or tree.n_nodes == 1:
        return tree
    answers = set_class_share(tree.counts, _clip_second_class(tree, directions))
    factor = class_factor(tree.counts[0, 0], tree.class_prior, tree.target.classes[0])
    value = node_value(answers, factor)
    value[tree.weight == 0] = tree.value[tree.weight == 0]  # nodes without rows keep their value
    risk = node_risk(tree.counts[:, 0], factor, tree.cost_matrix, answers[:, 0])
    total = tree.weight[0]
    return replace(tree, value=value, risk=risk / total if total > 0 else risk)


def _clip_second_class(tree: Tree, directions: Sequence[int]) -> Array:
    """Return the share of the second class in each node, clipped to satisfy `monotonic_cst`."""
    assert tree.counts is not None
    counts = tree.counts[:, 0]
    total = counts.sum(axis=1)
    number: Array = np.divide(counts[:, 1], total, out=np.zeros(len(total)), where=total > 0)
    number[tree.weight == 0] = tree.value[tree.weight == 0, 0, 1]
    low, high = np.full(tree.n_nodes, -np.inf), np.full(tree.n_nodes, np.inf)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        below = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]]
        low[below], high[below] = low[node], high[node]
        number[below] = np.clip(number[below], low[node], high[node])
        direction = directions[int(tree.splits.column[node])]
        if direction == 0 or len(below) != 2:
            continue
        rising = (direction > 0) == (tree.splits.low_branch[node] == 0)
        lower, upper = below if rising else below[::-1]
        middle = number[below].mean()
        high[lower], low[upper] = min(high[node], middle), max(low[node], middle)
        number[lower], number[upper] = min(number[lower], middle), max(number[upper], middle)
    return number


def merge_equal_siblings(tree: Tree) -> Tree:
    """Collapse subtrees in which all leaves have the same value."""
    # If `monotonic_cst` clips all branches to the same value, their split has no effect.
    alike = tree.is_leaf.copy()
    start, nodes = tree.branch_start.tolist(), tree.branch_node
    stays = (tree.default_branch < 0) & (tree.sent_default > 0)
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        below = nodes[start[node] : start[node + 1]]
        if alike[below].all() and not stays[node]:  # equal shares may differ by rounding
            values = tree.value[below]
            alike[node] = np.allclose(values, values[0], rtol=1e-12, atol=0.0)
    return tree.collapse(np.flatnonzero(alike & ~tree.is_leaf))
