"""What stands under the small picture of an inner node: the least value, the cuts, the largest.

Numbers stand as near to their places as the others allow; the names of levels stand under their
bars, upright where they are too long to lie side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ceiba.layout.drawing import Measure, Sheet

MOST_BARS = 24  # whose levels are named; beyond, their number is given
LONGEST_NAME = 12  # letters


@dataclass(frozen=True)
class PanelAxis:
    """The words under a small picture.

    Attributes
    ----------
    marks : tuple of (float, str)
        Numbers and their places, as shares of the width, from left to right.
    names : tuple of str
        One per bar, in place of marks.

    Examples
    --------
    >>> from ceiba.layout import PanelAxis
    >>> PanelAxis.of_levels([f"level {k}" for k in range(40)]).marks
    ((0.5, '40 levels'),)
    >>> PanelAxis.of_levels(["household income low", "household income high"]).names
    ('house…me low', 'house…e high')
    """

    marks: tuple[tuple[float, str], ...] = ()
    names: tuple[str, ...] = ()

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
    widths = [_small(text, measure, sheet) for text in words]
    gap = 0.6 * sheet.small_font
    if not axis.names:
        return AxisRoom(sum(widths) + gap * (len(words) - 1), line, False)
    flat = len(words) * (max(widths) + gap)
    if flat <= 1.5 * sheet.panel_size[0]:
        return AxisRoom(flat, line, False)
    return AxisRoom(len(words) * line, max(widths) + gap, True)


def apart(places: Sequence[float], widths: Sequence[float], room: float, gap: float) -> list[float]:
    """Return centres near `places` (ascending) at which texts of these widths do not meet.

    Pushed to the right where they would meet, then back from the right end of the room.
    """
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


def _small(text: str, measure: Measure, sheet: Sheet) -> float:
    return measure(text, False) * sheet.small_font / sheet.font_size
