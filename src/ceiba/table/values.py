"""One 1-d array or list of values -> a typed column, by the types found in it.

numbers -> numeric | bool -> numeric 0/1, shown as yes/no | str, bytes -> categorical | datetime64,
date -> numeric seconds | object -> by the types of its values, missing ones aside; mixed types are
an error. Integers beyond 2**53 and decimals become the nearest float64, with a warning if that
loses digits.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataError, DataTypeError, DataWarning
from ceiba.table.column import Column
from ceiba.table.levels import code_objects
from ceiba.table.schema import ColumnInfo, Display, Kind
from ceiba.table.times import seconds

EXACT_LIMIT = 2**53
# pd.NA, pd.NaT and np.ma.masked are known by name: pandas need not be imported to meet them.
_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType", "MaskedConstant"})


def numeric(name: str, values: NDArray[Any], display: Display = "number") -> Column:
    """Return a numeric column over float values."""
    return Column(ColumnInfo(name, Kind.NUMERIC, display=display), values)


def column_of_array(name: str, values: NDArray[Any]) -> Column:
    """Read a 1-d numpy array.

    Examples
    --------
    >>> column_of_array("x", np.array([True, False])).values
    array([1., 0.])
    >>> column_of_array("x", np.array(["b", "a"])).info.levels
    ('a', 'b')
    """
    if isinstance(values, np.ma.MaskedArray):
        return _column_of_masked(name, values)
    kind = values.dtype.kind
    if kind == "f":
        return numeric(name, floats(values))
    if kind in "iu":
        return numeric(name, floats_of_integers(name, values))
    if kind == "b":
        return numeric(name, values.astype(np.float64), "boolean")
    if kind == "O":
        return column_of_objects(name, values.tolist())
    if kind in "UST":
        codes, levels = code_objects(values.tolist())
        return Column(ColumnInfo(name, Kind.CATEGORICAL, levels), codes)
    if kind in "Mm":
        found, display = seconds(name, values)
        return numeric(name, found, display)
    refuse_complex(values.dtype)
    raise DataTypeError(
        f"Column {name!r}: values of type {values.dtype} cannot be read. Allowed are numbers, "
        "booleans, texts, categories and dates."
    )


def refuse_complex(dtype: np.dtype[Any]) -> None:
    """Raise scikit-learn's error for complex numbers."""
    if dtype.kind == "c":
        raise DataError(
            "Complex data not supported. A tree needs an order: give the real and the imaginary "
            "part as columns of their own (X.real, X.imag)."
        )


def floats(values: NDArray[Any]) -> NDArray[Any]:
    """Return float64 and float32 as they are, other floats converted to the nearest of them."""
    if values.dtype == np.float64 or values.dtype == np.float32:
        return values
    return values.astype(np.float32 if values.dtype.itemsize < 4 else np.float64)


