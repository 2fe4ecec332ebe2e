"""Check survival times, events and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError

Array = npt.NDArray[np.float64]


def read_rows(
    time: npt.ArrayLike, event: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
) -> tuple[Array, npt.NDArray[np.bool_], Array]:
    """Return times, events and weights as arrays of equal length after checking them."""
    times = read_numbers(time, "time")
    status = np.asarray(event)
    if status.ndim != 1 or len(status) != len(times):
        raise DataError(f"event must have the shape of time, {times.shape}, got {status.shape}.")
    if status.dtype.kind not in "biuf" or not np.isin(status, (0, 1)).all():
        raise DataError("event must be True or False (1 or 0); True means that the event occurred.")
    weight = np.ones(len(times)) if sample_weight is None else read_numbers(sample_weight, "weight")
    if len(weight) != len(times):
        raise DataError(f"sample_weight must have {len(times)} values, got {len(weight)}.")
    if not weight.sum() > 0:
        raise DataError("At least one row must have a weight above 0.")
    return times, status.astype(bool), weight


def read_numbers(values: Any, name: str) -> Array:
    """Return finite numbers of at least 0 as a flat array."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers.") from None
    if numbers.ndim != 1:
        raise DataError(f"{name} must have one dimension, got shape {numbers.shape}.")
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"{name} must be finite and at least 0, got {numbers[row]:g} at position {row}."
        )
    return numbers
