"""A fit that ended early is resumed from its journal, and gives the same tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ceiba.errors import DataError
from ceiba.grow import Chaid, GrowOptions
from ceiba.grow.shards import grower
from ceiba.grow.shards.journal import resumable
from ceiba.tree import Tree
from tests.grow.sharding import assert_same_tree, random_problem, sharded


class DiedError(Exception):
    pass


class Mortal:
    """An exchange that lives for some rounds."""

    def __init__(self, inner: Any, rounds: int) -> None:
        self.inner, self.left, self.asked = inner, rounds, 0

    def ask(self, question: Any) -> Any:
        if not self.left:
            raise DiedError
        self.left -= 1
        self.asked += 1
        return self.inner.ask(question)

    def each(self, work: Any, given: Any) -> Any:
        return self.inner.each(work, given)

    def change(self, work: Any, given: Any) -> None:
        self.inner.change(work, given)


def grown(problem: Any, journal: Path, rounds: int) -> tuple[Tree, int]:
    """Grow over new shards, which answer a number of rounds; give the tree and the rounds asked."""
    over = sharded(problem, np.array_split(np.arange(problem.n_rows), 3), np.arange(20))
    exchange = Mortal(over.table.exchange, rounds)  # type: ignore[attr-defined]
    table = over.table.changed(exchange=exchange)  # type: ignore[attr-defined]
    with resumable(table, problem.options, journal) as watched:
        return replace(over, table=watched).grow(), exchange.asked


@pytest.fixture
def problem(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(grower, "GATHER_ROWS", 60)
    monkeypatch.setattr(grower, "FETCH_ROWS", 4)
    rng = np.random.default_rng(11)
    return next(
        one
        for one in (random_problem(rng, "classification") for _ in range(100))
        if one.n_rows > 300 and one.grow().n_leaves > 20 and not one.options.stated.get("seed")
    )


def test_a_fit_is_resumed_after_every_round(problem: Any, tmp_path: Path) -> None:
    expected = problem.grow()
    _, n_rounds = grown(problem, tmp_path / "whole", 10_000)
    assert n_rounds > 8
    saved = 0
    for rounds in range(n_rounds):
        journal = tmp_path / f"after {rounds}"
        with pytest.raises(DiedError):
            grown(problem, journal, rounds)
        tree, asked = grown(problem, journal, 10_000)
        assert_same_tree(tree, expected)
        assert asked <= n_rounds
        saved += n_rounds - asked
        assert not journal.exists()
    assert saved > n_rounds  # rounds that were not asked again


@pytest.mark.parametrize(
    "options",
    [{"max_bins": 8, "max_depth": 5}, {"criterion": Chaid(split=0.9), "min_samples_leaf": 2}],
    ids=["max_bins", "chaid"],
)
def test_other_ways_to_grow_are_resumed(
    problem: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    problem = replace(problem, options=GrowOptions(task="classification", **options))
    expected = problem.grow()
    assert expected.n_leaves > 5
    _, n_rounds = grown(problem, tmp_path / "whole", 10_000)
    rounds = n_rounds // 2
    with pytest.raises(DiedError):
        grown(problem, tmp_path / "half", rounds)
    tree, asked = grown(problem, tmp_path / "half", 10_000)
    assert_same_tree(tree, expected)
    assert asked < n_rounds


def test_an_end_within_a_record_costs_one_round(problem: Any, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with pytest.raises(DiedError):
        grown(problem, journal, 5)
    whole = journal.read_bytes()
    for cut in (len(whole) - 1, len(whole) - 700, len(whole.splitlines()[0]) + 3):
        journal.write_bytes(whole[:cut])
        assert_same_tree(grown(problem, journal, 10_000)[0], problem.grow())
    damaged = bytearray(whole)
    damaged[-9] ^= 1
    journal.write_bytes(damaged)
    assert_same_tree(grown(problem, journal, 10_000)[0], problem.grow())


def test_the_journal_of_another_fit_is_refused(problem: Any, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with pytest.raises(DiedError):
        grown(problem, journal, 3)
    other = replace(problem, options=replace(problem.options, min_samples_leaf=9))
    with pytest.raises(DataError, match="not the checkpoint of this fit"):
        grown(other, journal, 10)
    few = problem.take(np.arange(problem.n_rows - 1))
    with pytest.raises(DataError, match="not the checkpoint of this fit"):
        grown(few, journal, 10)
    values = problem.target.values.copy()
    first, other_class = 0, int(np.flatnonzero(values[:, 0] != values[0, 0])[0])
    values[[first, other_class]] = values[[other_class, first]]  # the same ranges and totals
    swapped = replace(problem, target=replace(problem.target, values=values))
    with pytest.raises(DataError, match="not the checkpoint of this fit"):
        grown(swapped, journal, 10)
    journal.write_text("something else\n")
    with pytest.raises(DataError, match="not the checkpoint of this fit"):
        grown(problem, journal, 10)
    assert journal.read_text() == "something else\n"
    with pytest.raises(DataError, match="cannot be opened"):
        grown(problem, tmp_path / "nowhere" / "journal", 10)
