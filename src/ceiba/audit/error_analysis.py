"""Find the segments of rows in which a model is wrong, by growing a tree on its errors.

A leaf that is chosen for its errors looks worse than it is. Therefore, one half of the rows
determines the segments and the other half measures them. The p-value of a segment compares it with
all other rows: Fisher's exact test for classes, Welch's t test for numbers; Holm's correction
(1979) allows for the number of leaves.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.audit.answers import (
    are_numbers,
    as_numbers,
    check_labels,
    divide_rows,
    mean_with_interval,
    open_model,
    predict_with,
    read_rows,
)
from ceiba.errors import DataError, LeakWarning, OptionError
from ceiba.estimators import DecisionTreeRegressor
from ceiba.inspection import correct_holm
from ceiba.listing import Block, Listing, Printed, rows_to_columns
from ceiba.paths import node_condition
from ceiba.report import Report
from ceiba.table import Table
from ceiba.tree import Tree

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class ErrorAnalysis(Printed):
    """The errors of a model by segment of rows.

    Attributes
    ----------
    tree : Tree
        A tree whose values are the model's error on rows that did not affect the splits.
    error : float
        The share of these rows that the model gets wrong, or its mean absolute error.
    error_interval : (float, float)
    n_rows : int
        Number of rows that measure the segments.
    segments : Listing
        One row per leaf, the worst first: condition, rows, error, interval, p-value.
    """

    tree: Tree
    error: float
    error_interval: tuple[float, float]
    n_rows: int
    segments: Listing
    _figure: str

    @property
    def title(self) -> str:
        """The title of the report, which summarizes the errors in one line."""
        return f"Where the model is wrong: {self._figure} {self.error:.3g} on {self.n_rows} rows"

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Create the interactive report of the error tree."""
        return self.tree.report(path, **{"title": self.title} | options)

    def to_dict(self) -> dict[str, Any]:
        """Return all results as a dict, for JSON."""
        names = ("error", "error_interval", "n_rows")
        figures = {name: getattr(self, name) for name in names}
        return {"figure": self._figure, **figures, "segments": list(self.segments)}

    def blocks(self) -> list[Block]:
        """Return the title and the table of segments to print."""
        low, high = self.error_interval
        headline = f"{self.title} (95 % interval {low:.3g} to {high:.3g})"
        return [headline, "", *self.segments.blocks()]


def analyze_errors(
    model: Any, X: Any, y: Any, *, random_state: int = 0, **params: Any
) -> ErrorAnalysis:
    """Grow a tree that shows where a model is wrong.

    One half of the rows determines the segments, and the other half measures them without bias.
    Pass rows that the model was not fitted on.

    Parameters
    ----------
    model : fitted estimator, pipeline, callable, path of a model file, or array-like
        An array-like holds one prediction per row.
    X : table
        Rows that the model accepts, or a frame that contains the truth, with its name as `y`.
    y : array-like or str
        The truth. Classes are right or wrong; numbers have an absolute error.
    random_state : int, default=0
        Seed for splitting the rows into halves.
    **params
        Parameters of the tree, such as ``max_leaf_nodes=6``.

    Returns
    -------
    ErrorAnalysis

    Examples
    --------
    >>> import numpy as np
    >>> import ceiba
    >>> rng = np.random.default_rng(0)
    >>> X = {"age": rng.integers(18, 80, 400), "income": rng.normal(30, 8, 400)}
    >>> truth = np.where(X["age"] > 60, "yes", "no")
    >>> analysis = ceiba.analyze_errors(np.full(400, "no"), X, truth)
    >>> analysis.segments["condition"][0]
    'age > 60.5'
    """
    if y is None:
        raise OptionError("y is required to compute the errors of the model.")
    model = open_model(model)
    X, truth, table = read_rows(X, y)
    answers = predict_with(model, X, table.n_rows)
    if are_numbers(model, answers, truth):
        off = as_numbers(answers, "Predictions of model") - as_numbers(truth, "y")
        figure, name = np.abs(off), "mean absolute error"
    else:
        check_labels(model, answers, truth)
        figure, name = answers != truth, "error"
    tree, measured, segments = find_segments(table, figure, random_state, **params)
    error, low, high = mean_with_interval(figure[measured])
    cells = [(s.leaf, s.condition, len(s.rows), s.mean, s.low, s.high, s.p_value) for s in segments]
    names = ("leaf", "condition", "rows", name, "low", "high", "p-value")
    listing = Listing(
        rows_to_columns(names, cells),
        title="segments, from highest to lowest error",
        legend="95 % intervals; p-value: against all other rows, corrected for the number of "
        "leaves (Holm)",
    )
    return ErrorAnalysis(tree, error, (low, high), len(measured), listing, name)


@dataclass(frozen=True, eq=False)
class Segment:
    """A leaf of an error tree, with its mean error on rows that were not used to grow the tree."""

    leaf: int
    condition: str
    rows: Array  # row indices in the table
    mean: float
    low: float
    high: float
    p_value: float


def find_segments(
    table: Table, figure: Array, random_state: int, lang: str = "en", **params: Any
) -> tuple[Tree, Array, list[Segment]]:
    """Fit a tree to the errors; return the tree, its test rows and its segments, worst first."""
    n = table.n_rows
    if n < 20:
        raise DataError(f"X must have at least 20 rows, got {n}.")
    found_on, measured_on = divide_rows(n, n // 2, random_state)
    least = max(5, round(0.02 * len(found_on)))
    defaults: dict[str, Any] = {"min_samples_leaf": least, "prune": "1se"}
    model = DecisionTreeRegressor(**defaults | params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)  # one column may determine the errors
        model.fit(table.take(found_on), figure[found_on].astype(float))
    rows, values = table.take(measured_on), figure[measured_on]
    leaf = model.apply(rows)
    tree = model.tree_.refit_leaves(rows, values.astype(float))
    nodes = np.unique(leaf).tolist()
    p_values = [_p_value(values[leaf == node], values[leaf != node]) for node in nodes]
    segments = []
    for node, p_value in zip(nodes, correct_holm(np.array(p_values)).tolist(), strict=True):
        condition, inside = node_condition(tree, node).text(lang=lang), leaf == node
        figures = mean_with_interval(values[inside])
        segments.append(Segment(node, condition, measured_on[inside], *figures, p_value))
    return tree, measured_on, sorted(segments, key=lambda segment: -segment.mean)


def _p_value(values: Array, other_values: Array) -> float:
    """Return the p-value of the difference between a segment and other rows, or 1 if undefined."""
    from scipy import stats

    if values.dtype.kind == "b":
        counts = [[int(v.sum()), int(len(v) - v.sum())] for v in (values, other_values)]
        return float(stats.fisher_exact(counts)[1])
    if min(len(values), len(other_values)) < 2 or (values.std() == 0 and other_values.std() == 0):
        return 1.0
    return float(stats.ttest_ind(values, other_values, equal_var=False).pvalue)
