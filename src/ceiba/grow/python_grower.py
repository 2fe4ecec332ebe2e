"""Trees whose splits are chosen in Python: questions are planted one below another.

A chooser looks at the rows of a node and gives a `GroupSplit`, or None for a leaf. The branches of a
question are groups of rows (numbers), in which the chooser is asked again. What the nodes hold is
counted at the end as `Tree.recount` does, in sums that do not depend on the order of the rows; the
tests of the choices stay with the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ceiba.grow.core_grower import Units
from ceiba.table import Table, Target
from ceiba.tree import NodeTest, SplitKind, SplitTable, Tree
from ceiba.tree.construct import skeleton
from ceiba.tree.routing import in_order, recount, rounded_once
from ceiba.tree.splits import SplitTests

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class GroupSplit:
    """A split, and the group to which each of its branches leads."""

    kind: SplitKind
    column: int
    below: tuple[int, ...]
    cut: float = np.nan
    cuts: tuple[float, ...] = ()
    levels: tuple[tuple[int, int], ...] = ()
    missing: int = 0


@dataclass(frozen=True)
class SplitChoice:
    """A question, the group in which each row of the node ends, and the test that chose it."""

    question: GroupSplit
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
    """Grow a tree by asking `choose(rows, depth)` in each node."""
    asked: list[GroupSplit | None] = []
    parent: list[int] = []
    tests: dict[int, NodeTest] = {}
    waiting = [(-1, rows, 0)]
    while waiting:
        above, here, depth = waiting.pop()
        node = len(asked)
        parent.append(above)
        choice = choose(here, depth)
        asked.append(None if choice is None else choice.question)
        if choice is None:
            continue
        tests[node] = choice.test
        for group in reversed(choice.question.below):
            waiting.append((node, here[choice.group == group], depth + 1))
    schema = table.schema.with_target(target.info)
    bare = skeleton(
        schema,
        np.array(parent, np.int32),
        _splits(asked),
        np.array([-1 if q is None else q.missing for q in asked], np.int32),
        criterion=criterion,
        missing="learn",
        unseen=unseen,
        cost_matrix=None,
        class_prior=None,
    )
    tree = _count_rows(bare, table, target, weight, rows)
    return replace(tree, tests=SplitTests.of_nodes(len(asked), tests)) if tests else tree


def _count_rows(
    bare: Tree,
    table: Table,
    target: Target,
    weight: npt.NDArray[np.float64] | None,
    rows: Rows,
) -> Tree:
    labels = target.values[rows]
    classes = target.info.task.is_classification("Growing")
    if classes:
        labels = np.stack([c[labels[:, k]] for k, c in enumerate(target.info.classes)], axis=1)
    y = labels[:, 0] if target.info.n_outputs == 1 else labels
    weights = None if weight is None else weight[rows]
    part = (
        table if len(rows) == table.n_rows else table.take(np.isin(np.arange(table.n_rows), rows))
    )
    units = Units.of(np.asarray(y), None) if not classes else Units()
    add = in_order if classes and weights is None else rounded_once  # counts are exact in any order
    tree = recount(
        bare, part, units.shrink_target(y), sample_weight=weights, keep_value=False, add=add
    )
    if not units.target:
        return tree
    with np.errstate(over="ignore", under="ignore"):  # squared errors in the unit of the target
        square = {name: np.ldexp(getattr(tree, name), 2 * units.target)
                  for name in ("impurity", "gain", "risk")}  # fmt: skip
        return replace(tree, value=np.ldexp(tree.value, units.target), **square)


def _splits(asked: list[GroupSplit | None]) -> SplitTable:
    start, codes, branches = [0], [], []
    cuts = [question.cuts if question else () for question in asked]
    for question in asked:
        for code, branch in question.levels if question else ():
            codes.append(code)
            branches.append(branch)
        start.append(len(codes))
    return SplitTable(
        kind=np.array([q.kind if q else SplitKind.NONE for q in asked], np.int8),
        column=np.array([q.column if q else -1 for q in asked], np.int32),
        cut=np.array([q.cut if q else np.nan for q in asked], np.float64),
        low_branch=np.zeros(len(asked), np.int8),
        level_start=np.array(start, np.int64),
        level_code=np.array(codes, np.int32),
        level_branch=np.array(branches, np.int32),
        interval_start=np.cumsum([0, *map(len, cuts)]),
        interval_cut=np.array([cut for some in cuts for cut in some], np.float64),
    )
