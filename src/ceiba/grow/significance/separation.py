"""How well the best of many divisions separates a target, and how well it separates permuted ones.

The statistic is the largest over all divisions that were tried. For classes the separation of a
division is chi-square, n^2 / (nL nR) sum_k d_k^2 / n_k with d_k the excess of class k on the left;
for numbers the sum of squares between the sides, d^2 n / (nL nR), or between all levels,
sum d_g^2 / n_g. Permuting the target needs no normal distribution and keeps ties as they are. Where
a few rows hold most of the squares (heavy tails), the separation is that of normal scores of the
ranks (van der Waerden 1952): else nothing but the place of those few rows would count.

Where the separation is overwhelming, a bound spares the permutations. A sum d of s rows drawn
without replacement exceeds t with probability at most 2 exp(-t^2 / (2 (s v + M t / 3))), v the
variance and M the largest deviation of all rows (Bernstein; Hoeffding 1963, section 6); times the
number of divisions (Bonferroni).

Of two classes the distribution over all permutations is known exactly: the chance that a random
walk leaves a corridor (`cpp/core/base/largest_chi_square.hpp`), and nothing is drawn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.significance.independence import NOISE

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

# Numbers that a batch of permutations may take at once.
_CELLS: Final = 4_000_000
# Additions that an exact p-value may take: as many as permutations would.
_STEPS: Final = 1e8
# Below this share of the largest square in their sum, sums of many rows are close to normal.
_SMALL_SHARE: Final = 0.01
# The largest square, in units of what it is among normal numbers, from which tails are heavy.
_HEAVY: Final = 3.0


@dataclass(frozen=True)
class Values:
    """A target, centred: numbers, or class codes with a row of indicators for each class.

    Attributes
    ----------
    each : array of shape (n_rows,)
        Deviations from the mean, or class codes.
    indicators : float64 array of shape (n_classes, width), or None
        Indicators less shares, over the root of the share; None: numbers.
    is_plain : bool
        Whether the numbers are those of the target, not scores.
    """

    each: npt.NDArray[np.float64] | npt.NDArray[np.int64]
    indicators: Array | None = None
    is_plain: bool = False

    @classmethod
    def of_numbers(cls, truth: Array) -> Values:
        """Centre numbers, or their normal scores under heavy tails; which, does not depend on X."""
        centred, n = truth - truth.mean(), len(truth)
        squares = centred**2
        # Of normal numbers the largest square has about 2 log(n) / n of the sum.
        if squares.max() <= _HEAVY * 2 * np.log(n) / n * squares.sum():
            return cls(centred, is_plain=True)
        from scipy.special import ndtri
        from scipy.stats import rankdata

        scores = ndtri(rankdata(truth) / (n + 1))
        return cls(scores - scores.mean())

    @classmethod
    def of_classes(cls, truth: npt.NDArray[np.int64]) -> Values:
        """Centre the indicators of classes."""
        classes, code = np.unique(truth, return_inverse=True)
        share = np.bincount(code) / len(code)
        indicators = (np.eye(len(classes)) - share) / np.sqrt(share)
        if len(classes) == 2:  # the second column says what the first does
            indicators = indicators[:, :1] / np.sqrt(share[1])
        return cls(code, indicators)

    def __len__(self) -> int:
        return len(self.each)

    @property
    def width(self) -> int:
        """Numbers per row."""
        return 1 if self.indicators is None else self.indicators.shape[1]

    def spread(self, each: npt.NDArray[np.generic]) -> Array:
        """Give the numbers of rows, with one more axis."""
        numbers = each[..., None] if self.indicators is None else self.indicators[each]
        return np.asarray(numbers, np.float64)

    @property
    def is_nearly_normal(self) -> bool:
        """Whether the textbook tests hold: classes, or numbers without rows that weigh much."""
        if not self.is_plain:
            return self.indicators is not None
        squares = self.each.astype(np.float64) ** 2
        return bool(squares.max() <= _SMALL_SHARE * squares.sum())


@dataclass
class Separation(ABC):
    """The largest separation of a target, as it is and permuted.

    Attributes
    ----------
    values : Values
        In the order of the column.
    seed : int
    """

    values: Values
    seed: int = 0

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)

    @property
    def observed(self) -> float:
        """The separation of the target as it is."""
        return float(self._largest(self.values.spread(self.values.each)[None])[0])

    def draw(self, n: int) -> Array:
        """Give the separations of n permuted targets."""
        each, result = self.values.each, []
        while n > 0:
            batch = max(1, min(n, _CELLS // (len(each) * self.values.width)))
            shuffled = np.repeat(each[None, :], batch, axis=0)
            self._rng.permuted(shuffled, axis=1, out=shuffled)
            result.append(self._largest(self.values.spread(shuffled)))
            n -= batch
        return np.concatenate(result)

    def bound(self) -> float:
        """Give a probability that no permuted target's separation exceeds the observed one's."""
        size, sums = self._bounds()
        size = np.minimum(size, len(self.values) - size)
        numbers = np.abs(self.values.each)
        variance, most = float(np.mean(numbers**2)), float(numbers.max(initial=0.0))
        denominator = 2 * (size * variance + most * sums / 3)
        exponent = np.divide(sums**2, denominator, out=np.zeros(len(sums)), where=denominator > 0)
        return min(1.0, float((2 * np.exp(-exponent)).sum()))

    def exact(self) -> float | None:
        """Give the share of all permutations that separate as observed, where it can be counted."""
        return None

    @abstractmethod
    def _largest(self, targets: Array) -> Array:
        """Give the separation of targets of shape (draws, rows, width)."""

    @abstractmethod
    def _bounds(self) -> tuple[Array, Array]:
        """Give sizes and sums of sides of which one must be reached to separate as observed."""


@dataclass
class BestDivision(Separation):
    """The best of all cuts, with rows without a value on both sides or apart, if these were tried.

    Attributes
    ----------
    ends : int array
        Rows below each possible cut.
    n_missing : int
        Rows at the end that have no value, where these were tried on both sides and apart.
    """

    ends: Rows = None  # type: ignore[assignment]
    n_missing: int = 0

    @property
    def n_divisions(self) -> int:
        """Divisions that were tried."""
        return len(self._sizes)

    @property
    def _sizes(self) -> Array:
        """Rows on the left of each division."""
        if self.n_missing == 0:
            return self.ends.astype(np.float64)
        present = len(self.values) - self.n_missing
        return np.concatenate((self.ends, self.ends + self.n_missing, [present])).astype(np.float64)

    def exact(self) -> float | None:
        """Give the share of all permutations of two classes that separate as observed."""
        if self.values.indicators is None or self.values.indicators.shape != (2, 1):
            return None
        ones, limit = int(np.count_nonzero(self.values.each)), self.observed * (1 - NOISE)
        ends = self.ends.astype(np.int64)
        tail = _core.largest_chi_square_tail(
            limit, ones, len(self.values), ends, self.n_missing, _STEPS
        )
        return None if np.isnan(tail) else float(tail)

    def _largest(self, targets: Array) -> Array:
        running = np.cumsum(targets, axis=1)
        left = running[:, self.ends - 1, :]
        if self.n_missing:
            present = running[:, [len(self.values) - self.n_missing - 1], :]
            # The sum of all rows is 0: that of the missing ones is the opposite of the others'.
            left = np.concatenate((left, left - present, present), axis=1)
        size, n = self._sizes, len(self.values)
        scale = n / (size * (n - size))
        return np.asarray(((left**2).sum(axis=2) * scale).max(axis=1))

    def _bounds(self) -> tuple[Array, Array]:
        size, n = self._sizes, len(self.values)
        return size, np.sqrt(self.observed * size * (n - size) / n)


@dataclass
class BetweenLevels(Separation):
    """All levels of a column: of their groupings each is a part of this.

    Attributes
    ----------
    starts : int array
        First row of each level, in the order of the levels.
    """

    starts: Rows = None  # type: ignore[assignment]

    @property
    def _sizes(self) -> Array:
        return np.diff(np.append(self.starts, len(self.values))).astype(np.float64)

    def _largest(self, targets: Array) -> Array:
        sums = np.add.reduceat(targets, self.starts, axis=1)
        return np.asarray(((sums**2).sum(axis=2) / self._sizes).sum(axis=1))

    def _bounds(self) -> tuple[Array, Array]:
        # If all levels together separate so much, at least one has its part of it.
        size = self._sizes
        return size, np.sqrt(self.observed / len(size) * size)
