"""Read a table for fitting, and determine the kinds, levels and ranges of its columns.

container -> TableSource (names and columns as found) -> checks -> columns with levels and ranges ->
Table. A float matrix is not divided into columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ceiba.errors import OptionError, did_you_mean
from ceiba.table.display import number_to_level
from ceiba.table.fit_schema import column_range, matrix_ranges
from ceiba.table.identifiers import warn_about_columns
from ceiba.table.levels import encode_numbers, recode
from ceiba.table.readers.dispatch import open_source
from ceiba.table.readers.numeric import EXACT_LIMIT
from ceiba.table.readers.source import check_shape
from ceiba.table.readers.sparse import sparse_ranges
from ceiba.table.schema import ColumnInfo, Display, Kind, Schema, TargetInfo, auto_names, join_names
from ceiba.table.table import FLOATS, INTEGERS, MISSING_CODE, Column, Table

_ALLOWED = (
    "Allowed values: 'from_dtype', column names, column positions, or a mask with one bool per "
    "column."
)


def read(
    X: Any,
    *,
    categorical_features: Any = "from_dtype",
    target: TargetInfo | None = None,
    finite: bool = True,
    n_threads: int = 1,
) -> Table:
    """Read a container into a `Table` for fitting.

    Parameters
    ----------
    X : table
        numpy array (plain, object, masked, structured), scipy's sparse matrix or array, pandas,
        polars or pyarrow frame, DuckDB relation, dict of lists, list of dicts, list of lists.
    categorical_features : "from_dtype", names, positions or mask
        Columns to read as categorical. The kind of other columns depends on their type: strings and
        categories are categorical; numbers, booleans and dates are numeric.
    target : TargetInfo, optional
        Target of the schema.
    finite : bool, default=True
        Reject infinite values. False keeps them in columns that are not read as categorical.
    n_threads : int, default=1
        Number of threads that read a matrix.

    Returns
    -------
    Table
        Data are not copied if the container allows it. Numbers become float64, except float32 and
        integer matrices. Integers beyond 2**53 and decimals become the nearest float64, with a
        warning if digits are lost.

    Raises
    ------
    DataError
        Infinite values, no rows, no columns, ragged or mixed data, duplicate names, NaN in a
        sparse matrix.

    Examples
    --------
    >>> table = read({"age": [31, None, 45], "city": ["Oslo", "Lima", "Oslo"]})
    >>> [(c.name, c.info.kind.value, c.info.n_missing) for c in table.columns]
    [('age', 'numeric', 1), ('city', 'categorical', 0)]
    >>> table.schema.columns[1].levels
    ('Lima', 'Oslo')
    """
    by_type = isinstance(categorical_features, str) and categorical_features == "from_dtype"
    if by_type and isinstance(X, Table):
        return X if target is None else X.with_schema(X.schema.with_target(target))
    # Fast path for arrays of numbers, which reads the iris data in two microseconds.
    is_array = type(X) is np.ndarray and X.ndim == 2 and X.size and target is None and finite
    is_plain = is_array and (by_type or categorical_features is None) and X.flags.aligned
    if is_plain and X.dtype in FLOATS + INTEGERS:
        ranges = matrix_ranges(X, None, n_threads)
        if X.dtype in FLOATS or np.abs(ranges).max() < EXACT_LIMIT:  # else a warning
            return Table.from_matrix(X, Schema.from_ranges(ranges))
    source = open_source(X)
    check_shape(source)
    names = source.names or auto_names(source.n_columns)
    chosen = find_categorical(categorical_features, names)
    display: Display = "boolean" if source.is_boolean else "number"
    if source.matrix is not None and not chosen and finite:
        ranges = matrix_ranges(source.matrix, source.names, n_threads)
        schema = Schema.from_ranges(ranges, source.names, display, target)
        return Table.from_matrix(source.matrix, schema)
    if source.sparse is not None and not chosen and finite:
        ranges = sparse_ranges(source.sparse, source.names)
        schema = Schema.from_ranges(ranges, source.names, display, target)
        return Table.from_sparse(source.sparse, schema)
    columns = tuple(
        fit_column(source.read_column(j, name), j in chosen, finite) for j, name in enumerate(names)
    )
    warn_about_columns(columns)
    schema = Schema(tuple(c.info for c in columns), target, source.names is not None)
    return Table(columns, source.n_rows, schema)


def fit_column(column: Column, is_chosen: bool = False, finite: bool = True) -> Column:
    """Return a column with its range or levels and its missing count; see `ColumnInfo`."""
    info = column.info
    if info.is_numeric and not is_chosen:
        value_range = column_range(info.name, column.values, finite=finite)
        described = ColumnInfo(info.name, info.kind, (), info.display, *value_range, zone=info.zone)
        return Column(described, column.values, of_integers=column.of_integers)
    codes, levels = column.values, info.levels
    if info.is_numeric:
        column_range(info.name, column.values)
        codes, numbers = encode_numbers(column.values)
        texts = [number_to_level(number, info.display) for number in numbers.tolist()]
        levels = tuple(dict.fromkeys(texts))
        if len(levels) < len(texts):  # times with the same printed form become one level
            code_of = {level: code for code, level in enumerate(levels)}
            codes = recode(codes, [code_of[text] for text in texts])
    kind = Kind.CATEGORICAL if is_chosen else info.kind
    n_missing = int(np.count_nonzero(codes == MISSING_CODE))
    by_rows = column.levels_found or info.is_numeric
    return Column(ColumnInfo(info.name, kind, levels, "number", n_missing), codes, by_rows)


def find_categorical(categorical_features: Any, names: tuple[str, ...]) -> frozenset[int]:
    """Return the positions of the columns that ``categorical_features`` selects."""
    option, n_columns = f"categorical_features={categorical_features!r}", len(names)
    if categorical_features is None:
        return frozenset()
    if isinstance(categorical_features, str):
        if categorical_features == "from_dtype":
            return frozenset()
        hint = did_you_mean(categorical_features, ["from_dtype"])
        if categorical_features in names:
            hint = f" Did you mean [{categorical_features!r}]?"
        raise OptionError(f"Unknown {option}. {_ALLOWED}{hint}")
    if not isinstance(categorical_features, Iterable):
        raise OptionError(f"{option} is not supported. {_ALLOWED}")
    chosen = [x.item() if isinstance(x, np.generic) else x for x in categorical_features]
    types = set(map(type, chosen))
    if not chosen:
        return frozenset()
    if types == {bool}:
        if len(chosen) != n_columns:
            raise OptionError(
                f"categorical_features must have one bool per column ({n_columns}), got a mask of "
                f"length {len(chosen)}."
            )
        return frozenset(j for j, is_chosen in enumerate(chosen) if is_chosen)
    if all(issubclass(kind, str) for kind in types):
        for name in chosen:
            if name not in names:
                raise OptionError(
                    f"categorical_features: column not found: {name!r}. Columns: "
                    f"{join_names(names)}.{did_you_mean(name, names)}"
                )
        return frozenset(map(names.index, chosen))
    if all(issubclass(kind, int) and kind is not bool for kind in types):
        for j in chosen:
            if not 0 <= j < n_columns:
                raise OptionError(
                    f"categorical_features must contain positions from 0 to {n_columns - 1}, got "
                    f"{j}."
                )
        return frozenset(chosen)
    type_names = ", ".join(sorted(kind.__name__ for kind in types))
    raise OptionError(f"categorical_features contains values of type {type_names}. {_ALLOWED}")
