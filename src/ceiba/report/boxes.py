"""Box plots of the target of a regression tree, at each node."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.report.histograms import RowsByNode
from ceiba.report.numbers import shown
from ceiba.tree import Tree


def boxes(tree: Tree, rows: RowsByNode) -> list[Any] | None:
    """Give the quartiles and ends of the target at each node of a regression tree, flat by node."""
    if tree.task.has_classes:
        return None
    first, last = rows.first, rows.last
    numbers = rows.target[rows.order]
    # np.quantile takes 0.2 ms a node to find out what it is given; this takes 5 µs.
    place = np.maximum(last - first - 1, 0)[:, None] * np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    below = np.floor(place).astype(np.int64)
    low, high = np.full((2, tree.n_nodes, 5), np.nan)
    for i in np.flatnonzero(last > first).tolist():
        here = np.sort(numbers[first[i] : last[i]])
        low[i] = here[below[i]]
        high[i] = here[np.minimum(below[i] + 1, len(here) - 1)]
    return shown(low + (place - below) * (high - low))
