"""Table and target whose rows are divided into shards, and the connection to the shards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow import PLAIN_UNITS, Units
from ceiba.shards.shard import Arrays, ShardLayout, Words
from ceiba.table import Schema, Table, Target, TargetInfo
from ceiba.tree.splits import ALL_DIGITS


class Exchange(Protocol):
    """Connection to the shards in this process, on a cluster or on a GPU."""

    def ask(self, rounds: Words) -> Words:
        """Send requests for histograms, values and rows to all shards; return merged results."""

    def scatter(self, kind: str, arrays: Sequence[Arrays]) -> None:
        """Send arrays of one kind, such as fold numbers, to each shard."""

    def collect(self, kind: str) -> list[Arrays]:
        """Return arrays of one kind, such as sampled values, from each shard in order."""


@dataclass(frozen=True)
class Blocks:
    """Dask Arrays X, y and optional weights with equal row chunks, and generated column names."""

    arrays: tuple[Any, ...]
    columns: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Weighting:
    """The requested row weights: a column, class weights computed from class counts, or both."""

    column: str | None = None
    per_class: Callable[[TargetInfo, npt.NDArray[np.float64]], npt.NDArray[np.float64]] | None = (
        None
    )

    @property
    def columns(self) -> list[str]:
        """The name of the weight column as a list, which is empty without a weight column."""
        return [] if self.column is None else [self.column]


#: Weights of 1 for all rows.
UNWEIGHTED: Final = Weighting()


@dataclass(frozen=True)
class RoundSizes:
    """Limits below which shards send values or whole rows of a node instead of histograms.

    The rows of nodes with fewer than `gather_rows` rows are sent, to grow their subtrees in memory.
    A range of values with more than `fetch_rows` rows gets a finer histogram of 2 ** `zoom_bits`
    bins before its values are sent. The tree does not depend on these limits.
    """

    gather_rows: int = 50_000
    fetch_rows: int = 4096
    zoom_bits: int = 8


@dataclass(frozen=True)
class WeightTotals:
    """Number and sum of the positive row weights of all shards, in total and per class."""

    n_rows: int
    total: float
    per_class: npt.NDArray[np.float64]


class ShardedTable(Table):
    """A table whose rows are divided into shards."""

    grower: ClassVar[str] = "shards"
    is_whole: ClassVar[bool] = False

    layout: ShardLayout
    exchange: Exchange
    shard_rows: Sequence[int]
    weight_totals: WeightTotals | None = None
    values_in_memory: int = 1 << 24
    sizes: RoundSizes = RoundSizes()
    trees_at_once: int = 16
    watch: Callable[[str, str], None] | None = None

    def __init__(
        self,
        schema: Schema,
        layout: ShardLayout,
        exchange: Exchange,
        shard_rows: Sequence[int],
        **settings: Any,
    ) -> None:
        state = {"schema": schema, "layout": layout, "exchange": exchange, "shard_rows": shard_rows}
        self.__dict__.update(state, n_rows=sum(shard_rows), **settings)

    @property
    def n_shards(self) -> int:
        """The number of shards of the table."""
        return len(self.shard_rows)

    def cut_digits(
        self, column: npt.NDArray[Any], cut: npt.NDArray[Any], rows: Any = None
    ) -> npt.NDArray[np.int8]:
        """Return the number of digits to print for each cut, from the column values next to it."""
        digits = np.array(_core.gap_digits(cut, cut, cut))
        (unknown,) = np.nonzero(digits == ALL_DIGITS)
        if len(unknown):  # the digits of all other cuts are already known
            self.exchange.scatter("cuts", [(column[unknown], cut[unknown])] * self.n_shards)
            below, above = zip(*self.exchange.collect("gaps"), strict=True)
            lowest, highest = np.max(below, axis=0), np.min(above, axis=0)
            digits[unknown] = _core.gap_digits(cut[unknown], lowest, highest)
        return digits

    def with_changes(self, **attributes: Any) -> ShardedTable:
        """Return the table with some attributes replaced."""
        table = ShardedTable.__new__(ShardedTable)
        table.__dict__.update(self.__dict__, **attributes)
        return table


class ShardedTarget(Target):
    """The target of a table in shards: name, task, classes, total class weights and units.

    `values` is set only for survival trees and for cross-validation (see `shards.grower`).
    """

    totals: npt.NDArray[np.float64]
    units: Units

    def __init__(
        self,
        info: TargetInfo,
        totals: npt.NDArray[np.float64],
        units: Units = PLAIN_UNITS,
        values: npt.NDArray[Any] | None = None,
    ) -> None:
        self.__dict__.update(info=info, totals=totals, units=units, values=values)

    def class_totals(self, weight: Any) -> npt.NDArray[np.float64]:
        """Return the total weight of each class."""
        return self.totals
