"""Shapley values equal their definition on trees of every kind, and those of the package shap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

import ceiba
from ceiba.errors import DataError, OptionError
from ceiba.tree.routing import route
from tests.marks import slow
from tests.tree.random_trees import random_rows, random_tree
from tests.trust import shapley_oracle as oracle

KINDS = [
    {"missing": "learn"},
    {"missing": "majority", "unseen": "missing"},
    {"missing": "surrogate"},
    {"missing": "surrogate", "stays": True, "unseen": "missing"},
    {"missing": "learn", "stays": True, "task": "regression"},
    {"missing": "fractional"},
    {"missing": "fractional", "unseen": "missing", "task": "regression"},
]


def values_of(found: Any) -> np.ndarray[Any, Any]:
    values = np.asarray(found.values)
    return values if found.classes else values[..., None]


def repeated(rows: dict[str, list[Any]], times: int) -> dict[str, list[Any]]:
    return {name: column * times for name, column in rows.items()}


@pytest.mark.parametrize("n_trees", [24, *slow([143])])
@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_shap_values_of_random_trees_equal_every_coalition(kind: int, n_trees: int) -> None:
    for seed in range(n_trees):  # many rows take the tables, few rows the walks
        tree = random_tree(1000 * kind + seed, n_inner=1 + seed % 6, **KINDS[kind])
        rows = random_rows(seed, 3)
        table, times = route.read(tree, rows), (1, 700)[seed % 3 == 0]
        found = values_of(tree.shap_values(repeated(rows, times)))
        for row in range(3):
            worth = oracle.path_dependent(tree, table, row)
            expected = oracle.shapley(worth, table.n_columns)[:, 0]
            same = found[row::3] - expected
            assert np.abs(same).max() < 1e-12, (kind, seed, row)


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_shap_values_with_background_equal_every_coalition(kind: int) -> None:
    for seed in range(40):
        tree = random_tree(5000 * kind + seed, n_inner=1 + seed % 6, **KINDS[kind])
        rows, others = random_rows(seed, 2), random_rows(seed + 9, 4, holes=0.1 * (seed % 3))
        table, background = route.read(tree, rows), route.read(tree, others)
        times = (1, 700)[seed % 3 == 0]
        found = values_of(tree.shap_values(repeated(rows, times), background=others))
        for row in range(2):
            worth = oracle.interventional(tree, table, row, background)
            expected = oracle.shapley(worth, table.n_columns)[:, 0]
            assert np.abs(found[row::2] - expected).max() < 1e-12, (kind, seed, row)


@pytest.mark.parametrize("with_background", [False, True])
@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_shap_interactions_equal_every_coalition(kind: int, with_background: bool) -> None:
    for seed in range(12):
        tree = random_tree(7000 * kind + seed, n_inner=1 + seed % 6, **KINDS[kind])
        rows, others = random_rows(seed, 2), random_rows(seed + 9, 3)
        table, background = route.read(tree, rows), route.read(tree, others)
        options: dict[str, Any] = {"background": others} if with_background else {}
        times = (1, 700)[seed % 3 == 0]
        found = values_of(tree.shap_values(repeated(rows, times), interactions=True, **options))
        for row in range(2):
            if with_background:
                worth = oracle.interventional(tree, table, row, background)
            else:
                worth = oracle.path_dependent(tree, table, row)
            expected = oracle.interactions(worth, table.n_columns)[:, :, 0]
            assert np.abs(found[row::2] - expected).max() < 1e-12, (kind, seed, row)


@pytest.mark.parametrize("options", [{}, {"class_prior": [0.8, 0.2]}, {"max_leaf_nodes": 60}])
def test_shap_values_add_up_to_the_prediction(options: dict[str, Any]) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).exponential(size=len(y))
    model = ceiba.DecisionTreeClassifier(**options).fit(X, y, sample_weight=weight)
    for background in (None, X[:50]):
        found = model.shap_values(X, background=background)
        told = found.base_values + found.values.sum(axis=1)
        np.testing.assert_allclose(told, model.predict_proba(X), atol=1e-12)
    base = model.shap_values(X).base_values
    np.testing.assert_allclose(base, model.tree_.value[0, 0], atol=1e-12)


def test_shap_values_of_several_outputs_are_a_tuple_that_adds_up() -> None:
    X, y = load_diabetes(return_X_y=True)
    both = np.column_stack([y, X[:, 0] * 100 + y])
    model = ceiba.DecisionTreeRegressor(max_depth=4).fit(X, both)
    for k, found in enumerate(model.shap_values(X)):
        told = found.base_values + found.values.sum(axis=1)
        np.testing.assert_allclose(told, model.predict(X)[:, k], atol=1e-9)


def test_shap_values_for_any_number_of_threads_are_the_same() -> None:
    X, y = load_diabetes(return_X_y=True)
    X, y = np.tile(X, (6, 1)), np.tile(y, 6)
    tree = ceiba.DecisionTreeRegressor(max_depth=7).fit(X, y).tree_
    for options in ({}, {"background": X[:30]}, {"interactions": True}):
        one, two = (tree.shap_values(X, n_threads=n, **options).values for n in (1, 2))
        assert np.array_equal(one, two)


@pytest.mark.parametrize("depth", [3, 8, None])
def test_shap_values_of_plain_trees_equal_those_of_shap(depth: int | None) -> None:
    shap = pytest.importorskip("shap", reason="the package shap is not installed")
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    tree = ceiba.DecisionTreeRegressor(max_depth=depth, min_samples_leaf=2).fit(X, y).tree_
    theirs = shap.TreeExplainer(tree.to_sklearn())
    np.testing.assert_allclose(tree.shap_values(X).values, theirs.shap_values(X), atol=1e-9)
    np.testing.assert_allclose(tree.shap_values(X[:3]).values, theirs.shap_values(X[:3]), atol=1e-9)
    ours = tree.shap_values(X[:60], interactions=True).values
    np.testing.assert_allclose(ours, theirs.shap_interaction_values(X[:60]), atol=1e-9)


def test_shap_values_with_background_equal_those_of_shap() -> None:
    shap = pytest.importorskip("shap", reason="the package shap is not installed")
    X, y = load_diabetes(return_X_y=True)
    X = np.round(X * 256) / 4  # with a background, shap compares and adds in float32
    tree = ceiba.DecisionTreeRegressor(max_depth=8, min_samples_leaf=2).fit(X, y).tree_
    theirs = shap.TreeExplainer(
        tree.to_sklearn(), X[:40], feature_perturbation="interventional"
    ).shap_values(X, check_additivity=False)
    ours = tree.shap_values(X, background=X[:40]).values
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_to_shap_gives_an_explanation_that_shap_plots() -> None:
    shap = pytest.importorskip("shap", reason="the package shap is not installed")
    data = ceiba.datasets.load_restaurant()
    model = ceiba.DecisionTreeClassifier().fit(data.X, data.y)
    found = model.shap_values(data.X)
    explanation = found.to_shap()
    assert isinstance(explanation, shap.Explanation)
    assert explanation.values.shape == (12, len(found.names), 2)
    assert explanation.output_names == [str(label) for label in found.classes]
    assert explanation.display_data[0, list(found.names).index("Patrons")] == "Some"


def test_shap_values_of_a_long_chain_do_not_recurse() -> None:
    X = np.arange(3000.0)[:, None]
    model = ceiba.DecisionTreeRegressor(max_leaf_nodes=1500).fit(X, np.cumsum(X[:, 0] ** 3))
    found = model.shap_values(X[:20])
    told = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(told, model.predict(X[:20]), rtol=1e-9, atol=1e-3)


def test_shap_values_with_wrong_arguments_say_so() -> None:
    tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    with pytest.raises(DataError, match="background must have at least one row"):
        tree.shap_values({"x": [1.0]}, background={"x": np.zeros(0)})
    with pytest.raises(OptionError, match="Classes: \\['a', 'b'\\]"):
        tree.shap_values({"x": [1.0]}).of_class("c")
