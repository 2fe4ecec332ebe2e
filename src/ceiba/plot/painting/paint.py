"""Paint a Drawing with matplotlib: its text, and its boxes, bars and edges as paths.

All coordinates are points, y downward. Shapes of one kind form one collection, so that trees with
hundreds of nodes are drawn fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.layout import Box, Drawing, Footer
from ceiba.plot.painting._matplotlib import Axes
from ceiba.plot.painting.colours import Colour, ink_of

if TYPE_CHECKING:
    from matplotlib.path import Path

CORNER = 3.5


class Painter:
    """Painter of tree drawings into axes, shifted by (`dx`, `dy`)."""

    def __init__(self, ax: Axes, font_size: float, *, dx: float, dy: float) -> None:
        self.ax, self.font_size, self.dx, self.dy = ax, font_size, dx, dy
        ink = ink_of(ax)
        self.paper, self.ink, self.grey, self.line = ink.paper, ink.text, ink.grey, ink.line

    def edges(self, drawing: Drawing, shares: Sequence[float]) -> None:
        """Draw the edges; a branch with more rows has a thicker edge."""
        paths = [_elbow(route) for route in drawing.routes if route]
        widths = [
            0.8 + 3.2 * share for route, share in zip(drawing.routes, shares, strict=True) if route
        ]
        self.shapes(paths, ["none"], self.line, widths, zorder=1)

    def boxes(self, boxes: Sequence[Box], fills: Sequence[Colour]) -> None:
        """Draw the boxes; a folded node has two more outlines behind its box."""
        cards = [
            (_rounded(box.left + k, box.top + k, box.width, box.height), self.paper)
            for box in boxes
            if box.hidden
            for k in (4.0, 2.0)
        ]
        paths = [_rounded(box.left, box.top, box.width, box.height) for box in boxes]
        self.shapes([p for p, _ in cards], [c for _, c in cards], self.line, 0.8, zorder=2)
        self.shapes(paths, fills, self.line, 0.8, zorder=3)

    def bars(self, drawing: Drawing, palette: Sequence[Colour]) -> None:
        """Draw the class bars at the bottom of the boxes."""
        sheet = drawing.sheet
        paths, fills = [], []
        for box in drawing.boxes:
            left, width = box.left + sheet.padding, box.width - 2 * sheet.padding
            top = box.bottom - sheet.padding - sheet.bar_height
            for share, colour in zip(box.shares, palette, strict=False):
                if share > 0:
                    paths.append(rectangle(left, top, share * width, sheet.bar_height))
                    fills.append(colour)
                left += share * width
        self.shapes(paths, fills, "none", 0.0, zorder=4)

    def words(self, drawing: Drawing) -> None:
        """Write the texts in the boxes and the labels on the edges."""
        step = drawing.sheet.line_height
        for box in drawing.boxes:
            y = box.top + drawing.sheet.padding
            for k, line in enumerate(box.head):
                self.text(box.x, y + k * step, line, self.ink, bold=True)
            y += len(box.head) * step
            for k, line in enumerate(box.lines):
                self.text(box.x, y + k * step, line, self.ink)
            x, y = box.word
            for k, line in enumerate(box.edge):
                self.text(x, y + k * step, line, self.grey)

    def foot(self, foot: Footer, palette: Sequence[Colour], top: float, line_height: float) -> None:
        """Draw the footer: the class names with their colors, and the note."""
        side = 0.8 * self.font_size
        paths, fills = [], []
        for k, (x, row, name) in enumerate(foot.names):
            y = top + row * line_height
            self.text(x, y, name, self.ink, align="left")
            if k < len(palette):
                left = x - 1.5 * side
                paths.append(rectangle(left, y + (line_height - side) / 2, side, side))
                fills.append(palette[k])
        self.shapes(paths, fills, "none", 0.0, zorder=4)
        first = foot.n_rows - len(foot.note)
        for k, line in enumerate(foot.note):
            self.text(0.0, top + (first + k) * line_height, line, self.grey, align="left")

    def text(
        self, x: float, top: float, text: str, colour: Colour, *, bold: bool = False,
        align: str = "center",
    ) -> None:  # fmt: skip
        """Write one line of text, vertically centered by its capital letters (0.72 em high)."""
        baseline = top + 0.65 * self.font_size + 0.36 * self.font_size
        weight = "bold" if bold else "normal"
        self._write(x, baseline, text, colour, self.font_size, fontweight=weight, ha=align)

    def small(self, x: float, top: float, text: str, size: float, *, upright: bool = False) -> None:
        """Write one small line of text, centered at `x`, or vertically from `top` downward."""
        if upright:
            self._write(x, top, text, self.ink, size, ha="center", va="top", rotation=90)
        else:
            self._write(x, top + size, text, self.ink, size, ha="center")

    def _write(
        self, x: float, y: float, text: str, colour: Colour, size: float, **style: Any
    ) -> None:
        plain: dict[str, Any] = {"va": "baseline", "parse_math": False, "usetex": False}
        style = {**plain, "zorder": 5, **style}
        self.ax.text(x + self.dx, y + self.dy, text, color=colour, fontsize=size, **style)

    def shapes(
        self, paths: list[Path], fills: Sequence[Any], border: Any, width: Any, *, zorder: float
    ) -> None:
        """Draw shapes as one collection; coordinates are points."""
        from matplotlib.collections import PathCollection
        from matplotlib.transforms import Affine2D

        if paths:
            shift = Affine2D().translate(self.dx, self.dy)
            self.ax.add_collection(
                PathCollection(
                    [path.transformed(shift) for path in paths],
                    facecolors=list(fills),
                    edgecolors=border,
                    linewidths=width,
                    zorder=zorder,
                    capstyle="round",
                ),
                autolim=False,
            )


def _elbow(route: Sequence[tuple[float, float]]) -> Path:
    """Return an edge with a rounded last corner."""
    from matplotlib.path import Path

    start, turn, (x, y), end = route
    before = np.subtract(turn, (x, y))
    after = np.subtract(end, (x, y))
    corner = min(CORNER, float(np.abs(before).sum()), float(np.abs(after).sum()))
    near, far = ((x, y) + corner * np.sign(side) for side in (before, after))
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.CURVE3, Path.CURVE3, Path.LINETO]
    return Path([start, turn, tuple(near), (x, y), tuple(far), end], codes)


def rectangle(left: float, top: float, width: float, height: float) -> Path:
    """Return a rectangle as a path."""
    from matplotlib.path import Path

    right, bottom = left + width, top + height
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    return Path(corners, closed=True)


def _rounded(left: float, top: float, width: float, height: float) -> Path:
    """Return a rectangle with rounded corners, drawn as quadratic curves."""
    from matplotlib.path import Path

    right, bottom, r = left + width, top + height, CORNER
    corners = [(right, top), (right, bottom), (left, bottom), (left, top)]
    sides = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)]) * r
    points, codes = [(left + r, top)], [Path.MOVETO]
    for k, (x, y) in enumerate(corners):
        (ax, ay), (bx, by) = sides[k], sides[(k + 1) % 4]
        points += [(x - ax, y - ay), (x, y), (x + bx, y + by)]
        codes += [Path.LINETO, Path.CURVE3, Path.CURVE3]
    return Path([*points, points[0]], [*codes, Path.CLOSEPOLY])
