"""Columns of Python objects: kinds by the types of the values, missing marks, refused mixtures."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ceiba.errors import DataError, DataTypeError, DataWarning
from ceiba.table import Kind, read
from ceiba.table.readers.objects import objects_to_column

MISSING = [None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT, np.ma.masked]


@pytest.mark.parametrize("mark", [*MISSING, decimal.Decimal("NaN")], ids=repr)
def test_numbers_with_missing_mark_have_nan(mark: Any) -> None:
    column = objects_to_column("x", [1, mark, 2.5])
    assert np.array_equal(column.values, [1, np.nan, 2.5], equal_nan=True)


@pytest.mark.parametrize("mark", MISSING, ids=repr)
def test_texts_with_missing_mark_have_code_minus_one(mark: Any) -> None:
    column = objects_to_column("x", ["b", mark, "a"])
    assert column.info.levels == ("a", "b")
    assert column.values.tolist() == [1, -1, 0]


@pytest.mark.parametrize("mark", MISSING, ids=repr)
def test_booleans_with_missing_mark_stay_booleans(mark: Any) -> None:
    column = objects_to_column("x", [True, mark, False])
    assert column.info.display == "boolean"
    assert np.array_equal(column.values, [1, np.nan, 0], equal_nan=True)


@pytest.mark.parametrize("mark", [*MISSING, np.datetime64("NaT")], ids=repr)
def test_dates_with_missing_mark_have_nan(mark: Any) -> None:
    column = objects_to_column("x", [dt.date(1970, 1, 2), mark])
    assert np.array_equal(column.values, [86400, np.nan], equal_nan=True)
    assert column.info.display == "date"


@pytest.mark.parametrize(
    "values",
    [
        [1, 2.5],
        [np.int8(1), np.float64(2.5)],
        [True, 2.5],
        [decimal.Decimal(1), decimal.Decimal("2.5")],
        [fractions.Fraction(1), fractions.Fraction(5, 2)],
    ],
    ids=repr,
)
def test_numbers_of_any_type_are_numeric(values: list[Any]) -> None:
    column = objects_to_column("x", values)
    assert column.info.kind is Kind.NUMERIC
    assert column.info.display == "number"
    assert column.values.tolist() == [1, 2.5]


def test_empty_text_is_a_level() -> None:
    assert objects_to_column("x", ["", "a"]).info.levels == ("", "a")


def test_subclass_of_str_is_text() -> None:
    class Colour(enum.StrEnum):
        RED = "red"

    assert objects_to_column("x", [Colour.RED, "blue"]).info.levels == ("blue", "red")


def test_bytes_are_texts() -> None:
    assert objects_to_column("x", [b"b", "a"]).info.levels == ("a", "b")


def test_times_of_day_are_seconds_since_midnight() -> None:
    column = objects_to_column("x", [dt.time(1, 0, 1), None])
    assert column.info.display == "duration"
    assert column.values[0] == 3601


@pytest.mark.parametrize(
    "values",
    [[1, "a"], [True, "yes"], [dt.date(2020, 1, 1), 5], ["a", dt.date(2020, 1, 1)]],
    ids=repr,
)
def test_mixed_types_are_refused_with_column_and_types(values: list[Any]) -> None:
    with pytest.raises(DataTypeError, match=r"Column 'x' mixes \w+ and \w+\. Convert its values"):
        objects_to_column("x", values)


def test_dates_and_durations_mixed_are_refused() -> None:
    with pytest.raises(DataTypeError, match="Column 'x' mixes date and timedelta"):
        objects_to_column("x", [dt.date(2020, 1, 1), dt.timedelta(1)])


@pytest.mark.parametrize(
    "value", [{"foo": "bar"}, [1, 2], object()], ids=["dict", "list", "object"]
)
def test_strange_value_is_refused_with_its_row_and_type(value: Any) -> None:
    # The words of scikit-learn's check_dtype_object, which wants a TypeError.
    X = np.array([[1.0], [None], [2.0]], dtype=object)
    X[1, 0] = value
    words = (
        rf"Column 'x0', row 1: .*argument must be a string.* number, not '{type(value).__name__}'"
    )
    with pytest.raises(TypeError, match=words):
        read(X)


def test_complex_objects_are_refused() -> None:
    with pytest.raises(DataError, match="Complex data not supported"):
        objects_to_column("x", [1j, 2])


def test_large_python_integers_warn() -> None:
    with pytest.warns(DataWarning, match="Column 'x': integers beyond"):
        objects_to_column("x", [2**53 + 1, 0])


def test_huge_python_integers_become_floats() -> None:
    with pytest.warns(DataWarning, match="nearest float64"):
        column = objects_to_column("x", [10**30 + 1])
    assert column.values[0] == 1e30


def test_integer_beyond_every_float_is_refused() -> None:
    with pytest.raises(DataError, match=r"Column 'x', row 1: .*too large"):
        objects_to_column("x", [1, 10**400])


def test_decimals_that_lose_digits_warn() -> None:
    with pytest.warns(DataWarning, match="decimals of more than 15 digits"):
        objects_to_column("x", [decimal.Decimal("0.1234567890123456789")])


def test_decimals_that_come_back_are_silent() -> None:
    assert objects_to_column("x", [decimal.Decimal("0.1")]).values[0] == 0.1
