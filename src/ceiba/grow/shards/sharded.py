"""A table and a target whose rows are elsewhere: what a `Problem` over shards is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.grow.shards.exchange import Exchange
from ceiba.grow.shards.layout import ShardLayout
from ceiba.grow.units import AS_THEY_ARE, Units
from ceiba.table import Schema, Table, Target, TargetInfo


@dataclass(frozen=True)
class Weighed:
    """The weights of all rows of a table in shards.

    Attributes
    ----------
    n_rows : int
        Rows of a weight above 0; the others are in no node.
    total : float
        The weight of all, in the units of growing.
    per_class : float64 array
        The weight of each class; of numbers, of all.
    """

    n_rows: int
    total: float
    per_class: npt.NDArray[np.float64]


class ShardedTable(Table):
    """A table in shards; there are no columns to look at here.

    Parameters
    ----------
    schema : Schema
    n_rows : int
    layout : ShardLayout
    exchange : Exchange
    values_in_memory : int
        Values of small nodes that may be gathered at a time.
    watch : callable, optional
        Told in words how far growing is.
    gather_rows, fetch_rows : int, optional
        Nodes with fewer rows are gathered, and stretches with fewer rows fetched, where that is
        less than usual: rows that travel are dearer than rows that are mapped.
    weighed : Weighed, optional
        None: every row counts 1.
    trees_at_once : int
        Trees that may be grown in the same rounds.
    shard_rows : sequence of int
        Rows of each shard.
    """

    layout: ShardLayout
    exchange: Exchange
    values_in_memory: int
    watch: Callable[[str, str], None] | None
    gather_rows: int | None
    fetch_rows: int | None
    weighed: Weighed | None
    trees_at_once: int
    shard_rows: Sequence[int]

    def __init__(
        self,
        schema: Schema,
        n_rows: int,
        layout: ShardLayout,
        exchange: Exchange,
        values_in_memory: int = 1 << 24,
        watch: Callable[[str, str], None] | None = None,
        gather_rows: int | None = None,
        fetch_rows: int | None = None,
        weighed: Weighed | None = None,
        trees_at_once: int = 16,
        shard_rows: Sequence[int] = (),
    ) -> None:
        self.__dict__.update(
            schema=schema,
            n_rows=n_rows,
            layout=layout,
            exchange=exchange,
            values_in_memory=values_in_memory,
            watch=watch,
            gather_rows=gather_rows,
            fetch_rows=fetch_rows,
            weighed=weighed,
            trees_at_once=trees_at_once,
            shard_rows=tuple(shard_rows),
        )

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return len(self.shard_rows)

    def by_shard(self, rows: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Give an array of one entry per row in the parts that the shards have."""
        return np.split(rows, np.cumsum(self.shard_rows)[:-1])

    def changed(self, **own: Any) -> ShardedTable:
        """Return the same table with other attributes."""
        made = ShardedTable.__new__(ShardedTable)
        made.__dict__.update(self.__dict__, **own)
        return made


class ShardedTarget(Target):
    """The target of a table in shards: its classes and how much weight each has.

    Parameters
    ----------
    info : TargetInfo
    totals : float64 array
        Weight of each class; empty for numbers.
    units : Units
        In which numbers are grown.
    """

    totals: npt.NDArray[np.float64]
    units: Units

    def __init__(
        self, info: TargetInfo, totals: npt.NDArray[np.float64], units: Units = AS_THEY_ARE
    ) -> None:
        self.__dict__.update(info=info, totals=totals, units=units)

    def class_totals(self, weight: Any) -> npt.NDArray[np.float64]:
        """Give the weight of each class."""
        return self.totals
