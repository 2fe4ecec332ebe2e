"""Divide one or two columns into intervals in which the predictions of a tree are constant.

Between two neighboring cuts of a column the prediction is constant, so one prediction at the
middle of each cell gives the exact partition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import OptionError
from ceiba.plot.painting._matplotlib import Axes
from ceiba.table import Column, ColumnInfo, Table, format_value
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.splits import level_text
from ceiba.words import words

if TYPE_CHECKING:
    from matplotlib.axis import Axis

Array = NDArray[np.float64]
MAX_NAMES = 24  # maximum number of level names on an axis


@dataclass(frozen=True)
class AxisCells:
    """Intervals or levels along one axis, with their borders and a value inside each."""

    info: ColumnInfo
    borders: Array
    middles: Array

    @property
    def labels(self) -> list[str] | None:
        """The level names of a categorical column, or None for a numeric column."""
        return None if self.info.is_numeric else [level_text(level) for level in self.info.levels]

    def cell_of(self, values: Array) -> NDArray[np.int64]:
        """Return the index of the interval that contains each value, including its upper border."""
        at = np.searchsorted(self.borders, values, side="left") - 1
        return np.clip(at, 0, len(self.middles) - 1)


def axis_cells(tree: Tree, name: str, values: Array | None) -> AxisCells:
    """Return the intervals between the cuts of a column, or one interval per level."""
    j = tree.schema.index(name)
    info = tree.schema.columns[j]
    if not info.is_numeric:
        edges = np.arange(info.n_levels + 1, dtype=np.float64) - 0.5
        return AxisCells(info, edges, np.arange(info.n_levels, dtype=np.float64))
    cuts = tree.splits.cuts_of(j)
    low, high = _range(info, cuts, values)
    inside = cuts[(cuts > low) & (cuts < high)]
    borders = np.concatenate(([low], inside, [high]))
    return AxisCells(info, borders, (borders[:-1] + borders[1:]) / 2)


def _range(info: ColumnInfo, cuts: Array, values: Array | None) -> tuple[float, float]:
    bounds = [] if values is None else values[np.isfinite(values)].tolist()
    if not bounds:
        bounds = [bound for bound in (info.minimum, info.maximum) if bound is not None]
    ends = [*bounds, *cuts.tolist()] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    room = 0.05 * (high - low) if bounds else 0.5 * (high - low) or 1.0
    return low - (room or 1.0), high + (room or 1.0)


def set_named_ticks(axis: Axis, steps: AxisCells) -> None:
    """Label the ticks with level names, dates, or yes and no; keep the ticks of numbers."""
    from matplotlib.ticker import FuncFormatter

    if steps.labels is not None:
        every = -(-len(steps.labels) // MAX_NAMES)  # names must not overlap
        axis.set_ticks(steps.middles[::every], steps.labels[::every], parse_math=False)
        longest = max(map(len, steps.labels))
        if axis is axis.axes.xaxis and len(steps.labels) * longest > 60:
            axis.set_tick_params(labelrotation=90)
    elif steps.info.display == "boolean":
        axis.set_ticks([0.0, 1.0], ["no", "yes"])
    elif steps.info.display != "number":
        display, zone = steps.info.display, steps.info.zone
        step = 86400.0 if display == "date" else 1.0
        low, high = steps.borders[0], steps.borders[-1]
        axis.set_ticks([step * round(at / step) for at in np.linspace(low, high, 6)[1:-1]])
        axis.set_major_formatter(FuncFormatter(lambda at, _: format_value(at, display, 6, zone)))


def fixed_values(tree: Tree, table: Table | None, at: dict[str, Any] | None) -> list[Any]:
    """Return one value per column: from `at`, else the median or mode, else a default value."""
    for name in at or {}:
        tree.schema.index(name)  # fail early if the column is unknown
    fixed: list[Any] = []
    for j, info in enumerate(tree.schema.columns):
        if at is not None and info.name in at:
            fixed.append(_code(info, at[info.name]))
            continue
        if table is not None:
            column = table.columns[j]
            values = column.values[~column.missing & ~column.unseen]
            if values.size and info.is_numeric:
                fixed.append(float(np.median(values)))
                continue
            if values.size:
                fixed.append(int(np.bincount(values.astype(np.int64)).argmax()))
                continue
        if info.minimum is not None and info.maximum is not None:
            fixed.append((info.minimum + info.maximum) / 2)
        else:
            cuts = tree.splits.cuts_of(j)
            fixed.append(float(cuts.mean()) if info.is_numeric and len(cuts) else 0)
    return fixed


def _code(info: ColumnInfo, value: Any) -> Any:
    if info.is_numeric:
        return float(value)
    if value not in info.levels:
        allowed = ", ".join(map(level_text, info.levels[:12]))
        raise OptionError(
            f"at[{info.name!r}] must be a level of the column, got {value!r}. Levels: {allowed}."
        )
    return info.levels.index(value)


def cell_nodes(tree: Tree, axes_cells: list[AxisCells], fixed: list[Any]) -> NDArray[Any]:
    """Return the leaf of every interval, as an array with one axis per plotted column."""
    grids = np.meshgrid(*[steps.middles for steps in axes_cells], indexing="ij")
    n = grids[0].size
    columns = []
    axis = {steps.info.name: grid.ravel() for steps, grid in zip(axes_cells, grids, strict=True)}
    for info, value in zip(tree.schema.columns, fixed, strict=True):
        kind = np.float64 if info.is_numeric else np.int32
        values = axis.get(info.name, np.full(n, value)).astype(kind)
        columns.append(Column(info, values))
    table = Table(tuple(columns), n, tree.schema)
    return route.apply(tree, table).reshape(grids[0].shape)


def set_slice_title(
    ax: Axes,
    tree: Tree,
    axes_cells: list[AxisCells],
    fixed: list[Any],
    nodes: NDArray[Any],
    lang: str,
) -> None:
    """Set a title with the values of fixed columns and the names of columns without effect."""
    names = [steps.info.name for steps in axes_cells]
    parts = []
    for j in np.unique(tree.splits.column[~tree.is_leaf]).tolist():
        info = tree.schema.columns[j]
        if info.name in names:
            continue
        value = fixed[j]
        text = (
            format_value(value, info.display, 4, info.zone)
            if info.is_numeric
            else info.levels[value]
        )
        parts.append(f"{info.name} = {text}")
    lines = []
    if parts:
        values = ", ".join(parts[:4])
        if len(parts) > 4:
            values = words(lang)("plot.slice_more", listed=values, n=len(parts) - 4)
        lines.append(words(lang)("plot.slice", listed=values))
    for k, name in enumerate(names):
        if tree.schema.index(name) not in tree.used_features:
            lines.append(words(lang)("plot.unused", name=name))
        elif (nodes == np.take(nodes, [0], axis=k)).all():
            lines.append(words(lang)("plot.not_asked", name=name))
    if lines:
        ax.set_title("\n".join(lines), fontsize="medium", parse_math=False)
