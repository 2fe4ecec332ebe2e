"""Error-based pruning with subtree raising in plain Python: what the compiled core must equal.

Nodes keep the numbers of the tree they came from; `branches` and `content` (whose split a node now
asks) change. Raising the branch c of node t gives t the split and the branches of c; the rows of
t's other branches then go down that subtree, and its counts grow by them. With
`missing="fractional"` the newcomers change the branches' shares, and with them what rows with a
missing value weigh: then all rows of t go down that subtree again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ceiba.prune.pessimistic import recount_training_rows, reorder_nodes
from ceiba.tree import sum_over_subtrees
from ceiba.tree.routing import route
from ceiba.tree.routing.branches import route_at_node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ceiba.grow.problem import Problem
    from ceiba.tree import Tree

__all__ = ["added_errors", "collapse_useless", "pruned_by_errors"]

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


def added_errors(total: float, errors: float, confidence: float = 0.25) -> float:
    """Return what C4.5 adds to the errors of a leaf."""
    total, errors = float(total), float(errors)
    if total <= 0:
        return 0.0
    if errors < 1:
        none = total * (1 - float(confidence ** (1 / total)))
        return none if errors == 0 else none + errors * (added_errors(total, 1, confidence) - none)
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    z = NormalDist().inv_cdf(1 - confidence)
    rate = (errors + 0.5) / total
    # Products as in the core: the square of a huge weight is infinite there, and no error.
    root = sqrt(rate / total - rate * rate / total + z * z / (4.0 * total * total))
    limit = (rate + z * z / (2.0 * total) + z * root) / (1.0 + z * z / total)
    return limit * total - errors


def collapse_useless(tree: Tree) -> Tree:
    """Collapse subtrees that make no fewer training errors than a leaf."""
    assert tree.counts is not None
    counts = tree.counts[:, 0, :]
    errors = counts.sum(axis=1) - counts.max(axis=1)
    below = sum_over_subtrees(tree, np.where(tree.is_leaf, errors, 0.0))
    return tree.collapse(np.flatnonzero(~tree.is_leaf & (below >= errors - 1e-3)))


@dataclass(frozen=True)
class Part:
    """Rows in a node, with how much of each."""

    rows: Rows
    share: Array

    @classmethod
    def joined(cls, parts: list[Part]) -> Part:
        """Put rows together."""
        return cls(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.share for part in parts]),
        )


@dataclass
class Newcomers:
    """Rows that would come to the nodes of a branch if it were raised.

    `everyone`: not only those that come, but all rows that would then be in a node.
    """

    top: int
    everyone: bool = False
    parts: dict[int, Part] = field(default_factory=dict)
    counts: dict[int, Array] = field(default_factory=dict)

    def leaf_counts(self, work: Workshop) -> Iterator[Array]:
        """Yield the class counts of the branch's leaves with the newcomers."""
        waiting = [self.top]
        while waiting:
            node = waiting.pop()
            if work.branches[node]:
                waiting += work.branches[node]
            elif self.everyone:
                yield self.counts.get(node, np.zeros(work.counts.shape[1]))
            elif node in self.counts:
                yield work.counts[node] + self.counts[node]
            else:
                yield work.counts[node]


