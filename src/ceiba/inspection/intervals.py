"""Confidence intervals of shares, means and ratios, from their textbook formulas.

wilson: share k/n (Wilson 1927), good also for 0 errors and small n. mean: Student's t of the mean,
corrected for skewness by Hall's (1992) cubic transformation, without resampling; it covers better
than the BCa and the studentised bootstrap on costs and squared errors (docs/numbers.md has the
figures). r2: the ratio of two means, linearised (delta method). `n` may be an effective number of
rows.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["mean_interval", "wilson"]

Interval = tuple[float, float]


def wilson(share: float, n: float, confidence: float = 0.95) -> Interval:
    """Give Wilson's interval of a share observed on n rows.

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


def mean_interval(
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
    n: float,
    confidence: float = 0.95,
) -> Interval:
    """Give the interval of a weighted mean, allowing for skewness; infinite when there is one row.

    With T the t statistic, g the skewness and k = g / sqrt(n), the cube
    T + k T^2 / 3 + k^2 T^3 / 27 + k / 6 is free of skewness to second order (Hall 1992, On the
    removal of skewness by transformation); its quantiles are turned back.

    Examples
    --------
    >>> import numpy as np
    >>> from ceiba.inspection.intervals import mean_interval
    >>> values = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 8.0, 0.0, 1.0, 0.0, 0.0])
    >>> [round(bound, 2) for bound in mean_interval(values, np.ones(10), 10.0)]
    [0.15, 7.11]
    """
    from scipy.special import stdtrit

    total = float(weight.sum())
    mean = float((weight * values).sum() / total)
    if n <= 1:
        return -math.inf, math.inf
    away = values - mean
    spread = float((weight * away**2).sum() / total)
    if spread == 0:
        return mean, mean
    error = math.sqrt(spread / (n - 1))
    k = float((weight * (away / math.sqrt(spread)) ** 3).sum() / total) / math.sqrt(n)
    t = float(stdtrit(n - 1, 0.5 + confidence / 2))
    return mean - error * _turned_back(t, k), mean - error * _turned_back(-t, k)


def _turned_back(t: float, k: float) -> float:
    """Solve x + k x^2 / 3 + k^2 x^3 / 27 + k / 6 = t for x."""
    if abs(k) < 1e-8:
        return t
    return 3.0 / k * (float(np.cbrt(1.0 + k * (t - k / 6.0))) - 1.0)
