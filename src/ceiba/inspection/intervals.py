"""Confidence intervals of shares, means and ratios, from their textbook formulas.

wilson: share k/n (Wilson 1927), good also for 0 errors and small n. share: the same of weighted
rows, n chosen so that p (1 - p) / n is the variance of the weighted share (Korn and Graubard 1998).
mean: Student's t of the mean, corrected for skewness by Hall's (1992) cubic transformation, without
resampling, which covers squared errors better than the BCa and the studentised bootstrap. bca: the
mean of few different values such as costs, where it covers best (Efron 1987). docs/numbers.md has
the figures. `n` may be an effective number of rows.

A weighted mean varies by sum w^2 (x - mean)^2 / (sum w)^2: rows that weigh more and are further off
make it less certain than their effective number alone tells.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.inspection.resampling import resampled_sums

Interval = tuple[float, float]


def wilson(share: float, n: float, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval of a share observed on n rows.

    Examples
    --------
    >>> from ceiba.inspection.intervals import wilson
    >>> [round(bound, 4) for bound in wilson(0.0, 100)]
    [0.0, 0.037]
    """
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
    """Return the interval of the weighted share of some rows.

    Examples
    --------
    >>> import numpy as np
    >>> from ceiba.inspection.intervals import share_interval, wilson
    >>> which = np.array([True] * 10 + [False] * 90)
    >>> share_interval(which, np.ones(100)) == wilson(0.1, 100)
    True
    """
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
) -> Interval:
    """Return the interval of a weighted mean, allowing for skewness; infinite for one row.

    With T the t statistic, g the skewness and k = g / sqrt(n), the cube
    T + k T^2 / 3 + k^2 T^3 / 27 + k / 6 is free of skewness to second order (Hall 1992, On the
    removal of skewness by transformation); its quantiles are turned back.

    Examples
    --------
    >>> import numpy as np
    >>> from ceiba.inspection.intervals import mean_interval
    >>> values = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 8.0, 0.0, 1.0, 0.0, 0.0])
    >>> [round(bound, 2) for bound in mean_interval(values, np.ones(10), 10.0)]
    [-0.16, 6.82]
    """
    from scipy.special import stdtrit

    total = float(weight.sum())
    mean = float((weight * values).sum() / total)
    if n <= 1:
        return -math.inf, math.inf
    # What each row adds to the mean; of a row that counts k times, each time.
    each = (values - mean) / n if frequency_weights else weight / total * (values - mean)
    times = weight * (n / total) if frequency_weights else np.ones_like(weight)
    spread = math.sqrt(float((times * each**2).sum()))
    if spread == 0:
        return mean, mean
    error = spread * math.sqrt(n / (n - 1))
    k = float((times * (each / spread) ** 3).sum())
    t = float(stdtrit(n - 1, 0.5 + confidence / 2))
    return mean - error * _turned_back(t, k), mean - error * _turned_back(-t, k)


def bca_interval(
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
    frequency_weights: bool = False,
    confidence: float = 0.95,
) -> Interval:
    """Give the BCa interval of a weighted mean: bootstrap quantiles, moved for bias and skewness.

    Examples
    --------
    >>> import numpy as np
    >>> from ceiba.inspection.intervals import bca_interval
    >>> low, high = bca_interval(np.array([0.0, 1.0, 8.0]), np.array([90.0, 7.0, 3.0]), True)
    >>> bool(low < 0.31 < high)
    True
    """
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
