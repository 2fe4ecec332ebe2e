"""Draw a tree with matplotlib.

`ceiba.layout` computes the geometry from measured text; `paint.py` draws it. One unit of the axes
is one point, so the drawing does not depend on backend or resolution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ceiba.errors import OptionError
from ceiba.layout import Drawing, Footer, NodeFills, Sheet, check_direction, fit, lay_out_footer
from ceiba.plot.painting._matplotlib import POINTS, Axes, as_tree, axes_size, new_axes
from ceiba.plot.painting.colours import Colour, mix, rgb, tree_palette
from ceiba.plot.painting.paint import Painter
from ceiba.plot.painting.panels import paint_panels, scale_note
from ceiba.plot.painting.split_view import PanelRows, SplitView, panel_rows, split_view
from ceiba.plot.painting.text import text_measure, with_covering_fonts
from ceiba.task import Task
from ceiba.tree import Tree, has_curve
from ceiba.tree.splits import class_text
from ceiba.words import words

MARGIN = 8.0
PAGE_SIZE = (16.5, 11.7)  # A3 in inches; larger trees are shrunk, rotated or folded
MAX_PANELS = 40  # trees with more inner nodes have plots in the leaves only
#: Heights of plots in leaves, relative to the histograms in inner nodes.
_LEAF_PANELS = {Task.CLASSIFICATION: 0.0, Task.REGRESSION: 0.5, Task.SURVIVAL: 1.0}


@with_covering_fonts
def plot_tree(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Axes | None = None,
    fit_to: tuple[float, float] | None = None,
    direction: Literal["down", "right"] | None = None,
    max_depth: int | None = None,
    node_ids: bool = False,
    impurity: bool = False,
    counts: bool = False,
    digits: int | None = None,
    font_size: float = 10.0,
    colors: Sequence[str] | None = None,
    legend: bool = True,
    lang: str = "en",
) -> Axes:
    """Draw a tree.

    Inner nodes show their split, with yes and no (or level names) on the edges. Leaves show the
    class with its probability, or the value. Bars show the class probabilities; fills show the
    class and its purity, or the value. A tree that does not fit is drawn smaller, turned, then
    folded, with a note; the font is not smaller than 6 points.

    With X, the boxes also show the rows. Inner nodes show the split column with its cut (a
    histogram by class; the target for regression), with the minimum, the cut and the maximum, or
    the names of levels. Leaves of regression trees show a box plot of the target, all on one scale.
    Leaves of survival trees show their Kaplan-Meier curve and, dashed, that of the root, with or
    without X. Trees of more than 40 inner nodes, and those that would not fit otherwise, are drawn
    without histograms, with a note.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    X, y : table and target, optional
        Rows to show in the boxes; y may be the name of a column of X.
    ax : matplotlib axes, optional
        Axes to draw in. Default: a new figure of the size that the tree needs, at most a page.
    fit_to : (width, height), default=(16.5, 11.7)
        Maximum size of a new figure in inches; pass more for a poster.
    direction : {"down", "right"}, optional
        Position of branches: below their node, or to the right of it. Default: below, unless more
        nodes fit to the right.
    max_depth : int, optional
        Fold below this depth.
    node_ids, impurity, counts : bool, default False
        Also show node numbers, impurities, weighted class counts.
    digits : int, optional
        Significant digits of values.
    font_size : float, default 10
        Font size in points; the maximum if `ax` is given.
    colors : sequence of str, optional
        One color per class. Default: a palette that is safe for color-blind readers.
    legend : bool, default True
        Draw a legend of the class colors under the tree.
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes
        One unit is one point, y goes down; ``ax.figure.savefig("tree.pdf")`` saves the plot.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("Petal.Length <= 2.45", "setosa", "virginica"))
    >>> ax = ceiba.plot.plot_tree(tree)
    >>> [text.get_text() for text in ax.texts[:3]]
    ['Petal.Length ≤ 2.45', 'setosa 100%', 'yes']
    """
    tree = as_tree(tree)
    rows = None if X is None or tree.n_outputs > 1 else panel_rows(tree, X, y)
    palette = tree_palette(tree, colors)
    names = []
    if legend and palette:
        names = [class_text(tree.target, k) for k in range(tree.target.n_classes[0])]
    deepest = tree.depth if max_depth is None else max_depth
    inner = np.flatnonzero(~tree.is_leaf & (tree.node_depth < deepest)).tolist()
    views = {}
    if rows is not None and len(inner) <= MAX_PANELS:
        views = {node: split_view(tree, rows, node) for node in inner}
    sheet = Sheet(
        font_size=font_size,
        max_depth=max_depth,
        digits=digits,
        node_ids=node_ids,
        impurity=impurity,
        counts=counts,
        lang=lang,
        direction=check_direction(direction or "down"),
        leaf_panels=_LEAF_PANELS[tree.task] if rows is not None or has_curve(tree) else 0.0,
        inner_panels={node: view.axis for node, view in views.items()},
    )
    remark = scale_note(tree, rows, lang) if sheet.leaf_panels else ""
    if X is not None and tree.n_outputs > 1:
        remark = words(lang)["plot.several_outputs"]
    if rows is not None and not views and tree.n_leaves > 1:
        remark += " " + words(lang)("plot.no_histograms", n=MAX_PANELS)
    drawing, foot = _best_fit(tree, sheet, names, remark, _available_sizes(ax, fit_to), direction)
    if ax is None:
        measure = text_measure(drawing.sheet.font_size)
        ends = [x + measure(name, False) for x, _, name in foot.names]
        width = max([drawing.width, *ends, *(measure(line, False) for line in foot.note)])
        height = drawing.height + _foot_height(foot, drawing.sheet)
        ax = new_axes((width + 2 * MARGIN) / POINTS, (height + 2 * MARGIN) / POINTS)
    _paint(tree, drawing, foot, palette, ax, rows, views)
    return ax


def _available_sizes(
    ax: Axes | None, fit_to: tuple[float, float] | None
) -> list[tuple[float, float]]:
    """Return the allowed sizes of the drawing in points; by default, portrait and landscape."""
    if ax is not None:
        if fit_to is not None:
            raise OptionError("fit_to is not supported with ax. Pass only one of them.")
        width, height = axes_size(ax)
        return [(width - 2 * MARGIN, height - 2 * MARGIN)]
    size = np.asarray(PAGE_SIZE if fit_to is None else fit_to, np.float64).reshape(-1)
    if len(size) != 2 or not (np.isfinite(size) & (size > 0)).all():
        raise OptionError(
            f"fit_to must be (width, height) in inches, both positive, got {fit_to!r}."
        )
    width, height = (float(side) * POINTS - 2 * MARGIN for side in size)
    return [(width, height)] if fit_to is not None else [(width, height), (height, width)]


def _best_fit(
    tree: Tree,
    sheet: Sheet,
    names: list[str],
    remark: str,
    sizes: list[tuple[float, float]],
    direction: str | None,
) -> tuple[Drawing, Footer]:
    """Return the drawing that folds the fewest nodes; prefer histograms, then larger text."""
    # Histograms may shrink the text to 60 % on the default page, and to 80 % in a given size.
    least_font = sheet.font_size * (0.8 if len(sizes) == 1 else 0.6)
    best: tuple[Drawing, Footer] | None = None
    for turned in ("down", "right") if direction is None else (sheet.direction,):
        for size in sizes:
            fitted = _fit_with_footer(
                tree, replace(sheet, direction=turned), names, remark, size, least_font
            )
            if best is None or _quality(fitted[0]) > _quality(best[0]):
                best = fitted
            if not fitted[0].note and fitted[0].sheet == replace(sheet, direction=turned):
                return fitted  # the whole tree fits at full font size
    assert best is not None
    return best


def _quality(drawing: Drawing) -> tuple[int, bool, float]:
    return len(drawing.boxes), bool(drawing.sheet.inner_panels), drawing.sheet.font_size


def _fit_with_footer(
    tree: Tree,
    sheet: Sheet,
    names: list[str],
    remark: str,
    room: tuple[float, float],
    least_font: float,
) -> tuple[Drawing, Footer]:
    """Fit the tree and its footer into a size in points."""
    width, height = room
    below = 0.0
    for _ in range(3):  # the drawing depends on the height of the footer, and vice versa
        drawing = _fit(tree, sheet, width, height - below, least_font)
        note = remark
        asks = any(not box.leaf for box in drawing.boxes)
        if sheet.inner_panels and asks and not drawing.sheet.inner_panels:
            note += f" {words(sheet.lang)['plot.no_room']}"
        size = drawing.sheet.font_size
        max_width = min(width, max(drawing.width, 40 * size))
        foot = lay_out_footer(
            names, f"{note} {drawing.note}", max_width, text_measure(size), size, sheet.lang
        )
        if drawing.height + _foot_height(foot, drawing.sheet) <= height:
            break
        below = _foot_height(foot, drawing.sheet)
    return drawing, foot


def _fit(tree: Tree, sheet: Sheet, width: float, height: float, least_font: float) -> Drawing:
    try:
        drawing = fit(tree, sheet, text_measure, width, height)
    except OptionError:
        if not sheet.inner_panels:
            raise
        return _fit(tree, replace(sheet, inner_panels={}), width, height, least_font)
    if sheet.inner_panels and (drawing.note or drawing.sheet.font_size < least_font):
        # Drop histograms first, because visible nodes and legible text are more important.
        bare = _fit(tree, replace(sheet, inner_panels={}), width, height, least_font)
        drawing = max(drawing, bare, key=lambda d: (len(d.boxes), d.sheet.font_size))
    return drawing


def _foot_height(foot: Footer, sheet: Sheet) -> float:
    return (foot.n_rows + 1) * sheet.line_height if foot.n_rows else 0.0


def _paint(
    tree: Tree,
    drawing: Drawing,
    foot: Footer,
    palette: list[Colour],
    ax: Axes,
    rows: PanelRows | None,
    views: dict[int, SplitView],
) -> None:
    """Draw the centered tree, and the footer on the left; one unit of the axes is one point."""
    sheet = drawing.sheet
    width, height = axes_size(ax)
    ax.set_axis_off()
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    total = drawing.height + _foot_height(foot, sheet)
    top = max(MARGIN, (height - total) / 2)
    painter = Painter(ax, sheet.font_size, dx=max(MARGIN, (width - drawing.width) / 2), dy=top)
    painter.edges(drawing, [float(tree.share[box.node]) for box in drawing.boxes])
    fill, fills = NodeFills(tree), []
    for box in drawing.boxes:
        colour, share = fill(box.node, leaf=box.leaf)
        hue = palette[int(tree.answer[box.node])] if palette else rgb(colour)
        fills.append(mix(hue, painter.paper, share))
    painter.boxes(drawing.boxes, fills)
    painter.bars(drawing, palette)
    if rows is not None or sheet.leaf_panels:
        paint_panels(painter, tree, drawing, rows, views, palette)
    painter.words(drawing)
    painter.dx = MARGIN
    painter.foot(foot, palette, drawing.height + sheet.line_height, sheet.line_height)
