"""absolute_error: medians that move along a set of ranks, against brute force in integers.

The tables are larger than those of the other properties: a set of ranks has a level of words for
every factor of 64. A float is a whole multiple of 2**-1074, so Python's integers lose nothing.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ceiba
from tests.marks import examples
from tests.properties.fitting import data_of, fit, rules_of
from tests.properties.strategies import Problem, problems
from tests.reference.audit import complaints


@given(problems(criteria=("absolute_error",), weights=lambda n: st.none()))
@settings(max_examples=examples(150))
def test_ties_of_decimals_that_round_go_to_the_lowest_column_and_cut(problem):
    data = data_of(problem)
    assert complaints(fit(problem), data, rules_of(problem, data), ties_decided=True) == []


def targets(rng, n):
    """Targets by name: how many bits their sums need, and how often they tie, differ."""
    size = rng.normal(size=n)
    return {
        "normal": size,
        "whole": rng.integers(-20, 20, n).astype(float),
        "two decimals": rng.choice([0.1, 0.7], n),
        "mostly zero": np.where(rng.random(n) < 0.8, 0.0, size),
        "tiny beside large": np.where(rng.random(n) < 0.5, size * 1e-40, size),
        "three hundred digits": size * 10.0 ** rng.integers(-250, 50, n),
        "subnormal": np.where(rng.random(n) < 0.5, 5e-324, 1e-310) * rng.integers(1, 9, n),
    }


NAMES = list(targets(np.random.default_rng(0), 4))


def exact(y):
    return [
        int(top) * (2**1074 // bottom) for top, bottom in (float(v).as_integer_ratio() for v in y)
    ]


def deviation(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return sum(ordered[len(ordered) - half :]) - sum(ordered[:half])


def best_root_split(X, y, min_leaf=1):
    """The first (column, midpoint) of least deviation, by trying every cut."""
    whole, best = exact(y), None
    for column in range(X.shape[1]):
        order = np.argsort(X[:, column], kind="stable")
        x = X[order, column]
        for k in range(min_leaf, len(y) - min_leaf + 1):
            if k == len(y) or x[k - 1] == x[k]:
                continue
            loss = deviation([whole[i] for i in order[:k]]) + deviation(
                [whole[i] for i in order[k:]]
            )
            if best is None or loss < best[0]:
                best = (loss, column, 0.5 * (x[k - 1] + x[k]))
    return best


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("min_leaf", [1, 30])
def test_root_split_is_that_of_whole_number_brute_force(name, min_leaf):
    rng = np.random.default_rng(NAMES.index(name))
    n = 150
    y = targets(rng, n)[name]
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 6, n), np.argsort(y) // 5])
    X = np.column_stack([X, X[:, 0], -X[:, 2]])  # copies and mirrors: exact ties between columns
    _, column, cut = best_root_split(X, y, min_leaf)
    model = ceiba.DecisionTreeRegressor(
        criterion="absolute_error", max_depth=1, min_samples_leaf=min_leaf
    )
    tree = model.fit(X, y).tree_
    assert (tree.splits.column[0], tree.splits.cut[0]) == (column, cut)


def test_losses_of_five_thousand_rows_are_those_of_their_medians():
    """Three levels of words; sides that are sparse, dense, and split about an empty middle."""
    rng = np.random.default_rng(1)
    n = 5000
    y = rng.integers(-1000, 1000, n).astype(float)
    extremes_first = np.argsort(np.argsort(-np.abs(y), kind="stable"), kind="stable").astype(float)
    X = np.column_stack([rng.permutation(n).astype(float), extremes_first])
    for column in range(2):
        order = np.argsort(X[:, column], kind="stable")
        ordered = y[order]
        loss = [
            np.abs(part - np.median(part)).sum()
            for k in range(1, n)
            for part in (ordered[:k], ordered[k:])
        ]
        loss = np.array(loss).reshape(-1, 2).sum(axis=1)
        model = ceiba.DecisionTreeRegressor(criterion="absolute_error", max_depth=1)
        tree = model.fit(X[:, [column]], y).tree_
        assert tree.n_rows[1] == 1 + int(np.argmin(loss))
        gain = np.abs(y - np.median(y)).sum() - loss.min()
        assert tree.gain[0] * n == pytest.approx(gain, rel=1e-12)


@pytest.mark.parametrize("name", ["normal", "whole", "two decimals"])
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_tree_of_ninety_rows_has_the_best_split_at_every_node(name, holes):
    rng = np.random.default_rng(5)
    n = 90
    y = targets(rng, n)[name]
    X = np.column_stack(
        [rng.normal(size=n).round(1), rng.integers(0, 5, n), y + rng.normal(size=n)]
    )
    cells = [
        [None if rng.random() < holes else float(v) for v in row] for row in X.round(3).tolist()
    ]
    problem = Problem(cells, y.tolist(), None, "absolute_error")
    data = data_of(problem)
    limits = {"min_samples_leaf": 4, "max_depth": 3}
    tree = fit(problem, **limits)
    assert complaints(tree, data, rules_of(problem, data, **limits), ties_decided=True) == []


def test_two_outputs_have_the_best_mean_gain_at_every_node():
    rng = np.random.default_rng(6)
    n = 70
    y = np.column_stack([rng.integers(0, 5, n), rng.integers(0, 3, n) / 10]).tolist()
    X = np.column_stack([rng.integers(0, 9, n), rng.normal(size=n).round(1)]).tolist()
    problem = Problem(X, y, None, "absolute_error")
    data = data_of(problem)
    limits = {"max_depth": 3}
    tree = fit(problem, **limits)
    assert complaints(tree, data, rules_of(problem, data, **limits), ties_decided=True) == []


@pytest.mark.parametrize("name", NAMES[:4])  # with weights, what is below 2^-80 of the rest is tied
def test_weights_of_one_change_nothing(name):
    rng = np.random.default_rng(7)
    n = 700
    y = targets(rng, n)[name]
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 9, n), y + rng.normal(size=n)])
    X[rng.random(X.shape) < 0.1] = np.nan
    model = ceiba.DecisionTreeRegressor(criterion="absolute_error", max_depth=6)
    plain = model.fit(X, y).tree_
    weighted = model.fit(X, y, sample_weight=np.ones(n)).tree_
    assert plain.splits == weighted.splits
    assert plain.n_rows.tolist() == weighted.n_rows.tolist()
    np.testing.assert_allclose(plain.value, weighted.value, rtol=1e-12)


@pytest.mark.parametrize("name", ["normal", "whole"])
def test_whole_weights_equal_repeated_rows(name):
    rng = np.random.default_rng(8)
    n = 300
    y = targets(rng, n)[name]
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 9, n)])
    weight = rng.integers(1, 5, n)
    model = ceiba.DecisionTreeRegressor(criterion="absolute_error", max_depth=5)
    weighted = model.fit(X, y, sample_weight=weight.astype(float)).tree_
    rows = np.repeat(np.arange(n), weight)
    repeated = model.fit(X[rows], y[rows]).tree_
    assert weighted.splits == repeated.splits
    np.testing.assert_allclose(weighted.value, repeated.value, rtol=1e-12)


@pytest.mark.parametrize("direction", [-1, 1])
def test_monotone_values_never_go_the_other_way(direction):
    rng = np.random.default_rng(9)
    n = 500
    X = rng.normal(size=(n, 2))
    y = direction * X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(scale=0.7, size=n)
    model = ceiba.DecisionTreeRegressor(
        criterion="absolute_error", monotonic_cst=[direction, 0], max_depth=6
    ).fit(X, y)
    assert model.tree_.n_leaves > 8
    grid = np.linspace(-3, 3, 60)
    for other in np.linspace(-2, 2, 9):
        path = model.predict(np.column_stack([grid, np.full(60, other)]))
        assert (np.diff(path) * direction >= 0).all()


def test_threads_give_the_same_tree():
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(12_000, 20)), rng.normal(size=12_000)
    model = ceiba.DecisionTreeRegressor(criterion="absolute_error", max_depth=4)
    assert model.set_params(n_jobs=1).fit(X, y).tree_ == model.set_params(n_jobs=2).fit(X, y).tree_
