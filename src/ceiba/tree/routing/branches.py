"""The branches that rows take at each node, many rows at once, in numpy.

For what needs more than the end of each row: the account of which rows a surrogate or the default
branch sent (`recount`), and asking one split of some rows (growing by tests, editing). Prediction
goes through the compiled router. The rules are those of `trace.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ceiba.table import Table
from ceiba.tree.arrays import Array
from ceiba.tree.splits.split_table import SplitKind

if TYPE_CHECKING:
    from ceiba.tree.splits.split_table import SplitTable
    from ceiba.tree.tree import Tree

# Answers of a split that cannot place a row; branches are 0, 1, ...
MISSING: Final = -1
UNSEEN: Final = -2
_STAYS: Final = -1
_ALL_BRANCHES: Final = -3
TO_ROOT: Final = -4  # unseen="default": the row goes back to the root


@dataclass(frozen=True)
class Visit:
    """The rows that reach one node, and how its split sent them on.

    `ending` are the rows that go no further (all of them at a leaf), `to_root` those that the root
    answers, `by_default` counts rows that took the default branch or stayed, `by_surrogate` the
    rows that each surrogate placed.
    """

    node: int
    rows: Array
    ending: Array
    to_root: Array
    by_default: int
    by_surrogate: tuple[int, ...]


def visit_nodes(tree: Tree, table: Table) -> Iterator[Visit]:
    """Visit the nodes that any row reaches, in pre-order."""
    waiting = [(0, np.arange(table.n_rows))]
    while waiting:
        node, rows = waiting.pop()
        start, end = tree.branch_start[node : node + 2].tolist()
        if start == end:
            yield Visit(node, rows, rows, rows[:0], 0, ())
            continue
        branch, by_default, by_surrogate = _route_at_node(tree, table, node, rows)
        lost, everywhere = branch == TO_ROOT, branch == _ALL_BRANCHES
        ending = rows[lost | (branch == _STAYS)]
        yield Visit(node, rows, ending, rows[lost], by_default, by_surrogate)
        for at in range(end - 1, start - 1, -1):
            takes = (branch == at - start) | (everywhere & bool(tree.branch_share[at] > 0))
            if takes.any():
                waiting.append((int(tree.branch_node[at]), rows[takes]))


def route_at_node(tree: Tree, table: Table, node: int, rows: Array) -> tuple[Array, Array]:
    """Return each row's branch at a node (-1: it stays), and which rows go down every branch."""
    branch, _, _ = _route_at_node(tree, table, node, rows)
    return branch, branch == _ALL_BRANCHES


def _route_at_node(
    tree: Tree, table: Table, node: int, rows: Array
) -> tuple[Array, int, tuple[int, ...]]:
    """Return each row's branch, and how many were sent by default and by each surrogate."""
    branch = evaluate_split(tree.splits, node, table, rows)
    unseen = branch == UNSEEN
    branch[unseen] = MISSING if tree.unseen == "missing" else tree.majority_branch[node]
    if tree.unseen == "default":
        branch[unseen] = TO_ROOT
    if tree.missing == "fractional":
        branch[branch == MISSING] = _ALL_BRANCHES
        return branch, 0, ()
    sent = fill_from_surrogates(tree, table, node, rows, branch)
    left = branch == MISSING
    branch[left] = tree.default_branch[node]
    return branch, int(np.count_nonzero(left)), sent


def fill_from_surrogates(
    tree: Tree, table: Table, node: int, rows: Array, branch: Array
) -> tuple[int, ...]:
    """Write the branches of rows without one, by the first surrogate that can place each.

    Return how many rows each surrogate placed.
    """
    stored, sent = tree.active_surrogates, []
    if stored is None:
        return ()
    for k in range(*stored.start[node : node + 2].tolist()):
        open_ = np.flatnonzero(branch == MISSING)
        answer = evaluate_split(stored.splits, k, table, rows[open_])
        placed = answer >= 0
        branch[open_[placed]] = answer[placed]
        sent.append(int(np.count_nonzero(placed)))
    return tuple(sent)


def evaluate_split(splits: SplitTable, i: int, table: Table, rows: Array) -> Array:
    """Ask split i of each row: a branch, missing or unseen."""
    column = table.columns[int(splits.column[i])]
    values = column.values[rows]
    numeric = column.info.is_numeric
    missing = np.isnan(values) if numeric else values < 0
    if splits.kind[i] == SplitKind.PRESENCE:
        return np.asarray(missing, np.int64)
    if splits.kind[i] == SplitKind.CUT:
        low = int(splits.low_branch[i])
        with np.errstate(invalid="ignore"):
            branch = np.where(values <= splits.cut[i], low, 1 - low)
        if not numeric:
            branch[values >= len(column.info.levels)] = UNSEEN
    elif splits.kind[i] == SplitKind.INTERVALS:
        branch = np.searchsorted(splits.interval_cuts(i), values, side="left")
    else:
        # One slot more than the levels: every unseen code falls into it.
        n_levels = len(column.info.levels)
        lookup = np.full(n_levels + 1, UNSEEN, np.int64)
        codes, branches = splits.level_map(i)
        lookup[codes] = branches
        branch = lookup[np.minimum(values, n_levels)]
    branch[missing] = MISSING
    return branch
