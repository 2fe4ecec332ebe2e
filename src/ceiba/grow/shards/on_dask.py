"""Shards on a Dask cluster: partitions become shards where they are.

Shards are results of pure tasks, not actors: a shard that is lost with its worker is made again
from its partition, and the next round tells it the whole way. A round travels as the result of a
task (what is scattered has no lineage and cannot be made again). Tasks ask to run where their shard
is, and may run elsewhere: a task that insists would wait for a dead worker for ever. Answers are
merged on each worker first, so that one answer per worker travels. A task whose workers died too
often is given up by the scheduler ("allowed-failures"); it is then asked again from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final, TypeVar

import numpy as np

from ceiba.errors import DataError, SchemaError, did_you_mean
from ceiba.grow.grow_options import GrowOptions
from ceiba.grow.shards import partitions
from ceiba.grow.shards.exchange import two_as_one
from ceiba.grow.shards.first_pass import (
    SAMPLE,
    UNWEIGHTED,
    PieceLook,
    Weighting,
    join,
    settle,
)
from ceiba.grow.shards.out_of_core import is_number
from ceiba.grow.shards.second_pass import Seen, agree, weighed
from ceiba.grow.shards.shard import Shard
from ceiba.grow.shards.sharded import ShardedTable, ShardedTarget
from ceiba.grow.shards.supported import check_supported
from ceiba.grow.shards.together import Words
from ceiba.table import Kind, Scan, Schema

T = TypeVar("T")
_RETRIES: Final = 10
_CONNECT: Final = "10s"  # that a scheduler has to answer
_GIVEN_UP: Final = 5  # times that a round is asked again
#: Nodes with fewer rows travel; counting such a node five levels down would send as much.
GATHER_ROWS: Final = 8192
#: Stretches with fewer rows travel; counting one in parts again sends as much as 170 values.
FETCH_ROWS: Final = 512


class DaskExchange:
    """Shards that are results on the workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
    shards : list of futures
    """

    def __init__(self, client: Any, shards: list[Any]) -> None:
        self._client = client
        self._shards = shards

    def ask(self, question: Words) -> Words:
        """Ask all shards the same round; give their answers as one."""

        def answered() -> Words:
            return np.array(self._submitted(question).result())  # may be read-only otherwise

        return _patiently(self._client, self._shards, answered)

    def _submitted(self, question: Words) -> Any:
        client = self._client
        sent = client.submit(_as_it_is, question, pure=False, retries=_RETRIES)
        holders = client.who_has(self._shards)
        by_worker: dict[tuple[str, ...], list[Any]] = {}
        for shard in self._shards:
            place = tuple(sorted(holders.get(shard.key) or ())[:1])
            answer = client.submit(
                _answer, shard, sent, pure=False, retries=_RETRIES, **_loosely(place)
            )
            by_worker.setdefault(place, []).append(answer)
        merged = [
            client.submit(_merge, answers, pure=False, retries=_RETRIES, **_loosely(place))
            if len(answers) > 1
            else answers[0]
            for place, answers in by_worker.items()
        ]
        while len(merged) > 1:
            pairs = [merged[k : k + 2] for k in range(0, len(merged), 2)]
            merged = [
                client.submit(_merge, pair, pure=False, retries=_RETRIES)
                if len(pair) == 2
                else pair[0]
                for pair in pairs
            ]
        return merged[0]

    def each(self, work: Any, given: Sequence[Any]) -> list[Any]:
        """Do some work on every shard, each with what is given to it; results in their order."""

        def results() -> list[Any]:
            return list(self._client.gather(self._made(work, given)))

        return _patiently(self._client, self._shards, results)

    def change(self, work: Any, given: Sequence[Any]) -> None:
        """Put what some work makes of every shard in its place."""
        self._shards = self._made(work, given)

    def _made(self, work: Any, given: Sequence[Any]) -> list[Any]:
        return [
            self._client.submit(work, shard, one, pure=False, retries=_RETRIES)
            for shard, one in zip(self._shards, given, strict=True)
        ]


def _loosely(place: Sequence[str]) -> dict[str, Any]:
    return {"workers": list(place), "allow_other_workers": True} if place else {}


def _patiently(client: Any, needed: list[Any], work: Callable[[], T]) -> T:
    """Do work on a cluster; again, with what it needs, if the scheduler gave up on killed tasks."""
    from distributed import KilledWorker

    for _ in range(_GIVEN_UP):
        try:
            return work()
        except KilledWorker:
            client.retry(needed)
    return work()


def _as_it_is(question: Words) -> Words:
    return question


def _answer(shard: Shard, question: Words) -> Words:
    return shard.answer(np.array(question))


def _merge(answers: Sequence[Words]) -> Words:
    return reduce(two_as_one, map(np.array, answers))


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
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise SchemaError(f"Two columns of the frame are both called {twice!r}. Rename one.")
        kinds = {name: frame.dtypes.iloc[k] for k, name in enumerate(names)}
        return Parts(
            client.compute(frame.to_delayed(), retries=_RETRIES),
            names,
            frozenset(name for name in names if is_numeric_dtype(kinds[name])),
            frozenset(name for name in names if str(kinds[name]).lower().startswith("float32")),
        )

    @staticmethod
    def of_scan(scan: Scan) -> Parts:
        """Have workers read the files of a scan."""
        names = list(scan.names)
        kinds = {name: scan.arrow_type(name) for name in names}
        return Parts(
            list(scan.pieces),
            names,
            frozenset(name for name in names if is_number(kinds[name])),
            frozenset(name for name in names if str(kinds[name]) == "float"),
        )


@dataclass(frozen=True)
class Blocks:
    """dask Arrays that stand beside each other: X, y and perhaps weights, under made-up names."""

    arrays: tuple[Any, ...]
    columns: tuple[str, ...]
    names: tuple[str, ...]

    def parts(self, client: Any) -> Parts:
        """Have the blocks of rows computed and joined."""
        blocks = [array.to_delayed().ravel().tolist() for array in self.arrays]
        every = client.compute([one for array in blocks for one in array], retries=_RETRIES)
        n = len(blocks[0])
        rows = [[every[k * n + i] for k in range(len(blocks))] for i in range(n)]
        frames = [
            client.submit(partitions.joined, row, self.names, pure=False, retries=_RETRIES)
            for row in rows
        ]
        kind = self.arrays[0].dtype
        single = frozenset(self.columns) if kind == np.float32 else frozenset()
        return Parts(frames, list(self.names), frozenset(self.columns), single, named=False)


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
    with _client(source.cluster if is_scan else None) as client:
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
        return client.submit(work, *args, pure=False, retries=_RETRIES)

    def gather(futures: list[Any]) -> Any:
        return _patiently(client, futures, lambda: client.gather(futures))

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
    ranges: list[Seen] = gather([submit(partitions.second, one) for one in made])
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


@contextmanager
def _client(cluster: Any) -> Iterator[Any]:
    """Give the client of a cluster: by address, as it is, or the one that is in use."""
    try:
        from distributed import Client, default_client
    except ImportError as error:
        raise ImportError(
            "Fitting on a cluster needs the package distributed. Install it with: "
            "pip install ceiba[dask]"
        ) from error
    if isinstance(cluster, str):
        try:
            made = Client(cluster, timeout=_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise DataError(
                f"There is no Dask scheduler at {cluster}: {error}. Start one with `dask "
                "scheduler`, and give the address that it prints."
            ) from error
        with made:
            yield made
        return
    if cluster is None:
        try:
            cluster = default_client()  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise DataError(
                "A dask DataFrame is learned from on a cluster, and there is no client. Make one: "
                "`from dask.distributed import Client; Client()` uses the cores of this machine."
            ) from error
    if getattr(cluster, "asynchronous", False):
        raise DataError(
            "The Dask client is asynchronous, and fitting waits for answers. Make a client without "
            "asynchronous=True, or fit in a thread that has one."
        )
    yield cluster


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
