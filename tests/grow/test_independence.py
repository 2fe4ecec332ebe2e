"""P-values against scipy and against their own definition."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from scipy import stats

from ceiba.grow.significance.independence import (
    _draw_tables,
    chi_square_test,
    f_test,
    monte_carlo_p_value,
)


@pytest.mark.parametrize(
    "table",
    [[[30, 20], [15, 35]], [[20, 30, 25], [10, 40, 25]], [[12, 9, 30], [15, 8, 10], [9, 22, 11]]],
)
def test_large_table_has_the_p_value_of_the_chi_square_distribution(table):
    expected = stats.chi2_contingency(table, correction=False)
    test = chi_square_test(table)
    assert test.method == "chi-square"
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.df == (expected.dof,)
    assert test.p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("table", [[[3, 0], [0, 3]], [[4, 1], [2, 5]], [[1, 6], [5, 1]]])
def test_small_2_by_2_table_has_the_exact_p_value(table):
    """Probabilities of all tables with these margins that are at least as far from even."""
    table = np.array(table)
    rows, first = table.sum(axis=1), table[:, 0].sum()
    tables = [np.array([[x, rows[0] - x], [first - x, rows[1] - first + x]]) for x in range(20)]
    tables = [t for t in tables if (t >= 0).all()]

    def distance(t):
        return stats.chi2_contingency(t, correction=False).statistic

    p = sum(
        stats.hypergeom(rows.sum(), first, rows[0]).pmf(t[0, 0])
        for t in tables
        if distance(t) >= distance(table) - 1e-9
    )
    test = chi_square_test(table)
    assert test.method == "exact"
    assert test.p_value == pytest.approx(p)


def test_small_table_is_judged_by_monte_carlo_near_the_exact_value():
    table = np.array([[5, 0, 1], [1, 4, 2], [0, 2, 5]])
    test = chi_square_test(table, n_draws=20_000, enough=20_000)
    again = chi_square_test(table, n_draws=20_000, enough=20_000)
    assert test.method == "Monte Carlo"
    assert test == again  # the seed is fixed
    rng = np.random.default_rng(9)
    exact = stats.random_table(table.sum(axis=1), table.sum(axis=0), seed=rng).rvs(40_000)
    expected = table.sum(axis=1)[:, None] * table.sum(axis=0) / table.sum()
    far = ((exact - expected) ** 2 / expected).sum(axis=(1, 2)) >= test.statistic - 1e-9
    assert test.p_value == pytest.approx(far.mean(), abs=0.004)


@pytest.mark.parametrize("scale", [1, 100])  # few rows per cell, and many
def test_drawn_tables_are_those_of_shuffled_rows(scale):
    rows, columns = scale * np.array([3, 2, 1]), scale * np.array([4, 1, 1])
    rng = np.random.default_rng(0)
    drawn = _draw_tables(rows.astype(float), columns.astype(float), 2000, rng)
    assert (drawn.sum(axis=2) == rows).all()
    assert (drawn.sum(axis=1) == columns).all()
    classes = np.repeat(np.arange(3), columns)
    cells = np.repeat(np.arange(3) * 3, rows) + rng.permuted(np.tile(classes, (2000, 1)), axis=1)
    shuffled = np.stack([np.bincount(one, minlength=9).reshape(3, 3) for one in cells])
    np.testing.assert_allclose(drawn.mean(axis=0), shuffled.mean(axis=0), rtol=0.02, atol=0.05)
    np.testing.assert_allclose(drawn.var(axis=0), shuffled.var(axis=0), rtol=0.2, atol=0.02)


def test_early_stop_decides_as_all_draws_would():
    rng = np.random.default_rng(0)
    for _ in range(200):
        values = rng.normal(size=199)
        observed = rng.normal()
        full = (np.sum(values >= observed) + 1) / 200
        drawn = iter(values.tolist())
        early = monte_carlo_p_value(
            observed, lambda n, drawn=drawn: np.array(list(islice(drawn, n))), 199, enough=11
        )
        assert (early <= 0.05) == (full <= 0.05)


def test_table_with_one_row_or_column_has_nothing_to_test():
    assert chi_square_test([[3, 4]]).p_value == 1.0
    assert chi_square_test([[3, 0], [4, 0]]).p_value == 1.0


def test_weights_that_are_not_whole_go_by_the_distribution():
    assert chi_square_test([[0.5, 1.5], [1.5, 0.5]]).method == "chi-square"


def test_f_test_equals_one_way_analysis_of_variance():
    rng = np.random.default_rng(1)
    groups = [rng.normal(i * 0.3, 1, 10 + i) for i in range(4)]
    expected = stats.f_oneway(*groups)
    test = f_test(np.concatenate(groups), np.repeat(np.arange(4), [len(g) for g in groups]))
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.p_value == pytest.approx(expected.pvalue)


def test_f_test_is_not_moved_by_a_large_offset():
    y, group = np.array([1.0, 2.0, 4.0, 6.0, 7.0, 9.0]), np.array([0, 0, 0, 1, 1, 1])
    assert f_test(y + 1e8, group).p_value == pytest.approx(f_test(y, group).p_value, rel=1e-6)


def test_f_test_of_perfect_groups_is_certain_and_of_single_rows_impossible():
    assert f_test(np.array([1.0, 1.0, 2.0, 2.0]), np.array([0, 0, 1, 1])).p_value == 0.0
    assert f_test(np.array([1.0, 2.0]), np.array([0, 1])).p_value == 1.0
