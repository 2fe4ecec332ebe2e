"""Grow trees with `min_significance` and any impurity criterion.

The best of many splits looks good even in noise, and a column with more levels or values has more
splits: plain gain favors such columns. Instead, each column's best split gets a p-value that is
corrected for the search over that column (`search_p_values.py`), times the number of columns
(Bonferroni). The column with the smallest p-value splits the node, unless that is above
`min_significance`. Survival times are tested by their log-rank scores. A bound is enough to pass
the level; columns that pass are compared by their p-values (`separation.py`). Idea: Loh and Shih
1997; Hothorn, Hornik and Zeileis 2006.
"""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ceiba.criteria import ALIASES
from ceiba.grow.python_grower import GroupSplit, SplitChoice, grow_with_chooser
from ceiba.grow.significance.independence import TestResult
from ceiba.grow.significance.search_p_values import SplitTest
from ceiba.grow.significance.separation import Separation, smallest_p_value
from ceiba.tree import NodeTest, SplitKind, Tree
from ceiba.tree.routing import evaluate_split

if TYPE_CHECKING:
    from ceiba.grow.core_grower import SubtreeContext
    from ceiba.grow.problem import Problem

Rows = npt.NDArray[np.intp]


def grow_by_significance(
    problem: Problem, rows: npt.NDArray[np.uint32] | None, subtree: SubtreeContext | None
) -> Tree:
    """Grow a tree by significance tests on all rows or a subset."""
    options = problem.options
    indices = np.arange(problem.n_rows) if rows is None else rows.astype(np.intp)
    indices = indices[problem.row_weight[indices] > 0]
    tree = grow_with_chooser(
        problem.table,
        problem.target,
        _SignificanceChooser(problem, indices, subtree),
        weight=problem.weight,
        rows=indices,
        criterion=ALIASES.get(options.criterion_name, options.criterion_name),
        unseen=options.unseen,
    )
    if options.frequency_weights:  # a row with weight k counts as k rows, so round the weights
        tree = replace(tree, n_rows=np.rint(tree.weight).astype(np.int64))
    return replace(tree, missing=options.missing_rule)  # type: ignore[arg-type]


class _SignificanceChooser:
    """Callable that returns the split of the column with the smallest p-value."""

    def __init__(self, problem: Problem, rows: Rows, subtree: SubtreeContext | None) -> None:
        self.problem = problem
        self.depth = 0 if subtree is None else subtree.depth
        self.total = float(problem.row_weight[rows].sum()) if subtree is None else subtree.weight
        n_rows = len(rows) if subtree is None else subtree.n_rows
        self.n_rows = self.total if problem.options.frequency_weights else n_rows
        names = range(problem.table.n_columns)
        self.tables = [problem.table.select([j]) for j in names]
        self.level = float(problem.options.significance or 0.0)

    def __call__(self, rows: Rows, depth: int) -> SplitChoice | None:
        options, problem = self.problem.options, self.problem
        if options.max_depth is not None and self.depth + depth >= options.max_depth:
            return None
        truth = problem.target.values[rows]
        if len(rows) < 2 or np.all(truth == truth[0]):
            return None
        # Fractional sizes and minimum gains refer to the whole tree, not to the node.
        share = float(problem.row_weight[rows].sum()) / self.total
        alone = replace(
            options,
            max_depth=1,
            min_significance=None,
            n_jobs=1,
            min_impurity_decrease=options.min_impurity_decrease / share,
            min_samples_leaf=_resolve_size(options.min_samples_leaf, self.n_rows),
            min_samples_split=_resolve_size(options.min_samples_split, self.n_rows),
        )
        # Grow a tree of depth 1 on each column alone to find its best split.
        best: list[tuple[int, Tree]] = []
        for j, table in enumerate(self.tables):
            tree = replace(problem, table=table, options=alone).grow(rows.astype(np.uint32))
            if tree.n_nodes > 1:
                best.append((j, tree))
        # The Bonferroni correction uses the number of columns on which the node could be split.
        level = self.level / max(len(best), 1)
        passing: list[tuple[int, Tree, TestResult]] = []
        searches: list[Separation] = []
        for j, tree in best:
            column = replace(problem, table=self.tables[j])
            test = SplitTest(tree, column, "search", "auto", level, 1999, 0, 1)
            result, search = test.test_column(0, rows)
            if search is not None and result.p_value <= level:
                passing.append((j, tree, result))
                searches.append(search)
        if not passing:
            return None
        # A bound may be enough to reach the level, but the tree stores a p-value, not a bound.
        winner = smallest_p_value(searches)
        (j, tree, result), search = passing[winner], searches[winner]
        is_settled = search.drawn == 0 and search.log_exact is None and result.bound != "at most"
        p_value = result.p_value if is_settled else min(search.p_value, level)
        df = tuple(float(d) for d in result.df)
        node_test = NodeTest("search", result.statistic, df, p_value, log(len(best)))
        branch = evaluate_split(tree.splits, 0, self.tables[j], rows)
        branch[branch < 0] = int(tree.default_branch[0])
        return SplitChoice(_group_split(j, tree), branch.astype(np.intp), node_test)


def _resolve_size(size: int | float, n_rows: float) -> int | float:
    return size if isinstance(size, int) else int(np.ceil(size * n_rows))


def _group_split(j: int, tree: Tree) -> GroupSplit:
    codes, branches = tree.splits.level_map(0)
    levels = tuple(zip(codes.tolist(), branches.tolist(), strict=True))
    return GroupSplit(
        SplitKind(int(tree.splits.kind[0])),
        j,
        tuple(range(int(tree.n_branches[0]))),
        cut=float(tree.splits.cut[0]),
        levels=levels,
        missing=int(tree.default_branch[0]),
    )
