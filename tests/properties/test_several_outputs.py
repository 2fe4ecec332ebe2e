"""Several outputs of squared error: pre-screening the cuts never hides the best one."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest

import ceiba
from tests.properties.whole import whole


def table(n, n_outputs, offset, seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 9, n), rng.normal(size=n).round(1)])
    signal = np.column_stack([np.sin(X[:, o % 3] + o) for o in range(n_outputs)])
    return X, offset + signal + rng.normal(size=(n, n_outputs)), rng


def best_root_split(X, Y, weight, min_leaf=1, min_share=0.0):
    """(gain x W, column, midpoint), by trying every cut; sums are whole numbers: none rounds."""
    w, w_unit = whole(weight)
    targets = [whole(y) for y in Y.T]
    all_w, light = sum(w), Fraction(min_share * float(weight.sum()))
    best = (Fraction(-1), None, None)
    for column in range(X.shape[1]):
        order = np.argsort(X[:, column], kind="stable").tolist()
        x = X[order, column]
        left = list(accumulate(w[i] for i in order))
        gain = [Fraction(0)] * len(order)
        for y, unit in targets:
            sums = list(accumulate(w[i] * y[i] for i in order))
            for k in range(min_leaf, len(order) - min_leaf + 1):
                if k == len(order) or x[k - 1] == x[k]:
                    continue
                a, b = left[k - 1], all_w - left[k - 1]
                if not a or not b or min(a, b) * w_unit < light:
                    continue
                shift = sums[k - 1] * all_w - a * sums[-1]
                gain[k] += Fraction(shift * shift, a * b * all_w) * unit * unit
        k = max(range(len(order)), key=gain.__getitem__)
        if gain[k] > best[0]:
            best = gain[k], column, float(0.5 * (x[k - 1] + x[k]))
    return best[0] * w_unit / Y.shape[1], best[1], best[2]


def check(X, Y, weight, **limits):
    model = ceiba.DecisionTreeRegressor(max_depth=1)
    model.set_params(min_samples_leaf=limits.get("min_leaf", 1))
    model.set_params(min_weight_fraction_leaf=limits.get("min_share", 0.0))
    tree = model.fit(X, Y, sample_weight=weight).tree_
    own = np.ones(len(X)) if weight is None else weight
    gain, column, cut = best_root_split(X, Y, own, **limits)
    assert (tree.splits.column[0], tree.splits.cut[0]) == (column, cut)
    assert tree.gain[0] * own.sum() == pytest.approx(float(gain), rel=1e-9)


@pytest.mark.parametrize("n_outputs", [2, 3, 7])
@pytest.mark.parametrize("offset", [0.0, 1e7], ids=["centred", "far from 0"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("min_leaf", [1, 100])
def test_root_split_has_the_largest_mean_gain(n_outputs, offset, weighted, min_leaf):
    for seed in range(3):
        X, Y, rng = table(400, n_outputs, offset, seed)
        weight = rng.random(len(X)) * 10.0 ** rng.integers(-3, 3, len(X)) if weighted else None
        check(X, Y, weight, min_leaf=min_leaf)


@pytest.mark.parametrize("factor", [2.0**-530, 2.0**-300, 2.0**300])
def test_scale_of_the_target_hides_nothing(factor):
    X, Y, _ = table(200, 3, 0.0, 1)
    model = ceiba.DecisionTreeRegressor(max_depth=4, min_impurity_decrease=0.0)
    plain, scaled = model.fit(X, Y).tree_, model.fit(X, Y * factor).tree_
    if factor > 2.0**-500:
        assert plain.splits == scaled.splits
    else:  # squares too small for a double: still a split that parts the rows
        assert scaled.n_leaves > 1


def nearly_one(n):
    """Weights that round the same way at every addition: a sum of n errs by n half units."""
    return np.full(n, 1.0 + 2.0**-43 - 2.0**-46)


@pytest.mark.parametrize("tail", [2.0**-k for k in (11, 15, 17, 19, 21, 23, 30, 45)])
@pytest.mark.parametrize("better", [2.0**-k for k in (14, 16, 18, 20)])
def test_a_right_side_lost_in_the_rounding_of_the_left_is_weighed_all_the_same(tail, better):
    """The last three rows weigh next to nothing; the best cut is before the last one, by little.

    A left side added up in plain doubles misses 2**-32, and so the weight right of that cut,
    taken as a difference, is too large: more so than that right of the second best cut, three
    rows from the end.
    """
    n = 3000
    weight, y = nearly_one(n), np.zeros(n)
    weight[-3:] = tail
    y[-3:] = 1e6
    y[-1] *= 2 / (3**0.5 - 1) * (1 + better)  # by 0 both cuts would have the same gain
    check(np.arange(n, dtype=float)[:, None], np.column_stack([y, y]), weight)


def test_least_weight_of_a_side_is_not_decided_by_rounding():
    """Of the cut of largest gain only rounding could say that it has too much or too little."""
    n = 4096
    X = np.arange(n, dtype=float)[:, None]
    weight = nearly_one(n)
    for k in (1000, 1500, 2040):  # rows on the right of the tempting cut
        y = (np.arange(n) >= n - k).astype(float)
        exactly = sum(map(Fraction, weight[-k:].tolist())) / sum(map(Fraction, weight.tolist()))
        for share in np.nextafter(float(exactly), [0.0, 1.0]):
            check(X, np.column_stack([y, 2 * y]), weight, min_share=float(share))


def test_missing_values_are_tried_on_both_sides_and_alone():
    """Every way of a root split of one column, by hand."""
    for seed in range(20):
        X, Y, rng = table(120, 3, 0.0, seed)
        x = X[:, 0]
        x[rng.random(len(x)) < 0.3] = np.nan
        Y[np.isnan(x)] += rng.normal(size=3)
        tree = ceiba.DecisionTreeRegressor(max_depth=1).fit(x[:, None], Y).tree_
        lost, values = np.isnan(x), np.unique(x[~np.isnan(x)])
        sides = [~lost]
        for cut in 0.5 * (values[1:] + values[:-1]):
            sides += [x <= cut, (x <= cut) | lost]
        gains = [_gain(Y, side) for side in sides]
        assert tree.gain[0] == pytest.approx(max(gains), rel=1e-10)


def _gain(Y, left):
    parts = Y[left], Y[~left]
    within = sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)
    return (((Y - Y.mean(axis=0)) ** 2).sum() - within) / Y.size


def test_copies_of_one_output_grow_the_tree_of_that_output():
    X, Y, _ = table(2000, 1, 5.0, 3)
    one = ceiba.DecisionTreeRegressor(max_depth=6).fit(X, Y[:, 0]).tree_
    four = ceiba.DecisionTreeRegressor(max_depth=6).fit(X, np.repeat(Y, 4, axis=1)).tree_
    assert one.splits == four.splits
    np.testing.assert_allclose(one.impurity, four.impurity, rtol=1e-12)
