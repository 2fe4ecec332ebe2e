"""Columns and targets of rare types: read rightly, or refused in our own words."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ceiba
from ceiba.errors import DataError, DataTypeError, DataWarning
from ceiba.table import Kind, read, read_target

Y = [0, 0, 0, 0, 1, 1, 1, 1]


def records(align: bool = False) -> Any:
    """Rows of 17 bytes: a column's numbers stand at no multiple of their size."""
    fields = [("a", "f8"), ("b", "i4"), ("c", "f4"), ("d", "i1")]
    result = np.zeros(8, np.dtype(fields, align=align))
    result["a"], result["b"], result["c"] = np.arange(8), [0, 1] * 4, np.arange(8)[::-1]
    return result


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("record", [False, True])
def test_structured_array_of_mixed_fields_is_read(align: bool, record: bool) -> None:
    X = records(align)
    X = X.view(np.recarray) if record else X
    model = ceiba.DecisionTreeClassifier().fit(X, Y)
    assert model.predict(X).tolist() == Y
    plain = {name: X[name].tolist() for name in ("a", "b", "c", "d")}
    assert model.tree_ == ceiba.DecisionTreeClassifier().fit(plain, Y).tree_


def test_fields_of_a_record_as_column_target_and_weight_are_read() -> None:
    X = records()
    model = ceiba.DecisionTreeRegressor().fit({"a": X["a"]}, X["c"], sample_weight=X["a"] + 1)
    assert model.predict({"a": X["a"]}).tolist() == X["c"].tolist()


@pytest.mark.parametrize("offset", range(1, 8))
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_array_at_an_odd_byte_is_copied(offset: int, dtype: str) -> None:
    numbers = np.arange(40).astype(dtype)
    raw = np.frombuffer(b"\0" * offset + numbers.tobytes(), "u1")[offset:]
    X = raw.view(dtype).reshape(20, 2)
    table = read(X)
    assert not X.flags.aligned or offset == 4
    assert table.matrix is not None
    assert table.matrix.flags.aligned
    y = raw.view(dtype)[::2].astype(int) > 20
    model = ceiba.DecisionTreeClassifier().fit(X, y)
    assert model.predict(X).tolist() == y.tolist()


def test_target_of_whole_numbers_at_an_odd_byte_is_read() -> None:
    y = np.frombuffer(b"\0" + np.arange(6).tobytes(), "u1")[1:].view("i8")
    assert read_target(y, task="classification").values[:, 0].tolist() == list(range(6))


# ---------------------------------------------------------------------- polars, Arrow


def test_128_bit_integers_are_numbers() -> None:
    X = pl.DataFrame({"a": pl.Series([1, 2, None, 10**30], dtype=pl.Int128)})
    column = read(X).columns[0]
    assert column.info.is_numeric
    np.testing.assert_array_equal(column.values, [1.0, 2.0, np.nan, 1e30])


def test_128_bit_integers_that_become_equal_are_warned_of() -> None:
    X = pl.DataFrame({"a": pl.Series([10**30, 10**30 + 1], dtype=pl.Int128)})
    with pytest.warns(DataWarning, match="beyond 2"):
        read(X)


def test_128_bit_integers_are_classes() -> None:
    y = pl.Series([10**30, 2, 2], dtype=pl.Int128)
    assert read_target(y, task="classification").info.classes[0].tolist() == [2, 10**30]


def union(kind: str) -> Any:
    codes, parts = pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(list("abc"))]
    if kind == "sparse":
        return pa.UnionArray.from_sparse(codes, parts)
    return pa.UnionArray.from_dense(codes, pa.array([0, 0, 1], pa.int32()), parts)


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_arrow_union_is_refused(kind: str) -> None:
    with pytest.raises(DataTypeError, match=f"Column 'u' has unsupported type {kind}_union"):
        read(pa.table({"u": union(kind)}))
    with pytest.raises(DataTypeError, match="unsupported type"):
        read_target(pa.chunked_array([union(kind)]), task="classification")


