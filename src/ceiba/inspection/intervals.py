"""Confidence intervals of shares, means and ratios, from their textbook formulas.

wilson: share k/n (Wilson 1927), good also for 0 errors and small n. share: the same of weighted
rows, n chosen so that p (1 - p) / n is the variance of the weighted share (Korn and Graubard 1998).
mean: Student's t of the mean, corrected for skewness by Hall's (1992) cubic transformation, without
resampling, which covers squared errors better than the BCa and the studentised bootstrap.
estimate: the same of any figure that is a sum of what each row adds, such as AUC. bca: the
mean of few different values such as costs, where it covers best (Efron 1987). docs/numbers.md has
the figures. `n` may be an effective number of rows.

A weighted mean varies by sum w^2 (x - mean)^2 / (sum w)^2: rows that weigh more and are further off
make it less certain than their effective number alone tells.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.inspection.resampling import resampled_sums
from ceiba.words import words

Interval = tuple[float, float]

# By simulation (docs/numbers.md): of squares and distances, and of figures that are bounded.
HEAVY_TAIL: Final = 2.5
BOUNDED_TAIL: Final = 1.5


def too_few(n_rows: int, n_effective: float) -> bool:
    """Return whether intervals of means and scores may cover less than they say."""
    # Exponential weights make 200 rows worth 100.
    return n_rows < 200 or n_effective < 80


def interval_words(confidence: float, approximate: bool, lang: str = "en") -> str:
    """Return the words for intervals."""
    key = "evaluate.intervals_approximate" if approximate else "evaluate.intervals"
    return words(lang)(key, level=f"{100 * confidence:.0f} %")


def wilson(share: float, n: float, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval of a share observed on n rows."""
    from scipy.special import ndtri  # here: `ceiba.impurity` should not wait for scipy

    if not n > 0:
        return 0.0, 1.0
    z = float(ndtri(0.5 + confidence / 2))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the ends the bound is the share itself, but for rounding.
    return (
        0.0 if share <= 0 else max(0.0, middle - half),
        1.0 if share >= 1 else min(1.0, middle + half),
    )


def share_interval(
    which: npt.NDArray[Any],
    weight: npt.NDArray[np.float64],
    frequency_weights: bool = False,
    confidence: float = 0.95,
) -> Interval:
    """Return the interval of the weighted share of some rows."""
    total = float(weight.sum())
    share = float(weight @ which) / total
    if frequency_weights or bool(np.all(weight == weight[0])):
        return wilson(share, total if frequency_weights else len(weight), confidence)
    n = total**2 / float(weight @ weight)
    variance = float(((weight / total * (which - share)) ** 2).sum())
    if 0 < share < 1 and n > 1 and variance > 0:
        n = min(share * (1 - share) / variance * (n - 1) / n, len(weight))
    return wilson(share, n, confidence)


def mean_interval(
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
    n: float,
    confidence: float = 0.95,
    frequency_weights: bool = False,
    tail: float = 0.0,
) -> Interval:
    """Return the interval of a weighted mean, allowing for skewness; infinite for one row."""
    total = float(weight.sum())
    mean = float((weight * values).sum() / total)
    if frequency_weights:  # of a row that counts k times, what it adds each time
        times = weight * (n / total)
        return estimate_interval(mean, (values - mean) / n, n, confidence, times, tail)
    return estimate_interval(mean, weight / total * (values - mean), n, confidence, tail=tail)


def estimate_interval(
    value: float,
    each: npt.NDArray[np.float64],
    n: float,
    confidence: float = 0.95,
    times: npt.NDArray[np.float64] | float = 1.0,
    tail: float = 0.0,
) -> Interval:
    """Return the interval of an estimate to which each row, `times` over, adds its part.

    With T the t statistic and k its skewness (g / sqrt(n) for a mean, at most 1 in size),
    T + k T^2 / 3 + k^2 T^3 / 27 + k / 6 is free of skewness to second order (Hall 1992, On the
    removal of skewness by transformation); its quantiles are turned back. That of the long tail is
    first multiplied by 1 + tail k^2: rows rarely hold the extremes of a heavy tail, and then
    neither spread nor skewness shows them. Light tails have a small k and keep their interval.
    """
    from scipy.special import stdtrit

    if n <= 1:
        return -math.inf, math.inf
    spread = math.sqrt(float((times * each**2).sum()))
    if spread == 0:
        return value, value
    error = spread * math.sqrt(n / (n - 1))
    k = float((times * (each / spread) ** 3).sum())
    t = float(stdtrit(n - 1, 0.5 + confidence / 2))
    far = t * (1.0 + tail * k * k)
    below, above = (far, t) if k < 0 else (t, far)
    return value - error * _turned_back(below, k), value - error * _turned_back(-above, k)


def bca_interval(
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
    frequency_weights: bool = False,
    confidence: float = 0.95,
) -> Interval:
    """Return the BCa bootstrap interval of a weighted mean (corrects bias and skewness)."""
    from scipy.special import ndtr, ndtri

    total = float(weight.sum())
    mean = float(weight @ values) / total
    away = values - mean
    sums = resampled_sums(np.stack([np.ones_like(values), away], 1), weight, frequency_weights)
    means = sums[:, 1] / np.where(sums[:, 0] > 0, sums[:, 0], 1.0)
    noise = 1e-12 * float(np.abs(away).max(initial=0.0))
    below = np.mean(means < -noise) + 0.5 * np.mean(np.abs(means) <= noise)
    bias = float(ndtri(np.clip(below, 1 / (len(means) + 1), 1 - 1 / (len(means) + 1))))
    each = weight if frequency_weights else weight**2
    cubes = weight if frequency_weights else weight**3
    spread = float(each @ away**2)
    skew = float(cubes @ away**3) / (6 * spread**1.5) if spread > 0 else 0.0
    z = float(ndtri(0.5 + confidence / 2))
    at = [float(ndtr(bias + (bias + q) / (1 - skew * (bias + q)))) for q in (-z, z)]
    low, high = np.quantile(means, at)
    return mean + float(low), mean + float(high)


def _turned_back(t: float, k: float) -> float:
    """Solve x + k x^2 / 3 + k^2 x^3 / 27 + k / 6 = t for x."""
    if abs(k) < 1e-8:
        return t
    return 3.0 / k * (float(np.cbrt(1.0 + k * (t - k / 6.0))) - 1.0)
