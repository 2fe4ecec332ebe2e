"""Starts of the exact search: no stage is worse than the one before, each costs what it says."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ceiba.grow import Optimal
from ceiba.grow.options import GrowOptions
from ceiba.grow.problem import Problem
from ceiba.grow.search_grower import SearchState, run_search, tree_from_splits
from ceiba.table import read, read_target
from ceiba.tree import Tree
from tests.optimal.cases import options_of, random_case, table_of, target_of

GREEDY, LOOKAHEAD, REFINED, LIMITED, PROOF = range(1, 6)
Stage = tuple[float, Tree]


def stage(problem: Problem, last: int) -> Stage:
    """Run the search up to a stage: the objective that the core says, and the tree."""
    state = SearchState.of(problem, None)
    state.request.last_stage = last
    out = run_search(state)
    tree = tree_from_splits(state, out["best"])
    said = state.unscale_loss(out["best"]["value"])
    assert said == pytest.approx(state.objective(tree), rel=1e-9, abs=1e-9)
    assert out["status"] == ("proven" if last == PROOF else "lookahead")
    return said, tree


def problem_of(X: Any, y: Any, depth: int = 3, **options: Any) -> Problem:
    task: Any = "classification" if y.dtype.kind == "i" else "regression"
    target = read_target(y, task=task, n_rows=len(y))
    options = {"search": Optimal(), "max_depth": depth, **options}
    return Problem(read(X), target, GrowOptions(task=task, **options))


def mixed(seed: int, n: int = 150) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    noise = rng.random(n) < 0.15
    return X, ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ noise).astype(int)


@pytest.mark.parametrize("block", range(4))
def test_stages_fall_towards_the_optimum_whatever_loss_and_rules(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        case = random_case(seed)
        weight = None if (case.weight == 1).all() and case.loss != "cost" else case.weight
        loss = case.loss if case.loss in ("gini", "entropy") else None
        how = Optimal(penalty=case.penalty / case.weight.sum(), loss=loss)
        problem = Problem(table_of(case), target_of(case), options_of(case, search=how), weight)
        found = [stage(problem, last) for last in range(GREEDY, PROOF + 1)]
        values = [value for value, _ in found]
        assert all(b <= a + 1e-9 for a, b in pairwise(values)), seed
        assert values[-1] == pytest.approx(case.best, rel=1e-9, abs=1e-9)
        for _, tree in found:
            assert tree.n_leaves <= case.max_leaves
            assert tree.max_depth <= case.depth
            assert tree.n_nodes == 1 or tree.n_rows[tree.is_leaf].min() >= case.min_leaf


def test_refining_improves_what_lookahead_gives() -> None:
    gains = []
    for seed in range(12):
        problem = problem_of(*mixed(seed), depth=4)
        gains.append(stage(problem, LOOKAHEAD)[0] - stage(problem, REFINED)[0])
    assert min(gains) >= 0
    assert sum(gain > 0 for gain in gains) >= 2


@pytest.mark.parametrize("seed", range(6))
def test_no_other_first_question_suits_the_refined_tree_better(seed: int) -> None:
    X, y = mixed(seed)
    errors, tree = stage(problem_of(X, y), REFINED)
    ends = [ends_below(tree, X, child) for child in branches_of(tree, 0)]
    answer = tree.answer
    wrong = np.stack([answer[end] != y for end in ends])
    assert (
        errors == wrong[(tree.apply(X) >= branches_of(tree, 0)[1]).astype(int), range(len(y))].sum()
    )
    for column in X.T:
        for cut in np.unique(column)[:-1]:
            right = column > cut
            for side in (right, ~right):
                assert wrong[side.astype(int), range(len(y))].sum() >= errors


def branches_of(tree: Tree, node: int) -> list[int]:
    first, last = tree.branch_start[node : node + 2]
    return tree.branch_node[first:last].tolist()


def ends_below(tree: Tree, X: Any, top: int) -> Any:
    """Send every row down the subtree of a node, whatever lies above it."""
    ends = np.full(len(X), top)
    for node in range(top, tree.n_nodes):
        if not tree.is_leaf[node]:
            here = ends == node
            left = X[here, tree.splits.column[node]] <= tree.splits.cut[node]
            ends[here] = np.where(left, *branches_of(tree, node))
    return ends


def test_few_leaves_have_a_start_too() -> None:
    X, y = mixed(0, 3000)
    problem = problem_of(X, y, depth=5, max_leaf_nodes=6, search=Optimal(time_limit=60))
    value, tree = stage(problem, LIMITED)
    assert tree.n_leaves <= 6
    assert value < 0.8 * min(np.bincount(y))
