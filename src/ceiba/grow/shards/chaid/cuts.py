"""Bins of about equal size over shards: the cuts of `ceiba.grow.chaid.categories`.

A cut stands behind the value of a certain rank. Which bin of the shards holds it follows from their
counts; a bin with many rows is counted again in 256 parts of its range of values, and of what is
left the values are fetched, with the rows of each. The next larger value is asked for at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from ceiba.grow.chaid.categories import (
    Categories,
    cuts_between,
    of_cuts,
    of_levels,
    places_of_cuts,
)
from ceiba.grow.shards.binning.distinct import few_values, joined, numbers_in_blocks
from ceiba.grow.shards.binning.keys import Keys, keys_of
from ceiba.grow.shards.layout import NumberBins
from ceiba.grow.shards.shard import Shard
from ceiba.grow.shards.sharded import ShardedTable
from ceiba.table import Kind

T = TypeVar("T")
Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
#: Values of a stretch with fewer rows are fetched.
FETCH_ROWS: Final = 1 << 17
_PARTS: Final = 256


@dataclass(frozen=True)
class Stretch:
    """Keys of a column from low to high, its rows, those below it, and the ranks that it holds."""

    low: int
    high: int
    n_rows: int
    n_below: int
    ranks: Array

    @property
    def shift(self) -> int:
        """The bits that a part of this stretch leaves out."""
        return max(0, (self.high - self.low).bit_length() - 8)

    @property
    def is_small(self) -> bool:
        """Whether its values are fetched."""
        return self.n_rows <= FETCH_ROWS or self.high - self.low < _PARTS

    def holds(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Tell which keys lie in it."""
        return np.asarray((keys >= np.uint64(self.low)) & (keys <= np.uint64(self.high)))

    def parts(self, counts: Counts) -> list[Stretch]:
        """Give the parts that hold a rank."""
        up_to = self.n_below + np.cumsum(counts)
        place = np.searchsorted(up_to, self.ranks)
        return [
            Stretch(
                self.low + (p << self.shift),
                min(self.high, self.low + ((p + 1) << self.shift) - 1),
                int(counts[p]),
                int(up_to[p] - counts[p]),
                self.ranks[place == p],
            )
            for p in np.unique(place).tolist()
        ]


def categories_over_shards(table: ShardedTable, tree: int, bins: int) -> list[Categories]:
    """Give the categories of all columns, of which numbers are put into bins by a tree's rows."""
    columns = table.schema.columns
    numeric = [j for j, info in enumerate(columns) if info.kind is Kind.NUMERIC]
    looks = table.exchange.each(_look, [(tree, numeric, bins)] * table.n_shards)
    made = [of_levels(info) for info in columns]
    for k, j in enumerate(numeric):
        few = joined([look[k][0] for look in looks], bins)
        if few is not None:
            made[j] = of_cuts(cuts_between(few[:-1], few[1:]))
            continue
        counts = np.sum([look[k][1] for look in looks], axis=0)
        made[j] = of_cuts(_cuts(table, tree, j, bins, counts))
    return made


def _cuts(table: ShardedTable, tree: int, j: int, bins: int, counts: Counts) -> Array:
    def each(work: Callable[[Shard, Any], T], given: Any) -> list[T]:
        return table.exchange.each(work, [(tree, j, given)] * table.n_shards)

    open_ones = _bins_with_ranks(table, j, counts, places_of_cuts(int(counts.sum()), bins))
    small: list[Stretch] = []
    while open_ones:
        small += [one for one in open_ones if one.is_small]
        large = [one for one in open_ones if not one.is_small]
        counted = np.sum(each(_counted, large), axis=0) if large else np.empty((0, _PARTS))
        open_ones = [
            part for one, own in zip(large, counted, strict=True) for part in one.parts(own)
        ]
    runs = each(_fetched, small)
    values = [_at_ranks(one, [own[k] for own in runs]) for k, one in enumerate(small)]
    below = np.unique(np.concatenate(values))
    above = np.min(each(_next_above, below), axis=0)
    there = np.isfinite(above)
    return cuts_between(below[there], above[there])


