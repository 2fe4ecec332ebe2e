"""Compute the schema of the training rows: levels, ranges and missing counts.

Rows without a target and rows with weight 0 may be dropped after a table is read. Their missing
values, ranges and levels are not part of the schema. A level without rows becomes unseen, unless a
category type declares it. The kind of a column does not change. Infinities are rejected.

The core computes the ranges of a matrix in one pass, because numpy's reductions take longer than
fitting a small table, and read a large table twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ceiba import _core
from ceiba.errors import DataError
from ceiba.table.levels import recode
from ceiba.table.readers.sparse import sparse_ranges
from ceiba.table.schema import ColumnInfo, Schema, auto_names
from ceiba.table.table import MISSING_CODE, Column, Table

Array = NDArray[Any]


class ColumnRange(NamedTuple):
    """Missing count, minimum and maximum of a column (None if all values are missing)."""

    n_missing: int
    minimum: float | None
    maximum: float | None


def matrix_ranges(
    X: Array, names: tuple[str, ...] | None, n_threads: int = 1
) -> NDArray[np.float64]:
    """Return the missing count, minimum and maximum (NaN without values) of each column of X."""
    ranges, is_finite = _core.matrix_ranges(X, n_threads)
    if not is_finite:
        j = int(np.argmax(np.isinf(ranges).any(axis=0)))
        raise _infinity_error(names[j] if names else auto_names(j + 1)[j], X[:, j])
    result: NDArray[np.float64] = ranges
    return result


def column_range(name: str, values: Array, *, finite: bool = True) -> ColumnRange:
    """Return the range of a numeric column; raise an error for infinities if `finite`."""
    n_missing = 0
    if not len(values):  # a later check raises an error for a table without rows
        return ColumnRange(0, None, None)
    low, high = float(np.min(values)), float(np.max(values))
    if low != low:
        n_missing = int(np.count_nonzero(np.isnan(values)))
        if n_missing == len(values):
            return ColumnRange(n_missing, None, None)
        low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if finite and (low == -np.inf or high == np.inf):
        raise _infinity_error(name, values)
    return ColumnRange(n_missing, low, high)


def _infinity_error(name: str, values: Array) -> DataError:
    rows = np.flatnonzero(np.isinf(values))
    return DataError(
        f"Input X contains infinity or a value too large for {values.dtype!r}. Column {name!r} has "
        f"{len(rows)} such value(s), the first in row {rows[0]}. Replace infinity with a finite "
        "number, or with NaN if it means missing."
    )


def fit_schema(
    table: Table, learned: NDArray[np.bool_] | None = None, *, keep_levels: bool = False
) -> Table:
    """Return the table with a schema computed from its rows, or from the mask of rows `learned`."""
    rows = slice(None) if learned is None else learned
    schema = table.schema
    is_lazy = "_ranges" in schema.__dict__
    if table.sparse is not None or (table.matrix is not None and is_lazy):
        if is_lazy:
            _, names, display = schema.__dict__["_ranges"]
        else:
            names, display = schema.names, schema.columns[0].display
        if table.matrix is not None:
            ranges = matrix_ranges(table.matrix[rows], names)
        else:
            ranges = sparse_ranges(table.sparse if learned is None else table.sparse[rows], names)
        numbers = Schema.from_ranges(ranges, names, display).with_target(schema.target)
        if not is_lazy:
            numbers = Schema(numbers.columns, schema.target, schema.named)
        return table.with_schema(numbers)
    columns = tuple(_fit_column(column, rows, keep_levels) for column in table.columns)
    infos = tuple(column.info for column in columns)
    return Table(columns, table.n_rows, Schema(infos, schema.target, schema.named))


def _fit_column(column: Column, rows: NDArray[np.bool_] | slice, keep_levels: bool) -> Column:
    info, values = column.info, column.values[rows]
    if info.is_numeric:
        value_range = column_range(info.name, values)
        narrowed = ColumnInfo(info.name, info.kind, (), info.display, *value_range, zone=info.zone)
        return Column(narrowed, column.values)
    n_missing = int(np.count_nonzero(values == MISSING_CODE))
    levels, codes = info.levels, column.values
    if column.levels_found and not keep_levels:
        used = np.unique(values[values != MISSING_CODE]).tolist()
        if len(used) < len(levels):
            new = dict(zip(used, range(len(used)), strict=True))
            codes = recode(codes, [new.get(code, len(used)) for code in range(len(levels))])
            levels = tuple(levels[code] for code in used)
    column_info = ColumnInfo(info.name, info.kind, levels, info.display, n_missing)
    return Column(column_info, codes, column.levels_found)


def recount_missing(schema: Schema, table: Table, weight: NDArray[np.float64] | None) -> Schema:
    """Return the schema with (weighted) missing counts recomputed from the rows of a table."""
    each = np.ones(table.n_rows) if weight is None else weight
    columns = tuple(
        # Keep a count of at least 1 if missing values occurred, because they may occur again.
        replace(info, n_missing=max(1, round(float(each[column.missing].sum()))))
        if info.n_missing
        else info
        for info, column in zip(schema.columns, table.columns, strict=True)
    )
    return replace(schema, columns=columns)
