"""Test the best of many divisions of the rows by permuting the target.

The statistic is the largest separation over all divisions tried. For classes the separation of a
division is chi-square, n^2 / (nL nR) sum_k d_k^2 / n_k with d_k the excess of class k on the left;
for numbers the sum of squares between the sides, d^2 n / (nL nR), or between all levels,
sum d_g^2 / n_g. Permuting the target needs no normal distribution and keeps ties as they are. Where
a few rows hold most of the squares (heavy tails), the separation is that of normal scores of the
ranks (van der Waerden 1952): otherwise only the side of those few rows would count.

If the separation is very large, a bound replaces the permutations. A sum d of s rows drawn
without replacement exceeds t with probability at most 2 exp(-t^2 / (2 (s v + M t / 3))), v the
variance and M the largest deviation of all rows (Bernstein; Hoeffding 1963, section 6); times the
number of divisions (Bonferroni).

For two classes the distribution over all permutations is exact: the probability that a random walk
leaves a corridor (`cpp/core/base/probability/largest_chi_square.hpp`), without draws.

Neither bounds nor a few thousand draws can order the p-values of columns that all pass. `log_tail`
estimates p-values of any size: the sum over divisions of the probability of each, times the
probability that the one before it does not reach the statistic. Adjacent divisions are correlated;
with rho their correlation and b^2 the statistic, the latter is g(b sqrt(2 - 2 rho)) with g(x) =
x^2 nu(x) / 2 (Siegmund 1985; nu by Siegmund and Yakir 2007). Columns whose estimates are close are
compared exactly or by more draws.

A sum of s numbers drawn without replacement has the tails of one in which every number is drawn
with probability s / n, given that s are drawn: the conditional tail has a saddlepoint approximation
(Skovgaard 1987; Booth and Butler 1990), within some percent of the truth for skewed numbers too.
The sum t that a tilt theta makes likely and r(t) are tabulated for growing tilts, with
log P(sum >= t) = log Phi(-r); r is nearly linear, so it is interpolated between tilts and sizes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp, lgamma, log
from typing import Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.significance.independence import NOISE

Array = npt.NDArray[np.float64]

_SIZES: Final = 20
# Tilts of the saddlepoint approximation, in units of the standard error of the sum.
_TILTS: Final = np.geomspace(0.2, 60, 30)
# Number of extreme values kept at each end, and of groups whose means replace the other values.
_EXTREMES: Final = 64
_GROUPS: Final = 128
Rows = npt.NDArray[np.intp]
# Maximum number of values that the core permutes before the next check for Ctrl-C.
_CELLS: Final = 4_000_000
# Maximum number of additions for an exact p-value, about as many as permutations need.
_STEPS: Final = 1e8
# Sums of rows are nearly normal if no square exceeds this share of the sum of squares.
_SMALL_SHARE: Final = 0.01
# Tails are heavy if the largest square exceeds its expected size by this factor.
_HEAVY: Final = 3.0
# Limits for comparing columns: initial draws, total draws, and total rows of all draws.
_DRAWS: Final = 1999
_MOST_DRAWS: Final = 50_000
_MOST_ROWS: Final = 20_000_000
# Number of standard errors by which the p-values of two columns must differ to be ranked.
_ERRORS: Final = 4.0


class SumTails:
    """Two-sided tail probabilities of sums of centered numbers drawn without replacement."""

    def __init__(self, numbers: Array) -> None:
        self.numbers, self.n = numbers, len(numbers)
        self.sizes = np.unique(np.geomspace(1, max(self.n // 2, 1), _SIZES).round())
        inner = numbers[_EXTREMES:-_EXTREMES]
        count = np.ones(self.n)
        if len(inner) > _GROUPS:
            starts = np.linspace(0, len(inner), _GROUPS, endpoint=False).astype(np.intp)
            size = np.diff(starts, append=len(inner)).astype(np.float64)
            edge = np.ones(_EXTREMES)
            count = np.concatenate((edge, size, edge))
            means = np.add.reduceat(inner, starts) / size
            numbers = np.concatenate((numbers[:_EXTREMES], means, numbers[-_EXTREMES:]))
        self._tables = [self._table(numbers, count), self._table(-numbers, count)]

    def log_tails(self, size: npt.NDArray[np.int64], squares: float) -> Array:
        """Return the log probability that the scaled square of a sum is >= `squares`, by size."""
        from scipy.special import log_ndtr

        side = np.minimum(size, self.n - size)
        limit = squares * (1 - 1e-9)
        least = np.sqrt(limit * side * (self.n - side) / self.n)
        limits = np.sqrt(limit * self.sizes * (self.n - self.sizes) / self.n)
        running = np.cumsum(self.numbers)
        both = []
        for (sums, roots), reach in zip(
            self._tables, (-running[self.n - side - 1], -running[side - 1]), strict=True
        ):
            root = [np.interp(t, *row) for t, *row in zip(limits, sums, roots, strict=True)]
            tail = log_ndtr(-np.interp(np.log(side), np.log(self.sizes), root))
            # A sum of s numbers cannot exceed the sum of the s largest numbers.
            both.append(np.where(reach >= least, tail, -np.inf))
        result = np.minimum(np.logaddexp(*both), 0.0)
        with np.errstate(divide="ignore"):  # for a side of one row, compute the exact tail
            single = np.log(np.mean(self.numbers**2 * self.n / (self.n - 1) >= limit))
        return np.where(side == 1, single, result)

    def _table(self, numbers: Array, count: Array) -> tuple[Array, Array]:
        """Return the sums and the signed roots of the saddlepoint formula, by size and tilt."""
        from scipy.special import expit, ndtri_exp

        size = self.sizes[:, None]
        share = size / self.n
        spread = np.sqrt(size * (1 - share) * np.mean(self.numbers**2))
        start = np.log(share / (1 - share))
        shift, sums, roots = start, [], []
        for errors in _TILTS:
            tilt = errors / spread
            for _ in range(50):  # Newton's method for the shift at which s draws are expected
                chance = expit(tilt * numbers + shift)
                variance = count * chance * (1 - chance)
                total = np.maximum(variance.sum(axis=1, keepdims=True), 1e-300)
                step = (size - (chance * count).sum(axis=1, keepdims=True)) / total
                shift = shift + np.clip(step, -1, 1)
                if np.abs(step).max() < 1e-6:
                    break
            exponent = tilt * numbers + shift
            sum_ = (count * chance * numbers).sum(axis=1)
            cumulant = (count * (np.logaddexp(0, exponent) + np.log1p(-share))).sum(axis=1)
            moment = (variance * numbers).sum(axis=1)
            determinant = (variance * numbers**2).sum(axis=1) * total[:, 0] - moment**2
            theta, scale = tilt[:, 0], (size * (1 - share))[:, 0]
            square = 2 * (theta * sum_ + (shift - start)[:, 0] * self.sizes - cumulant)
            w = np.sqrt(np.maximum(square, 1e-12))
            u = theta * np.sqrt(np.maximum(determinant / scale, 1e-300))
            # If a few numbers dominate the tail, u vanishes. A Chernoff bound then limits the tail.
            log_tail = np.minimum(-square / 2 + np.log(2 * np.pi * scale) / 2, -1e-9)
            sums.append(sum_)
            roots.append(np.maximum(w + np.log(u / w) / w, -ndtri_exp(log_tail)))
        return np.array(sums).T, np.array(roots).T


@lru_cache(maxsize=2)
def sum_tails(numbers: bytes) -> SumTails:
    """Return the `SumTails` of sorted numbers, cached for the columns of a node."""
    return SumTails(np.frombuffer(numbers))


@dataclass(frozen=True)
class CentredTarget:
    """A centered target: numbers, or class codes and the centered indicators of each class."""

    each: npt.NDArray[np.float64] | npt.NDArray[np.int64]
    indicators: Array | None = None
    is_plain: bool = False

    @classmethod
    def of_numbers(cls, truth: Array) -> CentredTarget:
        """Return the centered numbers, or their centered normal scores if the tails are heavy."""
        centred, n = truth - truth.mean(), len(truth)
        squares = centred**2
        # For normal numbers, the largest square is about 2 log(n) / n of the sum of squares.
        if squares.max() <= _HEAVY * 2 * np.log(n) / n * squares.sum():
            return cls(centred, is_plain=True)
        from scipy.special import ndtri
        from scipy.stats import rankdata

        scores = ndtri(rankdata(truth) / (n + 1))
        return cls(scores - scores.mean())

    @classmethod
    def of_classes(cls, truth: npt.NDArray[np.int64]) -> CentredTarget:
        """Return the target of class codes with centered class indicators."""
        classes, code = np.unique(truth, return_inverse=True)
        share = np.bincount(code) / len(code)
        indicators = (np.eye(len(classes)) - share) / np.sqrt(share)
        if len(classes) == 2:  # with two classes, one indicator determines the other
            indicators = indicators[:, :1] / np.sqrt(share[1])
        return cls(code, indicators)

    def __len__(self) -> int:
        return len(self.each)

    @property
    def is_two_classes(self) -> bool:
        """Whether the target has two classes."""
        return self.indicators is not None and len(self.indicators) == 2

    def spread(self, each: npt.NDArray[np.generic]) -> Array:
        """Return the numbers or indicators of some rows, of shape (n_rows, width)."""
        numbers = each[:, None] if self.indicators is None else self.indicators[each]
        return np.ascontiguousarray(numbers, np.float64)

    @property
    def is_nearly_normal(self) -> bool:
        """Whether asymptotic tests are valid, as for classes or numbers without dominant rows."""
        if not self.is_plain:
            return self.indicators is not None
        squares = self.each.astype(np.float64) ** 2
        return bool(squares.max() <= _SMALL_SHARE * squares.sum())


@dataclass
class Separation(ABC):
    """Permutation test of the best of several splits, or of the differences between levels."""

    values: CentredTarget
    order: Rows
    ends: Rows
    n_missing: int = 0
    seed: int = 0
    drawn: int = 0
    beyond: int = 0

    def __post_init__(self) -> None:
        self.ends = self.ends.astype(np.int64)

    @cached_property
    def observed(self) -> float:
        """The test statistic of the observed target."""
        rows = self.values.spread(self.values.each[self.order])
        return _core.separation(rows, self.ends, self.n_missing, self._is_between)

    def draw(self, n: int) -> Array:
        """Return test statistics of n more permutations; all columns use the same permutations."""
        result = np.empty(n)
        batch = max(1, _CELLS // len(self.values))
        for first in range(0, n, batch):
            statistics = _core.permuted_separations(
                self._rows, self.ends, self.n_missing, self._is_between,
                self.seed, self.drawn + first, min(batch, n - first),
            )  # fmt: skip
            result[first : first + batch] = np.asarray(statistics)
        self.drawn += n
        self.beyond += int(np.count_nonzero(result >= self.observed * (1 - NOISE)))
        return result

    @cached_property
    def _rows(self) -> Array:
        return self.values.spread(self.values.each)

    @property
    def p_value(self) -> float:
        """The p-value: exact if known, else from draws, or estimated if no draw is as extreme."""
        if self.log_exact is not None:
            return exp(self.log_exact)
        return (self.beyond + 1) / (self.drawn + 1) if self.beyond else exp(self.log_tail)

    def bound(self) -> float:
        """Return an upper bound on the p-value (Bernstein's inequality, Bonferroni)."""
        size, sums = self._bounds()
        size = np.minimum(size, len(self.values) - size)
        numbers = np.abs(self.values.each)
        variance, largest = float(np.mean(numbers**2)), float(numbers.max(initial=0.0))
        denominator = 2 * (size * variance + largest * sums / 3)
        exponent = np.divide(sums**2, denominator, out=np.zeros(len(sums)), where=denominator > 0)
        return min(1.0, float((2 * np.exp(-exponent)).sum()))

    @cached_property
    def log_exact(self) -> float | None:
        """The logarithm of the exact p-value over all permutations, or None if unknown."""
        return None

    @cached_property
    def log_tail(self) -> float:
        """The log p-value as approximated from tail probabilities, without any draws."""
        return min(max(self._log_tail(), self._log_least), 0.0)

    @property
    def tail_error(self) -> float:
        """The assumed error of `log_tail`, largest if the test compares all groups at once."""
        return log(20.0 if self._is_between else 2.0 if self.values.is_two_classes else 5.0)

    def _f_ratio(self, n_groups: int) -> float:
        within = float((self.values.each.astype(np.float64) ** 2).sum()) - self.observed
        if within <= 0:
            return float("inf")
        return self.observed / (n_groups - 1) / (within / max(len(self.values) - n_groups, 1))

    @property
    @abstractmethod
    def _is_between(self) -> bool:
        """Whether the test statistic compares all groups at once."""

    @property
    @abstractmethod
    def _log_least(self) -> float:
        """The logarithm of the smallest possible p-value, attained by a single arrangement."""

    @abstractmethod
    def _log_tail(self) -> float:
        """Return the estimate of the log p-value before clipping."""

    @abstractmethod
    def _bounds(self) -> tuple[Array, Array]:
        """Return the sizes of sums and their thresholds; extreme statistics reach a threshold."""


class BestDivision(Separation):
    """Permutation test of the best cut, with missing values left, right or in their own branch."""

    @property
    def n_divisions(self) -> int:
        """The number of possible divisions of the rows into two sides."""
        return len(self._sizes)

    @property
    def _is_between(self) -> bool:
        return False

    @property
    def _sizes(self) -> npt.NDArray[np.int64]:
        """Row counts on the left side of each division, without and with the missing values."""
        if self.n_missing == 0:
            return self.ends
        return np.concatenate((self.ends, [self.n_missing], self.ends + self.n_missing))

    @cached_property
    def log_exact(self) -> float | None:
        """The exact log p-value for two classes, or None if computing it takes too many steps."""
        if not self.values.is_two_classes:
            return None
        tail = _core.log_largest_chi_square_tail(
            *self._two_classes, self.ends, self.n_missing, _STEPS
        )
        return None if np.isnan(tail) else tail

    @property
    def _two_classes(self) -> tuple[float, int, int]:
        """The observed chi-square, and the numbers of rows in the second class and in total."""
        limit = self.observed * (1 - NOISE)
        return limit, int(np.count_nonzero(self.values.each)), len(self.values)

    @property
    def _log_least(self) -> float:
        n = len(self.values)
        side = int(np.minimum(self._sizes, n - self._sizes).max())
        return lgamma(side + 1) + lgamma(n - side + 1) - lgamma(n + 1)

    def _log_tail(self) -> float:
        from scipy.special import logsumexp

        size = self._sizes
        if self.values.is_two_classes:
            factors = self._first_crossings(self.observed)
            return _core.log_chi_square_tail_sum(*self._two_classes, size, factors)
        if self.values.indicators is not None:
            chance = _core.log_chi_square_tail(self.observed, len(self.values.indicators) - 1)
            return chance + log(self._first_crossings(self.observed).sum())
        tails = sum_tails(np.sort(self.values.each).tobytes()).log_tails(size, self.observed)
        return float(logsumexp(tails, b=self._first_crossings(self._f_ratio(2))))

    def _first_crossings(self, strength: float) -> Array:
        """Return, for each division, the probability that the previous one is not as extreme."""
        if not np.isfinite(strength):
            return np.ones(self.n_divisions)
        n, ends, missing = len(self.values), self.ends.astype(np.float64), float(self.n_missing)

        def fresh(inner: Array, outer: Array) -> Array:
            correlation = np.sqrt(inner * (n - outer) / (outer * (n - inner)))
            return _first_crossing(np.sqrt(strength * 2 * (1 - correlation)))

        cuts = np.concatenate((np.ones(min(len(ends), 1)), fresh(ends[:-1], ends[1:])))
        if not missing:
            return cuts
        alone = fresh(ends[-1:], np.array([n - missing])) if len(ends) else np.ones(1)
        with_missing = np.append(missing, ends + missing)
        crossing = fresh(with_missing[:-1], with_missing[1:]) * fresh(ends, ends + missing)
        return np.concatenate((cuts, alone, crossing))

    def _bounds(self) -> tuple[Array, Array]:
        size, n = self._sizes.astype(np.float64), len(self.values)
        return size, np.sqrt(self.observed * size * (n - size) / n)


class BetweenLevels(Separation):
    """Permutation test of the differences between all levels, as a bound for every grouping."""

    @property
    def _is_between(self) -> bool:
        return True

    @property
    def _sizes(self) -> Array:
        return np.diff(self.ends, prepend=0, append=len(self.values)).astype(np.float64)

    @property
    def _log_least(self) -> float:
        return sum(lgamma(size + 1) for size in self._sizes) - lgamma(len(self.values) + 1)

    def _log_tail(self) -> float:
        n_levels, indicators = len(self.ends) + 1, self.values.indicators
        if indicators is None:
            within = len(self.values) - n_levels
            return _core.log_f_tail(self._f_ratio(n_levels), n_levels - 1, within)
        df = (n_levels - 1) * (len(indicators) - 1)
        return _core.log_chi_square_tail(self.observed, df)

    def _bounds(self) -> tuple[Array, Array]:
        # At least one of the levels contributes 1 / n_levels of the separation or more.
        size = self._sizes
        return size, np.sqrt(self.observed / len(size) * size)


def smallest_p_value(searches: Sequence[Separation]) -> int:
    """Return the index of the search with the smallest p-value."""
    if len(searches) == 1:
        return 0
    logs = np.array([search.log_tail for search in searches])
    error = np.array([search.tail_error for search in searches])
    # Invariant: only searches in `near` can have the smallest p-value. Cheap estimates usually
    # leave only one. Otherwise, exact p-values and then a growing number of draws decide.
    near = np.flatnonzero(logs - error <= (logs + error).min())
    if len(near) > 1:
        for i in near.tolist():
            exact = searches[i].log_exact
            if exact is not None:
                logs[i], error[i] = exact, 0.0
    near = near[(logs - error)[near] <= (logs + error)[near].min()]
    limit = min(max(_MOST_ROWS // len(searches[0].values), _DRAWS), _MOST_DRAWS)
    n_draws = _DRAWS
    # Draws help only if a p-value exceeds 1 / limit. Smaller ones are compared by their estimates.
    while len(near) > 1 and n_draws <= limit and (logs + error)[near].max() > -log(limit):
        for i in near[error[near] > 0].tolist():
            searches[i].draw(max(n_draws - searches[i].drawn, 0))
        share, variance = np.exp(logs), np.zeros(len(logs))
        for i in near[error[near] > 0].tolist():
            share[i] = searches[i].beyond / searches[i].drawn
            variance[i] = share[i] / searches[i].drawn
        best = near[np.argmin(share[near])]
        unclear = _ERRORS * np.sqrt(variance + variance[best])
        near = near[(share - share[best] <= unclear)[near]]
        n_draws *= 5
    return int(near[np.argmin(logs[near])])


def _first_crossing(x: Array) -> Array:
    """Return the probability that the previous division, at distance `x`, is not as extreme."""
    from scipy.special import ndtr

    normal, density = ndtr(x / 2), np.exp(-(x**2) / 8) / np.sqrt(2 * np.pi)
    return np.asarray(x * (normal - 0.5) / (x / 2 * normal + density))
