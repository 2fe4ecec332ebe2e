"""plot_tree: one call that draws a tree with matplotlib alone, no Graphviz.

The geometry comes from `ceiba.layout`, sized by measured text; `paint.py` turns it into shapes.
Axes are scaled so that one unit is one point, so nothing depends on backend or resolution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ceiba.errors import OptionError
from ceiba.layout import Drawing, Sheet
from ceiba.plot._matplotlib import new_axes, require_matplotlib
from ceiba.plot.colours import STRONGEST_FILL, Colour, class_colours, mixed, value_colour
from ceiba.plot.fit import SMALLEST_FONT, fit_drawing
from ceiba.plot.foot import Foot, lay_foot
from ceiba.plot.paint import Painter
from ceiba.plot.text import text_measure
from ceiba.tree import Tree
from ceiba.tree.words import level_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tree"]

POINTS = 72.0  # per inch
MARGIN = 8.0
LARGEST_FIGURE = (48.0, 32.0)  # inches; in a new figure larger trees are folded


def plot_tree(
    tree: Any,
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

    Parameters
    ----------
    tree : Tree or fitted estimator
        What to draw.
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
    require_matplotlib()
    tree = _as_tree(tree)
    palette = _palette(tree, colors)
    names = [level_text(label) for label in tree.target.classes[0]] if legend and palette else []
    sheet = Sheet(
        font_size=font_size,
        max_depth=max_depth,
        digits=digits,
        node_ids=node_ids,
        impurity=impurity,
        counts=counts,
    )
    if ax is None:
        drawing, foot = _on_new_figure(tree, sheet, names)
        width = max(drawing.width, *(x for x, _, _ in foot.names), 1.0)
        height = drawing.height + _foot_height(foot, sheet)
        ax = new_axes((width + 2 * MARGIN) / POINTS, (height + 2 * MARGIN) / POINTS)
    else:
        drawing, foot = _in_axes(tree, sheet, names, ax)
    _paint(tree, drawing, foot, palette, ax)
    return ax


def _as_tree(tree: Any) -> Tree:
    """Accept a Tree, or an estimator that holds one."""
    found = getattr(tree, "tree_", tree)
    if not isinstance(found, Tree):
        raise OptionError(
            f"plot_tree draws a Tree or a fitted ceiba estimator; it got {type(tree).__name__}. "
            "Fit the estimator first, or convert with ceiba.tree.from_sklearn(model)."
        )
    return found


def _palette(tree: Tree, colors: Sequence[str] | None) -> list[Colour]:
    """Give one colour per class; none for regression and for several outputs."""
    if tree.task == "regression" or tree.n_outputs > 1:
        return []
    return class_colours(len(tree.target.classes[0]), colors)


def _on_new_figure(tree: Tree, sheet: Sheet, names: list[str]) -> tuple[Drawing, Foot]:
    width, height = (side * POINTS for side in LARGEST_FIGURE)
    drawing = fit_drawing(tree, sheet, width, height, smallest_font=sheet.font_size)
    measure = text_measure(sheet.font_size)
    return drawing, lay_foot(names, drawing.note, drawing.width, measure, sheet.font_size)


def _in_axes(tree: Tree, sheet: Sheet, names: list[str], ax: Axes) -> tuple[Drawing, Foot]:
    width, height = (side - 2 * MARGIN for side in _axes_size(ax))
    # The note is written only when something is folded; two rows are kept free for it.
    measure = text_measure(sheet.font_size)
    foot = lay_foot(names, "", width, measure, sheet.font_size)
    kept = _foot_height(foot, sheet) + 2 * sheet.line_height
    drawing = fit_drawing(tree, sheet, width, height - kept, smallest_font=SMALLEST_FONT)
    measure = text_measure(drawing.sheet.font_size)
    return drawing, lay_foot(names, drawing.note, width, measure, drawing.sheet.font_size)


def _axes_size(ax: Axes) -> tuple[float, float]:
    """Give width and height of axes in points."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    extent = ax.get_window_extent()
    return extent.width * POINTS / figure.dpi, extent.height * POINTS / figure.dpi


def _foot_height(foot: Foot, sheet: Sheet) -> float:
    return (foot.n_rows + 1) * sheet.line_height if foot.n_rows else 0.0


def _paint(tree: Tree, drawing: Drawing, foot: Foot, palette: list[Colour], ax: Axes) -> None:
    """Put everything onto axes of one point per unit, the tree in the middle, the foot left."""
    sheet = drawing.sheet
    width, height = _axes_size(ax)
    ax.set_axis_off()
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    total = drawing.height + _foot_height(foot, sheet)
    top = max(MARGIN, (height - total) / 2)
    painter = Painter(ax, sheet.font_size, dx=max(MARGIN, (width - drawing.width) / 2), dy=top)
    painter.edges(drawing, [float(tree.share[box.node]) for box in drawing.boxes])
    painter.boxes(drawing.boxes, _fills(tree, drawing, palette, painter.paper))
    painter.bars(drawing, palette)
    painter.words(drawing)
    painter.dx = MARGIN
    painter.foot(foot, palette, drawing.height + sheet.line_height, sheet.line_height)


def _fills(tree: Tree, drawing: Drawing, palette: list[Colour], paper: Colour) -> list[Colour]:
    """Colour leaves by class and purity, or by value; inner nodes stay paper for classes."""
    if tree.n_outputs > 1:
        return [paper] * len(drawing.boxes)
    if tree.task == "regression":
        values = tree.value[[box.node for box in drawing.boxes], 0, 0].tolist()
        low, high = min(values), max(values)
        return [value_colour(value, low, high, paper) for value in values]
    fills = []
    for box in drawing.boxes:
        best = int(tree.answer[box.node])
        chance = 1 / len(palette)
        purity = max(0.0, (box.shares[best] - chance) / (1 - chance)) if len(palette) > 1 else 1.0
        strength = STRONGEST_FILL * (0.15 + 0.85 * purity) if box.leaf else 0.0
        fills.append(mixed(palette[best], paper, strength))
    return fills
