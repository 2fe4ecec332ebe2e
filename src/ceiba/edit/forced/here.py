"""A place in a tree that grows or is edited: its rows, its depth and seed, the limits above it.

From a place the core grows under the stop rules of the whole tree (depth, sizes, seeds:
`ceiba.grow.Place`); a split forced there parts its rows into further places. So a tree edited by
hand is the one that growing everything with that split forced would give, node for node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.edit.forced.division import Division, SplitLike, divide, read_split
from ceiba.edit.forced.growing_route import growing_branches
from ceiba.edit.forced.monotone import ValueLimits, limits_at, node_number
from ceiba.errors import TreeError
from ceiba.grow.core_options import Place
from ceiba.grow.per_column import read_monotonic
from ceiba.tree import SplitTable, Tree
from ceiba.tree.routing.branches import decide
from ceiba.tree.splits.surrogates import SurrogateTable

if TYPE_CHECKING:
    from ceiba.grow.problem import Problem

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


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
        """Give the root of a tree of all rows, or of some."""
        own = np.arange(problem.n_rows) if rows is None else rows.astype(np.intp)
        return cls(problem, own, problem.weight, 0, problem.options.seed, 0, ValueLimits())

    def grown(self) -> Tree:
        """Grow a tree here."""
        return self.problem.grow(self.rows.astype(np.uint32), below=self._place())

    def leaf(self) -> Tree:
        """Give the node as a leaf."""
        rows = self.rows.astype(np.uint32)
        return self._kept(self.problem.summary(rows, self.weight, self._place()))

    def forced(self, split: SplitLike) -> tuple[Tree, list[Here]]:
        """Force a split here: the node with it, and the places of its branches."""
        splits, missing = read_split(split, self.problem.table, self.rows)
        division = divide(self.problem, splits, self.rows, self.weight, missing)
        return self.stem(splits, division), self.branches(splits, division)

    def branches(self, splits: SplitTable, division: Division) -> list[Here]:
        """Give the branches of a division."""
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
        """Give the limits that the branches of a split of this column have."""
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
        summaries = [self.problem.summary(rows.astype(np.uint32), weight) for rows, weight in parts]
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

    def _place(self) -> Place:
        problem = self.problem
        total = problem.row_weight if problem.weight is None else problem.weight
        return Place(
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
        own = np.ones(self.problem.n_rows) if weight is None else weight
        scale = self.problem.scales.search
        if scale is not None:
            own = own * scale[self.problem.target.values[:, 0]]
        return float(own.sum() if rows is None else own[rows].sum())


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
