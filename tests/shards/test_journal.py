"""A fit that ended early is resumed from its journal, and gives the same tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ceiba.errors import DataError
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.prune import CostComplexity
from ceiba.shards.journal import open_journal
from tests.shards.sharding import assert_same_tree, random_problem, sharded, use_sizes


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

    def scatter(self, kind: str, arrays: Any) -> None:
        self.inner.scatter(kind, arrays)

    def collect(self, kind: str) -> Any:
        return self.inner.collect(kind)


def grown(problem: Any, journal: Path, rounds: int, fit: Any = Problem.grow) -> tuple[Any, int]:
    """Grow over new shards that answer a number of rounds; return the tree and the rounds asked."""
    over = sharded(problem, np.array_split(np.arange(problem.n_rows), 3), np.arange(20))
    exchange = Mortal(over.table.exchange, rounds)  # type: ignore[attr-defined]
    table = over.table.with_changes(exchange=exchange)  # type: ignore[attr-defined]
    with open_journal(table, problem.options, journal) as watched:
        return fit(replace(over, table=watched)), exchange.asked


@pytest.fixture
def problem(monkeypatch: pytest.MonkeyPatch) -> Any:
    use_sizes(monkeypatch, 60, 4)
    rng = np.random.default_rng(11)
    return next(
        one
        for one in (random_problem(rng, "classification") for _ in range(100))
        if one.n_rows > 300 and one.grow().n_leaves > 20 and not one.options.non_default.get("seed")
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


def test_tree_with_max_bins_is_resumed(problem: Any, tmp_path: Path) -> None:
    options = GrowOptions(task="classification", max_bins=8, max_depth=5)
    problem = replace(problem, options=options)
    expected = problem.grow()
    assert expected.n_leaves > 5
    _, n_rounds = grown(problem, tmp_path / "whole", 10_000)
    rounds = n_rounds // 2
    with pytest.raises(DiedError):
        grown(problem, tmp_path / "half", rounds)
    tree, asked = grown(problem, tmp_path / "half", 10_000)
    assert_same_tree(tree, expected)
    assert asked < n_rounds


def test_pruning_by_folds_is_resumed(problem: Any, tmp_path: Path) -> None:
    pruning = CostComplexity(folds=3)
    expected = pruning.fit(problem)
    _, n_rounds = grown(problem, tmp_path / "whole", 10_000, pruning.fit)
    alone = grown(problem, tmp_path / "alone", 10_000)[1]
    assert n_rounds > alone
    for rounds in (alone, (alone + n_rounds) // 2, n_rounds - 1):  # while the folds are grown
        journal = tmp_path / f"after {rounds}"
        with pytest.raises(DiedError):
            grown(problem, journal, rounds, pruning.fit)
        pruned, asked = grown(problem, journal, 10_000, pruning.fit)
        assert_same_tree(pruned.tree, expected.tree)
        assert np.array_equal(pruned.table["cv_risk"], expected.table["cv_risk"])
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
    with pytest.raises(DataError, match="not a checkpoint of this fit"):
        grown(other, journal, 10)
    few = problem.take(np.arange(problem.n_rows - 1))
    with pytest.raises(DataError, match="not a checkpoint of this fit"):
        grown(few, journal, 10)
    values = problem.target.values.copy()
    first, other_class = 0, int(np.flatnonzero(values[:, 0] != values[0, 0])[0])
    values[[first, other_class]] = values[[other_class, first]]  # the same ranges and totals
    swapped = replace(problem, target=replace(problem.target, values=values))
    with pytest.raises(DataError, match="not a checkpoint of this fit"):
        grown(swapped, journal, 10)
    journal.write_text("something else\n")
    with pytest.raises(DataError, match="not a checkpoint of this fit"):
        grown(problem, journal, 10)
    assert journal.read_text() == "something else\n"
    with pytest.raises(DataError, match="Cannot open the checkpoint"):
        grown(problem, tmp_path / "nowhere" / "journal", 10)
