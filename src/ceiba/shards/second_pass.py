"""Second pass over a table: encode and bin each piece into the arrays of a shard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import DataError
from ceiba.grow import GrowOptions
from ceiba.shards.first_pass import FirstPass, call_naming_file, read_batches
from ceiba.shards.shard import NumberBins, Ranges, ShardArrays, ShardLayout, merge_ranges
from ceiba.shards.table import ShardedTarget, WeightTotals
from ceiba.table import ColumnInfo, Kind, Schema, Table, read_like, round_digit_sums
from ceiba.table.targets import read_target_like, split_target


@dataclass(frozen=True)
class ShardSummary:
    """Bin ranges, missing counts, number of positive weights and weight sums of a shard."""

    ranges: Ranges
    missing: list[int]
    n_learned: int
    weight: npt.NDArray[np.uint64] | None


def fill_arrays(arrays: ShardArrays, part: Any, first: FirstPass, target: str) -> ShardSummary:
    """Read a part of a table into the arrays of a shard, and return their summary."""
    weight = [] if first.weights is None or first.weights.column is None else [first.weights.column]
    batches = read_batches(part, [*first.schema.names, target, *weight])
    return call_naming_file(part, lambda: _fill_batches(arrays, batches, first, target))


def _fill_batches(
    arrays: ShardArrays, batches: Iterable[Any], first: FirstPass, target: str
) -> ShardSummary:
    schema, at = first.schema, 0
    missing = [0] * len(schema.columns)
    for batch in batches:
        columns, labels = split_target(batch, target)
        numbers = None
        if first.weights is not None and first.weights.column is not None:
            columns, numbers = split_target(columns, first.weights.column)
        learned = read_target_like(labels, first.target, len(labels))
        weight = ignored = None
        if first.weights is not None:
            weight = first.weights.of(numbers, learned.values[:, 0], first.units)
            ignored = first.weights.ignored_rows(numbers)
        table = _read_columns(columns, schema, ignored)
        end = at + table.n_rows
        if end > len(arrays.target):
            n = len(arrays.target)
            raise DataError(f"The table changed during the fit: got more than {n} rows. Fit again.")
        arrays.target[at:end] = first.units.shrink_target(learned.values[:, 0])
        if arrays.weights is not None:
            arrays.weights[at:end] = weight
        for j, column in enumerate(table.columns):
            absent = column.missing
            arrays.columns[j][at:end] = column.values
            if ignored is not None:  # exclude ignored rows from the ranges
                absent = absent & ~ignored
                arrays.columns[j][at:end][ignored] = np.nan if column.info.is_numeric else -1
            missing[j] += int(np.count_nonzero(absent))
        at = end
    if at != len(arrays.target):
        n = len(arrays.target)
        raise DataError(f"The table changed during the fit: got {at} rows, not {n}. Fit again.")
    ranges = arrays.fill_bins(schema, first.edges)
    if arrays.weights is None:
        return ShardSummary(ranges, missing, at, None)
    n_classes = first.counted if isinstance(first.counted, int) else 1
    codes = arrays.target if isinstance(first.counted, int) else None
    digits = _core.sum_digits(arrays.weights, codes, n_classes)
    return ShardSummary(ranges, missing, int(np.count_nonzero(arrays.weights)), np.asarray(digits))


def _read_columns(columns: Any, schema: Schema, ignored: npt.NDArray[np.bool_] | None) -> Table:
    """Encode columns by a schema; raise an error for unknown levels, except in ignored rows."""
    if ignored is None:
        return read_like(columns, schema, match="name", unseen="error")
    table = read_like(columns, schema, match="name", unseen="keep")
    for column in table.columns:
        if not column.info.is_numeric and (column.unseen & ~ignored).any():
            return read_like(columns, schema, match="name", unseen="error")
    return table


def _total_weights(first: FirstPass, summaries: Sequence[ShardSummary]) -> WeightTotals | None:
    """Return the sums of the weights over all shards, or None if rows have no weights."""
    if first.weights is None:
        return None
    sums = [shard.weight for shard in summaries if shard.weight is not None]
    digits: npt.NDArray[np.uint64] = np.sum(sums, axis=0, dtype=np.uint64)
    n_classes = first.counted if isinstance(first.counted, int) else 1
    total = round_digit_sums(digits.reshape(n_classes, -1).sum(axis=0, dtype=np.uint64))
    return WeightTotals(
        sum(shard.n_learned for shard in summaries),
        float(total[0]),
        np.ldexp(round_digit_sums(digits), first.units.weight),
    )


@dataclass(frozen=True)
class TableSummary:
    """Schema, layout, weights and target, merged over all shards of a table."""

    schema: Schema
    layout: ShardLayout
    weight_totals: WeightTotals | None
    target: ShardedTarget


def merge_summaries(
    first: FirstPass, summaries: Sequence[ShardSummary], options: GrowOptions
) -> TableSummary:
    """Merge the summaries of all shards; reject missing values if `missing="error"`."""
    ranges = reduce(merge_ranges, [shard.ranges for shard in summaries])
    missing = np.sum([shard.missing for shard in summaries], axis=0).tolist()
    schema = describe_schema(first.schema, ranges, missing)
    for info in schema.columns:
        if info.n_missing and options.missing_rule == "error":
            raise DataError(
                f"Column {info.name!r} has {info.n_missing} missing values, which missing='error' "
                "does not allow. Impute them, or use missing='learn'."
            )
    columns: list[NumberBins | int] = []
    for info, edge, (low, high) in zip(schema.columns, first.edges, ranges, strict=True):
        if info.kind is Kind.CATEGORICAL:
            columns.append(info.n_levels)
        else:
            columns.append(NumberBins(np.array(edge, dtype=np.float64), low, high))
    bits = None if first.weights is None else first.weights.bits
    weight = _total_weights(first, summaries)
    totals = first.totals if weight is None else weight.per_class
    target = ShardedTarget(first.target, totals, first.units)
    return TableSummary(schema, ShardLayout(first.counted, tuple(columns), bits), weight, target)


def describe_schema(schema: Schema, ranges: Ranges, missing: Sequence[int]) -> Schema:
    """Return the schema with value ranges and missing counts; raise an error for infinities."""
    infos: list[ColumnInfo] = []
    for info, (least, most), n_missing in zip(schema.columns, ranges, missing, strict=True):
        if not info.is_numeric:
            infos.append(replace(info, n_missing=n_missing))
            continue
        low, high = float(least.min()), float(most.max())
        if low == -np.inf or high == np.inf:  # without values, low is inf and high is -inf
            raise DataError(
                f"Column {info.name!r} contains infinity. Values must be finite or NaN (missing). "
                "Replace infinity by the largest plausible value, or by NaN."
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
