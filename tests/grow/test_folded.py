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
