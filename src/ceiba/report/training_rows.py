"""Compute histograms, box plots and competing splits from the training rows.

Numbers are binned with equal width; the cut is an edge, so that no bar straddles it, and the outer
bins include values beyond their range. A column of few values has a bar per value, a categorical
one a bar per level. Each bar has its rows by class or, for regression, their number and the
quartiles of the target. Only the largest nodes have histograms, within a budget of numbers.

A model stores competing splits only on request (`max_competitors`). Given training rows, they are
searched again by growing one level from the rows of a node. If the best split found differs from
the split of the tree in column or gain (because of limits), the node has no competing splits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import CeibaError
from ceiba.grow import Problem
from ceiba.layout import bin_edges
from ceiba.report.nodes import encode_splits, exact_floats, rounded_floats
from ceiba.table import Column, Table, Target, read_target
from ceiba.tree import SplitKind, SplitTable, Tree
from ceiba.tree.routing import route

BINS: Final = 20
COLUMN_BINS: Final = 16
MAX_DISTINCT: Final = 8
MAX_LEVELS: Final = 24
_SKEWED: Final = 0.6  # if one bin has a larger share of the rows, use quantiles
MAX_NODES: Final = 300
MAX_FIGURES: Final = 40_000
MAX_COLUMNS: Final = 200
MAX_COMPETITORS: Final = 4
MAX_SEARCHED_NODES: Final = 60
MAX_CELLS: Final = 20_000_000  # limit of rows times columns, summed over the searched nodes
Array = NDArray[Any]


@dataclass(frozen=True)
class RowsByNode:
    """Rows sorted by leaf, so that the rows of a subtree are one slice."""

    table: Table
    target: Array
    order: Array
    first: Array
    last: Array

    @classmethod
    def read(cls, tree: Tree, table: Table, y: Any, output: int = 0) -> RowsByNode:
        """Route the rows through a tree, and sort them by leaf."""
        end = route.apply(tree, table)
        order = np.argsort(end, kind="stable")
        first = np.searchsorted(end[order], np.arange(tree.n_nodes))
        last = np.searchsorted(end[order], tree.subtree_end)
        if tree.task.is_regression("The report"):
            numbers = np.asarray(y, np.float64).reshape(table.n_rows, -1)[:, output]
            return cls(table, numbers, order, first, last)
        target = read_target(y, task=tree.task, n_rows=table.n_rows)
        code_of = {label: code for code, label in enumerate(tree.target.classes[output].tolist())}
        labels = target.info.classes[output].tolist()
        codes = np.array([code_of.get(label, -1) for label in labels], np.int64)
        return cls(table, codes[target.values[:, output]], order, first, last)

    def of(self, node: int) -> Array:
        """Return the rows that pass through a node."""
        return self.order[self.first[node] : self.last[node]]


def split_histograms(tree: Tree, rows: RowsByNode, output: int = 0) -> list[dict[str, Any]]:
    """Return a histogram of the split column of each of the largest inner nodes."""
    n_classes = 0 if not tree.task.has_classes else len(tree.target.classes[output])
    size = rows.last - rows.first
    inner = [int(i) for i in np.argsort(-size, kind="stable") if tree.splits.column[i] >= 0]
    nodes = [i for i in inner[:MAX_NODES] if size[i] > 0]
    by_node: dict[int, dict[str, Any] | None] = {}
    for j in sorted({int(tree.splits.column[node]) for node in nodes}):  # read columns once
        values = np.asarray(rows.table.columns[j].values)
        for node in nodes:
            if tree.splits.column[node] == j:
                by_node[node] = _node_histogram(tree, rows, node, n_classes, values)
    histograms: list[dict[str, Any]] = []
    figures = 0
    for node in inner[:MAX_NODES]:
        histogram = by_node.get(node)
        if histogram is None:
            continue
        figures += len(histogram["n"]) + len(histogram.get("quartiles", ()))
        if figures > MAX_FIGURES and histograms:
            break
        histograms.append({"node": node, **histogram})
    return sorted(histograms, key=lambda histogram: int(histogram["node"]))


def _node_histogram(
    tree: Tree, rows: RowsByNode, node: int, n_classes: int, values: Array
) -> dict[str, Any] | None:
    node_rows = rows.of(node)
    column = rows.table.columns[int(tree.splits.column[node])]
    target = rows.target[node_rows]
    present = target >= 0 if n_classes else np.isfinite(target)
    target, values = target[present], values[node_rows[present]]
    if tree.splits.kind[node] == SplitKind.PRESENCE:
        missing = _is_missing(column, values).astype(np.int64)
        return {"presence": True, **_count_bars(missing, 2, target, n_classes)}
    figures = histogram(column, values, tree.splits.node_cuts(node), target, n_classes, BINS)
    if figures is None or "codes" not in figures or not tree.splits.has_missing_branch[node]:
        return figures
    # Missing values have their own branch. Their bar follows the bars of the levels.
    missing = _is_missing(column, values)
    last = _count_bars(np.zeros(np.count_nonzero(missing), np.int64), 1, target[missing], n_classes)
    figures.pop("missing", None)
    figures["codes"].append(None)
    return figures | {name: [*figures[name], *last[name]] for name in last}


def column_histograms(
    table: Table, codes: Array | None = None, n_classes: int = 1
) -> list[dict[str, Any] | None]:
    """Return a histogram for each of the first `MAX_COLUMNS` columns, and None for the others."""
    codes = np.zeros(table.n_rows, np.int64) if codes is None else codes
    present = np.flatnonzero(codes >= 0)
    return [
        histogram(
            column, np.asarray(column.values)[present], [], codes[present], n_classes, COLUMN_BINS
        )
        if k < MAX_COLUMNS
        else None
        for k, column in enumerate(table.columns)
    ]


def _is_missing(column: Column, values: Array) -> Array:
    return ~np.isfinite(values) if column.info.is_numeric else values < 0


def histogram(
    column: Column,
    values: Array,
    cuts: list[float],
    target: Array,
    n_classes: int,
    bins: int,
    *,
    stretch: bool = False,
) -> dict[str, Any] | None:
    """Return a histogram with the target statistics of each bar, or None if it has no bars.

    With `stretch`, if one bin would contain most rows, the bins have similar row counts instead.
    """
    present = ~_is_missing(column, values)
    n_missing = int(np.count_nonzero(~present))
    values, target = values[present], target[present]
    if not len(values):
        return None
    shared: dict[str, Any] = {"missing": n_missing} if n_missing else {}
    if not column.info.is_numeric:
        codes, counts = np.unique(values, return_counts=True)
        if len(codes) > MAX_LEVELS:  # keep the most frequent levels in their original order
            shared["others"] = len(codes) - MAX_LEVELS
            codes = np.sort(codes[np.argsort(-counts, kind="stable")[:MAX_LEVELS]])
        bar = np.searchsorted(codes, values)
        is_level = codes[np.minimum(bar, len(codes) - 1)] == values
        histogram = _count_bars(bar[is_level], len(codes), target[is_level], n_classes)
        return shared | {"codes": codes.tolist()} | histogram
    different, counts = np.unique(values, return_counts=True)
    if len(different) <= MAX_DISTINCT:
        bar = np.searchsorted(different, values)
        return (
            shared
            | {"values": exact_floats(different)}
            | _count_bars(bar, len(different), target, n_classes)
        )
    edges = bin_edges(values, cuts, bins)
    if edges is None:
        return None
    bar = np.searchsorted(edges[1:-1], values, side="left")  # bins include their upper edges
    ends = {"least": float(different[0]), "most": float(different[-1])}
    at: dict[str, Any] = {"low": float(edges[0]), "high": float(edges[-1])}
    if stretch and np.bincount(bar).max() > _SKEWED * len(values):
        edges = _stretched_edges(different, counts, bins // 2)
        bar = np.searchsorted(edges[1:-1], values, side="left")
        at = {"low": ends["least"], "high": ends["most"], "stretched": exact_floats(edges)}
    elif len(cuts) > 1:  # with several cuts, the bins differ in width
        at["edges"] = exact_floats(edges)
    return shared | ends | at | _count_bars(bar, len(edges) - 1, target, n_classes)


def _stretched_edges(different: Array, counts: Array, bins: int) -> Array:
    """Return the edges of bins with similar row counts; frequent values have their own bins."""
    size = np.minimum(counts, max(1, (counts.sum() - counts.max()) // bins))
    end = np.cumsum(size)
    group = ((end - size / 2) * bins / end[-1]).astype(np.int64)
    last = np.flatnonzero(np.diff(group))
    middle = (different[last] + different[last + 1]) / 2
    return np.concatenate((different[:1], middle, different[-1:]))


def _count_bars(bar: Array, n_bars: int, target: Array, n_classes: int) -> dict[str, Any]:
    """Count the rows of each bar: by class, or in total with quartiles of a numeric target."""
    if n_classes:
        counts = np.bincount(bar * n_classes + target, minlength=n_bars * n_classes)
        return {"n": counts.tolist()}
    quartiles = np.full((n_bars, 3), np.nan)
    for k in range(n_bars):
        values = target[bar == k]
        if len(values):
            quartiles[k] = np.quantile(values, [0.25, 0.5, 0.75])
    counts = np.bincount(bar, minlength=n_bars)
    return {"n": counts.tolist(), "quartiles": rounded_floats(quartiles, 4)}


def box_plots(tree: Tree, rows: RowsByNode) -> list[Any]:
    """Return minimum, quartiles and maximum of the target at each node as a flat list."""
    first, last = rows.first, rows.last
    numbers = rows.target[rows.order]
    # Interpolating here takes 5 µs per node, whereas np.quantile takes 0.2 ms.
    position = np.maximum(last - first - 1, 0)[:, None] * np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    below = np.floor(position).astype(np.int64)
    low, high = np.full((2, tree.n_nodes, 5), np.nan)
    for i in np.flatnonzero(last > first).tolist():
        values = np.sort(numbers[first[i] : last[i]])
        low[i] = values[below[i]]
        high[i] = values[np.minimum(below[i] + 1, len(values) - 1)]
    return rounded_floats(low + (position - below) * (high - low))


def find_competitors(
    tree: Tree, rows: RowsByNode, interaction_cst: Any = None
) -> dict[str, Any] | None:
    """Return competing splits of the largest nodes, or None if they cannot be computed."""
    plain = tree.class_prior is None and tree.cost_matrix is None and tree.tests is None
    is_known = rows.target >= 0 if tree.task.has_classes else np.isfinite(rows.target)
    if (
        not rows.table.is_whole  # growing on the rows of a node requires a table in memory
        or not plain
        or tree.n_outputs > 1
        or not is_known.all()
        or not np.array_equal(tree.weight, tree.n_rows)
    ):
        return None
    try:
        values = rows.target.astype(np.int32 if tree.task.has_classes else np.float64)
        target = Target(tree.target, values.reshape(-1, 1))
        options = {"max_competitors": MAX_COMPETITORS, "interaction_cst": interaction_cst}
        problem = Problem.like(tree, rows.table, target, max_depth=1, **options)
    except CeibaError:
        return None
    largest = np.argsort(-tree.n_rows, kind="stable")
    inner = largest[tree.splits.column[largest] >= 0][:MAX_SEARCHED_NODES]
    size = (rows.last - rows.first)[inner]
    searched = np.cumsum(size) * rows.table.n_columns <= MAX_CELLS
    searched[:1] = True
    nodes = np.sort(inner[searched & (size == tree.n_rows[inner])]).tolist()
    # With `interaction_cst`, the columns on the path restrict the allowed columns of a node.
    by_path: dict[tuple[int, ...], list[int]] = {}
    for node in nodes:
        path: tuple[int, ...] = ()
        if interaction_cst is not None:
            above = tree.splits.column[list(tree.path(node).nodes[:-1])]
            path = tuple(np.unique(above).tolist())
        by_path.setdefault(path, []).append(node)
    stumps: dict[int, Tree] = {}
    for path, below in by_path.items():
        parts = [np.sort(rows.of(i)).astype(np.uint32) for i in below]
        stumps.update(zip(below, problem.grow_on_each(parts, path), strict=True))
    n, competitors = [0] * tree.n_nodes, []
    for node in nodes:
        stump = stumps[node]
        same = stump.n_nodes > 1 and stump.splits.column[0] == tree.splits.column[node]
        if same and np.isclose(stump.gain[0], tree.gain[node], rtol=1e-6, atol=1e-12):
            assert stump.competitors is not None
            n[node] = len(stump.competitors.gain)
            competitors.append(stump.competitors)
    if not any(n):
        return None
    splits = SplitTable.concatenate([table.splits for table in competitors])
    gain = np.concatenate([table.gain for table in competitors])
    return {"n": n, "splits": encode_splits(splits), "gain": rounded_floats(gain)}
