"""Dates and times as seconds, and back to text."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ceiba.errors import DataWarning
from ceiba.table import read
from ceiba.table.display import format_value

UTC_NOON = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
PARIS = dt.timezone(dt.timedelta(hours=2))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "m", "h", "D"])
def test_datetime_of_any_unit_gives_seconds(unit: str) -> None:
    X = {"t": np.array(["2024-05-01"], dtype=f"datetime64[{unit}]")}
    assert read(X).columns[0].values[0] == 1714521600


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_pandas_datetime_of_any_unit_gives_seconds(unit: str) -> None:
    X = pd.DataFrame({"t": pd.to_datetime(["2024-05-01T12:00"]).as_unit(unit)})
    assert read(X).columns[0].values[0] == 1714564800


@pytest.mark.parametrize(
    "X",
    [
        {"t": [UTC_NOON.astimezone(PARIS)]},
        pd.DataFrame({"t": pd.to_datetime([UTC_NOON]).tz_convert("Europe/Paris")}),
        pl.DataFrame({"t": [UTC_NOON]}).with_columns(
            pl.col("t").dt.convert_time_zone("Asia/Tokyo")
        ),
        pa.table({"t": pa.array([UTC_NOON], pa.timestamp("us", "America/Lima"))}),
    ],
    ids=["dict", "pandas", "polars", "pyarrow"],
)
def test_datetime_with_zone_is_the_instant_in_utc(X: Any) -> None:
    table = read(X)
    assert table.columns[0].values[0] == UTC_NOON.timestamp()
    assert table.schema.columns[0].display == "datetime"


def test_midnights_without_zone_are_dates() -> None:
    X = pd.DataFrame({"t": pd.to_datetime(["2024-05-01", None, "2024-05-03"])})
    assert read(X).schema.columns[0].display == "date"


def test_midnights_with_zone_are_datetimes() -> None:
    X = pd.DataFrame({"t": pd.to_datetime(["2024-05-01"]).tz_localize("UTC")})
    assert read(X).schema.columns[0].display == "datetime"


def test_microseconds_are_told_apart() -> None:
    X = {"t": np.array(["2024-05-01T00:00:00.000001", "2024-05-01T00:00:00.000002"], "M8[us]")}
    first, second = read(X).columns[0].values
    assert first < second


def test_nanoseconds_warn() -> None:
    X = {"t": np.array([1], dtype="datetime64[ns]")}
    with pytest.warns(DataWarning, match="Column 't': nanoseconds are rounded"):
        read(X)


def test_dates_before_1970_are_negative() -> None:
    assert read({"t": [dt.date(1969, 12, 31)]}).columns[0].values[0] == -86400


def test_times_of_polars_are_seconds_since_midnight() -> None:
    table = read(pl.DataFrame({"t": [dt.time(0, 1), None]}))
    assert table.columns[0].values[0] == 60
    assert table.schema.columns[0].display == "duration"


@pytest.mark.parametrize(
    ("number", "display", "text"),
    [
        (2.5, "number", "2.5"),
        (1.0, "boolean", "yes"),
        (0.0, "boolean", "no"),
        (0.5, "boolean", "0.5"),
        (0.0, "date", "1970-01-01"),
        (43200.0, "date", "1970-01-01T12:00:00"),
        (-86400.0, "date", "1969-12-31"),
        (1.5, "datetime", "1970-01-01T00:00:01.500000"),
        (90.0, "duration", "0:01:30"),
        (float("nan"), "number", "missing"),
        (1e300, "date", "1e+300"),
        (float("inf"), "datetime", "inf"),
    ],
)
def test_show_number_writes_what_people_read(number: float, display: Any, text: str) -> None:
    assert format_value(number, display) == text
