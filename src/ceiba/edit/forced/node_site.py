"""Grow and split at a node of an edited tree, given its rows, depth, seed and value limits.

At a site the core grows under the stopping rules of the whole tree (depth, sizes, seeds); a forced
split partitions its rows into further sites. So an edited tree is identical, node for node, to the
one grown from the root with that split forced.

Limits: a split of a column with a `monotonic_cst` passes the midpoint of its branches' values down,
as the core does while it grows: no value in one branch may be above it, none in the other below.

Surrogates: a row that the split of a node cannot place follows the first surrogate that can, then
the branch that got more *weight* from the split itself (Breiman et al. 1984, section 5.3), the
first on a tie. rpart leaves a row in the node on a tie, and predicts by the branch of more *rows*.

Forced splits are a nested literal as in `ceiba.tree.build`, with None where the tree grows freely:
`("age <= 30", None, ("city in {Oslo, Lima}", None, None))`; a condition alone splits the root.
They apply in `Problem.grow`, so the trees of cross-validation have the same splits, and pruning
treats them like any other. If a fold has no rows in one branch of a forced split, its tree grows
freely from that node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.edit.forced.graft import join_branches
from ceiba.edit.forced.partition import (
    EmptyBranchError,
    RowPartition,
    SplitLike,
    partition_rows,
    read_split,
)
from ceiba.errors import OptionError, TreeError
from ceiba.grow import SubtreeContext, read_monotonic
from ceiba.tree import SplitTable, Tree
from ceiba.tree.routing import MISSING, UNSEEN, evaluate_split, fill_from_surrogates, route_at_node
from ceiba.tree.splits import SurrogateTable, parse_split

if TYPE_CHECKING:
    from ceiba.grow import Problem
Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
Branches = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ValueLimits:
    """Range of values that a node may have under the monotonic constraints of the splits above."""

    low: float = -inf
    high: float = inf

    def of_branch(self, branch: int, direction: int, first: float, second: float) -> ValueLimits:
        """Return the value limits of a branch of a constrained split, given both branch values."""
        middle = 0.5 * (first + second)
        if (branch == 0) == (direction > 0):
            return ValueLimits(self.low, min(self.high, middle))
        return ValueLimits(max(self.low, middle), self.high)

    def check_split(self, column: str, direction: int, first: float, second: float) -> None:
        """Raise an error if a split violates `monotonic_cst` or the value limits of its node."""
        if (second - first) * direction < 0:
            change = "increase" if direction > 0 else "decrease"
            raise TreeError(
                f"monotonic_cst requires predictions to {change} with {column!r}, but this split "
                f"predicts {first:g} in branch 0 and {second:g} in branch 1. Choose another split, "
                "or remove monotonic_cst."
            )
        for b, value in enumerate((first, second)):
            if not self.low <= value <= self.high:
                raise TreeError(
                    f"monotonic_cst and the splits above require predictions from {self.low:g} "
                    f"to {self.high:g}, but branch {b} of this split predicts {value:g}. Choose "
                    "another split, or remove monotonic_cst."
                )


def node_number(tree: Tree, node: int) -> float:
    """Return the number that `monotonic_cst` limits: the node value or the second class's share.

    The number is that of the prediction, which is clipped to the limits. Priors are removed,
    because growing compares shares of weight.
    """
    if tree.counts is None:
        return float(tree.value[node, 0, 0])
    share = tree.value[node, 0]
    if tree.class_prior is not None:
        totals = tree.counts[0, 0]
        # Undo the priors, which multiply the share of a class by prior / root weight.
        share = np.divide(
            share * totals, tree.class_prior, out=np.zeros(2), where=tree.class_prior > 0
        )
    return float(share[1] / share.sum())


def limits_at(tree: Tree, path: Sequence[int], directions: Sequence[int]) -> ValueLimits:
    """Return the value limits of the last node of a path, set by constrained splits on the path."""
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
        limits.check_split(tree.schema.names[column], direction, first, second)
        limits = limits.of_branch(int(tree.branch_index[below]), direction, first, second)
    return limits


def growing_branches(tree: Tree, problem: Problem, node: int, rows: Rows) -> Branches:
    """Return the branch of each training row in a node, or -1 if the row stays in the node."""
    primary = primary_branches(tree, problem, node, rows)
    branch = apply_surrogates(tree, problem, node, rows, primary)
    heavier = heavier_branch(problem, rows, primary)
    if problem.options.use_surrogate < 2 or heavier is None:
        return branch
    return np.where(branch == MISSING, heavier, branch)


def primary_branches(tree: Tree, problem: Problem, node: int, rows: Rows) -> Branches:
    """Return each row's branch by the primary split, or `MISSING` for missing and new values."""
    branch = evaluate_split(tree.splits, node, problem.table, rows)
    return np.where(branch == UNSEEN, MISSING, branch)


