"""Split a target column off a table by its name, as in fit(frame, "RAIN")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ceiba.errors import DataError, SchemaError, did_you_mean
from ceiba.table.scanning.scan import Scan, is_dask_frame
from ceiba.table.schema import join_names

_SEQUENCES = (list, tuple)  # a union is built anew at each call


def is_named_target(X: Any, y: Any) -> bool:
    """Whether y names columns of X: a str, or a list of names that is not as long as X."""
    if isinstance(y, str):
        return True
    if not isinstance(y, _SEQUENCES) or not y or not all(isinstance(name, str) for name in y):
        return False
    names = _column_names(X)
    if names is None or len(set(y)) < len(y) or not set(y) <= set(names):
        return False
    return _n_rows(X) != len(y)


def _column_names(X: Any) -> Sequence[Any] | None:
    if isinstance(X, np.ndarray):
        return None if X.dtype.names is None else list(X.dtype.names)
    if isinstance(X, Mapping):
        return list(X)
    if isinstance(X, list | tuple):
        return list(X[0]) if X and isinstance(X[0], Mapping) else None
    if hasattr(X, "collect_schema"):  # polars, narwhals: lazy frames warn on `columns`
        return list(X.collect_schema().names())
    columns = getattr(X, "column_names", None) or getattr(X, "columns", None)
    return None if columns is None or callable(columns) else list(columns)


def _n_rows(X: Any) -> int:
    if isinstance(X, Mapping):
        return len(next(iter(X.values()))) if X else 0
    return len(X) if hasattr(X, "__len__") else -1


def split_target(X: Any, name: str | Sequence[str]) -> tuple[Any, Any]:
    """Return a table without its target columns, and the target, both as in their library."""
    if not isinstance(name, str):
        outputs = {}
        for column in name:
            X, outputs[column] = split_target(X, column)
        return X, outputs
    if isinstance(X, Scan):
        return X.without(name), X.column(name)
    if is_dask_frame(X):
        _check_name(name, list(X.columns))
        return X.drop(columns=name), X[name].compute().to_numpy()
    if isinstance(X, np.ndarray) and X.dtype.names is not None:
        _check_name(name, X.dtype.names)
        return X[[field for field in X.dtype.names if field != name]], X[name]
    if isinstance(X, Mapping):
        _check_name(name, list(X))
        return {key: values for key, values in X.items() if key != name}, X[name]
    if isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        _check_name(name, list(dict.fromkeys(key for row in X for key in row)))
        rest = [{key: value for key, value in row.items() if key != name} for row in X]
        return rest, [row.get(name) for row in X]
    if not isinstance(X, np.ndarray | list | tuple) and not hasattr(X, "toarray"):
        from ceiba.table.readers.frames import as_frame

        frame = as_frame(X)
        if frame is not None:
            _check_name(name, frame.columns)
            return frame.drop(name).to_native(), frame[name].to_native()
    raise DataError(
        f"{name!r} names a column, but X is a {type(X).__name__} without column names. Pass a "
        "frame or a dict of columns, or pass the values as an array."
    )


def _check_name(name: str, names: Sequence[Any]) -> None:
    if name not in names:
        raise SchemaError(
            f"Column not found: {name!r}. Columns: "
            f"{join_names(tuple(names))}.{did_you_mean(name, names)}"
        )
