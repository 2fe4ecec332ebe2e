"""`max_bins` over shards: the edges of memory, and its tree, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.prune import CostComplexity
from ceiba.table import read, read_target
from tests.shards.sharding import assert_same_tree, random_problem, sharded, use_sizes, ways_to_cut
from tests.shards.test_shards_folds import assert_same_pruning


def in_shards(problem: Problem, pieces: list[np.ndarray], **given: Any) -> tuple[Problem, Problem]:
    """Return the problem with its rows in the order of the shards, in memory and in shards."""
    in_order = problem.take(np.concatenate(pieces))
    places = np.split(np.arange(problem.n_rows), np.cumsum([len(rows) for rows in pieces])[:-1])
    return in_order, sharded(in_order, places, np.arange(min(20, problem.n_rows)), **given)


def compare(seed: int, task: str, monkeypatch: pytest.MonkeyPatch) -> int:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, task)
    max_bins = int(rng.choice([2, 3, 5, 16, 100, 255]))
    problem = replace(problem, options=replace(problem.options, max_bins=max_bins))
    leaves = 0
    for pieces in ways_to_cut(rng, problem).values():
        use_sizes(monkeypatch, int(rng.choice([0, 0, 50])))
        in_order, made = in_shards(problem, pieces, n_threads=int(rng.integers(1, 3)))
        expected = in_order.grow()
        assert_same_tree(expected, made.grow())
        leaves = expected.n_leaves
    return leaves


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_tree_of_few_bins_is_the_tree_in_memory(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leaves = [compare(seed, task, monkeypatch) for seed in range(14)]
    assert max(leaves) > 20


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_many_trees_of_few_bins(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(1000, 1250):
        compare(seed, task, monkeypatch)


def large_problem(weighted: bool, **options: Any) -> Problem:
    """Return a problem of more rows than edges are placed by.

    Rare values of the third and fourth column are hardly ever among the sampled rows; the third
    has few values all the same, the fourth has not.
    """
    rng = np.random.default_rng(5)
    n = 40_000
    x = rng.normal(size=n)
    rare = rng.random(n) < 0.002
    frame = {
        "x": x,
        "single": np.exp(rng.normal(size=n)).astype(np.float32),
        "few": np.where(rare, rng.integers(10, 20, n), rng.integers(0, 5, n)).astype(float),
        "many": np.where(rare, rng.random(n), rng.integers(0, 5, n)),
        "two": (rng.random(n) < 0.3).astype(float),
        "other": (rng.random(n) < 0.1).astype(float),
    }
    frame["x"][rng.random(n) < 0.1] = np.nan
    y = (x + frame["few"] + frame["many"] + rng.normal(size=n) > 3).astype(int)
    weight = np.where(rng.random(n) < 0.3, 0.0, rng.random(n)) if weighted else None
    chosen = GrowOptions(task="classification", max_depth=7, **options)
    return Problem(read(frame), read_target(y, task="classification"), chosen, weight)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_bins", [8, 64])
def test_the_same_rows_are_sampled(
    weighted: bool, max_bins: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = large_problem(weighted, max_bins=max_bins)
    pieces = np.split(np.arange(problem.n_rows), [0, 7, 12_345, 39_999])
    use_sizes(monkeypatch, 500)
    in_order, made = in_shards(problem, pieces)
    expected = in_order.grow()
    assert expected.n_leaves > 50
    assert_same_tree(expected, made.grow())
    assert len(np.unique(expected.splits.cut)) < len(expected.splits.cut) / 2  # edges come again


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_fold_has_bins_of_its_own(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, task)
        problem = replace(problem, options=replace(problem.options, max_bins=5))
        pieces = list(ways_to_cut(rng, problem).values())[int(rng.integers(0, 7))]
        use_sizes(monkeypatch, int(rng.choice([0, 50])))
        in_order, made = in_shards(problem, pieces, trees_at_once=int(rng.choice([1, 4])))
        pruning = CostComplexity(folds=3, repeats=2, random_state=seed)
        assert_same_pruning(pruning.fit(in_order), pruning.fit(made))
