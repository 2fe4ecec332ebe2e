"""Options with one number per column: `monotonic_cst` and `column_cost`.

Given as a sequence in column order, or as a dict by column name for a few columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError, did_you_mean


def per_column(
    option: str, values: Any, names: Sequence[str], default: float
) -> npt.NDArray[np.float64]:
    """Give one number for each column; columns that a dict does not name get the default."""
    if isinstance(values, Mapping):
        strangers = [name for name in values if name not in names]
        if strangers:
            raise OptionError(
                f"{option} names column {strangers[0]!r}, which the table does not have."
                f"{did_you_mean(str(strangers[0]), names)}"
            )
        values = [values.get(name, default) for name in names]
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{option} must hold one number per column. Got {values!r}.") from None
    if numbers.shape != (len(names),):
        # scikit-learn's words, with ours behind.
        raise OptionError(
            f"{option} has shape {numbers.shape[0] if numbers.ndim else '()'} but the input data X "
            f"has {len(names)} features. Give one number per column, or a dict of a few."
        )
    return numbers


def read_monotonic(values: Any, names: Sequence[str]) -> list[int]:
    """Read monotonicity constraints: 1 rising, -1 falling, 0 free; [] when all are free."""
    if values is None:
        return []
    numbers = per_column("monotonic_cst", values, names, 0.0)
    if not np.isin(numbers, (-1, 0, 1)).all():
        raise OptionError(
            "monotonic_cst must be None or an array-like of -1, 0 or 1, but got "
            f"{np.unique(numbers)}."
        )
    return [int(number) for number in numbers] if numbers.any() else []


def read_column_cost(values: Any, names: Sequence[str]) -> list[float]:
    """Read the cost of asking for each column, by which its gain is divided; [] when all are 1."""
    if values is None:
        return []
    numbers = per_column("column_cost", values, names, 1.0)
    if not (np.isfinite(numbers).all() and (numbers > 0).all()):
        raise OptionError(f"column_cost must hold positive numbers. Got {numbers.tolist()}.")
    return [] if (numbers == 1).all() else numbers.tolist()
