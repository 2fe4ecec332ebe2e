"""What was seen when fitting: missing values and range of each column; infinities are refused.

A matrix is looked at in one pass, by the core: numpy's reductions cost more than the whole fit of a
small table, and take two passes over a large one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ceiba import _core
from ceiba.errors import DataError
from ceiba.table.schema import made_up_names

Array = NDArray[Any]


class Range(NamedTuple):
    """Missing values, minimum and maximum of one column (None if all are missing)."""

    n_missing: int
    minimum: float | None
    maximum: float | None


def matrix_ranges(
    X: Array, names: tuple[str, ...] | None, n_threads: int = 1
) -> NDArray[np.float64]:
    """Return missing values, minimum and maximum (NaN: none) of the columns of a float matrix.

    Infinities are refused.
    """
    ranges, is_finite = _core.matrix_ranges(X, n_threads)
    if not is_finite:
        j = int(np.argmax(np.isinf(ranges).any(axis=0)))
        raise _infinite(names[j] if names else made_up_names(j + 1)[j], X[:, j])
    result: NDArray[np.float64] = ranges
    return result


def column_range(name: str, values: Array, *, finite: bool = True) -> Range:
    """Return the range of one column of numbers; refuse infinities if it must be finite."""
    n_missing = 0
    if not len(values):  # no row has a target: it will be told
        return Range(0, None, None)
    low, high = float(np.min(values)), float(np.max(values))
    if low != low:
        n_missing = int(np.count_nonzero(np.isnan(values)))
        if n_missing == len(values):
            return Range(n_missing, None, None)
        low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if finite and (low == -np.inf or high == np.inf):
        raise _infinite(name, values)
    return Range(n_missing, low, high)


def _infinite(name: str, values: Array) -> DataError:
    rows = np.flatnonzero(np.isinf(values))
    return DataError(
        f"Input X contains infinity or a value too large for {values.dtype!r}. Column {name!r} has "
        f"{len(rows)} such value(s), the first in row {rows[0]}. Fitting takes finite numbers and "
        "NaN (missing); replace infinity by the largest value that makes sense, or by NaN."
    )
