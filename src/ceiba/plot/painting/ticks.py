"""Ticks whose labels never lie on each other, whatever the size of the axes becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.plot.painting._matplotlib import require_matplotlib
from ceiba.plot.painting.text import text_measure

if TYPE_CHECKING:
    from matplotlib.axis import Axis


def round_numbers(most: float) -> list[float]:
    """Return 1, 2, 5, 10, 20, 50, ... up to `most`."""
    powers = range(len(str(int(most))))
    return [step * 10**k for k in powers for step in (1, 2, 5) if step * 10**k <= most]


def set_apart_ticks(axis: Axis, places: Sequence[float], labels: Sequence[str]) -> None:
    """Put ticks on a horizontal axis, the most important first; those without room are left out.

    What has room is decided when the axes are drawn, so that a figure may be resized.
    """
    require_matplotlib()
    from matplotlib.ticker import FuncFormatter

    known = dict(zip(places, labels, strict=True))
    axis.set_major_locator(_locator(list(known.items())))
    axis.set_major_formatter(FuncFormatter(lambda at, _: known.get(at, "")))


def _locator(candidates: list[tuple[float, str]]) -> Any:
    from matplotlib.ticker import Locator

    class ApartLocator(Locator):
        def __call__(self) -> Any:
            axis: Any = self.axis
            figure = axis.axes.get_figure(root=True)
            size = axis.majorTicks[0].label1.get_size() if axis.majorTicks else 10.0
            measure = text_measure(float(size))
            pixels = figure.dpi / 72
            taken: list[tuple[float, float]] = []
            chosen = []
            for place, label in candidates:
                at = axis.axes.transData.transform((place, 0.0))[0] / pixels
                half = measure(label, False) / 2 + 0.35 * size
                if all(at + half <= low or at - half >= high for low, high in taken):
                    taken.append((at - half, at + half))
                    chosen.append(place)
            return np.sort(np.asarray(chosen, np.float64))

        def tick_values(self, vmin: float, vmax: float) -> Any:
            return self()

    return ApartLocator()
