"""From a table on a cluster to shards that live as long as a fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ceiba.errors import DataError, SchemaError, did_you_mean
from ceiba.grow.grow_options import GrowOptions
from ceiba.grow.shards.first_pass import SAMPLE, UNWEIGHTED, PieceLook, Weighting, join, settle
from ceiba.grow.shards.on_dask import partitions
from ceiba.grow.shards.on_dask.client import client_of
from ceiba.grow.shards.on_dask.exchange import RETRIES, DaskExchange
from ceiba.grow.shards.on_dask.parts import Blocks, Parts
from ceiba.grow.shards.on_dask.waiting import patiently
from ceiba.grow.shards.second_pass import Seen, agree, weighed
from ceiba.grow.shards.sharded import ShardedTable, ShardedTarget
from ceiba.grow.shards.supported import check_supported
from ceiba.table import Kind, Scan, Schema

#: Nodes with fewer rows travel; counting such a node five levels down would send as much.
GATHER_ROWS: Final = 8192
#: Stretches with fewer rows travel; counting one in parts again sends as much as 170 values.
FETCH_ROWS: Final = 512


@contextmanager
def opened(
    source: Any, target: str, options: GrowOptions, weighting: Weighting = UNWEIGHTED
) -> Iterator[tuple[ShardedTable, ShardedTarget]]:
    """Turn a table on a cluster into shards that live as long as the `with` block.

    Parameters
    ----------
    source : dask DataFrame, Blocks, or Scan with a cluster
    target : str
        The column to predict.
    options : GrowOptions
    weighting : Weighting
    """
    check_supported(options)
    is_scan = isinstance(source, Scan)
    with client_of(source.cluster if is_scan else None) as client:
        if is_scan:
            given = Parts.of_scan(source)
        elif isinstance(source, Blocks):
            given = source.parts(client)
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
        return patiently(client, futures, lambda: futures)

    about = target, options.task, weighting.column, options.unseen == "error"
    seen: list[tuple[PieceLook, Any]] = gather(
        [submit(partitions.look, part, names, numbers, about) for part in given.parts]
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
        submit(partitions.to_arrays, part, n, known, target)
        for part, n in zip(given.parts, n_rows, strict=True)
    ]
    ranges: list[Seen] = gather([submit(partitions.seen_of, one) for one in made])
    schema, layout = agree(known, ranges, options)
    shards = [submit(partitions.to_shard, one, schema, layout, k) for k, one in enumerate(made)]
    weight = weighed(known, ranges)
    table = ShardedTable(
        schema,
        sum(n_rows),
        layout,
        DaskExchange(client, shards),
        gather_rows=GATHER_ROWS,
        fetch_rows=FETCH_ROWS,
        weighed=weight,
        shard_rows=n_rows,
    )
    totals = known.totals if weight is None else weight.per_class
    return table, ShardedTarget(known.target, totals, known.units)


def _watched(table: ShardedTable, scan: Scan, n_shards: int) -> ShardedTable:
    """Have the plan and the progress told to whoever watches the scan."""
    if scan.watch is not None:
        shape = f"{table.n_rows:,} rows x {table.schema.n_columns} columns"
        scan.watch("plan", f"{shape} in {n_shards} shards on {scan.cluster}")
    values = max(1 << 20, min(1 << 24, scan.memory // 48))
    return table.changed(values_in_memory=values, watch=scan.watch)


def _columns(given: Parts, target: str, weighting: Weighting) -> list[str]:
    """Give the columns to learn from."""
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