@pytest.mark.parametrize(
    "values", [[1.0, None, 3.0], [1, 2, 3], ["a", "b", None], [True, False, None]]
)
@pytest.mark.parametrize("cut", [(0, 9), (2, 5), (4, 4), (8, 1)])
def test_slice_of_runs_is_read_as_its_values(values: list[Any], cut: tuple[int, int]) -> None:
    runs = pa.RunEndEncodedArray.from_arrays([3, 6, 9], pa.array(values))
    plain = pa.array([value for value in values for _ in range(3)])
    result = read(pa.table({"x": runs}).slice(*cut))
    wanted = read(pa.table({"x": plain}).slice(*cut))
    assert result.schema == wanted.schema
    np.testing.assert_array_equal(result.columns[0].values, wanted.columns[0].values)
    sliced = read(pa.table({"x": runs.slice(*cut)}))
    np.testing.assert_array_equal(sliced.columns[0].values, wanted.columns[0].values)


# ---------------------------------------------------------------------- pandas, Python


@pytest.mark.parametrize("nan", ["NaN", "sNaN"])
def test_decimal_nan_is_missing(nan: str) -> None:
    values = [Decimal(1), Decimal(nan), Decimal("2.5")]
    np.testing.assert_array_equal(read({"a": values}).columns[0].values, [1.0, np.nan, 2.5])
    for task in ("classification", "regression"):
        with pytest.raises(DataError, match="row 1"):
            read_target(values, task=task)  # type: ignore[arg-type]


def test_names_that_are_missing_twice_are_refused() -> None:
    with pytest.raises(DataError, match="missing name"):
        read(pd.DataFrame([[1, 2]], columns=[np.nan, np.nan]))


def test_classes_of_floats_and_a_number_beyond_them_are_refused() -> None:
    with pytest.raises(DataError, match=r"beyond 1\.8e308"):
        read_target([10**400, 1.5], task="classification")


@pytest.mark.parametrize("ordered", [True, False])
def test_categorical_of_pandas_in_a_dict_keeps_its_order(ordered: bool) -> None:
    values = pd.Categorical(["a", None, "c"], categories=["c", "b", "a"], ordered=ordered)
    result, wanted = read({"a": values}), read(pd.DataFrame({"a": values}))
    assert result.schema == wanted.schema
    assert result.columns[0].info.kind == (Kind.ORDERED if ordered else Kind.CATEGORICAL)
    assert result.columns[0].values.tolist() == [2, -1, 0]


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, None, 3], dtype="Int64"),
        pd.array(["x", None, "y"], dtype="string"),
        pd.date_range("2024-01-01", periods=3),
        pd.CategoricalIndex(["b", "a", "b"], categories=["b", "a"], ordered=True),
    ],
    ids=["Int64", "string", "DatetimeIndex", "CategoricalIndex"],
)
def test_arrays_of_pandas_in_a_dict_are_read_as_series(values: Any) -> None:
    result, wanted = read({"a": values}), read(pd.DataFrame({"a": values}))
    assert result.schema == wanted.schema
    np.testing.assert_array_equal(result.columns[0].values, wanted.columns[0].values)


@pytest.mark.parametrize("model", [ceiba.DecisionTreeClassifier, ceiba.rpart])
def test_dict_target_with_rows_left_out(model: Any) -> None:
    X = {"a": [1.0, 2.0, 3.0, 4.0]}
    options = {} if model is ceiba.rpart else {"drop_missing_target": True}
    fitted = model().fit(X, {"y": ["a", None, "b", "b"]}, **options)
    assert fitted.tree_.n_rows[0] == 3
    assert fitted.tree_.target.name == "y"


def test_dict_target_of_two_outputs_with_rows_left_out() -> None:
    y = {"y": ["a", None, "b"], "z": ["c", "d", "d"]}
    fitted = ceiba.DecisionTreeClassifier().fit({"a": [1.0, 2.0, 3.0]}, y, drop_missing_target=True)
    assert fitted.predict({"a": [3.0]}).tolist() == [["b", "d"]]


@pytest.mark.parametrize("weight", [np.array(3.0), np.array(0)])
def test_weight_without_dimensions_is_refused_in_the_words_of_scikit_learn(weight: Any) -> None:
    with pytest.raises(TypeError, match="Singleton.* cannot be considered a valid collection"):
        ceiba.DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1], sample_weight=weight)
