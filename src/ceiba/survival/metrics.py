"""Evaluate predicted survival by concordance, Brier score and calibration.

A pair of rows is comparable if the one with the shorter time had the event; at equal times, if only
one of them had it. It is concordant if the row with the earlier event had the higher risk; equal
risks count one half. Harrell's C (1982) is the share of concordant pairs; Uno's C (2011) weights a
pair by 1 / G(t)^2, with t its shorter time and G the curve of the time to censoring in the training
rows, so it does not depend on the censoring. The Brier score (Graf et al. 1999) at t is the mean of

    S(t)^2 / G(time)       if the event occurred up to t
    (1 - S(t))^2 / G(t)    if the row was observed beyond t
    0                      if it was censored before

A concordance with a horizon counts only events before it. It is a ratio of sums over pairs. The
contributions of rows are its linear terms: they sum to 0, and their spread is its standard error.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.survival.curve import SurvivalCurve
from ceiba.survival.rows import Array, read_rows

_MAX_CELLS: Final = 2_000_000  # maximum number of rows times distinct risks in a block
_MIN_AT_RISK: Final = 0.1  # minimum share of rows at risk at the default horizon


class Concordance(NamedTuple):
    """A concordance index with the weight of each kind of pair and the contributions of rows.

    Examples
    --------
    >>> from ceiba.survival import concordance
    >>> concordance([1, 2, 3], [1, 1, 0], [3.0, 1.0, 2.0]).value
    0.6666666666666666
    """

    value: float
    concordant: float
    discordant: float
    tied: float
    contributions: Array


class BrierScores(NamedTuple):
    """Brier scores at given times, their mean over time, and this mean for each row.

    Examples
    --------
    >>> from ceiba.survival import SurvivalCurve, brier_scores
    >>> time, event = [1, 2, 3, 4], [1, 1, 0, 1]
    >>> curve = SurvivalCurve.from_rows(time, event)
    >>> censoring = SurvivalCurve.of_censoring(time, event)
    >>> brier_scores(time, event, [curve([1, 2, 3])], [1, 2, 3], censoring, [0, 0, 0, 0]).integrated
    0.234375
    """

    times: Array
    scores: Array
    integrated: float
    contributions: Array


class CalibrationGroup(NamedTuple):
    """Predicted and observed survival of rows with similar predictions at one time.

    Examples
    --------
    >>> from ceiba.survival import calibration
    >>> calibration([1, 2, 3, 4], [1, 1, 0, 1], [0.4, 0.4, 0.7, 0.7], 2.0)[0].observed
    0.0
    """

    time: float
    n_rows: int
    predicted: float
    observed: float
    low: float
    high: float


def default_horizon(time: npt.ArrayLike, event: npt.ArrayLike) -> float:
    """Return the last event time at which at least 10 % of the rows (rounded) are at risk.

    Parameters
    ----------
    time, event : array-like of shape (n_rows,)

    Examples
    --------
    >>> from ceiba.survival import default_horizon
    >>> default_horizon(range(1, 101), [1] * 100)
    91.0
    """
    times, is_event, _ = read_rows(time, event)
    ordered = np.sort(times)
    last = ordered[len(ordered) - max(1, round(_MIN_AT_RISK * len(ordered)))]
    inside = times[is_event & (times <= last)]
    if not len(inside) or not inside.max() > 0:
        raise DataError(
            "The default horizon requires an event after time 0 with at least a tenth of the rows "
            "at risk. Pass horizon=t, where t is the last time to evaluate."
        )
    return float(inside.max())


def concordance(
    time: npt.ArrayLike,
    event: npt.ArrayLike,
    risk: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None = None,
    *,
    censoring: SurvivalCurve | None = None,
    horizon: float | None = None,
) -> Concordance:
    """Return Harrell's C, or Uno's C if a censoring curve is passed.

    Parameters
    ----------
    time, event : array-like of shape (n_rows,)
    risk : array-like of shape (n_rows,)
        Predicted risk: higher means an earlier event.
    sample_weight : array-like of shape (n_rows,), optional
        The weight of a pair is the product of the weights of its rows.
    censoring : SurvivalCurve, optional
        `SurvivalCurve.of_censoring` of the training rows.
    horizon : float, optional
        Only pairs whose event occurs before the horizon count.

    Returns
    -------
    Concordance

    Examples
    --------
    >>> from ceiba.survival import SurvivalCurve, concordance
    >>> time, event, risk = [1, 2, 3, 4], [1, 0, 1, 1], [4.0, 3.0, 1.0, 2.0]
    >>> concordance(time, event, risk).value
    0.75
    >>> censoring = SurvivalCurve.of_censoring(time, event)
    >>> concordance(time, event, risk, censoring=censoring).value
    0.5714285714285714
    """
    times, is_event, weight = read_rows(time, event, sample_weight)
    score = np.asarray(risk, dtype=np.float64)
    if score.shape != times.shape or np.isnan(score).any():
        got = f"shape {score.shape} and {np.isnan(score).sum()} NaN"
        raise DataError(f"risk must have {len(times)} values and no NaN, got {got}.")
    comparable = is_event & (weight > 0)
    if horizon is not None:
        comparable &= times < horizon
    first = np.where(comparable, weight, 0.0)  # weight of the row if its event comes first
    if censoring is not None:
        g = censoring(times)
        if (g[comparable] <= 0).any():
            last = times[comparable & (g <= 0)].min()
            raise DataError(f"censoring is 0 at event time {last}. Pass horizon={last} or less.")
        first[comparable] /= g[comparable] ** 2
    # Events are comparable with all rows of higher rank. At equal times, censored rows rank last.
    _, rank = np.unique(times, return_inverse=True)
    rank = 2 * rank + ~is_event
    levels, level = np.unique(score, return_inverse=True)
    later, below, level_tied = _sums_after(rank, level, weight, first > 0, len(levels))
    earlier, above, earlier_tied = _sums_after(-rank, -level, first, weight > 0, len(levels))
    total = float(first @ later)
    if not total > 0:
        raise DataError("No pair of rows is comparable: no event precedes the time of another row.")
    value = float(first @ (below + level_tied / 2)) / total
    each = first * (below + level_tied / 2 - value * later)
    each += weight * (above + earlier_tied / 2 - value * earlier)
    tied = float(first @ level_tied)
    concordant = float(first @ below)
    return Concordance(value, concordant, total - concordant - tied, tied, each / total)


def _sums_after(
    rank: npt.NDArray[np.intp],
    level: npt.NDArray[np.intp],
    weight: Array,
    asked: npt.NDArray[np.bool_],
    n_levels: int,
) -> tuple[Array, Array, Array]:
    """Return for each row the total weight of higher-ranked rows: all, lower level, same level."""
    level = level - level.min(initial=0)
    order = np.argsort(-rank, kind="stable")
    sums = np.zeros((3, len(rank)))
    level_total = np.zeros(n_levels)  # total weight of the processed rows by level of risk
    size = max(1, _MAX_CELLS // n_levels)
    start = 0
    while start < len(order):
        stop = min(start + size, len(order))
        while stop < len(order) and rank[order[stop]] == rank[order[stop - 1]]:
            stop += 1  # keep rows of equal rank in the same block
        block = order[start:stop]
        table = np.zeros((len(block) + 1, n_levels))
        table[np.arange(1, len(block) + 1), level[block]] = weight[block]
        table[0] = level_total
        np.cumsum(table, axis=0, out=table)
        level_total = table[-1].copy()
        # For each row, count the rows of the block with a higher rank (ranks descend).
        before = np.searchsorted(-rank[block], -rank[block], side="left")
        ask = asked[block]
        totals = table[before[ask]]
        at = level[block][ask][:, None]
        sums[2, block[ask]] = np.take_along_axis(totals, at, axis=1)[:, 0]
        np.cumsum(totals, axis=1, out=totals)
        sums[0, block[ask]] = totals[:, -1]
        sums[1, block[ask]] = np.take_along_axis(totals, at, axis=1)[:, 0] - sums[2, block[ask]]
        start = stop
    return sums[0], sums[1], sums[2]


def brier_scores(
    time: npt.ArrayLike,
    event: npt.ArrayLike,
    survival: npt.ArrayLike,
    times: npt.ArrayLike,
    censoring: SurvivalCurve,
    group: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> BrierScores:
    """Return censoring-weighted Brier scores at the given times, and their mean over time.

    Parameters
    ----------
    time, event : array-like of shape (n_rows,)
    survival : array-like of shape (n_rows, n_times) or (n_groups, n_times)
        Predicted S at each of the times.
    times : array-like of shape (n_times,)
        Ascending. The integrated score is the mean over time, by the trapezoidal rule.
    censoring : SurvivalCurve
        `SurvivalCurve.of_censoring` of the training rows.
    group : array-like of int of shape (n_rows,), optional
        Index into `survival` for each row, if rows share predictions.
    sample_weight : array-like of shape (n_rows,), optional

    Returns
    -------
    BrierScores

    Examples
    --------
    >>> from ceiba.survival import SurvivalCurve, brier_scores
    >>> time, event = [1, 2, 3, 4], [1, 1, 1, 1]
    >>> censoring = SurvivalCurve.of_censoring(time, event)
    >>> brier_scores(time, event, [[0.2], [0.5], [0.5], [0.8]], [2], censoring).scores.tolist()
    [0.14500000000000002]
    """
    observed, is_event, weight = read_rows(time, event, sample_weight)
    predicted = np.asarray(survival, dtype=np.float64)
    grid = np.asarray(times, dtype=np.float64)
    rows = np.arange(len(observed)) if group is None else np.asarray(group, dtype=np.intp)
    if grid.ndim != 1 or not len(grid) or (np.diff(grid) <= 0).any():
        raise OptionError("times must be a strictly ascending 1-d array with at least one entry.")
    if predicted.ndim != 2 or predicted.shape[1] != len(grid) or len(rows) != len(observed):
        raise DataError(
            f"survival must have {len(grid)} columns, one per time, and group must have "
            f"{len(observed)} entries, one per row, got shapes {predicted.shape} and {rows.shape}."
        )
    if rows.min() < 0 or rows.max() >= len(predicted):
        raise DataError(
            "survival must have a row for each index in group (by default, for each row of time), "
            f"got {len(predicted)} rows and indices from {rows.min()} to {rows.max()}."
        )
    span = grid[-1] - grid[0]
    # Weights of the trapezoidal rule. With a single time, the mean is the score at that time.
    share = np.ones(1)
    if len(grid) > 1:
        share = np.convolve(np.diff(grid), [0.5, 0.5]) / span
    uncensored = censoring(observed)
    row_weights = np.divide(1.0, uncensored, out=np.zeros(len(uncensored)), where=uncensored > 0)
    at_grid = censoring(grid)
    weights_at = np.divide(1.0, at_grid, out=np.zeros(len(grid)), where=at_grid > 0)
    scores, each = np.zeros(len(grid)), np.zeros(len(observed))
    total = float(weight.sum())
    for i, t in enumerate(grid):
        s = predicted[rows, i]
        loss = np.where(is_event & (observed <= t), s**2 * row_weights, 0.0)
        loss += np.where(observed > t, (1 - s) ** 2 * weights_at[i], 0.0)
        scores[i] = float(weight @ loss) / total
        each += share[i] * loss
    return BrierScores(grid, scores, float(share @ scores), each)


def calibration(
    time: npt.ArrayLike,
    event: npt.ArrayLike,
    survival: npt.ArrayLike,
    at: float,
    sample_weight: npt.ArrayLike | None = None,
    *,
    n_groups: int = 10,
    confidence: float = 0.95,
) -> list[CalibrationGroup]:
    """Compare survival predicted for one time with Kaplan-Meier estimates in groups of rows.

    Parameters
    ----------
    time, event : array-like of shape (n_rows,)
    survival : array-like of shape (n_rows,)
        Predicted S at time `at`.
    at : float
    sample_weight : array-like of shape (n_rows,), optional
    n_groups : int, default=10
        If there are more distinct predictions, rows are grouped by quantiles of them.
    confidence : float, default=0.95

    Returns
    -------
    list of CalibrationGroup
        By ascending prediction.

    Examples
    --------
    >>> from ceiba.survival import calibration
    >>> for group in calibration([1, 2, 3, 4, 5], [1, 0, 1, 1, 0], [0.5, 0.5, 0.5, 0.9, 0.9], 2.5):
    ...     print(group.predicted, round(group.observed, 3), group.n_rows)
    0.5 0.667 3
    0.9 1.0 2
    """
    times, is_event, weight = read_rows(time, event, sample_weight)
    s = np.asarray(survival, dtype=np.float64)
    if s.shape != times.shape:
        raise DataError(f"survival must have shape {times.shape}, got {s.shape}.")
    levels, level = np.unique(s, return_inverse=True)
    if len(levels) > n_groups:
        below = np.cumsum(np.bincount(level, weight, len(levels)))
        level = np.minimum((below / below[-1] * n_groups - 1e-9).astype(int), n_groups - 1)[level]
    groups = []
    for k in np.unique(level[weight > 0]):
        rows = level == k
        curve = SurvivalCurve.from_rows(times[rows], is_event[rows], weight[rows])
        observed, low, high = map(float, curve.survival_at(at, confidence))
        predicted = float(np.average(s[rows], weights=weight[rows]))
        groups.append(CalibrationGroup(at, int(rows.sum()), predicted, observed, low, high))
    return groups
