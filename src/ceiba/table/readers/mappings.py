"""Read plain Python containers: dicts of lists, lists of dicts and lists of lists.

A dict of scalars is one row. In a list of dicts, an absent key is a missing value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ceiba.errors import DataError
from ceiba.table.levels import Levels, normalize_levels
from ceiba.table.readers.arrays import array_to_column, dimension_error, open_array
from ceiba.table.readers.objects import objects_to_column
from ceiba.table.readers.source import TableSource, normalize_names
from ceiba.table.schema import ColumnInfo, Kind
from ceiba.table.table import Column

_NUMBER_TYPES = frozenset({int, float})


def open_mapping(X: Mapping[Any, Any]) -> TableSource:
    """Open a dict of columns (lists, arrays or Series), or a dict of scalars as a single row."""
    names = normalize_names(list(X))
    if X and all(_is_single(value) for value in X.values()):
        columns = [[value] for value in X.values()]
    else:
        columns = [_check_values(name, value) for name, value in X.items()]
    lengths = {len(values): name for name, values in zip(X, columns, strict=True)}
    if len(lengths) > 1:
        text = ", ".join(f"{length} ({name!r})" for length, name in list(lengths.items())[:8])
        raise DataError(f"Columns must have the same length, got {text}.")
    n_rows = next(iter(lengths), 0)

    def read_column(j: int, name: str) -> Column:
        return values_to_column(name, columns[j])

    return TableSource(n_rows, len(columns), names, read_column)


def values_to_column(name: str, values: Any) -> Column:
    """Read a column from a list, tuple, array or Series."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise DataError(f"Column {name!r} must be 1-d, got shape {values.shape}.")
        return array_to_column(name, values)
    if isinstance(values, Levels):
        raw_codes = np.array(values.codes(), dtype=np.int32)
        codes, levels = normalize_levels(name, raw_codes, values.levels, declared=True)
        kind = Kind.ORDERED if values.ordered else Kind.CATEGORICAL
        return Column(ColumnInfo(name, kind, levels), codes)
    if isinstance(values, list | tuple | range):
        return objects_to_column(name, values)
    from ceiba.table.readers.frames import series_to_column

    return series_to_column(name, values)


def _is_single(value: Any) -> bool:
    return isinstance(value, str | bytes) or not hasattr(value, "__len__")


def _check_values(name: Any, values: Any) -> Any:
    if _is_single(values):
        raise DataError(
            f"Column {name!r}: expected a list of values, got {values!r}. Pass every column as a "
            "list, or every column as a scalar (one row)."
        )
    if isinstance(values, set | frozenset | Mapping):
        raise DataError(f"Column {name!r}: expected a list, got a {type(values).__name__}.")
    return values


def open_rows(X: Sequence[Any]) -> TableSource:
    """Open a list of rows: dicts, or lists of equal length."""
    if not X:
        return open_array(np.empty((0, 0)))
    if isinstance(X[0], Mapping):
        return _open_dicts(X)
    if any(not isinstance(row, list | tuple | np.ndarray) for row in X):
        if any(isinstance(row, list | tuple | np.ndarray | Mapping) for row in X):
            row = next(i for i, value in enumerate(X) if type(value) is not type(X[0]))
            raise _row_type_error(X, row)
        if any(hasattr(row, "__array__") for row in X):
            return open_array(np.array([np.asarray(row) for row in X]))
        raise dimension_error(np.array(X, dtype=object))
    are_arrays = all(isinstance(row, np.ndarray) for row in X)
    widths = [len(row) if np.ndim(row) else -1 for row in X] if are_arrays else list(map(len, X))
    if len(set(widths)) > 1:
        row = next(i for i, width in enumerate(widths) if width != widths[0])
        raise DataError(
            f"X is ragged: row 0 has {widths[0]} values, row {row} has {widths[row]}. Use None for "
            "missing values."
        )
    if are_arrays:
        return open_array(np.asarray(X))
    if set(map(type, chain.from_iterable(X))) <= _NUMBER_TYPES:
        numbers = np.array(X)
        if numbers.dtype.kind in "if":
            return open_array(numbers)
    columns = list(zip(*X, strict=True))
    if columns and isinstance(columns[0][0], list | tuple):
        raise dimension_error(np.array(X, dtype=object))

    def read_column(j: int, name: str) -> Column:
        return objects_to_column(name, columns[j])

    return TableSource(len(X), widths[0], None, read_column)


def _row_type_error(X: Sequence[Any], row: int) -> DataError:
    return DataError(
        f"X is ragged: row 0 is a {type(X[0]).__name__}, row {row} a {type(X[row]).__name__}. "
        "All rows must have the same type."
    )


def _open_dicts(X: Sequence[Any]) -> TableSource:
    labels: dict[Any, None] = {}
    for i, row in enumerate(X):
        if not isinstance(row, Mapping):
            raise _row_type_error(X, i)
        labels.update(dict.fromkeys(row))
    keys = list(labels)

    def read_column(j: int, name: str) -> Column:
        return objects_to_column(name, [row.get(keys[j]) for row in X])

    return TableSource(len(X), len(keys), normalize_names(keys), read_column)
