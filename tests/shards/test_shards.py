"""The tree over shards is the tree in memory, bit for bit, however the rows are cut into shards."""

from __future__ import annotations

from functools import reduce
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from ceiba import _core
from ceiba.errors import DataError, OptionError
from ceiba.grow.options import GrowOptions
from ceiba.shards.grower import check_supported
from tests.shards.sharding import assert_same_tree, random_problem, sharded, use_sizes, ways_to_cut


def compare(seed: int, task: str, monkeypatch: pytest.MonkeyPatch) -> int:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, task)
    expected = problem.grow()
    for pieces in ways_to_cut(rng, problem).values():
        # Small nodes are gathered, or surveyed down to two rows; bins may be placed badly.
        use_sizes(
            monkeypatch,
            int(rng.choice([0, 0, 50])),
            int(rng.choice([1, 8, 1000])),
            int(rng.choice([1, 3, 8])),
        )
        sample = np.arange(problem.n_rows)[: int(rng.choice([3, 20, 500]))]
        values = int(rng.choice([1, 500, 1 << 20]))  # answers of one stretch at a time, or more
        found = sharded(problem, pieces, sample, int(rng.integers(1, 3)), values).grow()
        assert_same_tree(expected, found)
    return expected.n_leaves


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_tree_over_shards_is_the_tree_in_memory(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leaves = [compare(seed, task, monkeypatch) for seed in range(6)]
    assert max(leaves) > 20  # not only stumps


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_five_hundred_trees_over_shards(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(1000, 1500):
        compare(seed, task, monkeypatch)


def rounds_of(problem: Any, shards: Any) -> Any:
    """Yield (what is asked, round, the answer of each shard)."""
    from ceiba.grow.core_grower import core_options

    core = core_options(problem.table, problem.options, None, problem.scales, None)
    types = [(info.kind.value, info.n_levels) for info in problem.table.schema.columns]
    growing = _core.LevelGrower(
        core, problem.table.layout.core, types, problem.table.n_rows, 40, 4, 8, 10_000
    )
    while not growing.done:
        rounds = _core.join_rounds([(0, growing)])
        answers = [shard.answer(rounds) for shard in shards]
        yield growing.asks, rounds, answers
        growing.take(*_core.split_answers(reduce(_core.merge_answers, answers)))


def in_three(seed: int, task: str = "classification") -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, task)
    while problem.n_rows < 200:
        problem = random_problem(rng, task)
    pieces = np.array_split(np.arange(problem.n_rows), 3)
    made = sharded(problem, pieces, np.arange(20))
    return made, made.table.exchange._shards  # type: ignore[attr-defined]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_answers_merge_in_any_order(task: str) -> None:
    asked = set()
    for seed in range(4):
        problem, shards = in_three(seed, task)
        for asks, _, answers in rounds_of(problem, shards):
            asked.add(asks)
            whole = reduce(_core.merge_answers, answers)
            for order in permutations(answers):
                assert np.array_equal(reduce(_core.merge_answers, order), whole)
            a, b, c = answers
            assert np.array_equal(_core.merge_answers(a, _core.merge_answers(b, c)), whole)
    assert {"count", "zoom", "fetch", "gather"} <= asked


def test_a_shard_that_is_made_again_catches_up() -> None:
    import pickle

    problem, shards = in_three(1)
    for _, question, answers in rounds_of(problem, shards):
        again = pickle.loads(pickle.dumps(shards[1]))
        assert np.array_equal(again.answer(question), answers[1])
        assert np.array_equal(shards[1].answer(question), answers[1])  # asked twice


def join_rounds(*rounds: tuple[int, np.ndarray]) -> np.ndarray:
    """Return a message about several trees: how many; of each its number, and its round."""
    parts = [np.array([tree, len(words), *words], np.uint64) for tree, words in rounds]
    return np.concatenate([np.array([len(parts)], np.uint64), *parts])


def test_rounds_of_several_trees_are_answered_as_those_of_each() -> None:
    problem, shards = in_three(1)
    rng = np.random.default_rng(0)
    folded = [
        shard.scatter("folds", (rng.integers(0, 3, len(shard.arrays.target)).astype(np.uint16),))
        for shard in shards
    ]
    _, rounds, _ = next(rounds_of(problem, shards))
    (first,) = _core.split_answers(shards[0].answer(rounds))
    question = rounds[3:]  # after the number of trees, the tree, and its words
    assert np.array_equal(rounds, join_rounds((0, question)))
    together = join_rounds((3, question), (0, question), (1, question))
    assert _core.trees_of(together) == [3, 0, 1]
    answers = [shard.answer(together) for shard in folded]
    of_trees = _core.split_answers(answers[0])
    assert np.array_equal(of_trees[1], first)
    assert not np.array_equal(of_trees[0], of_trees[2])
    for tree, answer in zip((3, 0, 1), of_trees, strict=True):
        alone = join_rounds((tree, question))
        assert np.array_equal(_core.split_answers(folded[0].answer(alone))[0], answer)
    merged = _core.split_answers(reduce(_core.merge_answers, answers))
    for k, tree in enumerate((3, 0, 1)):
        alone = join_rounds((tree, question))
        own = reduce(_core.merge_answers, [shard.answer(alone) for shard in folded])
        assert np.array_equal(_core.split_answers(own)[0], merged[k])


def test_answers_that_are_not_of_a_list_of_trees_are_an_error() -> None:
    problem, shards = in_three(1)
    _, rounds, (answer, *_) = next(rounds_of(problem, shards))
    with pytest.raises(_core.Contradiction, match="too short"):
        _core.split_answers(answer[:-1])
    with pytest.raises(_core.Contradiction, match="list of trees"):
        _core.split_answers(answer[3:])
    with pytest.raises(_core.Contradiction, match="too short"):
        _core.trees_of(rounds[:-1])


def test_counts_take_the_traffic_of_the_formula() -> None:
    made = (in_three(seed) for seed in range(100))
    problem, shards = next(one for one in made if one[0].table.layout.weight_bits is None)
    layout = problem.table.layout
    cells = sum(c + 1 if isinstance(c, int) else len(c.edge) + 2 for c in layout.columns)
    asks, _, answers = next(rounds_of(problem, shards))
    assert asks == "count"
    for answer in answers:  # five words say what it is
        assert answer.nbytes == 8 * (5 + 1 * cells * layout.target)


class Forgetful:
    """An exchange that loses a row of the second shard from the second round on."""

    def __init__(self, exchange: Any, spoil: Any) -> None:
        self.exchange, self.spoil, self.n = exchange, spoil, 0

    def ask(self, question: Any) -> Any:
        self.n += 1
        answer = self.exchange.ask(question)
        return self.spoil(answer) if self.n == 2 else answer


@pytest.mark.parametrize("spoil", ["cell", "short", "other"])
def test_damaged_answers_are_an_error_never_a_tree(
    spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_sizes(monkeypatch, 0, 4)
    problem, _ = in_three(3)

    def damage(answer: np.ndarray) -> np.ndarray:
        made = answer.copy()
        if spoil == "cell":
            at = 5 + int(np.argmax(made[5:] > 0))
            made[at] += np.uint64(1)
        elif spoil == "short":
            made = made[:-1].copy()
        else:
            made[3] = (made[3] + np.uint64(1)) % np.uint64(3)
        return made

    table = problem.table
    table.__dict__["exchange"] = Forgetful(table.exchange, damage)
    with pytest.raises(DataError, match="changed during the fit"):
        problem.grow()


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("classification", {"criterion": "twoing"}),
        ("classification", {"criterion": "gain_ratio"}),
        ("classification", {"missing": "surrogate"}),
        ("classification", {"max_features": 2}),
        ("classification", {"splitter": "random"}),
        ("classification", {"min_significance": 0.05}),
        ("classification", {"search": "lookahead"}),
        ("classification", {"frequency_weights": True}),
        ("regression", {"criterion": "absolute_error"}),
    ],
)
def test_what_is_not_known_is_refused_by_name(task: Any, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        check_supported(GrowOptions(task=task, **options))
