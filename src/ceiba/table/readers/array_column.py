"""One 1-d numpy array -> a typed column, by its dtype.

numbers -> numeric | bool -> numeric 0/1, shown as yes/no | strings -> categorical | datetime64 and
timedelta64 -> numeric seconds | object -> by the types of its values | masked -> missing there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba.errors import DataTypeError
from ceiba.table.column import Column
from ceiba.table.levels import code_objects
from ceiba.table.readers.numeric import floats, floats_of_integers, numeric, refuse_complex
from ceiba.table.readers.objects import column_of_objects
from ceiba.table.readers.times import seconds
from ceiba.table.schema import ColumnInfo, Kind


def column_of_array(name: str, values: NDArray[Any]) -> Column:
    """Read a 1-d numpy array."""
    if isinstance(values, np.ma.MaskedArray):
        return _column_of_masked(name, values)
    kind = values.dtype.kind
    if kind == "f":
        return numeric(name, floats(values))
    if kind in "iu":
        return numeric(name, floats_of_integers(name, values), of_integers=True)
    if kind == "b":
        return numeric(name, values.astype(np.float64), "boolean")
    if kind == "O":
        return column_of_objects(name, values.tolist())
    if kind in "UST":
        codes, levels = code_objects(values.tolist())
        return Column(ColumnInfo(name, Kind.CATEGORICAL, levels), codes, levels_found=True)
    if kind in "Mm":
        numbers, display = seconds(name, values)
        return numeric(name, numbers, display)
    refuse_complex(values.dtype)
    raise DataTypeError(
        f"Column {name!r}: values of type {values.dtype} cannot be read. Allowed are numbers, "
        "booleans, strings, categories and dates."
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
