"""CHAID's merging of categories: by hand, by the reference, multipliers and tails of the tests."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import chdtrc, fdtrc
from scipy.stats import chi2_contingency, f_oneway

import ceiba
from ceiba import _core
from ceiba.grow.chaid_grower import count_groupings, is_hopeless, merge
from tests.reference.chaid_merge import merge as reference_merge

# Five categories by two classes. By hand: (0, 1) differ least (p 0.685), then (2, 3) (p 0.629);
# then 4 against (0, 1) has p 0.353 and may join it if the order of the column allows that.
CELLS = np.array([[30, 20], [28, 22], [10, 40], [12, 38], [25, 25]])


@pytest.mark.parametrize(
    ("kind", "groups", "ways"),
    [
        ("nominal", [[0, 1, 4], [2, 3]], 15),
        ("ordered", [[0, 1], [2, 3], [4]], 6),
        ("floating", [[0, 1, 4], [2, 3]], 7),
    ],
)
def test_merge_of_hand_computed_table(kind, groups, ways):
    merged = merge(CELLS, kind, "chi2")
    assert merged.groups == groups
    assert merged.test.factor == pytest.approx(ways)
    table = np.array([CELLS[group].sum(axis=0) for group in groups])
    expected = chi2_contingency(table, correction=False)
    assert merged.test.statistic == pytest.approx(expected.statistic)
    assert merged.test.df == (expected.dof,)
    assert merged.test.adjusted_p_value == pytest.approx(expected.pvalue * ways)
    assert merged.steps[0] == (0, 1, pytest.approx(0.6853, abs=1e-4))
    assert merged.steps[1] == (2, 3, pytest.approx(0.6292, abs=1e-4))


def partitions(items):
    """All set partitions."""
    if not items:
        yield []
        return
    first, *rest = items
    for smaller in partitions(rest):
        for k in range(len(smaller)):
            yield [*smaller[:k], [first, *smaller[k]], *smaller[k + 1 :]]
        yield [[first], *smaller]


def consecutive(group, floating):
    known = sorted(c for c in group if c != floating)
    return known == list(range(known[0], known[0] + len(known))) if known else True


@pytest.mark.parametrize("c", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("kind", ["nominal", "ordered", "floating"])
def test_multiplier_counts_the_ways_to_make_groups(c, kind):
    floating = c - 1 if kind == "floating" else -1
    for r in range(2, c + 1):
        ways = sum(
            len(p) == r and (kind == "nominal" or all(consecutive(g, floating) for g in p))
            for p in partitions(list(range(c)))
        )
        assert count_groupings(c, r, kind) == ways


def slow_merge(cells, alpha):
    """Nominal merging as the paper says it, every pair anew."""
    groups = [[k] for k in range(len(cells))]
    while len(groups) > 2:
        p = {
            (a, b): chi2_contingency(
                np.array([cells[groups[a]].sum(axis=0), cells[groups[b]].sum(axis=0)]),
                correction=False,
            ).pvalue
            for a, b in itertools.combinations(range(len(groups)), 2)
        }
        (a, b), best = max(p.items(), key=lambda item: item[1])
        if best <= alpha:
            break
        groups[a] += groups.pop(b)
    return sorted(sorted(group) for group in groups)


@pytest.mark.parametrize("seed", range(8))
def test_merge_equals_slow_merging(seed):
    rng = np.random.default_rng(seed)
    cells = rng.integers(3, 40, (12, 3))
    merged = merge(cells, "nominal", "chi2", alpha_merge=0.05)
    assert sorted(merged.groups) == slow_merge(cells, 0.05)


@pytest.mark.parametrize("kind", ["nominal", "ordered", "floating"])
@pytest.mark.parametrize("statistic", ["chi2", "likelihood_ratio", "f_test"])
@pytest.mark.parametrize("seed", range(6))
def test_core_merges_as_the_reference_does(kind, statistic, seed):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 60, 15)
    if statistic == "f_test":
        y = [rng.normal(rng.choice([0.0, 0.4, 2.0]), 1, n) for n in size]
        cells = np.array([[len(v), v.sum(), (v**2).sum()] for v in y])
    else:
        cells = np.stack([rng.multinomial(n, rng.dirichlet([2, 2, 1])) for n in size])
    name = {"chi2": "pearson", "f_test": "f"}.get(statistic, statistic)
    for alpha, rows in ((0.05, 1), (0.3, 12), (0.001, 1), (1.0, 30)):
        got = merge(cells, kind, statistic, alpha_merge=alpha, min_rows=rows)
        expected = reference_merge(cells, kind, name, alpha_merge=alpha, min_rows=rows)
        assert got.groups == expected.groups
        assert [p for *_, p in got.steps] == pytest.approx([p for _, p in expected.steps])
        assert got.test.log_adjusted_p_value == pytest.approx(expected.log_p)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 12, 31])
def test_tail_of_chi_square_equals_scipy(df):
    for x in (0.0, 1e-9, 0.3, 1.0, 4.0, 30.0, 200.0, 1400.0):
        assert _core.chi_square_tail(x, df) == pytest.approx(chdtrc(df, x), rel=1e-9)


@pytest.mark.parametrize("df2", [1, 2, 5, 100, 300_000])
def test_tail_of_f_equals_scipy(df2):
    for df1 in (1, 2, 7):
        for f in (0.0, 1e-9, 0.1, 1.0, 3.0, 50.0, 1000.0):
            assert _core.f_tail(f, df1, df2) == pytest.approx(fdtrc(df1, df2, f), rel=1e-8)


@pytest.mark.parametrize("df", [1, 2, 3, 7, 40, 999, 4000])
def test_logarithm_of_the_tail_of_chi_square_equals_scipy_where_that_is_not_zero(df):
    for x in (1e-9, 0.5 * df, 1.0 * df, df + 1.9, df + 2.1, 1.5 * df, df + 50.0):
        expected = np.log(chdtrc(df, x))
        assert _core.log_chi_square_tail(x, df) == pytest.approx(expected, rel=1e-8, abs=1e-13)
        assert _core.chi_square_tail(x, df) == pytest.approx(chdtrc(df, x), rel=1e-8)


def test_logarithms_of_tails_far_out_follow_the_closed_forms():
    for x in (10.0, 2e3, 1e5):
        assert _core.log_chi_square_tail(x, 2) == pytest.approx(-x / 2)
        assert _core.log_chi_square_tail(x, 4) == pytest.approx(-x / 2 + np.log1p(x / 2))
        for df2 in (20.0, 3e5):
            closed = -df2 / 2 * np.log1p(2 * x / df2)
            assert _core.log_f_tail(x, 2, df2) == pytest.approx(closed, rel=1e-9)


@pytest.mark.parametrize("statistic", ["chi2", "likelihood_ratio", "f_test"])
@pytest.mark.parametrize("n_levels", [3, 8, 40])
def test_only_a_column_that_cannot_reach_the_limit_is_called_hopeless(statistic, n_levels):
    decisions = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        size, effect = rng.integers(2, 30, n_levels), rng.choice([0.0, 0.5, 2.0])
        score = rng.normal(0, effect, n_levels)
        if statistic == "f_test":
            y = [rng.normal(mean, 1, n) for n, mean in zip(size, score, strict=True)]
            cells = np.array([[len(v), v.sum(), (v**2).sum()] for v in y])
        else:
            yes = rng.binomial(size, 1 / (1 + np.exp(-score)))
            cells = np.stack([yes, size - yes], axis=1).astype(float)
        for rows in (1, 7):
            merged = merge(cells, "nominal", statistic, min_rows=rows)
            reached = merged.test.log_adjusted_p_value if len(merged.groups) > 1 else 0.0
            for limit in (-1e-6, -1.0, -3.0, -10.0, -40.0, reached - 1e-3):
                decisions.append(is_hopeless(cells, statistic, limit, rows))
                assert not (decisions[-1] and reached < limit)
    assert any(decisions)
    assert not all(decisions)


def test_equal_levels_are_merged_first_pair_first():
    rng = np.random.default_rng(8)
    cells = rng.integers(0, 3, (60, 2)) + np.array([[1, 0]])
    expected = reference_merge(cells, "nominal", "pearson")
    got = merge(cells, "nominal", "chi2")
    assert got.groups == expected.groups
    assert [p for *_, p in got.steps] == pytest.approx([p for _, p in expected.steps])


def test_p_value_of_zero_in_float64_still_pays_for_the_search():
    test = ceiba.tree.NodeTest("chi2", 1600.0, (1.0,), 0.0, 2772.0)
    assert test.log_p_value == pytest.approx(-804.0, abs=1)
    assert test.adjusted_p_value == 1.0


def test_f_statistic_equals_analysis_of_variance():
    rng = np.random.default_rng(0)
    y = [rng.normal(mean, 1, 30) for mean in (0.0, 0.1, 3.0)]
    cells = np.array([[len(v), v.sum(), (v**2).sum()] for v in y])
    merged = merge(cells, "nominal", "f_test", alpha_merge=0.001)
    assert merged.groups == [[0, 1], [2]]
    expected = f_oneway(np.concatenate(y[:2]), y[2])
    assert merged.test.statistic == pytest.approx(expected.statistic)
    assert merged.test.p_value == pytest.approx(expected.pvalue)


def test_likelihood_ratio_equals_g_test():
    merged = merge(CELLS[:2] * [1, 3], "nominal", "likelihood_ratio")
    expected = chi2_contingency(CELLS[:2] * [1, 3], correction=False, lambda_="log-likelihood")
    assert merged.test.statistic == pytest.approx(expected.statistic)


def test_small_group_is_merged_although_it_differs():
    cells = np.array([[50, 0], [0, 50], [0, 3]])
    assert merge(cells, "nominal", "chi2", min_rows=5).groups == [[0], [1, 2]]
