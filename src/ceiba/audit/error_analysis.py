"""Where a model is wrong: a tree of its errors, with honest figures of each segment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from ceiba.audit.answers import (
    are_numbers,
    as_numbers,
    check_labels,
    open_model,
    predict_with,
    read_rows,
)
from ceiba.audit.honest_segments import find_segments
from ceiba.errors import OptionError
from ceiba.inspection import mean_interval, wilson
from ceiba.listing import Block, Listing, format_blocks, rows_to_columns
from ceiba.report import Report
from ceiba.tree import Tree


@dataclass(frozen=True, eq=False, repr=False)
class ErrorAnalysis:
    """Segments of rows by the error of a model.

    Attributes
    ----------
    tree : Tree
        Its values are the error of the model, of rows that the splits were not chosen on.
    error : float
        Of those rows: the share that the model gets wrong, or its mean absolute error.
    error_interval : (float, float)
    n_rows : int
        Rows by which segments were measured.
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
        """What the tree is, in one line; the headline of its report."""
        return f"Where the model is wrong: {self._figure} {self.error:.3g} on {self.n_rows} rows"

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Create the interactive report of the tree of errors."""
        return self.tree.report(path, **{"title": self.title} | options)

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain values, for JSON."""
        return {
            "figure": self._figure,
            "error": self.error,
            "error_interval": self.error_interval,
            "n_rows": self.n_rows,
            "segments": list(self.segments),
        }

    def blocks(self) -> list[Block]:
        """Return the figures as they are printed: a sentence and a table."""
        low, high = self.error_interval
        headline = f"{self.title} (95 % interval {low:.3g} to {high:.3g})"
        return [headline, "", *self.segments.blocks()]

    def __str__(self) -> str:
        return format_blocks(self.blocks())

    __repr__ = __str__


def analyze_errors(
    model: Any, X: Any, y: Any, *, random_state: int = 0, **params: Any
) -> ErrorAnalysis:
    """Grow a tree of where a model is wrong.

    Half of the rows choose the segments, the other half measures them, so the figures are honest.
    Pass rows that the model was not fitted on.

    Parameters
    ----------
    model : fitted estimator, pipeline, callable, path of a model file, or array-like
        An array-like holds one prediction per row.
    X : table
        Rows as the model takes them; or a frame that holds the truth, with its name as `y`.
    y : array-like or str
        The truth. A class is right or wrong; a number has a distance, the absolute error.
    random_state : int, default=0
        Seed of the division into halves.
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
        raise OptionError("y is required: an error is the difference to the truth.")
    model = open_model(model)
    X, truth, table = read_rows(X, y)
    answers = predict_with(model, X, table.n_rows)
    if are_numbers(model, answers, truth):
        off = as_numbers(answers, "The answers of model") - as_numbers(truth, "y")
        figure, name = np.abs(off), "mean absolute error"
    else:
        check_labels(model, answers, truth)
        figure, name = (answers != truth).astype(float), "error"
    tree, measured, segments = find_segments(table, figure, random_state, **params)
    values = figure[measured]
    error = float(values.mean())
    segments.sort(key=lambda segment: -segment.mean)
    cells = [(s.leaf, s.condition, len(s.rows), s.mean, *s.interval, s.p_value) for s in segments]
    names = ("leaf", "condition", "rows", name, "low", "high", "p-value")
    listing = Listing(
        rows_to_columns(names, cells),
        title="segments, the worst first",
        legend="95 % intervals; p-value: against all other rows, corrected for the number of "
        "leaves (Holm)",
    )
    if name == "error":
        interval = wilson(error, len(values))
    else:
        interval = mean_interval(values, np.ones(len(values)), len(values))
    return ErrorAnalysis(tree, error, interval, len(values), listing, name)
