"""Fit of a tree to its training rows, computed from their leaves alike for every library.

The impurity of a partition is the mean of the gini impurity, of the squared error around the mean,
or of the absolute error around the median. For a library that grows one tree per class, it is the
sum of the squared errors of each tree for its class, which for one tree is the gini impurity too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.tables import Data


def count(leaf: Any) -> int:
    """Count the leaves that hold a row, of all trees."""
    return sum(len(np.unique(one)) for one in np.atleast_2d(leaf.T))


def impurity(leaf: Any, data: Data, criterion: str | None = None) -> float:
    """Return the training impurity of a partition (rows), or of one per class (rows x classes)."""
    if criterion == "absolute_error":
        return _absolute_error(leaf, data.y)
    if data.task == "regression":
        return _squared_error(leaf, data.y)
    classes, labels = np.unique(data.y, return_inverse=True)
    trees = leaf.T if leaf.ndim == 2 else [leaf] * len(classes)
    errors = (_squared_error(one, (labels == k) * 1.0) for k, one in enumerate(trees))
    return float(sum(errors))


def _squared_error(leaf: Any, y: Any) -> float:
    place = np.unique(leaf, return_inverse=True)[1]
    mean = np.bincount(place, y) / np.bincount(place)
    return float(np.mean((y - mean[place]) ** 2))


def _absolute_error(leaf: Any, y: Any) -> float:
    place = np.unique(leaf, return_inverse=True)[1]
    order = np.lexsort((y, place))
    size = np.bincount(place)
    start = np.cumsum(size) - size
    low, high = y[order[start + (size - 1) // 2]], y[order[start + size // 2]]
    return float(np.mean(np.abs(y - ((low + high) / 2)[place])))
