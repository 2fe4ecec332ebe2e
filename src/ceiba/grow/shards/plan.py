"""What growing out of core will take: rows, shards, scratch, memory; known before it begins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from ceiba.errors import OptionError
from ceiba.grow.shards.grower import GATHER_ROWS
from ceiba.table.scanning.parquet import BATCH_ROWS
from ceiba.visible import counted

_BASE: Final = 250_000_000  # Python, numpy, pyarrow and their buffers
# Nanoseconds per value, measured at 1 to 10 million rows x 20: reading and coding, each level, and
# finishing small nodes where no depth ends the tree before.
_SETUP, _LEVEL, _FINISH = 55, 5, 60
_COPIES: Final = 6  # of a batch while it is read, and of gathered rows while they are grown


@dataclass(frozen=True)
class Plan:
    """Rows, shards, bytes on disk and in memory.

    Attributes
    ----------
    n_rows, n_columns, n_shards, n_threads : int
    scratch : int
        Bytes of the temporary files.
    memory : int
        Bytes that growing takes at most, by estimate.
    gathered : int
        Values of small nodes gathered at a time.
    seconds : float
        Expected time, if the processor has nothing else to do.
    trees_at_once : int
        Trees (those of folds) whose counts have room beside each other.
    """

    n_rows: int
    n_columns: int
    n_shards: int
    n_threads: int
    scratch: int
    memory: int
    gathered: int
    seconds: float = 0.0
    trees_at_once: int = 1

    def __str__(self) -> str:
        return (
            f"{self.n_rows:,} rows x {self.n_columns} columns in {self.n_shards} shards; "
            f"scratch {self.scratch / 1e9:.2f} GB, memory {self.memory / 1e9:.2f} GB, "
            f"{counted(self.n_threads, 'thread')}, about {_duration(self.seconds)}"
        )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def seconds_of(shape: tuple[int, int], depth: int | None, n_threads: int) -> float:
    """Expect how long growing takes.

    Examples
    --------
    >>> from ceiba.grow.shards.plan import seconds_of
    >>> round(seconds_of((10_000_000, 20), depth=8, n_threads=1))
    19
    """
    n_rows, n_columns = shape
    levels = max(0.0, math.log2(max(1, n_rows) / GATHER_ROWS))
    each = _SETUP + _LEVEL * (levels if depth is None else min(depth, levels))
    if depth is None or depth > levels:
        each += _FINISH if depth is None else _LEVEL * (depth - levels)
    return n_rows * n_columns * each * 1e-9 / n_threads


def make_plan(
    shape: tuple[int, int], n_shards: int, scratch: int, node_words: int, n_threads: int, limit: int
) -> Plan:
    """Plan within a limit of memory.

    Parameters
    ----------
    shape : (n_rows, n_columns)
    n_shards : int
    scratch : int
        Bytes of the scratch files.
    node_words : int
        64-bit words of the counts of one node.
    n_threads : int
    limit : int
        Bytes of memory.

    Raises
    ------
    OptionError
        If the limit is too low for any plan.
    """
    n_rows, n_columns = shape
    nodes = max(1, n_rows // GATHER_ROWS)  # open at a time, at most
    counts = 8 * node_words * (2 * nodes + 2 * n_threads)
    reading = n_threads * BATCH_ROWS * (n_columns + 1) * 8 * _COPIES
    fixed = _BASE + max(counts, reading)
    smallest = GATHER_ROWS * (n_columns + 1)
    left = (limit - fixed) // (8 * _COPIES)
    if left < smallest:
        needed = fixed + smallest * 8 * _COPIES
        raise OptionError(
            f"memory={limit / 1e9:.3g} GB is too little for this table: {needed / 1e9:.3g} GB are "
            "needed. Give more, or use fewer threads (n_jobs)."
        )
    gathered = int(min(left, 1 << 25, max(smallest, n_rows * (n_columns + 1))))
    memory = fixed + gathered * 8 * _COPIES
    trees = max(1, int((limit - memory) // counts) + 1)
    own = (n_rows, n_columns, n_shards, n_threads, scratch, memory, gathered)
    return Plan(*own, trees_at_once=trees)
