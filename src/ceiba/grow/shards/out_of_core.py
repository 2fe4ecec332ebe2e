"""From a scan to a problem over shards: two passes over the files, then nothing but scratch files.

1. Levels and classes of all rows, and a sample of the numbers, from which bins are placed.
2. Every row is coded, put into bins, and written to scratch files, one for each shard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ceiba.errors import CeibaError, DataError
from ceiba.grow.grow_options import GrowOptions
from ceiba.grow.shards.exchange import ThreadExchange
from ceiba.grow.shards.first_pass import (
    SAMPLED_PIECES,
    PieceLook,
    classes_of,
    edges_of,
    join,
    look_at,
    numbers_of,
    sample_numbers,
    units_of,
)
from ceiba.grow.shards.layout import (
    NumberBins,
    NumberTarget,
    Ranges,
    ShardLayout,
    merged_ranges,
)
from ceiba.grow.shards.plan import Plan, make_plan
from ceiba.grow.shards.scratch import Scratch, bytes_of
from ceiba.grow.shards.shard import Shard, ShardArrays, empty_arrays, named_arrays
from ceiba.grow.shards.sharded import ShardedTable, ShardedTarget
from ceiba.grow.shards.supported import check_columns, check_supported
from ceiba.grow.threads import n_threads
from ceiba.grow.units import AS_THEY_ARE, Units
from ceiba.table import ColumnInfo, Kind, Schema, TargetInfo, read_like, read_target_like
from ceiba.table.scanning.scan import Piece, Scan

T = TypeVar("T")


@dataclass(frozen=True)
class FirstPass:
    """What is known of a table after the first pass."""

    schema: Schema  # ranges and missing values are still unknown
    target: TargetInfo
    counted: int | NumberTarget  # number of classes, or what is known of the numbers
    totals: npt.NDArray[np.float64]
    units: Units
    edges: list[list[float]]
    single: frozenset[str]


@contextmanager
def opened(
    scan: Scan, target: str, options: GrowOptions
) -> Iterator[tuple[ShardedTable, ShardedTarget]]:
    """Turn a scan into shards that live as long as the `with` block.

    Parameters
    ----------
    scan : Scan
    target : str
        The column to predict.
    options : GrowOptions
    """
    check_supported(options)
    columns = scan.without(target)
    if not columns.names:
        raise DataError(f"The files have no column to learn from besides {target!r}.")
    threads = n_threads(options.n_jobs, scan.n_rows * len(scan.names))
    if scan.watch is not None:
        files = f"{len(scan.files)} files" if len(scan.files) > 1 else "1 file"
        scan.watch("plan", f"{scan.n_rows:,} rows in {files}: learned from without reading all")
    found = first_pass(columns, target, options, threads)
    pieces = scan.pieces
    check_columns(options, found.schema)
    classes = options.task == "classification"
    shapes = [
        empty_arrays(found.schema, piece.n_rows, found.single, classes=classes) for piece in pieces
    ]
    plan = plan_of(scan, found, shapes, threads)
    if scan.watch is not None:
        scan.watch("plan", str(plan))
    with Scratch(scan.scratch) as scratch:
        scratch.check_room(plan.scratch)

        def write(number: int) -> tuple[ShardArrays, Ranges, list[int]]:
            arrays = named_arrays(
                scratch.arrays(f"shard{number}", shapes[number]), len(found.schema.columns)
            )
            return arrays, *fill(arrays, pieces[number], found, target)

        written = _in_threads(write, len(pieces), threads, scan, "writing shard")
        ranges = reduce(merged_ranges, [ranges for _, ranges, _ in written])
        missing = np.sum([missing for _, _, missing in written], axis=0)
        schema = _described(found.schema, ranges, missing.tolist())
        layout = layout_of(schema, found, ranges)
        shards = [
            Shard(arrays, schema, layout, number) for number, (arrays, _, _) in enumerate(written)
        ]
        _refuse_missing(schema, options)
        yield (
            ShardedTable(
                schema,
                scan.n_rows,
                layout,
                ThreadExchange(shards, threads),
                plan.gathered,
                scan.watch,
            ),
            ShardedTarget(found.target, found.totals, found.units),
        )
        del shards, written


def first_pass(columns: Scan, target: str, options: GrowOptions, threads: int) -> FirstPass:
    """Find levels and classes, and place the bins."""
    pieces = columns.pieces
    numbers = [name for name in columns.names if _is_number(columns.arrow_type(name))]
    others = [name for name in columns.names if name not in numbers]

    def look(k: int) -> Any:
        batches = pieces[k].file.batches(pieces[k].groups, [*others, target])
        return _in_file(pieces[k], lambda: look_at(batches, target, options.task))

    whole = join(_in_threads(look, len(pieces), threads, columns, "looking at piece"))
    info, counted, totals, units = _target_of(whole, target, options)
    chosen = np.unique(np.linspace(0, len(pieces) - 1, SAMPLED_PIECES).astype(int)).tolist()
    binned = [*numbers, *(n for n in others if whole.infos[n].kind is not Kind.CATEGORICAL)]
    infos = dict(whole.infos)
    sample: dict[str, Any] = {}
    if binned:
        batches = [next(pieces[k].file.batches(pieces[k].groups[:1], binned)) for k in chosen]
        schema, sample = sample_numbers(batches, binned)
        for column in schema.columns:
            infos.setdefault(column.name, column)
    schema = Schema(tuple(infos[name] for name in columns.names), named=True)
    single = frozenset(name for name in numbers if str(columns.arrow_type(name)) == "float")
    edges = [
        edges_of(sample[name], name in single) if name in sample else [] for name in columns.names
    ]
    return FirstPass(schema, info, counted, totals, units, edges, single)


def _target_of(
    whole: PieceLook, name: str, options: GrowOptions
) -> tuple[TargetInfo, int | NumberTarget, npt.NDArray[np.float64], Units]:
    if options.task == "classification":
        info, totals = classes_of(whole, name)
        return info, len(info.classes[0]), totals, AS_THEY_ARE
    units = units_of(whole)
    numbers = numbers_of(whole, units, rates=options.criterion_name == "poisson")
    return TargetInfo(name, "regression"), numbers, np.empty(0), units


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def plan_of(scan: Scan, found: FirstPass, shapes: Sequence[Any], threads: int) -> Plan:
    """Say what growing will take."""
    cells = sum(
        info.n_levels + 1 if info.kind is Kind.CATEGORICAL else len(edge) + 2
        for info, edge in zip(found.schema.columns, found.edges, strict=True)
    )
    return make_plan(
        (scan.n_rows, len(found.schema.columns)),
        len(shapes),
        sum(map(bytes_of, shapes)),
        cells * _width(found.counted),
        threads,
        scan.memory,
    )


def _width(counted: int | NumberTarget) -> int:
    """Count the words of a cell."""
    if isinstance(counted, int):
        return counted
    low, high = counted.bits
    return 4 + -(-max(1, high - low) // 32)


def fill(
    arrays: ShardArrays, piece: Piece, found: FirstPass, target: str
) -> tuple[Ranges, list[int]]:
    """Read a piece into the arrays of its shard; give ranges and missing values."""
    schema, at = found.schema, 0
    missing = [0] * len(schema.columns)

    def read_all() -> None:
        nonlocal at
        for batch in piece.file.batches(piece.groups, [*schema.names, target]):
            table = read_like(batch.drop_columns([target]), schema, match="name", unseen="error")
            learned = read_target_like(batch.column(target), found.target, table.n_rows)
            end = at + table.n_rows
            if end > piece.n_rows:
                raise DataError("there are more rows than before.")
            arrays.target[at:end] = found.units.shrink_target(learned.values[:, 0])
            for j, column in enumerate(table.columns):
                arrays.columns[j][at:end] = column.values
                missing[j] += int(np.count_nonzero(column.missing))
            at = end

    _in_file(piece, read_all)
    if at != piece.n_rows:
        raise DataError(f"{piece.file.path} has {at} rows where it had {piece.n_rows}.")
    return arrays.fill_bins(schema, found.edges), missing


def _described(schema: Schema, ranges: Ranges, missing: Sequence[int]) -> Schema:
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
        seen = low <= high
        infos.append(
            replace(
                info,
                n_missing=n_missing,
                minimum=low if seen else None,
                maximum=high if seen else None,
            )
        )
    return Schema(tuple(infos), schema.target, schema.named)


def layout_of(schema: Schema, found: FirstPass, ranges: Ranges) -> ShardLayout:
    """Give what all shards agree on."""
    columns: list[NumberBins | int] = []
    for info, edge, (least, most) in zip(schema.columns, found.edges, ranges, strict=True):
        if info.kind is Kind.CATEGORICAL:
            columns.append(info.n_levels)
        else:
            columns.append(NumberBins(np.array(edge, dtype=np.float64), least, most))
    return ShardLayout(found.counted, tuple(columns))


def _refuse_missing(schema: Schema, options: GrowOptions) -> None:
    if options.missing_rule != "error":
        return
    for info in schema.columns:
        if info.n_missing:
            raise DataError(
                f"Column {info.name!r}: {info.n_missing} values are missing, and missing='error'. "
                "Fill them in, or use missing='learn'."
            )


def _in_file(piece: Piece, work: Callable[[], T]) -> T:
    """Name the file in the errors of its rows."""
    try:
        return work()
    except CeibaError as error:
        if str(piece.file.path) in str(error):
            raise
        raise type(error)(f"{piece.file.path}: {error}") from error


def _in_threads(work: Callable[[int], T], n: int, threads: int, scan: Scan, what: str) -> list[T]:
    """Do n pieces of work in threads; the first error ends all."""
    done: list[T] = []
    with ThreadPoolExecutor(max(1, min(threads, n))) as pool:
        futures = [pool.submit(work, k) for k in range(n)]
        try:
            for k, future in enumerate(futures):
                done.append(future.result())
                if scan.watch is not None:
                    scan.watch("progress", f"{what} {k + 1} of {n}")
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    return done
