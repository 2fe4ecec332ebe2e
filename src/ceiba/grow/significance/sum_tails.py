"""Tails of the sum of s numbers drawn without replacement, as small as they may be.

Draw every number with chance s / n instead, given that s are drawn: the conditional tail has a
saddlepoint approximation (Skovgaard 1987; Booth and Butler 1990), within some percent of the truth
for skewed numbers too. For tilts theta of growing size the sum t that they make likely and
r(t) are tabulated, with log P(sum >= t) = log Phi(-r); r is nearly a straight line, so it can be
interpolated between tilts and sizes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_SIZES: Final = 20
# Tilts, in standard errors of the sum.
_TILTS: Final = np.geomspace(0.2, 60, 30)
# Numbers that stand for themselves at both ends, and groups of those between.
_EXTREMES: Final = 64
_GROUPS: Final = 128


class SumTails:
    """Two-sided tails of sums of numbers whose mean is 0 (sorted)."""

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
        """Return log P(n / (s (n - s)) sum^2 >= squares) for sums of each size s."""
        side = np.minimum(size, self.n - size)
        limit = squares * (1 - 1e-9)
        least = np.sqrt(limit * side * (self.n - side) / self.n)
        wanted = np.sqrt(limit * self.sizes * (self.n - self.sizes) / self.n)
        running = np.cumsum(self.numbers)
        both = []
        for (sums, roots), reach in zip(
            self._tables, (-running[self.n - side - 1], -running[side - 1]), strict=True
        ):
            root = [np.interp(t, *row) for t, *row in zip(wanted, sums, roots, strict=True)]
            tail = _log_normal_tail(np.interp(np.log(side), np.log(self.sizes), root))
            # What even the s largest numbers do not reach is impossible.
            both.append(np.where(reach >= least, tail, -np.inf))
        result = np.minimum(np.logaddexp(*both), 0.0)
        with np.errstate(divide="ignore"):  # single numbers are counted
            single = np.log(np.mean(self.numbers**2 * self.n / (self.n - 1) >= limit))
        return np.where(side == 1, single, result)

    def _table(self, numbers: Array, count: Array) -> tuple[Array, Array]:
        """Return sums and roots r for all sizes and tilts."""
        from scipy.special import expit, ndtri_exp

        size = self.sizes[:, None]
        share, spread = (
            size / self.n,
            np.sqrt(size * (1 - size / self.n) * np.mean(self.numbers**2)),
        )
        start = np.log(share / (1 - share))
        shift, sums, roots = start, [], []
        for errors in _TILTS:
            tilt = errors / spread
            for _ in range(50):  # Newton's method: of all numbers, s are drawn
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
            theta, drawn = tilt[:, 0], (size * (1 - share))[:, 0]
            square = 2 * (theta * sum_ + (shift - start)[:, 0] * self.sizes - cumulant)
            w = np.sqrt(np.maximum(square, 1e-12))
            u = theta * np.sqrt(np.maximum(determinant / drawn, 1e-300))
            # Where few numbers hold the whole tail, u vanishes; the tail is then what is tilted.
            most = np.minimum(-square / 2 + np.log(2 * np.pi * drawn) / 2, -1e-9)
            sums.append(sum_)
            roots.append(np.maximum(w + np.log(u / w) / w, -ndtri_exp(most)))
        return np.array(sums).T, np.array(roots).T


@lru_cache(maxsize=2)
def sum_tails(numbers: bytes) -> SumTails:
    """Return the tails of sorted numbers: the columns of a node share them."""
    return SumTails(np.frombuffer(numbers))


def _log_normal_tail(x: Array) -> Array:
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(-x))
