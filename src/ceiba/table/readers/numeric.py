"""Read numeric columns: keep floats, and convert other numbers to the nearest float64.

Integers beyond 2**53 may not be exact in float64; a warning is issued if values change. Complex
numbers have no order and are rejected.
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
    """Return a numeric column of float values."""
    info = ColumnInfo(name, Kind.NUMERIC, display=display, zone=zone)
    return Column(info, values, of_integers=of_integers)


def as_floats(values: NDArray[Any]) -> NDArray[Any]:
    """Return float64 and float32 unchanged, float16 as float32 and longer floats as float64."""
    if values.dtype == np.float64 or values.dtype == np.float32:
        # The core requires aligned data, but the fields of packed records may be unaligned.
        return values if values.flags.aligned else values.copy()
    return values.astype(np.float32 if values.dtype.itemsize < 4 else np.float64)


def integers_to_floats(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
    """Convert integers to float64, with a warning if some are rounded."""
    floats = values.astype(np.float64)
    is_long = values.dtype.itemsize == 8 and values.size > 0
    if is_long and max(-int(values.min()), int(values.max())) > EXACT_LIMIT:
        # A float rounded up to the limit of the integer type cannot be cast back.
        fits = floats < 2.0 ** (63 if values.dtype.kind == "i" else 64)
        back = floats[fits].astype(values.dtype)
        if not fits.all() or not np.array_equal(back, values[fits]):
            warn_inexact(name, "integers beyond 2**53")
    return floats


def warn_inexact(name: str, values: str) -> None:
    """Warn that values are rounded to the nearest float64."""
    warnings.warn(
        f"Column {name!r}: {values} are rounded to the nearest float64 (about 16 digits); distinct "
        "values may become equal. If the column is an identifier, drop it; else subtract a "
        "constant first.",
        DataWarning,
        stacklevel=2,
    )


def refuse_complex(dtype: np.dtype[Any]) -> None:
    """Raise scikit-learn's error for complex numbers."""
    if dtype.kind == "c":
        raise DataError(
            "Complex data not supported. Pass the real and the imaginary part as separate columns "
            "(X.real, X.imag)."
        )
