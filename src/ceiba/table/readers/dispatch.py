"""Choose the reader of a container; narwhals is imported only for data frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ceiba.errors import DataTypeError
from ceiba.table.readers.arrays import open_array
from ceiba.table.readers.mappings import open_mapping, open_rows
from ceiba.table.readers.source import TableSource
from ceiba.table.readers.sparse import is_sparse, open_sparse
from ceiba.table.table import Table

_READABLE = (
    "Supported tables: numpy arrays, scipy.sparse matrices, pandas, polars and pyarrow frames, "
    "DuckDB relations, dicts of lists, lists of dicts and lists of lists."
)


def open_source(X: Any) -> TableSource:
    """Open a container as a `TableSource`, with the reader for its type."""
    if isinstance(X, Table):
        names = X.schema.names if X.schema.named else None
        return TableSource(
            X.n_rows, X.n_columns, names, lambda j, name: X.columns[j], X.matrix, sparse=X.sparse
        )
    if isinstance(X, np.ndarray):
        return open_array(X)
    if isinstance(X, list | tuple):
        return open_rows(X)
    if is_sparse(X):  # check this before mappings, because scipy's dok format is a dict
        return open_sparse(X)
    if isinstance(X, Mapping):
        return open_mapping(X)
    if X is None or isinstance(X, str | bytes | int | float):
        raise DataTypeError(f"X must be a table, got {X!r}. {_READABLE}")
    from ceiba.table.readers.frames import as_frame, open_frame

    frame = as_frame(X)
    if frame is not None:
        return open_frame(frame)
    if hasattr(X, "__dlpack_device__") and X.__dlpack_device__()[0] != 1:
        raise DataTypeError(
            "X is on a GPU. Only fit, predict, predict_proba, apply, score and evaluate support "
            "this. For other methods, copy it to the host: cupy.asnumpy(X), or X.cpu() for torch."
        )
    if hasattr(X, "__array__"):
        return open_array(np.asarray(X))
    if hasattr(X, "__len__") and hasattr(X, "__getitem__"):
        return open_rows(list(X))
    raise DataTypeError(f"X must be a table, got a {type(X).__name__}. {_READABLE}")
