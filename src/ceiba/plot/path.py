"""Draw the path of one row, with the prediction at each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ceiba.errors import OptionError
from ceiba.inspection import Explanation
from ceiba.layout import class_and_share, lay_out_footer
from ceiba.plot.painting._matplotlib import POINTS, Axes, as_tree, axes_size, new_axes
from ceiba.plot.painting.colours import Colour, class_colours, mix, tree_palette
from ceiba.plot.painting.paint import Painter, rectangle
from ceiba.plot.painting.text import text_measure, with_covering_fonts
from ceiba.tree import Tree
from ceiba.tree.splits import class_text, number_text
from ceiba.words import words

MARGIN = 10.0
BAR = 190.0  # points
STRIDE = 3.0  # distance between two steps, in text lines


@with_covering_fonts
def plot_path(
    tree: Any,
    row: Any,
    *,
    ax: Axes | None = None,
    font_size: float = 10.0,
    colors: Sequence[str] | None = None,
    lang: str = "en",
) -> Axes:
    """Draw the path of one row through a tree.

    Each line is a step: the condition and the row's value, the number of training rows that remain,
    and their class probabilities (or value).

    Parameters
    ----------
    tree : Tree or fitted estimator
        With one output.
    row : dict, sequence, table of one row, or Explanation
    ax : matplotlib axes, optional
        Axes to draw in. Default: a new figure of the size that the path needs.
    font_size : float, default 10
    colors : sequence of str, optional
        One color per class.
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes
        One unit is one point, y goes down.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", {"a": 3}, ("y <= 1", {"b": 2}, {"a": 1})))
    >>> ax = ceiba.plot.plot_path(tree, {"x": [5.0], "y": [0.0]})
    >>> "b 100%" in [text.get_text() for text in ax.texts]
    True
    """
    estimator, tree = tree, as_tree(tree, "plot_path")
    if tree.n_outputs > 1:
        raise OptionError("plot_path is not supported for trees with several outputs.")
    explanation = row if isinstance(row, Explanation) else estimator.explain(row, lang=lang)
    if not isinstance(explanation, Explanation):
        raise OptionError(f"plot_path requires one row, got {len(explanation)} rows.")
    if any(step.by == "share" for step in explanation.steps):
        raise OptionError(
            "plot_path requires a single path, but this row takes several branches of a split. "
            "Use tree.explain(row), which lists all of them."
        )
    lines = _lines(tree, explanation)
    measure = text_measure(font_size)
    step = 1.3 * font_size
    texts = max(max(measure(a, True), measure(b, False)) for _, a, b in lines) + 2.0 * font_size
    counts = max(measure(_rows_text(tree, node), False) for node, _, _ in lines) + 2 * font_size
    answers = max(measure(_answer(tree, node), True) for node, _, _ in lines) + font_size
    labels = [] if not tree.task.has_classes else tree.target.classes[0].tolist()
    foot = lay_out_footer(
        [class_text(tree.target, k) for k in range(len(labels))],
        "",
        texts + counts + BAR + answers,
        measure,
        font_size,
        lang,
    )
    height = (len(lines) * STRIDE + max(foot.n_rows, 1)) * step
    if ax is None:
        width = texts + counts + BAR + answers
        ax = new_axes((width + 2 * MARGIN) / POINTS, (height + 2 * MARGIN) / POINTS)
    width, room = axes_size(ax)
    ax.set_axis_off()
    ax.set_xlim(0, width)
    ax.set_ylim(room, 0)
    painter = Painter(ax, font_size, dx=MARGIN, dy=MARGIN)
    palette = tree_palette(tree, colors)
    bar = max(40.0, min(BAR, width - 2 * MARGIN - texts - counts - answers))
    _paint(painter, tree, lines, palette, step, texts, counts, bar)
    painter.foot(foot, palette, len(lines) * STRIDE * step, step)
    return ax


def _lines(tree: Tree, explanation: Explanation) -> list[tuple[int, str, str]]:
    """Return the node, headline and note of each line of a path plot, from the root down."""
    word = words(explanation.lang)
    lines = [(0, word["split.all_rows"], "")]
    for step in explanation.steps:
        if step.branch is None:
            lines.append((step.node, _format_signs(step.sentence), step.note))
            continue
        below = int(tree.branch_node[tree.branch_start[step.node] + step.branch])
        remark = step.note or word("explain.is", column=step.column, value=step.shown)
        lines.append((below, _format_signs(step.sentence), _format_signs(remark)))
    return lines


def _format_signs(sentence: str) -> str:
    return sentence.replace(" <= ", " ≤ ").replace(" >= ", " ≥ ")


def _rows_text(tree: Tree, node: int) -> str:
    return f"n = {tree.n_rows[node]:,}" if tree.n_rows[0] else ""


def _answer(tree: Tree, node: int) -> str:
    if not tree.task.has_classes:
        return number_text(float(tree.value[node, 0, 0]), 4)
    return class_and_share(tree, node)


def _paint(
    painter: Painter, tree: Tree, lines: Any, palette: list[Colour], step: float,
    texts: float, counts: float, bar: float,
) -> None:  # fmt: skip
    stride = STRIDE * step
    rail = 0.35 * painter.font_size
    x = painter.dx + rail
    tops = [painter.dy + k * stride + 0.65 * step for k in range(len(lines))]
    painter.ax.plot([x, x], [tops[0], tops[-1]], color=painter.line, lw=1.2, zorder=1)
    painter.ax.plot([x] * len(tops), tops, "o", color=painter.ink, ms=4.5, zorder=2)
    left = texts + counts
    low, high = float(tree.value[:, 0, 0].min()), float(tree.value[:, 0, 0].max())
    for k, (node, head, remark) in enumerate(lines):
        top, last = k * stride, k == len(lines) - 1
        painter.text(3.4 * rail, top, head, painter.ink, bold=True, align="left")
        painter.text(3.4 * rail, top + step, remark, painter.grey, align="left")
        painter.text(texts + counts - painter.font_size, top, _rows_text(tree, node), painter.grey,
                     align="right")  # fmt: skip
        if palette:
            _class_bar(painter, tree, node, palette, left, top + 0.15 * step, bar, step)
        else:
            share = (float(tree.value[node, 0, 0]) - low) / ((high - low) or 1.0)
            start, y = left + painter.dx, top + 0.65 * step + painter.dy
            painter.ax.plot([start, start + bar], [y, y], color=painter.line, lw=0.8, zorder=2)
            colour = class_colours(2)[1 if last else 0]
            painter.ax.plot([start + share * bar], [y], "o", color=colour, ms=8, zorder=3)
        painter.text(left + bar + 0.8 * painter.font_size, top, _answer(tree, node), painter.ink,
                     bold=last, align="left")  # fmt: skip
    if not palette:
        foot = len(lines) * stride - 1.2 * step
        for at, value, align in ((left, low, "left"), (left + bar, high, "right")):
            painter.text(at, foot, number_text(value, 4), painter.grey, align=align)


def _class_bar(
    painter: Painter, tree: Tree, node: int, palette: list[Colour], left: float, top: float,
    width: float, height: float,
) -> None:  # fmt: skip
    paths, fills = [], []
    for share, colour in zip(tree.value[node, 0].tolist(), palette, strict=False):
        if share > 0:
            paths.append(rectangle(left, top, share * width, 0.9 * height))
            fills.append(mix(colour, painter.paper, 0.85))
        left += share * width
    painter.shapes(paths, fills, painter.paper, 0.6, zorder=3)
