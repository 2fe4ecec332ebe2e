"""Whatever a level holds, the sentences of a split are read back as the split."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ceiba
from ceiba.table import ColumnInfo, Kind, Schema
from ceiba.tree import Cut, LevelSets, build
from ceiba.tree.splits.parse import parse_levels, parse_split
from ceiba.tree.splits.sentences import quote_level
from tests.marks import examples

NASTY = st.text(st.sampled_from("ab,{}'\"|\\ \n\té=<≤+1"), max_size=7) | st.sampled_from(
    [
        "x = a",
        "a or missing",
        "+3 more",
        "missing",
        "is missing",
        "a | x = b",
        "'a'",
        "a, b",
        "in {a}",
    ]
)
LEVELS = st.lists(NASTY | st.integers(0, 9), min_size=2, max_size=7, unique_by=str)
NAMES = st.sampled_from(["x", "driver's age", 'the "x"', "a = b", "x, y"])


@given(name=NAMES, levels=LEVELS, data=st.data())
@settings(max_examples=examples(300), deadline=None)
def test_sentences_of_level_sets_are_read_back(name: str, levels: list[Any], data: Any) -> None:
    at = data.draw(st.integers(1, len(levels) - 1))
    split = LevelSets(name, (tuple(levels[:at]), tuple(levels[at:])))
    columns = {name: ColumnInfo(name, Kind.CATEGORICAL, tuple(levels))}
    sentences = [split.sentence(branch) for branch in range(2)]
    assert parse_split(sentences, columns).split == split
    assert parse_split(" | ".join(sentences), columns).split == split
    both = parse_split([f"{sentences[0]} or missing", sentences[1]], columns)
    assert (both.split, both.missing) == (split, 0)


@given(levels=LEVELS, data=st.data())
@settings(max_examples=examples(150), deadline=None)
def test_cuts_of_ordered_levels_are_read_back(levels: list[Any], data: Any) -> None:
    cut = Cut("x", data.draw(st.integers(0, len(levels) - 2)) + 0.5)
    info = ColumnInfo("x", Kind.ORDERED, tuple(levels))
    for branch in range(2):
        text = cut.sentence(branch, Schema(columns=(info,), target=None, named=True))
        read = parse_split(text, {"x": info})
        assert (read.split, read.branches) == (cut, (branch,))


@given(levels=st.lists(NASTY, min_size=1, max_size=6, unique=True))
@settings(max_examples=examples(200), deadline=None)
def test_lists_of_unknown_levels_are_read_back(levels: list[str]) -> None:
    assert parse_levels(", ".join(map(quote_level, levels)), None, "") == tuple(levels)


@pytest.mark.parametrize(
    "plain", [*string.ascii_letters, "Rome", "São Paulo", "<=50K", "A-B/C.d", "5%"]
)
def test_plain_levels_stay_without_quotes(plain: str) -> None:
    assert quote_level(plain) == plain


def test_trees_take_the_sentences_that_they_print() -> None:
    names = ["Abbing, Mr. Anthony", "O'Brien {Jr}", " padded ", "plain", "a | b"]
    X = {"name": names * 20, "y": [0, 1, 0, 1, 1] * 20}
    y = ["yes" if name in names[:2] else "no" for name in X["name"]]
    tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    assert "name in {" in tree.to_text()
    assert "'Abbing, Mr. Anthony', \"O'Brien {Jr}\"" in tree.to_text()
    split = tree.node(0).split
    assert split is not None
    sentence = split.sentence(0, tree.schema)
    assert tree.set_split(0, sentence, X, y).node(0).split == split
    built = build(
        ("city in {'Rome, Italy', Oslo}", "a", ("city = Lima", "b", "c")),
        levels={"city": ["Oslo", "Lima", "Rome, Italy", "Bern"]},
    )
    assert built.predict({"city": ["Rome, Italy", "Lima"]}).tolist() == ["a", "b"]
