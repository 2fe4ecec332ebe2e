"""Quantile trees against brute force over all cuts, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import mean_pinball_loss

import ceiba
from ceiba.criteria import quantile_costs, weighted_quantiles
from ceiba.errors import OptionError
from tests.marks import slow
from tests.properties.fitting import data_of, fit, rules_of
from tests.properties.strategies import Problem
from tests.reference.audit import complaints
from tests.reference.criteria import QUANTILES

N_TABLES = 50  # per block; forty blocks are 2,000 tables


def draw_problem(rng: np.random.Generator) -> Problem:
    """Return a small table with ties, perhaps with weights and missing values."""
    n = int(rng.integers(2, 14))
    columns = rng.integers(0, rng.choice([2, 4, 9]), (n, int(rng.integers(1, 4)))).astype(float)
    holes = rng.random(columns.shape) < rng.choice([0.0, 0.0, 0.3])
    X: Any = np.where(holes, None, columns.astype(object)).tolist()
    y = rng.choice([rng.integers(0, 5, n), rng.integers(-20, 20, n) / 10, rng.normal(size=n)])
    weight = rng.choice([0, 1, 2])
    drawn = rng.integers(1, 5, n) if weight == 1 else rng.choice([0.1, 0.3, 0.7, 2.5], n)
    return Problem(
        X, y.tolist(), drawn.astype(float).tolist() if weight else None, str(rng.choice(QUANTILES))
    )


@pytest.mark.parametrize("block", [*range(4), *slow(range(4, 40))])
def test_every_split_is_the_best_of_all_cuts(block: int) -> None:
    rng = np.random.default_rng([block, 38])
    for _ in range(N_TABLES):
        problem = draw_problem(rng)
        data = data_of(problem)
        limits = {"min_samples_leaf": int(rng.integers(1, 4)), "max_depth": 3}
        rules = rules_of(problem, data, **limits)
        # Weights that round: gains closer than 2^-80 of the loss are tied.
        decided = problem.weight is None
        found = complaints(fit(problem, **limits), data, rules, ties_decided=decided)
        assert found == [], problem


def brute_force(X: np.ndarray, y: np.ndarray, level: str) -> tuple[int, float]:
    """Return column and cut of least loss by integers: the first of equal ones."""
    q = Fraction(level)
    whole = [int(Fraction(float(v)) * 2**1074) for v in y]

    def loss(rows: np.ndarray) -> int:
        values = sorted(whole[i] for i in rows)
        at = values[-(-len(values) * q.numerator // q.denominator) - 1]
        above = q.numerator * sum(v - at for v in values if v > at)
        return above + (q.denominator - q.numerator) * sum(at - v for v in values if v < at)

    best: Any = None
    for column in range(X.shape[1]):
        order = np.argsort(X[:, column], kind="stable")
        x = X[order, column]
        for k in np.flatnonzero(x[1:] != x[:-1]) + 1:
            total = loss(order[:k]) + loss(order[k:])
            if best is None or total < best[0]:
                best = total, column, 0.5 * (x[k - 1] + x[k])
    return best[1], best[2]


@pytest.mark.parametrize("level", ["0.9", "0.05", "0.5", "0.333333", "0.999999"])
@pytest.mark.parametrize("scale", [1.0, 1e-40, 1e200])
def test_root_split_is_that_of_integers(level: str, scale: float) -> None:
    rng = np.random.default_rng(int(1e6 * float(level)))
    n = 120
    y = np.where(rng.random(n) < 0.5, rng.normal(size=n), scale * rng.integers(1, 9, n))
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 6, n), np.argsort(y) // 5])
    model = ceiba.DecisionTreeRegressor(criterion=ceiba.Quantile(float(level)), max_depth=1)
    tree = model.fit(X, y).tree_
    assert (tree.splits.column[0], tree.splits.cut[0]) == brute_force(X, y, level)


@pytest.mark.parametrize("n", [2, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097])
@pytest.mark.parametrize("criterion", ["absolute_error", "quantile(0.9)", "quantile(0.02)"])
def test_gain_of_any_number_of_words_of_ranks_is_that_of_the_branches(
    criterion: str, n: int
) -> None:
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 2)), rng.normal(size=n)
    tree = ceiba.DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(X, y).tree_
    mass = tree.impurity * tree.n_rows
    assert tree.gain[0] * n == pytest.approx(mass[0] - mass[1] - mass[2], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_values_risk_and_impurity_are_quantile_and_pinball_loss(weighted: bool) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(400, 3)), rng.normal(size=400).round(1)
    weight = rng.integers(0, 4, 400).astype(float) if weighted else None
    model = ceiba.DecisionTreeRegressor(criterion="quantile(0.8)", max_depth=3)
    tree = model.fit(X, y, sample_weight=weight).tree_
    w = np.ones(400) if weight is None else weight
    for node in range(tree.n_nodes):
        rows = tree.rows(node, X)
        rows = rows[w[rows] > 0]
        values = np.repeat(y[rows], w[rows].astype(int))
        at = np.quantile(values, 0.8, method="averaged_inverted_cdf")
        assert tree.value[node, 0, 0] == pytest.approx(at, rel=1e-14)
        loss = mean_pinball_loss(values, np.full(len(values), at), alpha=0.8)
        assert tree.impurity[node] == pytest.approx(loss, rel=1e-12)
        assert tree.risk[node] == pytest.approx(loss * len(values) / w.sum(), rel=1e-12)
    same = tree.refit_leaves(X, y, weight)
    np.testing.assert_allclose(same.value, tree.value)
    np.testing.assert_allclose(same.impurity, tree.impurity)


def test_level_one_half_grows_the_tree_of_absolute_error_with_half_its_loss() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300).round(1)
    for weight in (None, rng.random(300)):
        half, whole = (
            ceiba.DecisionTreeRegressor(criterion=name, min_samples_leaf=5)
            .fit(X, y, sample_weight=weight)
            .tree_
            for name in (ceiba.Quantile(), "absolute_error")
        )
        np.testing.assert_array_equal(half.splits.cut, whole.splits.cut)
        np.testing.assert_array_equal(half.value, whole.value)
        np.testing.assert_allclose(2 * half.impurity, whole.impurity, rtol=1e-14)
        np.testing.assert_allclose(2 * half.gain, whole.gain, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("missing", ["learn", "fractional"])
def test_cross_validated_risk_is_the_pinball_loss_of_held_out_rows(missing: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 2))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=200)
    folds = np.arange(200) % 4
    pruning = ceiba.CostComplexity(folds=folds, keep_unpruned=True)
    options = {"criterion": "quantile(0.7)", "missing": missing, "min_samples_leaf": 20}
    model = ceiba.DecisionTreeRegressor(prune=pruning, **options).fit(X, y)
    table = model.pruning_table_
    held_out = np.empty(200)
    for fold in range(4):
        part = ceiba.DecisionTreeRegressor(**options).fit(X[folds != fold], y[folds != fold])
        held_out[folds == fold] = part.predict(X[folds == fold])
    assert table["cv_risk"][0] == pytest.approx(mean_pinball_loss(y, held_out, alpha=0.7))


def test_threads_containers_and_short_form_give_the_same_tree() -> None:
    import pandas as pd

    rng = np.random.default_rng(6)
    X = pd.DataFrame({"x": rng.normal(size=6000), "c": rng.choice(list("abcde"), 6000)})
    y = rng.exponential(size=6000)
    tree = ceiba.DecisionTreeRegressor(criterion=ceiba.Quantile(0.9), max_depth=4).fit(X, y).tree_
    for n_jobs in (1, 2):
        model = ceiba.DecisionTreeRegressor(criterion="quantile(0.9)", max_depth=4, n_jobs=n_jobs)
        assert model.fit(X, y).tree_ == tree
    assert tree.criterion == "quantile(0.9)"


@pytest.mark.parametrize("level", [0.0, 1.0, 1e-9, "0.5", None, True])
def test_wrong_level_is_refused(level: Any) -> None:
    with pytest.raises(OptionError, match="level"):
        ceiba.DecisionTreeRegressor(criterion=ceiba.Quantile(level)).fit([[1], [2]], [1.0, 2.0])


@pytest.mark.parametrize(
    "options",
    [
        {"criterion": "quantile(2)"},
        {"criterion": "quantile"},
        {"criterion": "quantile(0.9)", "search": "optimal", "max_depth": 2},
        {"criterion": "quantile(0.9)", "max_bins": 16},
    ],
)
def test_what_quantiles_do_not_support_is_refused(options: Any) -> None:
    with pytest.raises(OptionError, match="quantile"):
        ceiba.DecisionTreeRegressor(**options).fit([[1.0], [2.0]], [1.0, 2.0])


def test_costs_of_a_level_are_those_of_its_fraction() -> None:
    assert quantile_costs(0.9) == (9, 1)
    assert quantile_costs(0.1 + 0.2) == (3, 7)
    assert quantile_costs(1 / 3) == (1, 2)
    values = np.arange(1.0, 101.0)
    assert weighted_quantiles(values, None, [0.55, 0.555]).tolist() == [55.5, 56.0]
