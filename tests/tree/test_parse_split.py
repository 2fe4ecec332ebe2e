"""Splits written as they are printed are the splits that were printed."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest

import ceiba
from ceiba.errors import TreeError
from ceiba.table import ColumnInfo, Kind
from ceiba.tree import Cut, LevelSets, Presence, build
from ceiba.tree.splits.parse import parse_split

COLUMNS = {
    info.name: info
    for info in (
        ColumnInfo("x", Kind.NUMERIC),
        ColumnInfo("x <= y", Kind.NUMERIC),
        ColumnInfo("flag", Kind.NUMERIC, display="boolean"),
        ColumnInfo("day", Kind.NUMERIC, display="date"),
        ColumnInfo("wait", Kind.NUMERIC, display="duration"),
        ColumnInfo("city", Kind.CATEGORICAL, ("Oslo", "Rome, Italy", "Rome", "a | b", 7)),
        ColumnInfo("size", Kind.ORDERED, ("S", "M", "L", "XL")),
    )
}


@pytest.mark.parametrize(
    ("text", "split", "branch"),
    [
        ("x <= 3", Cut("x", 3.0), 0),
        ("x > 3", Cut("x", 3.0), 1),
        ("x < 3", Cut("x", math.nextafter(3, 0)), 0),
        ("x >= 3", Cut("x", math.nextafter(3, 0)), 1),
        ("x ≤ 3", Cut("x", 3.0), 0),
        ("x<=-1e3", Cut("x", -1000.0), 0),
        ("x <= y <= 4", Cut("x <= y", 4.0), 0),
        ("flag = yes", Cut("flag", 0.5), 1),
        ("day > 1970-01-02", Cut("day", 86400.0), 1),
        ("wait <= 1 day, 0:00:30", Cut("wait", 86430.0), 0),
        ("city = Oslo", LevelSets("city", (("Oslo",),)), 0),
        ("city in {Rome, Italy, Rome}", LevelSets("city", (("Rome, Italy", "Rome"),)), 0),
        ("city in {a | b, 7}", LevelSets("city", (("a | b", 7),)), 0),
        ("size <= M", Cut("size", 1.5), 0),
        ("size >= L", Cut("size", 1.5), 1),
        ("size in {L, XL}", Cut("size", 1.5), 1),
        ("x is missing", Presence("x"), 1),
        ("x is present", Presence("x"), 0),
    ],
)
def test_sentence_is_read_as_its_split(text, split, branch):
    written = parse_split(text, COLUMNS)
    assert (written.split, written.branches, written.missing) == (split, (branch,), None)


def test_sentences_of_several_branches_are_one_split():
    groups = (("Oslo",), ("Rome", "Rome, Italy"), (7, "a | b"))
    listed = ["city = Oslo", "city in {Rome, Rome, Italy} or missing", "city in {7, a | b}"]
    assert parse_split(listed, COLUMNS).split == LevelSets("city", groups)
    assert parse_split(listed, COLUMNS).missing == 1
    both = parse_split("x > 3 | x <= 3", COLUMNS)
    assert (both.split, both.branches) == (Cut("x", 3.0), (1, 0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("z <= 3", "no column 'z'"),
        ("city <= 3", "categorical"),
        ("x = 3", "is numeric"),
        ("city = Paris", "not a level"),
        ("city in {Oslo, Paris}", "'Paris' is not a level"),
        ("city in {Oslo, +3 more}", "list all levels"),
        ("city in {Oslo", "must end in"),
        ("size in {S, L}", "ordered"),
        ("x is missing or missing", "not supported"),
        ("x <= 1 | x <= 2", "do not form one split"),
        ("day <= soon", "not a date"),
    ],
)
def test_sentence_that_is_no_split_is_refused(text, message):
    with pytest.raises(TreeError, match=message):
        parse_split(text, COLUMNS)


def test_every_printed_branch_of_grown_trees_is_read_back():
    rng = np.random.default_rng(0)
    n = 400
    start = datetime.date(2024, 1, 1)
    X = {
        "a b": rng.normal(size=n).round(2),
        "city": rng.choice(["Oslo", "Rome, Italy", "Lima", "Bern"], n),
        "day": [start + datetime.timedelta(days=int(d)) for d in rng.integers(0, 90, n)],
        "flag": rng.random(n) < 0.5,
        "small": rng.integers(0, 5, n),
    }
    y = (X["a b"] > 0) ^ (X["city"] == "Lima") ^ X["flag"] ^ (X["small"] > 2)
    for options in ({}, {"categorical_splits": "multiway", "criterion": "entropy"}):
        tree = ceiba.DecisionTreeClassifier(max_depth=8, **options).fit(X, y).tree_
        columns = {info.name: info for info in tree.schema.columns}
        assert set(tree.splits.column[~tree.is_leaf].tolist()) == {0, 1, 2, 3, 4}
        for node in tree.nodes:
            if node.is_leaf:
                continue
            sentences = [
                node.split.sentence(b, tree.schema, digits=17) for b in range(len(node.children))
            ]
            read = parse_split(sentences, columns)
            assert read.branches == tuple(range(len(sentences)))
            if columns[node.split.column].display == "date":  # shown cuts are rounded to the day
                assert math.floor(node.split.cut / 86400) * 86400 == read.split.cut
            else:
                assert read.split == node.split


def test_hand_written_tree_takes_every_sentence():
    tree = build(
        ("PRCP >= 0.01", "rain", ("city in {Oslo, Bern}", "snow", "dry")),
        levels={"city": ["Oslo", "Bern", "Lima"]},
    )
    X = {"PRCP": [0.01, 0.0, 0.0], "city": ["Lima", "Bern", "Lima"]}
    assert tree.predict(X).tolist() == ["rain", "snow", "dry"]
    several = build(("c = u | c = v or missing | c = w", "a", "b", "d"))
    assert several.predict({"c": ["u", None, "w"]}).tolist() == ["a", "b", "d"]
    assert build(("x > 2", "high", "low")) == build(("x <= 2", "low", "high"))
