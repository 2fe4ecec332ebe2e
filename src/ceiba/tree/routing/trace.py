"""The route of one row down a tree, move by move: the readable definition of routing.

At each node: the primary split decides if the value is there and, for level splits, its level is
in the node's level map. A missing value: with `missing="surrogate"` the first surrogate whose own
value is there (and level known) decides, else `default_branch` (-1: the row stays), with
`missing="fractional"` the row goes down all branches with the branches' shares of the weight.
A level that is not in the map: `unseen="missing"` treats it as missing, `unseen="default"` ends the
way and gives the root's answer, else the branch with the most weight takes it. An ordered column's
unseen level is handled the same way.
Slow and plain on purpose: `explain` shows it, and the fast routers are tested against it.
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
    """One step of a row: at which node, which branch (None: it ends here), and who decided.

    `by` is "default" for a missing value that nothing else decided, and None at a leaf. `share`
    says how much of the row is here: 1, or less with `missing="fractional"`.
    """

    node: int
    branch: int | None
    by: DecidedBy | None
    surrogate: int | None = None
    share: float = 1.0


def trace(tree: Tree, table: Table, row: int) -> tuple[RouteStep, ...]:
    """Follow one row of a table from the root, in pre-order of the nodes it reaches."""
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
    """Return the branch (None: stays), who decided, and the surrogate's number if it was one."""
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
    """Ask split i: a branch, or why there is none."""
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
