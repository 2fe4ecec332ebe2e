"""A column as read -> the same column by the schema: codes by the schema's levels, kinds checked.

A level that the schema does not know gets the code ``n_levels`` (unseen is not missing), becomes
missing, or is an error. A column without any present value fits every kind.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import SchemaError, did_you_mean
from ceiba.table.column import MISSING_CODE, Column
from ceiba.table.display import level_of_number
from ceiba.table.levels import code_numbers, recode
from ceiba.table.readers.times import iso_seconds
from ceiba.table.schema import ColumnInfo, Kind, listing

Unseen = Literal["keep", "missing", "error"]
_PLAIN = ("number", "boolean")
_DATES = ("date", "datetime")


def conform(column: Column, info: ColumnInfo, unseen: Unseen = "keep") -> Column:
    """Return ``column`` as a column of ``info``."""
    if info.is_numeric:
        return Column(info, _numbers(column, info))
    if column.info.is_numeric:
        codes, levels = _levels_of_numbers(column, info)
    else:
        codes, levels = column.values, column.info.levels
    if levels == info.levels:
        return Column(info, codes)
    _check_level_types(levels, info)
    return Column(info, _recode(codes, levels, info, unseen))


def _numbers(column: Column, info: ColumnInfo) -> NDArray[Any]:
    if not column.info.is_numeric:
        if column.missing.all():
            return np.full(len(column.values), np.nan)
        if info.display in _DATES and all(isinstance(level, str) for level in column.info.levels):
            return _iso_strings(column, info)
        raise SchemaError(
            f"Column {info.name!r}: expected {_expected(info)}, got strings or categories "
            f"({listing(column.info.levels, 3)}). Convert the column to what it was when fitting."
        )
    mine, theirs = info.display, column.info.display
    same = mine == theirs or (mine in _PLAIN and theirs in _PLAIN)
    same = same or {mine, theirs} == {"date", "datetime"}
    if not same and not column.missing.all():
        raise SchemaError(
            f"Column {info.name!r}: expected {_expected(info)}, got {_WORDS[theirs]}. Convert the "
            "column to what it was when fitting."
        )
    if mine in _DATES and theirs in _DATES and not column.missing.all():
        _check_zones(info, column.info.zone)
    return column.values


def _iso_strings(column: Column, info: ColumnInfo) -> NDArray[Any]:
    """Read ISO strings where dates are expected, each distinct one once."""
    used = np.unique(column.values[~column.missing])
    numbers, zone = iso_seconds(info.name, [column.info.levels[code] for code in used.tolist()])
    _check_zones(info, zone)
    # The last entry serves code -1.
    by_code: NDArray[Any] = np.full(len(column.info.levels) + 1, np.nan)
    by_code[used] = numbers
    result: NDArray[Any] = by_code[column.values]
    return result


def _check_zones(info: ColumnInfo, zone: str | None) -> None:
    """Refuse datetimes with a time zone where those of the fit had none, or the reverse."""
    if (info.zone is None) == (zone is None):
        return
    then = "without a time zone" if info.zone is None else f"in a time zone ({info.zone})"
    now = "without one" if zone is None else f"in a time zone ({zone})"
    remedy = "Take it off" if info.zone is None else "Say which one they are in"
    raise SchemaError(
        f"Column {info.name!r}: expected datetimes {then}, got datetimes {now}. {remedy}, e.g. "
        f"with .dt.tz_localize({None if info.zone is None else repr(info.zone)}) of pandas."
    )


def _levels_of_numbers(column: Column, info: ColumnInfo) -> tuple[NDArray[Any], tuple[Any, ...]]:
    codes, numbers = code_numbers(column.values)
    levels = tuple(level_of_number(number, column.info.display) for number in numbers.tolist())
    return codes, levels


def _check_level_types(levels: tuple[Any, ...], info: ColumnInfo) -> None:
    """Refuse a column of numbers where strings were seen, or the reverse."""
    if not levels or not info.levels:
        return
    texts_now = {isinstance(level, str) for level in levels}
    texts_then = {isinstance(level, str) for level in info.levels}
    if texts_now.isdisjoint(texts_then):
        got = "strings" if True in texts_now else "numbers"
        raise SchemaError(
            f"Column {info.name!r}: expected {_expected(info)}, got {got} ({listing(levels, 3)}). "
            "Convert the column to what it was when fitting."
        )


def _recode(
    codes: NDArray[Any], levels: tuple[Any, ...], info: ColumnInfo, unseen: Unseen
) -> NDArray[np.int32]:
    other = MISSING_CODE if unseen == "missing" else info.n_levels
    new_codes = [info.codes.get(level, other) for level in levels]
    result = recode(codes, new_codes)
    if unseen == "error" and (result == info.n_levels).any():
        row = int(np.argmax(result == info.n_levels))
        level = levels[codes[row]]
        raise SchemaError(
            f"Column {info.name!r}: level {level!r} was not seen when fitting ({info.n_levels} "
            f"levels).{did_you_mean(level, info.levels)} Pass unseen='majority' or refit."
        )
    return result


_WORDS = {
    "number": "numbers",
    "boolean": "booleans",
    "date": "dates",
    "datetime": "datetimes",
    "duration": "durations",
}


def _expected(info: ColumnInfo) -> str:
    if info.is_numeric:
        return _WORDS[info.display]
    kind = "an ordered category" if info.kind is Kind.ORDERED else "categories"
    return f"{kind} ({listing(info.levels, 3)})"
