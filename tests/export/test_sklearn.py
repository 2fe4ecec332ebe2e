"""To scikit-learn and back."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeRegressor,
    export_text,
)

import ceiba
from ceiba.errors import CeibaWarning, TreeError
from ceiba.export.sklearn import rounding_cut
from ceiba.tree import check, from_sklearn

DATA: dict[str, Any] = {
    "iris": load_iris(return_X_y=True),
    "cancer": load_breast_cancer(return_X_y=True),
    "diabetes": load_diabetes(return_X_y=True),
}


def on_the_edges(model: Any, X: np.ndarray) -> np.ndarray:
    """Float64 rows around every threshold, where float32 rounding decides."""
    tree = model.tree_
    rows = []
    for node in np.flatnonzero(tree.children_left >= 0):
        column, cut = tree.feature[node], tree.threshold[node]
        near = np.float32(cut)
        values = [cut, float(near), float(np.nextafter(near, np.float32(np.inf)))]
        values += [(values[1] + values[2]) / 2]
        values += [float(np.nextafter(v, s)) for v in values for s in (-np.inf, np.inf)]
        for value in values:
            row = X[node % len(X)].copy()
            row[column] = value
            rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize("name", ["iris", "cancer"])
def test_from_sklearn_classifier_routes_every_float64_alike(name: str) -> None:
    X, y = DATA[name]
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    tree = from_sklearn(model)
    check(tree)
    rng = np.random.default_rng(0)
    many = np.vstack([X, X * rng.uniform(0.9, 1.1, X.shape), on_the_edges(model, X)])
    assert tree.apply(many).tolist() == model.apply(many).tolist()
    assert tree.predict_proba(many).tolist() == model.predict_proba(many).tolist()


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeRegressor(random_state=0),
        DecisionTreeRegressor(criterion="poisson", max_depth=4),
        DecisionTreeRegressor(max_leaf_nodes=11),
        ExtraTreeRegressor(random_state=0, max_depth=6),
    ],
)
def test_from_sklearn_regressor_predicts_every_float64_alike(model: Any) -> None:
    X, y = DATA["diabetes"]
    model = clone(model).fit(X, y)
    tree = from_sklearn(model)
    check(tree)
    many = np.vstack([X, on_the_edges(model, X)])
    assert tree.predict(many).tolist() == model.predict(many).tolist()


def test_from_sklearn_tree_of_a_forest_is_accepted() -> None:
    X, y = DATA["diabetes"]
    model = RandomForestRegressor(2, max_depth=3, random_state=0).fit(X, y).estimators_[1]
    assert from_sklearn(model).predict(X).tolist() == model.predict(X).tolist()


def test_from_sklearn_missing_values_go_the_same_way() -> None:
    X, y = DATA["cancer"]
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    tree = from_sklearn(model)
    assert tree.apply(X).tolist() == model.apply(X).tolist()


def test_from_sklearn_infinite_threshold_is_a_presence_split() -> None:
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    model = DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"])
    assert np.isinf(model.tree_.threshold[0])
    tree = from_sklearn(model)
    assert tree.root.split == ceiba.tree.Presence("x0")
    assert tree.predict(X).tolist() == ["a", "a", "b", "b"]
    back = tree.to_sklearn()
    assert back.predict(X).tolist() == ["a", "a", "b", "b"]


def test_from_sklearn_keeps_names_and_numbers() -> None:
    X, y = DATA["iris"]
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = DecisionTreeClassifier(criterion="log_loss", random_state=0).fit(frame, y)
    tree = from_sklearn(model)
    assert tree.schema.names == ("a", "b", "c", "d")
    assert tree.schema.named
    assert tree.criterion == "entropy"
    assert tree.n_rows.tolist() == model.tree_.n_node_samples.tolist()
    assert tree.counts is not None
    assert tree.counts[0, 0] == pytest.approx([50, 50, 50])
    importance = np.bincount(
        tree.splits.column[~tree.is_leaf],
        weights=(tree.gain * tree.weight)[~tree.is_leaf],
        minlength=4,
    )
    assert importance / importance.sum() == pytest.approx(model.feature_importances_)


def test_from_sklearn_several_outputs() -> None:
    X, y = DATA["iris"]
    both = np.column_stack([y, y % 2])
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, both)
    tree = from_sklearn(model)
    assert tree.predict(X).tolist() == model.predict(X).tolist()
    for mine, theirs in zip(tree.predict_proba(X), model.predict_proba(X), strict=True):
        assert mine.tolist() == theirs.tolist()


def test_from_sklearn_unfitted_model_is_refused() -> None:
    with pytest.raises(NotFittedError):
        from_sklearn(DecisionTreeClassifier())


@given(st.floats(width=64, allow_nan=False, allow_infinity=False))
def test_rounding_cut_is_the_last_float64_that_rounds_below(threshold: float) -> None:
    cut = rounding_cut(np.array([threshold]))[0]
    with np.errstate(over="ignore"):
        assert float(np.float32(cut)) <= threshold
        assert float(np.float32(np.nextafter(cut, np.inf))) > threshold


@pytest.mark.parametrize("name", ["iris", "cancer", "diabetes"])
def test_to_sklearn_and_back_predicts_alike_on_float32(name: str) -> None:
    X, y = DATA[name]
    X = X.astype(np.float32).astype(np.float64)
    kind = DecisionTreeRegressor if name == "diabetes" else DecisionTreeClassifier
    tree = from_sklearn(kind(random_state=0, max_depth=6).fit(X, y))
    model = tree.to_sklearn()
    assert model.predict(X).tolist() == tree.predict(X).tolist()
    assert model.apply(X).tolist() == tree.apply(X).tolist()
    assert from_sklearn(model).apply(X).tolist() == tree.apply(X).tolist()


def test_to_sklearn_float64_cut_between_float32_values_is_exact_on_float32() -> None:
    cut = 0.1  # lies between two float32 values
    model = ceiba.tree.build((f"x <= {cut!r}", 1.0, 2.0)).to_sklearn()
    below, above = np.nextafter(np.float32(cut), np.float32([0, 1]))
    near = np.array([below, np.float32(cut), above])
    expected = np.where(near.astype(np.float64) <= cut, 1.0, 2.0)
    assert model.predict(pd.DataFrame({"x": near})).tolist() == expected.tolist()


def test_to_sklearn_estimator_has_what_a_fitted_one_has() -> None:
    X, y = DATA["iris"]
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    ours = from_sklearn(model).to_sklearn()
    for name in ("classes_", "n_classes_", "n_outputs_", "n_features_in_", "max_features_"):
        assert np.array_equal(getattr(ours, name), getattr(model, name)), name
    assert ours.feature_importances_ == pytest.approx(model.feature_importances_)
    assert (ours.get_depth(), ours.get_n_leaves()) == (2, 3)
    assert export_text(ours) == export_text(model)
    assert ours.decision_path(X).toarray().tolist() == model.decision_path(X).toarray().tolist()
    assert ours.score(X, y) == model.score(X, y)
    assert pickle.loads(pickle.dumps(ours)).predict(X).tolist() == model.predict(X).tolist()
    clone(ours).fit(X, y)


def test_to_sklearn_plot_tree_draws_it() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from sklearn.tree import plot_tree

    axes = FigureCanvasAgg(Figure()).figure.subplots()
    assert plot_tree(ceiba.tree.build(("x <= 2", "a", "b")).to_sklearn(), ax=axes)


def test_to_sklearn_missing_values_follow_the_default_branch() -> None:
    tree = replace(ceiba.tree.build(("x <= 2", 1.0, 2.0)), default_branch=np.array([1, -1, -1]))
    X = pd.DataFrame({"x": [np.nan, 0.0]})
    assert tree.to_sklearn().predict(X).tolist() == [2.0, 1.0]


def test_to_sklearn_named_columns_are_feature_names() -> None:
    model = ceiba.tree.build(("x <= 2", 1.0, ("y <= 1", 2.0, 3.0))).to_sklearn()
    assert model.feature_names_in_.tolist() == ["x", "y"]


def test_to_sklearn_several_outputs() -> None:
    X, y = DATA["iris"]
    both = np.column_stack([y, y % 2])
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, both)
    assert from_sklearn(model).to_sklearn().predict(X).tolist() == model.predict(X).tolist()


def test_to_sklearn_level_split_is_refused() -> None:
    with pytest.raises(TreeError, match="only binary numeric cuts"):
        ceiba.tree.build(("c", {"u": "a", "v": "b"})).to_sklearn()


def test_to_sklearn_column_with_levels_is_refused() -> None:
    with pytest.raises(TreeError, match="'c' is categorical"):
        ceiba.tree.build(("x <= 1", "a", "b"), levels={"c": ["u", "v"]}).to_sklearn()


def test_to_sklearn_cost_matrix_warns() -> None:
    tree = ceiba.tree.build(("x <= 1", "a", "b"), cost_matrix=[[0, 1], [5, 0]])
    with pytest.warns(CeibaWarning, match="cost_matrix"):
        tree.to_sklearn()


def test_to_sklearn_surrogates_with_missing_values_warn() -> None:
    tree = ceiba.tree.build(("x <= 1", 1.0, 2.0), missing="fractional")
    columns = (replace(tree.schema.columns[0], n_missing=2),)
    tree = replace(tree, schema=replace(tree.schema, columns=columns))
    with pytest.warns(CeibaWarning, match="default branch"):
        tree.to_sklearn()
