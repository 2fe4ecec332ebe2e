"""A table and a target whose rows are elsewhere: what a `Problem` over shards is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.grow.shards.exchange import Exchange
from ceiba.grow.shards.layout import ShardLayout
from ceiba.grow.units import AS_THEY_ARE, Units
from ceiba.table import Schema, Table, Target, TargetInfo


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
    gather_rows : int, optional
        Nodes with fewer rows are gathered, where that is less than usual: rows that travel are
        dearer than rows that are mapped.
    """

    layout: ShardLayout
    exchange: Exchange
    values_in_memory: int
    watch: Callable[[str, str], None] | None
    gather_rows: int | None

    def __init__(
        self,
        schema: Schema,
        n_rows: int,
        layout: ShardLayout,
        exchange: Exchange,
        values_in_memory: int = 1 << 24,
        watch: Callable[[str, str], None] | None = None,
        gather_rows: int | None = None,
    ) -> None:
        self.__dict__.update(
            schema=schema,
            n_rows=n_rows,
            layout=layout,
            exchange=exchange,
            values_in_memory=values_in_memory,
            watch=watch,
            gather_rows=gather_rows,
        )

    def with_exchange(self, exchange: Exchange) -> ShardedTable:
        """Return the same table, asked in another way."""
        made = ShardedTable.__new__(ShardedTable)
        made.__dict__.update(self.__dict__, exchange=exchange)
        return made


class ShardedTarget(Target):
    """The target of a table in shards: its classes and how many rows each has.

    Parameters
    ----------
    info : TargetInfo
    totals : float64 array
        Rows of each class; empty for numbers.
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
        """Give the rows of each class."""
        return self.totals
