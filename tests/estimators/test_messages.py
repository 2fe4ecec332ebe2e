"""Mistakes that once met a foreign error, a false statement or advice that does not work."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ceiba
from ceiba.errors import TreeError

ROWS = ceiba.datasets.load_restaurant()


def unseen_row() -> dict[str, Any]:
    return {name: values[0] for name, values in dict(ROWS.X).items()} | {"Patrons": "Packed"}


@pytest.mark.parametrize(
    "model",
    [
        ceiba.rpart(minsplit=2, minbucket=1, cp=0),
        ceiba.c45(prune=None),
        ceiba.id3(),
        ceiba.DecisionTreeClassifier(unseen="missing"),
        ceiba.DecisionTreeClassifier(),
    ],
    ids=["rpart", "c45", "id3", "missing", "majority"],
)
def test_explain_does_not_call_an_unseen_level_missing(model: Any) -> None:
    words = str(model.fit(ROWS.X, ROWS.y).explain(unseen_row()))
    assert "level not seen in this node" in words
    assert "missing" not in words
    gap = unseen_row() | {"Patrons": None}
    assert "(missing: " in str(model.explain(gap))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_split_table_takes_the_name_of_the_target(frame: Any) -> None:
    data = {"a": [1, 2, 3, 4], "y": [0, 0, 1, 1]}
    table = ceiba.inspection.split_table(frame(data), "y")
    assert str(table) == str(ceiba.inspection.split_table({"a": data["a"]}, data["y"]))


@pytest.mark.parametrize("split", [["petal width", 0.8], 0.8, None, {"a": 1}])
def test_set_split_refuses_what_is_no_split(split: Any) -> None:
    iris = ceiba.datasets.load_iris()
    model = ceiba.DecisionTreeClassifier().fit(iris.X, iris.y)
    for thing in (model, model.tree_):
        with pytest.raises(TreeError, match=r"is not a valid split.*Cut\('petal width', 0.8\)"):
            thing.set_split(0, split, iris.X, iris.y)


def test_reprune_of_rpart_is_the_tree_of_another_cp() -> None:
    iris = ceiba.datasets.load_iris()
    model = ceiba.rpart(xval=0).fit(iris.X, iris.y)
    smaller = model.reprune(cp=0.6)
    assert smaller.tree_ == ceiba.rpart(cp=0.6, xval=0).fit(iris.X, iris.y).tree_
    assert smaller.get_n_leaves() < model.get_n_leaves() == 3


def test_class_weights_of_too_few_outputs_are_refused_in_the_words_of_scikit_learn():
    model = ceiba.DecisionTreeClassifier(class_weight=[{0: 2.0, 1: 1.0}])
    words = "number of elements in class_weight should match number of outputs.*Got 1 for 2"
    with pytest.raises(ceiba.OptionError, match=words):
        model.fit([[1.0], [2.0]], [[0, 0], [1, 1]])


@pytest.mark.parametrize("wrong", ["min_sample_leaf", "min_sample_leaf__a"])
def test_set_params_names_the_closest_parameter(wrong: str) -> None:
    with pytest.raises(ValueError, match="Did you mean 'min_samples_leaf'"):
        ceiba.DecisionTreeClassifier().set_params(**{wrong: 3})


@pytest.mark.parametrize(
    ("y", "option", "written"),
    [
        ([0, 1], {"cost_matrix": {("1", "0"): 5}}, "cost_matrix={(1, 0): 5}"),
        (["0", "1"], {"cost_matrix": {(1, 0): 5}}, "cost_matrix={('1', '0'): 5}"),
        ([0, 1], {"class_prior": {"0": 0.3, "1": 0.7}}, "class_prior={0: 0.3, 1: 0.7}"),
        ([False, True], {"cost_matrix": {("True", "False"): 2}}, "cost_matrix={(True, False): 2}"),
    ],
)
def test_labels_of_another_type_are_written_out(
    y: list[object], option: dict[str, object], written: str
) -> None:
    with pytest.raises(ceiba.OptionError) as refused:
        ceiba.DecisionTreeClassifier(**option).fit([[1], [2]] * 3, y * 3)
    assert f"Pass {written}." in str(refused.value)


def test_numbers_as_classes_are_told_what_to_do() -> None:
    X, y = {"x": [1.0, 2.0, 3.0, 4.0]}, [0.5, 1.5, 2.5, 3.5]
    with pytest.raises(ceiba.DataError, match='pass one of regression: criterion="squared_error"'):
        ceiba.inspection.split_table(X, y)
    assert len(ceiba.inspection.split_table(X, y, "squared_error")) == 1


@pytest.mark.parametrize("scale", [1e200, 1.7e308])
@pytest.mark.parametrize(
    "options",
    [{}, {"min_significance": 0.05}, {"leaf_values": ceiba.Shrinkage()}, {"prune": "1se"}],
)
def test_numbers_near_the_end_of_float64_give_no_warning_of_numpy(
    scale: float, options: dict[str, object]
) -> None:
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(size=40) * (scale / 8), "b": rng.integers(0, 5, 40)}
    y = rng.choice([-1.0, 0.0, 1.0], 40) * scale
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = ceiba.DecisionTreeRegressor(max_depth=3, random_state=0, **options)
        try:
            model.fit(X, y, sample_weight=rng.random(40))
        except TreeError:
            return  # pruning needs finite squares, and says so
        str(model.evaluate(X, y))
        assert model.feature_importances_.shape == (2,)
        str(ceiba.describe({**X, "y": y}, "y"))