class Workshop:
    """A tree whose nodes are being collapsed and raised.

    Attributes
    ----------
    branches : list of list of int
        Branches of each node, by the numbers of the original tree.
    content : list of int
        Whose split each node asks.
    counts : float64 array of shape (n_nodes, n_classes)
    """

    def __init__(self, tree: Tree, problem: Problem | None) -> None:
        assert tree.counts is not None
        self.original, self.problem = tree, problem
        start, below = tree.branch_start.tolist(), tree.branch_node.tolist()
        self.branches: list[list[int]] = [below[a:b] for a, b in pairwise(start)]
        self.content = list(range(tree.n_nodes))
        self.counts: Array = tree.counts[:, 0, :].copy()
        self._raised = False
        self._everyone = (
            problem is not None
            and tree.missing == "fractional"
            and any(column.missing.any() for column in problem.table.columns)
        )
        if problem is not None:
            self._place_rows(problem)

    # ------------------------------------------------------------------ rows

    def heaviest(self, node: int) -> int:
        """Return the last of the heaviest branches; one level against the others: the others."""
        branches, splits = list(self.branches[node]), self.original.splits
        start, end = splits.level_start[self.content[node] : self.content[node] + 2]
        levels = splits.level_branch[start:end].tolist()
        if len(branches) == 2 and levels.count(1) == 1 and levels.count(0) > 1:
            branches.reverse()
        largest = branches[0]
        for branch in branches[1:]:
            if self.counts[largest].sum() - self.counts[branch].sum() < _NOISE:
                largest = branch
        return largest

    def _place_rows(self, problem: Problem) -> None:
        """Sort the rows by the node in which they end: a node's rows are then one slice."""
        tree, table = self.original, problem.table
        if tree.missing == "fractional":
            start, node, share = route.spread(tree, table)
            rows = np.repeat(np.arange(problem.n_rows), np.diff(start))
        else:
            node = route.apply(tree, table)
            rows, share = np.arange(problem.n_rows), np.ones(problem.n_rows)
        order = np.argsort(node, kind="stable")
        self._rows, self._share, end = rows[order], share[order], node[order]
        self._first = np.searchsorted(end, np.arange(tree.n_nodes))
        self._last = np.searchsorted(end, tree.subtree_end)
        self._came: dict[int, list[Part]] = {}
        self._instead: dict[int, Part] = {}

    def part(self, node: int) -> Part:
        """Return the rows of a node: those that grew it, and those that came by raising."""
        if node in self._instead:
            return self._instead[node]
        here = slice(self._first[node], self._last[node])
        own = Part(self._rows[here], self._share[here])
        came = self._came.get(node)
        return own if came is None else Part.joined([own, *came])

    def _count(self, part: Part) -> Array:
        assert self.problem is not None
        labels = self.problem.target.values[part.rows, 0]
        weight = self.problem.row_weight[part.rows] * part.share
        counts = np.bincount(labels, weights=weight, minlength=self.counts.shape[1])
        return np.asarray(counts, np.float64)

    def newcomers(self, node: int, branch: int) -> Newcomers:
        """Send the rows of a node's other branches down one of its branches."""
        assert self.problem is not None
        newcomers = Newcomers(branch, self._everyone)
        if self._everyone:
            waiting = [(branch, self.part(node))]
        else:
            others = [self.part(son) for son in self.branches[node] if son != branch]
            waiting = [(branch, Part.joined(others))]
        while waiting:
            at, part = waiting.pop()
            if len(part.rows) == 0:
                continue
            newcomers.parts[at], newcomers.counts[at] = part, self._count(part)
            if self.branches[at]:
                waiting += zip(self.branches[at], self._divide(at, part), strict=True)
        return newcomers

    def _divide(self, node: int, part: Part) -> list[Part]:
        """Part rows by the split that a node asks."""
        assert self.problem is not None
        split = self.content[node]
        branch, everywhere = route_at_node(self.original, self.problem.table, split, part.rows)
        result = []
        for b, of_all in enumerate(self._branch_shares(split, part, branch).tolist()):
            takes = (branch == b) | everywhere
            share = np.where(everywhere[takes], of_all, 1.0) * part.share[takes]
            result.append(Part(part.rows[takes], share))
        return result

    def _branch_shares(self, split: int, part: Part, branch: npt.NDArray[Any]) -> Array:
        """Return the share of each branch, in which rows that are to go down all of them do so."""
        first, last = self.original.branch_start[split : split + 2].tolist()
        if not self._everyone:
            return self.original.branch_share[first:last]
        assert self.problem is not None
        weight, known = self.problem.row_weight[part.rows] * part.share, branch >= 0
        placed = np.bincount(branch[known], weights=weight[known], minlength=last - first)
        total = placed.sum()
        return placed / total if total > 0 else np.full(last - first, 1 / (last - first))

    def raise_branch(self, node: int, newcomers: Newcomers) -> None:
        """Put a branch in the place of its parent, with the parent's rows."""
        branch = newcomers.top
        if newcomers.everyone:
            self._replace(newcomers)
        else:
            for at, part in newcomers.parts.items():
                self.counts[at] = self.counts[at] + newcomers.counts[at]
                self._came.setdefault(at, []).append(part)
        # The parent's own counts stand: all its rows are still there.
        self.branches[node] = self.branches[branch]
        self.content[node] = self.content[branch]
        self._raised = True

    def _replace(self, everyone: Newcomers) -> None:
        """Put other rows into all nodes of a branch."""
        nobody = Part(np.zeros(0, np.intp), np.zeros(0))
        waiting = [everyone.top]
        while waiting:
            at = waiting.pop()
            waiting += self.branches[at]
            self._instead[at] = everyone.parts.get(at, nobody)
            self.counts[at] = everyone.counts.get(at, 0.0)

    # ------------------------------------------------------------------ the result

    def tree(self) -> Tree:
        """Return the tree as it is now."""
        order: list[int] = []
        parents: list[int] = []
        waiting = [(0, -1)]
        while waiting:
            node, parent = waiting.pop()
            at = len(order)
            order.append(node)
            parents.append(parent)
            waiting += [(son, at) for son in reversed(self.branches[node])]
        leaf = np.array([not self.branches[node] for node in order])
        if not self._raised:
            return self.original.collapse(np.array(order)[leaf])
        assert self.problem is not None
        source = np.array([self.content[node] for node in order])
        weight = self.counts[order].sum(axis=1)
        moved = reorder_nodes(self.original, source, np.array(parents), weight, leaf)
        return recount_training_rows(moved, self.problem)


