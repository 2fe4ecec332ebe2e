"""Stand-in splits (surrogates) and runner-up splits (competitors), stored ragged by node.

The entries of node i are the rows `start[i]:start[i + 1]` of a `SplitTable`, best first.
Agreement and adjusted agreement as in Breiman et al. (1984), section 5.3: the share of rows
(present in both columns) that the surrogate sends where the primary does, and how much of the
majority rule's error it removes: `(agreement - majority) / (1 - majority)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ceiba.tree.arrays import Array, ArrayRecord, take_ragged
from ceiba.tree.splits.split_table import Split, SplitTable

if TYPE_CHECKING:
    from ceiba.table import Schema


@dataclass(frozen=True)
class Surrogate:
    """One stand-in split of a node: the split, its agreement and how many rows it sent.

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
    """One runner-up split of a node and the gain it would have had.

    Examples
    --------
    >>> from ceiba.tree import Competitor, Cut
    >>> Competitor(Cut("age", 30.5), gain=0.25).gain
    0.25
    """

    split: Split
    gain: float


@dataclass(frozen=True, eq=False)
class Surrogates(ArrayRecord):
    """The surrogates of all nodes; those of node i are rows `start[i]:start[i + 1]`, best first.

    Parameters
    ----------
    start : int32 array of shape (n_nodes + 1,)
    splits : SplitTable
    agreement, adjusted : float64 arrays
        Share of rows sent as the primary sends them; the same, adjusted for the majority rule.
    sent : int64 array
        Training rows with the primary's value missing that this surrogate placed.
    in_use : bool
        False: kept to be looked at only; rows are not sent by them (rpart's usesurrogate = 0).
    """

    start: Array
    splits: SplitTable
    agreement: Array
    adjusted: Array
    sent: Array
    in_use: bool = True

    _DTYPES: ClassVar = {
        "start": np.int32,
        "agreement": np.float64,
        "adjusted": np.float64,
        "sent": np.int64,
    }

    def __len__(self) -> int:
        return len(self.splits)

    def of(self, node: int, schema: Schema) -> tuple[Surrogate, ...]:
        """Return the surrogates of one node, best first."""
        return tuple(
            Surrogate(split, float(self.agreement[k]), float(self.adjusted[k]), int(self.sent[k]))
            for k, split in _splits_of(self.start, self.splits, node, schema)
        )

    def take(self, nodes: Array, leaf: Array | None = None) -> Surrogates:
        """Return the surrogates of the given nodes; none where `leaf` (per given node) is True."""
        start, rows = _entries(self.start, nodes, leaf)
        return Surrogates(
            start,
            self.splits.take(rows),
            self.agreement[rows],
            self.adjusted[rows],
            self.sent[rows],
            self.in_use,
        )


@dataclass(frozen=True, eq=False)
class Competitors(ArrayRecord):
    """The runner-up splits of all nodes; those of node i are rows `start[i]:start[i + 1]`.

    Parameters
    ----------
    start : int32 array of shape (n_nodes + 1,)
    splits : SplitTable
    gain : float64 array
        Impurity decrease each would have given, in the unit of `Tree.gain`.
    """

    start: Array
    splits: SplitTable
    gain: Array

    _DTYPES: ClassVar = {"start": np.int32, "gain": np.float64}

    def __len__(self) -> int:
        return len(self.splits)

    def of(self, node: int, schema: Schema) -> tuple[Competitor, ...]:
        """Return the competitors of one node, best first."""
        return tuple(
            Competitor(split, float(self.gain[k]))
            for k, split in _splits_of(self.start, self.splits, node, schema)
        )

    def take(self, nodes: Array, leaf: Array | None = None) -> Competitors:
        """Return the competitors of the given nodes; none where `leaf` (per given node) is True."""
        start, rows = _entries(self.start, nodes, leaf)
        return Competitors(start, self.splits.take(rows), self.gain[rows])


def _splits_of(
    start: Array, splits: SplitTable, node: int, schema: Schema
) -> Iterator[tuple[int, Split]]:
    for k in range(int(start[node]), int(start[node + 1])):
        split = splits.split(k, schema)
        if split is not None:
            yield k, split


def _entries(start: Array, nodes: Array, leaf: Array | None) -> tuple[Array, Array]:
    """Return the new `start` and the flat rows to keep, for nodes of which some lose theirs."""
    entries = np.arange(int(start[-1]), dtype=np.int64)
    new_start, (rows,) = take_ragged(start, (entries,), nodes, np.int64)
    if leaf is None:
        return new_start, rows
    length = np.diff(new_start)
    keep = ~np.repeat(leaf, length)
    return np.concatenate(([0], np.cumsum(np.where(leaf, 0, length)))), rows[keep]
