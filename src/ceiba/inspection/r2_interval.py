"""The interval of R2 by a studentised bootstrap.

R2 = 1 - r, r = MSE / variance: a ratio whose top and bottom share their extreme rows, so that its
estimate is skewed beyond what one skewness captures. Each resample has its own ratio r* and
standard error s*, from the linearised residuals (e^2 - r* (y - m*)^2) / v*; the quantiles of
(r* - r) / s* take the place of Student's (Efron 1979; Hall 1988). All sums that this needs are
moments, so 999 resamples are one matrix product. The seed is fixed: the same rows, the same bounds.
Under heavy tails a sample has too few of the largest errors, so the lower bound is moved down.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ceiba.inspection.intervals import HEAVY_TAIL, Interval, mean_interval
from ceiba.inspection.resampling import resampled_sums

Array = npt.NDArray[np.float64]

# Above this number of rows resampling would take more than a tenth of a second.
_ROWS: Final = 5_000


def r2_interval(
    square: Array,
    truth: Array,
    weight: Array,
    n: float,
    *,
    frequency_weights: bool = False,
    confidence: float = 0.95,
) -> Interval:
    """Return the interval of R2."""
    total = float(weight.sum())
    away = truth - float(weight @ truth) / total
    # In units of the target, so that fourth powers neither overflow nor vanish.
    unit = float(np.abs(away).max()) or 1.0
    away, square = away / unit, square / unit / unit
    mixed = [square**2, square * away, square * away**2]
    moments = np.stack([np.ones_like(away), square, away, away**2, *mixed, away**3, away**4], 1)
    ratio, error = (figure[0] for figure in _ratios((weight @ moments)[None], n))
    if not np.isfinite(ratio) or n <= 1:
        return -np.inf, 1.0
    if len(truth) > _ROWS:
        spread = away**2
        linear = (square - ratio * spread) / float(weight @ spread / total)
        low, high = mean_interval(linear, weight, n, confidence, frequency_weights, HEAVY_TAIL)
        return 1.0 - ratio - high, min(1.0 - ratio - low, 1.0)
    ratios, errors = _ratios(resampled_sums(moments, weight, frequency_weights), n)
    usable = errors > 0
    if not usable.any():
        return 1.0 - ratio, 1.0 - ratio
    student = (ratios[usable] - ratio) / errors[usable]
    tail = (1 - confidence) / 2
    low, high = np.quantile(student, [tail, 1 - tail])
    share = weight / total
    off = square - float(share @ square)
    second, third = (
        float(share @ off**power / n ** (power - 1))
        if frequency_weights
        else float(((share * off) ** power).sum())
        for power in (2, 3)
    )
    skew = third / second**1.5 if second > 0 else 0.0
    low *= 1.0 + HEAVY_TAIL * skew**2
    return float(1.0 - ratio + low * error), float(min(1.0 - ratio + high * error, 1.0))


def _ratios(sums: Array, n: float) -> tuple[Array, Array]:
    """Return MSE over variance and its standard error, from sums over rows of their moments."""
    with np.errstate(divide="ignore", invalid="ignore"):
        _, s, y, yy, ss, sy, syy, y3, y4 = (sums / sums[:, :1]).T
        variance = yy - y**2
        ratio = s / variance
        # Moments about the mean of the resample.
        s_around = syy - 2 * y * sy + y**2 * s
        fourth = y4 - 4 * y * y3 + 6 * y**2 * yy - 3 * y**4
        residual = (ss - 2 * ratio * s_around + ratio**2 * fourth) / variance**2
        error = np.sqrt(np.maximum(residual, 0.0) / n)
    fair = variance > 0
    return np.where(fair, ratio, np.nan), np.where(fair, error, 0.0)
