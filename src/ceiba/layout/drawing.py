"""Lay out a tree drawing (boxes, edges, text and a footer) within a given size.

Units are points (1/72 inch), x to the right, y downward from the top of the sheet. Every box has
the size of its text, which the caller measures (`measure`), so that nothing overlaps.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import OptionError
from ceiba.layout.folding import FoldedTree, VisibleNode, fold_tree, visible_nodes
from ceiba.layout.panel_axis import PanelAxis, axis_size
from ceiba.layout.placing import Route, place
from ceiba.tree import Tree
from ceiba.words import words

Measure = Callable[[str, bool], float]
"""Width in points of a string, bold or not, at the font size of the sheet."""
MIN_FONT_SIZE = 6.0  # smallest legible font size in points
MAX_LEAVES_UNFOLDED = 200  # do not try to lay out larger trees without folding
MAX_NAMES = 24


@dataclass(frozen=True)
class Sheet:
    """Options of a layout: sizes in points, and the contents of the boxes."""

    font_size: float = 10.0
    wrap: int = 24  # characters per line
    max_depth: int | None = None
    digits: int | None = None
    node_ids: bool = False
    impurity: bool = False
    counts: bool = False
    lang: str = "en"
    direction: Literal["down", "right"] = "down"  # of increasing depth
    leaf_panels: float = 0.0  # height of the plots in leaves, relative to `panel_size`
    #: Axes of the plots in inner nodes, by node id.
    inner_panels: Mapping[int, PanelAxis] = field(default_factory=dict)

    @property
    def small_font(self) -> float:
        """The font size in plots: 75 % of `font_size`, but at least min(6, `font_size`)."""
        return max(min(6.0, self.font_size), 0.75 * self.font_size)

    @property
    def panel_size(self) -> tuple[float, float]:
        """The width and height of the small plots in the boxes."""
        return 11.0 * self.font_size, 4.0 * self.font_size

    @property
    def line_height(self) -> float:
        """The distance between two lines of text."""
        return 1.3 * self.font_size

    @property
    def gap(self) -> float:
        """The minimum space between two neighboring boxes."""
        return 1.4 * self.font_size

    @property
    def padding(self) -> float:
        """The space between the text and the border of a box."""
        return 0.6 * self.font_size

    @property
    def bar_height(self) -> float:
        """The height of the bar that shows the class proportions in a box."""
        return 0.55 * self.font_size


def check_direction(direction: str) -> Literal["down", "right"]:
    """Return the direction; raise an error if it is neither "down" nor "right"."""
    if direction in ("down", "right"):
        return "right" if direction == "right" else "down"
    raise OptionError(f"direction must be 'down' or 'right', got {direction!r}.")


@dataclass(frozen=True)
class Box:
    """Position, size and text of a node in a drawing, and the label of its incoming edge."""

    node: int
    parent: int  # index of the parent's box; -1 for the root
    x: float  # the center
    top: float
    width: float
    height: float
    head: tuple[str, ...]
    lines: tuple[str, ...]
    shares: tuple[float, ...]
    edge: tuple[str, ...]  # lines of the label on the edge to the box
    leaf: bool
    hidden: int  # number of descendants that are not drawn
    panel: float = 0.0  # height of the small plot above the class bar
    axis: float = 0.0  # height of the axis under the plot
    word: tuple[float, float] = (0.0, 0.0)  # x of the center and y of the top of the edge label

    @property
    def left(self) -> float:
        """The x coordinate of the box's left border."""
        return self.x - self.width / 2

    @property
    def bottom(self) -> float:
        """The y coordinate of the box's lower border."""
        return self.top + self.height


@dataclass(frozen=True)
class Drawing:
    """Layout of a tree: its size, its boxes and the edges between them."""

    boxes: tuple[Box, ...]
    width: float
    height: float
    routes: tuple[Route, ...]  # corners of the edge to each box; empty for the root
    sheet: Sheet
    note: str  # text about folded nodes; "" if there are none


def draw(tree: Tree, measure: Measure, sheet: Sheet, *, min_weight: float = 0.0) -> Drawing:
    """Lay out a tree; fold subtrees whose `fold_weight` is below `min_weight`."""
    parent = tree.parent.tolist()
    weight = fold_weight(tree).tolist()
    folding = fold_tree(parent, max_depth=sheet.max_depth, weight=weight, min_weight=min_weight)
    nodes = visible_nodes(
        tree,
        folding,
        digits=sheet.digits,
        node_ids=sheet.node_ids,
        impurity=sheet.impurity,
        counts=sheet.counts,
        lang=sheet.lang,
    )
    layout = place(folding.parent, [_box(node, measure, sheet) for node in nodes], measure, sheet)
    unit = "plot.unit_rows" if tree.n_rows[0] else "plot.unit_nodes"
    note = _note(folding, len(parent), sheet, min_weight, unit)
    return Drawing(layout.boxes, layout.width, layout.height, layout.routes, sheet, note)


def fold_weight(tree: Tree) -> NDArray[np.float64]:
    """Return the weight of each node, or the size of its subtree if the tree has no row counts."""
    if tree.n_rows[0]:
        return tree.weight
    return (tree.subtree_end - np.arange(tree.n_nodes)).astype(np.float64)


