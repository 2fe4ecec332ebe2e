"""The figures of a tree whose rows are in shards, by sums that do not depend on their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.grow.shards.binning.distinct import BLOCK
from ceiba.grow.shards.chaid.rounds import DIGITS
from ceiba.grow.shards.layout import NumberTarget
from ceiba.grow.shards.shard import Shard
from ceiba.grow.shards.sharded import ShardedTable
from ceiba.grow.units import Units
from ceiba.table.weights import sums_of_digits
from ceiba.tree import Tree
from ceiba.tree.routing.recount import Arrivals, Endings, endings, recounted
from ceiba.tree.routing.sums import RowSums, Term

Array = npt.NDArray[np.float64]
Digits = npt.NDArray[np.uint64]


def recount_over_shards(tree: Tree, table: ShardedTable, number: int, units: Units) -> Tree:
    """Return the tree with the counts of the rows that it was grown on.

    Parameters
    ----------
    tree : Tree
    table : ShardedTable
    number : int
        Of the tree among those of the shards.
    units : Units
        Of the weights in the shards.
    """
    parts = table.exchange.each(_arrived, [(tree, number)] * table.n_shards)
    summed = (
        np.sum([getattr(one, name) for one in parts], axis=0)
        for name in ("n_rows", "sent_default", "sent_surrogate")
    )
    sums = ShardSums(tree, table, number, units)
    return recounted(tree, Arrivals(*summed), sums, keep_value=False)


@dataclass(frozen=True)
class ShardSums:
    """Sums over rows in shards, each rounded once; for its fields see `recount_over_shards`."""

    tree: Tree
    table: ShardedTable
    number: int
    units: Units

    def weight(self) -> Array:
        """Give the weight of the rows."""
        return self._sums(None)

    def classes(self, k: int, n_classes: int) -> Array:
        """Give the weight of each class, a row for each node."""
        return self._sums(n_classes).reshape(-1, n_classes)

    def numbers(self, k: int, term: Term) -> Array:
        """Give the sum of a term."""
        return self._sums(term)

    def largest(self, k: int) -> float:
        """Give the largest absolute number."""
        own = self.table.layout.target
        assert isinstance(own, NumberTarget)
        return max(abs(own.least), abs(own.most))

    def _sums(self, what: Term | int | None) -> Array:
        given = (self.tree, self.number, what)
        parts = self.table.exchange.each(_summed, [given] * self.table.n_shards)
        digits: Digits = np.sum(parts, axis=0, dtype=np.uint64)
        return np.ldexp(sums_of_digits(digits), self.units.weight)


# --- work on a shard, wherever it is


def _ends(
    shard: Shard, tree: Tree, number: int
) -> Iterator[tuple[npt.NDArray[np.uint32], Endings]]:
    """Yield some rows after others, and where they end."""
    rows = shard.rows_of(number)
    for at in range(0, len(rows), BLOCK):
        own = rows[at : at + BLOCK]
        weights = shard.arrays.weights
        weight = np.ones(len(own)) if weights is None else weights[own]
        yield own, endings(tree, shard.table(own), weight)


def _arrived(shard: Shard, given: tuple[Tree, int]) -> Arrivals:
    tree, number = given
    n_rows, sent = np.zeros((2, tree.n_nodes), np.int64)
    for _, ends in _ends(shard, tree, number):
        n_rows += ends.n_rows.astype(np.int64)
        sent += ends.sent_default
    return Arrivals(n_rows, sent, np.empty(0, np.int64))


def _summed(shard: Shard, given: tuple[Tree, int, Term | int | None]) -> Digits:
    """Give sums as digits: of weights, of weights by class, or of a term."""
    tree, number, what = given
    n_groups = tree.n_nodes * (what if isinstance(what, int) else 1)
    digits: Digits = np.zeros(n_groups * DIGITS, np.uint64)
    for rows, ends in _ends(shard, tree, number):
        sums = RowSums(shard.arrays.target[rows].reshape(-1, 1), ends, tree.n_nodes, _digits)
        if what is None:
            digits += sums.weight()
        else:
            own = sums.classes(0, what) if isinstance(what, int) else sums.numbers(0, what)
            digits += own.ravel()
    return digits


def _digits(groups: npt.NDArray[Any], terms: Array, n: int) -> Digits:
    """Add up exactly; what several shards have may be added."""
    return np.asarray(_core.sum_digits(np.ascontiguousarray(terms), groups.astype(np.int32), n))
