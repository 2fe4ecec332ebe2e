"""Convert a list of Python objects to a typed column, by the types of the values.

None, NaN, pd.NA, NaT and np.ma.masked are missing in a column of any kind. Mixed types are an
error: [1, "a"] is more often a mistake than a category.
"""

from __future__ import annotations

import decimal
import numbers
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataError, DataTypeError
from ceiba.table.levels import encode_strings
from ceiba.table.readers.numeric import EXACT_LIMIT, numeric_column, refuse_complex, warn_inexact
from ceiba.table.readers.times import (
    CLOCK_TYPES,
    DATE_TYPES,
    SPAN_TYPES,
    TIME_TYPES,
    find_zone,
    objects_to_seconds,
    start_of_period,
)
from ceiba.table.schema import ColumnInfo, Kind
from ceiba.table.table import Column

# pd.NA, pd.NaT and np.ma.masked are recognized by name, without importing pandas.
_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType", "MaskedConstant"})
_PLAIN_NUMBERS = frozenset({int, float, type(None)})
_NUMBER_TYPES = (numbers.Real, np.bool_, decimal.Decimal)
_TEXT_TYPES = (str, bytes)
_KNOWN_TYPES = (*_NUMBER_TYPES, *_TEXT_TYPES, *TIME_TYPES)


def objects_to_column(name: str, values: Sequence[Any]) -> Column:
    """Convert Python objects to a column whose kind depends on their types."""
    all_types = set(map(type, values))
    if all_types <= _PLAIN_NUMBERS and (
        int not in all_types
        or all(v is None or -EXACT_LIMIT <= v <= EXACT_LIMIT or v != v for v in values)
    ):
        # Numbers and None need no loop, because numpy converts None to NaN.
        of_integers = int in all_types and float not in all_types
        return numeric_column(name, np.array(values, dtype=np.float64), of_integers=of_integers)
    if all_types - {type(None)} == {str}:
        codes, levels = encode_strings(values)
        return Column(ColumnInfo(name, Kind.CATEGORICAL, levels), codes, levels_found=True)
    types, missing = all_types, missing_mask(values)
    if missing is not None:
        # NaN among strings or dates is a missing value, not a number.
        types = {type(v) for v, m in zip(values, missing.tolist(), strict=True) if not m}
        values = [None if m else v for v, m in zip(values, missing.tolist(), strict=True)]
    if not types:
        return numeric_column(name, np.full(len(values), np.nan))
    if {t.__name__ for t in types} == {"Period"}:
        values = [None if value is None else start_of_period(value) for value in values]
        types = {np.datetime64}
    if _all_subclasses(types, (bool, np.bool_)):
        return numeric_column(name, _to_floats(name, values), "boolean")
    if _all_subclasses(types, _NUMBER_TYPES):
        return numeric_column(name, _to_floats(name, values))
    if _all_subclasses(types, _TEXT_TYPES):
        codes, levels = encode_strings(values)
        return Column(ColumnInfo(name, Kind.CATEGORICAL, levels), codes, levels_found=True)
    if any(_all_subclasses(types, alike) for alike in (DATE_TYPES, CLOCK_TYPES, SPAN_TYPES)):
        seconds, display = objects_to_seconds(name, values)
        return numeric_column(name, seconds, display, find_zone(name, values))
    if any(issubclass(t, complex) for t in types):
        refuse_complex(np.dtype(complex))
    raise _object_error(name, values, types)


def _all_subclasses(types: set[type], bases: tuple[type, ...]) -> bool:
    return all(issubclass(t, bases) for t in types)


def _object_error(name: str, values: Sequence[Any], types: set[type]) -> DataTypeError:
    strange = [t for t in types if not issubclass(t, _KNOWN_TYPES)]
    if strange:
        row = next(i for i, value in enumerate(values) if type(value) is strange[0])
        hint = "Supported types: numbers, booleans, strings, categories, dates and durations."
        if strange[0].__name__ == "Interval":
            hint = "Pass its bounds as two numeric columns, or convert it with .astype(str)."
        return DataTypeError(
            f"Column {name!r}, row {row}: the argument must be a string or a real number, not "
            f"{strange[0].__name__!r}. {hint}"
        )
    names = " and ".join(sorted(t.__name__ for t in types))
    return DataTypeError(
        f"Column {name!r} mixes {names}. Convert its values to one type, e.g. to str to make it "
        "categorical."
    )


def missing_mask(values: Sequence[Any]) -> NDArray[np.bool_] | None:
    """Return the mask of missing values (None, NA, NaT, NaN, masked), or None if there are none."""
    types = set(map(type, values))
    can_miss = {t for t in types if t.__name__ in _MISSING_TYPES}
    # NaN and NaT do not equal themselves; comparing Decimal("sNaN") raises an error.
    odd = tuple(
        t
        for t in types - can_miss
        if issubclass(t, float | np.floating | np.datetime64 | np.timedelta64)
    )
    decimals = any(issubclass(t, decimal.Decimal) for t in types)
    if not can_miss and not odd and not decimals:
        return None
    mask = np.fromiter(
        (
            type(v) in can_miss
            or (isinstance(v, odd) and v != v)
            or (decimals and isinstance(v, decimal.Decimal) and v.is_nan())
            for v in values
        ),
        dtype=bool,
        count=len(values),
    )
    return mask if mask.any() else None


def _to_floats(name: str, values: Sequence[Any]) -> NDArray[np.float64]:
    """Convert numbers and None (as NaN) to float64."""
    try:
        floats = np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)
    except OverflowError:
        largest = sys.float_info.max
        row = next(i for i, v in enumerate(values) if v is not None and abs(v) > largest)
        raise DataError(
            f"Column {name!r}, row {row}: the number is too large for float64 (beyond 1.8e308). "
            "Rescale the column."
        ) from None
    if any(map(_is_inexact, values, floats.tolist())):
        warn_inexact(name, "integers beyond 2**53 or decimals of more than 15 digits")
    return floats


def _is_inexact(value: Any, number: float) -> bool:
    if isinstance(value, int | np.integer):
        return abs(int(value)) > EXACT_LIMIT and int(number) != int(value)
    if isinstance(value, decimal.Decimal):
        # The value is exact if the shortest decimal form of the float equals it, as for 0.1.
        return value.is_finite() and decimal.Decimal(repr(number)) != value
    return False
