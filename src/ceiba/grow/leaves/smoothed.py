"""Leaf values: the share or mean of the leaf's rows, or one shrunk towards the nodes above it.

With n rows in a node (weights scaled so that a row counts 1 on average) and its value v, after
priors:

- Laplace: (n v + 1) / (n + K), K classes;
- m-estimate: (n v + m v(root)) / (n + m) (Cestnik 1990);
- shrinkage along the path: h(t) = h(parent) + (v(t) - v(parent)) / (1 + strength / n(parent)),
  h(root) = v(root) (Agarwal et al. 2022, hierarchical shrinkage).

Counts, rows and impurities of the nodes stay; risks are those of the new answers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow.units import Units
from ceiba.options import OptionObject, nothing, number, parameter
from ceiba.tree import Tree
from ceiba.tree.figures import rows_by_weight
from ceiba.tree.impurity import class_risk
from ceiba.tree.invariants import check_values

Array = npt.NDArray[np.float64]


class MEstimate(OptionObject):
    """Leaves drawn towards the root's value, as if m rows of it were added.

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
    """Leaves drawn towards the nodes above them, the more the fewer rows those have.

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


#: Short forms of `leaf_values`.
LEAF_VALUES: Final = ("share", "laplace", "m_estimate", "shrinkage")


def strength_of(rule: Any) -> float | None:
    """Give the strength of a rule: m, or that of the shrinkage; None if it is to be chosen."""
    return rule.m if isinstance(rule, MEstimate) else getattr(rule, "strength", 0.0)


def smoothed_values(tree: Tree, rule: Any, strength: float = 0.0) -> Array:
    """Return the values of all nodes under a rule: "laplace", `MEstimate` or `Shrinkage`."""
    units = Units.of(tree.value, None)  # sums of values near the end of float64
    value = np.asarray(units.shrink_target(tree.value))
    n = rows_by_weight(tree)[:, None, None]
    if isinstance(rule, Shrinkage):
        return np.asarray(np.ldexp(_shrunken(tree, value, n[:, 0, 0], strength), units.target))
    if isinstance(rule, MEstimate):
        total = n + strength
        # A node without rows keeps what it answers, the value of the node above it.
        mean = np.divide(n * value + strength * value[0], total, out=value.copy(), where=total > 0)
        return np.asarray(np.ldexp(mean, units.target))
    if tree.task != "classification":
        raise OptionError(
            'leaf_values="laplace" adds a row to each class; a regression tree has none. '
            'Use "m_estimate" or "shrinkage".'
        )
    classes = np.zeros(value.shape[1:])
    for k, size in enumerate(tree.n_classes.tolist()):
        classes[k, :size] = 1.0
    return np.asarray((n * value + classes) / (n + classes.sum(axis=1, keepdims=True)))


def _shrunken(tree: Tree, value: Array, n: Array, strength: float) -> Array:
    """Return h as a weighted mean of the values on the path: no rounding leaves their range.

    With s(t) = 1 / (1 + strength / n(t)), which falls along a path, and s = 1 above the root:
    h(t) = s(parent) v(t) + sum of (s(parent of a) - s(a)) v(a) over the nodes a above t.
    """
    with np.errstate(over="ignore"):
        part = 1.0 / (1.0 + strength / np.maximum(n, 1e-300))
    before, above_sum = np.ones(len(n)), np.zeros_like(value)
    for i, above in enumerate(tree.parent.tolist()):
        if above >= 0:
            before[i] = part[above]
            above_sum[i] = above_sum[above] + max(before[above] - part[above], 0.0) * value[above]
    return np.asarray(above_sum + before[:, None, None] * value)


def smooth(tree: Tree, rule: Any, strength: float = 0.0) -> Tree:
    """Return the tree with smoothed values, and the risks that follow from new answers."""
    value = smoothed_values(tree, rule, strength)
    moved = replace(tree, value=value, smoothed=True)
    check_values(moved)
    if tree.task == "regression":
        if tree.criterion not in ("squared_error", "friedman_mse"):
            return replace(moved, risk=np.full(tree.n_nodes, np.nan))
        with np.errstate(over="ignore"):
            apart = ((value - tree.value) ** 2).mean(axis=(1, 2))
        return replace(moved, risk=tree.risk + apart * tree.share)
    if tree.n_outputs > 1:
        return moved
    own = tree.class_probability[:, None, :]
    return replace(moved, risk=class_risk(own, moved.answer, tree.share, tree.cost_matrix))
