"""Splits of survival trees beside a plain Python search, on small random tables."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ceiba
from tests.marks import slow
from tests.reference.survival_splits import Row, best_cuts, half_chi_square

SEEDS = [*range(60), *slow(range(60, 2000))]
CRITERIA = ("logrank", "exponential")


def random_table(seed: int) -> tuple[dict[str, Any], list[Row]]:
    """Draw a table with ties, numbers, levels and missing values."""
    rng = np.random.default_rng([37, seed])
    n = int(rng.integers(4, 22))
    columns: dict[str, Any] = {"number": rng.integers(0, 6, n).astype(float).tolist()}
    columns["level"] = rng.choice(list("abcd"), n).tolist()
    columns["other"] = rng.integers(0, 3, n).astype(float).tolist()
    if seed % 3 == 0:
        for column in columns.values():
            for i in np.flatnonzero(rng.random(n) < 0.2):
                column[i] = None
    time = rng.integers(1, 8, n).astype(float)
    event = rng.random(n) < 0.6
    event[rng.integers(n)] = True
    weight = rng.integers(1, 4, n) if seed % 2 else np.ones(n, int)
    rows = [(float(t), bool(e), Fraction(int(w)))
            for t, e, w in zip(time, event, weight, strict=True)]  # fmt: skip
    return columns, rows


def fit(columns: dict[str, Any], rows: list[Row], **options: Any) -> Any:
    y = np.array([(t, e) for t, e, _ in rows])
    weight = np.array([float(w) for _, _, w in rows])
    return ceiba.DecisionTreeSurvival(**options).fit(columns, y, sample_weight=weight)


def sides(model: Any, columns: dict[str, Any], node: int) -> tuple[bool, ...]:
    """Return the rows of a node that go to its first branch."""
    tree = model.tree_
    passed = model.decision_path(columns).toarray().astype(bool)
    first = int(tree.branch_node[tree.branch_start[node]])
    return tuple(passed[passed[:, node], first].tolist())


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", SEEDS)
def test_splits_are_the_best_of_all(seed: int, criterion: str) -> None:
    columns, rows = random_table(seed)
    limits = {"min_samples_leaf": 1 + seed % 3, "min_events_leaf": seed % 5 // 2}
    model = fit(columns, rows, criterion=criterion, max_depth=1, **limits)
    tree = model.tree_
    best, found = best_cuts(rows, list(columns.values()), criterion,
                            limits["min_samples_leaf"], limits["min_events_leaf"])  # fmt: skip
    if tree.n_nodes == 1:
        pure = len({(t, e) for t, e, _ in rows}) == 1 or not any(e for _, e, _ in rows)
        assert not found or pure or len(rows) < 2 * limits["min_samples_leaf"]
        return
    left = sides(model, columns, 0)
    options = {cut.left for cut in found} | {tuple(not s for s in cut.left) for cut in found}
    assert left in options
    assert tree.gain[0] * tree.weight[0] == pytest.approx(best, rel=1e-9, abs=1e-12)
    assert int(tree.splits.column[0]) == found[0].column  # ties go to the first column


@pytest.mark.parametrize("seed", range(20))
def test_every_node_of_a_tree_has_the_log_rank_of_its_rows(seed: int) -> None:
    columns, rows = random_table(seed)
    model = fit(columns, rows)
    tree, passed = model.tree_, model.decision_path(columns).toarray().astype(bool)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        here = [row for row, inside in zip(rows, passed[:, node], strict=True) if inside]
        half = half_chi_square(here, sides(model, columns, node))
        assert half is not None
        assert tree.gain[node] * tree.weight[node] == pytest.approx(float(half), rel=1e-9)


def test_many_levels_are_cut_in_the_order_of_their_hazards() -> None:
    rng = np.random.default_rng(5)
    level = rng.integers(0, 15, 600)
    time = rng.exponential(1.0 + 4.0 * (level % 2))
    event = rng.random(600) < 0.8
    columns = {"level": [f"l{k:02}" for k in level]}
    tree = fit(columns, [(float(t), bool(e), Fraction(1))
                         for t, e in zip(time, event, strict=True)], max_depth=1).tree_  # fmt: skip
    codes, branch = tree.splits.level_map(0)
    odd = {int(tree.schema.columns[0].levels[c][1:]) % 2 for c in codes[branch == branch[0]]}
    assert len(odd) == 1


def test_threads_and_row_order_of_ties_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 8)).round(1)
    y = np.stack([rng.exponential(np.exp(X[:, 0])), rng.random(5000) < 0.7], axis=1)
    trees = [
        ceiba.DecisionTreeSurvival(max_depth=4, n_jobs=k, criterion=c).fit(X, y).tree_
        for c in CRITERIA
        for k in (1, 3)
    ]
    assert trees[0] == trees[1]
    assert trees[2] == trees[3]


def test_columns_that_mirror_each_other_are_tied() -> None:
    """The test of two sides does not depend on which is called left."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=400)
    y = np.stack([rng.exponential(np.exp(x)), rng.random(400) < 0.5], axis=1)
    for columns in ([-x, x], [x, -x]):
        tree = ceiba.DecisionTreeSurvival(max_depth=3).fit(np.stack(columns, axis=1), y).tree_
        assert set(tree.splits.column[~tree.is_leaf].tolist()) == {0}


