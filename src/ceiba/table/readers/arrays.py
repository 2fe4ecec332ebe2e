"""numpy arrays: plain 2-d, object, masked, and structured (one column for each field)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataError, DataTypeError
from ceiba.table.column import Column
from ceiba.table.readers.array_column import column_of_array
from ceiba.table.readers.numeric import EXACT_LIMIT, floats, floats_of_integers, refuse_complex
from ceiba.table.readers.source import Source, settle_names

Array = NDArray[Any]


def open_array(X: Array) -> Source:
    """Open a numpy array."""
    if X.dtype.names is not None:
        return _open_structured(X)
    refuse_complex(X.dtype)
    if X.ndim != 2:
        raise wrong_dimensions(X)
    n_rows, n_columns = X.shape
    matrix = None
    if X.dtype.kind in "fiub" and not isinstance(X, np.ma.MaskedArray):
        matrix = _as_matrix(np.asarray(X))

    def read_column(j: int, name: str) -> Column:
        return column_of_array(name, X[:, j])

    return Source(n_rows, n_columns, None, read_column, matrix, X.dtype.kind == "b")


def _as_matrix(X: Array) -> Array | None:
    if X.dtype.kind == "f":
        return floats(X)
    if X.dtype.itemsize == 8 and X.size:
        if max(-int(X.min()), int(X.max())) > EXACT_LIMIT:
            return None  # column by column, so that the warning can name the column
        return floats_of_integers("X", X)
    return X.astype(np.float64)


def wrong_dimensions(X: Array) -> DataError:
    """Return scikit-learn's error for an array that is not 2-d."""
    if X.ndim == 0:
        return DataError(
            f"Expected 2D array, got scalar array instead:\narray={X!r}.\nReshape your data either "
            "using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) "
            "if it contains a single sample."
        )
    if X.ndim == 1:
        shown = np.array2string(X, threshold=6, edgeitems=3)
        return DataError(
            f"Expected 2D array, got 1D array instead:\narray={shown}.\nReshape your data either "
            "using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) "
            "if it contains a single sample."
        )
    return DataError(
        f"Found array with dim {X.ndim}, shape {X.shape}, while dim <= 2 is required: a table has "
        "rows and columns. Reshape your data to two dimensions, e.g. X.reshape(len(X), -1)."
    )


def _open_structured(X: Array) -> Source:
    if X.ndim != 1:
        raise DataError(
            f"A structured array must have one dimension (its rows), got shape {X.shape}. Reshape "
            "your data with X.ravel()."
        )
    fields = X.dtype.names or ()
    for field in fields:
        dtype = X.dtype[field]
        if dtype.shape or dtype.names is not None:
            raise DataTypeError(
                f"Column {field!r}: a field of type {dtype} holds more than one value for each "
                "row. Give each as a field of its own."
            )

    def read_column(j: int, name: str) -> Column:
        return column_of_array(name, X[fields[j]])

    return Source(len(X), len(fields), settle_names(fields), read_column)
