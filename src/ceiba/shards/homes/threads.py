"""Host shards in scratch files that threads of this process read.

The files of a scan are read twice. The first pass finds levels, classes and a sample of the numbers
that determines the bins. The second one encodes and bins every row into one scratch file per shard.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, TypeVar

import numpy as np

from ceiba import _core
from ceiba.errors import DataError, OptionError
from ceiba.formatting import pluralize
from ceiba.grow import GrowOptions
from ceiba.shards.first_pass import (
    SAMPLED_PIECES,
    FirstPass,
    PieceSummary,
    build_first_pass,
    merge_pieces,
    sample_numbers,
    summarize_piece,
    thin_batches,
)
from ceiba.shards.grower import check_supported
from ceiba.shards.scratch import Scratch, file_size
from ceiba.shards.second_pass import ShardSummary, fill_arrays, merge_summaries
from ceiba.shards.shard import Arrays, Shard, ShardArrays, Words, build_shard_arrays
from ceiba.shards.table import RoundSizes, ShardedTable, ShardedTarget, Weighting
from ceiba.table import Kind, Schema
from ceiba.table.scanning import BATCH_ROWS, Scan
from ceiba.tree.routing import n_threads

T = TypeVar("T")
#: Collecting the rows of a node is cheap, because they are not sent over a network.
SIZES: Final = RoundSizes()
_BASE: Final = 250_000_000  # memory of Python, numpy, pyarrow and their buffers, in bytes
# Nanoseconds per value for reading and encoding, for growing a level, and for finishing small nodes
# without a depth limit, measured on 1 to 10 million rows with 20 columns. Only their ratios are
# used, because reading and encoding are timed on the actual machine.
_SETUP, _LEVEL, _FINISH = 55, 5, 60
_COPIES: Final = 6  # copies in memory: of a batch while reading, of rows while growing


class ThreadExchange:
    """Connection to the shards of this process, which are processed in threads."""

    def __init__(self, shards: Sequence[Shard], n_threads: int) -> None:
        self._shards = shards
        self._n_threads = max(1, min(n_threads, len(shards)))

    def ask(self, rounds: Words) -> Words:
        """Send requests for histograms, values and rows to all shards; return merged results."""

        def share(first: int) -> Words:
            shards = self._shards[first :: self._n_threads]
            return reduce(_core.merge_answers, (shard.answer(rounds) for shard in shards))

        if self._n_threads == 1:
            return share(0)
        with ThreadPoolExecutor(self._n_threads) as pool:
            return reduce(_core.merge_answers, list(pool.map(share, range(self._n_threads))))

    def scatter(self, kind: str, arrays: Sequence[Arrays]) -> None:
        """Send arrays of one kind, such as fold numbers, to each shard."""
        pairs = zip(self._shards, arrays, strict=True)
        self._shards = [shard.scatter(kind, numbers) for shard, numbers in pairs]

    def collect(self, kind: str) -> list[Arrays]:
        """Return arrays of one kind, such as sampled values, from each shard in order."""
        with ThreadPoolExecutor(self._n_threads) as pool:
            return list(pool.map(lambda shard: shard.collect(kind), self._shards))


@contextmanager
def open_table(
    scan: Scan, target: str, options: GrowOptions, weighting: Weighting
) -> Iterator[tuple[ShardedTable, ShardedTarget]]:
    """Divide the files of a scan into shards, and yield the sharded table and its target."""
    check_supported(options)
    columns = scan.without(target, *weighting.columns)
    if not columns.names:
        raise DataError(f"The files must have a feature column, got only {list(scan.names)}.")
    threads = n_threads(options.n_jobs, scan.n_rows * len(scan.names))
    started = time.perf_counter()
    if scan.watch is not None:
        files = f"{len(scan.files)} files" if len(scan.files) > 1 else "1 file"
        scan.watch("plan", f"{scan.n_rows:,} rows in {files}, read piece by piece")
    first = run_first_pass(columns, target, options, threads, weighting)
    read = time.perf_counter() - started
    pieces = scan.pieces
    shapes = [first.shapes(piece.n_rows) for piece in pieces]
    plan = make_plan(scan, first, shapes, threads, options.max_depth)
    if scan.watch is not None:
        scan.watch("plan", str(plan))
    with Scratch(scan.scratch) as scratch:
        scratch.check_free_space(plan.scratch)

        def write(number: int) -> tuple[ShardArrays, ShardSummary]:
            begin = time.perf_counter()
            arrays = build_shard_arrays(scratch.arrays(f"shard{number}", shapes[number]))
            shard_summary = fill_arrays(arrays, pieces[number], first, target)
            durations[number] = time.perf_counter() - begin
            return arrays, shard_summary

        def report(number: int) -> None:
            if number == timed and scan.watch is not None:
                scan.watch("plan", plan.duration(read, durations[timed], pieces[timed].n_rows))
            _report(scan, "writing shard", number, len(pieces))

        durations: dict[int, float] = {}
        # Time the first shard that is not small, because fixed costs dominate small ones.
        timed = next(k for k, p in enumerate(pieces) if 2 * p.n_rows * len(pieces) >= scan.n_rows)
        results = _map_in_threads(write, len(pieces), threads, report)
        summary = merge_summaries(first, [part_summary for _, part_summary in results], options)
        shards = [
            Shard(arrays, summary.schema, summary.layout, k, scratch=scratch)
            for k, (arrays, _) in enumerate(results)
        ]
        table = ShardedTable(
            summary.schema,
            summary.layout,
            ThreadExchange(shards, threads),
            [piece.n_rows for piece in pieces],
            weight_totals=summary.weight_totals,
            sizes=SIZES,
            values_in_memory=plan.gathered,
            trees_at_once=plan.trees_at_once,
            watch=scan.watch,
        )
        yield table, summary.target


def run_first_pass(
    columns: Scan, target: str, options: GrowOptions, threads: int, weighting: Weighting
) -> FirstPass:
    """Return the levels, classes and bins found in the pieces of a scan."""
    pieces = columns.pieces
    numbers = columns.numbers
    categorical = [name for name in columns.names if name not in numbers]

    def look(k: int) -> PieceSummary:
        return summarize_piece(pieces[k], categorical, target, weighting.column, options)

    def report(number: int) -> None:
        _report(columns, "scanning piece", number, len(pieces))

    summary = merge_pieces(_map_in_threads(look, len(pieces), threads, report))
    chosen = np.unique(np.linspace(0, len(pieces) - 1, SAMPLED_PIECES).astype(int)).tolist()
    binned = [*numbers, *(n for n in categorical if summary.infos[n].kind is not Kind.CATEGORICAL)]
    sample: tuple[Schema, dict[str, Any]] = Schema(()), {}
    if binned:
        batches = [next(pieces[k].file.batches(pieces[k].groups[:1], binned)) for k in chosen]
        sample = sample_numbers(thin_batches(batches), binned)
    return build_first_pass(
        summary, columns.names, sample, columns.single, (target, options), weighting
    )


def _report(scan: Scan, label: str, number: int, n: int) -> None:
    if scan.watch is not None:
        scan.watch("progress", f"{label} {number + 1} of {n}")


def _map_in_threads(
    work: Callable[[int], T], n: int, threads: int, report: Callable[[int], None]
) -> list[T]:
    """Return `work(k)` for all k below n, computed in threads. An error cancels later calls."""
    done: list[T] = []
    with ThreadPoolExecutor(max(1, min(threads, n))) as pool:
        futures = [pool.submit(work, k) for k in range(n)]
        try:
            for k, future in enumerate(futures):
                done.append(future.result())
                report(k)
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    return done


# --- the plan, which is known before growing begins


@dataclass(frozen=True)
class ShardPlan:
    """Size of a fit: rows, shards, threads, and bytes on disk and in memory."""

    n_rows: int
    n_columns: int
    n_shards: int
    n_threads: int
    scratch: int
    memory: int
    gathered: int
    growing: float  # time for growing divided by time for reading
    trees_at_once: int

    def __str__(self) -> str:
        return (
            f"{self.n_rows:,} rows x {self.n_columns} columns in {self.n_shards} shards; "
            f"scratch {self.scratch / 1e9:.2f} GB, memory {self.memory / 1e9:.2f} GB, "
            f"{pluralize(self.n_threads, 'thread')}"
        )

    def duration(self, read: float, shard: float, shard_rows: int) -> str:
        """Estimate the time for a tree from the seconds for the first pass and for one shard."""
        writing = shard * self.n_rows / shard_rows / max(1, min(self.n_threads, self.n_shards))
        text = _duration((read + writing) * (1.0 + self.growing))
        return f"about {text} for a tree, measured on the first shard"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def make_plan(
    scan: Scan, first: FirstPass, shapes: Sequence[Any], n_threads: int, depth: int | None = None
) -> ShardPlan:
    """Return the plan for growing within the scan's memory limit."""
    n_rows, n_columns, limit = scan.n_rows, len(first.schema.columns), scan.memory
    nodes = max(1, n_rows // SIZES.gather_rows)  # maximum number of nodes that grow at once
    counts = 8 * first.node_words * (2 * nodes + 2 * n_threads)
    reading = n_threads * BATCH_ROWS * (n_columns + 1) * 8 * _COPIES
    fixed = _BASE + max(counts, reading)
    smallest = SIZES.gather_rows * (n_columns + 1)
    left = (limit - fixed) // (8 * _COPIES)
    if left < smallest:
        n_bytes = fixed + smallest * 8 * _COPIES
        raise OptionError(
            f"`memory` must be at least {-(-n_bytes // 10**6)} MB for this table, got "
            f"{limit / 1e6:g} MB. Increase it, or use fewer threads (n_jobs)."
        )
    gathered = int(min(left, 1 << 25, max(smallest, n_rows * (n_columns + 1))))
    memory = fixed + gathered * 8 * _COPIES
    return ShardPlan(
        n_rows,
        n_columns,
        n_shards=len(shapes),
        n_threads=n_threads,
        scratch=sum(map(file_size, shapes)),
        memory=memory,
        gathered=gathered,
        growing=_growing_work(n_rows, depth) / _SETUP,
        trees_at_once=max(1, int((limit - memory) // counts) + 1),
    )


def _growing_work(n_rows: int, depth: int | None) -> float:
    """Estimate the time for growing a tree on an idle machine, in nanoseconds per value."""
    levels = max(0.0, math.log2(max(1, n_rows) / SIZES.gather_rows))
    return _LEVEL * levels + _FINISH if depth is None else _LEVEL * depth
