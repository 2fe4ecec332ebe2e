"""Define the table and target of a `Problem` whose rows are in shards."""

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
    """The connection to the shards: threads of this process, or workers of a cluster."""

    def ask(self, rounds: Words) -> Words:
        """Send the same rounds to all shards; return their merged answer."""

    def scatter(self, kind: str, arrays: Sequence[Arrays]) -> None:
        """Send each shard its arrays of a kind."""

    def collect(self, kind: str) -> list[Arrays]:
        """Return the arrays of a kind of each shard, in shard order."""


@dataclass(frozen=True)
class Blocks:
    """Dask Arrays X, y and optional weights with equal row chunks and generated names."""

    arrays: tuple[Any, ...]
    columns: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Weighting:
    """The requested weights: a column, a function of the class counts, or both."""

    column: str | None = None
    per_class: Callable[[TargetInfo, npt.NDArray[np.float64]], npt.NDArray[np.float64]] | None = (
        None
    )

    @property
    def columns(self) -> list[str]:
        """The names of the weight column, if there is one."""
        return [] if self.column is None else [self.column]


#: No weights: every row counts 1.
UNWEIGHTED: Final = Weighting()


@dataclass(frozen=True)
class RoundSizes:
    """Limits for a kind of shards, by the cost of counting rows again or sending them.

    Nodes with fewer than `gather_rows` rows are gathered and grown in memory. A range of values
    with more than `fetch_rows` rows is counted again in 2 ** `zoom_bits` parts before it is
    fetched. The tree does not depend on them.
    """

    gather_rows: int = 50_000
    fetch_rows: int = 4096
    zoom_bits: int = 8


@dataclass(frozen=True)
class WeightTotals:
    """Sums of the weights over all shards of a table."""

    n_rows: int
    total: float
    per_class: npt.NDArray[np.float64]


class ShardedTable(Table):
    """A table whose columns are in shards."""

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
        """Number of shards."""
        return len(self.shard_rows)

    def cut_digits(
        self, column: npt.NDArray[Any], cut: npt.NDArray[Any], rows: Any = None
    ) -> npt.NDArray[np.int8]:
        """Return the digits for printed cuts, from the adjacent values in all shards."""
        digits = np.array(_core.gap_digits(cut, cut, cut))
        (unknown,) = np.nonzero(digits == ALL_DIGITS)
        if len(unknown):  # all other cuts are short decimals
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
    """The target of a table in shards: its classes and the weight of each.

    `values` is set for cross-validation only (see `grower.with_targets`).
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
        """Return the weight of each class."""
        return self.totals
