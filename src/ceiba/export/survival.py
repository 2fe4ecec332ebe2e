"""Figures of the nodes of survival trees for other programs: median and S at chosen times."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ceiba.errors import OptionError
from ceiba.task import Task
from ceiba.tree import Tree, has_curve, node_curve


def read_times(tree: Tree, times: Sequence[float]) -> list[float]:
    """Return the times at which S is written; raise if the tree has no curves."""
    chosen = np.asarray(times, dtype=np.float64).reshape(-1)
    if len(chosen) and (tree.task is not Task.SURVIVAL or not has_curve(tree)):
        raise OptionError("times requires a survival tree with Kaplan-Meier curves.")
    if not (np.isfinite(chosen) & (chosen >= 0)).all():
        raise OptionError(f"times must be finite and at least 0, got {list(times)!r}.")
    return [float(time) for time in chosen]


def median_or_none(tree: Tree, node: int) -> float | None:
    """Return the median time of a node; None if it is not reached."""
    median = node_curve(tree, node).median().value
    return median if math.isfinite(median) else None


def survival_at(tree: Tree, node: int, times: Sequence[float]) -> list[float]:
    """Return S of a node at some times."""
    return [float(share) for share in node_curve(tree, node)(times)]
