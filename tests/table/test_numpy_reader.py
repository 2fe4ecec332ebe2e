"""numpy arrays of every dtype; no copy where none is needed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ceiba.errors import DataError, DataTypeError, DataWarning
from ceiba.table import Kind, read
from ceiba.table.read_for_predict import read_like

FLOATS = np.random.default_rng(0).normal(size=(6, 3))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_read_float_matrix_makes_no_copy(dtype: Any, order: Any) -> None:
    X = np.array(FLOATS, dtype=dtype, order=order)
    table = read(X)
    assert np.shares_memory(table.columns[1].values, X)
    assert table.matrix is X


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_read_like_float_matrix_makes_no_copy(dtype: Any) -> None:
    X = FLOATS.astype(dtype)
    table = read_like(X, read(FLOATS).schema)
    assert table.matrix is X


@pytest.mark.parametrize("X", [FLOATS[::2], FLOATS[:, ::2], FLOATS[::-1], FLOATS.T])
def test_read_strided_matrix_makes_no_copy(X: np.ndarray) -> None:
    table = read(X)
    assert np.shares_memory(table.columns[0].values, FLOATS)
    assert np.array_equal(np.stack([c.values for c in table.columns], axis=1), X)
    assert table.core().n_columns == X.shape[1]


def test_read_read_only_matrix_is_fine() -> None:
    X = FLOATS.copy()
    X.setflags(write=False)
    assert read(X).core().n_rows == 6


@pytest.mark.parametrize(
    "dtype",
    ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "g", ">f8", ">i4", "?"],
)
def test_read_other_number_types_gives_the_numbers(dtype: str) -> None:
    X = np.array([[0, 1], [1, 0], [1, 1]], dtype=dtype)
    table = read(X)
    assert all(c.values.dtype in (np.float64, np.float32) for c in table.columns)
    assert all(c.values.dtype.isnative for c in table.columns)
    assert np.array_equal(np.stack([c.values for c in table.columns], axis=1), X.astype(float))


def test_read_bool_matrix_is_shown_as_yes_no() -> None:
    table = read(np.array([[True], [False]]))
    assert table.schema.columns[0].display == "boolean"
    assert table.columns[0].values.tolist() == [1, 0]


def test_read_object_matrix_takes_each_column_by_its_values() -> None:
    X = np.array([[1, "a", True], [2.5, "b", False], [None, None, None]], dtype=object)
    table = read(X)
    assert [c.info.kind for c in table.columns] == [Kind.NUMERIC, Kind.CATEGORICAL, Kind.NUMERIC]
    assert [c.info.n_missing for c in table.columns] == [1, 1, 1]
    assert table.schema.columns[2].display == "boolean"


@pytest.mark.parametrize("dtype", ["U5", "S5", object])
def test_read_text_matrix_is_categorical(dtype: Any) -> None:
    table = read(np.array([["b", "x"], ["a", "x"]], dtype=dtype))
    assert table.schema.columns[0].levels == ("a", "b")
    assert table.columns[0].values.tolist() == [1, 0]


def test_read_datetime_matrix_is_seconds() -> None:
    X = np.array([["1970-01-01T00:00:01"], ["NaT"]], dtype="datetime64[ms]")
    table = read(X)
    assert table.schema.columns[0].display == "datetime"
    assert np.array_equal(table.columns[0].values, [1, np.nan], equal_nan=True)


@pytest.mark.parametrize("dtype", [float, np.float32, int, bool, object])
def test_read_masked_array_is_missing_where_masked(dtype: Any) -> None:
    X = np.ma.array([[0, 1], [1, 0]], mask=[[0, 1], [0, 0]], dtype=dtype)
    table = read(X)
    assert table.columns[0].values.tolist() == [0, 1]
    assert np.array_equal(table.columns[1].values, [np.nan, 0], equal_nan=True)


def test_read_masked_texts_is_missing_where_masked() -> None:
    X = np.ma.array([["a"], ["b"]], mask=[[True], [False]])
    assert read(X).columns[0].values.tolist() == [-1, 0]


def test_read_masked_array_ignores_what_is_under_the_mask() -> None:
    X = np.ma.array([[np.inf, 1.0], [2.0, 3.0]], mask=[[True, False], [False, False]])
    assert read(X).schema.columns[0].maximum == 2.0


def test_read_structured_array_has_a_column_for_each_field() -> None:
    X = np.array(
        [(1.5, 2, "a", True), (2.5, 3, "b", False)],
        dtype=np.dtype([("f", "f8"), ("i", "i4"), ("s", "U3"), ("b", "?")], align=True),
    )
    table = read(X)
    assert table.schema.names == ("f", "i", "s", "b")
    assert table.schema.named
    assert np.shares_memory(table.columns[0].values, X)  # fields of packed records are copied
    assert [c.values.tolist() for c in table.columns] == [[1.5, 2.5], [2, 3], [0, 1], [1, 0]]


def test_read_structured_field_of_many_values_names_it() -> None:
    X = np.zeros(2, dtype=[("a", "f8"), ("pair", "f8", (2,))])
    with pytest.raises(DataTypeError, match="Column 'pair': a field of type"):
        read(X)


def test_read_structured_array_of_two_dimensions_is_refused() -> None:
    with pytest.raises(DataError, match=r"must be 1-d.*X.ravel\(\)"):
        read(np.zeros((2, 2), dtype=[("a", "f8")]))


def test_read_complex_is_refused() -> None:
    with pytest.raises(DataError, match="Complex data not supported"):
        read(np.ones((2, 1), dtype=complex))


def test_read_void_is_refused() -> None:
    with pytest.raises(DataTypeError, match="Column 'x0' has unsupported type"):
        read(np.zeros((2, 1), dtype="V4"))


@pytest.mark.parametrize("value", [2**53 + 1, 2**62 + 1, 2**63 - 1, -(2**53) - 1])
def test_read_large_integer_warns_and_takes_the_nearest(value: int) -> None:
    X = np.array([[0, value], [1, 2]], dtype=np.int64)
    with pytest.warns(DataWarning, match="Column 'x1': integers beyond 2\\*\\*53 are rounded"):
        table = read(X)
    assert table.columns[1].values[0] == float(value)


@pytest.mark.parametrize("value", [2**53, 2**60, -(2**63), 2**53 + 2])
def test_read_large_integer_with_a_float_of_its_own_is_silent(value: int) -> None:
    assert read(np.array([[value]], dtype=np.int64)).columns[0].values[0] == value


def test_read_largest_unsigned_integer_warns() -> None:
    with pytest.warns(DataWarning, match="nearest float64"):
        read(np.array([[2**64 - 1]], dtype=np.uint64))


def test_read_float16_is_exact_float32() -> None:
    X = np.array([[0.1], [65504]], dtype=np.float16)
    table = read(X)
    assert table.columns[0].values.dtype == np.float32
    assert np.array_equal(table.columns[0].values, X[:, 0])


def test_read_subclass_of_array_is_taken_as_array() -> None:
    class Mine(np.ndarray):
        pass

    table = read(FLOATS.view(Mine))
    assert type(table.matrix) is np.ndarray
    assert np.shares_memory(table.matrix, FLOATS)


def test_read_thing_with_array_method_is_taken_as_array() -> None:
    class Thing:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return FLOATS

    assert read(Thing()).matrix is FLOATS


def test_read_numpy_and_lists_imports_no_frame_library() -> None:
    code = """
import sys, numpy as np
from ceiba.table import read, read_target
from ceiba.table.read_for_predict import read_like
from ceiba.table.weights import read_weights
t = read(np.ones((3, 2))); read_like(np.ones((1, 2)), t.schema)
read({'a': [1, 2], 'b': ['x', None]}); read([[1, 'a']]); read([{'a': 1}])
read_target([1, 2], task='regression'); read_weights([1, 2], 2)
heavy = {'narwhals', 'pandas', 'polars', 'pyarrow', 'sklearn', 'scipy'} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True)
