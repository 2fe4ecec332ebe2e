"""The problem of growing a tree: table, target, weights and options. Its `grow` is the one door.

Estimators, the folds of cross-validation, `regrow`, forced splits, significance and CHAID all ask a
`Problem` for a tree, of all its rows or of some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError
from ceiba.grow.combinations import check_combinations
from ceiba.grow.core_grower import Place, grow_by_search, grow_on_each
from ceiba.grow.leaf_values import folded
from ceiba.grow.options import GrowOptions
from ceiba.grow.priors import ClassScales, class_scales
from ceiba.table import Table, Target, read_like, read_weights
from ceiba.table.targets import read_target_like, split_target
from ceiba.tree import Tree
from ceiba.tree.splits import with_cut_digits

#: The function that grows what `GrowOptions.growers` or a table asks for: of the problem, the rows
#: (None: all) and the place in a larger tree (None: the tree stands alone). Imported on first use,
#: which lets the table name rooms above this one.
GROWERS: Final[Mapping[str, str]] = {
    "search": "ceiba.grow.core_grower:grow_by_search",
    "bins": "ceiba.grow.core_grower:grow_by_search",
    "gain_ratio": "ceiba.grow.core_grower:grow_by_search",
    "significance": "ceiba.grow.significance.grower:grow_by_significance",
    "tests": "ceiba.grow.chaid_grower:grow_by_tests",
    "best": "ceiba.grow.search_grower:grow_best",
    "forced": "ceiba.edit.forced.here:grow_forced",
    "shards": "ceiba.shards.grower:grow_over_shards",
}
Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.uint32]
_MOST_ROWS: Final = 100_000_000


@cache
def find_grower(name: str) -> Callable[[Any, Any, Any], Tree]:
    """Return the function of a grower."""
    module, _, function = GROWERS[name].partition(":")
    return getattr(import_module(module), function)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Problem:
    """Data and options of growing; `grow` gives the tree of all rows or of some."""

    table: Table
    target: Target
    options: GrowOptions
    weight: Array | None = None
    # Weight where rows are sent by surrogates or with the majority: `weight` of rates is this times
    # the observation time.
    case_weight: Array | None = None
    given_scales: ClassScales | None = None  # of a larger problem

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
        """Grow a tree on all rows or on some (ascending), perhaps below a node of a larger tree.

        Sizes given as fractions are fractions of these rows; priors and costs are those of all.
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
        return grow_by_search(replace(self._without_columns, weight=weight), rows, below)

    @cached_property
    def _without_columns(self) -> Problem:
        """The problem of a table without columns, which cannot be split and is not sorted."""
        names = (
            "task",
            "class_prior",
            "cost_matrix",
            "missing",
            "unseen",
            "frequency_weights",
            "rpart",
        )
        # Tests value splits only, and leave nodes to gini or squared error.
        criterion = "" if self.options.chaid is not None else self.options.criterion
        options = GrowOptions(
            criterion=criterion, **{name: getattr(self.options, name) for name in names}
        )
        return Problem(self.table.select([]), self.target, options, given_scales=self.scales)

    def search_mass(self, tree: Tree) -> Array | None:
        """Return the nodes' weight under the altered priors of all rows; None: the plain weight."""
        if self.scales.search is None or tree.counts is None:
            return None
        return np.asarray(tree.counts[:, 0, :] @ self.scales.search)

    @classmethod
    def like(cls, tree: Tree, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Problem:
        """Read data by a tree's schema; its criterion, missing rule, priors and costs hold."""
        if isinstance(y, str):
            X, y = split_target(X, y)
        table = (
            X if isinstance(X, Table) else read_like(X, tree.schema, match="name", unseen="error")
        )
        target = y if isinstance(y, Target) else read_target_like(y, tree.target, table.n_rows)
        settings = {
            "criterion": tree.criterion,
            "missing": tree.missing,
            "unseen": tree.unseen,
            "class_prior": tree.class_prior,
            "cost_matrix": tree.cost_matrix,
        }
        chosen = GrowOptions(task=tree.task, **{**settings, **options})
        weight = None if sample_weight is None else read_weights(sample_weight, table.n_rows)
        return cls(table, target, chosen, weight)


def counts_parts(options: GrowOptions) -> bool:
    """Return whether weights cannot stand for repeated rows under these options."""
    return options.frequency_weights and (
        options.missing_rule == "fractional" or options.criterion_name == "gain_ratio"
    )


def repeat_rows(
    problem: Problem,
    rows: npt.NDArray[np.uint32] | None,
    below: Place | None,
    frequency: npt.NDArray[np.float64] | None,
) -> tuple[Problem, npt.NDArray[np.uint32] | None, Place | None]:
    """Return a problem in which each row stands as often as its frequency says."""
    if frequency is None or not np.array_equal(frequency, np.rint(frequency)):
        return problem, rows, below
    at = np.arange(problem.n_rows) if rows is None else rows.astype(np.intp)
    total = float(frequency[at].sum())
    if total > _MOST_ROWS:
        raise DataError(
            f"frequency_weights=True repeats rows where they may go down several branches: the "
            f"weights add up to {total:.4g} rows, and {_MOST_ROWS:,} can be repeated. Divide the "
            "weights by a common factor, or leave frequency_weights at False."
        )
    again = np.repeat(at, frequency[at].astype(np.intp))
    weight: Any = None
    if below is not None and below.row_weight is not None:
        weight = below.row_weight[again] / frequency[again]
        below = replace(below, row_weight=weight)
    copies = replace(
        problem.take(again),
        weight=weight,
        options=replace(problem.options, frequency_weights=False),
        given_scales=problem.scales,
    )
    return copies, None, below
