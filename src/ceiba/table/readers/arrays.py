"""Read numpy arrays: plain 2-d, object, masked, and structured (one column per field).

The dtype determines the kind. Numbers are numeric, booleans are numeric 0/1 (printed as yes/no),
strings are categorical, and datetime64 and timedelta64 are numeric seconds. For object arrays, the
types of the values determine the kind. Masked values are missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataError, DataTypeError
from ceiba.table.levels import encode_strings
from ceiba.table.readers.numeric import (
    EXACT_LIMIT,
    as_floats,
    integers_to_floats,
    numeric_column,
    refuse_complex,
)
from ceiba.table.readers.objects import objects_to_column
from ceiba.table.readers.source import TableSource, normalize_names
from ceiba.table.readers.times import to_seconds
from ceiba.table.schema import ColumnInfo, Kind
from ceiba.table.table import Column

Array = NDArray[Any]


def open_array(X: Array) -> TableSource:
    """Open a numpy array as a `TableSource`."""
    if X.dtype.names is not None:
        return _open_structured(X)
    refuse_complex(X.dtype)
    if X.ndim != 2:
        raise dimension_error(X)
    n_rows, n_columns = X.shape
    matrix = None
    if X.dtype.kind in "fiub" and not isinstance(X, np.ma.MaskedArray):
        matrix = _as_matrix(np.asarray(X))

    def read_column(j: int, name: str) -> Column:
        return array_to_column(name, X[:, j])

    return TableSource(n_rows, n_columns, None, read_column, matrix, X.dtype.kind == "b")


def _as_matrix(X: Array) -> Array | None:
    if X.dtype.kind == "f":
        return as_floats(X)
    if X.dtype.itemsize == 8 and X.size:
        if max(-int(X.min()), int(X.max())) > EXACT_LIMIT:
            return None  # read column by column, so that warnings name the column
        return integers_to_floats("X", X)
    return X.astype(np.float64)


def dimension_error(X: Array) -> DataError:
    """Return scikit-learn's error for an array that is not 2-d."""
    if X.ndim < 2:
        text = np.array2string(X, threshold=6, edgeitems=3) if X.ndim else repr(X)
        return DataError(
            f"Expected 2D array, got {'1D' if X.ndim else 'scalar'} array instead:\narray={text}."
            "\nReshape your data either using array.reshape(-1, 1) if your data has a single "
            "feature or array.reshape(1, -1) if it contains a single sample."
        )
    return DataError(
        f"Found array with dim {X.ndim}, shape {X.shape}, while dim <= 2 is required: a table has "
        "rows and columns. Reshape your data to two dimensions, e.g. X.reshape(len(X), -1)."
    )


def _open_structured(X: Array) -> TableSource:
    if X.ndim != 1:
        raise DataError(
            f"A structured array must be 1-d, got shape {X.shape}. Reshape it with X.ravel()."
        )
    fields = X.dtype.names or ()
    for field in fields:
        dtype = X.dtype[field]
        if dtype.shape or dtype.names is not None:
            raise DataTypeError(
                f"Column {field!r}: a field of type {dtype} has several values per row. Pass "
                "each value as a separate field."
            )

    def read_column(j: int, name: str) -> Column:
        return array_to_column(name, X[fields[j]])

    return TableSource(len(X), len(fields), normalize_names(fields), read_column)


def array_to_column(name: str, values: NDArray[Any]) -> Column:
    """Convert a 1-d numpy array to a column, by its dtype."""
    if isinstance(values, np.ma.MaskedArray):
        return _masked_to_column(name, values)
    kind = values.dtype.kind
    if kind == "f":
        return numeric_column(name, as_floats(values))
    if kind in "iu":
        return numeric_column(name, integers_to_floats(name, values), of_integers=True)
    if kind == "b":
        return numeric_column(name, values.astype(np.float64), "boolean")
    if kind == "O":
        return objects_to_column(name, values.tolist())
    if kind in "UST":
        codes, levels = encode_strings(values.tolist())
        return Column(ColumnInfo(name, Kind.CATEGORICAL, levels), codes, levels_found=True)
    if kind in "Mm":
        numbers, display = to_seconds(name, values)
        return numeric_column(name, numbers, display)
    refuse_complex(values.dtype)
    raise DataTypeError(
        f"Column {name!r} has unsupported type {values.dtype}. Supported types: numbers, booleans, "
        "strings, categories, dates and durations."
    )


def _masked_to_column(name: str, values: np.ma.MaskedArray[Any, Any]) -> Column:
    mask = np.ma.getmaskarray(values)
    if values.dtype.kind in "fiub":
        column = array_to_column(name, np.where(mask, np.zeros((), values.dtype), values.data))
        if not mask.any():
            return column
        return Column(column.info, np.where(mask, column.values.dtype.type(np.nan), column.values))
    objects = values.data.astype(object)
    objects[mask] = None
    return objects_to_column(name, objects.tolist())
