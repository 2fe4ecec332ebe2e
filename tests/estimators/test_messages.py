"""Mistakes that once met a foreign error, a false statement or advice that does not work."""

from __future__ import annotations

from typing import Any

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
        with pytest.raises(TreeError, match=r"is not a split.*Cut\('petal width', 0.8\)"):
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
