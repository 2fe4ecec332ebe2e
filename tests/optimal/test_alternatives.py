"""Trees near the best: all of them, none twice, none worse than asked for."""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.errors import OptionError
from ceiba.grow import Optimal
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.grow.search_grower import find_alternatives
from ceiba.table import read, read_target
from tests.optimal.brute_force import Case
from tests.optimal.cases import problem_of, random_case, table_of
from tests.optimal.test_brute_force import objective_of


def test_alternatives_are_the_best_tree_below_each_first_question() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (60, 3)).astype(float)
    y = ((X[:, 0] > 3) ^ (rng.random(60) < 0.2)).astype(int)
    table, target = read(X), read_target(y, task="classification", n_rows=60)
    options = GrowOptions(task="classification", max_depth=2, search="optimal")
    near = find_alternatives(Problem(table, target, options), within=0.3, k=1000)
    assert near.complete
    limit = near[0].objective * 1.3
    expected = {}
    for j in range(3):
        for cut in range(8):
            left = X[:, j] <= cut
            if left.all() or not left.any():
                continue
            total = 0.0
            for side in (left, ~left):
                part = read(X[side]), read_target(y[side], task="classification", n_rows=side.sum())
                if len(np.unique(y[side])) < 2:
                    continue
                one = GrowOptions(task="classification", max_depth=1, search="optimal")
                total += Problem(*part, one).grow().certificate.objective
            if total <= limit:
                expected[j, cut] = total
    assert len(near) <= len(expected) + 1
    assert {a.objective for a in near} <= set(expected.values()) | {near[0].objective}
    assert min(expected.values()) == near[0].objective
    assert max(a.objective for a in near) <= limit
    partitions = {tuple(np.unique(a.tree.apply(table), return_inverse=True)[1]) for a in near}
    assert len(partitions) == len(near)
    assert near[0].agreement == 1.0


def test_alternatives_are_cut_at_k() -> None:
    rng = np.random.default_rng(1)
    table = read(rng.normal(size=(80, 3)))
    target = read_target(rng.normal(size=80), task="regression", n_rows=80)
    options = GrowOptions(task="regression", max_depth=2, search="optimal")
    near = find_alternatives(Problem(table, target, options), within=0.2, k=5)
    assert len(near) == 5
    assert not near.complete
    objectives = [a.objective for a in near]
    assert objectives == sorted(objectives)
    with pytest.raises(OptionError, match="within"):
        find_alternatives(Problem(table, target, options), within=-1)


def check_list(case: Case, seed: int) -> None:
    """Compare a list with brute force over all trees below each first question."""
    within = float(np.random.default_rng(seed).choice([0.0, 0.01, 0.1, 0.26, 0.3, 0.5, 1.0]))
    near = find_alternatives(problem_of(case), within=within, k=100_000)
    assert near.complete, seed
    rounding = 1e-9 * max(1.0, case.best)
    limit = case.best * (1 + within) + rounding
    assert near[0].objective == pytest.approx(case.best, rel=1e-9, abs=1e-9), seed
    listed = {}
    for one in near:
        ends = one.tree.apply(table_of(case))
        assert one.objective == pytest.approx(objective_of(case, ends), rel=1e-9, abs=1e-9), seed
        assert one.objective <= limit, seed
        listed[tuple(np.unique(ends, return_inverse=True)[1].tolist())] = one.objective
    assert len(listed) == len(near), seed
    # A tree that divides the rows as a listed one does stands for its own first question too.
    for (left, right), value in case.first_questions.items():
        if value <= limit:
            assert any(
                objective == pytest.approx(value, rel=1e-9, abs=1e-9)
                and not {leaves[r] for r in left} & {leaves[r] for r in right}
                for leaves, objective in listed.items()
            ), (seed, left, value)


def test_lists_of_tiny_tables_equal_brute_force() -> None:
    for seed in range(40):
        check_list(random_case(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_lists_of_many_tiny_tables_equal_brute_force(block: int) -> None:
    for seed in range(30_000 + 100 * block, 30_000 + 100 * block + 100):
        check_list(random_case(seed), seed)


def test_a_list_by_candidate_sets_is_not_complete() -> None:
    rng = np.random.default_rng(3)
    table = read({"x": rng.choice(list("abcdefghijkl"), 60).tolist()})
    target = read_target(rng.integers(0, 2, 60), task="classification", n_rows=60)
    options = GrowOptions(task="classification", max_depth=2, search="optimal")
    assert not find_alternatives(Problem(table, target, options), within=0.1, k=1000).complete


def test_a_list_ignores_the_gap() -> None:
    X = [[2, 2], [1, 1], [0, 0], [0, 0], [3, 2], [3, 2], [2, 3], [2, 2], [2, 2]]
    y = [2, 0, 2, 2, 0, 1, 2, 1, 0]
    table, target = read(np.array(X, float)), read_target(y, task="classification", n_rows=9)
    options = GrowOptions(task="classification", max_depth=2, search=Optimal(gap=0.75))
    near = find_alternatives(Problem(table, target, options), within=0.0)
    assert {one.objective for one in near} == {3.0}
