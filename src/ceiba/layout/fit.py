"""The largest drawing that fits a sheet.

First the letters become smaller, down to a size that can be read; then the lightest subtrees are
folded. Text never lies on text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ceiba.errors import OptionError
from ceiba.layout.drawing import Drawing, Measure, Sheet, draw, fold_weight
from ceiba.tree import Tree

SMALLEST_FONT = 6.0  # points; smaller print is not read
MOST_AT_ONCE = 200  # leaves; of larger trees the folded ones are tried first


def fit(
    tree: Tree,
    sheet: Sheet,
    measure_at: Callable[[float], Measure],
    width: float,
    height: float,
    *,
    smallest_font: float = SMALLEST_FONT,
) -> Drawing:
    """Draw `tree` on at most `width` x `height` points.

    Letters shrink down to `smallest_font`; if that is not enough, the lightest subtrees are folded.

    Parameters
    ----------
    tree : Tree
    sheet : Sheet
    measure_at : callable
        Gives, for a font size, the function that measures text.
    width, height : float
        Points.
    smallest_font : float, default 6

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import Sheet, fit, letter_measure
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("x <= 4", "b", "a")))
    >>> len(fit(tree, Sheet(), letter_measure, 500, 500).boxes)
    5
    """

    def at(font_size: float, step: int) -> Drawing:
        smaller = replace(sheet, font_size=font_size)
        return draw(tree, measure_at(font_size), smaller, min_weight=steps[step])

    def fits(drawing: Drawing) -> bool:
        return drawing.width <= width and drawing.height <= height

    steps = _thresholds(tree)
    if tree.n_leaves <= MOST_AT_ONCE:  # most trees fit as they are
        whole = at(sheet.font_size, len(steps) - 1)
        if fits(whole):
            return whole
    smallest = min(smallest_font, sheet.font_size)
    step = _last_true(lambda k: fits(at(smallest, k)), len(steps))
    shown = at(smallest, max(step, 0))
    if step < 0:
        raise OptionError(
            f"The tree does not fit: its root with its branches alone needs {shown.width:.0f} x "
            f"{shown.height:.0f} points at font size {smallest:g}, the axes have {width:.0f} x "
            f"{height:.0f}. Give larger axes, or none to let the figure grow."
        )
    # All lengths grow with the font, up to the rounding of glyphs to pixels.
    larger = smallest * 0.99 * min(width / shown.width, height / shown.height)
    if larger <= smallest:
        return shown
    drawing = at(min(sheet.font_size, larger), step)
    return drawing if fits(drawing) else shown


def _thresholds(tree: Tree) -> list[float]:
    """Return the weights below which subtrees may be folded: from all folded to all shown."""
    inner = np.unique(fold_weight(tree)[~tree.is_leaf])[::-1]
    return [np.inf, *inner[1:-1].tolist(), 0.0]


def _last_true(holds: Callable[[int], bool], n: int) -> int:
    """Return the last k < n for which `holds`, which is true up to some k; -1 if for none."""
    low, step = -1, 1
    while low + step < n and holds(low + step):
        low, step = low + step, 2 * step
    high = min(low + step, n)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
