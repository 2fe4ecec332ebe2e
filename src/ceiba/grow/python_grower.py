"""Grow trees whose splits are chosen in Python (significance, CHAID).

A chooser returns the `SplitChoice` of a node's rows, or None for a leaf, and is called again for
the rows of each branch. The rows are counted once, at the end, as `Tree.refit_leaves` does: its
sums do not depend on the order of the rows. The tests of the choices are stored in the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ceiba.grow.core_grower import Units
from ceiba.table import Table, Target
from ceiba.task import Task
from ceiba.tree import NodeTest, SplitKind, SplitTable, Tree
from ceiba.tree.construct import build_empty_tree
from ceiba.tree.routing import recount, sum_exactly, sum_in_order
from ceiba.tree.splits import SplitTests

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class GroupSplit:
    """A split, and the group of rows that goes to each branch."""

    kind: SplitKind
    column: int
    groups: tuple[int, ...]  # index of the group of each branch
    cut: float = np.nan
    cuts: tuple[float, ...] = ()
    levels: tuple[tuple[int, int], ...] = ()
    missing: int = 0


@dataclass(frozen=True)
class SplitChoice:
    """A split of a node, the group of each row, and the test that chose the split."""

    split: GroupSplit
    group: npt.NDArray[np.intp]
    test: NodeTest


def grow_with_chooser(
    table: Table,
    target: Target,
    choose: Callable[[Rows, int], SplitChoice | None],
    *,
    weight: npt.NDArray[np.float64] | None,
    rows: Rows,
    criterion: str,
    unseen: str,
) -> Tree:
    """Grow a tree with the splits that `choose(rows, depth)` returns."""
    splits: list[GroupSplit | None] = []
    parent: list[int] = []
    tests: dict[int, NodeTest] = {}
    waiting = [(-1, rows, 0)]
    while waiting:
        above, node_rows, depth = waiting.pop()
        node = len(splits)
        parent.append(above)
        choice = choose(node_rows, depth)
        splits.append(None if choice is None else choice.split)
        if choice is None:
            continue
        tests[node] = choice.test
        # Push the last branch first, so that the stack yields nodes in pre-order.
        for group in reversed(choice.split.groups):
            waiting.append((node, node_rows[choice.group == group], depth + 1))
    schema = table.schema.with_target(target.info)
    bare = build_empty_tree(
        schema,
        np.array(parent, np.int32),
        _split_table(splits),
        np.array([-1 if split is None else split.missing for split in splits], np.int32),
        criterion=criterion,
        missing="learn",
        unseen=unseen,
        cost_matrix=None,
        class_prior=None,
    )
    tree = _count_rows(bare, table, target, weight, rows)
    return replace(tree, tests=SplitTests.of_nodes(len(splits), tests)) if tests else tree


def _count_rows(
    bare: Tree, table: Table, target: Target, weight: npt.NDArray[np.float64] | None, rows: Rows
) -> Tree:
    task, y = target.info.task, target.values[rows]
    weights = None if weight is None else weight[rows]
    sample = table
    if len(rows) < table.n_rows:
        sample = table.take(np.isin(np.arange(table.n_rows), rows))
    units = Units.of(y, None) if task is Task.REGRESSION else Units()
    # Without weights, class counts are exact in any order of summation.
    add = sum_in_order if task.has_classes and weights is None else sum_exactly
    truth = Target(target.info, units.shrink_target(y))
    tree = recount(bare, sample, truth, sample_weight=weights, keep_value=False, add=add)
    if not units.target:
        return tree
    with np.errstate(over="ignore", under="ignore"):  # the unit of these arrays is squared
        square = {name: np.ldexp(getattr(tree, name), 2 * units.target)
                  for name in ("impurity", "gain", "risk")}  # fmt: skip
        return replace(tree, value=np.ldexp(tree.value, units.target), **square)


def _split_table(splits: list[GroupSplit | None]) -> SplitTable:
    start, codes, branches = [0], [], []
    cuts = [split.cuts if split else () for split in splits]
    for split in splits:
        for code, branch in split.levels if split else ():
            codes.append(code)
            branches.append(branch)
        start.append(len(codes))
    return SplitTable(
        kind=np.array([s.kind if s else SplitKind.NONE for s in splits], np.int8),
        column=np.array([s.column if s else -1 for s in splits], np.int32),
        cut=np.array([s.cut if s else np.nan for s in splits], np.float64),
        low_branch=np.zeros(len(splits), np.int8),
        level_start=np.array(start, np.int64),
        level_code=np.array(codes, np.int32),
        level_branch=np.array(branches, np.int32),
        interval_start=np.cumsum([0, *map(len, cuts)]),
        interval_cut=np.array([cut for some in cuts for cut in some], np.float64),
    )
