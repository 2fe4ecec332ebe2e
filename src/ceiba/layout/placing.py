"""Place the boxes of a tree drawing, and route the edges between them.

Reingold & Tilford (1981) for any number of branches and boxes of different widths: subtrees are
pushed together until their contours are `gap` apart, and a parent is centered over its first and
last branch. The layout is computed from the left and from the right, and averaged: all constraints
are linear, so the mean satisfies them, and loose subtrees are spread evenly (the aim of Buchheim et
al. 2002). O(n), because joining two contours walks the shorter one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ceiba.layout.drawing import Box, Measure, Sheet

Route = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Placement:
    """Boxes with positions, the routes of the edges to them, and the total size."""

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def place(parent: Sequence[int], boxes: Sequence[Box], measure: Measure, sheet: Sheet) -> Placement:
    """Place the boxes so that depth increases downward or to the right (`sheet.direction`)."""
    if sheet.direction == "right":
        return _rightward(parent, boxes, measure, sheet)
    return _downward(parent, boxes, measure, sheet)


def _downward(
    parent: Sequence[int], boxes: Sequence[Box], measure: Measure, sheet: Sheet
) -> Placement:
    level = depths(parent)
    cells = [max(box.width, _word_width(box, measure)) for box in boxes]
    x = tidy(parent, cells, gap=sheet.gap).tolist()
    tallest = _largest(level, [box.height for box in boxes])
    words = _largest(level, [len(box.edge) * sheet.line_height for box in boxes])
    tops, rails = [0.0], [0.0]
    for depth in range(1, len(tallest)):
        rails.append(tops[-1] + tallest[depth - 1] + sheet.font_size)
        tops.append(rails[-1] + 0.7 * sheet.font_size + words[depth])
    new_boxes: list[Box] = []
    routes: list[Route] = []
    for box, at, depth, up in zip(boxes, x, level, parent, strict=True):
        end = tops[depth] - len(box.edge) * sheet.line_height
        word = (at, end - 0.1 * sheet.line_height)
        new_boxes.append(replace(box, x=at, top=tops[depth], word=word))
        if up < 0:
            routes.append(())
            continue
        above, rail = new_boxes[up], rails[depth]
        routes.append(((above.x, above.bottom), (above.x, rail), (at, rail), (at, end)))
    width = max(at + cell / 2 for at, cell in zip(x, cells, strict=True))
    return Placement(tuple(new_boxes), tuple(routes), width, tops[-1] + tallest[-1])


def _rightward(
    parent: Sequence[int], boxes: Sequence[Box], measure: Measure, sheet: Sheet
) -> Placement:
    level = depths(parent)
    # An edge meets its box at half height, below the edge label: reserve twice the label height.
    cells = [max(box.height, 2 * len(box.edge) * sheet.line_height) for box in boxes]
    y = tidy(parent, cells, gap=sheet.gap).tolist()
    widest = _largest(level, [box.width for box in boxes])
    words = _largest(level, [_word_width(box, measure) for box in boxes])
    lefts, rails = [0.0], [0.0]
    for depth in range(1, len(widest)):
        rails.append(lefts[-1] + widest[depth - 1] + sheet.font_size)
        lefts.append(rails[-1] + words[depth] + sheet.font_size)
    new_boxes: list[Box] = []
    routes: list[Route] = []
    for box, at, depth, up in zip(boxes, y, level, parent, strict=True):
        left, rail = lefts[depth], rails[depth]
        word = ((rail + left) / 2, at - (len(box.edge) + 0.1) * sheet.line_height)
        new_boxes.append(replace(box, x=left + box.width / 2, top=at - box.height / 2, word=word))
        if up < 0:
            routes.append(())
            continue
        above = new_boxes[up]
        middle = above.top + above.height / 2
        routes.append(((above.x + above.width / 2, middle), (rail, middle), (rail, at), (left, at)))
    height = max(at + cell / 2 for at, cell in zip(y, cells, strict=True))
    return Placement(tuple(new_boxes), tuple(routes), lefts[-1] + widest[-1], height)


def _word_width(box: Box, measure: Measure) -> float:
    return max((measure(line, False) for line in box.edge), default=0.0)


def _largest(level: Sequence[int], sizes: Sequence[float]) -> list[float]:
    """Return the size of the largest box at each depth."""
    largest = [0.0] * (max(level) + 1)
    for depth, size in zip(level, sizes, strict=True):
        largest[depth] = max(largest[depth], size)
    return largest


def depths(parent: Sequence[int]) -> list[int]:
    """Return the depth of every node; nodes are in pre-order and the root's parent is -1."""
    depth: list[int] = []
    for above in parent:
        depth.append(0 if above < 0 else depth[above] + 1)
    return depth


