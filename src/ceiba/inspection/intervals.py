"""Confidence intervals of shares, means and ratios, from their textbook formulas.

wilson: share k/n (Wilson 1927), good also for 0 errors and small n. mean: Student's t. r2: the
ratio of two means, linearised (delta method). `n` may be an effective number of rows.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

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


def mean_interval(
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
    n: float,
    confidence: float = 0.95,
) -> Interval:
    """Return Student's interval of a weighted mean; infinite when there is one row."""
    from scipy.special import stdtrit

    mean = float((weight * values).sum() / weight.sum())
    if n <= 1:
        return -math.inf, math.inf
    variance = float((weight * (values - mean) ** 2).sum() / weight.sum()) * n / (n - 1)
    half = float(stdtrit(n - 1, 0.5 + confidence / 2)) * math.sqrt(variance / n)
    return mean - half, mean + half


def effective_rows(weight: npt.NDArray[np.float64] | None, n_rows: int, counts: bool) -> float:
    """Return the number of rows that weights are worth: their sum if they count, else Kish's."""
    if weight is None:
        return float(n_rows)
    total = float(weight.sum())
    return total if counts else total * total / float((weight * weight).sum())
