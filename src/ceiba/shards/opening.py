"""The way into shards: a table beyond memory finds its home."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from ceiba.grow.grow_options import GrowOptions
from ceiba.shards.homes import dask, threads
from ceiba.shards.table import UNWEIGHTED, ShardedTable, ShardedTarget, Weighting
from ceiba.table import Scan


def open_table(
    source: Any, target: str, options: GrowOptions, weighting: Weighting = UNWEIGHTED
) -> AbstractContextManager[tuple[ShardedTable, ShardedTarget]]:
    """Turn a scan, or a table on a cluster, into shards that live as long as a `with` block."""
    here = isinstance(source, Scan) and source.cluster is None
    opening = threads.open_table if here else dask.open_table
    return opening(source, target, options, weighting)
