"""Compute confidence intervals of shares, means and ratios.

wilson: share k/n (Wilson 1927), valid for 0 errors and small n. share: Wilson's interval for
weighted rows, with n chosen so that p (1 - p) / n is the variance of the weighted share (Korn and
Graubard 1998). mean: Student's t, corrected for skewness by Hall's (1992) cubic transformation. It
needs no resampling and has better coverage for squared errors than the BCa and the studentized
bootstrap. estimate: Hall's interval of any sum of row contributions, such as AUC. bca: the mean of
few distinct values such as costs, where its coverage is best (Efron 1987). docs/numbers.md has the
figures. `n` may be an effective sample size. The seed of resamples is fixed.

The variance of a weighted mean is sum w^2 (x - mean)^2 / (sum w)^2. It exceeds the one implied by
the effective sample size if heavy rows are far from the mean.

r2: R2 = 1 - r with r = MSE / variance. Numerator and denominator share their extreme rows, so the
ratio is more skewed than Hall's correction allows for. Each resample has a ratio r* and a standard
error s*, from the linearized residuals (e^2 - r* (y - m*)^2) / v*; the quantiles of (r* - r) / s*
replace Student's (Efron 1979; Hall 1988). All sums are moments, so 999 resamples are one matrix
product. With heavy tails a sample has too few of the largest errors, so the lower bound is lowered.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError
from ceiba.words import words

Array = npt.NDArray[np.float64]
Interval = tuple[float, float]

# The tail corrections for errors and bounded metrics come from simulations (docs/numbers.md).
HEAVY_TAIL: Final = 2.5
BOUNDED_TAIL: Final = 1.5
_MAX_BOOTSTRAP_ROWS: Final = 5_000  # number of rows above which resampling takes more than 0.1 s
_RESAMPLES: Final = 999
_MAX_CELLS: Final = 4_000_000


def has_too_few_rows(n_rows: int, n_effective: float) -> bool:
    """Whether intervals of means and scores may have less than their nominal coverage."""
    # Example: 200 rows with exponential weights have an effective sample size of about 100.
    return n_rows < 200 or n_effective < 80


def interval_label(confidence: float, approximate: bool, lang: str = "en") -> str:
    """Return the label of intervals, such as "95 % intervals"."""
    key = "evaluate.intervals_approximate" if approximate else "evaluate.intervals"
    return words(lang)(key, level=f"{100 * confidence:.0f} %")


def wilson(share: float, n: float, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval of a share observed on n rows."""
    from scipy.special import ndtri  # imported here, so that `ceiba.impurity` loads fast

    if not n > 0:
        return 0.0, 1.0
    z = float(ndtri(0.5 + confidence / 2))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # If the share is 0 or 1, one bound equals it exactly, despite rounding errors.
    return (
        0.0 if share <= 0 else max(0.0, middle - half),
        1.0 if share >= 1 else min(1.0, middle + half),
    )


def share_interval(
    mask: npt.NDArray[Any],
    weight: Array,
    frequency_weights: bool = False,
    confidence: float = 0.95,
) -> Interval:
    """Return the confidence interval of a weighted share of rows."""
    total = float(weight.sum())
    share = float(weight @ mask) / total
    if frequency_weights or bool(np.all(weight == weight[0])):
        return wilson(share, total if frequency_weights else len(weight), confidence)
    n = total**2 / float(weight @ weight)  # Kish's effective sample size
    variance = float(((weight / total * (mask - share)) ** 2).sum())
    if 0 < share < 1 and n > 1 and variance > 0:
        n = min(share * (1 - share) / variance * (n - 1) / n, len(weight))
    return wilson(share, n, confidence)


def mean_interval(
    values: Array,
    weight: Array,
    n: float,
    confidence: float = 0.95,
    frequency_weights: bool = False,
    tail: float = 0.0,
) -> Interval:
    """Return the confidence interval of a weighted mean, corrected for skewness."""
    total = float(weight.sum())
    mean = float((weight * values).sum() / total)
    if frequency_weights:  # a row with frequency k contributes k times
        times = weight * (n / total)
        return estimate_interval(mean, (values - mean) / n, n, confidence, times, tail)
    return estimate_interval(mean, weight / total * (values - mean), n, confidence, tail=tail)


def estimate_interval(
    value: float,
    each: Array,
    n: float,
    confidence: float = 0.95,
    times: Array | float = 1.0,
    tail: float = 0.0,
) -> Interval:
    """Return the confidence interval of an estimate to which each row contributes one term."""
    from scipy.special import stdtrit

    # Let T be the t statistic and k the skewness of the estimate, with |k| <= 1 (for a mean, the
    # skewness of the values / sqrt(n)). Then T + k T^2 / 3 + k^2 T^3 / 27 + k / 6 has no skewness
    # to second order (Hall 1992, On the removal of skewness by transformation), and Student's
    # quantiles are transformed back. The quantile of the longer tail is multiplied by
    # 1 + `tail` * k^2, because spread and skewness miss extremes that a sample rarely contains.
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
    return value - error * _invert_skewness(below, k), value - error * _invert_skewness(-above, k)


