"""Cross-validated pruning over shards: the folds, figures and choice of memory, bit for bit."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ceiba.errors import OptionError
from ceiba.prune import CostComplexity, Pruned
from tests.shards.sharding import assert_same_tree, random_problem, sharded, use_sizes, ways_to_cut


def assert_same_pruning(a: Pruned, b: Pruned) -> None:
    assert_same_tree(a.tree, b.tree)
    assert a.alpha == b.alpha
    assert a.table is not None
    assert b.table is not None
    assert a.table.columns == b.table.columns
    for name in a.table.columns:
        assert np.array_equal(a.table[name], b.table[name], equal_nan=True), name
    assert a.table.legend == b.table.legend
    if a.unpruned is None or b.unpruned is None:
        assert a.unpruned is b.unpruned
        return
    assert_same_tree(a.unpruned, b.unpruned)
    kept, other = a.cross_validation, b.cross_validation
    assert kept is not None
    assert other is not None
    for step in range(len(kept)):
        assert np.array_equal(kept.predictions(step), other.predictions(step))


def random_pruning(rng: np.random.Generator, problem: Any) -> CostComplexity:
    classes = problem.options.task == "classification"
    scores = ["cost", "error", "log_loss", "brier"]
    if classes and len(problem.target.info.classes[0]) == 2 and problem.weight is None:
        scores.append("auc")
    groups = rng.integers(0, 12, problem.n_rows) if rng.random() < 0.3 else None
    if groups is not None and len(np.unique(groups)) < 2:
        groups = None
    return CostComplexity(
        groups=groups,
        keep_unpruned=bool(rng.random() < 0.5),
        folds=int(rng.choice([2, 3, 10])),
        rule=str(rng.choice(["min", "1se"])),  # type: ignore[arg-type]
        score=str(rng.choice(scores)) if classes else "cost",  # type: ignore[arg-type]
        stratify=bool(rng.random() < 0.7),
        repeats=int(rng.choice([1, 1, 2])),
        random_state=int(rng.integers(0, 100)),
    )


def compare(seed: int, task: str, monkeypatch: pytest.MonkeyPatch) -> int:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, task)
    pruning = random_pruning(rng, problem)
    ways, leaves = ways_to_cut(rng, problem), 0
    for way in rng.choice(list(ways), 2, replace=False):
        pieces = ways[str(way)]
        order = np.concatenate(pieces)  # folds are folds of rows in their order
        in_order = problem.take(order)
        use_sizes(monkeypatch, int(rng.choice([0, 50])), int(rng.choice([8, 1000])))
        places = np.split(np.arange(len(order)), np.cumsum([len(rows) for rows in pieces])[:-1])
        sample = np.arange(problem.n_rows)[: int(rng.choice([20, 500]))]
        made = sharded(in_order, places, sample, trees_at_once=int(rng.choice([1, 4, 16])))
        try:
            expected = pruning.fit(in_order)
        except OptionError as error:  # score="auc", and no fold has both classes
            with pytest.raises(OptionError, match=re.escape(str(error))):
                pruning.fit(made)
            continue
        assert_same_pruning(expected, pruning.fit(made))
        leaves = expected.tree.n_leaves
    return leaves


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_pruning_over_shards_is_that_in_memory(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leaves = [compare(seed, task, monkeypatch) for seed in range(8)]
    assert max(leaves) > 2  # not only roots


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_many_prunings_over_shards(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(1000, 1200):
        compare(seed, task, monkeypatch)


def test_all_trees_are_grown_in_the_same_rounds() -> None:
    problem = random_problem(np.random.default_rng(5), "classification")
    made = sharded(problem, [np.arange(problem.n_rows)], np.arange(20))
    asked: list[Any] = []
    ask = made.table.exchange.ask  # type: ignore[attr-defined]

    def count(question: Any) -> Any:
        asked.append(question)
        return ask(question)

    made.table.exchange.ask = count  # type: ignore[attr-defined]
    made.grow()
    alone = len(asked)
    asked.clear()
    CostComplexity(folds=5).fit(made)
    assert len(asked) <= 2 * alone + 2  # that tree, then those of all folds: not 6 times


class Watched:
    """An exchange that keeps what is scattered and collected."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.ask, self.seen = inner, inner.ask, []

    def scatter(self, kind: str, arrays: Any) -> None:
        self.seen += [(kind, own) for own in arrays]
        self.inner.scatter(kind, arrays)

    def collect(self, kind: str) -> Any:
        arrays = self.inner.collect(kind)
        self.seen += [(kind, own) for own in arrays]
        return arrays


def test_nothing_but_flat_arrays_travels() -> None:
    problem = random_problem(np.random.default_rng(5), "regression")
    problem = replace(problem, options=replace(problem.options, max_bins=4))
    made = sharded(problem, np.array_split(np.arange(problem.n_rows), 3), np.arange(20))
    watched = Watched(made.table.exchange)  # type: ignore[attr-defined]
    table = made.table.with_changes(exchange=watched)  # type: ignore[attr-defined]
    pruning = CostComplexity(folds=3)
    assert_same_pruning(pruning.fit(problem), pruning.fit(replace(made, table=table)))
    kinds = {kind for kind, _ in watched.seen}
    assert kinds >= {"rows", "folds", "trees", "distinct", "places", "sample", "bins", "ends"}
    for kind, arrays in watched.seen:
        assert isinstance(arrays, tuple), kind
        assert all(type(own) is np.ndarray and own.ndim == 1 for own in arrays), kind
        assert all(own.dtype != object for own in arrays), kind


@pytest.mark.parametrize("kind", ["ids", "leave-one-out"])
def test_folds_that_are_given_are_those_of_memory(kind: str) -> None:
    rng = np.random.default_rng(5)
    problem = random_problem(rng, "classification")
    made = sharded(problem, np.array_split(np.arange(problem.n_rows), 3), np.arange(20))
    ids = np.array(["p", "q", "r", "s"])[rng.integers(0, 4, problem.n_rows)]
    given: dict[str, Any] = {"folds": ids} if kind == "ids" else {"folds": kind, "groups": ids}
    pruning = CostComplexity(**given, keep_unpruned=True)
    assert_same_pruning(pruning.fit(problem), pruning.fit(made))
    if kind == "ids":
        with pytest.raises(OptionError, match="repeats requires random folds"):
            CostComplexity(**given, repeats=2).fit(made)


def test_what_is_kept_can_be_pickled() -> None:
    problem = random_problem(np.random.default_rng(5), "classification")
    made = sharded(problem, [np.arange(problem.n_rows)], np.arange(20))
    cv = CostComplexity(folds=3, keep_unpruned=True).fit(made).cross_validation
    again = pickle.loads(pickle.dumps(cv))
    assert np.array_equal(again.confusion(0), cv.confusion(0))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "pruning",
    [
        CostComplexity(folds="leave-one-out"),
        CostComplexity(folds=[([0, 1], [2, 3])]),
        CostComplexity(folds=2000),
    ],
    ids=["leave-one-out", "pairs", "many"],
)
def test_folds_that_need_memory_are_refused(pruning: CostComplexity) -> None:
    problem = random_problem(np.random.default_rng(5), "classification")
    made = sharded(problem, [np.arange(problem.n_rows)], np.arange(20))
    with pytest.raises(OptionError, match="is not supported for tables larger than memory"):
        pruning.fit(made)
