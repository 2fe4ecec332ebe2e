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

By = Literal["primary", "surrogate", "default", "unseen", "share"]


@dataclass(frozen=True)
class Move:
    """One step of a row: at which node, which branch (None: it ends here), and who decided.

    Attributes
    ----------
    node : int
    branch : int or None
        None at a leaf, and where a row with a missing value stays in an inner node.
    by : str or None
        "primary", "surrogate" (then `surrogate` counts from 0), "default" (missing value, nothing
        else decided), "unseen" (level not in the node), "share" (fractional), None at a leaf.
    surrogate : int or None
    share : float
        How much of the row is here: 1, or less with `missing="fractional"`.

    Examples
    --------
    >>> from ceiba.tree import Move
    >>> Move(0, 1, "default").share
    1.0
    """

    node: int
    branch: int | None
    by: By | None
    surrogate: int | None = None
    share: float = 1.0


def trace(tree: Tree, table: Table, row: int) -> tuple[Move, ...]:
    """Follow one row of a table from the root, in pre-order of the nodes it reaches.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.table.read_for_predict import read_like
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> table = read_like({"x": [9.0]}, tree.schema, match="name")
    >>> [(move.node, move.branch, move.by) for move in trace(tree, table, 0)]
    [(0, 1, 'primary'), (2, None, None)]
    """
    moves: list[Move] = []
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        start, end = tree.branch_start[node : node + 2].tolist()
        if start == end:
            moves.append(Move(node, None, None, share=share))
            continue
        branch, by, surrogate = _decide(tree, table, row, node)
        if by == "share":
            shares = tree.branch_share[start:end].tolist()
            moves.extend(
                Move(node, b, "share", share=share * part)
                for b, part in enumerate(shares)
                if part > 0
            )
            below = [(start + b, share * part) for b, part in enumerate(shares) if part > 0]
            waiting.extend((int(tree.branch_node[at]), part) for at, part in reversed(below))
            continue
        moves.append(Move(node, branch, by, surrogate, share))
        if branch is not None:
            waiting.append((int(tree.branch_node[start + branch]), share))
    return tuple(moves)


def _decide(tree: Tree, table: Table, row: int, node: int) -> tuple[int | None, By, int | None]:
    """Return the branch (None: stays), who decided, and the surrogate's number if it was one."""
    answer = _ask(tree.splits, node, table, row)
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
            stand_in = _ask(tree.active_surrogates.splits, k, table, row)
            if isinstance(stand_in, int):
                return stand_in, "surrogate", k - first
    default = int(tree.default_branch[node])
    return (None if default < 0 else default), "default", None


def _ask(splits: SplitTable, i: int, table: Table, row: int) -> int | Literal["missing", "unseen"]:
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
