"""From a scan to a problem over shards: two passes over the files, then nothing but scratch files.

1. Levels and classes of all rows, and a sample of the numbers, from which bins are placed.
2. Every row is coded, put into bins, and written to scratch files, one for each shard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ceiba.errors import DataError
from ceiba.grow.grow_options import GrowOptions
from ceiba.grow.shards.exchange import ThreadExchange
from ceiba.grow.shards.first_pass import (
    SAMPLED_PIECES,
    UNWEIGHTED,
    FirstPass,
    PieceLook,
    Weighting,
    join,
    look_at,
    sample_numbers,
    settle,
    thinned,
)
from ceiba.grow.shards.plan import Plan, make_plan, seconds_of
from ceiba.grow.shards.scratch import Scratch, bytes_of
from ceiba.grow.shards.second_pass import Seen, agree, fill, weighed
from ceiba.grow.shards.shard import Shard, ShardArrays, empty_arrays, named_arrays
from ceiba.grow.shards.sharded import ShardedTable, ShardedTarget
from ceiba.grow.shards.supported import check_supported
from ceiba.grow.threads import n_threads
from ceiba.table import Kind
from ceiba.table.scanning.scan import Scan
from ceiba.table.schema import Schema

T = TypeVar("T")


@contextmanager
def opened(
    scan: Scan, target: str, options: GrowOptions, weighting: Weighting = UNWEIGHTED
) -> Iterator[tuple[ShardedTable, ShardedTarget]]:
    """Turn a scan into shards that live as long as the `with` block.

    Parameters
    ----------
    scan : Scan
    target : str
        The column to predict.
    options : GrowOptions
    weighting : Weighting
    """
    check_supported(options)
    columns = scan.without(target, *weighting.columns)
    if not columns.names:
        raise DataError(f"The files have no column to learn from besides {target!r}.")
    threads = n_threads(options.n_jobs, scan.n_rows * len(scan.names))
    if scan.watch is not None:
        files = f"{len(scan.files)} files" if len(scan.files) > 1 else "1 file"
        scan.watch("plan", f"{scan.n_rows:,} rows in {files}, which are read piece by piece")
    first = first_pass(columns, target, options, threads, weighting)
    pieces, classes = scan.pieces, options.task == "classification"
    shapes = [
        empty_arrays(
            first.schema,
            piece.n_rows,
            first.single,
            classes=classes,
            weighted=first.weights is not None,
        )
        for piece in pieces
    ]
    plan = plan_of(scan, first, shapes, threads, options.max_depth)
    if scan.watch is not None:
        scan.watch("plan", str(plan))
    with Scratch(scan.scratch) as scratch:
        scratch.check_room(plan.scratch)

        def write(number: int) -> tuple[ShardArrays, Seen]:
            piece = pieces[number]
            arrays = named_arrays(
                scratch.arrays(f"shard{number}", shapes[number]), len(first.schema.columns)
            )
            names = [*first.schema.names, target, *weighting.columns]
            batches = piece.file.batches(piece.groups, names)
            return arrays, piece.naming_file(lambda: fill(arrays, batches, first, target))

        written = _in_threads(write, len(pieces), threads, scan, "writing shard")
        schema, layout = agree(first, [seen for _, seen in written], options)
        shards = [
            Shard(arrays, schema, layout, k, scratch=scratch)
            for k, (arrays, _) in enumerate(written)
        ]
        weight = weighed(first, [seen for _, seen in written])
        yield (
            ShardedTable(
                schema,
                scan.n_rows,
                layout,
                ThreadExchange(shards, threads),
                plan.gathered,
                scan.watch,
                weighed=weight,
                trees_at_once=plan.trees_at_once,
                shard_rows=[piece.n_rows for piece in pieces],
            ),
            ShardedTarget(
                first.target, first.totals if weight is None else weight.per_class, first.units
            ),
        )


def first_pass(
    columns: Scan, target: str, options: GrowOptions, threads: int, weighting: Weighting
) -> FirstPass:
    """Find levels and classes, and place the bins."""
    pieces = columns.pieces
    numbers = columns.numbers
    others = [name for name in columns.names if name not in numbers]

    def look(k: int) -> PieceLook:
        wanted = [*others, target, *weighting.columns]
        batches = pieces[k].file.batches(pieces[k].groups, wanted)
        keep, weight = options.unseen == "error", weighting.column
        return pieces[k].naming_file(
            lambda: look_at(batches, target, options.task, weight, keep_levels=keep)
        )

    whole = join(_in_threads(look, len(pieces), threads, columns, "looking at piece"))
    chosen = np.unique(np.linspace(0, len(pieces) - 1, SAMPLED_PIECES).astype(int)).tolist()
    binned = [*numbers, *(n for n in others if whole.infos[n].kind is not Kind.CATEGORICAL)]
    sample: tuple[Schema, dict[str, Any]] = Schema(()), {}
    if binned:
        batches = [next(pieces[k].file.batches(pieces[k].groups[:1], binned)) for k in chosen]
        sample = sample_numbers(thinned(batches), binned)
    return settle(whole, columns.names, sample, columns.single, (target, options), weighting)


def plan_of(
    scan: Scan, first: FirstPass, shapes: Sequence[Any], threads: int, depth: int | None = None
) -> Plan:
    """Say what growing will take."""
    shape = scan.n_rows, len(first.schema.columns)
    scratch = sum(map(bytes_of, shapes))
    plan = make_plan(shape, len(shapes), scratch, first.node_words, threads, scan.memory)
    return replace(plan, seconds=seconds_of(shape, depth, threads))


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
