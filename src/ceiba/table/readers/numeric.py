"""Columns of numbers: what is float stays, everything else becomes the nearest float64.

Integers beyond 2**53 have no float64 of their own; where that merges or moves values a warning says
so. Complex numbers have no order and are refused.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataError, DataWarning
from ceiba.table.schema import ColumnInfo, Display, Kind
from ceiba.table.table import Column

EXACT_LIMIT = 2**53


def numeric_column(
    name: str,
    values: NDArray[Any],
    display: Display = "number",
    zone: str | None = None,
    *,
    of_integers: bool = False,
) -> Column:
    """Return a numeric column over float values."""
    info = ColumnInfo(name, Kind.NUMERIC, display=display, zone=zone)
    return Column(info, values, of_integers=of_integers)


def as_floats(values: NDArray[Any]) -> NDArray[Any]:
    """Return float64 and float32 as they are, other floats converted to the nearest of them.

    Values that do not lie where their type wants them (fields of a packed record, a buffer read
    from an odd byte on) are copied: the core reads whole numbers of bytes at a time.
    """
    if values.dtype == np.float64 or values.dtype == np.float32:
        return values if values.flags.aligned else values.copy()
    return values.astype(np.float32 if values.dtype.itemsize < 4 else np.float64)


def integers_to_floats(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return integers as float64, with a warning if some have no float64 of their own."""
    floats = values.astype(np.float64)
    if values.dtype.itemsize == 8 and values.size:
        low, high = int(values.min()), int(values.max())
        if max(-low, high) > EXACT_LIMIT and _loses_digits(values, floats):
            warn_inexact(name, "integers beyond 2**53")
    return floats


def _loses_digits(values: NDArray[Any], floats: NDArray[np.float64]) -> bool:
    # Rounded up to the end of the integer type, a float does not fit back into it.
    fits = floats < 2.0 ** (63 if values.dtype.kind == "i" else 64)
    back = floats[fits].astype(values.dtype)
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


def refuse_complex(dtype: np.dtype[Any]) -> None:
    """Raise scikit-learn's error for complex numbers."""
    if dtype.kind == "c":
        raise DataError(
            "Complex data not supported. A tree needs an order: give the real and the imaginary "
            "part as columns of their own (X.real, X.imag)."
        )
