"""Under monotone limits, splits whose branches answer alike are folded; answers stay the same."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import ceiba


def table(seed, n=400):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 3)).astype(float)
    return X, X[:, 0] - X[:, 1] + rng.normal(scale=3.0, size=n)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("classes", [True, False])
def test_answers_are_those_of_scikit_learn_and_no_split_is_idle(seed, classes):
    X, y = table(seed)
    y = y > 0 if classes else y
    options = {"monotonic_cst": [1, -1, 0], "min_samples_leaf": 5, "max_depth": 5}
    ours, theirs = (
        (ceiba.DecisionTreeClassifier, DecisionTreeClassifier)
        if classes
        else (ceiba.DecisionTreeRegressor, DecisionTreeRegressor)
    )
    model, other = ours(**options).fit(X, y), theirs(**options, random_state=0).fit(X, y)
    answer = "predict_proba" if classes else "predict"
    np.testing.assert_allclose(getattr(model, answer)(X), getattr(other, answer)(X), atol=1e-12)
    tree = model.tree_
    for node in tree.nodes:
        values = {tree.value[leaf].tobytes() for leaf in node.leaves.tolist()}
        assert node.is_leaf or len(values) > 1
    assert tree.n_rows[tree.leaves].sum() == len(y)


def test_some_splits_were_folded():
    smaller = 0
    for seed in range(8):
        X, y = table(seed)
        options = {"monotonic_cst": [1, -1, 0], "min_samples_leaf": 5, "max_depth": 5}
        model = ceiba.DecisionTreeClassifier(**options).fit(X, y > 0)
        other = DecisionTreeClassifier(**options, random_state=0).fit(X, y > 0)
        smaller += model.get_n_leaves() < other.get_n_leaves()
    assert smaller > 0


def test_risk_is_that_of_the_answers():
    X, y = table(1)
    model = ceiba.DecisionTreeClassifier(monotonic_cst=[1, -1, 0], max_depth=5).fit(X, y > 0)
    assert model.tree_.tree_risk == pytest.approx((model.predict(X) != (y > 0)).mean())


@pytest.mark.parametrize(
    ("rule", "classes"),
    [
        *((rule, True) for rule in ("learn", "majority", "surrogate", "fractional")),
        *((rule, False) for rule in ("learn", "majority", "surrogate")),
    ],
)
def test_every_node_has_the_value_of_its_rows_within_the_limits_above_it(rule, classes):
    moved = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = table(seed, n=60)
        holes = rng.random(X.shape) < 0.3
        y = np.where(holes.any(axis=1), -3 * y, y)  # against every direction
        X[holes] = np.nan
        options = {"missing": rule, "monotonic_cst": [1, -1, 0], "max_depth": 3}
        cls = ceiba.DecisionTreeClassifier if classes else ceiba.DecisionTreeRegressor
        tree = cls(**options).fit(X, y > 0 if classes else y).tree_
        if classes:
            value, own = tree.value[:, 0, 1], tree.counts[:, 0, 1] / tree.counts[:, 0].sum(axis=1)
        else:
            inside = tree.decision_path(X).toarray().T > 0
            value, own = tree.value[:, 0, 0], np.array([y[rows].mean() for rows in inside])
        low, high = np.full(tree.n_nodes, -np.inf), np.full(tree.n_nodes, np.inf)
        for node in np.flatnonzero(~tree.is_leaf):
            first, second = tree.branch_node[tree.branch_start[node] :][:2]
            low[[first, second]], high[[first, second]] = low[node], high[node]
            direction = options["monotonic_cst"][tree.splits.column[node]]
            if direction:
                middle = (value[first] + value[second]) / 2
                under, over = (first, second) if direction > 0 else (second, first)
                high[under], low[over] = min(high[under], middle), max(low[over], middle)
        np.testing.assert_allclose(value, np.clip(own, low, high), atol=1e-9)
        moved += np.count_nonzero(np.abs(value - own) > 1e-9)
    assert moved or rule == "learn"


@pytest.mark.parametrize("cls", [ceiba.DecisionTreeClassifier, ceiba.DecisionTreeRegressor])
@pytest.mark.parametrize("splits", ["binary", "multiway"])
@pytest.mark.parametrize("direction", [1, -1])
def test_levels_without_an_order_have_no_direction(cls, splits, direction):
    X = {"c": ["a"] * 90 + ["b"] * 10, "x": [k // 2 for k in range(100)]}
    y = [0] * 89 + [1] + [0] * 5 + [1] * 5
    model = cls(categorical_splits=splits, monotonic_cst={"c": direction})
    with pytest.raises(ceiba.OptionError, match=r"monotonic_cst must be 0 for column 'c'.*order"):
        model.fit(X, y)
    assert model.set_params(monotonic_cst={"c": 0, "x": 1}).fit(X, y).get_n_leaves() > 1
