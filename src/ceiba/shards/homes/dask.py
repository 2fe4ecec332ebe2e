"""Shards on a Dask cluster: partitions become shards where they are.

A partition is a pandas DataFrame (of a dask DataFrame, or made of the blocks of dask Arrays) or a
piece of a file that workers read themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ceiba.errors import DataError, SchemaError, did_you_mean
from ceiba.grow.grow_options import GrowOptions
from ceiba.shards.first_pass import (
    SAMPLE,
    FirstPass,
    PieceLook,
    join,
    look_at,
    sample_numbers,
    settle,
)
from ceiba.shards.homes.dask_exchange import RETRIES, DaskExchange, client_of, with_retries
from ceiba.shards.layout import ShardLayout
from ceiba.shards.second_pass import Seen, agree, fill
from ceiba.shards.shard import Shard, ShardArrays, named_arrays
from ceiba.shards.supported import check_supported
from ceiba.shards.table import Blocks, ShardedTable, ShardedTarget, Weighting
from ceiba.table import Kind, Scan, Schema
from ceiba.table.scanning.parquet import check_names_differ
from ceiba.table.scanning.scan import Piece

#: Nodes with fewer rows travel; counting such a node five levels down would send as much.
GATHER_ROWS: Final = 8192
#: Stretches with fewer rows travel; counting one in parts again sends as much as 170 values.
FETCH_ROWS: Final = 512
_SAMPLE_ROWS: Final = 512  # of a partition


@dataclass(frozen=True)
class Parts:
    """A table on a cluster: its partitions, its columns, which of them are numbers."""

    parts: list[Any]  # futures of frames, or pieces of files
    names: list[str]
    numbers: frozenset[str]
    single: frozenset[str]  # float32
    named: bool = True

    @staticmethod
    def of_frame(client: Any, frame: Any) -> Parts:
        """Have the partitions of a dask DataFrame computed."""
        from pandas.api.types import is_numeric_dtype

        names = [str(name) for name in frame.columns]
        check_names_differ(names, "the frame")
        kinds = {name: frame.dtypes.iloc[k] for k, name in enumerate(names)}
        return Parts(
            client.compute(frame.to_delayed(), retries=RETRIES),
            names,
            frozenset(name for name in names if is_numeric_dtype(kinds[name])),
            frozenset(name for name in names if str(kinds[name]).lower().startswith("float32")),
        )

    @staticmethod
    def of_scan(scan: Scan) -> Parts:
        """Have workers read the files of a scan."""
        return Parts(list(scan.pieces), list(scan.names), frozenset(scan.numbers), scan.single)

    @staticmethod
    def of_blocks(client: Any, source: Blocks) -> Parts:
        """Have blocks of rows computed and joined."""
        blocks = [array.to_delayed().ravel().tolist() for array in source.arrays]
        every = client.compute([one for array in blocks for one in array], retries=RETRIES)
        n = len(blocks[0])
        rows = [[every[k * n + i] for k in range(len(blocks))] for i in range(n)]
        frames = [
            client.submit(join_blocks, row, source.names, pure=False, retries=RETRIES)
            for row in rows
        ]
        kind = source.arrays[0].dtype
        single = frozenset(source.columns) if kind == np.float32 else frozenset()
        return Parts(frames, list(source.names), frozenset(source.columns), single, named=False)


@contextmanager
def open_table(
    source: Any, target: str, options: GrowOptions, weighting: Weighting
) -> Iterator[tuple[ShardedTable, ShardedTarget]]:
    """Turn a table on a cluster into shards that live as long as the `with` block."""
    check_supported(options)
    is_scan = isinstance(source, Scan)
    with client_of(source.cluster if is_scan else None) as client:
        if is_scan:
            given = Parts.of_scan(source)
        elif isinstance(source, Blocks):
            given = Parts.of_blocks(client, source)
        else:
            given = Parts.of_frame(client, source)
        table, learned = _sharded(client, given, target, options, weighting)
        if is_scan:
            table = _watched(table, source, len(given.parts))
        del given  # made again if a shard is lost
        yield table, learned


def _sharded(
    client: Any, given: Parts, target: str, options: GrowOptions, weighting: Weighting
) -> tuple[ShardedTable, ShardedTarget]:
    """Make the shards: levels, classes and bins are agreed on, then rows are coded."""
    names = _columns(given, target, weighting)
    numbers = [name for name in names if name in given.numbers]

    def submit(work: Any, *args: Any) -> Any:
        return client.submit(work, *args, pure=False, retries=RETRIES)

    def gather(futures: list[Any]) -> Any:
        return with_retries(client, futures, lambda: futures)

    about = target, weighting.column, options
    seen: list[tuple[PieceLook, Any]] = gather(
        [submit(look_at_part, part, names, numbers, about) for part in given.parts]
    )
    n_rows = [look.n_rows for look, _ in seen]
    if not sum(n_rows):
        raise DataError("The frame has no rows.")
    whole = join([look for look, _ in seen])
    binned = [*numbers, *(i.name for i in whole.infos.values() if i.kind is not Kind.CATEGORICAL)]
    sample = _sample([one for _, one in seen if one is not None], binned)
    single = given.single & set(names)
    known = settle(whole, names, sample, single, (target, options), weighting)
    if not given.named:
        known = replace(
            known,
            schema=Schema(known.schema.columns, known.schema.target, named=False),
            target=replace(known.target, name=None),
        )
    made = [
        submit(to_arrays, part, n, known, target)
        for part, n in zip(given.parts, n_rows, strict=True)
    ]
    ranges: list[Seen] = gather([submit(seen_of, one) for one in made])
    agreed = agree(known, ranges, options)
    schema, layout = agreed.schema, agreed.layout
    table = ShardedTable(
        schema,
        layout,
        DaskExchange(
            client, [submit(to_shard, one, schema, layout, k) for k, one in enumerate(made)]
        ),
        n_rows,
        weighed=agreed.weighed,
        gather_rows=GATHER_ROWS,
        fetch_rows=FETCH_ROWS,
    )
    return table, agreed.target


def _watched(table: ShardedTable, scan: Scan, n_shards: int) -> ShardedTable:
    """Have the plan and the progress told to whoever watches the scan."""
    if scan.watch is not None:
        shape = f"{table.n_rows:,} rows x {table.schema.n_columns} columns"
        scan.watch("plan", f"{shape} in {n_shards} shards on {scan.cluster}")
    values = max(1 << 20, min(1 << 24, scan.memory // 48))
    return table.changed(values_in_memory=values, watch=scan.watch)


def _columns(given: Parts, target: str, weighting: Weighting) -> list[str]:
    """Return the columns to learn from."""
    names = list(given.names)
    if target not in names:
        raise SchemaError(
            f"There is no column {target!r} to use as the target.{did_you_mean(target, names)}"
        )
    names.remove(target)
    for name in weighting.columns:
        if name not in names:
            raise SchemaError(f"There is no column {name!r} with weights.")
        names.remove(name)
    if not names:
        raise DataError(f"The frame has no column to learn from besides {target!r}.")
    return names


def _sample(
    samples: Sequence[tuple[Schema, dict[str, Any]]], binned: Sequence[str]
) -> tuple[Schema, dict[str, Any]]:
    """Join the samples of all partitions, and keep about `SAMPLE` values of each column."""
    infos, values = [], {}
    for name in binned:
        own = [one for one in samples if name in one[1]]
        joined = np.concatenate([numbers[name] for _, numbers in own])
        values[name] = joined[:: max(1, len(joined) // SAMPLE)].copy()
        schema = own[0][0]
        infos.append(schema.columns[schema.index(name)])
    return Schema(tuple(infos)), values


# --- what runs on workers


def look_at_part(
    part: Any,
    names: Sequence[str],
    numbers: Sequence[str],
    about: tuple[str, str | None, GrowOptions],
) -> tuple[PieceLook, Any]:
    """Look at the levels and classes of a partition, and take a sample of its numbers."""
    target, weight, _ = about
    _check_columns(part, [*names, target, *([] if weight is None else [weight])])
    if not (part.n_rows if isinstance(part, Piece) else len(part)):
        return PieceLook(), None
    seen = look_at(part, [name for name in names if name not in numbers], *about)
    binned = [*numbers, *(info.name for info in seen.infos.values() if info.kind != "categorical")]
    return seen, sample_numbers([_some_rows(part, binned)], binned) if binned else None


def to_arrays(part: Any, n_rows: int, known: FirstPass, target: str) -> tuple[ShardArrays, Seen]:
    """Code the rows of a partition and put them into bins."""
    shapes = known.shapes(n_rows).items()
    arrays = named_arrays({name: np.empty(shape, dtype) for name, (dtype, shape) in shapes})
    return arrays, fill(arrays, part, known, target)


def seen_of(pair: tuple[ShardArrays, Seen]) -> Seen:
    """Return what was seen when a shard was filled."""
    return pair[1]


def to_shard(pair: tuple[ShardArrays, Seen], schema: Schema, layout: ShardLayout, k: int) -> Shard:
    """Make the shard that answers rounds."""
    return Shard(pair[0], schema, layout, k)


def join_blocks(blocks: Sequence[Any], names: Sequence[str]) -> Any:
    """Make a DataFrame of the blocks of arrays that stand beside each other."""
    import pandas as pd

    columns: list[Any] = []
    for block in blocks:
        values = np.asarray(block)
        if len(values) != len(blocks[0]):
            raise DataError(
                f"The chunks of X and y do not have the same rows: {len(blocks[0])} and "
                f"{len(values)}. Rechunk them alike."
            )
        columns += [values] if values.ndim == 1 else list(values.T)
    return pd.DataFrame(dict(zip(names, columns, strict=True)))


def _some_rows(part: Any, columns: Sequence[str]) -> Any:
    if isinstance(part, Piece):
        rows = next(iter(part.file.batches(part.groups[:1], columns)))
        return rows.take(list(range(0, rows.num_rows, max(1, rows.num_rows // _SAMPLE_ROWS))))
    return part[list(columns)].iloc[:: max(1, len(part) // _SAMPLE_ROWS)]


def _check_columns(part: Any, names: Sequence[str]) -> None:
    """Partitions may order their columns differently, not lack one."""
    if isinstance(part, Piece):
        return
    for name in names:
        if name not in part.columns:
            raise DataError(
                f"A partition has no column {name!r}; it has {', '.join(map(str, part.columns))}."
            )
