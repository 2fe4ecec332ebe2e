"""Rows that are left out (no target, weight 0) say nothing of the columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ceiba

X: dict[str, Any] = {
    "x": [1.0, 2.0, 3.0, 4.0, None, 99.0],
    "c": ["a", "b", "b", "a", "only here", None],
}
Y = ["a", "a", "b", "b", None, None]
KEPT = {name: values[:4] for name, values in X.items()}


def by_target(frame: Any, **options: Any) -> Any:
    return ceiba.DecisionTreeClassifier(**options).fit(frame, Y, drop_missing_target=True)


def by_weight(frame: Any, **options: Any) -> Any:
    y = [label or "a" for label in Y]
    model = ceiba.DecisionTreeClassifier(**options)
    return model.fit(frame, y, sample_weight=[1, 1, 1, 1, 0, 0])


def by_rpart(frame: Any, **options: Any) -> Any:
    return ceiba.rpart(minsplit=2, cp=0, **options).fit(frame, Y)


@pytest.mark.parametrize("fit", [by_target, by_weight, by_rpart])
@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame])
def test_columns_are_described_by_the_rows_learned_from(fit: Any, frame: Any) -> None:
    x, c = fit(frame(X)).tree_.schema.columns
    assert (x.n_missing, x.minimum, x.maximum) == (0, 1.0, 4.0)
    assert (c.n_missing, c.levels) == (0, ("a", "b"))


@pytest.mark.parametrize("fit", [by_target, by_weight])
def test_tree_is_that_of_the_rows_learned_from(fit: Any) -> None:
    alone = ceiba.DecisionTreeClassifier().fit(KEPT, Y[:4])
    model = fit(X)
    assert str(model.tree_) == str(alone.tree_)
    assert "missing" not in str(model.tree_)
    assert model.predict(X).tolist() == alone.predict(X).tolist()
    assert model.tree_.schema == alone.tree_.schema


@pytest.mark.parametrize("fit", [by_target, by_weight])
def test_matrix_is_described_by_the_rows_learned_from(fit: Any) -> None:
    matrix = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan], [99.0]])
    info = fit(matrix).tree_.schema.columns[0]
    assert (info.n_missing, info.minimum, info.maximum) == (0, 1.0, 4.0)


@pytest.mark.parametrize("fit", [by_target, by_weight])
@pytest.mark.parametrize("ordered", [True, False])
def test_declared_levels_stay(fit: Any, ordered: bool) -> None:
    sizes = pd.Categorical(list("SMSMLL"), categories=["S", "M", "L", "XL"], ordered=ordered)
    info = fit(pd.DataFrame({"size": sizes})).tree_.schema.columns[0]
    assert info.levels == ("S", "M", "L", "XL")


def test_chosen_categories_are_those_of_the_rows_learned_from() -> None:
    info = by_target({"k": [1, 2, 1, 2, 7, 8]}, categorical_features=["k"]).tree_.schema.columns[0]
    assert info.levels == (1, 2)


def test_column_without_a_value_in_the_rows_learned_from() -> None:
    for fit in (by_target, by_weight):
        model = fit({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "c": [None] * 4 + ["a", "b"]})
        info = model.tree_.schema.columns[1]
        assert (info.kind, info.levels, info.n_missing) == (ceiba.table.Kind.CATEGORICAL, (), 4)


@pytest.mark.parametrize("prune", ["cv", ceiba.prune.Pessimistic(), ceiba.ReducedError()])
@pytest.mark.parametrize("options", [{}, {"unseen": "error"}, {"missing": "surrogate"}])
def test_rows_of_weight_0_go_through_pruning(prune: Any, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    n = 80
    levels = [f"l{k}" for k in rng.integers(0, 4, n)]
    weight = np.ones(n)
    weight[::7], levels[::7] = 0.0, ["ghost"] * len(levels[::7])
    data = {"c": levels, "x": rng.normal(size=n)}
    y = (np.array([int(one[1]) if one != "ghost" else 0 for one in levels]) + data["x"]) > 1.5
    model = ceiba.DecisionTreeClassifier(prune=prune, **options).fit(data, y, sample_weight=weight)
    assert ("ghost" in model.tree_.schema.columns[0].levels) == ("unseen" in options)


@pytest.mark.parametrize("make", [ceiba.c45, ceiba.id3, ceiba.chaid])
def test_families_with_rows_of_weight_0(make: Any) -> None:
    data = {"c": ["a", "b"] * 30 + ["ghost"] * 5}
    y = ["x", "y"] * 30 + ["x"] * 5
    weight = np.array([1.0] * 60 + [0.0] * 5)
    model = make().fit(data, y, sample_weight=weight)
    assert model.tree_.schema.columns[0].levels == ("a", "b")
    assert model.predict({"c": ["a", "b"]}).tolist() == ["x", "y"]


@pytest.mark.parametrize("unseen", ["majority", "error"])
def test_column_without_a_value_beyond_memory(unseen: str, tmp_path: Path) -> None:
    weight = [float(k % 3 > 0) for k in range(60)]
    frame = pd.DataFrame({
        "c": pd.Series([None if one else "a" for one in weight], dtype=object),
        "x": np.random.default_rng(0).normal(size=60),
        "w": weight,
        "y": list("pq") * 30,
    })  # fmt: skip
    for piece in range(3):
        frame[20 * piece : 20 * piece + 20].to_parquet(tmp_path / f"{piece}.parquet")
    models = [
        ceiba.DecisionTreeClassifier(max_depth=3, unseen=unseen).fit(X, "y", sample_weight="w")
        for X in (frame, ceiba.scan(str(tmp_path / "*.parquet")))
    ]
    assert models[0].tree_ == models[1].tree_
    assert len(models[1].predict(frame[["c", "x"]])) == 60


def test_reading_the_training_data_again_keeps_the_number_of_dropped_rows() -> None:
    model = by_target(pd.DataFrame(X))
    assert model.n_rows_dropped_ == 2
    edited = model.regrow(0, pd.DataFrame(KEPT), Y[:4])
    assert model.n_rows_dropped_ == edited.n_rows_dropped_ == 2
