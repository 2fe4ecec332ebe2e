"""What growing out of core will take: rows, shards, scratch, memory; known before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ceiba.errors import OptionError
from ceiba.grow.shards.grower import GATHER_ROWS
from ceiba.table.scanning.parquet import BATCH_ROWS
from ceiba.visible import counted

_BASE: Final = 250_000_000  # Python, numpy, pyarrow and their buffers
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
    trees_at_once: int = 1

    def __str__(self) -> str:
        return (
            f"{self.n_rows:,} rows x {self.n_columns} columns in {self.n_shards} shards; "
            f"scratch {self.scratch / 1e9:.2f} GB, memory {self.memory / 1e9:.2f} GB, "
            f"{counted(self.n_threads, 'thread')}"
        )


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
    return Plan(n_rows, n_columns, n_shards, n_threads, scratch, memory, gathered, trees)
