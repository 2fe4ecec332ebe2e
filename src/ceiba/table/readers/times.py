"""Convert dates, datetimes, durations and times of day to seconds in float64.

Dates and datetimes count from 1970-01-01 (UTC for those with a time zone), so a polars date column
and a pandas datetime column at midnight are the same numbers. float64 seconds resolve microseconds
until the year 2242; finer parts are rounded, with a warning.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataError, DataTypeError, DataWarning
from ceiba.table.schema import Display

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = 86400
DATE_TYPES = (datetime.date, np.datetime64)
CLOCK_TYPES = (datetime.time,)
SPAN_TYPES = (datetime.timedelta, np.timedelta64)
TIME_TYPES = (*DATE_TYPES, *CLOCK_TYPES, *SPAN_TYPES)


def to_seconds(
    name: str, values: NDArray[Any], *, zoned: bool = False
) -> tuple[NDArray[np.float64], Display]:
    """Convert datetime64 or timedelta64 values to seconds, and return them with a display type."""
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
            f"Column {name!r}: nanoseconds are rounded to microseconds, because times are stored "
            "as float64 seconds. Pass integers if the difference matters.",
            DataWarning,
            stacklevel=2,
        )
    # Divide whole seconds and their fraction separately, to round only once.
    numbers = ticks // per_second + (ticks % per_second) / per_second
    display: Display = "duration"
    if values.dtype.kind == "M":
        at_midnight = not zoned and not (ticks % (_DAY * per_second)).any()
        display = "date" if at_midnight else "datetime"
    numbers[missing] = np.nan
    return numbers, display


def objects_to_seconds(name: str, values: Sequence[Any]) -> tuple[NDArray[np.float64], Display]:
    """Convert Python dates, datetimes, times of day or durations (None is missing) to seconds."""
    present = [value for value in values if value is not None]
    if all(isinstance(value, datetime.time) for value in present):
        numbers = [np.nan if value is None else _since_midnight(value) for value in values]
        return np.array(numbers), "duration"
    kind = "m8" if isinstance(present[0], SPAN_TYPES) else "M8"
    nat = np.array("NaT", dtype=f"{kind}[us]")[()]
    zoned = any(getattr(value, "tzinfo", None) is not None for value in present)
    plain = [nat if value is None else _to_utc(value) for value in values]
    return to_seconds(name, np.array(plain, dtype=f"{kind}[us]"), zoned=zoned)


def start_of_period(period: Any) -> np.datetime64:
    """Return the start of a pandas Period, which may be beyond the range of a Timestamp."""
    first = period.asfreq("s", how="start")
    day = datetime.datetime(first.year, first.month, first.day)
    return np.datetime64(day, "us") + np.timedelta64(
        first.hour * 3600 + first.minute * 60 + first.second, "s"
    )


def find_zone(name: str, values: Sequence[Any]) -> str | None:
    """Return the time zone of datetimes, "UTC" if they have several, or None without one."""
    moments = [value for value in values if isinstance(value, datetime.datetime)]
    zones = {value.tzinfo for value in moments}
    if zones <= {None}:
        return None
    if None in zones or len(moments) < sum(value is not None for value in values):
        raise DataTypeError(
            f"Column {name!r} mixes times with and without a time zone. Set a time zone for all."
        )
    names = {str(getattr(zone, "key", zone)) for zone in zones}
    return names.pop() if len(names) == 1 else "UTC"


def parse_iso_dates(name: str, texts: Sequence[str]) -> tuple[NDArray[np.float64], str | None]:
    """Convert ISO strings ("2024-05-01", "2024-05-01T12:00-05:00") to seconds and a time zone."""
    moments = []
    for text in texts:
        try:
            moments.append(datetime.datetime.fromisoformat(text.strip()))
        except ValueError:
            raise DataError(
                f"Column {name!r}: {text!r} is not a date. Write dates as 2024-05-01 or "
                "2024-05-01T12:00:00, or pass date objects."
            ) from None
    zone = find_zone(name, moments)
    values, _ = objects_to_seconds(name, moments)
    return values, zone


def _since_midnight(time: datetime.time) -> float:
    return time.hour * 3600 + time.minute * 60 + time.second + time.microsecond / 1e6


def _to_utc(value: Any) -> Any:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return np.datetime64(value, "us") if isinstance(value, datetime.date) else value
