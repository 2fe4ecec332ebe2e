"""Split tables and single splits."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceiba.errors import CeibaError, TreeError
from ceiba.table import ColumnInfo, Kind, Schema
from ceiba.tree import Cut, LevelSets, Presence, SplitKind, SplitTable
from ceiba.tree.splits.surrogates import CompetitorTable, SurrogateTable
from tests.tree.random_trees import random_split, schema

SEEDS = st.integers(0, 10_000)


@given(seed=SEEDS)
def test_split_table_round_trip_gives_the_splits_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    splits = [None if rng.random() < 0.3 else random_split(rng) for _ in range(8)]
    table = SplitTable.from_splits(splits, schema())
    assert [table.split(i, schema()) for i in range(8)] == splits


@given(seed=SEEDS, data=st.data())
def test_take_gives_the_chosen_rows(seed: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    splits = [None if rng.random() < 0.3 else random_split(rng) for _ in range(8)]
    table = SplitTable.from_splits(splits, schema())
    rows = data.draw(st.lists(st.integers(0, 7), max_size=10))
    taken = table.take(np.array(rows, int))
    assert taken == SplitTable.from_splits([splits[i] for i in rows], schema())


@given(seed=SEEDS)
def test_take_clears_the_marked_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    splits = [random_split(rng) for _ in range(8)]
    leaf = rng.random(8) < 0.5
    cleared = SplitTable.from_splits(splits, schema()).take(np.arange(8), leaf)
    kept = [None if gone else split for gone, split in zip(leaf, splits, strict=True)]
    assert cleared == SplitTable.from_splits(kept, schema())


def test_none_asks_nothing() -> None:
    table = SplitTable.none(2)
    assert table.kind.tolist() == [SplitKind.NONE, SplitKind.NONE]
    assert table.split(0, schema()) is None


def test_cuts_negative_column_is_a_leaf() -> None:
    table = SplitTable.cuts(np.array([1, -1]), np.array([2.5, 7.0]))
    assert table.split(0, schema()) == Cut("y", 2.5)
    assert table.split(1, schema()) is None
    assert np.isnan(table.cut[1])


def test_from_splits_unknown_level_is_refused() -> None:
    with pytest.raises(TreeError, match="'pink'"):
        SplitTable.from_splits([LevelSets("colour", (("pink",), ("red",)))], schema())


def test_from_splits_level_in_two_branches_is_refused() -> None:
    with pytest.raises(TreeError, match="two branches"):
        SplitTable.from_splits([LevelSets("colour", (("red",), ("blue", "red")))], schema())


def test_from_splits_unknown_column_is_refused() -> None:
    with pytest.raises(CeibaError, match="'weight'"):
        SplitTable.from_splits([Cut("weight", 2.0)], schema())


def test_pickle_keeps_arrays_read_only() -> None:
    table = pickle.loads(pickle.dumps(SplitTable.none(2)))
    assert table == SplitTable.none(2)
    assert not table.cut.flags.writeable


@pytest.mark.parametrize(
    ("split", "branch", "sentence"),
    [
        (Cut("x", 2.45), 0, "x <= 2.45"),
        (Cut("x", 2.45), 1, "x > 2.45"),
        (Cut("x", 2.45, low_branch=1), 0, "x > 2.45"),
        (Cut("size", 1.5), 0, "size <= M"),
        (Cut("size", 1.5), 1, "size > M"),
        (LevelSets("colour", (("red", "blue"), ("black",))), 0, "colour in {red, blue}"),
        (LevelSets("colour", (("red", "blue"), ("black",))), 1, "colour = black"),
        (Presence("x"), 0, "x is present"),
        (Presence("x"), 1, "x is missing"),
    ],
)
def test_sentence_says_what_is_true_of_the_branch(
    split: Cut | LevelSets | Presence, branch: int, sentence: str
) -> None:
    assert split.sentence(branch, schema()) == sentence


def test_sentence_of_boolean_column_says_yes_or_no() -> None:
    info = ColumnInfo(name="smoker", kind=Kind.NUMERIC, display="boolean")
    known = Schema(columns=(info,), target=None, named=True)
    assert Cut("smoker", 0.5).sentence(0, known) == "smoker = no"
    assert Cut("smoker", 0.5).sentence(1, known) == "smoker = yes"


@pytest.mark.parametrize(
    ("display", "cut", "sentence"),
    [
        ("date", 1714564800.0, "when <= 2024-05-01"),  # noon, between two days
        ("datetime", 1714564800.0, "when <= 2024-05-01T12:00:00"),
        ("duration", 5400.0, "when <= 1:30:00"),
    ],
)
def test_sentence_of_times_shows_them_as_people_do(display: str, cut: float, sentence: str) -> None:
    info = ColumnInfo(name="when", kind=Kind.NUMERIC, display=display)  # type: ignore[arg-type]
    known = Schema(columns=(info,), target=None, named=True)
    assert Cut("when", cut).sentence(0, known) == sentence


def test_sentence_of_many_levels_counts_the_rest() -> None:
    split = LevelSets("c", (tuple("abcdefgh"), ("z",)))
    assert split.sentence(0, max_levels=3) == "c in {a, b, c, +5 more}"


def two_nodes() -> tuple[SurrogateTable, CompetitorTable]:
    splits = SplitTable.from_splits([Cut("x", 1.0), Cut("y", 2.0), Presence("x")], schema())
    start = np.array([0, 2, 2, 3])
    surrogates = SurrogateTable(
        start, splits, np.array([0.9, 0.8, 0.7]), np.array([0.5, 0.4, 0.3]), np.array([3, 2, 1])
    )
    return surrogates, CompetitorTable(start, splits, np.array([0.3, 0.2, 0.1]))


def test_surrogates_of_node_are_best_first() -> None:
    surrogates, competitors = two_nodes()
    first, second = surrogates.of(0, schema())
    assert (first.split, first.agreement, first.adjusted, first.sent) == (
        Cut("x", 1.0),
        0.9,
        0.5,
        3,
    )
    assert second.split == Cut("y", 2.0)
    assert surrogates.of(1, schema()) == ()
    assert [c.gain for c in competitors.of(2, schema())] == [0.1]


def test_surrogates_take_drops_those_of_new_leaves() -> None:
    surrogates, competitors = two_nodes()
    kept = surrogates.take(np.array([0, 2]), np.array([True, False]))
    assert kept.start.tolist() == [0, 0, 1]
    assert kept.sent.tolist() == [1]
    assert competitors.take(np.array([2, 0])).gain.tolist() == [0.1, 0.3, 0.2]


def test_surrogates_pickle_gives_an_equal_value() -> None:
    for value in two_nodes():
        back = pickle.loads(pickle.dumps(value))
        assert back == value
        assert hash(back) == hash(value)
        assert not back.start.flags.writeable
