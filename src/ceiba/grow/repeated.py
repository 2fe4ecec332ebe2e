"""Rows repeated as often as their frequency says.

Most rules count rows by adding up their weights, so a row of weight k is k rows without being
copied. Rows that go down several branches (`missing="fractional"`, C4.5) have a part as their
weight, and C4.5 counts numbers where it does not weigh them: there the rows are repeated in fact.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError

if TYPE_CHECKING:
    from ceiba.grow.core_options import Place
    from ceiba.grow.grow_options import GrowOptions
    from ceiba.grow.problem import Problem


_MOST_ROWS: Final = 100_000_000


def counts_parts(options: GrowOptions) -> bool:
    """Return whether weights cannot stand for repeated rows under these options."""
    return options.frequency_weights and (
        options.missing_rule == "fractional" or options.criterion_name == "gain_ratio"
    )


def repeat_rows(
    problem: Problem,
    rows: npt.NDArray[np.uint32] | None,
    below: Place | None,
    frequency: npt.NDArray[np.float64] | None,
) -> tuple[Problem, npt.NDArray[np.uint32] | None, Place | None]:
    """Return a problem in which each row stands as often as its frequency says."""
    if frequency is None or not np.array_equal(frequency, np.rint(frequency)):
        return problem, rows, below
    at = np.arange(problem.n_rows) if rows is None else rows.astype(np.intp)
    total = float(frequency[at].sum())
    if total > _MOST_ROWS:
        raise DataError(
            f"frequency_weights=True repeats rows where they may go down several branches: the "
            f"weights add up to {total:.4g} rows, and {_MOST_ROWS:,} can be repeated. Divide the "
            "weights by a common factor, or leave frequency_weights at False."
        )
    again = np.repeat(at, frequency[at].astype(np.intp))
    weight: Any = None
    if below is not None and below.row_weight is not None:
        weight = below.row_weight[again] / frequency[again]
        below = replace(below, row_weight=weight)
    copies = replace(
        problem.take(again),
        weight=weight,
        options=replace(problem.options, frequency_weights=False),
        given_scales=problem.scales,
    )
    return copies, None, below
