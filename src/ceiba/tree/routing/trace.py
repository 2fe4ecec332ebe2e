"""Trace one row down a tree step by step, as the reference definition of routing.

At each node the primary split routes the row if its value is present and, for level splits, its
level is in the node's level map. Otherwise:

- Missing value: with `missing="surrogate"` the first surrogate whose value is present (and level
  known) routes the row, else `default_branch` (-1: the row stays). With `missing="fractional"`
  the row takes all branches, with their shares of the weight.
- Unseen level, also of an ordered column: `unseen="missing"` treats it as missing,
  `unseen="default"` ends the path and the root predicts, else it takes the heaviest branch.

The code is simple rather than fast. `explain` uses it, and tests compare the routers with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ceiba.table import Kind, Table
from ceiba.tree.splits.split_table import SplitKind

if TYPE_CHECKING:
    from ceiba.tree.splits.split_table import SplitTable
    from ceiba.tree.tree import Tree

DecidedBy = Literal["primary", "surrogate", "default", "unseen", "share"]


@dataclass(frozen=True)
class RouteStep:
    """A node on the path of a row, the branch taken (None where the row ends) and the reason."""

    node: int
    branch: int | None
    by: DecidedBy | None  # None at a leaf
    surrogate: int | None = None
    share: float = 1.0  # fraction of the row; below 1 only if the row was divided


def trace(tree: Tree, table: Table, row: int) -> tuple[RouteStep, ...]:
    """Return the nodes that a row of a table reaches, in pre-order, with the branches taken."""
    steps: list[RouteStep] = []
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        start, end = tree.branch_start[node : node + 2].tolist()
        if start == end:
            steps.append(RouteStep(node, None, None, share=share))
            continue
        branch, by, surrogate = _choose_branch(tree, table, row, node)
        if by == "share":
            shares = tree.branch_share[start:end].tolist()
            steps.extend(
                RouteStep(node, b, "share", share=share * part)
                for b, part in enumerate(shares)
                if part > 0
            )
            below = [(start + b, share * part) for b, part in enumerate(shares) if part > 0]
            waiting.extend((int(tree.branch_node[at]), part) for at, part in reversed(below))
            continue
        steps.append(RouteStep(node, branch, by, surrogate, share))
        if branch is not None:
            waiting.append((int(tree.branch_node[start + branch]), share))
    return tuple(steps)


def _choose_branch(
    tree: Tree, table: Table, row: int, node: int
) -> tuple[int | None, DecidedBy, int | None]:
    """Return the branch (None if the row stays), the reason and the index of the surrogate."""
    answer = _evaluate_split(tree.splits, node, table, row)
    if isinstance(answer, int):
        return answer, "primary", None
    if answer == "unseen" and tree.unseen == "default":
        return None, "unseen", None
    if answer == "unseen" and tree.unseen != "missing":
        return int(tree.majority_branch[node]), "unseen", None
    if tree.missing == "fractional":
        return None, "share", None
    if tree.active_surrogates is not None:
        first, last = tree.active_surrogates.start[node : node + 2].tolist()
        for k in range(first, last):
            stand_in = _evaluate_split(tree.active_surrogates.splits, k, table, row)
            if isinstance(stand_in, int):
                return stand_in, "surrogate", k - first
    default = int(tree.default_branch[node])
    return (None if default < 0 else default), "default", None


def _evaluate_split(
    splits: SplitTable, i: int, table: Table, row: int
) -> int | Literal["missing", "unseen"]:
    """Return the branch of a row by split i, or the reason why the split cannot route it."""
    column = table.columns[int(splits.column[i])]
    value = column.values[row].item()
    numeric = column.info.kind == Kind.NUMERIC
    missing = value != value if numeric else value < 0
    if splits.kind[i] == SplitKind.PRESENCE:
        return 1 if missing else 0
    if missing:
        return "missing"
    if splits.kind[i] == SplitKind.CUT:
        if not numeric and value >= len(column.info.levels):
            return "unseen"
        low = int(splits.low_branch[i])
        return low if value <= splits.cut[i].item() else 1 - low
    if splits.kind[i] == SplitKind.INTERVALS:
        return len([cut for cut in splits.interval_cuts(i).tolist() if cut < value])
    codes, branches = splits.level_map(i)
    branch_of: dict[int, int] = dict(zip(codes.tolist(), branches.tolist(), strict=True))
    return branch_of.get(value, "unseen")
