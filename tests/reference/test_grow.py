"""The reference's whole trees against scikit-learn, on data without ties."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.reference.data import numeric_data
from tests.reference.grow import grow, preorder
from tests.reference.search import Rules

N = 24


def table(seed):
    """Numbers that are exact in 32 bits, as scikit-learn rounds its columns."""
    generator = np.random.default_rng(seed)
    X = generator.permuted(np.tile(np.arange(N) / 8, (3, 1)), axis=1).T
    return X, generator.integers(0, 3, N), generator.integers(1, 50, N), generator.integers(1, 9, N)


def described(root):
    """Columns and cuts in pre-order; -2 at leaves."""
    return [(n.found.split.column, n.found.split.cut) if n.found else -2 for n in preorder(root)]


def described_by_sklearn(tree):
    return [
        (f, t) if f >= 0 else -2
        for f, t in zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    "stops",
    [
        {"max_depth": 3},
        {"min_samples_leaf": 4, "max_depth": 4},
        {"min_samples_split": 9},
        {"min_gain": 6.0, "max_depth": 3},
    ],
)
def test_squared_error_tree_equals_scikit_learn(stops):
    X, _, y, weight = table(5)
    options = {"min_impurity_decrease" if k == "min_gain" else k: v for k, v in stops.items()}
    theirs = DecisionTreeRegressor(random_state=0, **options).fit(X, y, sample_weight=weight)
    data = numeric_data(X.tolist(), y.tolist(), weight.tolist())
    ours = grow(data, Rules(criterion="squared_error", **stops))
    assert described(ours) == described_by_sklearn(theirs.tree_)


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
def test_other_regression_tree_equals_scikit_learn(criterion):
    X, _, y, _ = table(8)
    theirs = DecisionTreeRegressor(criterion=criterion, max_depth=2, random_state=0).fit(X, y)
    ours = grow(numeric_data(X.tolist(), y.tolist()), Rules(criterion=criterion, max_depth=2))
    assert described(ours) == described_by_sklearn(theirs.tree_)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_class_tree_with_weights_equals_scikit_learn(criterion):
    X, y, weight, _ = table(3)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=2, random_state=0)
    theirs.fit(X, y, sample_weight=weight)
    data = numeric_data(X.tolist(), y.tolist(), weight.tolist())
    ours = grow(data, Rules(criterion=criterion, max_depth=2))
    assert described(ours) == described_by_sklearn(theirs.tree_)


def test_missing_values_learned_equal_scikit_learn():
    X, y, _, _ = table(11)
    X[np.random.default_rng(2).random(X.shape) < 0.25] = np.nan
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    ours = grow(numeric_data(X.tolist(), y.tolist()), Rules(max_depth=2))
    assert [len(node.rows) for node in preorder(ours)] == theirs.tree_.n_node_samples.tolist()


def test_best_first_tree_equals_scikit_learn():
    X, _, y, _ = table(4)
    theirs = DecisionTreeRegressor(max_leaf_nodes=6, random_state=0).fit(X, y)
    ours = grow(numeric_data(X.tolist(), y.tolist()), Rules(criterion="squared_error"), 6)
    leaves = sorted(len(node.rows) for node in preorder(ours) if not node.children)
    is_leaf = theirs.tree_.children_left < 0
    assert leaves == sorted(theirs.tree_.n_node_samples[is_leaf].tolist())
