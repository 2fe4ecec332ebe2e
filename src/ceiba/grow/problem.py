"""Data and options for growing a tree: table, target, weights and growing options.

`Problem.grow` grows the trees of estimators, `regrow`, forced splits and pruning, and those of
cross-validation folds unless the table is in shards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import DataError
from ceiba.grow.combinations import check_combinations
from ceiba.grow.core_grower import (
    PLAIN_UNITS,
    SubtreeContext,
    Units,
    core_options,
    grow_by_search,
    tree_from_arrays,
)
from ceiba.grow.leaf_values import merge_equal_siblings
from ceiba.grow.options import GrowOptions
from ceiba.grow.priors import NO_SCALES, ClassScales, class_scales
from ceiba.table import Table, Target, read_like, read_weights
from ceiba.table.targets import HazardTarget, pop_target, read_target_like
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.splits import with_cut_digits

#: The function of each search method. Its arguments are the problem, the rows (None: all) and the
#: context in a larger tree (or None). It is imported on first use, because it may be in a package
#: that imports this one.
GROWERS: Final[Mapping[str, str]] = {
    "search": "ceiba.grow.core_grower:grow_by_search",
    "bins": "ceiba.grow.core_grower:grow_by_search",
    "gain_ratio": "ceiba.grow.core_grower:grow_by_search",
    "significance": "ceiba.grow.significance.grower:grow_by_significance",
    "tests": "ceiba.grow.chaid_grower:grow_by_tests",
    "best": "ceiba.grow.search_grower:grow_best",
    "forced": "ceiba.edit.forced.node_site:grow_forced",
    "shards": "ceiba.shards.grower:grow_over_shards",
}
Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.uint32]
_MAX_REPEATED_ROWS: Final = 100_000_000


@cache
def find_grower(name: str) -> Callable[[Any, Any, Any], Tree]:
    """Import and return the function of a search method."""
    module, _, function = GROWERS[name].partition(":")
    return getattr(import_module(module), function)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Problem:
    """Data and options for growing a tree on all rows or on a subset."""

    table: Table
    target: Target
    options: GrowOptions
    weight: Array | None = None
    # Row weights without the exposure, which determine surrogates and majority branches in rpart.
    case_weight: Array | None = None
    fixed_scales: ClassScales | None = None  # class scales computed from all rows, for subsets

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return self.table.n_rows

    @cached_property
    def row_weight(self) -> Array:
        """The weight of each row, which is 1 if no weights were given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    @cached_property
    def hazard(self) -> HazardTarget:
        """The survival target of all rows as event rates."""
        return HazardTarget(self.target.values, self.weight)

    @property
    def scales(self) -> ClassScales:
        """The class priors and costs, and the factors by which they scale class weights."""
        if self.fixed_scales is not None:
            return self.fixed_scales
        if self.options.class_prior is None and self.options.cost_matrix is None:
            return NO_SCALES
        return self._scales

    @cached_property
    def _scales(self) -> ClassScales:
        return class_scales(self.target, self.options, self.weight)

    def grow(
        self,
        rows: Rows | None = None,
        *,
        subtree: SubtreeContext | None = None,
        n_jobs: int | None = None,
    ) -> Tree:
        """Grow a tree on all rows or a sorted subset, optionally as a subtree of a larger tree."""
        # Fractional sizes are relative to `rows` or the larger tree, but priors refer to all rows.
        problem = self
        if n_jobs is not None or subtree is not None:
            options = self.options if n_jobs is None else replace(self.options, n_jobs=n_jobs)
            problem = self.with_changes(options=options)
            if subtree is not None:
                problem = replace(problem, weight=subtree.row_weight, case_weight=None)
        check_combinations(problem.table, problem.target, problem.options, problem.weight)
        if problem.options.forced_splits is not None and (subtree is None or subtree.depth == 0):
            return with_cut_digits(find_grower("forced")(problem, rows, subtree), self.table, rows)
        if problem.options.frequency_weights and needs_repeated_rows(problem.options):
            problem, rows, subtree = repeat_rows(problem, rows, subtree, self.weight)
        name = self.table.grower or problem.options.growers[0]
        tree = find_grower(name)(problem, rows, subtree)
        if name not in ("search", "bins", "gain_ratio", "best"):  # these growers set the cut digits
            tree = with_cut_digits(tree, problem.table, rows)
        return tree if problem.options.monotonic_cst is None else merge_equal_siblings(tree)

    def grow_on_each(self, parts: Sequence[Rows], path: Sequence[int] = ()) -> list[Tree]:
        """Grow an unweighted tree on each set of rows, below splits on the columns in `path`."""
        check_combinations(self.table, self.target, self.options, self.weight)
        columns, target = self.table.core(), self.target.values
        core = core_options(self.table, self.options, None, self.scales, None, path)
        rows, ends = np.concatenate(parts), np.cumsum([len(subset) for subset in parts])
        units = PLAIN_UNITS
        if self.options.task.is_classification("Growing"):
            n_classes = [len(labels) for labels in self.target.info.classes]
            grown = _core.grow_on_each(columns, target, n_classes, core, rows, ends)
        else:
            units = Units.of(target, None)
            grown = _core.grow_on_each(columns, units.shrink_target(target), core, rows, ends)
        return [tree_from_arrays(arrays, self, units, None) for arrays in grown]

    def with_changes(self, **changes: Any) -> Problem:
        """Return a copy with some fields replaced, and with the same priors and costs."""
        return replace(self, fixed_scales=self.scales, **changes)

    def take(self, rows: npt.NDArray[Any]) -> Problem:
        """Return a copy restricted to some rows, with class priors relative to these rows."""
        return replace(
            self,
            table=self.table.take(rows),
            target=Target(self.target.info, self.target.values[rows]),
            weight=None if self.weight is None else self.weight[rows],
            case_weight=None if self.case_weight is None else self.case_weight[rows],
            fixed_scales=None,
        )

    def leaf_tree(
        self, rows: Rows, weight: Array | None, subtree: SubtreeContext | None = None
    ) -> Tree:
        """Return a one-node tree for some rows."""
        node = self.node_figures(rows, weight, subtree)
        return replace(node, schema=self.table.schema.with_target(self.target.info))

    def node_figures(
        self, rows: Rows, weight: Array | None, subtree: SubtreeContext | None = None
    ) -> Tree:
        """Return a one-node tree for some rows, without columns in its schema."""
        return grow_by_search(replace(self._without_columns, weight=weight), rows, subtree)

    @cached_property
    def _without_columns(self) -> Problem:
        """Copy of the problem without feature columns, so that no column is sorted or split."""
        names = ("task", "class_prior", "cost_matrix", "missing", "unseen", "frequency_weights",
                 "rpart")  # fmt: skip
        # CHAID's criteria measure splits, not nodes, so use the default impurity for nodes.
        criterion = "" if "tests" in self.options.growers else self.options.criterion
        options = GrowOptions(
            criterion=criterion, **{name: getattr(self.options, name) for name in names}
        )
        return Problem(self.table.select([]), self.target, options, fixed_scales=self.scales)

    def search_mass(self, tree: Tree) -> Array | None:
        """Return node weights under priors altered by costs, or None if they are not altered."""
        if self.scales.search is None or tree.counts is None:
            return None
        return np.asarray(tree.counts[:, 0, :] @ self.scales.search)

    @classmethod
    def like(cls, tree: Tree, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Problem:
        """Read data with the schema, criterion, priors and costs of an existing tree."""
        X, y = pop_target(X, y, tree.task)
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


def needs_repeated_rows(options: GrowOptions) -> bool:
    """Whether these options require rows to be repeated by their frequency weights."""
    return options.frequency_weights and (
        options.missing_rule == "fractional"
        or options.criterion_name == "gain_ratio"
        or options.task is Task.SURVIVAL
    )


def repeat_rows(
    problem: Problem,
    rows: npt.NDArray[np.uint32] | None,
    subtree: SubtreeContext | None,
    frequency: npt.NDArray[np.float64] | None,
) -> tuple[Problem, npt.NDArray[np.uint32] | None, SubtreeContext | None]:
    """Repeat each row by its frequency, and adapt the problem, rows and subtree context."""
    if frequency is None or not np.array_equal(frequency, np.rint(frequency)):
        return problem, rows, subtree
    at = np.arange(problem.n_rows) if rows is None else rows.astype(np.intp)
    total = float(frequency[at].sum())
    if total > _MAX_REPEATED_ROWS:
        raise DataError(
            f"Frequency weights must sum to at most {_MAX_REPEATED_ROWS:,} where rows are repeated "
            "(missing='fractional', criterion='gain_ratio' and survival trees), "
            f"got {total:.4g}. Divide them by a common factor, or pass them as sample_weight."
        )
    again = np.repeat(at, frequency[at].astype(np.intp))
    weight: Any = None
    if subtree is not None and subtree.row_weight is not None:
        weight = subtree.row_weight[again] / frequency[again]
        subtree = replace(subtree, row_weight=weight)
    copies = replace(
        problem.take(again),
        weight=weight,
        options=replace(problem.options, frequency_weights=False),
        fixed_scales=problem.scales,
    )
    return copies, None, subtree
