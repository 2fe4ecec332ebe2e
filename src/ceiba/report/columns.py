"""The columns of the table as the page shows them: names, kinds, levels, ranges, quantiles.

Quantiles come from training rows and are given only when those are; level names travel as text,
with the value itself beside it where that is a number or a boolean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.report.numbers import shown
from ceiba.table import Table
from ceiba.tree import Tree
from ceiba.tree.splits.sentences import level_text

_QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def column_columns(tree: Tree, rows: Table | None = None) -> dict[str, Any]:
    """Return what is known of each column, as lists by column."""
    infos = tree.schema.columns
    return {
        "name": [str(info.name) for info in infos],
        "kind": [str(info.kind) for info in infos],
        "display": [info.display for info in infos],
        "levels": [[level_text(level) for level in info.levels] for info in infos],
        "level_values": [_values(info.levels) for info in infos],
        "n_missing": [int(info.n_missing) for info in infos],
        "minimum": [info.minimum for info in infos],
        "maximum": [info.maximum for info in infos],
        "quantiles": [_quantiles(rows, j) for j in range(len(infos))],
        "common": [_common(rows, j) for j in range(len(infos))],
    }


def _values(levels: tuple[Any, ...]) -> list[Any] | None:
    """Return the levels themselves where their text would not do in code."""
    if all(isinstance(level, str) and level.strip() for level in levels):
        return None
    return [level.item() if isinstance(level, np.generic) else level for level in levels]


def _common(rows: Table | None, j: int) -> int | None:
    """Give the code of the most common level."""
    if rows is None or rows.columns[j].info.is_numeric:
        return None
    codes = np.asarray(rows.columns[j].values)
    n_levels = rows.columns[j].info.n_levels
    known = codes[(codes >= 0) & (codes < n_levels)]
    return int(np.bincount(known).argmax()) if len(known) else None


def _quantiles(rows: Table | None, j: int) -> list[Any] | None:
    if rows is None or not rows.columns[j].info.is_numeric:
        return None
    values = np.asarray(rows.columns[j].values, np.float64)
    present = values[np.isfinite(values)]
    return shown(np.quantile(present, _QUANTILES)) if len(present) else None