def bca_interval(
    values: Array, weight: Array, frequency_weights: bool = False, confidence: float = 0.95
) -> Interval:
    """Return the BCa bootstrap interval (corrected for bias and skewness) of a weighted mean."""
    from scipy.special import ndtr, ndtri

    total = float(weight.sum())
    mean = float(weight @ values) / total
    away = values - mean
    sums = bootstrap_sums(np.stack([np.ones_like(values), away], 1), weight, frequency_weights)
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


def _invert_skewness(t: float, k: float) -> float:
    """Invert Hall's transformation: return x with x + k x^2 / 3 + k^2 x^3 / 27 + k / 6 = t."""
    if abs(k) < 1e-8:
        return t
    return 3.0 / k * (float(np.cbrt(1.0 + k * (t - k / 6.0))) - 1.0)


def r2_interval(
    square: Array,
    truth: Array,
    weight: Array,
    n: float,
    *,
    frequency_weights: bool = False,
    confidence: float = 0.95,
) -> Interval:
    """Return the confidence interval of R2."""
    total = float(weight.sum())
    away = truth - float(weight @ truth) / total
    # Scale by the largest deviation, so that fourth powers neither overflow nor underflow.
    unit = float(np.abs(away).max()) or 1.0
    away, square = away / unit, square / unit / unit
    mixed = [square**2, square * away, square * away**2]
    moments = np.stack([np.ones_like(away), square, away, away**2, *mixed, away**3, away**4], 1)
    ratio, error = (figure[0] for figure in _ratios((weight @ moments)[None], n))
    if not np.isfinite(ratio) or n <= 1:
        return -np.inf, 1.0
    if len(truth) > _MAX_BOOTSTRAP_ROWS:  # resampling is slow: linearize the ratio instead
        spread = away**2
        linear = (square - ratio * spread) / float(weight @ spread / total)
        low, high = mean_interval(linear, weight, n, confidence, frequency_weights, HEAVY_TAIL)
        return 1.0 - ratio - high, min(1.0 - ratio - low, 1.0)
    ratios, errors = _ratios(bootstrap_sums(moments, weight, frequency_weights), n)
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
    """Return the ratio of MSE to variance, and its standard error, from sums of moments."""
    with np.errstate(divide="ignore", invalid="ignore"):
        _, s, y, yy, ss, sy, syy, y3, y4 = (sums / sums[:, :1]).T
        variance = yy - y**2
        ratio = s / variance
        # s_around and fourth are central moments, about the mean of the resample.
        s_around = syy - 2 * y * sy + y**2 * s
        fourth = y4 - 4 * y * y3 + 6 * y**2 * yy - 3 * y**4
        residual = (ss - 2 * ratio * s_around + ratio**2 * fourth) / variance**2
        error = np.sqrt(np.maximum(residual, 0.0) / n)
    fair = variance > 0
    return np.where(fair, ratio, np.nan), np.where(fair, error, 0.0)


def bootstrap_sums(moments: Array, weight: Array, frequency_weights: bool = False) -> Array:
    """Return the weighted column sums of `moments` in 999 resamples of the rows."""
    rng = np.random.default_rng(0)
    if frequency_weights and bool(np.all(weight == np.rint(weight))):
        counts = rng.multinomial(int(weight.sum()), weight / weight.sum(), _RESAMPLES)
        return np.asarray(counts.astype(np.float64) @ moments)
    rows, each, sums = len(weight), moments * weight[:, None], []
    left = _RESAMPLES
    while left > 0:
        batch = min(left, max(1, _MAX_CELLS // rows))
        sample = rng.integers(rows, size=(batch, rows)) + rows * np.arange(batch)[:, None]
        counts = np.bincount(sample.ravel(), minlength=batch * rows).reshape(batch, rows)
        sums.append(counts.astype(np.float64) @ each)
        left -= batch
    return np.concatenate(sums)


def correct_holm(p: Array) -> Array:
    """Correct p-values for multiple testing by Holm's method (1979); NaN stays NaN."""
    corrected = np.array(p)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factor = len(order) - np.arange(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factor), 1.0)
    return corrected


def split_held_out_rows(
    codes: npt.NDArray[Any] | None, n_rows: int, share: float, seed: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Split rows into training and held-out rows, stratified by `codes` if given."""
    order = np.random.default_rng(seed).permutation(n_rows)
    held_out = np.zeros(n_rows, bool)
    groups = [order]
    if codes is not None:
        strata = codes[order]
        groups = [order[strata == c] for c in np.unique(strata)]
    for group in groups:
        held_out[group[: round(share * len(group))]] = True
    if not held_out.any() or held_out.all():
        empty = "training" if held_out.all() else "held-out"
        raise DataError(
            f"Holding out {share} of {n_rows} rows leaves no {empty} rows. Pass another share."
        )
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
