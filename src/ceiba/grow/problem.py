"""The problem of growing a tree: table, target, weights and options. Its `grow` is the one door.

Estimators, the folds of cross-validation, `regrow`, forced splits, significance and CHAID all ask a
`Problem` for a tree, of all its rows or of some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.grow.combinations import check_combinations
from ceiba.grow.core_grower import grow_by_search, grow_on_each
from ceiba.grow.core_options import Place
from ceiba.grow.grow_options import GrowOptions
from ceiba.grow.growers import find_grower
from ceiba.grow.limits import folded
from ceiba.grow.priors import ClassScales, class_scales
from ceiba.grow.repeated import counts_parts, repeat_rows
from ceiba.table import Table, Target, read_like, read_target_like, read_weights, split_target
from ceiba.tree import Tree
from ceiba.tree.splits.cut_digits import with_cut_digits

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
        Regression: weight of each row where it is sent by surrogates or with the majority, if that
        is not `weight`. For rates, `weight` is this times the observation time.
    given_scales : ClassScales, optional
        Priors and costs of a larger problem; None: those of all rows of this one.

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
    given_scales: ClassScales | None = None

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
        """What priors and costs do to each class."""
        if self.given_scales is not None:
            return self.given_scales
        return class_scales(self.target, self.options, self.weight)

    def grow(
        self, rows: Rows | None = None, *, below: Place | None = None, n_jobs: int | None = None
    ) -> Tree:
        """Grow a tree on all rows or on some.

        Parameters
        ----------
        rows : uint32 array, optional
            Positions of the rows to grow on, ascending; the table is not copied. Sizes given as
            fractions are fractions of these rows; priors and costs are those of all rows.
        below : Place, optional
            Where in a larger tree the new one will stand, whose stopping rules then hold.
        n_jobs : int, optional
            Threads, instead of the options' own.
        """
        problem = self
        if n_jobs is not None or below is not None:
            options = self.options if n_jobs is None else replace(self.options, n_jobs=n_jobs)
            problem = self.changed(options=options)
            if below is not None:
                problem = replace(problem, weight=below.row_weight, case_weight=None)
        check_combinations(problem.table, problem.target, problem.options, problem.weight)
        if problem.options.forced_splits is not None and (below is None or below.depth == 0):
            return with_cut_digits(find_grower("forced")(problem, rows, below), self.table, rows)
        if problem.options.frequency_weights and counts_parts(problem.options):
            problem, rows, below = repeat_rows(problem, rows, below, self.weight)
        name = self.table.grower or problem.options.growers[0]
        tree = find_grower(name)(problem, rows, below)
        if name not in ("search", "bins", "gain_ratio", "best"):  # these know the digits of cuts
            tree = with_cut_digits(tree, problem.table, rows)
        return tree if problem.options.monotonic_cst is None else folded(tree)

    def grow_on_each(self, parts: Sequence[Rows]) -> list[Tree]:
        """Grow a tree on each of several sets of rows by the core's search, in one call of it.

        There are no weights, and no option is a share of the rows or asks for another grower.
        """
        check_combinations(self.table, self.target, self.options, self.weight)
        return grow_on_each(self, parts)

    def changed(self, **changes: Any) -> Problem:
        """Return a changed problem whose priors and costs stay those of this one."""
        return replace(self, given_scales=self.scales, **changes)

    def take(self, rows: npt.NDArray[Any]) -> Problem:
        """Return the problem of some rows alone, as if there were no others."""
        return replace(
            self,
            table=self.table.take(rows),
            target=Target(self.target.info, self.target.values[rows]),
            weight=None if self.weight is None else self.weight[rows],
            case_weight=None if self.case_weight is None else self.case_weight[rows],
            given_scales=None,
        )

    def summary(self, rows: Rows, weight: Array | None, below: Place | None = None) -> Tree:
        """Describe some rows as a tree of one node."""
        node = self.figures(rows, weight, below)
        return replace(node, schema=self.table.schema.with_target(self.target.info))

    def figures(self, rows: Rows, weight: Array | None, below: Place | None = None) -> Tree:
        """Describe some rows as a tree of one node that knows no columns."""
        bare = Problem(
            self._without_columns,
            self.target,
            self._node_options,
            weight,
            given_scales=self.scales,
        )
        return grow_by_search(bare, rows, below)

    @cached_property
    def _without_columns(self) -> Table:
        """A table without columns, which cannot be split and is not sorted either."""
        return self.table.select([])

    @cached_property
    def _node_options(self) -> GrowOptions:
        return GrowOptions(
            task=self.options.task,
            criterion=self._node_criterion,
            class_prior=self.options.class_prior,
            cost_matrix=self.options.cost_matrix,
            missing=self.options.missing,
            unseen=self.options.unseen,
            frequency_weights=self.options.frequency_weights,
            rpart=self.options.rpart,
        )

    @property
    def _node_criterion(self) -> Any:
        """What values nodes: tests value splits only, and leave nodes to gini or squared error."""
        return "" if self.options.chaid is not None else self.options.criterion

    def seed_for(self, random_state: Any) -> Any:
        """Return a random state, or the problem's own seed where none is given."""
        return self.options.seed if random_state is None else random_state

    def search_mass(self, tree: Tree) -> Array | None:
        """Return the nodes' weight under the altered priors of all rows; None: the plain weight."""
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
        weight = None if sample_weight is None else read_weights(sample_weight, table.n_rows)
        return cls(table, target, chosen, weight)