def _bins_with_ranks(table: ShardedTable, j: int, counts: Counts, ranks: Array) -> list[Stretch]:
    """Give the bins of a column that hold a rank."""
    column = table.layout.columns[j]
    assert isinstance(column, NumberBins)
    up_to = np.cumsum(counts)
    place = np.searchsorted(up_to, ranks)
    least, most = keys_of(column.least), keys_of(column.most)
    return [
        Stretch(
            int(least[b]),
            int(most[b]),
            int(counts[b]),
            int(up_to[b] - counts[b]),
            ranks[place == b],
        )
        for b in np.unique(place).tolist()
    ]


def _at_ranks(stretch: Stretch, runs: Sequence[tuple[Array, Counts]]) -> Array:
    """Give the values of the ranks of a stretch, from its values in each shard and their rows."""
    values, place = np.unique(np.concatenate([own for own, _ in runs]), return_inverse=True)
    rows = np.bincount(place, weights=np.concatenate([own for _, own in runs]))
    up_to = stretch.n_below + np.cumsum(rows)
    return np.asarray(values[np.searchsorted(up_to, stretch.ranks)])


# --- work on a shard, wherever it is


def _look(shard: Shard, given: tuple[int, Sequence[int], int]) -> list[tuple[Array, Counts]]:
    """Give the values of columns that have few, and the rows in each bin of the shards."""
    tree, columns, most = given
    rows = shard.rows_of(tree)
    binned = [j for j, one in enumerate(shard.layout.columns) if isinstance(one, NumberBins)]
    looks = []
    for j in columns:
        own = shard.layout.columns[j]
        assert isinstance(own, NumberBins)
        n_bins = len(own.edge) + 1
        counts = np.bincount(shard.arrays.bins[rows, binned.index(j)], minlength=n_bins + 1)
        looks.append((few_values(shard, j, rows, most), counts[:n_bins]))
    return looks


def _counted(shard: Shard, given: tuple[int, int, Sequence[Stretch]]) -> Counts:
    """Count the rows in the parts of stretches."""
    tree, j, stretches = given
    counts = np.zeros((len(stretches), _PARTS), np.int64)
    for numbers in numbers_in_blocks(shard, j, shard.rows_of(tree)):
        keys = keys_of(numbers)
        for own, one in zip(counts, stretches, strict=True):
            part = (keys[one.holds(keys)] - np.uint64(one.low)) >> np.uint64(one.shift)
            own += np.bincount(part.astype(np.intp), minlength=_PARTS)
    return counts


def _fetched(shard: Shard, given: tuple[int, int, Sequence[Stretch]]) -> list[tuple[Array, Counts]]:
    """Give the values in stretches, and the rows of each."""
    tree, j, stretches = given
    inside: list[list[Array]] = [[np.empty(0)] for _ in stretches]
    for numbers in numbers_in_blocks(shard, j, shard.rows_of(tree)):
        keys = keys_of(numbers)
        for own, one in zip(inside, stretches, strict=True):
            own.append(numbers[one.holds(keys)])
    return [np.unique(np.concatenate(own), return_counts=True) for own in inside]


def _next_above(shard: Shard, given: tuple[int, int, Array]) -> Array:
    """Give the least number above each of some numbers, which ascend; infinity if there is none."""
    tree, j, below = given
    above = np.full(len(below) + 1, np.inf)
    for numbers in numbers_in_blocks(shard, j, shard.rows_of(tree)):
        place = np.searchsorted(below, numbers, side="left")  # of `below` that are less
        for k in np.unique(place).tolist():
            above[k] = min(above[k], numbers[place == k].min())
    # What is above one number and not above the next may be the next itself, or nothing.
    return np.minimum.accumulate(above[::-1])[::-1][1:]
