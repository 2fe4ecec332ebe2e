"""Many rows through a tree at once, node by node, in numpy: for what `_core.Router` does not do.

That is `missing="fractional"` (a row with a missing value goes down all branches with shares of
itself) and the account of who sent which rows (`recount`). Each node costs a few numpy calls, so
plain prediction goes through the compiled router instead. The rules are those of `trace.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ceiba.table import Kind
from ceiba.tree.arrays import Array
from ceiba.tree.splits.split_table import SplitKind

if TYPE_CHECKING:
    from ceiba.table import Table
    from ceiba.tree.splits.split_table import SplitTable
    from ceiba.tree.tree import Tree

__all__ = ["MISSING", "UNSEEN", "Visit", "ask", "decide", "walk"]

# What a split says of a row it cannot place; branches are 0, 1, ...
MISSING: Final = -1
UNSEEN: Final = -2
_STAYS: Final = -1
_EVERYWHERE: Final = -3


@dataclass(frozen=True)
class Visit:
    """The rows that reach one node, with how much of each, and how its split sent them on.

    `ending` are the positions in `rows` that go no further (all of them at a leaf), `by_default`
    counts rows that went the default way or stayed, `by_surrogate` rows each surrogate placed.
    """

    node: int
    rows: Array
    share: Array
    ending: Array
    by_default: int
    by_surrogate: tuple[int, ...]


def walk(tree: Tree, table: Table) -> Iterator[Visit]:
    """Visit the nodes that any row reaches, in pre-order."""
    waiting = [(0, np.arange(table.n_rows), np.ones(table.n_rows))]
    while waiting:
        node, rows, share = waiting.pop()
        start, end = tree.branch_start[node : node + 2].tolist()
        if start == end:
            yield Visit(node, rows, share, np.arange(len(rows)), 0, ())
            continue
        branch, by_default, by_surrogate = _decide(tree, table, node, rows)
        yield Visit(node, rows, share, np.flatnonzero(branch == _STAYS), by_default, by_surrogate)
        everywhere = branch == _EVERYWHERE
        for at in range(end - 1, start - 1, -1):
            part = float(tree.branch_weight[at])
            takes = branch == at - start
            if part > 0 and everywhere.any():
                takes |= everywhere
            if takes.any():
                below = np.where(everywhere[takes], part, 1.0) * share[takes]
                waiting.append((int(tree.branch_node[at]), rows[takes], below))


def decide(tree: Tree, table: Table, node: int, rows: Array) -> tuple[Array, Array]:
    """Give each row's branch at a node (-1: it stays), and which rows go down every branch."""
    branch, _, _ = _decide(tree, table, node, rows)
    return branch, branch == _EVERYWHERE


def _decide(tree: Tree, table: Table, node: int, rows: Array) -> tuple[Array, int, tuple[int, ...]]:
    """Give each row's branch, and how many were sent by default and by each surrogate."""
    branch = ask(tree.splits, node, table, rows)
    unseen = branch == UNSEEN
    branch[unseen] = MISSING if tree.unseen == "missing" else tree.majority_branch[node]
    if tree.missing == "fractional":
        branch[branch == MISSING] = _EVERYWHERE
        return branch, 0, ()
    sent = []
    if tree.stand_ins is not None:
        for k in range(*tree.stand_ins.start[node : node + 2].tolist()):
            open_ = np.flatnonzero(branch == MISSING)
            found = ask(tree.stand_ins.splits, k, table, rows[open_])
            placed = found >= 0
            branch[open_[placed]] = found[placed]
            sent.append(int(np.count_nonzero(placed)))
    left = branch == MISSING
    branch[left] = tree.default_branch[node]
    return branch, int(np.count_nonzero(left)), tuple(sent)


def ask(splits: SplitTable, i: int, table: Table, rows: Array) -> Array:
    """Ask split i of each row: a branch, missing or unseen."""
    column = table.columns[int(splits.column[i])]
    values = column.values[rows]
    numeric = column.info.kind == Kind.NUMERIC
    missing = np.isnan(values) if numeric else values < 0
    if splits.kind[i] == SplitKind.PRESENCE:
        return np.asarray(missing, np.int64)
    if splits.kind[i] == SplitKind.CUT:
        low = int(splits.low_branch[i])
        with np.errstate(invalid="ignore"):
            branch = np.where(values <= splits.cut[i], low, 1 - low)
        if not numeric:
            branch[values >= len(column.info.levels)] = UNSEEN
    else:
        # One slot more than the levels: every unseen code falls into it.
        n_levels = len(column.info.levels)
        lookup = np.full(n_levels + 1, UNSEEN, np.int64)
        codes, branches = splits.level_map(i)
        lookup[codes] = branches
        branch = lookup[np.minimum(values, n_levels)]
    branch[missing] = MISSING
    return branch
