"""The limits that monotone splits set on the values of all nodes below them.

A split of a column with a `monotonic_cst` hands down the middle between the values of its branches:
on one side no value may rise above it, on the other none may fall below it, as the core does while
it grows. A tree changed by hand must know the limits that the splits above a node have set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np

from ceiba.errors import TreeError
from ceiba.tree import Tree


@dataclass(frozen=True)
class ValueLimits:
    """The range for the values of a node and of all below it."""

    low: float = -inf
    high: float = inf

    def of_branch(self, branch: int, direction: int, first: float, second: float) -> ValueLimits:
        """Give the limits of a branch whose split has these two values; `direction` not 0."""
        middle = 0.5 * (first + second)
        if (branch == 0) == (direction > 0):
            return ValueLimits(self.low, min(self.high, middle))
        return ValueLimits(max(self.low, middle), self.high)

    def refuse(self, column: str, direction: int, first: float, second: float) -> None:
        """Refuse a split that growing could not have chosen."""
        if (second - first) * direction < 0:
            change = "rise" if direction > 0 else "fall"
            raise TreeError(
                f"monotonic_cst wants values to {change} with {column!r}; this split gives "
                f"{first:g} in branch 0 and {second:g} in branch 1. Choose another split, or leave "
                "monotonic_cst out."
            )
        for b, value in enumerate((first, second)):
            if not self.low <= value <= self.high:
                raise TreeError(
                    f"Branch {b} of this split has the value {value:g}; the monotone splits above "
                    f"allow {self.low:g} to {self.high:g}. Choose another split, or leave "
                    "monotonic_cst out."
                )


def node_number(tree: Tree, node: int) -> float:
    """Return what monotonic_cst limits: the node's value, or the share of the second class.

    It is the answer, which limits may have moved away from the node's own rows; priors are taken
    out of it again, as growing compares shares of weight.
    """
    if tree.counts is None:
        return float(tree.value[node, 0, 0])
    share = tree.value[node, 0]
    if tree.class_prior is not None:
        totals = tree.counts[0, 0]
        # Share k is the prior of k over its weight at the root, times the weight: undo that.
        share = np.divide(
            share * totals, tree.class_prior, out=np.zeros(2), where=tree.class_prior > 0
        )
    return float(share[1] / share.sum())


def limits_at(tree: Tree, path: Sequence[int], directions: Sequence[int]) -> ValueLimits:
    """Give the limits of the last node of a path from the root, set by the splits above it."""
    limits = ValueLimits()
    if not directions:
        return limits
    for above, below in pairwise(path):
        column = int(tree.splits.column[above])
        direction = directions[column]
        if direction == 0 or tree.n_branches[above] != 2:
            continue
        branches = tree.branch_node[tree.branch_start[above] : tree.branch_start[above + 1]]
        first, second = (node_number(tree, int(i)) for i in branches)
        limits.refuse(tree.schema.names[column], direction, first, second)
        limits = limits.of_branch(int(tree.branch_index[below]), direction, first, second)
    return limits
