"""What is not a table, or not one to fit: each error says what, where and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from ceiba.errors import CeibaError, DataError
from ceiba.table import read
from ceiba.table.read_for_predict import read_like
from tests.table.containers import NAMED

ONE = read(np.ones((2, 1))).schema


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rows", [3, 1000])
@pytest.mark.parametrize("order", ["C", "F"])
def test_infinity_at_fit_is_refused_with_column_and_row(
    value: float, dtype: Any, rows: int, order: Any
) -> None:
    X = np.ones((rows, 3), dtype=dtype, order=order)
    X[rows - 1, 1] = value
    words = (
        rf"contains infinity or a value too large for dtype\('{X.dtype}'\).*'x1'.*row {rows - 1}\b"
    )
    with pytest.raises(DataError, match=words):
        read(X)


def test_infinity_beside_nan_is_refused() -> None:
    with pytest.raises(DataError, match="Column 'x0' has 1 such"):
        read(np.array([[np.inf, 1], [np.nan, np.nan]]))


@pytest.mark.parametrize("container", NAMED)
def test_infinity_in_a_frame_is_refused(container: str) -> None:
    with pytest.raises(DataError, match=r"infinity.*Column 'b'.*row 1\b"):
        read(NAMED[container]({"a": ["x", "y"], "b": [1.0, float("inf")]}))


@pytest.mark.parametrize("container", NAMED)
def test_infinity_at_predict_is_kept(container: str) -> None:
    schema = read({"a": [1.0, 2.0]}).schema
    X = NAMED[container]({"a": [float("inf"), float("-inf")]})
    assert read_like(X, schema).columns[0].values.tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize("reader", [read, lambda X: read_like(X, ONE)])
def test_sparse_matrix_of_other_than_numbers_is_refused(reader: Any) -> None:
    with pytest.raises(DataError, match="Complex data not supported"):
        reader(scipy.sparse.csr_array(np.eye(2) * 1j))
    with pytest.raises(DataError, match="Expected 2D array, got 1D array"):
        reader(scipy.sparse.coo_array(np.ones(2)))


@pytest.mark.parametrize(
    "X", [np.ones(3), [1, 2, 3], pd.Series([1, 2]), pl.Series([1, 2]), ["a", "b"]]
)
@pytest.mark.parametrize("reader", [read, lambda X: read_like(X, ONE)])
def test_one_dimension_is_refused_with_the_ways_to_reshape(X: Any, reader: Any) -> None:
    with pytest.raises(DataError, match=r"(?s)Expected 2D array, got 1D array.*Reshape your data"):
        reader(X)


def test_scalar_array_is_refused() -> None:
    with pytest.raises(DataError, match=r"(?s)got scalar array.*Reshape your data"):
        read(np.array(5.0))


@pytest.mark.parametrize("X", [np.ones((2, 2, 2)), [[[1], [2]], [[3], [4]]]])
def test_three_dimensions_are_refused(X: Any) -> None:
    with pytest.raises(DataError, match=r"Found array with dim 3.*Reshape your data"):
        read(X)


@pytest.mark.parametrize(
    "X",
    [
        np.empty((0, 3)),
        {"a": []},
        pd.DataFrame({"a": []}),
        pl.DataFrame({"a": []}),
        pa.table({"a": []}),
    ],
    ids=["numpy", "dict", "pandas", "polars", "pyarrow"],
)
def test_no_rows_is_refused(X: Any) -> None:
    with pytest.raises(DataError, match=r"0 sample\(s\) \(shape=\(0, \d\)\) while a minimum of 1"):
        read(X)


@pytest.mark.parametrize("X", [[], {}, [{}]], ids=lambda v: type(v).__name__)
def test_nothing_at_all_is_refused(X: Any) -> None:
    with pytest.raises(DataError, match=r"while a minimum of 1 is required\."):
        read(X)


@pytest.mark.parametrize(
    "X", [np.empty((12, 0)), pd.DataFrame(index=range(12))], ids=["numpy", "pandas"]
)
def test_no_columns_is_refused(X: Any) -> None:
    words = r"0 feature\(s\) \(shape=\(\d*, 0\)\) while a minimum of \d* is required\."
    with pytest.raises(DataError, match=words):
        read(X)


def test_no_rows_at_predict_is_refused_by_position() -> None:
    with pytest.raises(DataError, match=r"0 sample\(s\)"):
        read_like(np.empty((0, 1)), ONE)


def test_no_rows_at_predict_is_fine_by_name() -> None:
    assert read_like(np.empty((0, 1)), ONE, match="name").n_rows == 0


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1, 2], [3]], "row 0 has 2 values, row 1 has 1"),
        ([[1, 2], 3], "row 0 is a list, row 1 a int"),
        ([{"a": 1}, [1]], "row 0 is a dict, row 1 a list"),
        ([np.ones(2), np.ones(3)], "row 0 has 2 values, row 1 has 3"),
    ],
)
def test_ragged_rows_are_refused_with_both_rows(X: Any, words: str) -> None:
    with pytest.raises(DataError, match=f"X is ragged: {words}"):
        read(X)


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(DataError, match="the same length, got 2 .'a'., 1 .'b'."):
        read({"a": [1, 2], "b": [1]})


def test_dict_of_lists_and_single_values_is_refused() -> None:
    with pytest.raises(DataError, match="Column 'b': expected a list of values, got 5"):
        read({"a": [1, 2], "b": 5})


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.table([[1], [2]], names=["a", "a"]),
        pd.DataFrame([[1, "x"]], columns=["a", "a"]),
    ],
    ids=["pandas", "pyarrow", "pandas-mixed"],
)
def test_duplicate_names_are_refused(X: Any) -> None:
    with pytest.raises(DataError, match="names must be unique, but 'a' occurs"):
        read(X)


def test_names_partly_texts_are_refused_as_in_scikit_learn() -> None:
    with pytest.raises(
        TypeError, match="Feature names are only supported if all input features have"
    ):
        read(pd.DataFrame([[1, 2]], columns=["a", 1]))


@pytest.mark.parametrize(
    "X", [None, "table.csv", 5, 5.0, object(), {1, 2}], ids=lambda v: type(v).__name__
)
def test_what_is_no_table_is_refused_with_what_is(X: Any) -> None:
    with pytest.raises(CeibaError, match=r"X must be a table, got .* Supported tables: numpy"):
        read(X)