def floats_of_integers(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return integers as float64, with a warning if some have no float64 of their own."""
    found = values.astype(np.float64)
    if values.dtype.itemsize == 8 and values.size:
        low, high = int(values.min()), int(values.max())
        if max(-low, high) > EXACT_LIMIT and _differs(values, found):
            warn_inexact(name, "integers beyond 2**53")
    return found


def _differs(values: NDArray[Any], found: NDArray[np.float64]) -> bool:
    # Rounded up to the end of the integer type, a float does not fit back into it.
    fits = found < 2.0 ** (63 if values.dtype.kind == "i" else 64)
    back = found[fits].astype(values.dtype)
    return not fits.all() or not np.array_equal(back, values[fits])


def warn_inexact(name: str, what: str) -> None:
    """Warn that values are rounded to the nearest float64."""
    warnings.warn(
        f"Column {name!r}: {what} are rounded to the nearest float64 (about 16 digits), so some "
        "that differ may become equal. If it is an identifier, leave the column out; else "
        "subtract a constant first.",
        DataWarning,
        stacklevel=2,
    )


def _column_of_masked(name: str, values: np.ma.MaskedArray[Any, Any]) -> Column:
    mask = np.ma.getmaskarray(values)
    if values.dtype.kind in "fiub":
        column = column_of_array(name, np.where(mask, np.zeros((), values.dtype), values.data))
        if not mask.any():
            return column
        return Column(column.info, np.where(mask, column.values.dtype.type(np.nan), column.values))
    objects = values.data.astype(object)
    objects[mask] = None
    return column_of_objects(name, objects.tolist())


def column_of_objects(name: str, values: Sequence[Any]) -> Column:
    """Read Python objects, by their types.

    Examples
    --------
    >>> column_of_objects("x", [1, None, 2.5]).values
    array([1. , nan, 2.5])
    >>> column_of_objects("city", ["Oslo", None]).info.kind
    <Kind.CATEGORICAL: 'categorical'>
    """
    found = set(map(type, values))
    if found <= _PLAIN_NUMBERS and (int not in found or _is_small(values)):
        # numpy itself takes None for NaN; this is the way of most lists.
        return numeric(name, np.array(values, dtype=np.float64))
    if found - {type(None)} == {str}:
        codes, levels = code_objects(values)
        return Column(ColumnInfo(name, Kind.CATEGORICAL, levels), codes)
    types, missing = found, missing_mask(values)
    if missing is not None:
        # NaN beside texts or dates is a missing mark, not a number.
        types = {type(v) for v, m in zip(values, missing.tolist(), strict=True) if not m}
        values = [None if m else v for v, m in zip(values, missing.tolist(), strict=True)]
    if not types:
        return numeric(name, np.full(len(values), np.nan))
    if all(issubclass(t, bool | np.bool_) for t in types):
        return numeric(name, _numbers(name, values, missing), "boolean")
    if all(issubclass(t, numbers.Real | np.bool_ | decimal.Decimal) for t in types):
        return numeric(name, _numbers(name, values, missing))
    if all(issubclass(t, str | bytes) for t in types):
        codes, levels = code_objects(values)
        return Column(ColumnInfo(name, Kind.CATEGORICAL, levels), codes)
    if all(issubclass(t, _TIME_TYPES) for t in types):
        return _column_of_times(name, values, missing, types)
    if any(issubclass(t, complex) for t in types):
        refuse_complex(np.dtype(complex))
    raise _refuse_objects(name, values, types)


def _is_small(values: Sequence[Any]) -> bool:
    return all(v is None or -EXACT_LIMIT <= v <= EXACT_LIMIT or v != v for v in values)


_PLAIN_NUMBERS = frozenset({int, float, type(None)})
_TIME_TYPES = (
    datetime.date,
    datetime.timedelta,
    datetime.time,
    np.datetime64,
    np.timedelta64,
)
_KNOWN_TYPES = (numbers.Real, np.bool_, decimal.Decimal, str, bytes, *_TIME_TYPES)


def _refuse_objects(name: str, values: Sequence[Any], types: set[type]) -> DataTypeError:
    strange = [t for t in types if not issubclass(t, _KNOWN_TYPES)]
    if strange:
        row = next(i for i, value in enumerate(values) if type(value) is strange[0])
        return DataTypeError(
            f"Column {name!r}, row {row}: the argument must be a string or a real number, not "
            f"{strange[0].__name__!r}."
        )
    names = " and ".join(sorted(t.__name__ for t in types))
    return DataTypeError(
        f"Column {name!r} mixes {names}. A column holds numbers, or texts, or dates. Convert it, "
        "e.g. all values to str to make it categorical."
    )


def missing_mask(values: Sequence[Any]) -> NDArray[np.bool_] | None:
    """Return the mask of None, pd.NA, NaT, np.ma.masked and NaN; None if nothing is missing."""
    types = set(map(type, values))
    can_miss = {t for t in types if t.__name__ in _MISSING_TYPES}
    # NaN, Decimal("NaN") and NaT differ from themselves.
    odd = tuple(
        t
        for t in types - can_miss
        if issubclass(t, float | np.floating | decimal.Decimal | np.datetime64 | np.timedelta64)
    )
    if not can_miss and not odd:
        return None
    mask = np.fromiter(
        (type(v) in can_miss or (isinstance(v, odd) and v != v) for v in values),
        dtype=bool,
        count=len(values),
    )
    return mask if mask.any() else None


def _numbers(
    name: str, values: Sequence[Any], missing: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    if missing is not None:
        values = [0.0 if m else v for v, m in zip(values, missing.tolist(), strict=True)]
    try:
        found = np.array([float(v) for v in values], dtype=np.float64)
    except OverflowError:
        row = next(i for i, v in enumerate(values) if abs(v) > sys.float_info.max)
        raise DataError(
            f"Column {name!r}, row {row}: the number is too large for float64 (beyond 1.8e308). "
            "Fitting takes finite numbers; rescale the column."
        ) from None
    if any(
        _is_inexact(value, number)
        for value, number in zip(values, found.tolist(), strict=True)
        if not isinstance(value, float)
    ):
        warn_inexact(name, "integers beyond 2**53 or decimals of more than 15 digits")
    if missing is not None:
        found[missing] = np.nan
    return found


def _is_inexact(value: Any, number: float) -> bool:
    if isinstance(value, int | np.integer):
        return abs(int(value)) > EXACT_LIMIT and int(number) != int(value)
    if isinstance(value, decimal.Decimal):
        # 0.1 is not a binary fraction, but it comes back as 0.1: only lost digits count.
        return value.is_finite() and decimal.Decimal(repr(number)) != value
    return False


def _column_of_times(
    name: str, values: Sequence[Any], missing: NDArray[np.bool_] | None, types: set[type]
) -> Column:
    is_missing = [False] * len(values) if missing is None else missing.tolist()
    span = (datetime.timedelta, np.timedelta64)
    if all(issubclass(t, datetime.time) for t in types):
        found = [
            np.nan if m else _since_midnight(v) for v, m in zip(values, is_missing, strict=True)
        ]
        return numeric(name, np.array(found), "duration")
    if any(issubclass(t, span) for t in types) and not all(issubclass(t, span) for t in types):
        raise _refuse_objects(name, values, types)
    kind = "m8" if issubclass(next(iter(types)), span) else "M8"
    zoned = [getattr(v, "tzinfo", None) is not None for v in values]
    nothing = np.timedelta64("NaT") if kind == "m8" else np.datetime64("NaT")
    plain = [nothing if m else _without_zone(v) for v, m in zip(values, is_missing, strict=True)]
    numbers_, display = seconds(name, np.array(plain, dtype=f"{kind}[us]"), zoned=any(zoned))
    return numeric(name, numbers_, display)


def _since_midnight(time: datetime.time) -> float:
    return time.hour * 3600 + time.minute * 60 + time.second + time.microsecond / 1e6


def _without_zone(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return np.datetime64(
            value.replace(fold=0) if type(value) is datetime.datetime else value, "us"
        )
    return np.datetime64(value, "us") if isinstance(value, datetime.date) else value
