"""The bins of the small picture of a split, and what stands under it: numbers, or level names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ceiba.layout.drawing import Measure, Sheet

MOST_BARS = 24  # whose levels are named; beyond, their number is given
LONGEST_NAME = 12  # letters
_FAR: Final = 5.0  # times the range of the middle 98 % of the values: the rest is cut off


@dataclass(frozen=True)
class PanelAxis:
    """The words under a small picture."""

    marks: tuple[tuple[float, str], ...] = ()  # numbers and their places, as shares of the width
    names: tuple[str, ...] = ()  # one per bar, in place of marks

    @classmethod
    def of_levels(cls, names: Sequence[str]) -> PanelAxis:
        """Name the bars of levels, or count them where there are too many to name."""
        if len(names) > MOST_BARS:
            return cls(marks=((0.5, f"{len(names)} levels"),))
        short = [_shortened(name, LONGEST_NAME - 1) for name in names]
        if len(set(short)) < len(set(names)):  # they begin alike: the ends tell them apart
            short = [_shortened(name, LONGEST_NAME // 2 - 1) for name in names]
        return cls(names=tuple(short))


def _shortened(name: str, first: int) -> str:
    """Keep the first letters of a long name and, where there is room, its last ones."""
    if len(name) <= LONGEST_NAME:
        return name
    last = LONGEST_NAME - 1 - first
    return f"{name[:first]}…{name[len(name) - last :]}"


@dataclass(frozen=True)
class AxisRoom:
    """The least width of an axis and its height, in points; whether its names stand upright."""

    width: float
    height: float
    upright: bool


def axis_room(axis: PanelAxis, measure: Measure, sheet: Sheet) -> AxisRoom:
    """Return the room that an axis needs on a sheet."""
    words = axis.names or tuple(text for _, text in axis.marks)
    line = 1.2 * sheet.small_font
    if not words:
        return AxisRoom(0.0, 0.0, False)
    widths = [measure(text, False) * sheet.small_font / sheet.font_size for text in words]
    gap = 0.6 * sheet.small_font
    if not axis.names:
        return AxisRoom(sum(widths) + gap * (len(words) - 1), line, False)
    flat = len(words) * (max(widths) + gap)
    if flat <= 1.5 * sheet.panel_size[0]:
        return AxisRoom(flat, line, False)
    return AxisRoom(len(words) * line, max(widths) + gap, True)


def apart(places: Sequence[float], widths: Sequence[float], room: float, gap: float) -> list[float]:
    """Return centres near `places` (ascending) at which texts of these widths do not meet."""
    centres: list[float] = []
    edge = 0.0
    for at, width in zip(places, widths, strict=True):
        centres.append(max(at, edge + width / 2))
        edge = centres[-1] + width / 2 + gap
    edge = room
    for k in range(len(centres) - 1, -1, -1):
        centres[k] = min(centres[k], edge - widths[k] / 2)
        edge = centres[k] - widths[k] / 2 - gap
    return centres


def bin_edges(values: NDArray[Any], cuts: Sequence[float], bins: int) -> NDArray[np.float64] | None:
    """Return edges of bins of equal width, cuts among them; None where values do not differ."""
    low, high = float(values.min()), float(values.max())
    near, far = np.quantile(values, [0.01, 0.99]).tolist()
    if high - low > _FAR * (far - near) > 0:
        low, high = near, far
    low, high = min([low, *cuts]), max([high, *cuts])
    width = (high - low) / bins
    if not np.isfinite(width) or width <= 0:
        return None
    if len(cuts) != 1:
        points = sorted({low, *cuts, high})
        parts = [
            np.linspace(a, b, max(1, round((b - a) / width)), endpoint=False)
            for a, b in pairwise(points)
        ]
        return np.concatenate((*parts, points[-1:]))
    before = int(np.clip(np.ceil((cuts[0] - low) / width - 1e-9), 1, bins - 1))
    return np.asarray(cuts[0] + (np.arange(bins + 1) - before) * width, np.float64)