def tidy(
    parent: Sequence[int], widths: Sequence[float], *, gap: float = 1.0
) -> NDArray[np.float64]:
    """Return the horizontal center of every node, with the leftmost border at 0."""
    branches: list[list[int]] = [[] for _ in parent]
    for node, above in enumerate(parent):
        if above >= 0:
            branches[above].append(node)
    from_left = _pack_left(parent, widths, gap, branches)
    from_right = _pack_left(parent, widths, gap, [row[::-1] for row in branches])
    x = (from_left - from_right) / 2
    return x - float((x - np.asarray(widths, np.float64) / 2).min(initial=np.inf))


class _Contour:
    """Left and right borders of a subtree by depth, deepest first; `shift` is added to each."""

    __slots__ = ("left", "right", "shift")

    def __init__(self) -> None:
        self.left: list[float] = []
        self.right: list[float] = []
        self.shift = 0.0

    def distance(self, other: _Contour, gap: float) -> float:
        """Return how far `other` must move right to keep the distance `gap` from this contour."""
        common = min(len(self.left), len(other.left))
        offset = self.shift - other.shift + gap
        return max(
            self.right[-k] - other.left[-k] + offset  # both lists end with the top level
            for k in range(1, common + 1)
        )

    def join(self, other: _Contour) -> _Contour:
        """Merge two contours in place into the deeper one, and return it."""
        common = min(len(self.left), len(other.left))
        if len(self.left) >= len(other.left):
            outline, offset = self, other.shift - self.shift
            for k in range(1, common + 1):
                self.right[-k] = other.right[-k] + offset
        else:
            outline, offset = other, self.shift - other.shift
            for k in range(1, common + 1):
                other.left[-k] = self.left[-k] + offset
        return outline


def _pack_left(
    parent: Sequence[int], widths: Sequence[float], gap: float, branches: list[list[int]]
) -> NDArray[np.float64]:
    """Pack every subtree against its left neighbor; return positions relative to the root."""
    n = len(parent)
    beside = [0.0] * n  # position of each node relative to its parent
    outlines: list[_Contour | None] = [None] * n
    for node in range(n - 1, -1, -1):
        outline = _Contour()
        middle = 0.0
        if branches[node]:
            first, *siblings = branches[node]
            outline = _pop_outline(outlines, first)
            for branch in siblings:
                next_one = _pop_outline(outlines, branch)
                beside[branch] = outline.distance(next_one, gap)
                next_one.shift += beside[branch]
                outline = outline.join(next_one)
            middle = beside[branches[node][-1]] / 2
            for branch in branches[node]:
                beside[branch] -= middle
            outline.shift -= middle
        half = widths[node] / 2
        outline.left.append(-half - outline.shift)
        outline.right.append(half - outline.shift)
        outlines[node] = outline
    x = np.zeros(n)
    for node, above in enumerate(parent):
        x[node] = beside[node] + (x[above] if above >= 0 else 0.0)
    return x


def _pop_outline(outlines: list[_Contour | None], node: int) -> _Contour:
    outline = outlines[node]
    assert outline is not None  # in pre-order, the branches of a node have higher ids
    outlines[node] = None
    return outline
