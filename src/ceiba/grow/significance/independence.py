"""Test whether groups of rows have the same distribution.

Classes: Pearson's chi-square, sum of (observed - expected)^2 / expected. Its distribution is the
chi-square one with (rows - 1)(columns - 1) degrees of freedom where counts are large (Cochran's
rule: expected counts of at least 1, and of at least 5 in four cells of five). Small tables: exact
for 2 x 2, else by Monte Carlo over tables with the same margins.
Numbers: the F test of one-way analysis of variance.

Monte Carlo is sequential (Besag and Clifford 1991): a few dozen draws are enough for a large
p-value. Seeds are fixed, so that a p-value does not change from call to call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Method = Literal["auto", "asymptotic", "monte_carlo"]

_BATCH: Final = 50
# Relative tolerance, because statistics of equal tables may differ in the last bits.
NOISE: Final = 1e-9


@dataclass(frozen=True)
class TestResult:
    """Result of a test: statistic, degrees of freedom, p-value and its method."""

    statistic: float
    df: tuple[int, ...]
    p_value: float
    method: str

    @property
    def bound(self) -> str:
        """The kind of p-value: "at most" or "at least" for a bound, else "exact"."""
        word = self.method.split(",")[0]
        return word if word in ("at most", "at least") else "exact"


def chi_square_test(
    table: npt.ArrayLike,
    method: Method = "auto",
    *,
    n_draws: int = 1999,
    enough: int = 100,
    seed: int = 0,
) -> TestResult:
    """Test whether the rows of a contingency table have the same class proportions."""
    counts = np.asarray(table, np.float64)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    df = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if df <= 0:
        return TestResult(0.0, (0,), 1.0, "nothing to test")
    total, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    expected = rows[:, None] * columns / total
    statistic = float(((counts - expected) ** 2 / expected).sum())
    is_large = expected.min() >= 1 and np.mean(expected >= 5) >= 0.8
    is_integer = np.all(counts == np.rint(counts))  # fractional counts cannot be permuted
    if method == "asymptotic" or (method == "auto" and is_large) or not is_integer:
        from scipy.special import chdtrc

        return TestResult(statistic, (df,), float(chdtrc(df, statistic)), "chi-square")
    if counts.shape == (2, 2) and method == "auto":
        return TestResult(statistic, (df,), _exact_2x2(counts, statistic), "exact")
    rng = np.random.default_rng(seed)

    def draw(n: int) -> Array:
        tables = _draw_tables(rows, columns, n, rng)
        return np.asarray(((tables - expected) ** 2 / expected).sum(axis=(1, 2)))

    return TestResult(
        statistic, (df,), monte_carlo_p_value(statistic, draw, n_draws, enough), "Monte Carlo"
    )


def f_test(values: Array, group: npt.NDArray[np.intp]) -> TestResult:
    """Test whether groups of numbers have the same mean (one-way analysis of variance)."""
    group = np.unique(group, return_inverse=True)[1]
    n, n_groups = len(values), int(group.max(initial=-1)) + 1
    df = (n_groups - 1, n - n_groups)
    if min(df) <= 0:
        return TestResult(0.0, df, 1.0, "nothing to test")
    centred = values - values.mean()
    size = np.bincount(group)
    mean = np.bincount(group, weights=centred) / size
    between = float(size @ mean**2)
    within = float(((centred - mean[group]) ** 2).sum())
    # If the variance within groups is only rounding error, the groups explain all variance.
    if within <= 1e-20 * (between + within):
        return TestResult(np.inf, df, 0.0 if between > 0 else 1.0, "F")
    statistic = (between / df[0]) / (within / df[1])
    from scipy.special import fdtrc

    return TestResult(statistic, df, float(fdtrc(*df, statistic)), "F")


def monte_carlo_p_value(
    statistic: float, draw: Callable[[int], Array], n_draws: int, enough: int
) -> float:
    """Return a Monte Carlo p-value; if it is large, drawing stops early."""
    # `draw(n)` samples n values under the null hypothesis. If `enough` values reach `statistic`,
    # p = enough / drawn. If only `beyond` values reach it, p = (beyond + 1) / (n_draws + 1).
    limit = statistic * (1 - NOISE)
    beyond, n_drawn = 0, 0
    while n_drawn < n_draws:
        batch = min(max(_BATCH, 2 * (enough - beyond)), n_draws - n_drawn)
        exceeding = np.cumsum(draw(batch) >= limit)
        if beyond + exceeding[-1] >= enough:
            return enough / (n_drawn + 1 + int(np.searchsorted(exceeding, enough - beyond)))
        beyond += int(exceeding[-1])
        n_drawn += batch
    return (beyond + 1) / (n_drawn + 1)


def _exact_2x2(counts: Array, statistic: float) -> float:
    """Return the exact p-value: the total probability of tables with at least this statistic."""
    from scipy.special import gammaln

    (first, _), (left, right), n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    x = np.arange(max(0.0, first + left - n), min(first, left) + 1)
    even = first * left / n
    spread = 1 / even + 1 / (first - even) + 1 / (left - even) + 1 / (n - first - left + even)
    x = x[(x - even) ** 2 * spread >= statistic * (1 - NOISE)]
    margins = gammaln(np.array([first, n - first, left, right]) + 1).sum() - gammaln(n + 1)
    cells = gammaln(np.stack((x, first - x, left - x, n - first - left + x)) + 1).sum(axis=0)
    return min(float(np.exp(margins - cells).sum()), 1.0)


def _draw_tables(rows: Array, columns: Array, n: int, rng: np.random.Generator) -> Array:
    """Sample n tables with the given margins."""
    from scipy.stats import random_table

    margins = (rows.astype(np.int64), columns.astype(np.int64))
    return np.asarray(random_table(*margins).rvs(n, random_state=rng), np.float64)
