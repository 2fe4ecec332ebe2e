"""CHAID and ID3 over shards: the groups, tests and tree of memory, bit for bit."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from ceiba.errors import DataError, OptionError
from ceiba.grow import Chaid, GrowOptions, Multiway, Problem
from ceiba.grow.chaid.categories import cuts_of
from ceiba.grow.shards import grower
from ceiba.grow.shards.chaid import cuts as chaid_cuts
from ceiba.grow.shards.chaid.cuts import categories_over_shards
from ceiba.grow.shards.chaid.rounds import Ask, Round, Step
from ceiba.prune import CostComplexity
from ceiba.table import read, read_target
from ceiba.tree import Tree
from tests.grow.sharding import assert_same_tree, random_problem, sharded, ways_to_cut
from tests.grow.test_shards_folds import assert_same_pruning
from tests.grow.test_shards_max_bins import in_shards


def assert_same_tests(a: Tree, b: Tree) -> None:
    assert_same_tree(a, b)
    assert (a.missing, a.criterion, a.unseen) == (b.missing, b.criterion, b.unseen)
    if a.tests is None or b.tests is None:
        assert a.tests is b.tests
        return
    for one in fields(a.tests):
        mine, other = getattr(a.tests, one.name), getattr(b.tests, one.name)
        assert np.array_equal(mine, other, equal_nan=np.asarray(mine).dtype.kind == "f"), one.name


def by_tests(rng: np.random.Generator, task: str) -> Problem:
    """Give a random problem that is grown by tests."""
    problem = random_problem(rng, task)
    test = str(rng.choice(["chi2", "likelihood_ratio"])) if task == "classification" else "f_test"
    criterion = Chaid(
        test=test,
        merge=float(rng.choice([0.05, 0.3])),
        split=float(rng.choice([0.05, 0.5, 1.0])),
        bins=int(rng.choice([2, 3, 10, 300])),
    )
    options: dict[str, Any] = {
        "task": task,
        "criterion": criterion,
        "min_samples_leaf": int(rng.choice([1, 5])),
        "max_depth": [None, 3][int(rng.integers(0, 2))],
    }
    if rng.random() < 0.3:
        options["min_weight_fraction_leaf"] = float(rng.choice([0.01, 0.1]))
    if problem.options.missing == "error":
        options["missing"] = "error"
    return replace(problem, options=GrowOptions(**options))


def compare(seed: int, task: str, monkeypatch: pytest.MonkeyPatch) -> int:
    rng = np.random.default_rng(seed)
    problem = by_tests(rng, task)
    expected = problem.grow()
    for pieces in ways_to_cut(rng, problem).values():
        monkeypatch.setattr(chaid_cuts, "FETCH_ROWS", int(rng.choice([1, 30, 1 << 17])))
        sample = np.arange(problem.n_rows)[: int(rng.choice([3, 20, 500]))]
        values = int(rng.choice([2000, 1 << 20]))
        made = sharded(problem, pieces, sample, int(rng.integers(1, 3)), values)
        assert_same_tests(expected, made.grow())
    return expected.n_leaves


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_tree_by_tests_is_the_tree_in_memory(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leaves = [compare(seed, task, monkeypatch) for seed in range(8)]
    assert max(leaves) > 10


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_many_trees_by_tests(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(1000, 1250):
        compare(seed, task, monkeypatch)


@pytest.mark.parametrize("bins", [2, 7, 100])
@pytest.mark.parametrize("fetch_rows", [1, 50])
def test_cuts_are_those_of_the_whole_column(
    bins: int, fetch_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chaid_cuts, "FETCH_ROWS", fetch_rows)
    rng = np.random.default_rng(bins)
    n = 3000
    frame = {
        "normal": rng.normal(size=n),
        "tail": np.exp(20 * rng.normal(size=n)),
        "ties": np.round(3 * rng.normal(size=n)),
        "heavy": np.where(rng.random(n) < 0.7, 1.5, rng.random(n)),
        "ends": rng.choice([-1.7e308, -5e-324, -0.0, 0.0, 5e-324, 1.7e308], n),
        "empty": np.full(n, np.nan),
    }
    frame["normal"][::5] = np.nan
    options = GrowOptions(task="classification", criterion=Chaid(bins=bins))
    y = read_target(rng.integers(0, 2, n), task="classification")
    problem = Problem(read(frame), y, options)
    pieces = np.split(rng.permutation(n), [500, 500, 2000])
    table: Any = sharded(problem, pieces, np.arange(10)).table
    made = categories_over_shards(table, 0, bins)
    for column, own in zip(problem.table.columns, made, strict=True):
        expected = cuts_of(np.asarray(column.values, float), bins, None)
        assert own.cuts is not None
        assert np.array_equal(own.cuts, expected), column.name


def test_rounds_are_read_as_they_were_written() -> None:
    way = [[Step(1, np.array([0, -1, 1]))], [None, Step(0, np.array([1, 0, 0, -1]))]]
    asked = Round(2, [np.array([0.5, 1.5]), None], way, Ask.MOMENTS, [1, 2], np.array([0.1, -3.0]))
    again = Round.read(asked.words())
    assert np.array_equal(again.words(), asked.words())
    assert (again.tree, again.ask, again.nodes, again.weigh) == (2, Ask.MOMENTS, [1, 2], False)
    step = again.way[1][1]
    assert step is not None
    assert step.branch.tolist() == [1, 0, 0, -1]


def test_a_shard_that_is_made_again_catches_up() -> None:
    import pickle

    problem = by_tests(np.random.default_rng(3), "regression")
    made = sharded(problem, np.array_split(np.arange(problem.n_rows), 3), np.arange(20))
    table: Any = made.table
    exchange, asked = table.exchange, []
    ask = exchange.ask

    def again(question: Any) -> Any:
        asked.append(question)
        shards = exchange._shards
        exchange._shards = [pickle.loads(pickle.dumps(shards[0])), *shards[1:]]
        lost = ask(question)
        exchange._shards = shards
        assert np.array_equal(ask(question), lost)
        assert np.array_equal(ask(asked[0]), ask(asked[0]))  # an earlier one
        return ask(question)

    exchange.ask = again
    assert_same_tests(problem.grow(), made.grow())
    assert len(asked) > 3


def test_shards_that_contradict_each_other_are_an_error() -> None:
    rng = np.random.default_rng(3)
    n = 200
    x = rng.integers(0, 3, n)
    options = GrowOptions(task="classification", criterion="chi2")
    y = read_target((x + rng.integers(0, 2, n) > 1).astype(int), task="classification")
    problem = Problem(read({"x": x, "z": rng.random(n)}), y, options)
    made = sharded(problem, [np.arange(n)], np.arange(20))
    table: Any = made.table
    ask = table.exchange.ask

    def spoiled(question: Any) -> Any:
        answer = ask(question).copy()
        answer[2] += np.uint64(1)
        return answer

    table.exchange.ask = spoiled
    with pytest.raises(DataError, match="contradict each other"):
        made.grow()


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_folds_of_trees_by_tests(task: str) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        problem = by_tests(rng, task)
        pieces = list(ways_to_cut(rng, problem).values())[int(rng.integers(0, 7))]
        in_order, made = in_shards(problem, pieces)
        pruning = CostComplexity(folds=3, random_state=seed)
        assert_same_pruning(pruning.fit(in_order), pruning.fit(made))


def id3_problem(rng: np.random.Generator) -> Problem:
    problem = random_problem(rng, "classification")
    while any(column.missing.any() for column in problem.table.columns):
        problem = random_problem(rng, "classification")
    options = GrowOptions(
        task="classification",
        criterion="entropy",
        categorical_splits=Multiway(empty=True),
        missing="fractional",
        unseen="missing",
        max_depth=problem.options.max_depth,
    )
    return replace(problem, options=options)


def test_id3_over_shards_is_id3_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        problem = id3_problem(rng)
        expected = problem.grow()
        for pieces in ways_to_cut(rng, problem).values():
            monkeypatch.setattr(grower, "GATHER_ROWS", int(rng.choice([0, 50])))
            found = sharded(problem, pieces, np.arange(min(20, problem.n_rows))).grow()
            assert_same_tree(expected, found)
            assert found.missing == "fractional"


def test_fractional_rows_are_refused_where_values_are_missing() -> None:
    options = GrowOptions(task="classification", missing="fractional")
    y = read_target([0, 1, 0, 1], task="classification")
    problem = Problem(read({"a": [1.0, 2.0, 3.0, np.nan]}), y, options)
    with pytest.raises(OptionError, match="column 'a' lacks 1"):
        sharded(problem, [np.arange(4)], np.arange(4)).grow()
