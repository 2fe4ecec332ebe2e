"""Split target columns off a table by name, as in fit(frame, "RAIN")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ceiba.errors import DataError
from ceiba.table.scanning.scan import Scan, is_dask_frame
from ceiba.table.schema import column_error
from ceiba.table.targets.survival import parse_surv, read_events, split_columns
from ceiba.table.targets.target import read_outputs
from ceiba.task import Task

_SEQUENCES = (list, tuple)  # a tuple is faster than a union in isinstance
_NAMES = (str, list, tuple)


def is_named_target(X: Any, y: Any) -> bool:
    """Whether y names columns of X, as a string or as a list that is not one label per row."""
    if isinstance(y, str):
        return True
    if not isinstance(y, _SEQUENCES) or not y or not all(isinstance(name, str) for name in y):
        return False
    names = _column_names(X)
    if names is None or len(set(y)) < len(y) or not set(y) <= set(names):
        return False
    rows = next(iter(X.values())) if isinstance(X, Mapping) else X
    return not hasattr(rows, "__len__") or len(rows) != len(y)


def _column_names(X: Any) -> Sequence[Any] | None:
    if isinstance(X, np.ndarray):
        return None if X.dtype.names is None else list(X.dtype.names)
    if isinstance(X, Mapping):
        return list(X)
    if isinstance(X, list | tuple):
        return list(X[0]) if X and isinstance(X[0], Mapping) else None
    if hasattr(X, "collect_schema"):  # accessing `columns` of a lazy frame causes a warning
        return list(X.collect_schema().names())
    columns = getattr(X, "column_names", None) or getattr(X, "columns", None)
    return None if columns is None or callable(columns) else list(columns)


def split_target(X: Any, name: str | Sequence[str]) -> tuple[Any, Any]:
    """Return the features (X without the target columns) and the target."""
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
        rows = [{key: value for key, value in row.items() if key != name} for row in X]
        return rows, [row.get(name) for row in X]
    if not isinstance(X, np.ndarray | list | tuple) and not hasattr(X, "toarray"):
        from ceiba.table.readers.frames import as_frame

        frame = as_frame(X)
        if frame is not None:
            _check_name(name, frame.columns)
            return frame.drop(name).to_native(), frame[name].to_native()
    raise DataError(
        f"{name!r} names a column, but X is a {type(X).__name__} without column names. Pass a "
        "frame or a dict of columns, or pass y as an array."
    )


def _check_name(name: str, names: Sequence[Any]) -> None:
    if name not in names:
        raise column_error(name, names)


def pop_target(X: Any, y: Any, task: Task | None = None, event: Any = None) -> tuple[Any, Any]:
    """Return the features and the target: X and y, or two parts of X if y names columns of X."""
    if task is Task.SURVIVAL:
        return split_survival(X, y, event)
    named = isinstance(y, _NAMES) and is_named_target(X, y)
    return split_target(X, y) if named else (X, y)


def split_survival(X: Any, y: Any, event: Any = None) -> tuple[Any, Any]:
    """Return the features and a survival target; `event` is the value that marks events."""
    names = parse_surv(y) if isinstance(y, str) else None
    if names is not None:
        X, y = split_target(X, [names.time, names.event])
        event = names.code if event is None else event
    elif isinstance(y, list | tuple) and len(y) == 2 and all(isinstance(name, str) for name in y):
        X, y = split_target(X, list(y))
    elif isinstance(y, str):
        X, y = split_target(X, [y])
    if event is None and (names is None or not names.as_in_r):
        return X, y
    outputs, label = read_outputs(y)
    time, status = split_columns(outputs)
    if status is None:
        raise DataError(f"event={event!r} requires a target with two columns (time, event).")
    label = label if isinstance(label, tuple) else ("time", "event")
    events = read_events(status, event, as_in_r=names is not None and names.as_in_r)
    # Append the event code to the column name, from which evaluation on new data reads it.
    coded = label[1] if event is None or "," in str(event) else f"{label[1]} == {event}"
    return X, {label[0]: time, coded: events}
