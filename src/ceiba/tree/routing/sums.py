"""Sums over the rows that end in each node of a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ceiba.table.weights import exact_sums
from ceiba.tree.arrays import Array

if TYPE_CHECKING:
    from ceiba.tree.routing.recount import Endings

#: From the target of rows and the nodes in which they end to what is summed.
Term = Callable[[Array, Array], Array]
#: From groups of rows, a number of each row, and how many groups there are, to their sums.
Adding = Callable[[Array, Array, int], Array]


def in_order(groups: Array, terms: Array, n: int) -> Array:
    """Add up in the order of the rows."""
    return np.bincount(groups, weights=terms, minlength=n)


def rounded_once(groups: Array, terms: Array, n: int) -> Array:
    """Add up exactly, in any order."""
    return exact_sums(np.ascontiguousarray(terms), groups.astype(np.int32), n)


@dataclass(frozen=True)
class Deviation:
    """Numbers minus a centre for each node, or their squares; at first divided by 2^shift."""

    centre: Array | None = None
    power: int = 1
    shift: int = 0

    def __call__(self, y: Array, node: Array) -> Array:
        """Return the term of each row."""
        if self.shift:
            y = np.ldexp(y, -self.shift)
        if self.centre is not None:
            y = y - self.centre[node]
        return y if self.power == 1 else y**self.power


def x_log_x(y: Array, node: Array) -> Array:
    """Give y log y of each row."""
    return np.asarray(y * np.log(np.where(y > 0, y, 1.0)))


class SumsByNode(Protocol):
    """Weighted sums over the rows that end in each node, wherever the rows are."""

    def weight(self) -> Array:
        """Give the weight of the rows."""

    def classes(self, k: int, n_classes: int) -> Array:
        """Return the weight of each class of an output, a row for each node."""

    def numbers(self, k: int, term: Term) -> Array:
        """Give the sum of a term of an output."""

    def largest(self, k: int) -> float:
        """Return the largest absolute number of an output."""


@dataclass(frozen=True)
class RowSums:
    """Sums over rows in memory."""

    target: Array
    ends: Endings
    n_nodes: int
    add: Adding = in_order

    def weight(self) -> Array:
        """Give the weight of the rows."""
        return self.add(self.ends.node, self.ends.weight, self.n_nodes)

    def classes(self, k: int, n_classes: int) -> Array:
        """Return the weight of each class of an output, a row for each node."""
        cell = self.ends.node * n_classes + self.target[:, k]
        sums = self.add(cell, self.ends.weight, self.n_nodes * n_classes)
        return sums.reshape(self.n_nodes, -1)

    def numbers(self, k: int, term: Term) -> Array:
        """Give the sum of a term of an output."""
        terms = self.ends.weight * term(self.target[:, k], self.ends.node)
        return self.add(self.ends.node, terms, self.n_nodes)

    def largest(self, k: int) -> float:
        """Return the largest absolute number of an output."""
        return float(np.abs(self.target[:, k]).max(initial=0.0))
