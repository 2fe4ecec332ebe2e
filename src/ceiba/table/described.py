"""Schemas restricted to the rows that are learned from: their levels, ranges and missing counts.

Rows may be left out after a table was read: those without a target, those of weight 0. Missing
values, ranges and levels that only they have are not part of what the tree has seen. A level that
no row is left of becomes unseen, unless it was declared (by a category type). Kinds stay: a column
of texts of which no row is left is one without levels.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ceiba.table.column import MISSING_CODE, Column
from ceiba.table.levels import recode
from ceiba.table.readers.sparse import sparse_ranges
from ceiba.table.schema import ColumnInfo, Schema
from ceiba.table.summary import column_range, matrix_ranges
from ceiba.table.table import Table


def described(
    table: Table, learned: NDArray[np.bool_] | None = None, *, keep_levels: bool = False
) -> Table:
    """Return the table with the schema that its rows, or some of them, give."""
    rows = slice(None) if learned is None else learned
    schema = table.schema
    if table.matrix is not None and "_seen" in schema.__dict__:
        _, names, display = schema.__dict__["_seen"]
        seen = matrix_ranges(table.matrix[rows], names)
        return table.with_schema(Schema.of_numbers(seen, names, display).with_target(schema.target))
    if table.sparse is not None:
        part = table.sparse if learned is None else table.sparse[rows]
        if "_seen" in schema.__dict__:
            _, names, display = schema.__dict__["_seen"]
            numbers = Schema.of_numbers(sparse_ranges(part, names), names, display)
            return table.with_schema(numbers.with_target(schema.target))
        seen = sparse_ranges(part, schema.names)
        infos = Schema.of_numbers(seen, schema.names, schema.columns[0].display).columns
        return table.with_schema(Schema(infos, schema.target, schema.named))
    columns = tuple(_described(column, rows, keep_levels) for column in table.columns)
    infos = tuple(column.info for column in columns)
    return Table(columns, table.n_rows, Schema(infos, schema.target, schema.named))


def _described(column: Column, rows: NDArray[np.bool_] | slice, keep_levels: bool) -> Column:
    info, part = column.info, column.values[rows]
    if info.is_numeric:
        seen = column_range(info.name, part)
        narrowed = ColumnInfo(info.name, info.kind, (), info.display, *seen, zone=info.zone)
        return Column(narrowed, column.values)
    n_missing = int(np.count_nonzero(part == MISSING_CODE))
    levels, codes = info.levels, column.values
    if column.levels_found and not keep_levels:
        used = np.unique(part[part != MISSING_CODE]).tolist()
        if len(used) < len(levels):
            new = dict(zip(used, range(len(used)), strict=True))
            codes = recode(codes, [new.get(code, len(used)) for code in range(len(levels))])
            levels = tuple(levels[code] for code in used)
    described_info = ColumnInfo(info.name, info.kind, levels, info.display, n_missing)
    return Column(described_info, codes, column.levels_found)


def with_missing_counted(
    schema: Schema, table: Table, weight: NDArray[np.float64] | None
) -> Schema:
    """Return a schema whose missing values are those of a table's rows, each counted by a weight.

    A column that had missing values elsewhere keeps one: it is known to have some.
    """
    each = np.ones(table.n_rows) if weight is None else weight
    columns = tuple(
        replace(info, n_missing=max(1, round(float(each[column.missing].sum()))))
        if info.n_missing
        else info
        for info, column in zip(schema.columns, table.columns, strict=True)
    )
    return replace(schema, columns=columns)
