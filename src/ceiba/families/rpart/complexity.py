"""Compute rpart's complexity of nodes, and apply its stopping rule `cp` to a grown tree.

From the leaves up, node t has complexity g = (R(t) - risk kept below) / (splits kept below + 1).
If g exceeds the smaller of the children's complexities, this child is collapsed in the sums and g
is computed again; then likewise for the other child. A node whose complexity is at most
alpha = cp * R(root) loses its children. From the root down, the left child first, a node is not
split if its risk, or a bound on the complexity that its parent can still reach, is at most alpha.
(partition.c of rpart 4.1; left is the child with the smaller mean response.)

Mostly this is the weakest-link order. But a collapsed child is not restored when a node above it
collapses first, so about one tree in five has an inner node whose complexity is too small, and the
bound sometimes stops too early. These rules reproduce the trees of R; to prune, use
`pruning_sequence`, which is exact.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import TreeError
from ceiba.grow import altered_scale
from ceiba.prune import NOISE, risk_sums
from ceiba.tree import Tree

Array = npt.NDArray[np.float64]

_ENTER: Final = 0
_LEFT_DONE: Final = 1
_RIGHT_DONE: Final = 2


def prune_by_cp(tree: Tree, cp: float) -> Tree:
    """Return the tree without the splits that rpart would not make at this `cp`."""
    partition = _Partition.of(tree, cp)
    return tree.collapse(np.flatnonzero(~np.array(partition.keeps_children) & ~tree.is_leaf))


def rpart_complexity(tree: Tree, cp: float) -> Array:
    """Return rpart's complexity of each node as a share of the root's risk (`cp` at leaves)."""
    partition = _Partition.of(tree, cp)
    complexity, parent = partition.complexity, tree.parent.tolist()
    for i in range(1, tree.n_nodes):
        complexity[i] = min(complexity[i], complexity[parent[i]])
    return np.array(complexity) / (partition.risk[0] or 1.0)


@dataclass
class _Partition:
    """Complexities of all nodes, computed as in rpart's partition() but without recursion."""

    risk: list[float]
    sons: list[tuple[int, int] | None]  # left and right child
    alpha: float
    complexity: list[float] = field(init=False)
    keeps_children: list[bool] = field(init=False)
    _bound: list[float] = field(init=False)
    _kept_risk: list[float] = field(init=False)
    _kept_splits: list[int] = field(init=False)

    @classmethod
    def of(cls, tree: Tree, cp: float) -> _Partition:
        sums, _ = risk_sums(tree, "cost")
        recursion = cls(sums.tolist(), ordered_children(tree), cp * float(sums[0]))
        recursion._run()
        return recursion

    def _run(self) -> None:
        n = len(self.risk)
        self.complexity, self.keeps_children = [self.alpha] * n, [False] * n
        self._bound = [self.risk[0]] * n
        self._kept_risk, self._kept_splits = self.risk.copy(), [0] * n
        waiting = [(0, _ENTER)]
        while waiting:
            i, stage = waiting.pop()
            sons = self.sons[i]
            if sons is None:
                continue
            left, right = sons
            if stage == _ENTER:
                limit = min(self.risk[i], self._bound[i])
                if limit > self.alpha + NOISE * self.risk[i]:
                    self._bound[left] = limit - self.alpha
                    waiting += [(i, _LEFT_DONE), (left, _ENTER)]
            elif stage == _LEFT_DONE:
                # `bound` is the largest complexity that node i can have, given its left subtree.
                link = (self.risk[i] - self._kept_risk[left]) / (self._kept_splits[left] + 1)
                bound = min(max(link, self.risk[i] - self.risk[left]), self._bound[i])
                self._bound[right] = bound - self.alpha
                waiting += [(i, _RIGHT_DONE), (right, _ENTER)]
            else:
                self._settle_node(i, left, right)

    def _settle_node(self, i: int, left: int, right: int) -> None:
        """Compute the complexity of a node from its children and decide whether its split stays."""
        noise = NOISE * self.risk[i]
        if self.complexity[right] > self.complexity[left]:
            first, second = left, right
        else:
            first, second = right, left
        below = [self._kept_risk[first], self._kept_risk[second]]
        splits = [self._kept_splits[first], self._kept_splits[second]]
        link = (self.risk[i] - sum(below)) / (sum(splits) + 1)
        for at, son in enumerate((first, second)):
            if link <= self.complexity[son] + noise:
                break
            below[at], splits[at] = self.risk[son], 0
            link = (self.risk[i] - sum(below)) / (sum(splits) + 1)
        self.complexity[i] = link
        if link > self.alpha + noise:
            self.keeps_children[i] = True
            self._kept_risk[i], self._kept_splits[i] = sum(below), sum(splits) + 1


def ordered_children(tree: Tree) -> list[tuple[int, int] | None]:
    """Return the left (smaller mean response) and right child of each node, or None at a leaf."""
    # rpart orders children by the means of the rows that the split itself routes. Here, the means
    # include all rows of the children, so children with nearly equal means may be swapped.
    # `node_numbers(swapped=...)` corrects R's node numbers, but `_Partition` uses this order.
    if not tree.is_binary:
        raise TreeError("The cp of rpart is not supported for trees with multiway splits.")
    mean = _mean_response(tree).tolist()
    start, nodes = tree.branch_start.tolist(), tree.branch_node.tolist()
    sons: list[tuple[int, int] | None] = []
    for first, end in pairwise(start):
        if first == end:
            sons.append(None)
            continue
        low, high = nodes[first], nodes[first + 1]
        sons.append((low, high) if mean[low] < mean[high] else (high, low))
    return sons


def node_numbers(tree: Tree, swapped: Collection[int] = ()) -> npt.NDArray[Any]:
    """Return R's number of each node after exchanging the children of `swapped` nodes."""
    number = [1] * tree.n_nodes
    for node, sons in enumerate(ordered_children(tree)):
        if sons is not None:
            left, right = sons[::-1] if number[node] in swapped else sons
            number[left], number[right] = 2 * number[node], 2 * number[node] + 1
    deep = tree.depth >= 62  # exceeds int64
    return np.array(number, dtype=object if deep else np.int64)


def _mean_response(tree: Tree) -> Array:
    """Return the mean response of each node (for classification, the mean class code)."""
    if tree.counts is None:
        return np.asarray(tree.value[:, 0, 0])
    counts = tree.counts[:, 0, :]
    scale = altered_scale(counts[0], tree.class_prior, tree.cost_matrix)
    mass = counts if scale is None else counts * scale
    total = mass.sum(axis=1)
    sums = mass @ np.arange(mass.shape[1])
    return np.asarray(np.divide(sums, total, out=np.zeros(len(total)), where=total > 0))
