"""Draw the regions into which a tree divides the plane of two columns, and rows as points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ceiba.errors import OptionError
from ceiba.layout import ValueScale, node_strengths
from ceiba.plot.painting._matplotlib import Axes, as_tree, plain_axes
from ceiba.plot.painting.colours import (
    Colour,
    ink_of,
    mix,
    number_colour,
    paint_legend,
    tree_palette,
)
from ceiba.plot.painting.grid import (
    AxisCells,
    axis_cells,
    cell_nodes,
    fixed_values,
    set_named_ticks,
    set_slice_title,
)
from ceiba.plot.painting.text import with_covering_fonts
from ceiba.table import Column, Table, read_target
from ceiba.table.targets import pop_target
from ceiba.tree import Tree
from ceiba.tree.routing import route


@with_covering_fonts
def plot_regions(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    columns: Sequence[str | int] | None = None,
    at: dict[str, Any] | None = None,
    node_ids: bool = False,
    region_labels: bool = False,
    colors: Sequence[str] | None = None,
    legend: bool = True,
    point_size: float = 14.0,
    ax: Axes | None = None,
    lang: str = "en",
) -> Axes:
    """Draw the regions of a tree over two columns.

    The partition is exact: borders are the cuts of the tree. Other columns of the tree are fixed at
    one value each, and the title shows up to four of these; points whose leaf is not the one drawn
    under them are faint. The title also names a column that has no effect, because the tree does
    not use it, or not in this slice.

    Parameters
    ----------
    tree : Tree or fitted estimator
        With one output.
    X, y : table and target, optional
        Rows to draw as points; y may be the name of a column of X.
    columns : two names or positions, optional
        Default: the two with the largest gain.
    at : dict, optional
        Fixed values of other columns. Default: median or mode of X, else mid-range or first level.
    node_ids : bool, default False
        Write the number of the leaf into each region.
    region_labels : bool, default False
        Write R1, R2, ... into the regions, in the order of the leaves.
    colors : sequence of str, optional
        One color per class.
    legend : bool, default True
    point_size : float, default 14
    ax : matplotlib axes, optional
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", ("y <= 1", "b", "a")))
    >>> ax = ceiba.plot.plot_regions(tree)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x', 'y')
    """
    tree = as_tree(tree, "plot_regions")
    if tree.n_outputs > 1:
        raise OptionError("plot_regions is not supported for trees with several outputs.")
    X, y = pop_target(X, y, tree.task)
    table = None if X is None else route.read(tree, X)
    names = _two_columns(tree, columns)
    fixed = fixed_values(tree, table, at)
    values = {name: None if table is None else table.column(name).values for name in names}
    across, up = (axis_cells(tree, name, values[name]) for name in names)
    nodes = cell_nodes(tree, [across, up], fixed)
    ax = plain_axes(ax, 6.0, 4.6)
    paper = ink_of(ax).paper
    palette = tree_palette(tree, colors)
    _paint_cells(ax, tree, across, up, nodes, palette, paper)
    if node_ids and region_labels:
        raise OptionError("node_ids is not supported with region_labels. Pass only one of them.")
    if node_ids or region_labels:
        labels = {leaf: f"R{k}" for k, leaf in enumerate(tree.leaves.tolist(), 1)}
        _number_regions(ax, across, up, nodes, labels if region_labels else {})
    if table is not None:
        _paint_points(ax, tree, table, y, across, up, nodes, palette, point_size)
    ax.set_xlabel(names[0], parse_math=False)
    ax.set_ylabel(names[1], parse_math=False)
    set_named_ticks(ax.xaxis, across)
    set_named_ticks(ax.yaxis, up)
    set_slice_title(ax, tree, [across, up], fixed, nodes, lang)
    if legend:
        paint_legend(ax, tree, palette, lang)
    return ax


def _two_columns(tree: Tree, columns: Sequence[str | int] | None) -> list[str]:
    names = tree.schema.names
    if columns is None:
        from ceiba.inspection import importance

        worth = importance(tree) + 1e-9 * np.isin(np.arange(len(names)), tree.used_features)
        order = sorted(np.argsort(-worth, kind="stable")[:2].tolist())
        chosen = [names[j] for j in order]
    else:
        chosen = [names[c] if isinstance(c, int) else names[tree.schema.index(c)] for c in columns]
    if len(set(chosen)) != 2:
        raise OptionError(
            f"plot_regions requires two different columns, got {', '.join(chosen) or 'none'}. "
            "For one column, use plot_prediction."
        )
    return chosen


def _paint_cells(
    ax: Axes, tree: Tree, across: AxisCells, up: AxisCells, nodes: Any, palette: Any, paper: Colour
) -> None:
    fill = {}
    strengths = node_strengths(tree)
    for node in np.unique(nodes).tolist():
        strength = float(strengths[node])
        if palette:
            fill[node] = mix(palette[int(tree.answer[node])], paper, 0.10 + 0.35 * strength)
        else:
            fill[node] = number_colour(strength, paper)
    picture = np.array([[fill[node] for node in row] for row in nodes.T.tolist()])
    ax.pcolormesh(across.borders, up.borders, picture, zorder=0, rasterized=False)
    line: dict[str, Any] = {"color": ink_of(ax).line, "lw": 0.9, "zorder": 1}
    # Draw borders only where the leaf changes.
    x, y = across.borders, up.borders
    i, k = np.nonzero(nodes[1:] != nodes[:-1])
    ax.vlines(x[i + 1], y[k], y[k + 1], **line)
    i, k = np.nonzero(nodes[:, 1:] != nodes[:, :-1])
    ax.hlines(y[k + 1], x[i], x[i + 1], **line)
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(y[0], y[-1])


def _number_regions(
    ax: Axes, across: AxisCells, up: AxisCells, nodes: Any, names: dict[int, str]
) -> None:
    size = np.outer(np.diff(across.borders), np.diff(up.borders))
    for node in np.unique(nodes).tolist():
        i, k = np.unravel_index(int(np.argmax(np.where(nodes == node, size, -1))), nodes.shape)
        ax.annotate(
            names.get(node, str(node)),
            (across.middles[i], up.middles[k]),
            ha="center",
            va="center",
            fontsize="small",
            color=ink_of(ax).grey,
            zorder=4,
        )


def _paint_points(
    ax: Axes, tree: Tree, table: Table, y: Any, across: AxisCells, up: AxisCells, nodes: Any,
    palette: Any, size: float,
) -> None:  # fmt: skip
    rng = np.random.default_rng(0)
    points = [_locate_rows(table.column(steps.info.name), steps, rng) for steps in (across, up)]
    inside = np.isfinite(points[0]) & np.isfinite(points[1])
    cell = [steps.cell_of(v) for v, steps in zip(points, (across, up), strict=True)]
    in_slice = nodes[tuple(cell)] == route.apply(tree, table)
    paints: Any = [ink_of(ax).text] * table.n_rows
    if y is not None:
        target = read_target(y, task=tree.task, n_rows=table.n_rows)
        if not tree.task.has_classes:
            share = ValueScale(tree).place(target.values[:, 0])
            paints = [number_colour(float(s), ink_of(ax).paper) for s in share]
        else:
            codes = {label: k for k, label in enumerate(tree.target.classes[0].tolist())}
            mine = [codes.get(label, 0) for label in target.info.classes[0].tolist()]
            # Darken the points, so that they stand out from regions in the same class color.
            tones = [mix(colour, ink_of(ax).text, 0.88) for colour in palette]
            paints = [tones[mine[code]] for code in target.values[:, 0].tolist()]
    paints = np.array(paints)
    for mask, alpha in ((inside & ~in_slice, 0.25), (inside & in_slice, 1.0)):
        ax.scatter(
            points[0][mask],
            points[1][mask],
            s=size,
            c=paints[mask],
            alpha=alpha,
            edgecolors=[ink_of(ax).paper],
            linewidths=0.4 if size >= 12 else 0.0,
            zorder=3,
        )


def _locate_rows(column: Column, steps: AxisCells, rng: np.random.Generator) -> Any:
    """Return the positions of rows along one axis, with jitter for categorical columns."""
    if steps.info.is_numeric:
        return column.values.astype(np.float64)
    has_level = ~column.missing & ~column.unseen
    spread = column.values + rng.uniform(-0.32, 0.32, len(column.values))
    return np.where(has_level, spread, np.nan)
