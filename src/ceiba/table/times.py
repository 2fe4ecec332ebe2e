"""Dates, datetimes, durations and times of day as numbers: seconds, in float64.

Dates and datetimes count from 1970-01-01 (UTC for those with a time zone), so a date column of
polars and a midnight datetime column of pandas are the same numbers. float64 seconds tell
microseconds apart until the year 2242; finer parts are rounded, with a warning.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataWarning
from ceiba.table.schema import Display

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = 86400


def seconds(
    name: str, values: NDArray[Any], *, zoned: bool = False
) -> tuple[NDArray[np.float64], Display]:
    """Turn datetime64 or timedelta64 values into seconds and say how to show them.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    values : ndarray of datetime64 or timedelta64
        NaT is missing.
    zoned : bool
        Whether the values had a time zone: then midnight in UTC does not make them dates.

    Examples
    --------
    >>> seconds("day", np.array(["1970-01-02", "NaT"], dtype="datetime64[D]"))
    (array([86400.,    nan]), 'date')
    """
    unit, step = np.datetime_data(values.dtype)
    if unit not in _PER_SECOND or step != 1:
        finest = "ns" if unit in ("ps", "fs", "as") else "s"
        values = values.astype(f"{values.dtype.kind}8[{finest}]")
        unit = finest
    missing = np.isnat(values)
    ticks = values.astype(np.int64)
    ticks = np.where(missing, 0, ticks)
    per_second = _PER_SECOND[unit]
    if unit == "ns" and (ticks % 1000).any():
        warnings.warn(
            f"Column {name!r}: nanoseconds are rounded: times are kept as float64 seconds, which "
            "tell microseconds apart. Use integers if the difference matters.",
            DataWarning,
            stacklevel=2,
        )
    # Whole seconds and their fraction apart: one division of large ticks would round twice.
    numbers = ticks // per_second + (ticks % per_second) / per_second
    display: Display = "duration"
    if values.dtype.kind == "M":
        at_midnight = not zoned and not (ticks % (_DAY * per_second)).any()
        display = "date" if at_midnight else "datetime"
    numbers[missing] = np.nan
    return numbers, display
