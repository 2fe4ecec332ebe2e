"""Where the boxes of a drawing stand, and how the edges run between them.

Downward: depth goes down, branches stand side by side. Rightward: depth goes to the right, branches
stand below each other. Both from the same tidy positions along the sheet (`tidy.py`); an edge
leaves its parent, turns at the rail before the next depth and ends at the branch, its word before
the box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ceiba.layout.tidy import depths, tidy

if TYPE_CHECKING:
    from ceiba.layout.drawing import Box, Measure, Sheet

Route = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Placed:
    """Boxes at their places, the edge to each (empty at the root), and the size of all."""

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def place(parent: Sequence[int], boxes: Sequence[Box], measure: Measure, sheet: Sheet) -> Placed:
    """Place boxes in the direction of the sheet."""
    if sheet.direction == "right":
        return _rightward(parent, boxes, measure, sheet)
    return _downward(parent, boxes, measure, sheet)


def _downward(
    parent: Sequence[int], boxes: Sequence[Box], measure: Measure, sheet: Sheet
) -> Placed:
    level = depths(parent)
    cells = [max(box.width, _word_width(box, measure)) for box in boxes]
    x = tidy(parent, cells, gap=sheet.gap).tolist()
    tallest = _largest(level, [box.height for box in boxes])
    words = _largest(level, [len(box.edge) * sheet.line_height for box in boxes])
    tops, rails = [0.0], [0.0]
    for depth in range(1, len(tallest)):
        rails.append(tops[-1] + tallest[depth - 1] + sheet.font_size)
        tops.append(rails[-1] + 0.7 * sheet.font_size + words[depth])
    placed: list[Box] = []
    routes: list[Route] = []
    for box, at, depth, up in zip(boxes, x, level, parent, strict=True):
        end = tops[depth] - len(box.edge) * sheet.line_height
        word = (at, end - 0.1 * sheet.line_height)
        placed.append(replace(box, x=at, top=tops[depth], word=word))
        if up < 0:
            routes.append(())
            continue
        above, rail = placed[up], rails[depth]
        routes.append(((above.x, above.bottom), (above.x, rail), (at, rail), (at, end)))
    width = max(at + cell / 2 for at, cell in zip(x, cells, strict=True))
    return Placed(tuple(placed), tuple(routes), width, tops[-1] + tallest[-1])


def _rightward(
    parent: Sequence[int], boxes: Sequence[Box], measure: Measure, sheet: Sheet
) -> Placed:
    level = depths(parent)
    # The word stands on its edge, which meets the middle of the box.
    cells = [max(box.height, 2 * len(box.edge) * sheet.line_height) for box in boxes]
    y = tidy(parent, cells, gap=sheet.gap).tolist()
    widest = _largest(level, [box.width for box in boxes])
    words = _largest(level, [_word_width(box, measure) for box in boxes])
    lefts, rails = [0.0], [0.0]
    for depth in range(1, len(widest)):
        rails.append(lefts[-1] + widest[depth - 1] + sheet.font_size)
        lefts.append(rails[-1] + words[depth] + sheet.font_size)
    placed: list[Box] = []
    routes: list[Route] = []
    for box, at, depth, up in zip(boxes, y, level, parent, strict=True):
        left, rail = lefts[depth], rails[depth]
        word = ((rail + left) / 2, at - (len(box.edge) + 0.1) * sheet.line_height)
        placed.append(replace(box, x=left + box.width / 2, top=at - box.height / 2, word=word))
        if up < 0:
            routes.append(())
            continue
        above = placed[up]
        middle = above.top + above.height / 2
        routes.append(((above.x + above.width / 2, middle), (rail, middle), (rail, at), (left, at)))
    height = max(at + cell / 2 for at, cell in zip(y, cells, strict=True))
    return Placed(tuple(placed), tuple(routes), lefts[-1] + widest[-1], height)


def _word_width(box: Box, measure: Measure) -> float:
    return max((measure(line, False) for line in box.edge), default=0.0)


def _largest(level: Sequence[int], sizes: Sequence[float]) -> list[float]:
    """Return the largest size at each depth."""
    most = [0.0] * (max(level) + 1)
    for depth, size in zip(level, sizes, strict=True):
        most[depth] = max(most[depth], size)
    return most
