"""The values of the room: Table, Column, Schema; and the ranges seen when fitting."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ceiba.errors import SchemaError
from ceiba.table import Column, ColumnInfo, Kind, Levels, Schema, Table, TargetInfo, read
from ceiba.table.fit_schema import column_range, matrix_ranges

TARGET = TargetInfo("y", "classification", (np.array([0, 1]),), 1)


# Fresh tables for each test: one kept by pytest until the end would look like a leak of the core.
def make_mixed() -> Table:
    return read({"age": [31.0, 45.0, 27.0], "city": ["Oslo", None, "Lima"]})


def make_matrix() -> Table:
    return read(np.arange(12.0).reshape(4, 3))


@pytest.fixture
def mixed() -> Table:
    return make_mixed()


@pytest.fixture
def matrix() -> Table:
    return make_matrix()


@pytest.fixture(params=[make_mixed, make_matrix], ids=["mixed", "matrix"])
def table(request: pytest.FixtureRequest) -> Table:
    made: Table = request.param()
    return made


def test_table_is_frozen(mixed: Table) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        mixed.n_rows = 5  # type: ignore[misc]


def test_table_pickles_without_its_core(table: Table) -> None:
    table.core()
    again = pickle.loads(pickle.dumps(table))
    assert again.schema == table.schema
    assert again.n_rows == table.n_rows
    for mine, theirs in zip(again.columns, table.columns, strict=True):
        assert np.array_equal(mine.values, theirs.values)
    assert again.core().n_rows == table.n_rows


def test_table_copies(table: Table) -> None:
    assert copy.copy(table).schema == table.schema
    assert copy.deepcopy(table).n_rows == table.n_rows


def test_core_is_made_once(mixed: Table) -> None:
    assert mixed.core() is mixed.core()


@pytest.mark.parametrize("rows", [np.array([2, 0]), [2, 0], np.array([True, False, True])])
def test_table_takes_rows(rows: Any, mixed: Table) -> None:
    part = mixed.take(rows)
    assert part.n_rows == 2
    assert sorted(part.columns[0].values.tolist()) == [27, 31]
    assert part.schema is mixed.schema


def test_matrix_table_takes_rows(matrix: Table) -> None:
    part = matrix.take(np.array([3, 1]))
    assert part.matrix is not None
    assert part.matrix[:, 0].tolist() == [9, 3]
    assert part.n_rows == 2


def test_table_selects_columns(table: Table) -> None:
    part = table.select([1])
    assert part.schema.names == table.schema.names[1:2]
    assert part.n_columns == 1


def test_table_takes_a_schema_with_target(table: Table) -> None:
    schema = table.schema.with_target(TARGET)
    assert table.with_schema(schema).schema.target is TARGET
    assert table.with_schema(schema).columns[0].values.tolist() == table.columns[0].values.tolist()


def test_matrix_table_can_be_replaced_in_part(matrix: Table) -> None:
    schema = Schema(matrix.schema.columns[:1], None, False)
    part = dataclasses.replace(matrix, columns=matrix.columns[:1], schema=schema)
    assert part.matrix is None
    assert part.core().n_columns == 1


def test_table_finds_column_by_name(mixed: Table) -> None:
    assert mixed.column("city").info.levels == ("Lima", "Oslo")


def test_unknown_column_is_refused_with_hint(mixed: Table) -> None:
    with pytest.raises(
        SchemaError, match=r"Column not found: 'cty'. Columns: 'age', 'city'.*'city'\?"
    ):
        mixed.column("cty")


def test_unknown_attribute_is_an_attribute_error(mixed: Table) -> None:
    with pytest.raises(AttributeError, match="no attribute 'colums'"):
        mixed.colums  # noqa: B018


def test_repr_and_len_tell_the_shape(mixed: Table) -> None:
    assert repr(mixed) == "Table(3 rows, 2 columns)"
    assert len(mixed) == 3


def test_made_up_names_count_columns(matrix: Table) -> None:
    assert matrix.schema.names == ("x0", "x1", "x2")


def test_schemas_compare_by_value() -> None:
    mine = Schema((ColumnInfo("a", Kind.NUMERIC),), TARGET)
    theirs = Schema(
        (ColumnInfo("a", Kind.NUMERIC),), TargetInfo("y", "classification", (np.array([0, 1]),), 1)
    )
    other = Schema(
        (ColumnInfo("a", Kind.NUMERIC),), TargetInfo("y", "classification", (np.array([0, 2]),), 1)
    )
    assert mine == theirs
    assert hash(mine) == hash(theirs)
    assert mine != other
    assert mine.target != "y"


def test_schema_pickles(mixed: Table) -> None:
    schema = mixed.schema.with_target(TARGET)
    assert pickle.loads(pickle.dumps(schema)) == schema


def test_levels_pickle() -> None:
    levels = Levels(["a"], ["b", "a"], ordered=True)
    again = pickle.loads(pickle.dumps(levels))
    assert (again, again.levels, again.ordered) == (levels, ("b", "a"), True)


def test_numeric_column_has_no_unseen() -> None:
    column = Column(ColumnInfo("x", Kind.NUMERIC), np.array([1.0, np.nan]))
    assert column.unseen.tolist() == [False, False]
    assert column.missing.tolist() == [False, True]


def brute_range(values: np.ndarray) -> tuple[int, float | None, float | None]:
    present = [float(v) for v in values if v == v]
    n_missing = len(values) - len(present)
    return (n_missing, min(present), max(present)) if present else (n_missing, None, None)


def as_range(seen: list[float]) -> tuple[int, float | None, float | None]:
    n_missing, low, high = seen
    return (int(n_missing), low, high) if low == low else (int(n_missing), None, None)


finite_or_nan = st.one_of(st.floats(-1e6, 1e6, width=32), st.just(float("nan")))


@given(
    hnp.arrays(
        st.sampled_from([np.float64, np.float32]),
        st.tuples(st.sampled_from([1, 3, 255, 256, 257, 700]), st.integers(1, 3)),
        elements=finite_or_nan,
    ),
    st.sampled_from(["C", "F", "strided"]),
)
def test_ranges_equal_brute_force(X: np.ndarray, order: str) -> None:
    X = X[::-1] if order == "strided" else np.array(X, order=order)  # type: ignore[call-overload]
    expected = [brute_range(X[:, j]) for j in range(X.shape[1])]
    assert [tuple(as_range(seen)) for seen in matrix_ranges(X, None).T.tolist()] == expected
    assert [tuple(column_range("x", X[:, j])) for j in range(X.shape[1])] == expected


@given(st.integers(0, 699), st.integers(0, 2), st.booleans())
def test_ranges_find_a_single_nan(row: int, column: int, f_order: bool) -> None:
    X = np.ones((700, 3), order="F" if f_order else "C")
    X[row, column] = np.nan
    n_missing = matrix_ranges(X, ("a", "b", "c"))[0]
    assert n_missing.tolist() == [int(j == column) for j in range(3)]
