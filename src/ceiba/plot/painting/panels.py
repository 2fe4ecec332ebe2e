"""The small pictures in the boxes of a drawn tree: the rows of a node, as its split sees them.

Inner nodes: the split column from left to right, a histogram stacked by class, or the target over
the column; a line marks the cut. Levels stand side by side, in the order of their branches. Leaves
of regression trees: a box plot (Tukey: quartiles, whiskers to 1.5 times their distance) on one
scale for all leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ceiba.plot.painting.colours import Colour, mixed
from ceiba.plot.painting.paint import Painter, rectangle
from ceiba.table import Table, read_target, split_target
from ceiba.tree import SplitKind
from ceiba.tree.routing import route
from ceiba.tree.splits.sentences import number_text

if TYPE_CHECKING:
    from ceiba.layout import Box, Drawing
    from ceiba.tree import Tree

BINS = 18
MOST_POINTS = 250
Array = NDArray[Any]


@dataclass(frozen=True)
class PanelRows:
    """Rows to show: the table, the node each row ends in, class codes or numbers."""

    table: Table
    end: Array
    target: Array | None

    def of(self, tree: Tree, node: int) -> Array:
        """Return the rows that pass through a node."""
        return np.flatnonzero((self.end >= node) & (self.end < tree.subtree_end[node]))


def panel_rows(tree: Tree, X: Any, y: Any) -> PanelRows:
    """Read the rows to show."""
    if isinstance(y, str):
        X, y = split_target(X, y)
    table = route.read(tree, X)
    end = route.apply(tree, table)
    if y is None:
        return PanelRows(table, end, None)
    target = read_target(y, task=tree.task, n_rows=table.n_rows)
    values = target.values[:, 0]
    if tree.task == "classification":
        known = {label: code for code, label in enumerate(tree.target.classes[0].tolist())}
        lookup = np.array([known.get(label, -1) for label in target.info.classes[0].tolist()])
        values = lookup[values]
    return PanelRows(table, end, values)


def scale_note(rows: PanelRows) -> str:
    """Say which numbers the ends of the box plots stand for."""
    if rows.target is None:
        return ""
    low, high = (number_text(float(end), 4) for end in (rows.target.min(), rows.target.max()))
    return f"Box plots: quartiles and 1.5 times their distance, all from {low} to {high}."


def paint_panels(
    painter: Painter, tree: Tree, drawing: Drawing, rows: PanelRows, palette: list[Colour]
) -> None:
    """Paint the small picture of every box that keeps room for one."""
    sheet = drawing.sheet
    for box in drawing.boxes:
        if not box.panel:
            continue
        under = sheet.bar_height + sheet.padding / 2 if box.shares else 0.0
        width = sheet.panel_size[0]
        panel = _Panel(
            painter,
            box.x - width / 2,
            box.bottom - sheet.padding - under - box.panel,
            width,
            box.panel,
        )
        mine = rows.of(tree, box.node)
        if box.leaf:
            _box_plot(panel, tree, rows, mine)
        elif len(mine):
            _question(panel, tree, rows, mine, box, palette)


@dataclass(frozen=True)
class _Panel:
    """Room for a small picture, in points, with the painter that fills it."""

    painter: Painter
    left: float
    top: float
    width: float
    height: float

    def bars(self, x0: Array, x1: Array, y0: Array, y1: Array, fill: Any, z: float = 4.0) -> None:
        """Paint bars given as shares of the room, y upward."""
        paths = [
            rectangle(
                self.left + a * self.width,
                self.top + (1 - d) * self.height,
                (b - a) * self.width,
                (d - c) * self.height,
            )
            for a, b, c, d in zip(x0, x1, y0, y1, strict=True)
            if d > c
        ]
        self.painter.shapes(paths, [fill], "none", 0.0, zorder=z)

    def line(
        self, points: list[tuple[float, float]], colour: Any, width: float, **style: Any
    ) -> None:
        """Paint a line through points given as shares of the room."""
        x = [self.left + a * self.width + self.painter.dx for a, _ in points]
        y = [self.top + (1 - b) * self.height + self.painter.dy for _, b in points]
        self.painter.ax.plot(x, y, color=colour, lw=width, zorder=4.6, **style)

    def dots(self, x: Array, y: Array, colour: Any, size: float) -> None:
        """Paint dots given as shares of the room."""
        self.painter.ax.scatter(
            self.left + x * self.width + self.painter.dx,
            self.top + (1 - y) * self.height + self.painter.dy,
            s=size,
            color=colour,
            linewidths=0,
            zorder=4.5,
        )


def _question(
    panel: _Panel, tree: Tree, rows: PanelRows, mine: Array, box: Box, palette: list[Colour]
) -> None:
    """Paint the split column of the rows of an inner node."""
    panel.line([(0, 0), (1, 0)], panel.painter.line, 0.7)
    column = rows.table.columns[int(tree.splits.column[box.node])]
    values = column.values[mine]
    missing = column.missing[mine]
    kind = tree.splits.kind[box.node]
    if kind == SplitKind.PRESENCE:
        place, edges, cut = missing.astype(float) + 0.5, np.array([0.0, 1.0, 2.0]), 1.0
    elif not column.info.is_numeric:
        place, edges, cut = _level_places(tree, box.node, values)
    else:
        place = np.where(missing, np.nan, values)
        cut = float(tree.splits.cut[box.node])
        low, high = np.nanmin(place, initial=cut), np.nanmax(place, initial=cut)
        if not np.isfinite(high - low) or high <= low:
            return
        edges = np.linspace(low, high, BINS + 1)
        if column.info.display == "boolean" and low >= 0 and high <= 1:
            edges = np.array([-0.5, 0.5, 1.5])
    inside = np.isfinite(place)
    span = edges[-1] - edges[0]
    share = (edges - edges[0]) / span
    if tree.task == "regression" and rows.target is not None:
        _scatter(panel, (place - edges[0]) / span, rows.target[mine], inside)
    else:
        codes = (
            rows.target[mine] if rows.target is not None and palette else np.zeros(len(mine), int)
        )
        fills = palette or [panel.painter.grey]
        _stack(panel, place[inside], codes[inside], edges, share, fills)
    if np.isfinite(cut):
        at = float(np.clip((cut - edges[0]) / span, 0, 1))
        panel.line([(at, 0), (at, 1)], panel.painter.ink, 1.1, ls=(0, (3, 2)))


def _level_places(tree: Tree, node: int, codes: Array) -> tuple[Array, Array, float]:
    """Return each level a place of its own, levels of the first branch on the left."""
    if tree.splits.kind[node] == SplitKind.CUT:
        known = np.unique(codes[codes >= 0])
        order, n_left = known, int(np.count_nonzero(known <= tree.splits.cut[node]))
    else:
        listed, branches = tree.splits.level_map(node)
        order = listed[np.argsort(branches, kind="stable")]
        two = int(branches.max(initial=0)) == 1
        n_left = int(np.count_nonzero(branches == 0)) if two else -1
    slot = {int(code): k for k, code in enumerate(order)}
    place = np.array([slot.get(int(code), np.nan) for code in codes]) + 0.5
    edges = np.arange(len(order) + 1, dtype=float)
    return place, edges, float(n_left) if n_left >= 0 else np.nan


def _stack(
    panel: _Panel, place: Array, codes: Array, edges: Array, share: Array, fills: list[Colour]
) -> None:
    counts = np.array(
        [np.histogram(place[codes == k], bins=edges)[0] for k in range(len(fills))], float
    )
    counts /= max(counts.sum(axis=0).max(), 1.0)
    floor = np.zeros(counts.shape[1])
    gap = 0.06 * np.diff(share)
    for height, fill in zip(counts, fills, strict=True):
        panel.bars(share[:-1] + gap, share[1:] - gap, floor, floor + 0.96 * height, fill)
        floor = floor + 0.96 * height


def _scatter(panel: _Panel, x: Array, y: Array, inside: Array) -> None:
    low, high = float(y.min()), float(y.max())
    height = (y - low) / ((high - low) or 1.0)
    shown = np.flatnonzero(inside)
    if len(shown) > MOST_POINTS:  # every so-manieth, in the order of x, so that the shape stays
        shown = shown[np.argsort(x[shown], kind="stable")]
        shown = shown[np.linspace(0, len(shown) - 1, MOST_POINTS).astype(int)]
    tone = mixed(panel.painter.ink, panel.painter.paper, 0.5)
    panel.dots(x[shown], 0.05 + 0.9 * height[shown], [tone], 4.0)


def _box_plot(panel: _Panel, tree: Tree, rows: PanelRows, mine: Array) -> None:
    """Paint the distribution of the target in a leaf, on the scale of all rows."""
    if rows.target is None or not len(mine):
        return
    low, high = float(rows.target.min()), float(rows.target.max())
    values = (rows.target[mine] - low) / ((high - low) or 1.0)
    q1, middle, q3 = np.quantile(values, [0.25, 0.5, 0.75])
    reach = 1.5 * (q3 - q1)
    near = values[(values >= q1 - reach) & (values <= q3 + reach)]
    far = values[(values < q1 - reach) | (values > q3 + reach)]
    ink, grey = panel.painter.ink, panel.painter.line
    panel.line([(0, 0.0), (1, 0.0)], panel.painter.line, 0.6)
    fill = mixed(ink, panel.painter.paper, 0.35)
    panel.line([(float(near.min()), 0.575), (float(near.max()), 0.575)], grey, 1.0)
    panel.bars(np.array([q1]), np.array([q3]), np.array([0.2]), np.array([0.95]), fill, 4.7)
    panel.painter.ax.plot(
        [panel.left + middle * panel.width + panel.painter.dx] * 2,
        [panel.top + h * panel.height + panel.painter.dy for h in (0.03, 0.82)],
        color=ink,
        lw=1.8,
        zorder=4.8,
        solid_capstyle="butt",
    )
    if len(far):
        panel.dots(far[:MOST_POINTS], np.full(len(far[:MOST_POINTS]), 0.575), [ink], 5.0)
