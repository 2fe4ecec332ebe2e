"""Anything tabular -> Table: `read` when fitting, `read_like` when predicting.

container -> Source (names and columns as found) -> checks of shape and names -> columns by the
user's wishes (fitting) or by the schema (predicting) -> Table. A float matrix goes past all of this
in a few microseconds.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ceiba.errors import DataError, DataTypeError, DataWarning, OptionError, did_you_mean
from ceiba.table.categorical_features import chosen_columns
from ceiba.table.column import MISSING_CODE, Column
from ceiba.table.conform import Unseen, conform
from ceiba.table.display import level_of_number
from ceiba.table.levels import code_numbers
from ceiba.table.mapping_reader import open_mapping, open_rows
from ceiba.table.matching import by_name, by_position
from ceiba.table.numpy_reader import open_array
from ceiba.table.schema import ColumnInfo, Kind, Schema, TargetInfo
from ceiba.table.source import Source, made_up_names
from ceiba.table.summary import column_range, matrix_ranges
from ceiba.table.table import Table

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_MANY_ROWS, _MOSTLY_OWN = 20, 0.9
_SMALL = 100_000  # cells that are copied faster than looked at column by column


def read(
    X: Any,
    *,
    categorical_features: Any = "from_dtype",
    target: TargetInfo | None = None,
) -> Table:
    """Read a table for fitting.

    Parameters
    ----------
    X : table
        numpy array (plain, object, masked, structured), pandas, polars or pyarrow frame, DuckDB
        relation, dict of lists, list of dicts, list of lists.
    categorical_features : "from_dtype", names, positions or mask
        Columns to take as categorical whatever their type; the others go by their type: texts and
        categories are categorical, ordered categories ordered, numbers, booleans and dates numeric.
    target : TargetInfo, optional
        Goes into the schema.

    Returns
    -------
    Table
        Zero copy where the container allows it. Numbers are float64 (float32 stays as it is;
        integers beyond 2**53 and decimals become the nearest float64, with a warning if digits are
        lost).

    Raises
    ------
    DataError
        Infinite values, no rows, no columns, ragged or mixed data, duplicate names, sparse
        matrices.

    Examples
    --------
    >>> table = read({"age": [31, None, 45], "city": ["Oslo", "Lima", "Oslo"]})
    >>> [(c.name, c.info.kind.value, c.info.n_missing) for c in table.columns]
    [('age', 'numeric', 1), ('city', 'categorical', 0)]
    >>> table.schema.columns[1].levels
    ('Lima', 'Oslo')
    """
    if isinstance(X, Table):
        return X if target is None else X.with_schema(X.schema.with_target(target))
    source = open_source(X)
    _check_shape(source)
    names = source.names or made_up_names(source.n_columns)
    chosen = chosen_columns(categorical_features, names)
    if source.matrix is not None and not chosen:
        display: Any = "boolean" if source.is_boolean else "number"
        infos = tuple(
            [
                ColumnInfo(name, Kind.NUMERIC, (), display, *seen)
                for name, seen in zip(names, matrix_ranges(source.matrix, names), strict=True)
            ]
        )
        return Table.from_matrix(source.matrix, Schema(infos, target, source.names is not None))
    columns = tuple(
        _fitted(source.read_column(j, name), j in chosen) for j, name in enumerate(names)
    )
    schema = Schema(tuple(c.info for c in columns), target, source.names is not None)
    return Table(columns, source.n_rows, schema)


def read_like(
    X: Any,
    schema: Schema,
    *,
    match: Literal["position", "name"] = "position",
    unseen: Unseen = "keep",
    owner: str = "this tree",
) -> Table:
    """Read a table for predicting, by the schema seen when fitting.

    Parameters
    ----------
    X : table
        As in :func:`read`. Infinities are allowed here: they are beyond every cut.
    schema : Schema
        What was seen when fitting. A column called like its target is left out.
    match : {"position", "name"}
        By position, names (if both sides have them) must be the same in the same order, as scikit-
        learn demands. By name, order is free and further columns are ignored.
    unseen : {"keep", "missing", "error"}
        A level not seen when fitting gets the code ``n_levels``, becomes missing, or is an error.
    owner : str
        Who was fitted, for messages; estimators give their class name.

    Returns
    -------
    Table

    Raises
    ------
    SchemaError
        Other columns, other kinds.

    Examples
    --------
    >>> schema = read({"age": [31, 45], "city": ["Oslo", "Lima"]}).schema
    >>> table = read_like([{"city": "Rome", "age": 50}], schema, match="name")
    >>> [column.values.tolist() for column in table.columns]
    [[50.0], [2]]
    """
    # The fast way: a float matrix for a table of numbers without names is taken as it is.
    if type(X) is np.ndarray and X.ndim == 2 and schema.is_matrix and not schema.named:
        dtype, shape = X.dtype, X.shape
        if dtype in _FLOATS and shape[1] == len(schema.columns) and shape[0]:
            return Table.from_matrix(X, schema)
    source = open_source(X)
    if match == "position":
        positions = by_position(source.names, source.n_columns, schema, owner)
        _check_shape(source)
    elif match == "name":
        positions = by_name(source.names, source.n_columns, schema, owner)
    else:
        raise OptionError(
            f"match={match!r}. Allowed are 'position' and 'name'.{did_you_mean(match, _MATCHES)}"
        )
    if source.matrix is not None and schema.is_matrix:
        if positions == list(range(source.n_columns)):
            return Table.from_matrix(source.matrix, schema)
        if source.matrix.size <= _SMALL:
            return Table.from_matrix(source.matrix[:, positions], schema)
    columns = tuple(
        conform(source.read_column(j, info.name), info, unseen)
        for j, info in zip(positions, schema.columns, strict=True)
    )
    return Table(columns, source.n_rows, schema)


_MATCHES = ("position", "name")


def open_source(X: Any) -> Source:
    """Find the reader for a container and open it."""
    if isinstance(X, Table):
        return _open_table(X)
    if isinstance(X, np.ndarray):
        return open_array(X)
    if isinstance(X, list | tuple):
        return open_rows(X)
    refuse_sparse(X)  # before dicts: scipy's dok format is one
    if isinstance(X, Mapping):
        return open_mapping(X)
    if X is None or isinstance(X, str | bytes | int | float):
        raise DataTypeError(f"X must be a table, got {X!r}. {_READABLE}")
    from ceiba.table.frame_reader import as_frame, open_frame

    frame = as_frame(X)
    if frame is not None:
        return open_frame(frame)
    if hasattr(X, "__array__"):
        return open_array(np.asarray(X))
    if hasattr(X, "__len__") and hasattr(X, "__getitem__"):
        return open_rows(list(X))
    raise DataTypeError(f"X must be a table, got a {type(X).__name__}. {_READABLE}")


def _open_table(X: Table) -> Source:
    names = X.schema.names if X.schema.named else None
    return Source(X.n_rows, X.n_columns, names, lambda j, name: X.columns[j], X.matrix)


_READABLE = (
    "Readable are numpy arrays, pandas, polars and pyarrow frames, DuckDB relations, dicts of "
    "lists, lists of dicts and lists of lists."
)


def refuse_sparse(X: Any, name: str = "X") -> None:
    """Raise an error that names the way out if ``X`` is a sparse matrix."""
    if hasattr(X, "toarray") and (hasattr(X, "tocsr") or hasattr(X, "todense")):
        raise DataTypeError(
            f"Sparse data was passed as {name}, but dense data is required; sparse matrices are "
            f"not supported yet. Use {name}.toarray() to convert it (it must fit into memory)."
        )


def _check_shape(source: Source) -> None:
    shape = (source.n_rows, source.n_columns)
    if source.n_rows == 0:
        raise DataError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required."
        )
    if source.n_columns == 0:
        raise DataError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )


def _fitted(found: Column, is_chosen: bool) -> Column:
    """Return a column as found with what was seen in it, made categorical if the user chose it."""
    info = found.info
    if info.is_numeric and not is_chosen:
        seen = column_range(info.name, found.values)
        return Column(ColumnInfo(info.name, info.kind, (), info.display, *seen), found.values)
    codes, levels = found.values, info.levels
    if info.is_numeric:
        column_range(info.name, found.values)
        codes, numbers = code_numbers(found.values)
        levels = tuple(level_of_number(number, info.display) for number in numbers.tolist())
    kind = Kind.CATEGORICAL if is_chosen else info.kind
    n_missing = int(np.count_nonzero(codes == MISSING_CODE))
    if kind is Kind.CATEGORICAL:
        _warn_of_identifier(info.name, len(codes) - n_missing, codes, len(levels))
    return Column(ColumnInfo(info.name, kind, levels, "number", n_missing), codes)


def _warn_of_identifier(name: str, n_present: int, codes: Any, n_levels: int) -> None:
    if n_present < _MANY_ROWS or n_levels < _MOSTLY_OWN * n_present:
        return
    n_used = int(np.count_nonzero(np.bincount(codes[codes >= 0], minlength=n_levels)))
    if n_used >= _MOSTLY_OWN * n_present:
        warnings.warn(
            f"Column {name!r}: {n_used} levels in {n_present} rows; nearly every row has a level "
            "of its own, so it looks like an identifier, which splits the training rows "
            "perfectly and says nothing about new ones. Leave the column out, or group its "
            "levels.",
            DataWarning,
            stacklevel=4,
        )
