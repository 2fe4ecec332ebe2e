"""Weighted absolute errors: pre-screening the cuts never hides the best one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import ceiba
from tests.properties.whole import whole


def deviation(rows):
    """Of (value, weight) pairs about their weighted median."""
    rows, all_weight, below = sorted(rows), sum(w for _, w in rows), 0
    for median, w in rows:
        below += w
        if 2 * below >= all_weight:
            return sum(w * abs(v - median) for v, w in rows)
    return 0


def best_root_split(X, y, weight, min_leaf=1, min_share=0.0):
    """The first (loss, column, midpoint) of least deviation: every cut, in whole numbers."""
    (v, v_unit), (w, w_unit) = whole(y), whole(weight)
    light, best = Fraction(min_share * float(weight.sum())), None
    for column in range(X.shape[1]):
        order = np.argsort(X[:, column], kind="stable").tolist()
        x = X[order, column]
        rows = [(v[i], w[i]) for i in order]
        for k in range(max(min_leaf, 1), len(rows) - max(min_leaf, 1) + 1):
            weights = [sum(w for _, w in part) for part in (rows[:k], rows[k:])]
            if x[k - 1] == x[k] or not all(weights) or min(weights) * w_unit < light:
                continue
            loss = (deviation(rows[:k]) + deviation(rows[k:])) * v_unit * w_unit
            if best is None or loss < best[0]:
                best = loss, column, 0.5 * (x[k - 1] + x[k])
    return best


def weights(rng, n):
    return {
        "about 1": 0.5 + rng.random(n),
        "whole": rng.integers(1, 9, n).astype(float),
        "six orders": rng.random(n) * 10.0 ** rng.integers(-3, 3, n),
        "one heavy": np.where(np.arange(n) == n // 3, 1e6, 1.0 + rng.random(n)),
        "half of nothing": np.where(rng.random(n) < 0.5, 0.0, 1.0 + rng.random(n)),
        "thirty orders": 10.0 ** rng.uniform(-15, 15, n),
    }


def targets(rng, n):
    size = rng.normal(size=n)
    return {
        "normal": size,
        "far from 0": 1e9 + size,
        "few": rng.integers(-3, 3, n).astype(float),
        "heavy tail": size / rng.random(n) ** 3,
    }


WEIGHTS, TARGETS = (list(f(np.random.default_rng(0), 4)) for f in (weights, targets))


@pytest.mark.parametrize("heavy", WEIGHTS)
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize(
    "limits", [{}, {"min_leaf": 15}, {"min_share": 0.2}], ids=["", "min_leaf", "min_share"]
)
def test_root_split_is_that_of_whole_number_brute_force(heavy, name, limits):
    rng = np.random.default_rng(WEIGHTS.index(heavy) * 10 + TARGETS.index(name))
    n = 90
    y, weight = targets(rng, n)[name], weights(rng, n)[heavy]
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 6, n), np.argsort(y) // 5])
    X[:, 2] += 10 * rng.random(n)
    best = best_root_split(*(part[weight > 0] for part in (X, y, weight)), **limits)
    model = ceiba.DecisionTreeRegressor(
        criterion="absolute_error",
        max_depth=1,
        min_samples_leaf=limits.get("min_leaf", 1),
        min_weight_fraction_leaf=limits.get("min_share", 0.0),
    )
    tree = model.fit(X, y, sample_weight=weight).tree_
    if best is None:
        assert tree.n_leaves == 1
        return
    chosen = loss_of(tree, X, y, weight)
    # What differs by less than 2^-80 of the deviation of all rows is tied.
    slack = Fraction(1, 2**76) * loss_of(None, X, y, weight)
    assert best[0] <= chosen <= best[0] + slack
    if chosen == best[0]:
        assert (tree.splits.column[0], tree.splits.cut[0]) == best[1:]


def loss_of(tree, X, y, weight):
    """Deviation of the two sides of the root split; without a tree, of all rows."""
    everything = np.ones(len(y), bool)
    if tree is None:
        return loss_of_side(everything, y, weight)
    return loss_of_side(X[:, tree.splits.column[0]] <= tree.splits.cut[0], y, weight)


def loss_of_side(side, y, weight):
    (v, v_unit), (w, w_unit) = whole(y), whole(weight)
    parts = ([(v[i], w[i]) for i in np.flatnonzero(part)] for part in (side, ~side))
    return sum(map(deviation, parts)) * v_unit * w_unit


@pytest.mark.parametrize("heavy", WEIGHTS)
def test_missing_values_are_tried_on_both_sides_and_alone(heavy):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n = 90
        y, weight, x = rng.normal(size=n), weights(rng, n)[heavy], rng.normal(size=n).round(1)
        x[rng.random(n) < 0.3] = np.nan
        y[np.isnan(x)] += rng.normal()
        lost, values = np.isnan(x), np.unique(x[~np.isnan(x)])
        sides = [~lost]
        for cut in 0.5 * (values[1:] + values[:-1]):
            sides += [x <= cut, (x <= cut) | lost]
        heavy_sides = (s for s in sides if weight[s].any() and weight[~s].any())
        losses = [loss_of_side(side, y, weight) for side in heavy_sides]
        model = ceiba.DecisionTreeRegressor(criterion="absolute_error", max_depth=1)
        tree = model.fit(x[:, None], y, sample_weight=weight).tree_
        own = loss_of_side(tree.apply(x[:, None]) == 1, y, weight)
        assert own - min(losses) <= Fraction(1, 2**76) * loss_of(None, None, y, weight)
