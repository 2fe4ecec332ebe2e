"""What a tree was grown on: table, target, weights and options, so that it can be grown again.

Cross-validation grows a tree on the other rows of each fold, reduced-error pruning keeps rows
apart, and `regrow` continues below one node: all ask the `Problem` for a tree of a part of its
rows. Recipes with rules of their own override `grow`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ceiba.grow.grow import ClassScales, Place, class_scales, grow
from ceiba.grow.options import GrowOptions
from ceiba.table import Table, Target, read_like, read_target_like, read_weights, split_target

if TYPE_CHECKING:
    from ceiba.tree import Tree

__all__ = ["Problem"]

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Problem:
    """Data and options of growing.

    Attributes
    ----------
    table : Table
    target : Target
    options : GrowOptions
    weight : float64 array of shape (n_rows,), optional
    case_weight : float64 array of shape (n_rows,), optional
        As in `ceiba.grow.grow`: weights without time under observation.

    Examples
    --------
    >>> import numpy as np
    >>> from ceiba.grow import GrowOptions
    >>> from ceiba.grow import Problem
    >>> from ceiba.table import read, read_target
    >>> problem = Problem(
    ...     read({"x": [1.0, 2.0, 3.0, 4.0]}),
    ...     read_target(["a", "a", "b", "b"], task="classification"),
    ...     GrowOptions(task="classification"),
    ... )
    >>> problem.grow().n_leaves, problem.grow(np.array([0, 1], np.uint32)).n_leaves
    (2, 1)
    """

    table: Table
    target: Target
    options: GrowOptions
    weight: Array | None = None
    case_weight: Array | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @cached_property
    def row_weight(self) -> Array:
        """Weight of each row, ones where none are given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    @cached_property
    def scales(self) -> ClassScales:
        """What priors and costs do to each class, reckoned from all rows."""
        return class_scales(self.target, self.options, self.weight)

    def grow(self, rows: Rows | None = None, *, n_jobs: int | None = None) -> Tree:
        """Grow a tree on all rows or on some; `n_jobs` instead of the options' own."""
        options = self.options if n_jobs is None else replace(self.options, n_jobs=n_jobs)
        return grow(
            self.table,
            self.target,
            options,
            self.weight,
            rows=rows,
            case_weight=self.case_weight,
        )

    def grow_at(self, rows: Rows, place: Place, weight: Array | None) -> Tree:
        """Grow a tree for a place in a larger one; `weight` has the shares that rows have there."""
        return grow(
            self.table,
            self.target,
            self.options,
            weight,
            rows=rows,
            place=place,
            scales=self.scales,
        )

    def summary(self, rows: Rows, place: Place | None, weight: Array | None) -> Tree:
        """Describe some rows as a tree of one node."""
        # A table without columns cannot be split, and is not sorted either.
        options = replace(self.options, column_cost=None, monotonic_cst=None, max_features=None)
        bare = self.table.select([])
        node = grow(bare, self.target, options, weight, rows=rows, place=place, scales=self.scales)
        return replace(node, schema=self.table.schema.with_target(self.target.info))

    def search_mass(self, tree: Tree) -> Array | None:
        """Give the nodes' weight under the altered priors of all rows; None: the plain weight."""
        if self.scales.search is None or tree.counts is None:
            return None
        return np.asarray(tree.counts[:, 0, :] @ self.scales.search)

    @classmethod
    def like(cls, tree: Tree, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Problem:
        """Read data by a tree's schema; its criterion, missing rule, priors and costs hold.

        Parameters
        ----------
        tree : Tree
        X, y, sample_weight
            The data; y may be the name of a column of X.
        **options
            Further options of growing, as in `ceiba.grow.GrowOptions`.
        """
        if isinstance(y, str):
            X, y = split_target(X, y)
        table = (
            X if isinstance(X, Table) else read_like(X, tree.schema, match="name", unseen="error")
        )
        target = y if isinstance(y, Target) else read_target_like(y, tree.target, table.n_rows)
        own = {
            "criterion": tree.criterion,
            "missing": tree.missing,
            "unseen": tree.unseen,
            "class_prior": tree.class_prior,
            "cost_matrix": tree.cost_matrix,
        }
        chosen = GrowOptions(task=tree.task, **{**own, **options})
        return cls(table, target, chosen, read_weights(sample_weight, table.n_rows))