def apply_surrogates(
    tree: Tree, problem: Problem, node: int, rows: Rows, branch: Branches
) -> Branches:
    """Route rows that are `MISSING` in `branch` by their first usable surrogate, if any."""
    branch = branch.copy()
    fill_from_surrogates(tree, problem.table, node, rows, branch)
    return branch


def heavier_branch(problem: Problem, rows: Rows, primary: Branches) -> int | None:
    """Return the heavier branch, or None if the rules of rpart keep undecided rows in the node."""
    options = problem.options
    if options.rpart is not None and options.surrogates.keep == 0:  # rows stay in the node
        return None
    has_branch = primary >= 0
    weight = case_weights(problem)[rows][has_branch]
    load = np.bincount(primary[has_branch], weights=weight, minlength=2)
    heaviest = np.flatnonzero(load == load.max())
    return int(heaviest[0]) if len(heaviest) == 1 or options.rpart is None else None


def case_weights(problem: Problem) -> Array:
    """Return the weight of each row, not multiplied by its exposure time."""
    return problem.row_weight if problem.case_weight is None else problem.case_weight


@dataclass(frozen=True)
class NodeSite:
    """A node with its training rows and everything else that is needed to grow its subtree."""

    problem: Problem
    rows: Rows
    weight: Array | None  # row weights, reduced for rows in several branches; None: all are 1
    depth: int
    seed: int
    leaves: int  # number of leaves in the rest of the tree
    limits: ValueLimits  # limits of the node's value, from the constraints of the splits above
    path: tuple[int, ...] = ()  # columns of the splits above the node

    @classmethod
    def at(cls, tree: Tree, node: int, problem: Problem) -> NodeSite:
        """Return the `NodeSite` of a node, with the rows that reach it."""
        tree.node(node)
        if tree.honest or tree.smoothed:
            raise TreeError(
                "Editing is not supported for trees with honest or smoothed leaves. "
                'Fit with leaf_values="share".'
            )
        site = cls.root(problem, None)
        for below in tree.path(node).nodes[1:]:
            site = site.descend(tree, below)
        weight = site.weight
        if len(site.rows) == 0 or (weight is not None and not weight[site.rows].any()):
            raise TreeError(f"At least one row with positive weight must reach node {node}.")
        return replace(site, leaves=_count_leaves_elsewhere(tree, node))

    def descend(self, tree: Tree, node: int) -> NodeSite:
        """Return the `NodeSite` of a branch, with the rows that reach it."""
        above, b = int(tree.parent[node]), int(tree.branch_index[node])
        rows, weight = _rows_of_branch(tree, self.problem, above, b, self.rows, self.weight)
        return replace(
            self,
            rows=rows,
            weight=weight,
            depth=self.depth + 1,
            seed=_core.branch_seed(self.seed, b),
            leaves=_count_leaves_elsewhere(tree, node),
            limits=limits_at(tree, tree.path(node).nodes, _directions(self.problem)),
            path=(*self.path, int(tree.splits.column[above])),
        )

    @classmethod
    def root(cls, problem: Problem, rows: npt.NDArray[np.uint32] | None) -> NodeSite:
        """Return the `NodeSite` of the root of a tree, for all rows or a subset."""
        indices = np.arange(problem.n_rows) if rows is None else rows.astype(np.intp)
        return cls(problem, indices, problem.weight, 0, problem.options.seed, 0, ValueLimits())

    def grow(self) -> Tree:
        """Grow a tree on the rows of this node."""
        return self.problem.grow(self.rows.astype(np.uint32), subtree=self._subtree_context())

    def leaf(self) -> Tree:
        """Return a one-node tree for the rows of this node."""
        rows = self.rows.astype(np.uint32)
        node = self.problem.leaf_tree(rows, self.weight, self._subtree_context())
        if self.problem.options.missing_rule == "surrogate" and node.surrogates is None:
            node = replace(node, surrogates=SurrogateTable.none(1))
        return node

    def force_split(self, split: SplitLike) -> tuple[Tree, list[NodeSite]]:
        """Apply a split at this node; return the split node and a `NodeSite` for each branch."""
        splits, missing = read_split(split, self.problem.table, self.rows)
        partition = partition_rows(self.problem, splits, self.rows, self.weight, missing)
        node = self.leaf()
        stem = replace(
            node,
            splits=splits,
            default_branch=np.array([partition.default_branch]),
            sent_default=np.array([partition.sent_default]),
            gain=np.array([partition.gain]),
            surrogates=node.surrogates if partition.surrogates is None else partition.surrogates,
        )
        return stem, self.branches(splits, partition)

    def branches(self, splits: SplitTable, partition: RowPartition) -> list[NodeSite]:
        """Return a `NodeSite` for each branch of a partition."""
        elsewhere = self.leaves + len(partition) - 1
        parts = [partition.branch_rows(b, self.rows, self.weight) for b in partition]
        column = int(splits.column[0])
        limits = self._limits_of(column, parts)
        return [
            NodeSite(
                self.problem,
                rows,
                weight,
                self.depth + 1,
                _core.branch_seed(self.seed, b),
                elsewhere,
                limits[b],
                (*self.path, column),
            )
            for b, (rows, weight) in enumerate(parts)
        ]

    def _limits_of(self, column: int, parts: list[tuple[Rows, Array | None]]) -> list[ValueLimits]:
        """Return the value limits of each branch for a split on this column."""
        directions = _directions(self.problem)
        direction = directions[column] if directions else 0
        if direction == 0:
            return [self.limits] * len(parts)
        name = self.problem.table.schema.names[column]
        if len(parts) != 2:
            raise TreeError(
                f"monotonic_cst requires splits with 2 branches, but this split on {name!r} has "
                f"{len(parts)}. Pass a Cut, or remove monotonic_cst."
            )
        summaries = [
            self.problem.leaf_tree(rows.astype(np.uint32), weight) for rows, weight in parts
        ]
        first, second = (node_number(summary, 0) for summary in summaries)
        self.limits.check_split(name, direction, first, second)
        return [self.limits.of_branch(b, direction, first, second) for b in (0, 1)]

    def _subtree_context(self) -> SubtreeContext:
        problem = self.problem
        return SubtreeContext(
            depth=self.depth,
            n_rows=problem.n_rows,
            weight=float(problem.row_weight.sum()),
            share=self._mass(self.weight, self.rows) / self._mass(problem.weight, None),
            seed=self.seed,
            leaves=self.leaves,
            low=self.limits.low,
            high=self.limits.high,
            path=self.path,
            row_weight=self.weight,
        )

    def _mass(self, weight: Array | None, rows: Rows | None) -> float:
        """Return the total weight of rows, scaled by the priors and costs of the split search."""
        masses = np.ones(self.problem.n_rows) if weight is None else weight
        scale = self.problem.scales.search
        if scale is not None:
            masses = masses * scale[self.problem.target.values[:, 0]]
        return float(masses.sum() if rows is None else masses[rows].sum())


