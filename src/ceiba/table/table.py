"""The table after reading: typed columns of one length, and the schema.

A table that came as one float matrix keeps that matrix (no copy, no work per column); its columns are strided
views made when somebody asks. That is what keeps the prediction of a single row at a few microseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ceiba.table.column import Column
from ceiba.table.schema import Kind, Schema

if TYPE_CHECKING:
    from ceiba import _core


class Table:
    """Typed columns of one length. Immutable; made by :func:`ceiba.table.read`.

    Parameters
    ----------
    schema : Schema
        Names, kinds and levels.
    n_rows : int
        Number of rows.
    columns : tuple of Column, optional
        The columns; either these or ``matrix`` is given.
    matrix : ndarray, optional
        All columns as one 2-d float64 or float32 array (every column numeric).

    Examples
    --------
    >>> from ceiba.table import read
    >>> table = read({"age": [31, 45], "city": ["Oslo", None]})
    >>> table.n_rows, table.schema.names
    (2, ('age', 'city'))
    >>> table.columns[1].values.tolist()
    [0, -1]
    """

    __slots__ = ("_columns", "_core", "_matrix", "_n_rows", "_schema")

    def __init__(
        self,
        schema: Schema,
        n_rows: int,
        columns: tuple[Column, ...] | None = None,
        matrix: NDArray[Any] | None = None,
    ) -> None:
        self._schema = schema
        self._n_rows = n_rows
        self._columns = columns
        self._matrix = matrix
        self._core: _core.Columns | None = None

    @property
    def schema(self) -> Schema:
        """Names, kinds and levels of the columns."""
        return self._schema

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._n_rows

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self._schema.columns)

    @property
    def matrix(self) -> NDArray[Any] | None:
        """All columns as one float matrix, if the table came as one; else None."""
        return self._matrix

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns; views if the table came as one matrix."""
        if self._columns is None:
            matrix = self._matrix
            assert matrix is not None
            self._columns = tuple(
                Column(info, matrix[:, j]) for j, info in enumerate(self._schema.columns)
            )
        return self._columns

    def column(self, name: str) -> Column:
        """Return the column called ``name``."""
        return self.columns[self._schema.index(name)]

    def core(self) -> _core.Columns:
        """Return the columns as the C++ core reads them, without a copy (made once, then kept)."""
        if self._core is None:
            self._core = _to_core(self)
        return self._core

    def take(self, rows: NDArray[Any]) -> Table:
        """Return the table of these rows (positions or mask), with the same schema."""
        if self._matrix is not None:
            part = self._matrix[rows]
            return Table(self._schema, len(part), matrix=part)
        columns = tuple(Column(column.info, column.values[rows]) for column in self.columns)
        rows = np.asarray(rows)
        n_rows = int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows)
        return Table(self._schema, n_rows, columns)

    def with_schema(self, schema: Schema) -> Table:
        """Return the same values under another schema of the same columns (e.g. with a target)."""
        if self._matrix is not None:
            return Table(schema, self._n_rows, matrix=self._matrix)
        columns = tuple(
            Column(info, column.values)
            for info, column in zip(schema.columns, self.columns, strict=True)
        )
        return Table(schema, self._n_rows, columns)

    def __len__(self) -> int:
        return self._n_rows

    def __repr__(self) -> str:
        return f"Table({self._n_rows} rows, {self.n_columns} columns)"

    def __reduce__(self) -> tuple[Any, ...]:
        # The core's view of the columns cannot be pickled and is cheap to make again.
        columns = None if self._matrix is not None else self._columns
        return Table, (self._schema, self._n_rows, columns, self._matrix)


def _to_core(table: Table) -> _core.Columns:
    from ceiba import _core

    matrix = table.matrix
    if matrix is not None and (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        return _core.Columns.from_matrix(matrix)
    columns = _core.Columns(table.n_rows)
    for column in table.columns:
        if column.info.is_numeric:
            columns.add_numeric(column.values)
        else:
            ordered = column.info.kind is Kind.ORDERED
            columns.add_levels(column.values, column.info.n_levels, ordered)
    return columns
