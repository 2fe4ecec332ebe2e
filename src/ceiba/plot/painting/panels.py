"""Draw small plots of the rows of a node in the boxes of a tree.

Inner nodes have a histogram of the split column, stacked by class, or a plot of the target against
the column, with the axis labels of `split_view.py`. A line marks each cut. Leaves of regression
trees have a box plot (Tukey: quartiles, whiskers to 1.5 times their distance) on one scale for all
leaves. Leaves of survival trees have their Kaplan-Meier curve and that of the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.layout import Drawing, PanelAxis, Sheet, axis_size, separate_labels
from ceiba.plot.painting.colours import Colour, mix
from ceiba.plot.painting.paint import Painter, rectangle
from ceiba.plot.painting.split_view import PanelRows, SplitView
from ceiba.plot.painting.text import text_measure
from ceiba.tree import Tree, has_curve, node_curve
from ceiba.tree.splits import number_text
from ceiba.words import words

MAX_POINTS = 250
Array = NDArray[Any]


def scale_note(tree: Tree, rows: PanelRows | None, lang: str) -> str:
    """Return a note on the axis limits of leaf plots: the last time or the range of the target."""
    if has_curve(tree):
        end = number_text(float(node_curve(tree, 0).time[-1]), 4)
        return words(lang)("plot.curves_in_leaves", high=end)
    if rows is None or rows.target is None:
        return ""
    low, high = (number_text(float(end), 4) for end in (rows.target.min(), rows.target.max()))
    return words(lang)("plot.box_plots", low=low, high=high)


def paint_panels(
    painter: Painter,
    tree: Tree,
    drawing: Drawing,
    rows: PanelRows | None,
    views: Mapping[int, SplitView],
    palette: list[Colour],
) -> None:
    """Draw the small plots in all boxes."""
    sheet = drawing.sheet
    for box in drawing.boxes:
        if not box.panel:
            continue
        under = sheet.bar_height + sheet.padding / 2 if box.shares else 0.0
        width = sheet.panel_size[0] if box.leaf else box.width - 2 * sheet.padding
        top = box.bottom - sheet.padding - under - box.axis - box.panel
        panel = _Panel(painter, box.x - width / 2, top, width, box.panel)
        if box.leaf and has_curve(tree):
            _survival_curve(panel, tree, box.node)
        if box.leaf and rows is not None and not has_curve(tree):
            _box_plot(panel, tree, rows, rows.of(tree, box.node))
        if box.leaf or rows is None:
            continue
        view = views[box.node]
        _question(panel, tree, rows, view, palette, drawing.sheet.lang)
        _write_labels(panel, view.axis, sheet)


@dataclass(frozen=True)
class _Panel:
    """The area of a small plot, in points, with methods that draw in it."""

    painter: Painter
    left: float
    top: float
    width: float
    height: float

    def bars(self, x0: Array, x1: Array, y0: Array, y1: Array, fill: Any, z: float = 4.0) -> None:
        """Draw bars; coordinates are fractions of the plot's width and height, y upward."""
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
        """Draw a line through points; coordinates are fractions of the plot's size."""
        x = [self.left + a * self.width + self.painter.dx for a, _ in points]
        y = [self.top + (1 - b) * self.height + self.painter.dy for _, b in points]
        self.painter.ax.plot(x, y, color=colour, lw=width, zorder=4.6, **style)

    def dots(self, x: Array, y: Array, colour: Any, size: float) -> None:
        """Draw dots; coordinates are fractions of the plot's width and height."""
        self.painter.ax.scatter(
            self.left + x * self.width + self.painter.dx,
            self.top + (1 - y) * self.height + self.painter.dy,
            s=size,
            color=colour,
            linewidths=0,
            zorder=4.5,
        )


