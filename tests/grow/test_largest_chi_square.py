"""The exact distribution of the largest chi-square of two classes, against all permutations."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp
from scipy.stats import chi2_contingency, hypergeom

import ceiba
from ceiba import _core
from ceiba.grow.significance.separation import BestDivision, CentredTarget
from ceiba.prune import ChiSquare

STEPS = 1e8


def largest(ones, n, ends, n_missing):
    """The largest chi-square by scipy; `ones` are the places of the ones."""
    y = np.zeros(n, int)
    y[list(ones)] = 1
    place = np.arange(n)
    absent = place >= n - n_missing
    sides = [place < end for end in ends]
    if n_missing:
        sides += [side | absent for side in sides] + [absent]
    tables = ([[np.sum(s & (y == c)) for c in (0, 1)] for s in (side, ~side)] for side in sides)
    return max(chi2_contingency(table, correction=False).statistic for table in tables)


@pytest.mark.parametrize(
    ("n", "n_ones", "ends", "n_missing"),
    [
        (8, 4, [1, 2, 3, 4, 5, 6, 7], 0),
        (9, 2, [3, 4, 8], 0),
        (8, 3, [2], 0),
        (9, 4, [1, 3, 4, 5], 3),
        (8, 2, [2, 4], 1),
        (8, 5, [], 4),
        (9, 7, [1, 2], 6),
    ],
)
def test_tail_is_the_share_of_all_permutations(n, n_ones, ends, n_missing):
    each = np.array([largest(o, n, ends, n_missing) for o in combinations(range(n), n_ones)])
    for limit in np.unique(each.round(9)):
        limit = limit * (1 - 1e-7)  # below the value itself
        log_tail = _core.log_largest_chi_square_tail(
            limit, n_ones, n, np.array(ends, np.int64), n_missing, STEPS
        )
        assert log_tail == pytest.approx(np.log(np.mean(each >= limit)), abs=1e-11)


@pytest.mark.parametrize("n_missing", [0, 60])
def test_tail_agrees_with_permutations(n_missing):
    rng = np.random.default_rng(n_missing)
    n = 250
    for n_values in (8, 250):
        truth = rng.permutation(np.repeat([0, 1], [180, 70]))
        column = np.sort(rng.integers(0, n_values, n - n_missing))
        ends = np.flatnonzero(np.diff(column)) + 1
        search = BestDivision(CentredTarget.of_classes(truth), np.arange(n), ends, n_missing)
        drawn = search.draw(20_000)
        limit = np.quantile(drawn, 0.95)
        log_tail = _core.log_largest_chi_square_tail(
            limit, 70, n, ends.astype(np.int64), n_missing, STEPS
        )
        assert np.exp(log_tail) == pytest.approx(np.mean(drawn >= limit * (1 - 1e-9)), abs=0.007)


@pytest.mark.parametrize("limit", [12.0, 60.0, 300.0])
def test_far_tail_lies_between_the_chance_of_one_cut_and_of_all(limit):
    n, n_ones, ends = 400, 150, np.arange(1, 400)
    log_tail = _core.log_largest_chi_square_tail(limit, n_ones, n, ends, 0, STEPS)
    each = []
    for end in ends:
        drawn = hypergeom(n, n_ones, end)
        j = np.arange(max(0, n_ones + end - n), min(n_ones, end) + 1)
        p = n_ones / n
        beyond = n / (end * (n - end)) * (j - end * p) ** 2 / (p * (1 - p)) >= limit
        each.append(logsumexp(drawn.logpmf(j[beyond])) if beyond.any() else -np.inf)
    ones = np.ones(len(ends))
    assert max(each) < log_tail < logsumexp(each)
    summed = _core.log_chi_square_tail_sum(limit, n_ones, n, ends, ones)
    assert summed == pytest.approx(logsumexp(each), abs=1e-9)


def test_tail_beyond_the_doubles_has_its_logarithm():
    n = 4000
    log_tail = _core.log_largest_chi_square_tail(3999.0, 2000, n, np.array([2000]), 0, STEPS)
    # Of all arrangements two: the ones on the left, or on the right.
    assert log_tail == pytest.approx(np.log(2) - (gammaln(n + 1) - 2 * gammaln(2001)), abs=1e-7)


@pytest.mark.parametrize("draw", ["normal", "exponential", "poisson"])
@pytest.mark.parametrize("n_missing", [0, 20])
def test_estimated_tail_of_numbers_is_near_that_of_permutations(draw, n_missing):
    rng = np.random.default_rng(n_missing)
    n = 80
    values = CentredTarget.of_numbers(getattr(rng, draw)(size=n) * 1.0)
    for ends in (np.arange(1, n - n_missing), np.array([10, 35]), np.array([4])):
        drawn = np.sort(BestDivision(values, np.arange(n), ends, n_missing, 7).draw(20_000))
        for share in (0.05, 0.01, 0.002):
            search = BestDivision(values, np.arange(n), ends, n_missing)
            search.observed = drawn[-int(20_000 * share)]
            known = np.mean(drawn >= search.observed * (1 - 1e-9))
            assert search.log_tail == pytest.approx(np.log(known), abs=np.log(2.5))


def test_draws_are_the_same_for_all_columns_and_however_many_at_once():
    rng = np.random.default_rng(3)
    values, ends = CentredTarget.of_numbers(rng.normal(size=50)), np.arange(1, 50)
    one, other = (BestDivision(values, rng.permutation(50), ends) for _ in range(2))
    assert np.array_equal(one.draw(40), np.concatenate((other.draw(15), other.draw(25))))


def test_tail_of_large_tables_is_given_up_or_near_that_of_the_normal_limit():
    n = 100_000
    ends = np.arange(n // 4, 3 * n // 4)
    tail = np.exp(_core.log_largest_chi_square_tail(9.0, n // 2, n, ends, 0, 1e9))
    # Miller and Siegmund (1982), (5): the largest over the middle half of the rows.
    b, odds = 3.0, np.log(9.0)
    density = np.exp(-b * b / 2) / np.sqrt(2 * np.pi)
    assert tail == pytest.approx(4 * density / b + density * (b - 1 / b) * odds, rel=0.03)
    assert np.isnan(_core.log_largest_chi_square_tail(9.0, n // 2, n, ends, 0, 1e6))


def test_wrong_counts_are_refused():
    ends = np.array([1, 2])
    for n_ones, n_missing, cuts in ((0, 0, ends), (4, 0, ends), (2, 4, ends), (2, 2, ends),
                                    (2, 0, ends[::-1].copy())):  # fmt: skip
        with pytest.raises(ValueError, match=r"two classes|ends"):
            _core.log_largest_chi_square_tail(1.0, n_ones, 4, cuts, n_missing, STEPS)


def test_p_value_of_two_classes_is_exact_and_monte_carlo_on_request():
    methods = {"auto": set(), "monte_carlo": set()}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 1)), rng.integers(0, 2, 80)
        for by, seen in methods.items():
            pruning = ChiSquare(correction="search", p_value=by)
            model = ceiba.DecisionTreeClassifier(prune=pruning, max_depth=1).fit(X, y)
            seen.add(model.pruning_table_.row(0)["p_value_by"].split(",")[0])
    assert "exact over the search" in methods["auto"]
    assert "Monte Carlo over the search" in methods["monte_carlo"]
    assert "exact over the search" not in methods["monte_carlo"]
