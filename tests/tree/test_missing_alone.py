"""Levels with a branch for missing values alone: in trees, files, sentences, edits and pictures."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.errors import ModelFileError, TreeError
from ceiba.tree import LevelSets, Presence, SplitKind, build, check
from ceiba.tree.model_file.document import dumps, loads

SPLIT = LevelSets("city", (("Oslo", "Lima"), ("Rome",)), missing_branch=True)


def hand_built() -> ceiba.Tree:
    return build((SPLIT, {"a": 5}, {"b": 3}, {"a": 8, "c": 2}))


def rows() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(3)
    city = rng.choice(["Oslo", "Lima", "Rome", None], 400)
    X = pd.DataFrame({"city": city, "x": rng.normal(size=400)})
    names = {"Oslo": "a", "Lima": "a", "Rome": "b"}
    y = np.array([names.get(one, "c") for one in city])
    return X, np.where(rng.random(400) < 0.1, "a", y)


def test_rows_take_their_branch_and_unseen_levels_never_that_of_missing_ones() -> None:
    tree = hand_built()
    assert tree.n_branches[0] == 3
    assert tree.depth == 1
    assert tree.default_branch[0] == 2
    # The branch of missing values weighs most; it is no majority of the values that are there.
    assert tree.majority_branch[0] == 0
    cities = {"city": ["Oslo", "Rome", None, "Paris"]}
    assert tree.apply(cities).tolist() == [1, 2, 3, 1]
    assert [tree.predict_one({"city": one}).leaf for one in ("Rome", None, "Paris")] == [2, 3, 1]


def test_model_file_keeps_the_branch() -> None:
    tree = hand_built()
    document = json.loads(dumps(tree))
    assert document["tree"]["splits"]["interval_cut"] == [None]
    assert loads(dumps(tree)).tree == tree


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"interval_cut": [1.0]}, "cuts of intervals"),
        ({"interval_cut": [None, None], "interval_start": [0, 2, 2, 2, 2]}, "cuts of intervals"),
        ({"interval_cut": [], "interval_start": [0, 0, 0, 0, 0]}, "branches needs a level"),
        ({"level_branch": [0, 0, 0]}, "branches needs a level"),
    ],
)
def test_damaged_branch_is_refused(change: dict[str, Any], says: str) -> None:
    document = json.loads(dumps(hand_built()))
    document["tree"]["splits"].update(change)
    with pytest.raises(ModelFileError, match=says):
        loads(json.dumps(document).encode())


def test_words_and_pictures_name_the_branch() -> None:
    tree = hand_built()
    assert "city is missing" in tree.to_text(unicode=False)
    assert tree.rules()["condition"].tolist()[2] == "city is missing"
    for text in (tree.export("dot"), tree.export("mermaid"), tree.to_svg()):
        assert "missing" in text
        assert "or missing" not in text


def test_sentences_are_read_back() -> None:
    X, y = rows()
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    sentences = "city in {Oslo, Lima} | city = Rome | city is missing"
    tree = model.set_split(0, sentences, X, y).tree_
    check(tree)
    split = tree.node(0).split
    assert isinstance(split, LevelSets)
    assert split.missing_branch
    assert [set(group) for group in split.branches] == [{"Oslo", "Lima"}, {"Rome"}]
    last = int(tree.branch_node[2])
    assert tree.n_rows[last] == X["city"].isna().sum()
    assert tree.refit_leaves(X, y).n_rows.tolist() == tree.n_rows.tolist()
    again = model.set_split(0, split, X, y).tree_
    assert again == tree
    built = build((sentences, "a", "b", "c"))
    assert built.predict({"city": ["Lima", "Rome", None]}).tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("split", "says"),
    [
        ("city in {Oslo, Lima} or missing | city = Rome | city is missing", "Omit 'or missing'"),
        (LevelSets("city", (("Oslo", "Lima", "Rome"),), True), "Presence"),
        ("city = Oslo | city = Rome | city is missing", "Lima"),
    ],
)
def test_set_split_that_cannot_be_is_refused(split: Any, says: str) -> None:
    X, y = rows()
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(TreeError, match=says):
        model.set_split(0, split, X, y)


@pytest.mark.parametrize("missing", ["fractional", "error"])
def test_set_split_against_the_rule_for_missing_values_is_refused(missing: Any) -> None:
    X, y = rows()
    X = X if missing != "error" else X.fillna("Oslo")
    model = ceiba.DecisionTreeClassifier(max_depth=2, missing=missing).fit(X, y)
    with pytest.raises(TreeError, match=f"missing='{missing}'"):
        model.set_split(0, SPLIT, X, y)


def test_presence_is_no_level_set() -> None:
    tree = build((Presence("city"), "a", "b"), levels={"city": ["Oslo"]})
    assert tree.splits.has_missing_branch.tolist() == [True, False, False]
    assert tree.splits.kind[0] == SplitKind.PRESENCE
