"""A warning for columns in which nearly every row is a level of its own.

Such a column splits the training rows perfectly and says nothing about new ones. Often it is an
identifier; sometimes numbers or dates were read as strings, which the warning then says.
"""

from __future__ import annotations

import contextlib
import datetime
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataWarning

_MANY_ROWS, _MOSTLY_OWN, _LOOKED_AT = 20, 0.9, 100
_SOME_LEVELS, _MANY_LEVELS = 50, 1000


def warn_of_identifier(name: str, codes: NDArray[np.int32], levels: tuple[Any, ...]) -> None:
    """Warn if the rows of a categorical column have nearly as many levels as there are rows."""
    n_levels = len(levels)
    if n_levels < _MOSTLY_OWN * _MANY_ROWS:
        return
    counts = np.bincount(codes[codes >= 0], minlength=n_levels)
    n_used, n_present = int(np.count_nonzero(counts)), int(counts.sum())
    if n_present < _MANY_ROWS:
        return
    if n_used < _MOSTLY_OWN * n_present:
        _warn_of_many(name, n_used, n_present, levels)
        return
    warnings.warn(
        f"Column {name!r}: {n_used} levels in {n_present} rows; nearly every row has a level of "
        f"its own, so {_likely(levels)}",
        DataWarning,
        stacklevel=5,
    )


def _warn_of_many(name: str, n_used: int, n_present: int, levels: tuple[Any, ...]) -> None:
    """Warn of many levels, and of numbers or dates read as strings, where rows share them."""
    converted = _converted(levels) if n_used >= _SOME_LEVELS else ""
    if n_used >= _MANY_LEVELS or converted:
        advice = converted or (
            "sets of so many levels fit the training rows far better than new ones. Group them, or "
            "leave the column out."
        )
        warnings.warn(
            f"Column {name!r}: {n_used} levels in {n_present} rows; {advice}",
            DataWarning,
            stacklevel=6,
        )


def _converted(levels: tuple[Any, ...]) -> str:
    """Say that levels look like numbers or dates; "" if they do not."""
    text = _likely(levels)
    return text if "read as strings" in text else ""


def _likely(levels: tuple[Any, ...]) -> str:
    some = [level for level in levels if isinstance(level, str) and level.strip()][:_LOOKED_AT]
    if some and sum(map(_is_number, some)) >= _MOSTLY_OWN * len(some):
        return "it looks like numbers read as strings. Convert it, e.g. pandas.to_numeric(...)."
    if some and sum(map(_is_date, some)) >= _MOSTLY_OWN * len(some):
        return "it looks like dates read as strings. Convert it, e.g. pandas.to_datetime(...)."
    return (
        "it looks like an identifier, which splits the training rows perfectly and says nothing "
        "about new ones. Leave the column out, or group its levels."
    )


def _is_number(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return float(text) is not None
    return False


def _is_date(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return datetime.datetime.fromisoformat(text.strip()) is not None
    return False
