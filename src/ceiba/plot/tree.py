"""plot_tree: one call that draws a tree with matplotlib alone, no Graphviz.

The geometry comes from `ceiba.layout`, sized by measured text; `paint.py` turns it into shapes.
Axes are scaled so that one unit is one point, so nothing depends on backend or resolution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.layout import Drawing, Foot, Sheet, fit, lay_foot
from ceiba.layout.colours import node_fill
from ceiba.plot.painting._matplotlib import new_axes
from ceiba.plot.painting.axes import POINTS, as_tree, axes_size
from ceiba.plot.painting.colours import Colour, mixed, rgb, tree_palette
from ceiba.plot.painting.fonts import in_covering_fonts
from ceiba.plot.painting.paint import Painter
from ceiba.plot.painting.panels import PanelRows, paint_panels, panel_rows, scale_note
from ceiba.plot.painting.text import text_measure
from ceiba.tree import Tree
from ceiba.tree.splits.sentences import level_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGIN = 8.0
LARGEST_FIGURE = (48.0, 32.0)  # inches; in a new figure larger trees are folded


@in_covering_fonts
def plot_tree(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Axes | None = None,
    max_depth: int | None = None,
    node_ids: bool = False,
    impurity: bool = False,
    counts: bool = False,
    digits: int | None = None,
    font_size: float = 10.0,
    colors: Sequence[str] | None = None,
    legend: bool = True,
) -> Axes:
    """Draw a tree.

    Inner nodes ask their question; yes and no (or the names of levels) stand on the edges. Leaves
    give their answer: the class with its probability, or the value. Bars show the class
    probabilities; fills show the class and its purity, or the value. A tree that does not fit is
    folded, with a note that says so; letters do not shrink below 6 points.

    With rows, the boxes also show them: inner nodes of shallow trees the split column with its cut
    (by class as a histogram; against the target for regression), leaves of regression trees a box
    plot of the target, all on one scale.

    Parameters
    ----------
    tree : Tree or fitted estimator
        What to draw.
    X, y : table and target, optional
        Rows to show in the boxes; y may be the name of a column of X.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure, as large as the tree needs.
    max_depth : int, optional
        Fold below this depth.
    node_ids, impurity, counts : bool, default False
        Also show node numbers, impurities, weighted class counts.
    digits : int, optional
        Significant digits of cuts and values.
    font_size : float, default 10
        Size of the letters in points; in given axes the largest size.
    colors : sequence of str, optional
        One colour per class; by default a set that is safe for colour-blind readers.
    legend : bool, default True
        Name the class colours under the tree.

    Returns
    -------
    matplotlib axes
        One unit is one point, y goes down; ``ax.figure.savefig("tree.pdf")`` writes the picture.

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
    names = [level_text(label) for label in tree.target.classes[0]] if legend and palette else []
    sheet = Sheet(
        font_size=font_size,
        max_depth=max_depth,
        digits=digits,
        node_ids=node_ids,
        impurity=impurity,
        counts=counts,
        leaf_panels=rows is not None and tree.task == "regression",
        inner_panels=rows is not None and _is_shallow(tree, max_depth),
    )
    scale = scale_note(rows) if rows is not None and sheet.leaf_panels else ""
    if ax is None:
        drawing, foot = _on_new_figure(tree, sheet, names, scale)
        width = max(drawing.width, *(x for x, _, _ in foot.names), 1.0)
        height = drawing.height + _foot_height(foot, sheet)
        ax = new_axes((width + 2 * MARGIN) / POINTS, (height + 2 * MARGIN) / POINTS)
    else:
        drawing, foot = _in_axes(tree, sheet, names, ax, scale)
    _paint(tree, drawing, foot, palette, ax, rows)
    return ax


def _is_shallow(tree: Tree, max_depth: int | None) -> bool:
    """Return whether small pictures in inner nodes would still be looked at one by one."""
    shown = tree.depth if max_depth is None else min(tree.depth, max_depth)
    inner = np.count_nonzero(~tree.is_leaf & (tree.node_depth < shown))
    return shown <= 5 and int(inner) <= 16


def _on_new_figure(tree: Tree, sheet: Sheet, names: list[str], remark: str) -> tuple[Drawing, Foot]:
    width, height = (side * POINTS for side in LARGEST_FIGURE)
    drawing = fit(tree, sheet, text_measure, width, height, smallest_font=sheet.font_size)
    measure = text_measure(sheet.font_size)
    return drawing, lay_foot(
        names, f"{remark} {drawing.note}", drawing.width, measure, sheet.font_size
    )


def _in_axes(
    tree: Tree, sheet: Sheet, names: list[str], ax: Axes, remark: str
) -> tuple[Drawing, Foot]:
    width, height = (side - 2 * MARGIN for side in axes_size(ax))
    # The note is written only when something is folded; two rows are kept free for it.
    measure = text_measure(sheet.font_size)
    foot = lay_foot(names, remark, width, measure, sheet.font_size)
    kept = _foot_height(foot, sheet) + 2 * sheet.line_height
    drawing = fit(tree, sheet, text_measure, width, height - kept)
    if sheet.inner_panels and (drawing.note or drawing.sheet.font_size < 0.8 * sheet.font_size):
        # Small pictures go first: nodes and letters tell more.
        plain = replace(sheet, inner_panels=False)
        bare = fit(tree, plain, text_measure, width, height - kept)
        drawing = max(bare, drawing, key=lambda d: (len(d.boxes), d.sheet.font_size))
    measure = text_measure(drawing.sheet.font_size)
    return drawing, lay_foot(
        names, f"{remark} {drawing.note}", width, measure, drawing.sheet.font_size
    )


def _foot_height(foot: Foot, sheet: Sheet) -> float:
    return (foot.n_rows + 1) * sheet.line_height if foot.n_rows else 0.0


def _paint(
    tree: Tree,
    drawing: Drawing,
    foot: Foot,
    palette: list[Colour],
    ax: Axes,
    rows: PanelRows | None,
) -> None:
    """Put everything onto axes of one point per unit, the tree in the middle, the foot left."""
    sheet = drawing.sheet
    width, height = axes_size(ax)
    ax.set_axis_off()
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    total = drawing.height + _foot_height(foot, sheet)
    top = max(MARGIN, (height - total) / 2)
    painter = Painter(ax, sheet.font_size, dx=max(MARGIN, (width - drawing.width) / 2), dy=top)
    painter.edges(drawing, [float(tree.share[box.node]) for box in drawing.boxes])
    painter.boxes(drawing.boxes, _fills(tree, drawing, palette, painter.paper))
    painter.bars(drawing, palette)
    if rows is not None:
        paint_panels(painter, tree, drawing, rows, palette)
    painter.words(drawing)
    painter.dx = MARGIN
    painter.foot(foot, palette, drawing.height + sheet.line_height, sheet.line_height)


def _fills(tree: Tree, drawing: Drawing, palette: list[Colour], paper: Colour) -> list[Colour]:
    """Colour leaves by class and purity, or by value; inner nodes stay paper for classes."""
    fills = []
    for box in drawing.boxes:
        colour, share = node_fill(tree, box.node, leaf=box.leaf)
        own = palette[int(tree.answer[box.node])] if palette else rgb(colour)
        fills.append(mixed(own, paper, share))
    return fills