def _question(
    panel: _Panel, tree: Tree, rows: PanelRows, view: SplitView, palette: list[Colour], lang: str
) -> None:
    """Plot the rows of an inner node against its split column, with the cuts as lines."""
    painter = panel.painter
    panel.line([(0, 0), (1, 0)], painter.line, 0.7)
    inside = np.isfinite(view.x)
    if not inside.any():
        x, y = panel.left + panel.width / 2, panel.top + 0.3 * panel.height
        painter.text(x, y, words(lang)["plot.no_rows"], painter.grey)
        return
    if not tree.task.has_classes and rows.target is not None:
        target = rows.target[view.rows]
        low, high = float(target.min()), float(target.max())
        points = np.flatnonzero(inside)
        if len(points) > MAX_POINTS:  # keep evenly spaced points in the order of x
            points = points[np.argsort(view.x[points], kind="stable")]
            points = points[np.linspace(0, len(points) - 1, MAX_POINTS).astype(int)]
        tone = mix(painter.ink, painter.paper, 0.5)
        heights = 0.05 + 0.9 * (target[points] - low) / ((high - low) or 1.0)
        panel.dots(view.x[points], heights, [tone], 4.0)
    else:
        codes = np.zeros(len(view.rows), int)
        if rows.target is not None and palette:
            codes = rows.target[view.rows]
        _stack(panel, view.x[inside], codes[inside], view.edges, palette or [painter.grey])
    for cut in view.cuts:
        at = float(np.clip(cut, 0, 1))
        panel.line([(at, 0), (at, 1)], painter.ink, 1.1, ls=(0, (3, 2)))


def _write_labels(panel: _Panel, axis: PanelAxis, sheet: Sheet) -> None:
    """Write the axis labels under a small plot."""
    measure = text_measure(sheet.font_size)
    size = sheet.small_font
    top = panel.top + panel.height + 0.1 * size
    if axis.names:
        upright = axis_size(axis, measure, sheet).upright
        for k, name in enumerate(axis.names):
            at = panel.left + (k + 0.5) / len(axis.names) * panel.width
            panel.painter.small(at, top, name, size, upright=upright)
        return
    widths = [measure(text, False) * size / sheet.font_size for _, text in axis.marks]
    places = [at * panel.width for at, _ in axis.marks]
    for at, (_, text) in zip(
        separate_labels(places, widths, panel.width, 0.6 * size), axis.marks, strict=True
    ):
        panel.painter.small(panel.left + at, top, text, size)


def _stack(panel: _Panel, x: Array, codes: Array, edges: Array, fills: list[Colour]) -> None:
    """Draw row counts as bars stacked by class; a value on an edge belongs to the left bar."""
    n = len(edges) - 1
    bar = np.clip(np.searchsorted(edges, x, side="left") - 1, 0, n - 1)
    counts = np.array([np.bincount(bar[codes == k], minlength=n) for k in range(len(fills))], float)
    counts /= max(counts.sum(axis=0).max(), 1.0)
    floor = np.zeros(counts.shape[1])
    gap = 0.06 * np.diff(edges)
    for height, fill in zip(counts, fills, strict=True):
        panel.bars(edges[:-1] + gap, edges[1:] - gap, floor, floor + 0.96 * height, fill)
        floor = floor + 0.96 * height


def _survival_curve(panel: _Panel, tree: Tree, node: int) -> None:
    """Draw the Kaplan-Meier curves of a leaf and, as a dashed line, of the root."""
    ink, end = panel.painter.ink, float(node_curve(tree, 0).time[-1]) or 1.0
    panel.line([(0, 1), (0, 0), (1, 0)], panel.painter.line, 0.7)
    styles: tuple[tuple[int, float, dict[str, Any]], ...] = (
        (0, 0.8, {"ls": (0, (2, 2))}),
        (node, 1.8, {"solid_joinstyle": "miter"}),
    )
    for source, width, style in styles:
        if not has_curve(tree, source):
            continue
        steps = node_curve(tree, source).step_function()
        x, y = np.repeat(steps.x / end, 2)[1:], np.repeat(steps.y, 2)[:-1]
        points = list(zip(x.tolist(), y.tolist(), strict=True))
        panel.line(points, panel.painter.grey if source != node else ink, width, **style)


def _box_plot(panel: _Panel, tree: Tree, rows: PanelRows, mine: Array) -> None:
    """Draw a box plot of the target in a leaf, on the scale of all rows."""
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
    fill = mix(ink, panel.painter.paper, 0.35)
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
        panel.dots(far[:MAX_POINTS], np.full(len(far[:MAX_POINTS]), 0.575), [ink], 5.0)
