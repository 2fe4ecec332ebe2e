"""Draw the prediction along one numeric column as a step function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ceiba.errors import OptionError
from ceiba.plot.painting._matplotlib import Axes, as_tree, plain_axes
from ceiba.plot.painting.colours import class_colours, ink_of
from ceiba.plot.painting.grid import (
    axis_cells,
    cell_nodes,
    fixed_values,
    set_named_ticks,
    set_slice_title,
)
from ceiba.plot.painting.text import with_covering_fonts
from ceiba.table.targets import pop_target
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.splits import level_text
from ceiba.words import words


@with_covering_fonts
def plot_prediction(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    column: str | int | None = None,
    at: dict[str, Any] | None = None,
    label: str | None = None,
    color: str | None = None,
    colors: Sequence[str] | None = None,
    ax: Axes | None = None,
    lang: str = "en",
) -> Axes:
    """Draw predicted values or class probabilities along one numeric column as a step function.

    The title shows up to four fixed values of other columns, and says if the column has no effect.

    Parameters
    ----------
    tree : Tree or fitted estimator
        With one output.
    X, y : table and target, optional
        Rows to draw: for numbers as points, faint if their leaf is not the one drawn; for classes
        as ticks at the bottom, or the second of two at the top. y may be a column of X.
    column : str or int, optional
        Default: the one with the largest gain.
    at : dict, optional
        Fixed values of other columns. Default: median or mode of X, else mid-range or first level.
    label : str, optional
        Name in the legend, for several trees in one plot.
    color : str, optional
        Color of the steps (regression).
    colors : sequence of str, optional
        One color per class (classification).
    ax : matplotlib axes, optional
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeRegressor().fit({"x": [1.0, 2.0, 3.0]}, [1.0, 1.0, 4.0])
    >>> ax = ceiba.plot.plot_prediction(model)
    >>> ax.get_xlabel()
    'x'
    """
    tree = as_tree(tree, "plot_prediction")
    if tree.n_outputs > 1:
        raise OptionError("plot_prediction is not supported for trees with several outputs.")
    X, y = pop_target(X, y, tree.task)
    table = None if X is None else route.read(tree, X)
    name = _column(tree, column)
    steps = axis_cells(tree, name, None if table is None else table.column(name).values)
    fixed = fixed_values(tree, table, at)
    nodes = cell_nodes(tree, [steps], fixed)
    ax = plain_axes(ax)
    if not tree.task.has_classes:
        if table is not None and y is not None:
            x = table.column(name).values
            numbers = np.asarray(y, np.float64).reshape(len(x), -1)[:, 0]
            size = 16 if len(x) <= 300 else 6
            # Draw a row in a faint color if the curve at its x shows another leaf.
            in_slice = nodes[steps.cell_of(x)] == route.apply(tree, table)
            for mask, colour in ((~in_slice, ink_of(ax).faint), (in_slice, ink_of(ax).line)):
                ax.scatter(x[mask], numbers[mask], s=size, color=[colour], linewidths=0, zorder=2)
        paint = color if color is not None else class_colours(6)[1]
        values = tree.value[nodes, 0, 0]
        ax.stairs(values, steps.borders, baseline=None, color=paint, lw=1.8, label=label, zorder=3)
        ax.set_ylabel(tree.target.name or words(lang)["plot.prediction"], parse_math=False)
        if label is not None:
            ax.legend(frameon=False, fontsize="small")
    else:
        _class_steps(ax, tree, nodes, steps.borders, colors, lang)
        if table is not None and y is not None:
            _class_ticks(ax, tree, table.column(name).values, y, colors)
    ax.set_xlim(steps.borders[0], steps.borders[-1])
    set_named_ticks(ax.xaxis, steps)
    ax.set_xlabel(name, parse_math=False)
    set_slice_title(ax, tree, [steps], fixed, nodes, lang)
    return ax


def _column(tree: Tree, column: str | int | None) -> str:
    names = tree.schema.names
    if column is None:
        from ceiba.inspection import importance

        numeric = np.array([info.is_numeric for info in tree.schema.columns])
        column = int(np.argmax(np.where(numeric, importance(tree), -1.0)))
    name = names[column] if isinstance(column, int) else names[tree.schema.index(column)]
    if not tree.schema.columns[tree.schema.index(name)].is_numeric:
        raise OptionError(f"plot_prediction requires a numeric column, got {name!r}.")
    return name


def _class_steps(ax: Axes, tree: Tree, nodes: Any, borders: Any, colors: Any, lang: str) -> None:
    labels = tree.target.classes[0]
    palette = class_colours(len(labels), colors)
    chosen = [len(labels) - 1] if len(labels) <= 2 else list(range(len(labels)))
    for k in chosen:
        ax.stairs(
            tree.value[nodes, 0, k],
            borders,
            baseline=None,
            color=palette[k],
            lw=1.8,
            label=level_text(labels[k]),
            zorder=3,
        )
    ax.set_ylim(-0.05, 1.05)
    label = words(lang)["plot.probability"]
    if len(chosen) == 1:
        label = words(lang)("plot.probability_of", label=level_text(labels[-1]))
    ax.set_ylabel(label, parse_math=False)
    if len(chosen) > 1:
        ax.legend(frameon=False, fontsize="small")


def _class_ticks(ax: Axes, tree: Tree, x: Any, y: Any, colors: Any) -> None:
    labels = tree.target.classes[0].tolist()
    palette = class_colours(len(labels), colors)
    truth = np.asarray(y).tolist()
    for k, label in enumerate(labels):
        mine = x[np.array([value == label for value in truth], bool)]
        top = len(labels) == 2 and k == 1
        ax.plot(mine, np.full(len(mine), 1.03 if top else -0.03), "|", color=palette[k], ms=7)
