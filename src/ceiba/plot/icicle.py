"""Draw a tree of any size as an icicle plot: nested bars.

Every node is a bar under its parent, as wide as its share of the rows; its color shows the class
and purity, or the value. A bar has the text that fits: the split or its column, the prediction of a
leaf, or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.layout import class_and_share, node_strengths, question
from ceiba.plot.painting._matplotlib import Axes, as_tree, axes_size
from ceiba.plot.painting.colours import (
    Colour,
    ink_of,
    luminance,
    mix,
    number_colour,
    paint_legend,
    tree_palette,
)
from ceiba.plot.painting.text import text_measure, with_covering_fonts
from ceiba.tree import Tree
from ceiba.tree.splits import level_text, number_text
from ceiba.words import words

ROW = 17.0  # points
MAX_DEPTH = 60


@with_covering_fonts
def plot_icicle(
    tree: Any,
    *,
    ax: Axes | None = None,
    max_depth: int | None = None,
    digits: int | None = None,
    font_size: float = 8.0,
    colors: Sequence[str] | None = None,
    legend: bool = True,
    lang: str = "en",
) -> Axes:
    """Draw a tree as an icicle plot, an overview of large trees.

    Parameters
    ----------
    tree : Tree or fitted estimator
    ax : matplotlib axes, optional
        Axes to draw in. Default: a new figure whose height depends on the depth.
    max_depth : int, optional
        Depth of the deepest nodes to draw, at most 60 by default; a note counts the nodes below.
    digits : int, optional
        Significant digits of values.
    font_size : float, default 8
    colors : sequence of str, optional
        One color per class.
    legend : bool, default True
        Draw a legend of the class colors, or a color bar of the values.
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes
        x is the share of the rows, y the depth.

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", {"a": 9}, ("y <= 1", {"b": 4}, {"a": 2})))
    >>> ax = ceiba.plot.plot_icicle(tree)
    >>> [text.get_text() for text in ax.texts]
    ['x ≤ 2.5', 'a 100%', 'y ≤ 1', 'b 100%', 'a 100%']
    """
    import matplotlib.pyplot as plt

    tree = as_tree(tree, "plot_icicle")
    deepest = min(tree.depth, MAX_DEPTH if max_depth is None else max_depth)
    if ax is None:
        height = (ROW * (deepest + 1) + 46) / 72
        _, ax = plt.subplots(figsize=(10, height), layout="constrained")
    nodes = np.flatnonzero(tree.node_depth <= deepest)
    left, width = spans(tree)
    palette = tree_palette(tree, colors)
    ax.set_xlim(0, 1)
    ax.set_ylim(deepest + 1, 0)
    fills = _fills(tree, nodes, palette, ink_of(ax).paper)
    _paint(ax, tree, nodes, left, width, fills)
    if legend:
        paint_legend(ax, tree, palette, lang, pad=0.01)
    _write_labels(ax, tree, nodes, left, width, fills, font_size, digits, lang)
    _frame(ax, tree, deepest, lang)
    return ax


def spans(tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the left border and the width of every node, as shares of the total width."""
    left, width = np.zeros(tree.n_nodes), np.ones(tree.n_nodes)
    rows = tree.n_rows[0] > 0
    if not rows:  # without row counts, the branches of a node share its width equally
        for node in range(1, tree.n_nodes):
            width[node] = width[tree.parent[node]] / tree.n_branches[tree.parent[node]]
    else:
        width = np.asarray(tree.weight / max(tree.weight[0], 1e-300), np.float64)
    used = np.zeros(tree.n_nodes)
    for node in range(1, tree.n_nodes):
        parent = tree.parent[node]
        left[node] = left[parent] + used[parent]
        used[parent] += width[node]
    return left, width


def _fills(tree: Tree, nodes: Any, palette: list[Colour], paper: Colour) -> list[Colour]:
    fills = []
    strengths = node_strengths(tree)
    for node in nodes.tolist():
        strength = float(strengths[node])
        if palette:
            fills.append(mix(palette[int(tree.answer[node])], paper, 0.12 + 0.78 * strength))
        elif tree.n_outputs == 1:
            fills.append(number_colour(strength, paper))
        else:
            fills.append(mix((0.5, 0.5, 0.5), paper, 0.2))
    return fills


def _paint(ax: Axes, tree: Tree, nodes: Any, left: Any, width: Any, fills: Any) -> None:
    from matplotlib.collections import PolyCollection

    top = tree.node_depth[nodes].astype(np.float64)
    x0, x1 = left[nodes], left[nodes] + width[nodes]
    corners = np.stack(
        [np.stack(pair, axis=1) for pair in ((x0, top), (x1, top), (x1, top + 1), (x0, top + 1))],
        axis=1,
    )
    # Bars thinner than the gap between bars would vanish, so they have no gap.
    thick = width[nodes] * axes_size(ax)[0] > 1.5
    edge = [(*ink_of(ax).paper, 1.0 if wide else 0.0) for wide in thick]
    ax.add_collection(
        PolyCollection(list(corners), facecolors=fills, edgecolors=edge, linewidths=0.6, zorder=2)
    )


def _write_labels(
    ax: Axes, tree: Tree, nodes: Any, left: Any, width: Any, fills: Any, size: float, digits: Any,
    lang: str,
) -> None:  # fmt: skip
    """Write into each bar the most informative text that fits."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # apply the layout, because the legend shrinks the axes
    points, height = axes_size(ax)
    rows = ax.get_ylim()[0]
    if height / rows < 1.2 * size:
        return
    measure = text_measure(size)
    for k, node in enumerate(nodes.tolist()):
        room = width[node] * points - 0.6 * size
        if room < 2 * size:
            continue
        for text in _bar_texts(tree, node, digits, lang):
            if measure(text, False) <= room:
                ink = (0.0, 0.0, 0.0) if luminance(fills[k]) > 0.35 else (1.0, 1.0, 1.0)
                ax.text(
                    left[node] + width[node] / 2,
                    tree.node_depth[node] + 0.5,
                    text,
                    fontsize=size,
                    color=ink,
                    ha="center",
                    va="center_baseline",
                    parse_math=False,
                    zorder=3,
                )
                break


def _bar_texts(tree: Tree, node: int, digits: int | None, lang: str) -> list[str]:
    """Return candidate texts of a bar, the most informative first."""
    if tree.is_leaf[node]:
        if tree.n_outputs > 1:
            return []
        if not tree.task.has_classes:
            return [number_text(float(tree.value[node, 0, 0]), digits or 4)]
        label = level_text(tree.target.classes[0][int(tree.answer[node])])
        return [class_and_share(tree, node), label]
    column = tree.schema.names[int(tree.splits.column[node])]
    return [question(tree, node, max_levels=4, lang=lang), column]


def _frame(ax: Axes, tree: Tree, deepest: int, lang: str) -> None:
    word = words(lang)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)
    ax.set_yticks(np.arange(0, deepest + 1, max(1, (deepest + 1) // 8)) + 0.5)
    ax.set_yticklabels([str(int(tick)) for tick in ax.get_yticks()])
    ax.set_ylabel(word["plot.depth"])
    ax.set_xticks([])
    label = word["plot.width_equal"]
    if tree.n_rows[0]:
        label = word("plot.width_rows", n=word.number(int(tree.n_rows[0])))
    if deepest < tree.depth:
        hidden = int(np.count_nonzero(tree.node_depth > deepest))
        label += word("plot.not_shown", hidden=hidden, all=tree.n_nodes, depth=deepest)
    ax.set_xlabel(label)
