"""Find the branches that the rows of a table take at each node, using numpy.

This is for cases in which the final node is not enough: to count the rows that surrogates or the
default branch sent (`refit_leaves`), and to evaluate one split on some rows (growing by tests,
editing). Prediction uses the compiled router. The rules are those of `trace.py`.
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

# Codes for rows that a split does not send to one of its branches 0, 1, ...
MISSING: Final = -1
UNSEEN: Final = -2
_STAYS: Final = -1
_ALL_BRANCHES: Final = -3
TO_ROOT: Final = -4  # the root predicts the row (unseen="default")


@dataclass(frozen=True)
class Visit:
    """The rows that reach a node, divided into rows that end there and rows that continue."""

    node: int
    rows: Array
    ending: Array  # rows that end in the node; all of its rows if it is a leaf
    to_root: Array  # rows that get the prediction of the root
    by_default: int  # number of rows that take the default branch or stay in the node
    by_surrogate: tuple[int, ...]  # number of rows that each surrogate routes


def visit_nodes(tree: Tree, table: Table, rows: Array) -> Iterator[Visit]:
    """Yield a `Visit` of each node that at least one of the rows reaches, in pre-order."""
    waiting = [(0, rows)]
    while waiting:
        node, rows = waiting.pop()
        start, end = tree.branch_start[node : node + 2].tolist()
        if start == end:
            yield Visit(node, rows, rows, rows[:0], 0, ())
            continue
        branch, by_default, by_surrogate = _route_at_node(tree, table, node, rows)
        to_root, everywhere = branch == TO_ROOT, branch == _ALL_BRANCHES
        ending = rows[to_root | (branch == _STAYS)]
        yield Visit(node, rows, ending, rows[to_root], by_default, by_surrogate)
        for at in range(end - 1, start - 1, -1):
            takes = (branch == at - start) | (everywhere & bool(tree.branch_share[at] > 0))
            if takes.any():
                waiting.append((int(tree.branch_node[at]), rows[takes]))


def route_at_node(tree: Tree, table: Table, node: int, rows: Array) -> tuple[Array, Array]:
    """Return each row's branch (negative if none or all), and whether it takes all branches."""
    branch, _, _ = _route_at_node(tree, table, node, rows)
    return branch, branch == _ALL_BRANCHES


def _route_at_node(
    tree: Tree, table: Table, node: int, rows: Array
) -> tuple[Array, int, tuple[int, ...]]:
    """Return each row's branch, and the number of rows routed by default and by each surrogate."""
    branch = evaluate_split(tree.splits, node, table, rows)
    unseen = branch == UNSEEN
    branch[unseen] = MISSING if tree.unseen == "missing" else tree.majority_branch[node]
    if tree.unseen == "default":
        branch[unseen] = TO_ROOT
    if tree.missing == "fractional":
        branch[branch == MISSING] = _ALL_BRANCHES
        return branch, 0, ()
    by_surrogate = fill_from_surrogates(tree, table, node, rows, branch)
    left = branch == MISSING
    branch[left] = tree.default_branch[node]
    return branch, int(np.count_nonzero(left)), by_surrogate


def fill_from_surrogates(
    tree: Tree, table: Table, node: int, rows: Array, branch: Array
) -> tuple[int, ...]:
    """Fill MISSING entries of `branch` by surrogates; return how many rows each surrogate sent."""
    surrogates, n_sent = tree.active_surrogates, []
    if surrogates is None:
        return ()
    for k in range(*surrogates.start[node : node + 2].tolist()):
        open_ = np.flatnonzero(branch == MISSING)
        answer = evaluate_split(surrogates.splits, k, table, rows[open_])
        has_answer = answer >= 0
        branch[open_[has_answer]] = answer[has_answer]
        n_sent.append(int(np.count_nonzero(has_answer)))
    return tuple(n_sent)


def evaluate_split(splits: SplitTable, i: int, table: Table, rows: Array) -> Array:
    """Return the branch of each row by split i, or the code MISSING or UNSEEN."""
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
        # The last entry represents all unseen codes.
        n_levels = len(column.info.levels)
        lookup = np.full(n_levels + 1, UNSEEN, np.int64)
        codes, branches = splits.level_map(i)
        lookup[codes] = branches
        branch = lookup[np.minimum(values, n_levels)]
    branch[missing] = MISSING
    return branch
