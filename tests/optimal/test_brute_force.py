"""The exact search equals brute force over all trees, whatever the loss and the rules."""

from __future__ import annotations

import numpy as np
import pytest

from tests.optimal.brute_force import Case, leaf_loss
from tests.optimal.cases import random_case, solve, table_of


def check(case: Case, seed: int) -> None:
    tree = solve(case)
    certificate = tree.certificate
    assert certificate.proven
    assert certificate.objective == pytest.approx(case.best, rel=1e-9, abs=1e-9), seed
    assert certificate.lower_bound <= case.best + 1e-9
    assert tree.n_leaves <= case.max_leaves
    assert tree.max_depth <= case.depth
    ends = tree.apply(table_of(case))
    assert objective_of(case, ends) == pytest.approx(certificate.objective, rel=1e-9, abs=1e-9)
    if tree.n_nodes > 1:
        assert np.unique(ends, return_counts=True)[1].min() >= case.min_leaf


def objective_of(case: Case, ends: np.ndarray) -> float:
    """Recompute the objective from where `predict` sends the rows."""
    leaves = [tuple(np.flatnonzero(ends == leaf).tolist()) for leaf in np.unique(ends)]
    return sum(leaf_loss(case, rows) + case.penalty for rows in leaves)


def check_gap(seed: int) -> None:
    """Check that a search which may stop early never states a bound above the optimum."""
    case = random_case(seed)
    gap = float(np.random.default_rng(seed).choice([0.01, 0.1, 0.2, 0.3, 0.5, 0.75]))
    certificate = solve(case, gap=gap).certificate
    rounding = 1e-9 * max(1.0, case.best)
    assert certificate.lower_bound <= case.best + rounding, seed
    assert case.best <= certificate.objective + rounding, seed
    assert certificate.gap <= gap + 1e-9, seed
    assert certificate.proven == (certificate.lower_bound == certificate.objective), seed


def test_gap_of_tiny_tables_states_no_bound_above_the_optimum() -> None:
    for seed in range(100):
        check_gap(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_gap_of_many_tiny_tables_states_no_bound_above_the_optimum(block: int) -> None:
    for seed in range(20_000 + 200 * block, 20_000 + 200 * block + 200):
        check_gap(seed)


@pytest.mark.parametrize("block", range(6))
def test_optimum_of_tiny_tables_equals_brute_force(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        check(random_case(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_optimum_of_many_tiny_tables_equals_brute_force(block: int) -> None:
    for seed in range(10_000 + 100 * block, 10_000 + 100 * block + 100):
        check(random_case(seed), seed)
