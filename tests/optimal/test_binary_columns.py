"""Binary columns, alone and among others: the optimum of brute force, and equal costs' tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ceiba import DecisionTreeClassifier, _core
from ceiba.grow import Optimal
from ceiba.tree import Tree
from tests.optimal.brute_force import Case
from tests.optimal.cases import binary_case, mixed_case
from tests.optimal.test_alternatives import check_list
from tests.optimal.test_brute_force import check


@pytest.fixture(params=["wide", "narrow"])
def registers(request: pytest.FixtureRequest) -> Iterator[None]:
    _core.allow_wide_registers(request.param == "wide")
    yield
    _core.allow_wide_registers(True)


@pytest.mark.usefixtures("registers")
@pytest.mark.parametrize("draw", [binary_case, mixed_case])
def test_optimum_of_binary_columns_equals_brute_force(draw: Callable[[int], Case]) -> None:
    for seed in range(150):
        check(draw(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [binary_case, mixed_case])
@pytest.mark.parametrize("block", range(20))
def test_optimum_of_many_binary_tables_equals_brute_force(
    draw: Callable[[int], Case], block: int
) -> None:
    for seed in range(40_000 + 100 * block, 40_000 + 100 * block + 100):
        check(draw(seed), seed)


@pytest.mark.parametrize("draw", [binary_case, mixed_case])
def test_lists_of_binary_columns_equal_brute_force(draw: Callable[[int], Case]) -> None:
    for seed in range(60):
        check_list(draw(seed), seed)


def binary_table(seed: int) -> tuple[Any, Any]:
    """Draw more rows than a word has, twins among them, and noisy rules over the columns."""
    rng = np.random.default_rng(seed)
    n, n_columns, n_classes = (int(rng.integers(*ends)) for ends in ((90, 260), (4, 24), (2, 5)))
    X = (rng.random((n, n_columns)) < rng.uniform(0.15, 0.85, n_columns)).astype(float)
    X[n // 2 :: 3] = X[: len(X[n // 2 :: 3])]
    rule = X[:, 0] + 2 * X[:, 1] * X[:, 2] + X[:, 3]
    y = np.where(rng.random(n) < 0.25, rng.integers(0, n_classes, n), rule) % n_classes
    y[:n_classes] = np.arange(n_classes)
    return X, y.astype(int)


def mixed_table(seed: int) -> tuple[Any, Any]:
    """Add columns with few values, with many, and with more cuts than are counted as bits."""
    X, y = binary_table(seed)
    rng = np.random.default_rng([seed, 1])
    few, many = (rng.integers(0, n_values, len(X)) for n_values in (6, 40))
    X = np.column_stack([X[:, :8], few, many, rng.normal(size=len(X)) + y])
    return X, np.where(many > 30, y[0], y)


def fit(X: Any, y: Any, depth: int, weight: float | None = None, **options: Any) -> Tree:
    """Return the optimal tree. Equal weights select the search by costs."""
    model = DecisionTreeClassifier(search=Optimal(time_limit=600), max_depth=depth, **options)
    return model.fit(X, y, sample_weight=weight and np.full(len(y), weight)).tree_


@pytest.mark.usefixtures("registers")
@pytest.mark.parametrize("draw", [binary_table, mixed_table])
@pytest.mark.parametrize("seed", range(4))
def test_tree_of_binary_columns_is_that_of_equal_costs(
    draw: Callable[[int], tuple[Any, Any]], seed: int
) -> None:
    X, y = draw(seed)
    for depth, options in (
        (2, {}),
        (3, {}),
        (3, {"max_leaf_nodes": 5}),
        (3, {"min_samples_leaf": 9}),
    ):
        errors, costs = fit(X, y, depth, **options), fit(X, y, depth, weight=2.0, **options)
        assert errors.certificate.proven
        assert costs.certificate.objective == pytest.approx(2 * errors.certificate.objective)
        for name in ("parent", "default_branch", "n_rows"):
            np.testing.assert_array_equal(getattr(errors, name), getattr(costs, name), name)
        for name in ("kind", "column", "cut"):
            np.testing.assert_array_equal(getattr(errors.splits, name), getattr(costs.splits, name))


def test_binary_columns_of_depth_four_have_the_optimum_of_equal_costs() -> None:
    X, y = binary_table(3)
    X, y = X[:120, :8], y[:120]
    for options in ({}, {"max_leaf_nodes": 9}):
        errors, costs = fit(X, y, 4, **options), fit(X, y, 4, weight=2.0, **options)
        assert costs.certificate.objective == pytest.approx(2 * errors.certificate.objective)
