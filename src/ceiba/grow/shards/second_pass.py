"""The second pass: rows are coded, put into bins, and become the arrays of a shard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from ceiba.errors import DataError
from ceiba.grow.grow_options import GrowOptions
from ceiba.grow.shards.first_pass import FirstPass
from ceiba.grow.shards.layout import NumberBins, Ranges, ShardLayout, merged_ranges
from ceiba.grow.shards.shard import ShardArrays
from ceiba.table import ColumnInfo, Kind, Schema, read_like, read_target_like, split_target

#: Ranges of the bins of each column, and its missing values.
Seen = tuple[Ranges, list[int]]


def fill(arrays: ShardArrays, batches: Iterable[Any], found: FirstPass, target: str) -> Seen:
    """Read rows into the arrays of a shard; give ranges and missing values."""
    schema, at = found.schema, 0
    missing = [0] * len(schema.columns)
    for batch in batches:
        columns, labels = split_target(batch, target)
        numbers = None
        if found.weights is not None and found.weights.column is not None:
            columns, numbers = split_target(columns, found.weights.column)
        table = read_like(columns, schema, match="name", unseen="error")
        learned = read_target_like(labels, found.target, table.n_rows)
        end = at + table.n_rows
        if end > len(arrays.target):
            raise DataError("there are more rows than before.")
        arrays.target[at:end] = found.units.shrink_target(learned.values[:, 0])
        if found.weights is not None and arrays.weights is not None:
            own = found.weights.of(numbers, learned.values[:, 0], found.units)
            arrays.weights[at:end] = own
        for j, column in enumerate(table.columns):
            arrays.columns[j][at:end] = column.values
            missing[j] += int(np.count_nonzero(column.missing))
        at = end
    if at != len(arrays.target):
        raise DataError(f"there are {at} rows where there were {len(arrays.target)}.")
    return arrays.fill_bins(schema, found.edges), missing


def agree(
    found: FirstPass, seen: Sequence[Seen], options: GrowOptions
) -> tuple[Schema, ShardLayout]:
    """Give the schema with what was seen in all shards, and what all shards agree on."""
    ranges = reduce(merged_ranges, [one for one, _ in seen])
    missing = np.sum([one for _, one in seen], axis=0).tolist()
    schema = described(found.schema, ranges, missing)
    _refuse_missing(schema, options)
    columns: list[NumberBins | int] = []
    for info, edge, (least, most) in zip(schema.columns, found.edges, ranges, strict=True):
        if info.kind is Kind.CATEGORICAL:
            columns.append(info.n_levels)
        else:
            columns.append(NumberBins(np.array(edge, dtype=np.float64), least, most))
    bits = None if found.weights is None else found.weights.bits
    return schema, ShardLayout(found.counted, tuple(columns), bits)


def described(schema: Schema, ranges: Ranges, missing: Sequence[int]) -> Schema:
    """Give the schema with what was seen; refuse infinities."""
    infos: list[ColumnInfo] = []
    for info, (least, most), n_missing in zip(schema.columns, ranges, missing, strict=True):
        if not info.is_numeric:
            infos.append(replace(info, n_missing=n_missing))
            continue
        low, high = float(least.min()), float(most.max())
        if low == -np.inf or (high == np.inf and low < np.inf):
            raise DataError(
                f"Column {info.name!r} contains infinity. Fitting takes finite numbers and NaN "
                "(missing); replace infinity by the largest value that makes sense, or by NaN."
            )
        present = low <= high
        infos.append(
            replace(
                info,
                n_missing=n_missing,
                minimum=low if present else None,
                maximum=high if present else None,
            )
        )
    return Schema(tuple(infos), schema.target, schema.named)


def _refuse_missing(schema: Schema, options: GrowOptions) -> None:
    if options.missing_rule != "error":
        return
    for info in schema.columns:
        if info.n_missing:
            raise DataError(
                f"Column {info.name!r}: {info.n_missing} values are missing, and missing='error'. "
                "Fill them in, or use missing='learn'."
            )
