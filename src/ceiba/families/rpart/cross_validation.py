"""Cross-validate as rpart does, except for two defects of rpart (see docs/rpart.md, `xerror`).

The folds are those of `ceiba.prune.cross_validation`, with rpart's rules: the trees of the folds
stop at the alpha of the full fit (in units of the mean risk), nodes collapse by rpart's
complexities (`complexity.py`), and rows that a split cannot route follow the rule of growing:
surrogates, then the branch with more weight among the rows that the split routes, on ties the right
one. xerror = sum w e / R(root), xstd likewise; the error of a poisson row is its deviance over its
time under observation, or (sqrt(events) - sqrt(rate x time))^2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ceiba.edit.forced import (
    apply_surrogates,
    case_weights,
    growing_branches,
    heavier_branch,
    primary_branches,
)
from ceiba.families.rpart.complexity import rpart_complexity
from ceiba.families.rpart.options import with_rpart_rules
from ceiba.grow import Problem
from ceiba.prune.cross_validation import Fold, FoldTree
from ceiba.table import Kind
from ceiba.tree import SplitTable, Tree
from ceiba.tree.routing import MISSING, route

Array = npt.NDArray[np.float64]
Ends = npt.NDArray[np.int32]


def is_complete(problem: Problem) -> bool:
    """Whether all columns are numeric without missing values, so that splits route every row."""
    return all(
        column.info.kind is Kind.NUMERIC and not column.missing.any()
        for column in problem.table.columns
    )


@dataclass(frozen=True)
class RpartFoldTree(FoldTree):
    """Cross-validation that grows and scores the trees of the folds by the rules of rpart."""

    cp_alpha: float = 0.0
    error: str = "deviance"

    @property
    def loss_name(self) -> str:
        """The name of the loss, which for method="poisson" depends on the parameter `error`."""
        return "poisson_sqrt" if self.error == "sqrt" else super().loss_name

    def grow(self, fold: Fold, n_jobs: int | None) -> Tree:
        """Grow the tree of a fold, without splitting nodes whose risk is too small for cp."""
        least = max(self.cp_alpha * float(case_weights(self.problem)[fold.train].sum()), -1.0)
        options = with_rpart_rules(self.problem.options, min_risk=least)
        return replace(self.problem, options=options).grow(fold.train, n_jobs=n_jobs)

    def collapse_alpha(self, tree: Tree, fold: Fold) -> Array:
        """Return rpart's complexity of each node of a fold's tree, as mean risk per case."""
        # The alphas of the full fit refer to case weights, which exclude observation times.
        root = float(tree.risk[0] * tree.weight[0] / case_weights(self.problem)[fold.train].sum())
        if root <= 0:
            return np.where(tree.is_leaf, np.inf, 0.0)
        return np.where(tree.is_leaf, np.inf, rpart_complexity(tree, self.cp_alpha / root) * root)

    def end_nodes(self, tree: Tree, fold: Fold) -> Ends:
        """Return the end nodes of held-out rows, which are routed like training rows."""
        tree, test = _lower_ordered_cuts(tree), fold.test.astype(np.intp)
        if self._is_complete:
            return np.asarray(route.apply(tree, self.problem.table.take(test)))
        return _route_as_growing(tree, self.problem, fold.train.astype(np.intp), test)

    @cached_property
    def _is_complete(self) -> bool:
        return is_complete(self.problem)

    @property
    def error_weight(self) -> Array:
        """The weight of each row, not multiplied by its observation time."""
        return case_weights(self.problem)

    @property
    def weights_count_rows(self) -> bool:
        """Whether the standard error counts a row of weight k as k rows; always true, as in R."""
        return True

    @property
    def error_scale(self) -> Array | None:
        """The observation time of each row, or None without exposure."""
        cases = self.problem.case_weight
        if cases is None:
            return None
        weight = self.problem.row_weight
        return np.divide(weight, cases, out=np.ones_like(weight), where=cases > 0)


def _lower_ordered_cuts(tree: Tree) -> Tree:
    """Lower the cuts of ordered columns, so that levels equal to a cut take the upper branch."""
    # In rpart's cross-validation, levels equal to a cut go to the upper branch, as numbers do.
    ordered = np.array([info.kind is Kind.ORDERED for info in tree.schema.columns] + [False])
    if not ordered.any():
        return tree

    def lower(splits: SplitTable) -> SplitTable:
        below = np.nextafter(splits.cut, -np.inf)
        return replace(splits, cut=np.where(ordered[splits.column], below, splits.cut))

    surrogates = tree.surrogates
    if surrogates is not None:
        surrogates = replace(surrogates, splits=lower(surrogates.splits))
    return replace(tree, splits=lower(tree.splits), surrogates=surrogates)


def _route_as_growing(
    tree: Tree, problem: Problem, train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]
) -> Ends:
    """Return the end nodes of the held-out rows, routed together with the training rows."""
    end = np.zeros(len(test), np.int32)
    waiting = [(0, train, np.arange(len(test)))]
    while waiting:
        node, rows, at = waiting.pop()
        end[at] = node
        children = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]].tolist()
        if not children or len(at) == 0:
            continue
        learn, valid = _branches(tree, problem, node, rows, test[at])
        waiting += [(child, rows[learn == b], at[valid == b]) for b, child in enumerate(children)]
    return end


def _branches(
    tree: Tree, problem: Problem, node: int, rows: npt.NDArray[np.intp], test: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the branch of each training row and held-out row of a node, or -1 for none."""
    learn = growing_branches(tree, problem, node, rows)
    valid = apply_surrogates(tree, problem, node, test, primary_branches(tree, problem, node, test))
    if problem.options.use_surrogate == 2 and (valid == MISSING).any():
        primary = primary_branches(tree, problem, node, rows)
        side = heavier_branch(problem, rows, primary)
        if side is None:
            side = right_branch(problem, rows, primary)
        valid = np.where(valid == MISSING, side, valid)
    return learn, valid


def right_branch(
    problem: Problem, rows: npt.NDArray[np.intp], branch: npt.NDArray[np.int64]
) -> int:
    """Return the branch with the larger mean response, which rpart puts on the right."""
    weight = problem.row_weight[rows]
    response = problem.target.values[rows, 0].astype(np.float64)
    scale = problem.scales.search
    if scale is not None:
        weight = weight * scale[problem.target.values[rows, 0]]
    means = []
    for b in (0, 1):
        in_branch = branch == b
        total = float(weight[in_branch].sum())
        means.append(float((weight * response)[in_branch].sum()) / total if total > 0 else 0.0)
    return int(means[0] < means[1])
