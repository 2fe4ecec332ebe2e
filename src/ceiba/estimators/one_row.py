"""One row, however it is given, as a table."""

from __future__ import annotations

from typing import Any

import numpy as np


def one_row(row: Any) -> Any:
    """Make a table of one row from a dict of values or a sequence of them."""
    if isinstance(row, dict):
        scalar = all(np.ndim(value) == 0 for value in row.values())
        return {name: [value] for name, value in row.items()} if scalar else row
    if type(row).__module__.startswith("pandas") and getattr(row, "ndim", 2) == 1:
        return {name: [value] for name, value in row.items()}
    if isinstance(row, np.ndarray):
        fields = row.dtype.names is not None  # a structured array: its rows, whatever their number
        return row.reshape(1, -1) if row.ndim == 1 and not fields else row
    if isinstance(row, list | tuple) and row and np.ndim(row[0]) == 0:
        return [list(row)] if not isinstance(row[0], dict) else row
    return row
