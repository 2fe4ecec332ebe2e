"""The shape of a tree: what follows from the parents and branches of its nodes alone."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ceiba.errors import TreeError
from ceiba.table import Schema, TargetInfo
from ceiba.task import Task
from ceiba.tree.arrays import Array, read_only


class Shape:
    """Counts, depths and places of nodes; mixed into `Tree`."""

    if TYPE_CHECKING:
        schema: Schema
        parent: Array
        branch_start: Array
        branch_node: Array
        value: Array

    @property
    def target(self) -> TargetInfo:
        """What the tree predicts."""
        if self.schema.target is None:
            raise TreeError("The tree's schema has no target. Give Schema(..., target=...).")
        return self.schema.target

    @property
    def task(self) -> Task:
        """What the tree learns; equal to "classification" or "regression"."""
        return self.target.task

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.parent)

    @property
    def n_outputs(self) -> int:
        """Number of outputs of the target."""
        return int(self.value.shape[1])

    @cached_property
    def n_branches(self) -> Array:
        """Number of branches of each node, 0 at leaves."""
        return read_only(np.diff(self.branch_start), np.int32)

    @cached_property
    def is_leaf(self) -> Array:
        """Whether each node is a leaf."""
        return read_only(self.n_branches == 0, np.bool_)

    @cached_property
    def is_binary(self) -> bool:
        """Whether every inner node has exactly two branches."""
        return bool(np.all((self.n_branches == 0) | (self.n_branches == 2)))

    @cached_property
    def leaves(self) -> Array:
        """Ids of the leaves, ascending."""
        return read_only(np.flatnonzero(self.is_leaf), np.int32)

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.is_leaf))

    @cached_property
    def subtree_end(self) -> Array:
        """End of each node's subtree: the subtree of node i is the range `i:subtree_end[i]`."""
        # The last node of a subtree: the last branch of the last branch of ..., in doubled steps.
        last = np.arange(self.n_nodes)
        last[self.parent[1:]] = last[1:].copy()
        for _ in range(self.n_nodes.bit_length()):
            further = last[last]
            if np.array_equal(further, last):
                break
            last = further
        return read_only(last + 1, np.int32)

    @cached_property
    def node_depth(self) -> Array:
        """Depth of each node; 0 at the root."""
        # In pre-order all nodes before i are its ancestors, except those whose subtree has ended.
        i = np.arange(self.n_nodes)
        ended = np.searchsorted(np.sort(self.subtree_end), i, side="right")
        return read_only(i - ended, np.int32)

    @cached_property
    def depth(self) -> int:
        """Depth of the deepest leaf; 0 for a tree of one leaf."""
        return int(self.node_depth.max())

    @cached_property
    def branch_index(self) -> Array:
        """Which branch of its parent each node is; -1 at the root."""
        index = np.full(self.n_nodes, -1, np.int32)
        within = np.arange(self.n_nodes - 1) - np.repeat(self.branch_start[:-1], self.n_branches)
        index[self.branch_node] = within
        return read_only(index, np.int32)


def sum_up(tree: Shape, own: Array) -> Array:
    """Add to each node's own row of `own` those of all nodes below it."""
    own = np.asarray(own, np.float64)
    if np.all(own == np.rint(own)) and np.abs(own).sum() < 2.0**53:
        # Whole numbers: differences of running sums are exact.
        running = np.concatenate((np.zeros((1, *own.shape[1:])), np.cumsum(own, axis=0)))
        return np.asarray(running[tree.subtree_end] - running[:-1])
    parent = tree.parent.tolist()
    flat = own.reshape(len(own), -1)
    columns = [_sum_column(parent, flat[:, k].tolist()) for k in range(flat.shape[1])]
    return np.array(columns, np.float64).T.reshape(own.shape)


def _sum_column(parent: list[int], total: list[float]) -> list[float]:
    for i in range(len(total) - 1, 0, -1):  # branches come after their parent
        total[parent[i]] += total[i]
    return total
