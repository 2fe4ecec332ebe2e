"""Trees changed by hand: grow below a node anew, or force a split and let the rest follow.

`regrow` and `set_split` go down to one node with the training rows, let the core grow there under
the stop rules of the whole tree (depth, sizes, seeds: `ceiba.grow.Place`) and graft the result
in. So the new tree is the one that growing everything with that split forced would give, node for
node, and the rest of the old tree is not touched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.edit.forced_split import Division, SplitLike, divide, read_split
from ceiba.edit.graft import graft, plant
from ceiba.edit.growing_route import growing_branches
from ceiba.edit.monotone import ValueLimits, limits_at, node_number
from ceiba.errors import TreeError
from ceiba.grow import Place
from ceiba.grow.per_column import read_monotonic
from ceiba.grow.problem import Problem
from ceiba.tree import SplitTable, Surrogates
from ceiba.tree.routing.branches import decide

if TYPE_CHECKING:
    from ceiba.tree import Tree

__all__ = ["regrow", "regrow_in", "set_split", "set_split_in"]

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


def regrow(
    tree: Tree, node: int, X: Any, y: Any, *, sample_weight: Any = None, **options: Any
) -> Tree:
    """Grow everything below a node anew.

    Parameters
    ----------
    tree : Tree
    node : int
    X, y : table and target
        What the tree was grown on; y may be the name of a column of X.
    sample_weight : array-like of shape (n_rows,), optional
    **options
        How to grow, as in `ceiba.grow.GrowOptions`: a tree does not remember its stop rules. The
        criterion, the rule for missing values, priors and costs are the tree's own.

    Returns
    -------
    Tree

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.edit import regrow
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ceiba.DecisionTreeClassifier().fit(X, y).tree_
    >>> regrow(tree.collapse(2), 2, X, y) == tree
    True
    """
    return regrow_in(tree, node, Problem.like(tree, X, y, sample_weight, **options))


def set_split(
    tree: Tree,
    node: int,
    split: SplitLike,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    **options: Any,
) -> Tree:
    """Force the split of a node and grow everything below it anew.

    Parameters
    ----------
    tree : Tree
    node : int
        A leaf or an inner node.
    split : Cut, Intervals, LevelSets, Presence, str or (column, cuts)
        The question: `Cut("age", 30)`, `LevelSets("city", (("Oslo",), ("Lima", "Rome")))` (with one
        group only, the other levels of the node are the second), `Presence("income")`; in words:
        "age <= 30", "income is missing"; several cuts: `("age", [18, 65])`.
    X, y : table and target
        What the tree was grown on; y may be the name of a column of X.
    sample_weight : array-like of shape (n_rows,), optional
    **options
        How to grow below the split, as in `ceiba.grow.GrowOptions`.

    Returns
    -------
    Tree

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.edit import set_split
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y).tree_
    >>> forced = set_split(tree, 0, "petal width (cm) <= 1.75", X, y, max_depth=2)
    >>> print(forced.to_text(unicode=False))
    root  n=150 (100%)  0 p=0.333
    |- petal width (cm) <= 1.75  n=104 (69.3%)  0 p=0.481
    |  |- petal length (cm) <= 2.45  n=50 (33.3%)  -> 0 p=1
    |  `- petal length (cm) > 2.45  n=54 (36%)  -> 1 p=0.907
    `- petal width (cm) > 1.75  n=46 (30.7%)  2 p=0.978
       |- petal length (cm) <= 4.85  n=3 (2%)  -> 2 p=0.667
       `- petal length (cm) > 4.85  n=43 (28.7%)  -> 2 p=1
    """
    problem = Problem.like(tree, X, y, sample_weight, **options)
    return set_split_in(tree, node, split, problem)


def regrow_in(tree: Tree, node: int, problem: Problem) -> Tree:
    """Grow below a node anew, on data that are read already."""
    here = _Here.at(tree, node, problem)
    return graft(tree, node, here.grown())


def set_split_in(tree: Tree, node: int, split: SplitLike, problem: Problem) -> Tree:
    """Force the split of a node, on data that are read already."""
    here = _Here.at(tree, node, problem)
    splits = read_split(split, problem.table, here.rows)
    division = divide(problem, splits, here.rows, here.weight)
    stem = here.stem(splits, division)
    branches = here.branches(splits, division)
    return graft(tree, node, plant(stem, [branch.grown() for branch in branches]))


@dataclass(frozen=True)
class _Here:
    """A node of a tree with the training rows in it, and what growing there must know."""

    tree: Tree
    problem: Problem
    rows: Rows
    weight: Array | None  # with shares of rows that are in several branches; None: ones
    depth: int
    seed: int
    leaves: int  # of the tree, elsewhere
    limits: ValueLimits  # set by monotone splits above

    @classmethod
    def at(cls, tree: Tree, node: int, problem: Problem) -> _Here:
        """Go down from the root to a node, with the rows that get there."""
        tree.node(node)
        if tree.honest or tree.smoothed:
            raise TreeError(
                "A tree with honest or smoothed leaves cannot be changed by hand: the new nodes "
                'would have plain values. Fit without honest and with leaf_values="share".'
            )
        path = [node]
        while path[-1]:
            path.append(int(tree.parent[path[-1]]))
        rows, weight, seed = np.arange(problem.n_rows), problem.weight, problem.options.seed
        for above, below in zip(path[:0:-1], path[-2::-1], strict=True):
            b = int(tree.branch_index[below])
            rows, weight = _follow(tree, problem, above, b, rows, weight)
            seed = _core.branch_seed(seed, b)
        if len(rows) == 0 or (weight is not None and not weight[rows].any()):
            raise TreeError(f"Node {node}: none of the {problem.n_rows} rows gets there.")
        inside = tree.is_leaf[node : tree.subtree_end[node]]
        elsewhere = tree.n_leaves - int(np.count_nonzero(inside))
        limits = limits_at(tree, path[::-1], _directions(problem))
        return cls(tree, problem, rows, weight, len(path) - 1, seed, elsewhere, limits)

    def grown(self) -> Tree:
        """Grow a tree here."""
        return self.problem.grow(self.rows.astype(np.uint32), below=self._place())

    def branches(self, splits: SplitTable, division: Division) -> list[_Here]:
        """Give the branches of a division."""
        elsewhere = self.leaves + len(division) - 1
        parts = [division.part(b, self.rows, self.weight) for b in division]
        limits = self._limits_of(int(splits.column[0]), parts)
        return [
            _Here(
                self.tree,
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
        """Give the node itself: what it holds, its split, no branches yet."""
        rows = self.rows.astype(np.uint32)
        node = self.problem.summary(rows, self.weight, self._place())
        surrogates = division.surrogates
        if surrogates is None and self.tree.surrogates is not None:
            none = np.zeros(0)
            surrogates = Surrogates(np.zeros(2), SplitTable.none(0), none, none, none)
        return replace(
            node,
            splits=splits,
            default_branch=np.array([division.default_branch]),
            sent_default=np.array([division.sent_default]),
            gain=np.array([division.gain]),
            surrogates=surrogates,
        )

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


def _directions(problem: Problem) -> list[int]:
    """Give the monotone direction of each column; [] when all are free."""
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
        part = float(tree.branch_weight[tree.branch_start[node] + b])
        weight[rows[everywhere]] *= part
    return rows[(branch == b) | everywhere], weight
