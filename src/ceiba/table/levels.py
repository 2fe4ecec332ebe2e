"""Find, sort and encode the levels of categorical columns.

Levels are in declared order, else sorted. Their order of appearance is never used, since trees must
not depend on it. A level is a str, int, float or bool, so that it can be printed, saved and
compared everywhere; other values (dates, intervals) are converted to strings.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataError, did_you_mean
from ceiba.table.schema import join_names
from ceiba.table.table import MISSING_CODE

Codes = NDArray[np.int32]

_MAX_INTEGER = 2**64  # larger integers cannot be stored in model files


def normalize_level(value: Any) -> str | int | float | bool:
    """Convert a level to str, int, float or bool."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value) if abs(value) < _MAX_INTEGER else str(value)
    if isinstance(value, float):
        if not math.isfinite(value):  # model files are JSON, which has no infinities or NaN
            return str(value)
        return int(value) if value.is_integer() and abs(value) < _MAX_INTEGER else value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def sort_levels(levels: Sequence[Any]) -> tuple[Any, ...]:
    """Return the levels sorted, with numbers before strings."""
    return tuple(sorted(levels, key=lambda level: (isinstance(level, str), level)))


def encode_strings(values: Sequence[Any]) -> tuple[Codes, tuple[Any, ...]]:
    """Encode strings by their sorted levels; values other than str and bytes are missing."""
    # Sort only the distinct strings; np.unique would sort all rows.
    distinct = dict.fromkeys(values)
    plain = {v: normalize_level(v) for v in distinct if isinstance(v, str | bytes)}
    levels = sort_levels(list(set(plain.values())))
    code_of = {level: code for code, level in enumerate(levels)}
    lookup = {v: code_of[plain[v]] if v in plain else MISSING_CODE for v in distinct}
    codes = np.fromiter(map(lookup.__getitem__, values), np.int32, len(values))
    return codes, levels


def normalize_levels(
    name: str, codes: NDArray[Any], levels: Sequence[Any], *, declared: bool
) -> tuple[Codes, tuple[Any, ...]]:
    """Return codes and levels; unless `declared`, drop unused levels and sort the others."""
    codes = codes.astype(np.int32, copy=False)
    plain = [normalize_level(level) for level in levels]
    if len(set(plain)) < len(plain):
        twice = next(level for level in plain if plain.count(level) > 1)
        raise DataError(f"Column {name!r}: two levels are both read as {twice!r}. Rename one.")
    if declared:
        return codes, tuple(plain)
    used = np.bincount(codes[codes >= 0], minlength=len(plain)) > 0
    used_levels = sort_levels(
        [level for level, is_used in zip(plain, used, strict=True) if is_used]
    )
    code_of = {level: code for code, level in enumerate(used_levels)}
    return recode(codes, [code_of.get(level, MISSING_CODE) for level in plain]), used_levels


def recode(codes: Codes, new_codes: Sequence[int]) -> Codes:
    """Replace each code ``c`` by ``new_codes[c]``; missing values stay missing."""
    # Code -1 (missing) indexes the last entry, which is -1.
    lookup = np.array([*new_codes, MISSING_CODE], dtype=np.int32)
    return lookup[codes]


def encode_numbers(values: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Encode numbers by their sorted distinct values; NaN is missing."""
    present = ~np.isnan(values)
    codes = np.full(len(values), MISSING_CODE, dtype=np.int32)
    distinct, inverse = np.unique(values[present], return_inverse=True)
    codes[present] = inverse
    return codes, distinct


class Levels(list[Any]):
    """A list of categorical values that declares the levels and their order.

    Parameters
    ----------
    values : iterable
        One level for each row; None is missing.
    levels : sequence
        The levels in their order.
    ordered : bool, default=False
        Whether the levels are ordered: splits are then cuts along the order.

    Examples
    --------
    >>> from ceiba.table import read
    >>> size = Levels(["M", "S", None], levels=["S", "M", "L"], ordered=True)
    >>> read({"size": size}).columns[0].values.tolist()
    [1, 0, -1]
    """

    def __init__(
        self, values: Iterable[Any], levels: Sequence[Any], *, ordered: bool = False
    ) -> None:
        super().__init__(values)
        self.levels = tuple(levels)
        self.ordered = ordered
        allowed = {*self.levels, None}
        for row, value in enumerate(self):
            if value not in allowed:
                raise DataError(
                    f"Row {row}: {value!r} is not a level. Levels: "
                    f"{join_names(self.levels)}.{did_you_mean(value, self.levels)}"
                )

    def codes(self) -> list[int]:
        """Return the position of each value among the levels, or -1 if it is missing."""
        code_of = {level: code for code, level in enumerate(self.levels)}
        return [code_of.get(value, -1) for value in self]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (list(self), self.levels, self.ordered)


def _rebuild(values: list[Any], levels: tuple[Any, ...], ordered: bool) -> Levels:
    return Levels(values, levels, ordered=ordered)
