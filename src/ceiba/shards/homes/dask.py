"""Host shards on a Dask cluster, where each partition becomes a shard on its worker.

A partition is a pandas DataFrame (from a dask DataFrame, or joined from blocks of dask Arrays) or a
piece of a file, which the workers read.

Shards are results of pure tasks, not actors: Dask recomputes the shards of a lost worker from their
partitions, and the next round contains all splits so far. A round is sent as the result of a task,
because data of `client.scatter` cannot be recomputed. Tasks prefer the worker of their shard but
may run elsewhere, because a task bound to a dead worker would never run. Each worker merges its
answers and sends one. The scheduler drops a task whose workers died too often ("allowed-failures").
Such a task is submitted again.

Dask waits forever if no worker comes back, and a `LocalCluster` drops a lost or restarting worker
after 15 seconds. A cluster that stays without workers therefore raises an error here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from time import monotonic
from typing import Any, Final

import numpy as np

from ceiba import _core
from ceiba.errors import DataError, SchemaError, did_you_mean
from ceiba.grow import GrowOptions
from ceiba.shards.first_pass import (
    SAMPLE,
    FirstPass,
    PieceSummary,
    build_first_pass,
    merge_pieces,
    sample_numbers,
    summarize_piece,
)
from ceiba.shards.grower import check_supported
from ceiba.shards.second_pass import ShardSummary, fill_arrays, merge_summaries
from ceiba.shards.shard import Arrays, Shard, ShardArrays, ShardLayout, Words, build_shard_arrays
from ceiba.shards.table import Blocks, RoundSizes, ShardedTable, ShardedTarget, Weighting
from ceiba.table import Kind, Scan, Schema
from ceiba.table.scanning import ScanPiece, check_unique_names

RETRIES: Final = 10
_CONNECT_TIMEOUT: Final = "10s"
_MAX_RESUBMITS: Final = 5
_POLL_TIME: Final = 5.0  # seconds between two checks for workers
_NO_WORKER_TIME: Final = 300.0  # seconds to wait for workers, which may still be starting
_RETRY_ADVICE: Final = "Repeat the call when the cluster is available; `checkpoint` resumes it."
#: Sending 8,192 rows takes as much data as sending the histograms of five levels below their node.
#: A finer histogram of a value range takes as much data as 170 values.
SIZES: Final = RoundSizes(gather_rows=8192, fetch_rows=512)
_SAMPLE_ROWS: Final = 512  # rows sampled per partition


@contextmanager
def open_client(cluster: Any) -> Iterator[Any]:
    """Yield a Dask client: `cluster` itself, a new one for an address, or the default for None."""
    try:
        from distributed import Client, default_client
    except ImportError as error:
        raise ImportError(
            "Fitting on a cluster requires the 'distributed' package. Install it with: "
            "pip install 'ceiba[dask]'"
        ) from error
    if isinstance(cluster, str):
        try:
            client = Client(cluster, timeout=_CONNECT_TIMEOUT, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise DataError(
                f"Dask scheduler not found at {cluster}: {error}. Start one with `dask scheduler`, "
                "and pass the address that it prints."
            ) from error
        with client:
            yield client
        return
    if cluster is None:
        try:
            cluster = default_client()  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise DataError(
                "Fitting a dask collection requires a Dask client. Create one for the cores of "
                "this machine: `from dask.distributed import Client; Client()`."
            ) from error
    if getattr(cluster, "asynchronous", False):
        raise DataError(
            "An asynchronous Dask client is not supported. Create it without asynchronous=True."
        )
    yield cluster


class DaskExchange:
    """Connection to the shards on the workers of a Dask cluster."""

    def __init__(self, client: Any, shards: list[Any]) -> None:
        self._client = client
        self._shards = shards

    def ask(self, rounds: Words) -> Words:
        """Send requests for histograms, values and rows to all shards; return merged results."""
        [answer] = with_retries(self._client, self._shards, lambda: [self._submit_rounds(rounds)])
        return np.array(answer)  # copy, because the result of a task may be read-only

    def _submit_rounds(self, rounds: Words) -> Any:
        client = self._client
        message = self._submit(_identity, rounds)
        holders = client.who_has(self._shards)
        by_worker: dict[tuple[str, ...], list[Any]] = {}
        for shard in self._shards:
            hosts = tuple(sorted(holders.get(shard.key) or ())[:1])
            answer = self._submit(_answer, shard, message, **_worker_hint(hosts))
            by_worker.setdefault(hosts, []).append(answer)
        merged = [
            self._submit(_merge, answers, **_worker_hint(hosts)) if len(answers) > 1 else answers[0]
            for hosts, answers in by_worker.items()
        ]
        while len(merged) > 1:
            pairs = [merged[k : k + 2] for k in range(0, len(merged), 2)]
            merged = [self._submit(_merge, pair) if len(pair) == 2 else pair[0] for pair in pairs]
        return merged[0]

    def scatter(self, kind: str, arrays: Sequence[Arrays]) -> None:
        """Send arrays of one kind, such as fold numbers, to each shard."""
        self._shards = [
            self._submit(Shard.scatter, shard, kind, numbers)
            for shard, numbers in zip(self._shards, arrays, strict=True)
        ]

    def collect(self, kind: str) -> list[Arrays]:
        """Return arrays of one kind, such as sampled values, from each shard in order."""
        shards = self._shards
        return with_retries(
            self._client,
            shards,
            lambda: [self._submit(Shard.collect, shard, kind) for shard in shards],
        )

    def _submit(self, work: Any, *args: Any, **hint: Any) -> Any:
        return self._client.submit(work, *args, pure=False, retries=RETRIES, **hint)


def _worker_hint(workers: Sequence[str]) -> dict[str, Any]:
    return {"workers": list(workers), "allow_other_workers": True} if workers else {}


def _identity(rounds: Words) -> Words:
    return rounds


def _answer(shard: Shard, rounds: Words) -> Words:
    return shard.answer(np.array(rounds))


def _merge(answers: Sequence[Words]) -> Words:
    return reduce(_core.merge_answers, map(np.array, answers))


def with_retries(client: Any, futures: list[Any], submit: Callable[[], list[Any]]) -> list[Any]:
    """Submit work and return its results; resubmit tasks that the scheduler has dropped."""
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        for _ in range(_MAX_RESUBMITS):
            try:
                return _results(client, submit())
            except KilledWorker:
                client.retry(futures)
        return _results(client, submit())
    except Exception as error:
        is_lost = isinstance(error, CancelledError | CommClosedError)
        if client.status == "running" and not is_lost:
            raise  # the connection is intact, so the task failed
        raise DataError(f"Lost the connection to the Dask scheduler. {_RETRY_ADVICE}") from error


def _results(client: Any, futures: list[Any]) -> list[Any]:
    _wait(client, futures)
    return list(client.gather(futures))


def _wait(client: Any, futures: list[Any]) -> None:
    """Wait for all futures; raise an error if the cluster has no workers for too long."""
    from distributed import wait

    alone_since = None
    while True:
        try:
            wait(futures, timeout=_POLL_TIME)  # type: ignore[no-untyped-call]
            return
        except TimeoutError:
            alone_since = None if client.nthreads() else alone_since or monotonic()
        if alone_since is not None and monotonic() - alone_since >= _NO_WORKER_TIME:
            raise DataError(
                f"The Dask cluster had no worker for {_NO_WORKER_TIME:.0f} seconds. {_RETRY_ADVICE}"
            )


@dataclass(frozen=True)
class ClusterTable:
    """The partitions and columns of a table on a cluster."""

    parts: list[Any]  # futures of partitions, or pieces of files
    names: list[str]
    numbers: frozenset[str]
    single: frozenset[str]  # names of float32 columns
    named: bool = True

    @staticmethod
    def of_frame(client: Any, frame: Any) -> ClusterTable:
        """Start to compute the partitions of a dask DataFrame, and return them as a table."""
        from pandas.api.types import is_numeric_dtype

        names = [str(name) for name in frame.columns]
        check_unique_names(names, "the frame")
        kinds = {name: frame.dtypes.iloc[k] for k, name in enumerate(names)}
        return ClusterTable(
            client.compute(frame.to_delayed(), retries=RETRIES),
            names,
            frozenset(name for name in names if is_numeric_dtype(kinds[name])),
            frozenset(name for name in names if str(kinds[name]).lower().startswith("float32")),
        )

    @staticmethod
    def of_scan(scan: Scan) -> ClusterTable:
        """Return the table of a scan, whose files the workers read."""
        return ClusterTable(
            list(scan.pieces), list(scan.names), frozenset(scan.numbers), scan.single
        )

    @staticmethod
    def of_blocks(client: Any, source: Blocks) -> ClusterTable:
        """Start to compute and join the blocks of dask Arrays, and return them as a table."""
        blocks = [array.to_delayed().ravel().tolist() for array in source.arrays]
        every = client.compute([block for array in blocks for block in array], retries=RETRIES)
        n = len(blocks[0])
        rows = [[every[k * n + i] for k in range(len(blocks))] for i in range(n)]
        frames = [
            client.submit(join_blocks, row, source.names, pure=False, retries=RETRIES)
            for row in rows
        ]
        kind = source.arrays[0].dtype
        single = frozenset(source.columns) if kind == np.float32 else frozenset()
        return ClusterTable(
            frames, list(source.names), frozenset(source.columns), single, named=False
        )


@contextmanager
def open_table(
    source: Any, target: str, options: GrowOptions, weighting: Weighting
) -> Iterator[tuple[ShardedTable, ShardedTarget]]:
    """Shard a table on a Dask cluster, and yield the sharded table and its target."""
    check_supported(options)
    is_scan = isinstance(source, Scan)
    with open_client(source.cluster if is_scan else None) as client:
        if is_scan:
            parts = ClusterTable.of_scan(source)
        elif isinstance(source, Blocks):
            parts = ClusterTable.of_blocks(client, source)
        else:
            parts = ClusterTable.of_frame(client, source)
        table, learned = _build_shards(client, parts, target, options, weighting)
        if is_scan:
            table = _with_progress(table, source, len(parts.parts))
        del parts  # free the partitions; Dask computes them again if a shard is lost
        yield table, learned


def _build_shards(
    client: Any, parts: ClusterTable, target: str, options: GrowOptions, weighting: Weighting
) -> tuple[ShardedTable, ShardedTarget]:
    """Build the shards in two passes: find levels, classes and bins, then encode the rows."""
    names = _feature_names(parts, target, weighting)
    numbers = [name for name in names if name in parts.numbers]

    def submit(work: Any, *args: Any) -> Any:
        return client.submit(work, *args, pure=False, retries=RETRIES)

    def gather(futures: list[Any]) -> Any:
        return with_retries(client, futures, lambda: futures)

    about = target, weighting.column, options
    results: list[tuple[PieceSummary, Any]] = gather(
        [submit(summarize_partition, part, names, numbers, about) for part in parts.parts]
    )
    n_rows = [look.n_rows for look, _ in results]
    if not sum(n_rows):
        raise DataError("X must have at least 1 row, got 0.")
    total = merge_pieces([look for look, _ in results])
    binned = [*numbers, *(i.name for i in total.infos.values() if i.kind is not Kind.CATEGORICAL)]
    sample = _merge_samples([block for _, block in results if block is not None], binned)
    single = parts.single & set(names)
    first = build_first_pass(total, names, sample, single, (target, options), weighting)
    if not parts.named:
        first = replace(
            first,
            schema=Schema(first.schema.columns, first.schema.target, named=False),
            target=replace(first.target, name=None),
        )
    tables = [
        submit(to_arrays, part, n, first, target)
        for part, n in zip(parts.parts, n_rows, strict=True)
    ]
    ranges: list[ShardSummary] = gather([submit(shard_summary, future) for future in tables])
    summary = merge_summaries(first, ranges, options)
    schema, layout = summary.schema, summary.layout
    table = ShardedTable(
        schema,
        layout,
        DaskExchange(
            client, [submit(to_shard, future, schema, layout, k) for k, future in enumerate(tables)]
        ),
        n_rows,
        weight_totals=summary.weight_totals,
        sizes=SIZES,
    )
    return table, summary.target


def _with_progress(table: ShardedTable, scan: Scan, n_shards: int) -> ShardedTable:
    """Report the plan to the scan's callback; set the callback and memory limit of the table."""
    if scan.watch is not None:
        shape = f"{table.n_rows:,} rows x {table.schema.n_columns} columns"
        scan.watch("plan", f"{shape} in {n_shards} shards on {scan.cluster}")
    values = max(1 << 20, min(1 << 24, scan.memory // 48))
    return table.with_changes(values_in_memory=values, watch=scan.watch)


def _feature_names(parts: ClusterTable, target: str, weighting: Weighting) -> list[str]:
    """Return the feature names; raise an error if the target or weight column is not found."""
    names = list(parts.names)
    if target not in names:
        raise SchemaError(f"Target column {target!r} not found.{did_you_mean(target, names)}")
    names.remove(target)
    for name in weighting.columns:
        if name not in names:
            raise SchemaError(f"Weight column {name!r} not found.{did_you_mean(name, names)}")
        names.remove(name)
    if not names:
        raise DataError(f"X must have a feature column, got only {parts.names}.")
    return names


def _merge_samples(
    samples: Sequence[tuple[Schema, dict[str, Any]]], binned: Sequence[str]
) -> tuple[Schema, dict[str, Any]]:
    """Merge the samples of all partitions, keeping about `SAMPLE` values per column."""
    infos, values = [], {}
    for name in binned:
        matches = [sample for sample in samples if name in sample[1]]
        column = np.concatenate([numbers[name] for _, numbers in matches])
        values[name] = column[:: max(1, len(column) // SAMPLE)].copy()
        schema = matches[0][0]
        infos.append(schema.columns[schema.index(name)])
    return Schema(tuple(infos)), values


# --- tasks of the workers


def summarize_partition(
    part: Any,
    names: Sequence[str],
    numbers: Sequence[str],
    about: tuple[str, str | None, GrowOptions],
) -> tuple[PieceSummary, Any]:
    """Return the levels and classes of a partition, and a sample of its numbers."""
    target, weight, _ = about
    _check_columns(part, [*names, target, *([] if weight is None else [weight])])
    if not (part.n_rows if isinstance(part, ScanPiece) else len(part)):
        return PieceSummary(), None
    look = summarize_piece(part, [name for name in names if name not in numbers], *about)
    binned = [*numbers, *(info.name for info in look.infos.values() if info.kind != "categorical")]
    return look, sample_numbers([_sample_rows(part, binned)], binned) if binned else None


def to_arrays(
    part: Any, n_rows: int, first: FirstPass, target: str
) -> tuple[ShardArrays, ShardSummary]:
    """Encode and bin the rows of a partition into arrays, and summarize them."""
    shapes = first.shapes(n_rows).items()
    arrays = build_shard_arrays({name: np.empty(shape, dtype) for name, (dtype, shape) in shapes})
    return arrays, fill_arrays(arrays, part, first, target)


def shard_summary(pair: tuple[ShardArrays, ShardSummary]) -> ShardSummary:
    """Return the summary from the result of `to_arrays`."""
    return pair[1]


def to_shard(
    pair: tuple[ShardArrays, ShardSummary], schema: Schema, layout: ShardLayout, k: int
) -> Shard:
    """Create a shard from the result of `to_arrays`."""
    return Shard(pair[0], schema, layout, k)


def join_blocks(blocks: Sequence[Any], names: Sequence[str]) -> Any:
    """Join blocks of arrays with the same rows into a DataFrame."""
    import pandas as pd

    columns: list[Any] = []
    for block in blocks:
        values = np.asarray(block)
        if len(values) != len(blocks[0]):
            raise DataError(
                "X, y and sample_weight must have the same row chunks, got chunks of "
                f"{len(blocks[0])} and {len(values)} rows. Rechunk one of them."
            )
        columns += [values] if values.ndim == 1 else list(values.T)
    return pd.DataFrame(dict(zip(names, columns, strict=True)))


def _sample_rows(part: Any, columns: Sequence[str]) -> Any:
    if isinstance(part, ScanPiece):
        rows = next(iter(part.file.batches(part.groups[:1], columns)))
        return rows.take(list(range(0, rows.num_rows, max(1, rows.num_rows // _SAMPLE_ROWS))))
    return part[list(columns)].iloc[:: max(1, len(part) // _SAMPLE_ROWS)]


def _check_columns(part: Any, names: Sequence[str]) -> None:
    """Raise an error if a partition lacks a column; the column order may differ."""
    if isinstance(part, ScanPiece):
        return
    for name in names:
        if name not in part.columns:
            raise DataError(
                f"All partitions must have column {name!r}, got one with columns "
                f"{', '.join(map(str, part.columns))}."
            )
