"""Read data frames with narwhals: pandas, polars (eager and lazy), pyarrow, DuckDB and others.

The narwhals type of a column determines its reader; numbers are read as numpy arrays. Categories
and strings are encoded by the library of the frame, many times faster than Python strings. pandas
categories, polars Enums and ordered Arrow dictionaries declare the order of their levels. polars
Categoricals and plain Arrow dictionaries list levels by first appearance; ceiba sorts them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ceiba._polars import pl
from ceiba.errors import DataError, DataTypeError
from ceiba.table.levels import encode_strings, normalize_levels
from ceiba.table.readers.arrays import array_to_column, dimension_error
from ceiba.table.readers.numeric import EXACT_LIMIT, numeric_column, warn_inexact
from ceiba.table.readers.source import TableSource, normalize_names
from ceiba.table.readers.times import to_seconds
from ceiba.table.schema import ColumnInfo, Kind
from ceiba.table.table import Column

if TYPE_CHECKING:
    import narwhals as nw

_SMALL = 100_000
_WIDE = 500
_FEW_ROWS = 1000
# Names of float types in pandas and polars. Frames with the nullable "Float64" of pandas may
# convert to object matrices, which are rejected.
_FLOAT_TYPES = frozenset({"float64", "float32", "Float64", "Float32"})


def as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return a narwhals frame over ``X`` (collected if lazy), or None if ``X`` is not a frame."""
    import narwhals as nw

    # Check for duplicate names here, because narwhals' error does not contain the name.
    if hasattr(X, "column_names"):  # pyarrow
        normalize_names(X.column_names)
    elif hasattr(X, "iloc") and not getattr(getattr(X, "columns", None), "is_unique", True):
        normalize_names(list(X.columns))  # pandas
        raise DataError("Two columns of X have a missing name. Rename them.")
    frame = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(frame, nw.LazyFrame):
        return frame.collect()
    if isinstance(frame, nw.Series):
        refused = dimension_error(np.asarray(frame.to_numpy()))
        raise DataError(
            f"{refused} For a Series, pass frame[['name']] (a column) or frame.iloc[[0]] (a row), "
            "or pass one row to predict_one."
        )
    if isinstance(frame, nw.DataFrame):
        return frame
    if hasattr(X, "__arrow_c_stream__"):
        import pyarrow as pa

        table = pa.table(X)
        normalize_names(table.column_names)
        narwhals_frame: nw.DataFrame[Any] = nw.from_native(table, eager_only=True)
        return narwhals_frame
    return None


def open_frame(frame: nw.DataFrame[Any]) -> TableSource:
    """Open a narwhals frame as a `TableSource`."""
    names = normalize_names(frame.columns)
    n_rows, n_columns = frame.shape

    @cache
    def list_columns() -> list[nw.Series[Any]]:
        return list(frame.iter_columns())

    def read_column(j: int, name: str) -> Column:
        # frame[:, j] iterates over all names, so wide frames would take quadratic time.
        return _narwhals_to_column(name, list_columns()[j] if n_columns > _WIDE else frame[:, j])

    return TableSource(n_rows, n_columns, names, read_column, _small_matrix(frame))


def _small_matrix(frame: nw.DataFrame[Any]) -> NDArray[Any] | None:
    """Return a frame of at most 100,000 floats as one matrix, or None for other frames."""
    # Copying a small frame takes 2 microseconds, but reading it takes 60 for each column.
    n_rows, n_columns = frame.shape
    native = frame.to_native()
    dtypes = getattr(native, "dtypes", None)  # None for pyarrow tables, which are fast to read
    if dtypes is None or not 0 < n_rows * n_columns <= _SMALL:
        return None
    if any(str(dtype) not in _FLOAT_TYPES for dtype in dtypes):
        return None
    matrix = np.asarray(native.to_numpy())
    return matrix if matrix.dtype.kind == "f" else None


def series_to_column(name: str, values: Any) -> Column:
    """Read a column from a Series or from anything that numpy can convert."""
    import narwhals as nw

    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(
        values, pandas.api.extensions.ExtensionArray | pandas.Index
    ):
        values = pandas.Series(values)  # a Series keeps category order and time zone
    series = nw.from_native(values, pass_through=True, series_only=True)
    if isinstance(series, nw.Series):
        return _narwhals_to_column(name, series)
    return array_to_column(name, np.asarray(values))