def _box(node: VisibleNode, measure: Measure, sheet: Sheet) -> Box:
    """Return the box of a visible node with its size but without a position."""
    head = _wrap(node.head, sheet.wrap)
    lines = [text for line in node.lines for text in _wrap(line, sheet.wrap)]
    widest = max([measure(t, True) for t in head] + [measure(t, False) for t in lines])
    height = (len(head) + len(lines)) * sheet.line_height + 2 * sheet.padding
    if node.shares:
        height += sheet.bar_height + sheet.padding / 2
    panel = axis = 0.0
    if node.leaf and sheet.leaf_panels:
        needs, panel = sheet.panel_size
        panel *= sheet.leaf_panels
        widest = max(widest, needs)
    elif not node.leaf and node.node in sheet.inner_panels:
        needs, panel = sheet.panel_size
        room = axis_size(sheet.inner_panels[node.node], measure, sheet)
        widest, axis = max(widest, needs, room.width), room.height
    if panel:
        height += panel + axis + sheet.padding / 2
    return Box(
        node=node.node,
        parent=node.parent,
        x=0.0,
        top=0.0,
        width=widest + 2 * sheet.padding,
        height=height,
        head=head,
        lines=tuple(lines),
        shares=node.shares,
        edge=_wrap(node.edge, sheet.wrap) if node.edge else (),
        leaf=node.leaf,
        hidden=node.hidden,
        panel=panel,
        axis=axis,
    )


def _wrap(text: str, width: int) -> tuple[str, ...]:
    # break_on_hyphens=True would break "2020-01-31" and "-0.5".
    # A no-break space keeps the sign with its number.
    unbroken = text.replace(" ≤ ", " ≤\u00a0")
    lines = textwrap.wrap(unbroken, width, break_on_hyphens=False) or [""]
    return tuple(line.replace("\u00a0", " ") for line in lines)


def _note(folding: FoldedTree, n_nodes: int, sheet: Sheet, min_weight: float, unit: str) -> str:
    """Return a note that says how many nodes are folded and why, or "" if there are none."""
    if not folding.n_hidden:
        return ""
    word = words(sheet.lang)
    reasons = []
    if sheet.max_depth is not None:
        reasons.append(word("plot.below_depth", n=sheet.max_depth))
    if min_weight > 0:
        reasons.append(word("plot.lighter", weight=f"{min_weight:.6g}", unit=word[unit]))
    why = word["split.or"].join(reasons)
    return word("plot.folded", n=folding.n_folded, why=why, hidden=folding.n_hidden, all=n_nodes)


def fit(
    tree: Tree,
    sheet: Sheet,
    measure_at: Callable[[float], Measure],
    width: float,
    height: float,
    *,
    smallest_font: float = MIN_FONT_SIZE,
) -> Drawing:
    """Fit a tree into `width` x `height` points: shrink the font, then fold small subtrees."""

    def at(font_size: float, step: int) -> Drawing:
        smaller = replace(sheet, font_size=font_size)
        return draw(tree, measure_at(font_size), smaller, min_weight=steps[step])

    def fits(drawing: Drawing) -> bool:
        return drawing.width <= width and drawing.height <= height

    # Candidates for `min_weight`, from folding all inner nodes except the root to folding none.
    inner = np.unique(fold_weight(tree)[~tree.is_leaf])[::-1]
    steps = [np.inf, *inner[1:-1].tolist(), 0.0]
    if tree.n_leaves <= MAX_LEAVES_UNFOLDED:  # most trees fit without folding
        unfolded = at(sheet.font_size, len(steps) - 1)
        if fits(unfolded):
            return unfolded
    smallest = min(smallest_font, sheet.font_size)
    step = _last_true(lambda k: fits(at(smallest, k)), len(steps))
    compact = at(smallest, max(step, 0))
    if step < 0:
        raise OptionError(
            f"The tree does not fit: the root and its branches need {compact.width:.0f} x "
            f"{compact.height:.0f} points at font size {smallest:g}, but only {width:.0f} x "
            f"{height:.0f} are available. Pass larger axes, or a larger size."
        )
    # Lengths are proportional to the font size, apart from the rounding of glyphs to pixels.
    larger = smallest * 0.99 * min(width / compact.width, height / compact.height)
    if larger <= smallest:
        return compact
    drawing = at(min(sheet.font_size, larger), step)
    return drawing if fits(drawing) else compact


def _last_true(holds: Callable[[int], bool], n: int) -> int:
    """Return the last k < n for which `holds(k)` is true, found by bisection, or -1 if none is."""
    low, step = -1, 1
    while low + step < n and holds(low + step):
        low, step = low + step, 2 * step
    high = min(low + step, n)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class Footer:
    """The footer under the tree; positions are in points from its upper left corner."""

    names: tuple[tuple[float, int, str], ...]  # left border, row and text
    note: tuple[str, ...]  # lines below the names
    n_rows: int


def lay_out_footer(
    names: Sequence[str],
    note: str,
    width: float,
    measure: Measure,
    font_size: float,
    lang: str = "en",
) -> Footer:
    """Arrange the class names in rows and wrap the note, so that both fit into `width`."""
    labels = [name if len(name) <= 30 else f"{name[:29]}…" for name in names[:MAX_NAMES]]
    if len(names) > MAX_NAMES:
        labels.append(words(lang)("plot.more_classes", n=len(names) - MAX_NAMES))
    patch, space = 1.2 * font_size, 1.4 * font_size
    entries: list[tuple[float, int, str]] = []
    x, row = 0.0, 0
    for name in labels:
        needs = patch + measure(name, False)
        if x > 0 and x + needs > width:
            x, row = 0.0, row + 1
        entries.append((x + patch, row, name))
        x += needs + space
    lines: list[str] = []
    for word in note.split():
        if lines and measure(f"{lines[-1]} {word}", False) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return Footer(tuple(entries), tuple(lines), (row + 1 if entries else 0) + len(lines))
