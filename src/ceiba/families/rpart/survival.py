"""method="exp": survival times scaled so that the overall hazard is 1, then a tree of rates.

The observed times are carried to the cumulative hazard of all rows (Nelson's estimate with a
constant rate between deaths, unweighted): after that, survival of the whole is exponential, and a
poisson tree of the deaths per unit of scaled time is rpart's survival tree (LeBlanc and Crowley
1992; section 8 of rpart's long introduction). Deaths closer than float64 can tell are one; of more
than 1000 death times 1001 quantiles are used, as in R.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError

Array = npt.NDArray[np.float64]

_MOST = 1000


def scaled_times(time: npt.ArrayLike, status: npt.ArrayLike) -> Array:
    """Carry observed times to the scale on which the overall hazard is 1."""
    t, died = _read(time, status)
    deaths = _distinct(np.unique(t[died == 1]))
    if len(deaths) > _MOST:
        deaths = np.quantile(deaths, np.arange(_MOST + 1) / _MOST)
    borders = np.concatenate(([0.0], deaths[:-1], [t.max()]))
    length = np.diff(borders)
    # The interval of each row: open to the left, as R's cut has it.
    interval = np.clip(np.searchsorted(borders, t, side="left") - 1, 0, len(length) - 1)
    n = len(length)
    rows = np.bincount(interval, minlength=n)
    later = rows.sum() - np.cumsum(rows)
    exposed = length * later + np.bincount(interval, t - borders[interval], n)
    events = np.bincount(interval, died, n)
    rate = np.divide(events, exposed, out=np.zeros(n), where=exposed > 0)
    hazard = np.concatenate(([0.0], np.cumsum(rate * length)))
    return np.interp(t, borders, hazard)


def _distinct(times: Array) -> Array:
    """Drop death times that differ from the one before by rounding only."""
    kept = [0]
    for i in range(1, len(times)):
        if times[i] - times[kept[-1]] > np.finfo(np.float64).eps * times[i]:
            kept.append(i)
    return times[kept]


def _read(time: npt.ArrayLike, status: npt.ArrayLike) -> tuple[Array, Array]:
    t, died = np.asarray(time, np.float64), np.asarray(status, np.float64)
    if not np.isfinite(t).all() or (t <= 0).any():
        row = int(np.argmin(np.where(np.isfinite(t), t, -1.0)))
        raise DataError(f"method='exp': row {row} has time {t[row]:g}. Times are above 0.")
    if not np.isin(died, (0.0, 1.0)).all():
        wrong = died[~np.isin(died, (0.0, 1.0))][0]
        raise DataError(
            "method='exp': status is 1 where the event happened, else 0 (or 2 and 1). Got "
            f"{wrong:g}. Write 'Surv(time, status == 2) ~ ...' for other codes."
        )
    if not died.any():
        raise DataError("method='exp': no row has status 1, so there is nothing to learn.")
    return t, died
