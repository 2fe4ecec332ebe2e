"""`refit_leaves`: the counts of other data on the same tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import ceiba
from ceiba.errors import DataError
from ceiba.tree import check
from tests.tree.random_trees import random_rows, random_tree

SEEDS = st.integers(0, 10_000)
LABELS = np.array(["no", "perhaps", "yes"])


@given(
    seed=SEEDS,
    missing=st.sampled_from(["learn", "surrogate"]),
    unseen=st.sampled_from(["majority", "missing"]),
    stays=st.booleans(),
)
def test_refit_leaves_random_tree_counts_rows_of_each_node(
    seed: int, missing: str, unseen: str, stays: bool
) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, missing=missing, unseen=unseen, stays=stays)
    X, y = random_rows(seed), LABELS[rng.integers(3, size=40)]
    weight = rng.random(40)
    got = tree.refit_leaves(X, y, sample_weight=weight)
    check(got)
    assert got.counts is not None
    for node in range(tree.n_nodes):
        rows = tree.rows(node, X)
        assert got.n_rows[node] == len(rows)
        assert got.weight[node] == pytest.approx(weight[rows].sum())
        expected = [weight[rows][y[rows] == label].sum() for label in LABELS]
        assert got.counts[node, 0] == pytest.approx(expected)
        if len(rows):
            p = np.array(expected) / np.sum(expected)
            assert got.value[node, 0] == pytest.approx(p)
            assert got.impurity[node] == pytest.approx(1 - np.sum(p * p))
            assert got.risk[node] == pytest.approx(
                (1 - p.max()) * weight[rows].sum() / weight.sum()
            )
        else:
            assert got.value[node].tolist() == tree.value[node].tolist()
            assert (got.impurity[node], got.risk[node]) == (0.0, 0.0)


@given(seed=SEEDS)
def test_refit_leaves_with_whole_weights_equals_repeated_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, task="regression")
    X, y, times = random_rows(seed), rng.normal(size=40), rng.integers(1, 4, size=40)
    weighted = tree.refit_leaves(X, y, sample_weight=times)
    again = {name: [v for v, k in zip(column, times, strict=True) for _ in range(k)]
             for name, column in X.items()}  # fmt: skip
    repeated = tree.refit_leaves(again, np.repeat(y, times))
    for name in ("weight", "value", "impurity", "gain", "risk"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), abs=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_refit_leaves_on_own_data_gives_scikit_learns_classification_tree(criterion: str) -> None:
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y)
    tree = ceiba.tree.from_sklearn(model)
    got = tree.refit_leaves(X, y)
    assert got.n_rows.tolist() == model.tree_.n_node_samples.tolist()
    for name in ("value", "impurity", "counts", "gain", "risk"):
        assert getattr(got, name) == pytest.approx(getattr(tree, name), abs=1e-12)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_refit_leaves_on_own_data_gives_scikit_learns_regression_tree(criterion: str) -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(criterion=criterion, max_depth=5, random_state=0).fit(X, y)
    tree = ceiba.tree.from_sklearn(model)
    for got in (tree.refit_leaves(X, y), tree.refit_leaves(X, y, keep_value=True)):
        for name in ("value", "impurity", "gain", "risk"):
            assert getattr(got, name) == pytest.approx(getattr(tree, name), rel=1e-9, abs=1e-9)


def test_refit_leaves_large_offset_keeps_the_variance() -> None:
    tree = ceiba.tree.build(("x <= 0", 1.0, ("x <= 5", 2.0, 3.0)))
    y = np.array([1.0, 2.0, 1.0, 3.0, 2.0, 4.0]) + 1e9
    got = tree.refit_leaves({"x": [-1.0, -2.0, 1.0, 2.0, 6.0, 7.0]}, y)
    assert got.impurity == pytest.approx([y.var(), 0.25, 1.25, 1.0, 1.0], rel=1e-6)


def test_refit_leaves_pure_leaf_has_no_impurity_at_all() -> None:
    tree = ceiba.tree.build(("x <= 0", 1.0, 2.0))
    got = tree.refit_leaves({"x": [-1.0, -2.0, 1.0, 2.0]}, [0.1, 0.1, 1e8, 1e8])
    assert got.impurity[1:].tolist() == [0.0, 0.0]


def test_refit_leaves_keep_value_gives_error_of_old_answers() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", "b"))
    got = tree.refit_leaves({"x": [1.0, 1.0, 1.0, 3.0]}, ["b", "b", "a", "b"], keep_value=True)
    assert got.predict({"x": [1.0]}).tolist() == ["a"]
    assert got.risk.tolist() == [0.75, 0.5, 0.0]  # the root answers "a"
    assert got.counts is not None
    assert got.counts[:, 0].tolist() == [[1, 3], [1, 2], [0, 1]]


def test_refit_leaves_keep_value_squared_error_is_about_old_values() -> None:
    tree = ceiba.tree.build(("x <= 2", 1.0, 5.0))
    got = tree.refit_leaves({"x": [1.0, 1.0, 3.0]}, [2.0, 4.0, 5.0], keep_value=True)
    assert got.value[:, 0, 0].tolist() == [3.0, 1.0, 5.0]
    assert got.risk[1] == pytest.approx((1 + 9) / 3)
    assert got.impurity[1] == pytest.approx(1.0)


def test_refit_leaves_prior_rescales_values_and_risks() -> None:
    tree = replace(ceiba.tree.build(("x <= 2", "a", "b")), class_prior=np.array([0.5, 0.5]))
    got = tree.refit_leaves({"x": [1, 1, 1, 1, 3, 3, 3, 3]}, list("aaabaaab"))
    # 6 a, 2 b; each side 3 a and 1 b: with equal priors both sides are even
    assert got.value[:, 0] == pytest.approx(np.full((3, 2), 0.5))
    assert got.risk == pytest.approx([0.5, 0.25, 0.25])


def test_refit_leaves_twoing_gain_is_the_twoing_value() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", "b"), classes=["a", "b", "c"], criterion="twoing")
    got = tree.refit_leaves({"x": [1, 1, 3, 3, 3]}, list("aabbc"))
    assert got.gain[0] == pytest.approx(0.4 * 0.6 / 4 * (1 + 2 / 3 + 1 / 3) ** 2)


def test_refit_leaves_costs_enter_risk_and_impurity() -> None:
    costs = np.array([[0.0, 1.0], [3.0, 0.0]])
    tree = replace(ceiba.tree.build(("x <= 2", "a", "b")), cost_matrix=costs)
    got = tree.refit_leaves({"x": [1, 1, 1, 3]}, list("aaba"))
    # left 2 a, 1 b: saying b costs 2, saying a costs 3
    assert got.risk == pytest.approx([3 / 4, 2 / 4, 0.0])
    assert got.impurity[1] == pytest.approx(1 - 0.4**2 - 0.6**2)  # altered: 2 to 3


def test_refit_leaves_missing_rows_sent_by_default_are_counted() -> None:
    tree = ceiba.tree.build(("x <= 2", {"a": 1}, {"b": 6}))
    got = tree.refit_leaves({"x": [1.0, np.nan, np.nan]}, ["a", "b", "b"])
    assert got.sent_default.tolist() == [2, 0, 0]
    assert got.n_rows.tolist() == [3, 1, 2]


def test_refit_leaves_fractional_row_counts_in_every_branch() -> None:
    tree = ceiba.tree.build(("x <= 2", {"a": 1}, {"b": 3}), missing="fractional")
    got = tree.refit_leaves({"x": [1.0, np.nan]}, ["a", "b"])
    assert got.n_rows.tolist() == [2, 2, 1]
    assert got.weight == pytest.approx([2.0, 1.25, 0.75])
    check(got)


def test_refit_leaves_zero_weight_rows_are_not_counted() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", "b"))
    got = tree.refit_leaves({"x": [1.0, 3.0]}, ["a", "b"], sample_weight=[1.0, 0.0])
    assert got.n_rows.tolist() == [1, 1, 0]


@pytest.mark.parametrize("missing", ["majority", "surrogate"])
def test_refit_leaves_on_training_rows_counts_as_fit(missing: str) -> None:
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.3] = np.nan
    weight = rng.integers(3, size=len(y)).astype(float)
    fitted = ceiba.DecisionTreeClassifier(missing=missing, max_depth=3).fit(X, y, weight).tree_
    got = fitted.refit_leaves(X, y, sample_weight=weight)
    assert got.n_rows.tolist() == fitted.n_rows.tolist()
    assert got.sent_default.tolist() == fitted.sent_default.tolist()
    assert got.sent_default.any()
    if fitted.surrogates is not None and got.surrogates is not None:
        assert got.surrogates.sent.tolist() == fitted.surrogates.sent.tolist()
        assert got.surrogates.sent.any()
    else:
        assert missing == "majority"


def test_refit_leaves_target_by_column_name() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", "b"), target="t")
    frame = {"x": [1.0, 3.0, 3.0], "t": ["a", "b", "a"]}
    assert tree.refit_leaves(frame, "t").n_rows.tolist() == [3, 1, 2]


def test_refit_leaves_absent_class_keeps_class_order() -> None:
    tree = ceiba.tree.build(("x <= 2", "a", "b"), classes=["c", "b", "a"])
    got = tree.refit_leaves({"x": [1.0, 3.0]}, ["b", "a"])
    assert got.counts is not None
    assert got.counts[0, 0].tolist() == [0, 1, 1]


def test_refit_leaves_several_outputs_counts_each() -> None:
    X, y = load_iris(return_X_y=True)
    both = np.column_stack([y, y > 0])
    tree = ceiba.tree.from_sklearn(DecisionTreeClassifier(max_depth=2).fit(X, both))
    got = tree.refit_leaves(X, both)
    assert got.counts is not None
    assert got.counts[0, :, :].tolist() == [[50, 50, 50], [50, 100, 0]]
    assert got.impurity == pytest.approx(tree.impurity)


def test_refit_leaves_unknown_class_is_refused() -> None:
    with pytest.raises(DataError, match="'z'"):
        ceiba.tree.build(("x <= 2", "a", "b")).refit_leaves({"x": [1.0, 2.0]}, ["a", "z"])


def test_refit_leaves_wrong_number_of_outputs_is_refused() -> None:
    with pytest.raises(DataError, match="2 outputs"):
        ceiba.tree.build(("x <= 2", 1.0, 2.0)).refit_leaves({"x": [1.0, 2.0]}, np.ones((2, 2)))


@pytest.mark.parametrize("weight", [[1.0], [1.0, -1.0], [1.0, np.nan]])
def test_refit_leaves_wrong_weights_are_refused(weight: list[float]) -> None:
    with pytest.raises(DataError, match="sample_weight"):
        ceiba.tree.build(("x <= 2", "a", "b")).refit_leaves(
            {"x": [1.0, 2.0]}, ["a", "b"], sample_weight=weight
        )
