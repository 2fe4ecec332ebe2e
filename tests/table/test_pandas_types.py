"""Every type of column that pandas has is read, or refused in our own words."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ceiba
from ceiba.errors import DataError, DataTypeError
from ceiba.table import read

N = 8
Y = [0] * 4 + [1] * 4
MONTHS = pd.period_range("2024-01", periods=N, freq="M")


def arrow(values: Any, kind: Any) -> Any:
    return pd.array(list(values), dtype=pd.ArrowDtype(kind))


def objects(values: Any) -> Any:
    column = np.empty(N, object)
    column[:] = list(values)
    return pd.Series(column, dtype=object)


DATES = pd.date_range("2024-01-01", periods=N)
READ: dict[str, tuple[Any, str, str]] = {
    "period": (MONTHS, "numeric", "date"),
    "period of objects": (objects(MONTHS), "numeric", "date"),
    "period of hours": (pd.period_range("2024", periods=N, freq="h"), "numeric", "datetime"),
    "period of far years": (
        pd.PeriodIndex(["0005", "0100", "1000", "1500", "2000", "2500", "3000", "9000"], freq="Y"),
        "numeric", "date",
    ),
    "cut": (pd.cut(np.arange(N), 4), "ordered", "number"),
    "sparse": (pd.arrays.SparseArray([0, 0, 0, 1.5, 2, 3, 0, 4]), "numeric", "number"),
    "sparse bool": (pd.arrays.SparseArray([False, True] * 4), "numeric", "boolean"),
    "Int64": (pd.array([1, None, *range(3, 9)], dtype="Int64"), "numeric", "number"),
    "Float32": (pd.array([1, None, *range(3, 9)], dtype="Float32"), "numeric", "number"),
    "boolean": (pd.array([True, None] * 4, dtype="boolean"), "numeric", "boolean"),
    "string": (pd.array([*"abcdefg", None], dtype="string"), "categorical", "number"),
    "datetime": (DATES, "numeric", "date"),
    "zoned": (DATES.tz_localize("America/Lima"), "numeric", "datetime"),
    "timedelta": (pd.to_timedelta(np.arange(N), unit="h"), "numeric", "duration"),
    "decimal": (objects(map(Decimal, range(N))), "numeric", "number"),
    "bytes": (objects([b"a", b"b"] * 4), "categorical", "number"),
    "numbers and bools": (objects([True, 2] * 4), "numeric", "number"),
    "nothing": (objects([None] * N), "numeric", "number"),
    "category of numbers": (pd.Categorical([3, 1, 2, 3] * 2), "categorical", "number"),
    "category of periods": (pd.Categorical(MONTHS), "categorical", "number"),
    "category of dates": (pd.Categorical(DATES), "categorical", "number"),
    "arrow int64": (arrow(range(N), pa.int64()), "numeric", "number"),
    "arrow float": (arrow([1.0, None] * 4, pa.float64()), "numeric", "number"),
    "arrow bool": (arrow([True, None] * 4, pa.bool_()), "numeric", "boolean"),
    "arrow string": (arrow([*"abcdefg", None], pa.string()), "categorical", "number"),
    "arrow date": (arrow(DATES.date, pa.date32()), "numeric", "date"),
    "arrow timestamp": (arrow(DATES, pa.timestamp("us")), "numeric", "date"),
    "arrow duration": (arrow(pd.to_timedelta(range(N), unit="h"), pa.duration("s")),
                       "numeric", "duration"),
    "arrow time": (arrow(map(datetime.time, range(N)), pa.time64("us")), "numeric", "duration"),
    "arrow decimal": (arrow(map(Decimal, range(N)), pa.decimal128(10, 2)), "numeric", "number"),
    "arrow dictionary": (arrow("abcdabcd", pa.dictionary(pa.int32(), pa.string())),
                         "categorical", "number"),
    "arrow null": (arrow([None] * N, pa.null()), "numeric", "number"),
}  # fmt: skip
REFUSED: dict[str, tuple[Any, str]] = {
    "interval": (pd.interval_range(0, N), r"row 0.*'Interval'.*astype\(str\)"),
    "complex": (np.arange(N) * 1j, "real and the imaginary part"),
    "complex objects": (objects([1j] * N), "real and the imaginary part"),
    "numbers and texts": (objects([1, "a"] * 4), "mixes int and str"),
    "dates and numbers": (objects([pd.Timestamp("2024"), 2] * 4), "mixes Timestamp and int"),
    "periods and texts": (objects([MONTHS[0], "a"] * 4), "'Period'"),
    "lists": (objects([[1, 2]] * N), "'list'"),
    "dicts": (objects([{"a": 1}] * N), "'dict'"),
    "arrays": (objects([np.zeros(2)] * N), "'ndarray'"),
    "offsets": (objects(pd.offsets.Day(k) for k in range(N)), "row 0"),
    "arrow binary": (arrow([b"a"] * N, pa.binary()), "type Binary"),
    "arrow list": (arrow([[1]] * N, pa.list_(pa.int64())), "type List"),
    "arrow struct": (arrow([{"a": 1}] * N, pa.struct([("a", pa.int64())])), "type Struct"),
}


def containers(values: Any) -> list[Any]:
    return [pd.DataFrame({"c": values}), {"c": pd.Series(values)}]


@pytest.mark.parametrize("name", READ)
def test_column_of_pandas_is_read_and_predicted_from(name: str) -> None:
    values, kind, display = READ[name]
    for X in containers(values):
        info = read(X).columns[0].info
        assert (str(info.kind), info.display) == (kind, display)
        model = ceiba.DecisionTreeClassifier().fit(X, Y)
        assert len(model.predict(X)) == N


@pytest.mark.parametrize("name", REFUSED)
def test_column_of_pandas_is_refused_in_our_words(name: str) -> None:
    values, message = REFUSED[name]
    for X in containers(values):
        with pytest.raises((DataError, DataTypeError), match=message):
            ceiba.DecisionTreeClassifier().fit(X, Y)


def test_period_is_the_date_at_which_it_starts() -> None:
    X = pd.DataFrame({"month": MONTHS})
    model = ceiba.DecisionTreeClassifier().fit(X, Y)
    dates = pd.DataFrame({"month": MONTHS.to_timestamp()})
    assert model.tree_ == ceiba.DecisionTreeClassifier().fit(dates, Y).tree_
    assert model.predict(dates).tolist() == model.predict(X).tolist() == Y
    assert model.predict_one({"month": MONTHS[0]}).answer == 0
    assert model.predict_one({"month": "2024-08-01"}).answer == 1


def test_series_as_a_table_is_refused_with_a_way_out() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "city": ["Lima", "Oslo"]})
    model = ceiba.DecisionTreeClassifier().fit(frame, [0, 1])
    with pytest.raises(DataError, match=r"Expected 2D array(?s:.*)predict_one"):
        model.predict(frame.iloc[0])
    assert model.predict_one(frame.iloc[0]).answer == 0


def test_missing_period_is_missing() -> None:
    column = read(pd.DataFrame({"m": pd.PeriodIndex(["2024-01", None], freq="M")})).columns[0]
    np.testing.assert_array_equal(column.values, [1704067200.0, np.nan])
