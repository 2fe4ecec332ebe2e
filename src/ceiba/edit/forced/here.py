"""A place in a tree that grows or is edited: its rows, its depth and seed, the limits above it.

From a place the core grows under the stop rules of the whole tree (depth, sizes, seeds); a
split forced there parts its rows into further places. So a tree edited by hand is the one that
growing everything with that split forced would give, node for node.

Limits: a split of a column with a `monotonic_cst` hands down the middle between the values of its
branches, as the core does while it grows: on one side no value below may rise above it, on the
other none may fall below it.

Surrogates: a row that the split of a node cannot place goes by the first surrogate that can, then
with the side that got more *weight* from the split itself (Breiman et al. 1984, section 5.3), the
first on a tie. rpart leaves a row in the node on a tie, and predicts by the branch of more *rows*.

Forced splits are a nested literal as in `ceiba.tree.build`, with None where the tree is free:
`("age <= 30", None, ("city in {Oslo, Lima}", None, None))`; one sentence alone is the root's split.
They act in `Problem.grow`, so the trees of cross-validation have the same splits and pruning judges
them like any other. Where a fold has no rows on one side of a forced split, its tree grows freely.
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
from ceiba.edit.forced.division import Division, EmptyBranchError, SplitLike, divide, read_split
from ceiba.edit.forced.graft import plant
from ceiba.errors import OptionError, TreeError
from ceiba.grow import SubtreeContext, read_monotonic
from ceiba.tree import SplitTable, Tree
from ceiba.tree.routing import MISSING, UNSEEN, ask, ask_surrogates, decide
from ceiba.tree.splits import SurrogateTable, read_written

if TYPE_CHECKING:
    from ceiba.grow import Problem
Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
Branches = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ValueLimits:
    """The range for the values of a node and of all below it."""

    low: float = -inf
    high: float = inf

    def of_branch(self, branch: int, direction: int, first: float, second: float) -> ValueLimits:
        """Return the limits of a branch whose split has these two values; `direction` not 0."""
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
    """Return the limits of the last node of a path from the root, set by the splits above it."""
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


def growing_branches(tree: Tree, problem: Problem, node: int, rows: Rows) -> Branches:
    """Return the branch of each of the training rows in a node; -1: it stays."""
    primary = primary_branches(tree, problem, node, rows)
    branch = stand_in(tree, problem, node, rows, primary)
    heavier = heavier_branch(problem, rows, primary)
    if problem.options.use_surrogate < 2 or heavier is None:
        return branch
    return np.where(branch == MISSING, heavier, branch)


def primary_branches(tree: Tree, problem: Problem, node: int, rows: Rows) -> Branches:
    """Return the branches by the split alone; a level that it does not know counts as missing."""
    branch = ask(tree.splits, node, problem.table, rows)
    return np.where(branch == UNSEEN, MISSING, branch)


def stand_in(tree: Tree, problem: Problem, node: int, rows: Rows, branch: Branches) -> Branches:
    """Send rows without a branch by the first surrogate that can place them."""
    branch = branch.copy()
    ask_surrogates(tree, problem.table, node, rows, branch)
    return branch


def heavier_branch(problem: Problem, rows: Rows, primary: Branches) -> int | None:
    """Return the branch to which the split itself sent more weight; None on a tie in rpart()."""
    options = problem.options
    if (
        options.rpart is not None and options.surrogates.keep == 0
    ):  # rpart does not look for it then
        return None
    placed = primary >= 0
    weight = case_weights(problem)[rows][placed]
    load = np.bincount(primary[placed], weights=weight, minlength=2)
    heaviest = np.flatnonzero(load == load.max())
    return int(heaviest[0]) if len(heaviest) == 1 or options.rpart is None else None


def case_weights(problem: Problem) -> Array:
    """Return the weight of each row, without its time under observation."""
    return problem.row_weight if problem.case_weight is None else problem.case_weight


@dataclass(frozen=True)
class Here:
    """A node of a tree with the training rows in it, and what growing there must know."""

    problem: Problem
    rows: Rows
    weight: Array | None  # with shares of rows that are in several branches; None: ones
    depth: int
    seed: int
    leaves: int  # of the tree, elsewhere
    limits: ValueLimits  # set by monotone splits above

    @classmethod
    def at(cls, tree: Tree, node: int, problem: Problem) -> Here:
        """Go down from the root to a node, with the rows that get there."""
        tree.node(node)
        if tree.honest or tree.smoothed:
            raise TreeError(
                "A tree with honest or smoothed leaves cannot be changed by hand: the new nodes "
                'would have plain values. Fit with leaf_values="share".'
            )
        here = cls.root(problem, None)
        for below in tree.path(node).nodes[1:]:
            here = here.down(tree, below)
        weight = here.weight
        if len(here.rows) == 0 or (weight is not None and not weight[here.rows].any()):
            raise TreeError(f"Node {node}: none of the {problem.n_rows} rows gets there.")
        return replace(here, leaves=_leaves_elsewhere(tree, node))

    def down(self, tree: Tree, node: int) -> Here:
        """Go from the node above down to a node, with the rows that get there."""
        above, b = int(tree.parent[node]), int(tree.branch_index[node])
        rows, weight = _follow(tree, self.problem, above, b, self.rows, self.weight)
        return replace(
            self,
            rows=rows,
            weight=weight,
            depth=self.depth + 1,
            seed=_core.branch_seed(self.seed, b),
            leaves=_leaves_elsewhere(tree, node),
            limits=limits_at(tree, tree.path(node).nodes, _directions(self.problem)),
        )

    @classmethod
    def root(cls, problem: Problem, rows: npt.NDArray[np.uint32] | None) -> Here:
        """Return the root of a tree of all rows, or of some."""
        indices = np.arange(problem.n_rows) if rows is None else rows.astype(np.intp)
        return cls(problem, indices, problem.weight, 0, problem.options.seed, 0, ValueLimits())

    def grown(self) -> Tree:
        """Grow a tree here."""
        return self.problem.grow(self.rows.astype(np.uint32), subtree=self._place())

    def leaf(self) -> Tree:
        """Return the node as a leaf."""
        rows = self.rows.astype(np.uint32)
        return self._kept(self.problem.leaf_tree(rows, self.weight, self._place()))

    def forced(self, split: SplitLike) -> tuple[Tree, list[Here]]:
        """Force a split here: the node with it, and the places of its branches."""
        splits, missing = read_split(split, self.problem.table, self.rows)
        division = divide(self.problem, splits, self.rows, self.weight, missing)
        return self.stem(splits, division), self.branches(splits, division)

    def branches(self, splits: SplitTable, division: Division) -> list[Here]:
        """Return the branches of a division."""
        elsewhere = self.leaves + len(division) - 1
        parts = [division.part(b, self.rows, self.weight) for b in division]
        limits = self._limits_of(int(splits.column[0]), parts)
        return [
            Here(
                self.problem,
                rows,
                weight,
                self.depth + 1,
                _core.branch_seed(self.seed, b),
                elsewhere,
                limits[b],
            )
            for b, (rows, weight) in enumerate(parts)
        ]

    def _limits_of(self, column: int, parts: list[tuple[Rows, Array | None]]) -> list[ValueLimits]:
        """Return the limits that the branches of a split of this column have."""
        directions = _directions(self.problem)
        direction = directions[column] if directions else 0
        if direction == 0:
            return [self.limits] * len(parts)
        name = self.problem.table.schema.names[column]
        if len(parts) != 2:
            raise TreeError(
                f"monotonic_cst limits column {name!r}, which this split parts into {len(parts)} "
                "branches. Limits are kept by splits in two: give a Cut, or leave monotonic_cst "
                "out."
            )
        summaries = [
            self.problem.leaf_tree(rows.astype(np.uint32), weight) for rows, weight in parts
        ]
        first, second = (node_number(summary, 0) for summary in summaries)
        self.limits.refuse(name, direction, first, second)
        return [self.limits.of_branch(b, direction, first, second) for b in (0, 1)]

    def stem(self, splits: SplitTable, division: Division) -> Tree:
        """Return the node itself: what it holds, its split, no branches yet."""
        node = self.leaf()
        surrogates = division.surrogates
        return replace(
            node,
            splits=splits,
            default_branch=np.array([division.default_branch]),
            sent_default=np.array([division.sent_default]),
            gain=np.array([division.gain]),
            surrogates=node.surrogates if surrogates is None else surrogates,
        )

    def _kept(self, node: Tree) -> Tree:
        """Return an empty surrogate table for a node without surrogates."""
        if self.problem.options.missing_rule != "surrogate" or node.surrogates is not None:
            return node
        return replace(node, surrogates=SurrogateTable.none(1))

    def _place(self) -> SubtreeContext:
        problem = self.problem
        total = problem.row_weight if problem.weight is None else problem.weight
        return SubtreeContext(
            depth=self.depth,
            n_rows=problem.n_rows,
            weight=float(total.sum()),
            share=self._mass(self.weight, self.rows) / self._mass(problem.weight, None),
            seed=self.seed,
            leaves=self.leaves,
            low=self.limits.low,
            high=self.limits.high,
            row_weight=self.weight,
        )

    def _mass(self, weight: Array | None, rows: Rows | None) -> float:
        """Sum weights as the split search sees them."""
        masses = np.ones(self.problem.n_rows) if weight is None else weight
        scale = self.problem.scales.search
        if scale is not None:
            masses = masses * scale[self.problem.target.values[:, 0]]
        return float(masses.sum() if rows is None else masses[rows].sum())


def _leaves_elsewhere(tree: Tree, node: int) -> int:
    inside = tree.is_leaf[node : tree.subtree_end[node]]
    return tree.n_leaves - int(np.count_nonzero(inside))


def _directions(problem: Problem) -> list[int]:
    """Return the monotone direction of each column; [] when all are free."""
    return read_monotonic(problem.options.monotonic_cst, problem.table.schema.names)


def _follow(
    tree: Tree, problem: Problem, node: int, b: int, rows: Rows, weight: Array | None
) -> tuple[Rows, Array | None]:
    """Keep the rows that growing sends from a node down one of its branches."""
    if tree.missing == "surrogate":
        return rows[growing_branches(tree, problem, node, rows) == b], weight
    branch, everywhere = decide(tree, problem.table, node, rows)
    if everywhere.any():
        weight = problem.row_weight.copy() if weight is None else weight.copy()
        part = float(tree.branch_share[tree.branch_start[node] + b])
        weight[rows[everywhere]] *= part
    return rows[(branch == b) | everywhere], weight


def grow_forced(problem: Problem, rows: Any, subtree: SubtreeContext | None) -> Tree:
    """Grow a tree whose first splits are given; those of some rows alone may have no effect."""
    free = problem.with_changes(options=replace(problem.options, forced_splits=None))
    here = Here.root(free, rows)
    if subtree is not None:
        here = replace(here, seed=subtree.seed)
    return _grown(here, problem.options.forced_splits, strict=rows is None)


def _grown(here: Here, literal: Any, strict: bool) -> Tree:
    """Grow from the leaves of the literal up; its depth is what somebody wrote by hand."""
    if literal is None:
        return here.grown()
    question, branches = (literal[0], literal[1:]) if isinstance(literal, tuple) else (literal, ())
    try:
        stem, places = here.forced(question)
    except EmptyBranchError as error:
        if strict:
            raise TreeError(f"forced_splits, {question!r}: {error}") from None
        return here.grown()
    except TreeError as error:
        raise TreeError(f"forced_splits, {question!r}: {error}") from None
    order = _order(here, question, len(places))
    if branches and len(branches) != len(places):
        raise OptionError(
            f"forced_splits: {question!r} has {len(places)} branches, and {len(branches)} are "
            "written. Write one for each, None where the tree is free."
        )
    parts: list[Tree | None] = [None] * len(places)
    for b, part in zip(order, branches or (None,) * len(places), strict=True):
        parts[b] = _grown(places[b], part, strict)
    return plant(stem, [part for part in parts if part is not None])


def _order(here: Here, question: Any, n_branches: int) -> list[int]:
    """Return the branch that each written branch is: first where the sentence is true."""
    if not isinstance(question, str | list):
        return list(range(n_branches))
    columns = {info.name: info for info in here.problem.table.schema.columns}
    written = list(read_written(question, columns).branches)
    return [*written, *(b for b in range(n_branches) if b not in written)]
