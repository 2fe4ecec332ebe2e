"""fit(frame, "RAIN"): the target as a column of the table, taken out by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ceiba.errors import DataError, SchemaError, did_you_mean
from ceiba.table.schema import listing


def split_target(X: Any, name: str) -> tuple[Any, Any]:
    """Take the target column out of a table.

    Parameters
    ----------
    X : table with column names
        pandas, polars, pyarrow frame, DuckDB relation, dict of lists, list of dicts, structured
        array.
    name : str
        Name of the target column.

    Returns
    -------
    X, y : tuple
        The table without the column, and the column, both in their own library.

    Examples
    --------
    >>> split_target({"age": [31, 45], "RAIN": ["no", "yes"]}, "RAIN")
    ({'age': [31, 45]}, ['no', 'yes'])
    """
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
        f"y={name!r} names a column, but X is a {type(X).__name__} without column names. Give a "
        "frame or a dict of columns, or y as an array."
    )


def _check_name(name: str, names: Sequence[Any]) -> None:
    if name not in names:
        raise SchemaError(
            f"There is no column {name!r} to use as the target; the table has "
            f"{listing(tuple(names))}.{did_you_mean(name, names)}"
        )