def _count_leaves_elsewhere(tree: Tree, node: int) -> int:
    inside = tree.is_leaf[node : tree.subtree_end[node]]
    return tree.n_leaves - int(np.count_nonzero(inside))


def _directions(problem: Problem) -> list[int]:
    """Return the monotonicity constraint of each column, or [] if no column has one."""
    return read_monotonic(problem.options.monotonic_cst, problem.table.schema.names)


def _rows_of_branch(
    tree: Tree, problem: Problem, node: int, b: int, rows: Rows, weight: Array | None
) -> tuple[Rows, Array | None]:
    """Return the rows of a branch, routed as in training, with the row weights."""
    if tree.missing == "surrogate":
        return rows[growing_branches(tree, problem, node, rows) == b], weight
    branch, everywhere = route_at_node(tree, problem.table, node, rows)
    if everywhere.any():
        weight = problem.row_weight.copy() if weight is None else weight.copy()
        share = float(tree.branch_share[tree.branch_start[node] + b])
        weight[rows[everywhere]] *= share
    return rows[(branch == b) | everywhere], weight


def grow_forced(problem: Problem, rows: Any, subtree: SubtreeContext | None) -> Tree:
    """Grow a tree with forced splits; on a subset of rows, skip splits with an empty branch."""
    free = problem.with_changes(options=replace(problem.options, forced_splits=None))
    site = NodeSite.root(free, rows)
    if subtree is not None:
        site = replace(site, seed=subtree.seed)
    return _grow_literal(site, problem.options.forced_splits, strict=rows is None)


def _grow_literal(site: NodeSite, literal: Any, strict: bool) -> Tree:
    """Grow a tree with forced splits that are written as nested tuples."""
    if literal is None:
        return site.grow()
    question, branches = (literal[0], literal[1:]) if isinstance(literal, tuple) else (literal, ())
    try:
        stem, sites = site.force_split(question)
    except EmptyBranchError as error:
        if strict:
            raise TreeError(f"Cannot apply the forced split {question!r}: {error}") from None
        return site.grow()
    except TreeError as error:
        raise TreeError(f"Cannot apply the forced split {question!r}: {error}") from None
    order = list(range(len(sites)))
    if isinstance(question, str | list):  # the first branch is the one where the condition is true
        columns = {info.name: info for info in site.problem.table.schema.columns}
        selected = parse_split(question, columns).branches
        order = [*selected, *(b for b in order if b not in selected)]
    if branches and len(branches) != len(sites):
        raise OptionError(
            f"forced_splits must list {len(sites)} branches after {question!r}, got "
            f"{len(branches)}. Pass None for a branch that grows freely."
        )
    parts: list[Tree | None] = [None] * len(sites)
    for b, branch in zip(order, branches or (None,) * len(sites), strict=True):
        parts[b] = _grow_literal(sites[b], branch, strict)
    return join_branches(stem, [branch for branch in parts if branch is not None])
