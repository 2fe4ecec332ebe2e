"""Compute the bars, cuts and axis labels of the small plot of a node's split column.

Numbers are binned. Levels are side by side in branch order. Positions are shares of the width, from
0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.layout import PanelAxis, bin_edges
from ceiba.table import Column, ColumnInfo, Table, format_value, read_target
from ceiba.table.targets import pop_target
from ceiba.task import Task
from ceiba.tree import SplitKind, Tree
from ceiba.tree.routing import route
from ceiba.tree.splits import format_cut, level_text

BINS = 18
DIGITS = 4  # number of significant digits at the ends of an axis
Array = NDArray[Any]


@dataclass(frozen=True)
class PanelRows:
    """The rows drawn in small plots: their table, their leaves and their targets."""

    table: Table
    end: Array
    target: Array | None

    def of(self, tree: Tree, node: int) -> Array:
        """Return the rows that pass through a node."""
        return np.flatnonzero((self.end >= node) & (self.end < tree.subtree_end[node]))


def panel_rows(tree: Tree, X: Any, y: Any) -> PanelRows:
    """Read the rows that are drawn in small plots."""
    X, y = pop_target(X, y, tree.task)
    if tree.task is Task.SURVIVAL:  # censored times cannot be drawn, so omit the target
        y = None
    table = route.read(tree, X)
    end = route.apply(tree, table)
    if y is None:
        return PanelRows(table, end, None)
    target = read_target(y, task=tree.task, n_rows=table.n_rows)
    values = target.values[:, 0]
    if tree.task.has_classes:
        codes = {label: code for code, label in enumerate(tree.target.classes[0].tolist())}
        lookup = np.array([codes.get(label, -1) for label in target.info.classes[0].tolist()])
        values = lookup[values]
    return PanelRows(table, end, values)


@dataclass(frozen=True)
class SplitView:
    """The contents of one small plot: the rows of a node and their positions on the x axis."""

    rows: Array
    x: Array  # x position of each row; NaN if its value has no bar
    edges: Array  # of the bars
    cuts: tuple[float, ...]
    axis: PanelAxis


def split_view(tree: Tree, rows: PanelRows, node: int) -> SplitView:
    """Return the contents of the small plot of an inner node."""
    mine = rows.of(tree, node)
    column = rows.table.columns[int(tree.splits.column[node])]
    values, missing = column.values[mine], column.missing[mine]
    if tree.splits.kind[node] == SplitKind.PRESENCE:
        return _side_by_side(mine, missing.astype(float), ["present", "missing"], [1])
    if not column.info.is_numeric:
        return _levels(tree, node, mine, column, values)
    return _numbers(tree, node, mine, column, np.where(missing, np.nan, values))


def _side_by_side(mine: Array, slot: Array, names: list[str], borders: list[int]) -> SplitView:
    n = max(len(names), 1)
    return SplitView(
        mine,
        (slot + 0.5) / n,
        np.arange(n + 1) / n,
        tuple(border / n for border in borders),
        PanelAxis.of_levels(names),
    )


def _levels(tree: Tree, node: int, mine: Array, column: Column, codes: Array) -> SplitView:
    """Return the plot contents for a categorical column: a bar per level, grouped by branch."""
    if tree.splits.kind[node] == SplitKind.CUT:
        order = np.unique(codes[codes >= 0])
        borders = [int(np.count_nonzero(order <= tree.splits.cut[node]))]
    else:
        level_codes, branches = tree.splits.level_map(node)
        order = level_codes[np.argsort(branches, kind="stable")]
        borders = np.cumsum(np.bincount(branches)).tolist()
        if not tree.splits.has_missing_branch[node]:
            borders.pop()
    slot = {int(code): k for k, code in enumerate(order)}
    position = np.array([slot.get(int(code), np.nan) for code in codes], np.float64)
    names = [level_text(column.info.levels[int(code)]) for code in order]
    if tree.splits.has_missing_branch[node]:
        position[codes < 0] = len(order)
        names.append("missing")
    return _side_by_side(mine, position, names, borders)


def _numbers(tree: Tree, node: int, mine: Array, column: Column, values: Array) -> SplitView:
    info, cuts = column.info, tree.splits.node_cuts(node)
    present = values[np.isfinite(values)]
    if info.display == "boolean" and 0 <= cuts[0] < 1 and set(np.unique(present)) <= {0.0, 1.0}:
        return _side_by_side(mine, values, ["no", "yes"], [1])
    edges = bin_edges(present, cuts, BINS) if len(present) else None
    if edges is None:  # no values in the node, or all equal to the cut
        edges = np.array([cuts[0] - 1.0, *cuts, cuts[-1] + 1.0])
    low, span = edges[0], edges[-1] - edges[0]
    places = tuple((cut - low) / span for cut in cuts)
    digits = int(tree.splits.digits[node])
    marks = [(at, format_cut(cut, info, digits)[1]) for at, cut in zip(places, cuts, strict=True)]
    marks += _ends(info, present, edges, {text for _, text in marks})
    return SplitView(
        mine,
        np.clip((values - low) / span, 0.0, 1.0),
        (edges - low) / span,
        places,
        PanelAxis(marks=tuple(sorted(marks))),
    )


def _ends(info: ColumnInfo, values: Array, edges: Array, cuts: set[str]) -> list[tuple[float, str]]:
    """Return the positions and labels of the extreme values; "…" marks values off the axis."""
    if not len(values):
        return []
    width = edges[1] - edges[0]
    minimum, maximum = float(values.min()), float(values.max())
    texts = [format_value(end, info.display, DIGITS, info.zone) for end in (minimum, maximum)]
    if minimum < edges[0] - width:
        texts[0] += "…"
    if maximum > edges[-1] + width:
        texts[1] = "…" + texts[1]
    places = np.clip((np.array([minimum, maximum]) - edges[0]) / (edges[-1] - edges[0]), 0.0, 1.0)
    return [(float(at), text) for at, text in zip(places, texts, strict=True) if text not in cuts]