# C4.5 release 8: how much worse the simpler tree may be.
_MARGIN = 0.1
_NOISE = 1e-6


def pruned_by_errors(
    tree: Tree, problem: Problem | None, confidence: float, *, raising: bool = True
) -> Tree:
    """Prune a collapsed tree from the bottom up."""
    return _Pruner(tree, problem, confidence, raising).run()


class _Pruner:
    """C4.5's recursion over a tree whose nodes may be collapsed or raised."""

    def __init__(
        self, tree: Tree, problem: Problem | None, confidence: float, raising: bool
    ) -> None:
        self.work = Workshop(tree, problem if raising else None)
        self.confidence, self.raising = confidence, raising

    def run(self) -> Tree:
        """Prune from the bottom up and give the new tree."""
        work = self.work
        charge: dict[int, float] = {}
        waiting = [(0, False)]
        while waiting:
            node, sons_done = waiting.pop()
            if not work.branches[node]:
                charge[node] = self._as_leaf(work.counts[node])
            elif not sons_done:
                waiting += [(node, True), *((son, False) for son in work.branches[node])]
            elif self._settle(node, charge):
                waiting.append((node, False))  # raised: prune what is there now
        return work.tree()

    def _settle(self, node: int, charge: dict[int, float]) -> bool:
        """Decide on a node whose branches are done; True if another subtree took its place."""
        work = self.work
        subtree = sum(charge[son] for son in work.branches[node])
        leaf = self._as_leaf(work.counts[node])
        largest = work.heaviest(node)
        raised, newcomers = np.inf, None
        if self.raising:
            newcomers = work.newcomers(node, largest)
            raised = sum(map(self._as_leaf, newcomers.leaf_counts(work)))
        if _up_to(leaf, subtree + _MARGIN) and _up_to(leaf, raised + _MARGIN):
            work.branches[node] = []
            charge[node] = leaf
        elif newcomers is not None and _up_to(raised, subtree + _MARGIN):
            work.raise_branch(node, newcomers)
            return True
        else:
            charge[node] = subtree
        return False

    def _as_leaf(self, counts: Array) -> float:
        total, errors = float(counts.sum()), float(counts.sum() - counts.max())
        return errors + added_errors(total, errors, self.confidence)


def _up_to(a: float, b: float) -> bool:
    return a <= b + _NOISE