def _narwhals_to_column(name: str, series: nw.Series[Any]) -> Column:
    native = series.to_native()
    dtype = getattr(native, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "fib":  # use pandas columns without a copy
        return array_to_column(name, native.to_numpy())
    import narwhals as nw

    if str(getattr(native, "type", "")).startswith("run_end_encoded"):  # Arrow
        import pyarrow as pa
        import pyarrow.compute as pc

        chunks = [pc.run_end_decode(chunk) for chunk in native.chunks]
        plain = pa.chunked_array(chunks, type=native.type.value_type)
        series = nw.from_native(plain, series_only=True)
    kind = series.dtype
    if isinstance(kind, nw.Categorical | nw.Enum):
        return _category_column(name, series)
    if isinstance(kind, nw.String):
        return _string_column(name, series)
    if isinstance(kind, nw.Boolean):
        return numeric_column(name, _floats(series.cast(nw.Float64)), "boolean")
    if isinstance(kind, nw.Decimal | nw.Int128 | nw.UInt128):
        floats, is_decimal = series.cast(nw.Float64), isinstance(kind, nw.Decimal)
        if floats.n_unique() < series.n_unique():
            numbers = "decimals of more than 15 digits" if is_decimal else "integers beyond 2**53"
            warn_inexact(name, numbers)
        return numeric_column(name, _floats(floats))
    if kind.is_integer() and series.null_count():
        present = series.drop_nulls()
        if len(present) and max(-present.min(), present.max()) > EXACT_LIMIT:
            array_to_column(name, present.to_numpy())  # warns about rounding
        return numeric_column(name, _floats(series), of_integers=True)
    if isinstance(kind, nw.Datetime | nw.Date):
        return _time_column(name, series)
    if kind.is_nested() or isinstance(kind, nw.Binary):
        raise DataTypeError(
            f"Column {name!r} has unsupported type {kind}. Supported types: numbers, booleans, "
            "strings, categories, dates and durations. Extract the values as columns."
        )
    return array_to_column(name, as_array(name, series))


def as_array(name: str, series: nw.Series[Any]) -> NDArray[Any]:
    """Return a series as a numpy array; raise DataTypeError if numpy has no such type."""
    try:
        return np.asarray(series.to_numpy())
    except Exception as error:  # each library raises its own type of error
        native = getattr(series.to_native(), "type", series.dtype)
        raise DataTypeError(
            f"Column {name!r} has unsupported type {native} ({error}). Supported types: numbers, "
            "booleans, strings, categories, dates and durations. Convert the column."
        ) from None


def _floats(series: nw.Series[Any]) -> NDArray[Any]:
    values = np.asarray(series.to_numpy())
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def _time_column(name: str, series: nw.Series[Any]) -> Column:
    values = np.asarray(series.to_numpy())
    if values.dtype.kind != "M":  # numpy returns objects for Arrow dates
        return array_to_column(name, values)
    zone = getattr(series.dtype, "time_zone", None)
    numbers, display = to_seconds(name, values, zoned=zone is not None)
    return numeric_column(name, numbers, display, None if zone is None else str(zone))


def _category_column(name: str, series: nw.Series[Any]) -> Column:
    if series.implementation.is_pandas_like() and hasattr(series.to_native(), "cat"):
        cat = getattr(series.to_native(), "array" if series.implementation.is_pandas() else "cat")
        codes = cat.codes if isinstance(cat.codes, np.ndarray) else cat.codes.to_numpy()
        levels: Sequence[Any] = cat.categories.tolist()
        return _levels_column(name, codes, levels, ordered=bool(cat.ordered), declared=True)
    if series.implementation.is_polars():
        enum = series.to_native()
        if not isinstance(enum.dtype, pl.Enum):
            return _polars_strings(name, enum.cast(pl.String))
        levels = enum.dtype.categories.to_list()
        return _levels_column(name, _codes(enum), levels, declared=True)
    if series.implementation.is_pyarrow():
        return _arrow_category(name, series.to_native())
    if hasattr(series.to_native().dtype, "pyarrow_dtype"):  # pandas cannot convert every Arrow type
        return _arrow_category(name, series.to_native().array.__arrow_array__())
    return array_to_column(name, np.asarray(series.to_numpy(), dtype=object))


def _polars_strings(name: str, native: Any) -> Column:
    if len(native) <= _FEW_ROWS:  # encoding with a dict is faster for few rows
        coded, observed_levels = encode_strings(native.to_list())
        return _levels_column(name, coded, observed_levels, declared=True, observed=True)
    # Casting to an Enum of the sorted levels encodes each row by one hash lookup.
    levels = native.drop_nulls().unique().sort()
    codes = _codes(native.cast(pl.Enum(levels)))
    return _levels_column(name, codes, levels.to_list(), declared=True, observed=True)


def _codes(enum: Any) -> NDArray[Any]:
    codes: NDArray[Any] = enum.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    return codes


def _arrow_category(name: str, native: Any) -> Column:
    import pyarrow as pa

    # Read each chunk, because Arrow cannot unify dictionaries that contain null.
    code_of: dict[Any, int] = {}
    parts = [np.empty(0, np.int32)]
    for chunk in native.chunks:
        levels = chunk.dictionary.to_pylist()
        codes_of = [
            -1 if level is None else code_of.setdefault(level, len(code_of)) for level in levels
        ]
        codes = chunk.indices.cast(pa.int32()).fill_null(-1).to_numpy(zero_copy_only=False)
        parts.append(np.array([*codes_of, -1], np.int32)[codes])  # code -1 selects -1
    ordered = bool(native.type.ordered)
    codes = np.concatenate(parts)
    return _levels_column(name, codes, list(code_of), ordered=ordered, declared=ordered)


def _string_column(name: str, series: nw.Series[Any]) -> Column:
    native = series.to_native()
    if series.implementation.is_polars():
        return _polars_strings(name, native)
    if series.implementation.is_pyarrow():
        return _arrow_category(name, native.dictionary_encode())
    if series.implementation.is_pandas_like() and hasattr(native, "factorize"):
        codes, levels = native.factorize()
        return _levels_column(name, np.asarray(codes), levels.tolist(), declared=False)
    return array_to_column(name, np.asarray(series.to_numpy(), dtype=object))


def _levels_column(
    name: str,
    codes: NDArray[Any],
    levels: Sequence[Any],
    *,
    ordered: bool = False,
    declared: bool,
    observed: bool = False,
) -> Column:
    settled, plain = normalize_levels(name, codes, levels, declared=declared)
    if not plain:  # all values are missing, as in a column of None
        return numeric_column(name, np.full(len(codes), np.nan))
    kind = Kind.ORDERED if ordered else Kind.CATEGORICAL
    return Column(ColumnInfo(name, kind, plain), settled, levels_found=observed or not declared)
