"""The class `Table`, the result of reading: typed columns of equal length with their schema.

A table that was passed as a matrix keeps that matrix without copying it. Its columns are created on
first access, as strided views or as float64 copies of integers. Predicting a single row therefore
takes a few microseconds. A sparse matrix is kept too; each access to the values of a column makes
them dense.

Missing is NaN in numbers and -1 in codes. A level that the schema does not contain has the code
``len(levels)``: unseen is not missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ceiba import _core
from ceiba.table.schema import ColumnInfo, Kind, Schema

MISSING_CODE = -1


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column and its `ColumnInfo`.

    Parameters
    ----------
    info : ColumnInfo
        Name, kind, levels.
    values : ndarray
        1-d float64 or float32 (possibly a strided view of the user's array), or int32 codes.
    levels_found : bool
        Whether the levels were collected from the rows and not declared by the column's type.
    of_integers : bool
        Whether the numbers were passed as integers.

    Examples
    --------
    >>> from ceiba.table import Kind
    >>> column = Column(ColumnInfo("x", Kind.NUMERIC), np.array([1.0, np.nan]))
    >>> column.missing.tolist()
    [False, True]
    """

    info: ColumnInfo
    values: NDArray[Any]
    levels_found: bool = False
    of_integers: bool = False

    @property
    def name(self) -> str:
        """Name of the column in the schema."""
        return self.info.name

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Mask of the rows whose value is missing."""
        mask: NDArray[np.bool_] = (
            np.isnan(self.values) if self.info.is_numeric else self.values == MISSING_CODE
        )
        return mask

    @property
    def unseen(self) -> NDArray[np.bool_]:
        """Mask of the rows whose level is not in the schema."""
        if self.info.is_numeric:
            return np.zeros(len(self.values), dtype=bool)
        mask: NDArray[np.bool_] = self.values >= self.info.n_levels
        return mask


#: Dtypes of float matrices, which are used without conversion.
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
#: Integer dtypes that the core reads without a copy.
INTEGERS = tuple(np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8))[:-1]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Typed columns of equal length; created by :func:`ceiba.table.read`.

    Parameters
    ----------
    columns : tuple of Column
        The columns; for a matrix, they are created on first use.
    n_rows : int
        Number of rows.
    schema : Schema
        Names, kinds and levels.

    Attributes
    ----------
    matrix : ndarray or None
        All columns as one 2-d array of floats or integers, if the table was passed as one.
    sparse : scipy.sparse matrix or array or None
        All columns as CSR or CSC in canonical form, if the table was passed as a sparse matrix.

    Examples
    --------
    >>> from ceiba.table import read
    >>> table = read({"age": [31, 45], "city": ["Oslo", None]})
    >>> table.n_rows, table.schema.names
    (2, ('age', 'city'))
    >>> table.columns[1].values.tolist()
    [0, -1]
    """

    #: Name of the tree-growing algorithm that this table requires; "" if the options decide.
    grower: ClassVar[str] = ""
    #: Whether all rows are in memory as a single piece.
    is_whole: ClassVar[bool] = True

    columns: tuple[Column, ...]
    n_rows: int
    schema: Schema
    matrix: ClassVar[NDArray[Any] | None] = None
    sparse: ClassVar[Any] = None

    @staticmethod
    def from_matrix(matrix: NDArray[Any], schema: Schema) -> Table:
        """Return a table that refers to a 2-d array of floats or integers without copying it."""
        # Bypass the slow generated __init__ of a frozen dataclass.
        table = object.__new__(Table)
        table.__dict__.update(matrix=matrix, n_rows=matrix.shape[0], schema=schema)
        return table

    @staticmethod
    def from_sparse(matrix: Any, schema: Schema) -> Table:
        """Return a table that refers to a canonical sparse matrix without copying it."""
        table = object.__new__(Table)
        table.__dict__.update(sparse=matrix, n_rows=matrix.shape[0], schema=schema)
        return table

    def __getattr__(self, name: str) -> Any:
        if name != "columns" or (self.matrix is None and self.sparse is None):
            raise AttributeError(f"'Table' object has no attribute {name!r}")
        matrix, infos = self.matrix, self.schema.columns
        columns: tuple[Column, ...]
        if matrix is None:
            columns = tuple(SparseColumn(info, self.sparse, j) for j, info in enumerate(infos))
        else:
            columns = tuple(Column(info, _floats(matrix[:, j])) for j, info in enumerate(infos))
        self.__dict__["columns"] = columns
        return columns

    @property
    def n_columns(self) -> int:
        """Number of columns of the table."""
        return self.schema.n_columns

    def column(self, name: str) -> Column:
        """Return the column called ``name``."""
        return self.columns[self.schema.index(name)]

    def core(self) -> _core.Columns:
        """Return the columns for the C++ core, without a copy if possible, and cache the result."""
        columns: _core.Columns | None = self.__dict__.get("_core")
        if columns is not None:
            return columns
        matrix = self.matrix
        if matrix is not None and (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            columns = _core.Columns.from_matrix(matrix)
        elif self.sparse is not None:
            columns = _core.Columns.from_sparse(*sparse_arrays(self.sparse))
        else:
            columns = _core.Columns(self.n_rows)
            for column in self.columns:
                if column.info.is_numeric:
                    columns.add_numeric(column.values)
                else:
                    ordered = column.info.kind is Kind.ORDERED
                    columns.add_levels(column.values, column.info.n_levels, ordered)
        self.__dict__["_core"] = columns
        return columns

    def cut_digits(
        self, column: NDArray[Any], cut: NDArray[Any], rows: NDArray[Any] | None = None
    ) -> NDArray[np.int8]:
        """Return how many digits of each cut are needed to route rows like the exact cut."""
        return np.asarray(_core.cut_digits(self.core(), column, cut, rows))

    def pieces(self) -> Iterable[Table]:
        """Return the table in pieces that fit into memory, in row order."""
        return (self,)

    def take(self, rows: NDArray[Any]) -> Table:
        """Return a table with the given rows (positions or mask) and the same schema."""
        if self.matrix is not None:
            return Table.from_matrix(self.matrix[rows], self.schema)
        if self.sparse is not None:
            return Table.from_sparse(self.sparse[rows], self.schema)
        rows = np.asarray(rows)
        n_rows = int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows)
        columns = tuple(
            Column(column.info, column.values[rows], column.levels_found) for column in self.columns
        )
        return Table(columns, n_rows, self.schema)

    def select(self, positions: Sequence[int]) -> Table:
        """Return a table with the columns at the given positions."""
        columns = tuple(self.columns[j] for j in positions)
        infos = tuple(column.info for column in columns)
        return Table(columns, self.n_rows, Schema(infos, self.schema.target, self.schema.named))

    def with_schema(self, schema: Schema) -> Table:
        """Return the same table with another schema for its columns, e.g. one with a target."""
        if self.matrix is not None:
            return Table.from_matrix(self.matrix, schema)
        if self.sparse is not None:
            return Table.from_sparse(self.sparse, schema)
        columns = tuple(
            Column(info, column.values, column.levels_found)
            for info, column in zip(schema.columns, self.columns, strict=True)
        )
        return Table(columns, self.n_rows, schema)

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"Table({self.n_rows} rows, {self.n_columns} columns)"

    def __getstate__(self) -> dict[str, Any]:
        # The core's view of the columns cannot be pickled and is cheap to rebuild.
        return {name: value for name, value in self.__dict__.items() if name != "_core"}


class SparseColumn(Column):
    """A column of a sparse matrix; each access to `values` creates a dense array."""

    def __init__(self, info: ColumnInfo, matrix: Any, position: int) -> None:
        self.__dict__.update(info=info, levels_found=False, _matrix=matrix, _position=position)

    @property
    def values(self) -> NDArray[Any]:
        """All values of the column, including zeros."""
        return sparse_values(self.__dict__["_matrix"], self.__dict__["_position"])


def sparse_values(matrix: Any, column: int) -> NDArray[Any]:
    """Return a column of a sparse matrix as a dense float array."""
    return _floats(matrix[:, [column]].toarray().ravel())


def sparse_arrays(matrix: Any) -> tuple[Any, ...]:
    """Return a canonical sparse matrix as arguments for the core: arrays, shape and format."""
    arrays = matrix.data, matrix.indices, matrix.indptr
    return (*map(np.ascontiguousarray, arrays), *matrix.shape, matrix.format == "csr")


def _floats(values: NDArray[Any]) -> NDArray[Any]:
    return values if values.dtype in FLOATS else values.astype(np.float64)
