"""Importance by several measures; the learning curve."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

import ceiba
from ceiba.errors import DataError, OptionError
from ceiba.inspection import heldout_gain, importance, importance_table, learning_curve
from ceiba.inspection.importance import permutation_importance
from ceiba.tree import build


@pytest.fixture
def noisy():
    """A column that matters, and one of pure noise with many values."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"noise": rng.random(400), "signal": rng.integers(0, 2, 400)})
    y = np.where(rng.random(400) < 0.2, 1 - X["signal"], X["signal"])
    model = ceiba.DecisionTreeClassifier().fit(X[:200], y[:200])
    return model.tree_, X[200:], y[200:]


def test_importance_table_rescaled_to_maximum_has_a_one(noisy) -> None:
    tree, _, _ = noisy
    assert importance_table(tree, scale="max")["gain"][0] == 1.0
    assert importance_table(tree)["gain"].sum() == pytest.approx(1.0)
    total = importance_table(tree, scale="none")["gain"].sum()
    assert total == pytest.approx(importance(tree, normalize=False).sum())


def test_importance_table_held_out_measures_see_through_noise(noisy) -> None:
    tree, X, y = noisy
    table = importance_table(tree, X, y)
    at = {name: i for i, name in enumerate(table["column"])}
    for measure in ("permutation", "heldout_gain"):
        assert table[measure][at["signal"]] > 5 * table[measure][at["noise"]]
    assert (table["permutation_low"] <= table["permutation_high"]).all()
    assert (table["heldout_low"] <= table["heldout_high"]).all()


def test_importance_table_with_surrogates_has_their_column() -> None:
    rng = np.random.default_rng(1)
    x = rng.random(60)
    X = pd.DataFrame({"x": x, "like_x": x + 0.01 * rng.random(60)})
    tree = ceiba.rpart(xval=0).fit(X, np.where(x > 0.5, "a", "b")).tree_
    table = importance_table(tree)
    assert table["surrogates"][table["column"].tolist().index("like_x")] > 0


def test_importance_table_unknown_scale_is_a_clear_error(noisy) -> None:
    with pytest.raises(OptionError, match="scale"):
        importance_table(noisy[0], scale="most")  # type: ignore[arg-type]


def test_importance_table_rows_without_target_is_a_clear_error(noisy) -> None:
    with pytest.raises(OptionError, match="X and y must be passed together"):
        importance_table(noisy[0], noisy[1])


def test_permutation_importance_of_unused_column_is_zero() -> None:
    tree = build(("x <= 2.5", "a", "b"))
    X = {"x": [1.0, 2.0, 3.0, 4.0]}
    drops = permutation_importance(tree, X, ["a", "a", "b", "b"], repeats=20)
    assert 0 < drops[0, 0] <= 1
    assert drops[0, 0] == pytest.approx(drops[1:, 0].mean())


def test_heldout_gain_on_training_rows_is_the_training_gain(noisy) -> None:
    tree, X, y = noisy
    again = tree.refit_leaves(X, y)
    gains = heldout_gain(again, X, y)[0]
    assert gains == pytest.approx(importance(again, normalize=False) / 200)


def test_learning_curve_rises_to_the_hand_written_tree() -> None:
    tree = build(("Patrons", {"None": "No", "Some": "Yes", "Full": ("x <= 3", "Yes", "No")}))
    X, y = tree.sample(200, random_state=0)
    model = ceiba.DecisionTreeClassifier()
    curve = learning_curve(model, X, y, sizes=[2, 150], repeats=8, n_jobs=1)
    assert curve.mean[0] < curve.mean[1]
    assert curve.mean[1] > 0.95
    assert (curve.low <= curve.mean).all()
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize("container", ["dict", "numpy", "pandas", "polars", "pyarrow"])
def test_learning_curve_takes_any_container(container: str) -> None:
    X, y = build(("x <= 3", "a", "b")).sample(40, random_state=0, container=container)
    curve = learning_curve(ceiba.DecisionTreeClassifier(), X, y, sizes=[20], repeats=2)
    assert curve.scores.shape == (1, 2)


def test_learning_curve_other_estimators_and_metrics() -> None:
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 4 == 0
    curve = learning_curve(DummyClassifier(), X, y, sizes=[20], repeats=3, metric="f1")
    assert curve.metric == "f1"
    assert (curve.scores == 0).all()


def test_learning_curve_same_seed_same_curve() -> None:
    X, y = np.random.default_rng(0).random((50, 2)), np.arange(50) % 2
    one, two = (
        learning_curve(ceiba.DecisionTreeClassifier(), X, y, repeats=2).scores for _ in range(2)
    )
    assert (one == two).all()


def test_learning_curve_progress_goes_to_the_error_stream(capsys) -> None:
    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) % 2
    learning_curve(ceiba.DecisionTreeClassifier(), X, y, sizes=[5], repeats=2, progress=True)
    assert "2/2" in capsys.readouterr().err


def test_learning_curve_size_beyond_the_rows_is_a_clear_error() -> None:
    with pytest.raises(DataError, match="integers from 1 to 19, got"):
        learning_curve(DummyClassifier(), np.zeros((20, 1)), np.arange(20) % 2, sizes=[20])
