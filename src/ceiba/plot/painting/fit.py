"""The largest drawing that fits axes, measured with the fonts that will paint it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ceiba.layout import Drawing, Sheet, fit
from ceiba.layout.fit import SMALLEST_FONT
from ceiba.plot.painting.text import text_measure

if TYPE_CHECKING:
    from ceiba.tree import Tree

__all__ = ["SMALLEST_FONT", "fit_drawing"]


def fit_drawing(
    tree: Tree, sheet: Sheet, width: float, height: float, *, smallest_font: float = SMALLEST_FONT
) -> Drawing:
    """Draw `tree` on at most `width` x `height` points; see `ceiba.layout.fit`.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import Sheet
    >>> from ceiba.plot.painting.fit import fit_drawing
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("x <= 4", "b", "a")))
    >>> len(fit_drawing(tree, Sheet(), 500, 500).boxes)
    5
    """
    return fit(tree, sheet, text_measure, width, height, smallest_font=smallest_font)
