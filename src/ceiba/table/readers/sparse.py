"""Read scipy.sparse matrices and arrays without making them dense.

CSR and CSC are not copied if their indices are sorted and unique and their numbers are float64,
float32 or int64. Other formats become CSR, other numbers float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba import _core
from ceiba.errors import DataError, DataTypeError
from ceiba.table.readers.numeric import (
    EXACT_LIMIT,
    as_floats,
    integers_to_floats,
    numeric_column,
    refuse_complex,
)
from ceiba.table.readers.source import TableSource
from ceiba.table.schema import auto_names
from ceiba.table.table import Column, sparse_arrays, sparse_values


def is_sparse(X: Any) -> bool:
    """Whether ``X`` is a scipy.sparse matrix or array."""
    return hasattr(X, "toarray") and (hasattr(X, "tocsr") or hasattr(X, "todense"))


def open_sparse(X: Any) -> TableSource:
    """Open a sparse matrix as a `TableSource`."""
    if X.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {X.ndim}D array instead: a sparse matrix of shape {X.shape}. "
            "Reshape your data, e.g. X.reshape(-1, 1)."
        )
    is_boolean = X.dtype.kind == "b"
    matrix = _canonicalize(X)
    n_rows, n_columns = matrix.shape

    def read_column(j: int, name: str) -> Column:
        return numeric_column(name, sparse_values(matrix, j), "boolean" if is_boolean else "number")

    return TableSource(n_rows, n_columns, None, read_column, None, is_boolean, matrix)


def _canonicalize(X: Any) -> Any:
    refuse_complex(X.dtype)
    if X.dtype.kind not in "fiub":
        raise DataTypeError(f"A sparse X must be numeric, got {X.dtype}. Pass X.toarray().")
    matrix = X if X.format in ("csr", "csc") else X.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    values = matrix.data
    if values.dtype.kind == "f":
        values = as_floats(values)
    elif values.dtype != np.int64 or (
        values.size and max(-int(values.min()), int(values.max())) > EXACT_LIMIT
    ):
        values = integers_to_floats("X", values)
    if values is matrix.data:
        return matrix
    return type(matrix)((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def sparse_ranges(matrix: Any, names: tuple[str, ...] | None = None) -> Any:
    """Return missing count, minimum and maximum of each column; reject NaN and infinities."""
    ranges, is_finite = _core.sparse_ranges(*sparse_arrays(matrix))
    n_missing = ranges[0]
    if is_finite and not n_missing.any():
        return ranges
    odd = n_missing if n_missing.any() else np.isinf(ranges).any(axis=0)
    j = int(np.argmax(odd > 0))
    name = names[j] if names else auto_names(j + 1)[j]
    if n_missing.any():
        raise DataError(
            f"Input X contains NaN. Column {name!r} has {int(n_missing[j])} missing value(s), "
            "which are not supported for sparse X. Impute them, or pass X.toarray() (it must "
            "fit into memory)."
        )
    raise DataError(
        f"Input X contains infinity or a value too large for {matrix.dtype!r}. Column {name!r} "
        "has such a value. Replace it with a finite number."
    )
