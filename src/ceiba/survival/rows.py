"""Functions that read and check survival times, events and weights."""

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
        raise DataError(f"event must have the shape of time {times.shape}, got {status.shape}.")
    wrong = status[~np.isin(status, (0, 1))]
    if len(wrong) or status.dtype.kind not in "biuf":
        got = wrong[0] if status.dtype.kind in "biuf" else f"dtype {status.dtype}"
        raise DataError(f"event must be 1 (event), 0 (censored) or a boolean, got {got}.")
    weights = np.ones(len(times)) if sample_weight is None else sample_weight
    weight = read_numbers(weights, "sample_weight")
    if len(weight) != len(times):
        raise DataError(f"sample_weight must have {len(times)} values, got {len(weight)}.")
    if not weight.sum() > 0:
        raise DataError("At least one row must have a weight above 0.")
    return times, status.astype(bool), weight


def read_numbers(values: Any, name: str) -> Array:
    """Return values as a 1-d array after checking that they are finite and at least 0."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must contain only numbers ({error}).") from None
    if numbers.ndim != 1:
        raise DataError(f"{name} must have one dimension, got shape {numbers.shape}.")
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
    if len(wrong):
        at = int(wrong[0])
        raise DataError(f"{name} must be finite and at least 0, got {numbers[at]:g} at index {at}.")
    return numbers
