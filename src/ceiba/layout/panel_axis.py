"""Lay out the axis of the small plot in an inner node: bins, tick labels or level names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ceiba.layout.drawing import Measure, Sheet

MAX_BARS = 24  # with more levels, a plot shows only the number of levels
MAX_NAME_LENGTH = 12  # letters
_FAR: Final = 5.0  # omit the outer 2 % of values if they widen the range by more than this factor
_MAX_WHOLE: Final = 2.0**53  # all larger float64 numbers are integers
_MOSTLY: Final = 0.9  # bin widths are integers if at least this share of values are integers


@dataclass(frozen=True)
class PanelAxis:
    """Axis labels of a small plot: numbers at tick marks, or level names."""

    marks: tuple[tuple[float, str], ...] = ()  # position (share of the width) and text of each tick
    names: tuple[str, ...] = ()  # level name under each bar, instead of ticks

    @classmethod
    def of_levels(cls, names: Sequence[str]) -> PanelAxis:
        """Return an axis with level names, or with the number of levels if there are too many."""
        if len(names) > MAX_BARS:
            return cls(marks=((0.5, f"{len(names)} levels"),))
        short = [_shorten(name, MAX_NAME_LENGTH - 1) for name in names]
        if len(set(short)) < len(set(names)):  # some shortened names are equal
            short = [_shorten(name, MAX_NAME_LENGTH // 2 - 1) for name in names]
        return cls(names=tuple(short))


def _shorten(name: str, first: int) -> str:
    """Shorten a long name to its first `first` letters, an ellipsis and its last letters."""
    if len(name) <= MAX_NAME_LENGTH:
        return name
    last = MAX_NAME_LENGTH - 1 - first
    return f"{name[:first]}…{name[len(name) - last :]}"


@dataclass(frozen=True)
class AxisSize:
    """Minimum width and height of an axis in points, and whether its names are vertical."""

    width: float
    height: float
    upright: bool


def axis_size(axis: PanelAxis, measure: Measure, sheet: Sheet) -> AxisSize:
    """Return the minimum size of an axis."""
    words = axis.names or tuple(text for _, text in axis.marks)
    line = 1.2 * sheet.small_font
    if not words:
        return AxisSize(0.0, 0.0, False)
    widths = [measure(text, False) * sheet.small_font / sheet.font_size for text in words]
    gap = 0.6 * sheet.small_font
    if not axis.names:
        return AxisSize(sum(widths) + gap * (len(words) - 1), line, False)
    flat = len(words) * (max(widths) + gap)
    if flat <= 1.5 * sheet.panel_size[0]:
        return AxisSize(flat, line, False)
    return AxisSize(len(words) * line, max(widths) + gap, True)


def separate_labels(
    places: Sequence[float], widths: Sequence[float], room: float, gap: float
) -> list[float]:
    """Return label centers near `places` (ascending) at which the labels do not overlap."""
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


def bin_edges(
    values: NDArray[Any], cuts: Sequence[float], bins: int, *, trim: bool = True
) -> NDArray[np.float64] | None:
    """Return about equally spaced bin edges that include the cuts, or None if the range is 0.

    Bins of whole numbers have a whole width, because otherwise an even distribution would look like
    a comb; their number is then only about `bins`. With `trim`, far outliers are cut off.
    """
    first, last = low, high = float(values.min()), float(values.max())
    near, far = np.quantile(values, [0.01, 0.99]).tolist()
    if trim and high - low > _FAR * (far - near) > 0:
        low, high = near, far
    low, high = min([low, *cuts]), max([high, *cuts])
    width = (high - low) / bins
    if not np.isfinite(width) or width <= 0:
        return None
    is_integer = values == np.rint(values)
    if last - first < _MAX_WHOLE and abs(first) < _MAX_WHOLE and is_integer.mean() >= _MOSTLY:
        step = 1
        if is_integer.all():
            steps = (values - first).astype(np.int64)
            step = int(np.gcd.reduce(steps[:1000]))  # a step of 1 cannot become smaller
            step = (step if step == 1 else int(np.gcd.reduce(steps))) or 1
        width = step * max(1, round((high - low + step) / (bins * step)))
        n_values = (high - low) / step + 1
        n_left = np.floor((cuts[0] - low) / step) + 1 if cuts else 0
        before, after = (np.ceil(n * step / width) for n in (n_left, n_values - n_left))
        if not cuts:
            return np.asarray(low - step / 2 + np.arange(after + 1) * width, np.float64)
        if len(cuts) == 1:
            sides = np.arange(-max(1, before), max(1, after) + 1)
            return np.asarray(cuts[0] + sides * width, np.float64)
        points = sorted({low - step / 2, *cuts, high + step / 2})
        return np.concatenate([*(np.arange(a, b, width) for a, b in pairwise(points)), points[-1:]])
    if len(cuts) != 1:
        points = sorted({low, *cuts, high})
        parts = [
            np.linspace(a, b, max(1, round((b - a) / width)), endpoint=False)
            for a, b in pairwise(points)
        ]
        return np.concatenate((*parts, points[-1:]))
    before = int(np.clip(np.ceil((cuts[0] - low) / width - 1e-9), 1, bins - 1))
    return np.asarray(cuts[0] + (np.arange(bins + 1) - before) * width, np.float64)
