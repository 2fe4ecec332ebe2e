"""Segments of rows by a figure per row: found on one half of the rows, measured on the other.

A leaf that was chosen because its rows look bad looks worse than it is, so size and figures of a
segment come from rows that had no part in finding it. Its p-value compares it with all other rows:
Fisher's exact test for yes or no, Welch's t test for numbers; Holm's correction (1979) allows for
the number of leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.audit.answers import divide_rows
from ceiba.errors import DataError
from ceiba.estimators import DecisionTreeRegressor
from ceiba.inspection import mean_interval, wilson
from ceiba.paths import node_condition
from ceiba.table import Table
from ceiba.tree import Tree

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Segment:
    """A leaf, measured on rows that did not grow it."""

    leaf: int
    condition: str
    rows: Array  # positions in the table
    mean: float
    interval: tuple[float, float]
    p_value: float


def find_segments(
    table: Table, figure: Array, random_state: int, **params: Any
) -> tuple[Tree, Array, list[Segment]]:
    """Return a tree of a figure per row, the rows that measure it, and its leaves as segments."""
    n = table.n_rows
    if n < 20:
        raise DataError(f"Segments require at least 20 rows, got {n}.")
    found_on, measured_on = divide_rows(n, n // 2, random_state)
    defaults: dict[str, Any] = {
        "min_samples_leaf": max(5, round(0.02 * len(found_on))),
        "prune": "1se",
    }
    model = DecisionTreeRegressor(**defaults | params)
    model.fit(table.take(found_on), figure[found_on])
    rows = table.take(measured_on)
    leaf = model.apply(rows)
    tree = model.tree_.refit_leaves(rows, figure[measured_on])
    segments = []
    for node in np.flatnonzero(tree.is_leaf).tolist():
        inside = leaf == node
        if not inside.any():
            continue
        values, others = figure[measured_on[inside]], figure[measured_on[~inside]]
        segments.append(
            Segment(
                node,
                str(node_condition(tree, node)) or "all rows",
                measured_on[inside],
                float(values.mean()),
                _interval(values),
                _p_value(values, others),
            )
        )
    adjusted = _holm([segment.p_value for segment in segments])
    return tree, measured_on, [
        Segment(s.leaf, s.condition, s.rows, s.mean, s.interval, p)
        for s, p in zip(segments, adjusted, strict=True)
    ]  # fmt: skip


def _is_yes_or_no(values: Array) -> bool:
    return values.dtype.kind == "b" or bool(np.isin(values, (0.0, 1.0)).all())


def _interval(values: Array) -> tuple[float, float]:
    if _is_yes_or_no(values):
        return wilson(float(values.mean()), len(values))
    return mean_interval(values, np.ones(len(values)), len(values))


def _p_value(values: Array, others: Array) -> float:
    """Return the two-sided p-value of a segment against all other rows; 1 if there are none."""
    from scipy import stats

    if not len(others):
        return 1.0
    if _is_yes_or_no(values) and _is_yes_or_no(others):
        counts = [[int(v.sum()), int(len(v) - v.sum())] for v in (values, others)]
        return float(stats.fisher_exact(counts)[1])
    if min(len(values), len(others)) < 2 or (values.std() == 0 and others.std() == 0):
        return 1.0
    return float(stats.ttest_ind(values, others, equal_var=False).pvalue)


def _holm(p_values: list[float]) -> list[float]:
    adjusted, running = [1.0] * len(p_values), 0.0
    for rank, i in enumerate(np.argsort(p_values, kind="stable").tolist()):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = running
    return adjusted
