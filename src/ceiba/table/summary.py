"""What was seen when fitting: missing values and range of each column; infinities are refused.

Minimum and maximum of a column are NaN if it holds a NaN and infinite if it holds an infinity, so
two passes over a matrix answer everything. numpy reduces narrow rows slowly (20 columns: 60 ms for
10**6 rows); 64 rows side by side are one wide row, and the same pass takes 12 ms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataError

Array = NDArray[Any]
_SIDE_BY_SIDE = 64


class Range(NamedTuple):
    """Missing values, minimum and maximum of one column (None if all are missing)."""

    n_missing: int
    minimum: float | None
    maximum: float | None


def matrix_ranges(X: Array, names: tuple[str, ...]) -> list[Range]:
    """Return the range of each column of a float matrix; refuse infinities.

    Examples
    --------
    >>> matrix_ranges(np.array([[1.0, np.nan], [3.0, 5.0]]), ("a", "b"))
    [Range(n_missing=0, minimum=1.0, maximum=3.0), Range(n_missing=1, minimum=5.0, maximum=5.0)]
    """
    low, high = _reduce(np.minimum, X).tolist(), _reduce(np.maximum, X).tolist()
    if all(lo == lo for lo in low):
        for name, lo, hi in zip(names, low, high, strict=True):
            if lo == -np.inf or hi == np.inf:
                raise _infinite(name, X[:, names.index(name)])
        return [Range(0, lo, hi) for lo, hi in zip(low, high, strict=True)]
    return _ranges_with_missing(X, names)


def _ranges_with_missing(X: Array, names: tuple[str, ...]) -> list[Range]:
    low, high = _reduce(np.fmin, X).tolist(), _reduce(np.fmax, X).tolist()
    n_missing = np.zeros(X.shape[1], dtype=np.int64)
    for start in range(0, len(X), 65536):  # a mask of the whole would be an eighth of X again
        n_missing += np.count_nonzero(np.isnan(X[start : start + 65536]), axis=0)
    ranges = []
    for j, (lo, hi) in enumerate(zip(low, high, strict=True)):
        if lo == -np.inf or hi == np.inf:
            raise _infinite(names[j], X[:, j])
        seen = (None, None) if lo != lo else (lo, hi)
        ranges.append(Range(int(n_missing[j]), *seen))
    return ranges


def _reduce(operation: np.ufunc, X: Array) -> Array:
    n_rows, n_columns = X.shape
    result: Array
    if n_rows < 4 * _SIDE_BY_SIDE or not X.flags.c_contiguous:
        result = operation.reduce(X, axis=0)
        return result
    whole = n_rows - n_rows % _SIDE_BY_SIDE
    wide = X[:whole].reshape(-1, _SIDE_BY_SIDE * n_columns)
    result = operation.reduce(operation.reduce(wide, axis=0).reshape(-1, n_columns), axis=0)
    if whole < n_rows:
        result = operation(result, operation.reduce(X[whole:], axis=0))
    return result


def column_range(name: str, values: Array) -> Range:
    """Return the range of one column of numbers; refuse infinities.

    Examples
    --------
    >>> column_range("age", np.array([31.0, 45.0]))
    Range(n_missing=0, minimum=31.0, maximum=45.0)
    """
    n_missing = 0
    low, high = float(np.min(values)), float(np.max(values))
    if low != low:
        n_missing = int(np.count_nonzero(np.isnan(values)))
        if n_missing == len(values):
            return Range(n_missing, None, None)
        low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if low == -np.inf or high == np.inf:
        raise _infinite(name, values)
    return Range(n_missing, low, high)


def _infinite(name: str, values: Array) -> DataError:
    rows = np.flatnonzero(np.isinf(values))
    return DataError(
        f"Input X contains infinity or a value too large for {values.dtype!r}. Column {name!r} has "
        f"{len(rows)} such value(s), the first in row {rows[0]}. Fitting takes finite numbers and "
        "NaN (missing); replace infinity by the largest value that makes sense, or by NaN."
    )
