"""Surrogate splits and competitors (runner-up splits), stored as ragged arrays over nodes.

The entries of node i are the rows `start[i]:start[i + 1]` of a `SplitTable`, best first.
As in Breiman et al. (1984), section 5.3, agreement is the share of rows (present in both columns)
that the surrogate sends to the same branch as the primary split, and adjusted agreement the share
of the majority rule's error that it removes: `(agreement - majority) / (1 - majority)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from ceiba.table import Schema, Table
from ceiba.tree.arrays import Array, ArrayRecord, take_ragged
from ceiba.tree.splits.split_table import Split, SplitKind, SplitTable

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

_Stored = TypeVar("_Stored", bound="SplitsByNode")


@dataclass(frozen=True)
class Surrogate:
    """A surrogate split of a node, its agreement and the number of rows that it routed.

    Examples
    --------
    >>> from ceiba.tree import Cut, Surrogate
    >>> Surrogate(Cut("age", 30.5), agreement=0.9, adjusted=0.5, sent=4).sent
    4
    """

    split: Split
    agreement: float
    adjusted: float
    sent: int


@dataclass(frozen=True)
class Competitor:
    """A runner-up split of a node and its gain.

    Examples
    --------
    >>> from ceiba.tree import Competitor, Cut
    >>> Competitor(Cut("age", 30.5), gain=0.25).gain
    0.25
    """

    split: Split
    gain: float


@dataclass(frozen=True, eq=False)
class SplitsByNode(ArrayRecord):
    """Base class of tables with several splits per node, stored as ragged arrays."""

    start: Array
    splits: SplitTable

    def __len__(self) -> int:
        return len(self.splits)

    @classmethod
    def figures(cls) -> list[str]:
        """Return the names of the arrays with one entry per split."""
        return [name for name in cls._DTYPES if name != "start"]

    @classmethod
    def none(cls, n_nodes: int) -> Self:
        """Return a table in which no node has a split."""
        return cls(np.zeros(n_nodes + 1), SplitTable.none(0), *(np.zeros(0) for _ in cls.figures()))

    def take(self, nodes: Array, leaf: Array | None = None) -> Self:
        """Return the splits of the given nodes, without splits where `leaf` is True."""
        entries = np.arange(len(self), dtype=np.int64)
        start, (rows,) = take_ragged(self.start, (entries,), nodes, leaf)
        figures: dict[str, Any] = {name: getattr(self, name)[rows] for name in self.figures()}
        return replace(self, start=start, splits=self.splits.take(rows), **figures)

    def _rows(self, node: int, schema: Schema) -> Iterator[tuple[int, Split]]:
        for k in range(int(self.start[node]), int(self.start[node + 1])):
            split = self.splits.split(k, schema)
            if split is not None:
                yield k, split


@dataclass(frozen=True, eq=False)
class SurrogateTable(SplitsByNode):
    """The surrogates of all nodes, best first, with the fields of `Surrogate`."""

    agreement: Array
    adjusted: Array
    sent: Array
    in_use: bool = True  # False if surrogates are only for inspection (rpart: usesurrogate = 0)

    _DTYPES: ClassVar = {
        "start": np.int32,
        "agreement": np.float64,
        "adjusted": np.float64,
        "sent": np.int64,
    }

    def of(self, node: int, schema: Schema) -> tuple[Surrogate, ...]:
        """Return the surrogates of one node, best first."""
        return tuple(
            Surrogate(split, float(self.agreement[k]), float(self.adjusted[k]), int(self.sent[k]))
            for k, split in self._rows(node, schema)
        )


@dataclass(frozen=True, eq=False)
class CompetitorTable(SplitsByNode):
    """The runner-up splits of all nodes, with their gains in the unit of `Tree.gain`."""

    gain: Array

    _DTYPES: ClassVar = {"start": np.int32, "gain": np.float64}

    def of(self, node: int, schema: Schema) -> tuple[Competitor, ...]:
        """Return the competitors of one node, best first."""
        rows = self._rows(node, schema)
        return tuple(Competitor(split, float(self.gain[k])) for k, split in rows)


def with_cut_digits(tree: Tree, table: Table, rows: Array | None = None) -> Tree:
    """Return the tree with the number of digits that its printed cuts need to route correctly."""
    if tree._grown is not None:  # set the digits in the core without copying arrays
        arrays, kinds = tree._grown.arrays, ("splits", "surrogates", "competitors")
        tables = [SplitTable(**arrays.views()[kind]) for kind in kinds]
        arrays.set_digits(*(_with_digits(splits, table, rows).digits for splits in tables))
        return tree

    def with_digits(extra: _Stored | None) -> _Stored | None:
        return extra and replace(extra, splits=_with_digits(extra.splits, table, rows))

    return replace(
        tree,
        splits=_with_digits(tree.splits, table, rows),
        surrogates=with_digits(tree.surrogates),
        competitors=with_digits(tree.competitors),
    )


def _with_digits(splits: SplitTable, table: Table, rows: Any) -> SplitTable:
    """Return the splits with the number of digits needed to print their cuts."""
    single = splits.kind == SplitKind.CUT
    row = np.repeat(np.arange(len(splits)), np.diff(splits.interval_start))
    several = np.isfinite(splits.interval_cut)
    row = np.concatenate((np.flatnonzero(single), row[several]))
    cut = np.concatenate((splits.cut[single], splits.interval_cut[several]))
    digits = np.zeros(len(splits), np.int8)
    if len(cut):
        np.maximum.at(digits, row, table.cut_digits(splits.column[row], cut, rows))
    return replace(splits, digits=digits)