@pytest.mark.parametrize("criterion", CRITERIA)
def test_repeated_rows_equal_frequencies(criterion: str) -> None:
    rng = np.random.default_rng(8)
    X = rng.integers(0, 9, (80, 3)).astype(float)
    y = np.stack([rng.integers(1, 20, 80), rng.random(80) < 0.6], axis=1).astype(float)
    count = rng.integers(1, 4, 80)
    model = ceiba.DecisionTreeSurvival(criterion=criterion, min_samples_leaf=5)
    weighted = model.fit(X, y, frequency=count).tree_
    repeated = model.fit(np.repeat(X, count, axis=0), np.repeat(y, count, axis=0)).tree_
    assert weighted == repeated


@pytest.mark.parametrize("criterion", CRITERIA)
def test_monotone_limits_hold_for_the_risk(criterion: str) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(500, 2))
    y = np.stack([rng.exponential(1 + np.abs(X[:, 0])), rng.random(500) < 0.7], axis=1)
    model = ceiba.DecisionTreeSurvival(criterion=criterion, max_depth=5, monotonic_cst=[1, 0])
    model.fit(X, y)
    grid = np.linspace(-3, 3, 50)
    for other in (-1.0, 0.0, 1.0):
        risk = model.predict(np.stack([grid, np.full(50, other)], axis=1))
        assert (np.diff(risk) >= -1e-12).all()


def test_costs_surrogates_and_sparse_tables() -> None:
    from scipy import sparse

    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 3))
    X[:, 1] = X[:, 0] + rng.normal(scale=0.1, size=300)
    y = np.stack([rng.exponential(np.exp(X[:, 0])), np.ones(300)], axis=1)
    costly = ceiba.DecisionTreeSurvival(max_depth=1, column_cost=[100, 1, 1]).fit(X, y)
    assert costly.tree_.splits.column[0] == 1
    holes = X.copy()
    holes[::7, 0] = np.nan
    tree = ceiba.DecisionTreeSurvival(max_depth=2, missing="surrogate").fit(holes, y).tree_
    assert tree.surrogates is not None
    assert len(tree.surrogates) > 0
    thin = np.where(rng.random((300, 3)) < 0.5, 0.0, X)
    dense = ceiba.DecisionTreeSurvival(max_depth=3).fit(thin, y).tree_
    assert ceiba.DecisionTreeSurvival(max_depth=3).fit(sparse.csr_matrix(thin), y).tree_ == dense
