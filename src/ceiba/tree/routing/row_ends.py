"""Find the nodes in which the rows of a table end, and count the rows that pass each node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ceiba.table import Table
from ceiba.tree.arrays import Array, sum_over_subtrees
from ceiba.tree.routing import route
from ceiba.tree.routing.branches import visit_nodes

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree

_PER_ROW = ("row", "node", "weight")
_PER_NODE = ("n_rows", "sent_default", "sent_surrogate")


@dataclass(frozen=True)
class RowEnds:
    """The nodes in which rows end; with fractional routing, a row may end in several nodes."""

    n_rows: Array  # number of rows (of positive weight) that pass through each node
    sent_default: Array  # number of rows that take the default branch of a node or stay in it
    sent_surrogate: Array  # number of rows that each surrogate routes
    row: Array  # one entry per row and end node; rows of weight 0 may be left out
    node: Array
    weight: Array


def find_row_ends(tree: Tree, table: Table, weight: Array) -> RowEnds:
    """Find the nodes in which the rows of a table end."""
    if table.is_whole:
        return _find_piece_ends(tree, table, weight)
    parts, first = [], 0
    for rows in table.pieces():
        piece_ends = _find_piece_ends(tree, rows, weight[first : first + rows.n_rows])
        parts.append(replace(piece_ends, row=piece_ends.row + first))
        first += rows.n_rows
    per_row = (np.concatenate([getattr(part, name) for part in parts]) for name in _PER_ROW)
    per_node = (np.sum([getattr(part, name) for part in parts], axis=0) for name in _PER_NODE)
    return RowEnds(*per_node, *per_row)


def _find_piece_ends(tree: Tree, table: Table, weight: Array) -> RowEnds:
    has_weight = weight > 0
    rows = np.arange(table.n_rows)
    sent_default = np.zeros(tree.n_nodes, np.int64)
    n_sent = np.zeros(0 if tree.surrogates is None else len(tree.surrogates), np.int64)
    if tree.missing == "fractional":  # never sent by default
        route.check_rows(tree, table)
        start, node, share, n_rows = tree._router.spread(table.core(), has_weight.astype(np.uint8))
        rows = np.repeat(rows, np.diff(start))
        return RowEnds(n_rows, sent_default, n_sent, rows, node, weight[rows] * share)
    # Without missing values (including unseen levels that count as missing), the compiled router
    # suffices, because no row needs surrogates or the default branch.
    columns = [table.columns[j] for j in tree.used_features.tolist()]
    levels = tree.unseen == "missing" and not all(column.info.is_numeric for column in columns)
    if not levels and not any(column.missing.any() for column in columns):
        end = route.apply(tree, table)
        n_rows = sum_over_subtrees(tree, np.bincount(end[has_weight], minlength=tree.n_nodes))
        return RowEnds(n_rows, sent_default, n_sent, rows, end, weight)
    route.check_rows(tree, table)
    rows, end = np.flatnonzero(has_weight), np.zeros(table.n_rows, np.int64)
    n_rows = np.zeros(tree.n_nodes, np.int64)
    for visit in visit_nodes(tree, table, rows):
        end[visit.ending] = visit.node
        n_rows[visit.node] = len(visit.rows)
        sent_default[visit.node] = visit.by_default
        if visit.by_surrogate and tree.active_surrogates is not None:
            first = int(tree.active_surrogates.start[visit.node])
            n_sent[first : first + len(visit.by_surrogate)] = visit.by_surrogate
    return RowEnds(n_rows, sent_default, n_sent, rows, end[rows], weight[rows])


def slice_rows(tree: Tree, ends: RowEnds) -> Iterator[tuple[int, Array]]:
    """Yield each node with positive weight and the positions of its rows in `ends`."""
    # A subtree is a range of nodes, so after sorting by end node its rows form one slice.
    order = np.argsort(ends.node, kind="stable")
    first = np.searchsorted(ends.node[order], np.arange(tree.n_nodes))
    last = np.searchsorted(ends.node[order], tree.subtree_end)
    for node in np.flatnonzero(tree.weight > 0).tolist():
        yield node, order[first[node] : last[node]]
