"""Draw a tree as SVG without dependencies, with the positions computed by `ceiba.layout`.

Text and lines use `currentColor` and the background is transparent, so the picture fits light and
dark pages; a standalone file is black on white. The fill of a box shows class and purity, as in
`ceiba.plot.plot_tree`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal
from xml.sax.saxutils import escape, quoteattr

from ceiba.errors import OptionError
from ceiba.formatting import escape_control
from ceiba.layout import (
    FONT_FAMILY,
    Box,
    Drawing,
    Footer,
    NodeFills,
    Sheet,
    check_direction,
    class_palette,
    fit,
    lay_out_footer,
    measure_for_size,
)
from ceiba.tree import Tree
from ceiba.tree.splits import class_text

MARGIN: Final = 8.0
MAX_SIZE: Final = (6000.0, 4000.0)  # width and height in points; larger trees are folded


def to_svg(
    tree: Tree,
    *,
    max_depth: int | None = None,
    node_ids: bool = False,
    impurity: bool = False,
    counts: bool = False,
    digits: int | None = None,
    font_size: float = 12.0,
    colors: Sequence[str] | None = None,
    legend: bool = True,
    size: tuple[float, float] | None = None,
    direction: Literal["down", "right"] = "down",
) -> str:
    """Return a tree as SVG text.

    Parameters
    ----------
    tree : Tree
    max_depth : int, optional
        Fold below this depth.
    node_ids, impurity, counts : bool, default=False
        Also show node numbers, impurities, weighted class counts.
    digits : int, optional
        Significant digits of values.
    font_size : float, default=12
    colors : sequence of str, optional
        One color ("#rrggbb") per class.
    legend : bool, default=True
        Show a legend of the class colors below the tree.
    size : (width, height), optional
        Maximum size in points; subtrees that do not fit are folded, with a note.
    direction : {"down", "right"}, default="down"
        Position of the branches: below their node, or to the right of it.

    Returns
    -------
    str
        One ``<svg>`` element; names are escaped.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("Petal.Length <= 2.45", "setosa", "virginica"))
    >>> picture = ceiba.export.to_svg(tree)
    >>> picture.startswith("<svg "), "Petal.Length ≤ 2.45" in picture
    (True, True)
    """
    sheet = Sheet(
        font_size=font_size,
        max_depth=max_depth,
        digits=digits,
        node_ids=node_ids,
        impurity=impurity,
        counts=counts,
        direction=check_direction(direction),
    )
    width, height = size or MAX_SIZE
    drawing = fit(tree, sheet, measure_for_size, width, height, smallest_font=min(font_size, 8.0))
    palette, names = list[str](), list[str]()
    if tree.task.has_classes and tree.n_outputs == 1:
        n = len(tree.target.classes[0])
        if colors is not None and len(colors) < n:
            raise OptionError(f"colors must have at least {n} entries, got {len(colors)}.")
        palette = list(colors[:n]) if colors is not None else class_palette(n)
        names = [class_text(tree.target, k) for k in range(n)] if legend else []
    measure = measure_for_size(drawing.sheet.font_size)
    foot = lay_out_footer(names, drawing.note, max(drawing.width, 200.0), measure, sheet.font_size)
    return _page(tree, drawing, foot, palette)


def _page(tree: Tree, drawing: Drawing, foot: Footer, palette: list[str]) -> str:
    sheet = drawing.sheet
    line = sheet.line_height
    below = (foot.n_rows + 1) * line if foot.n_rows else 0.0
    reach = max([x for x, _, _ in foot.names], default=0.0) + 12 * sheet.font_size
    width = max(drawing.width, min(reach, 400.0) if foot.names else 0.0) + 2 * MARGIN
    height = drawing.height + below + 2 * MARGIN
    fills = NodeFills(tree, palette)
    target = f" for {tree.target.name}" if tree.target.name is not None else ""
    title = f"Decision tree{target}: {tree.n_leaves} leaves, depth {tree.depth}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" height="{_n(height)}" '
        f'viewBox="{_n(-MARGIN)} {_n(-MARGIN)} {_n(width)} {_n(height)}" role="img" '
        f"font-family={quoteattr(FONT_FAMILY)} "
        f'font-size="{_n(sheet.font_size)}" fill="currentColor">',
        f"<title>{escape(escape_control(title))}</title>",
        *_edges(tree, drawing),
        *(element for box in drawing.boxes for element in _box(fills, box, drawing, palette)),
        *_foot(foot, palette, drawing.height + line, line, sheet.font_size),
        "</svg>",
    ]
    return "\n".join(parts)


def _edges(tree: Tree, drawing: Drawing) -> list[str]:
    parts = ['<g fill="none" stroke="currentColor" opacity="0.5" stroke-linecap="round">']
    for box, route in zip(drawing.boxes, drawing.routes, strict=True):
        if route:
            thick = 0.8 + 3.2 * float(tree.share[box.node])
            line = "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in route)
            parts.append(f'<path d="{line}" stroke-width="{_n(thick)}" stroke-linejoin="round"/>')
    return [*parts, "</g>"]


def _box(fills: NodeFills, box: Box, drawing: Drawing, palette: list[str]) -> list[str]:
    sheet = drawing.sheet
    colour, strength = fills(box.node, leaf=box.leaf)
    frame = (
        f'y="{_n(box.top)}" width="{_n(box.width)}" height="{_n(box.height)}" rx="3.5" '
        'stroke="currentColor" stroke-opacity="0.5" stroke-width="0.8"'
    )
    parts = ["<g>"]
    if box.hidden:  # a second outline marks a folded subtree
        card = f'x="{_n(box.left + 3)}" {frame} fill="none" transform="translate(0 3)"'
        parts.append(f"<rect {card}/>")
    parts.append(
        f'<rect x="{_n(box.left)}" {frame} fill="{colour}" fill-opacity="{_n(strength)}"/>'
    )
    y = box.top + sheet.padding
    for lines, weight in ((box.head, ' font-weight="bold"'), (box.lines, "")):
        for text in lines:
            parts.append(_text(box.x, y, text, sheet.font_size, weight))
            y += sheet.line_height
    left, width = box.left + sheet.padding, box.width - 2 * sheet.padding
    top = box.bottom - sheet.padding - sheet.bar_height
    for share, paint in zip(box.shares, palette, strict=False):
        if share > 0:
            parts.append(
                f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(share * width)}" '
                f'height="{_n(sheet.bar_height)}" fill="{paint}"/>'
            )
        left += share * width
    x, y = box.word
    for text in box.edge:
        parts.append(_text(x, y, text, sheet.font_size, ' fill-opacity="0.65"'))
        y += sheet.line_height
    return [*parts, "</g>"]


def _foot(foot: Footer, palette: list[str], top: float, line: float, size: float) -> list[str]:
    parts = []
    side = 0.8 * size
    for k, (x, row, name) in enumerate(foot.names):
        y = top + row * line
        if k < len(palette):
            parts.append(
                f'<rect x="{_n(x - 1.5 * side)}" y="{_n(y + (line - side) / 2)}" '
                f'width="{_n(side)}" height="{_n(side)}" fill="{palette[k]}"/>'
            )
        parts.append(_text(x, y, name, size, "", "start"))
    first = foot.n_rows - len(foot.note)
    for k, text in enumerate(foot.note):
        parts.append(
            _text(0.0, top + (first + k) * line, text, size, ' fill-opacity="0.65"', "start")
        )
    return parts


def _text(x: float, top: float, text: str, size: float, attrs: str, anchor: str = "middle") -> str:
    """Return one line of text as an SVG element with its top at `top`."""
    return (
        f'<text x="{_n(x)}" y="{_n(top + 1.01 * size)}" text-anchor="{anchor}"{attrs}>'
        f"{escape(escape_control(text))}</text>"
    )


def _n(number: float) -> str:
    """Return a number as text with at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
