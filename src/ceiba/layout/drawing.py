"""The drawn tree as plain numbers: boxes, edges, words and the size of the sheet.

Units are points (1/72 inch), x to the right, y downward from the top of the sheet. Every box is as
large as its words, which the caller measures (`measure`), so nothing that is painted from a Drawing
can overlap. matplotlib, SVG and the report paint it; nothing here knows how.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import OptionError
from ceiba.layout.fold import Fold, fold
from ceiba.layout.panel_axis import PanelAxis, axis_room
from ceiba.layout.placing import Route, place
from ceiba.layout.shown import ShownNode, shown_nodes
from ceiba.tree import Tree
from ceiba.words import words

Measure = Callable[[str, bool], float]
"""Width in points of a text, bold or not, at the font size of the sheet."""


@dataclass(frozen=True)
class Sheet:
    """How a tree is laid out: sizes in points and what the boxes say.

    Examples
    --------
    >>> from ceiba.layout import Sheet
    >>> Sheet(font_size=10).line_height
    13.0
    """

    font_size: float = 10.0
    wrap: int = 24  # characters of a line before it is broken
    max_depth: int | None = None
    digits: int | None = None
    node_ids: bool = False
    impurity: bool = False
    counts: bool = False
    lang: str = "en"
    direction: Literal["down", "right"] = "down"  # in which depth grows
    leaf_panels: bool = False  # room for a small picture of the rows of each leaf
    inner_panels: Mapping[int, PanelAxis] = field(default_factory=dict)  # the same, of these nodes

    @property
    def small_font(self) -> float:
        """Size of the letters in the small pictures; not below 6, which can just be read."""
        return max(min(6.0, self.font_size), 0.75 * self.font_size)

    @property
    def panel_size(self) -> tuple[float, float]:
        """Width and height of the small pictures in the boxes."""
        return 11.0 * self.font_size, 4.0 * self.font_size

    @property
    def line_height(self) -> float:
        """Distance between two lines of text."""
        return 1.3 * self.font_size

    @property
    def gap(self) -> float:
        """Least space between two boxes side by side."""
        return 1.4 * self.font_size

    @property
    def padding(self) -> float:
        """Space between the words and the border of a box."""
        return 0.6 * self.font_size

    @property
    def bar_height(self) -> float:
        """Height of the class bar."""
        return 0.55 * self.font_size


def checked_direction(direction: str) -> Literal["down", "right"]:
    """Return a direction as it was given, or say which there are.

    Examples
    --------
    >>> from ceiba.layout import checked_direction
    >>> checked_direction("right")
    'right'
    """
    if direction in ("down", "right"):
        return "right" if direction == "right" else "down"
    raise OptionError(f"direction: got {direction!r}. Allowed are 'down' and 'right'.")


@dataclass(frozen=True)
class Box:
    """One drawn node.

    `x` is the centre, `top` the upper border; `edge` are the lines of the word on the edge to the
    box, centred at `word` (the top of the first line); `hidden` counts the nodes folded into it;
    `panel` is room kept free for a picture, `axis` that for the words under it.

    Examples
    --------
    >>> from ceiba.layout import Box
    >>> box = Box(0, -1, 50.0, 0.0, 40.0, 30.0, ("x <= 1",), ("n = 9 (100%)",), (), (), True, 0)
    >>> box.left, box.bottom
    (30.0, 30.0)
    """

    node: int
    parent: int  # position of the parent's box, -1 for the root
    x: float
    top: float
    width: float
    height: float
    head: tuple[str, ...]
    lines: tuple[str, ...]
    shares: tuple[float, ...]
    edge: tuple[str, ...]
    leaf: bool
    hidden: int
    panel: float = 0.0  # height of the room for a small picture, above the class bar
    axis: float = 0.0  # height of the words under the picture
    word: tuple[float, float] = (0.0, 0.0)

    @property
    def left(self) -> float:
        """Left border."""
        return self.x - self.width / 2

    @property
    def bottom(self) -> float:
        """Lower border."""
        return self.top + self.height


@dataclass(frozen=True)
class Drawing:
    """A tree ready to be painted.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import Sheet, draw
    >>> tree = ceiba.tree.build(("Petal.Length <= 2.45", "setosa", "virginica"))
    >>> drawing = draw(tree, lambda text, bold: 5.0 * len(text), Sheet())
    >>> [box.head for box in drawing.boxes]
    [('Petal.Length ≤ 2.45',), ('setosa 100%',), ('virginica 100%',)]
    """

    boxes: tuple[Box, ...]
    width: float
    height: float
    routes: tuple[Route, ...]  # corners of the edge to each box; empty at the root
    sheet: Sheet
    note: str  # what is not shown; "" when all is


def draw(tree: Tree, measure: Measure, sheet: Sheet, *, min_weight: float = 0.0) -> Drawing:
    """Lay out a tree.

    Parameters
    ----------
    tree : Tree
        What to draw.
    measure : callable
        Width in points of a text (second argument: bold).
    sheet : Sheet
        Sizes and contents.
    min_weight : float, default 0
        Subtrees lighter than this are folded; see `fold_weight`.

    Returns
    -------
    Drawing
        Boxes in pre-order.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import Sheet, draw
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("x <= 4", "b", "a")))
    >>> draw(tree, lambda text, bold: 5.0 * len(text), Sheet(max_depth=1)).note
    '1 subtree below depth 1 is folded (2 of 5 nodes).'
    """
    parent = tree.parent.tolist()
    weight = fold_weight(tree).tolist()
    shown = fold(parent, max_depth=sheet.max_depth, weight=weight, min_weight=min_weight)
    nodes = shown_nodes(
        tree,
        shown,
        digits=sheet.digits,
        node_ids=sheet.node_ids,
        impurity=sheet.impurity,
        counts=sheet.counts,
        lang=sheet.lang,
    )
    placed = place(shown.parent, [_box(one, measure, sheet) for one in nodes], measure, sheet)
    unit = "plot.unit_rows" if tree.n_rows[0] else "plot.unit_nodes"
    note = _note(shown, len(parent), sheet, min_weight, unit)
    return Drawing(placed.boxes, placed.width, placed.height, placed.routes, sheet, note)


def fold_weight(tree: Tree) -> NDArray[np.float64]:
    """Return what makes a node worth showing: its weight, or its size in a tree without rows.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.layout import fold_weight
    >>> fold_weight(ceiba.tree.build(("x <= 2.5", "a", ("x <= 4", "b", "a")))).tolist()
    [5.0, 1.0, 3.0, 1.0, 1.0]
    """
    if tree.n_rows[0]:
        return tree.weight
    return (tree.subtree_end - np.arange(tree.n_nodes)).astype(np.float64)


def _box(shown: ShownNode, measure: Measure, sheet: Sheet) -> Box:
    """Return the box of one shown node with its size, not yet placed."""
    head = _wrapped(shown.head, sheet.wrap)
    lines = [part for line in shown.lines for part in _wrapped(line, sheet.wrap)]
    widest = max([measure(t, True) for t in head] + [measure(t, False) for t in lines])
    height = (len(head) + len(lines)) * sheet.line_height + 2 * sheet.padding
    if shown.shares:
        height += sheet.bar_height + sheet.padding / 2
    panel = axis = 0.0
    if shown.leaf and sheet.leaf_panels:
        needs, panel = sheet.panel_size
        panel *= 0.5  # a box plot is low
        widest = max(widest, needs)
    elif not shown.leaf and shown.node in sheet.inner_panels:
        needs, panel = sheet.panel_size
        room = axis_room(sheet.inner_panels[shown.node], measure, sheet)
        widest, axis = max(widest, needs, room.width), room.height
    if panel:
        height += panel + axis + sheet.padding / 2
    return Box(
        node=shown.node,
        parent=shown.parent,
        x=0.0,
        top=0.0,
        width=widest + 2 * sheet.padding,
        height=height,
        head=head,
        lines=tuple(lines),
        shares=shown.shares,
        edge=_wrapped(shown.edge, sheet.wrap) if shown.edge else (),
        leaf=shown.leaf,
        hidden=shown.hidden,
        panel=panel,
        axis=axis,
    )


def _wrapped(text: str, width: int) -> tuple[str, ...]:
    # break_on_hyphens would tear apart "2020-01-31" and "-0.5".
    # A no-break space keeps the sign with its number.
    kept = text.replace(" ≤ ", " ≤\u00a0")
    lines = textwrap.wrap(kept, width, break_on_hyphens=False) or [""]
    return tuple(line.replace("\u00a0", " ") for line in lines)


def _note(shown: Fold, n_nodes: int, sheet: Sheet, min_weight: float, unit: str) -> str:
    """Return what is not shown; empty when all is."""
    if not shown.n_hidden:
        return ""
    word = words(sheet.lang)
    reasons = []
    if sheet.max_depth is not None:
        reasons.append(word("plot.below_depth", n=sheet.max_depth))
    if min_weight > 0:
        reasons.append(word("plot.lighter", weight=f"{min_weight:.6g}", unit=word[unit]))
    why = word["split.or"].join(reasons)
    return word("plot.folded", n=shown.n_folded, why=why, hidden=shown.n_hidden, all=n_nodes)
