"""Read sample weights: one finite number >= 0 per row, as in scikit-learn."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceiba import _core
from ceiba.errors import DataError, DataTypeError


def read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return sample weights as an array with one weight per row, or None without weights."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(n_rows, float(sample_weight))
    try:
        array = np.asarray(sample_weight)
        weights: NDArray[np.float64] = np.require(array, np.float64, ["C", "A"])
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"sample_weight must contain numbers ({error}).") from None
    if array.ndim == 0:
        raise DataTypeError(
            f"Singleton array {weights.reshape(())!r} cannot be considered a valid collection. "
            "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar "
            f"`{weights.reshape(())!r}` instead. Pass a number, or an array of weights."
        )
    if array.ndim != 1:
        raise DataError(
            f"Sample weights must be 1D array or scalar, got {array.ndim}D array. Expected either "
            f"a scalar value or a 1D array of length {n_rows}."
        )
    if len(weights) != n_rows:
        raise DataError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: one weight per row."
        )
    if not len(weights):
        return weights
    low, high = float(weights.min()), float(weights.max())  # NaN if any weight is NaN
    if low != low or low == -np.inf or high == np.inf:
        row = int(np.argmin(np.isfinite(weights)))
        raise DataError(
            f"Input sample_weight contains NaN, infinity or a value too large: row {row} has "
            f"{weights[row]}. Weights must be finite and at least 0."
        )
    if low < 0:
        raise DataError(
            f"Negative values in data passed to `sample_weight`: row {int(np.argmin(weights))} has "
            f"{low:g}. Weights must be finite and at least 0."
        )
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if total == np.inf:
        raise DataError(
            f"Sample weights are too large: weights up to {high:g} sum to infinity. Divide all "
            "weights by the same number."
        )
    if high == 0:
        raise DataError(
            "Sample weights must contain at least one non-zero number; all weights are zero."
        )
    return weights


def exact_sum(weight: NDArray[np.float64]) -> float:
    """Return the exactly rounded sum of weights, which does not depend on their order."""
    return float(exact_sums(weight, None, 1)[0])


def exact_sums(
    weight: NDArray[np.float64], groups: NDArray[np.int32] | None, n_groups: int
) -> NDArray[np.float64]:
    """Return the exactly rounded sum of the weights in each group (None: one group)."""
    return round_digit_sums(np.asarray(_core.sum_digits(weight, groups, n_groups)))


def round_digit_sums(digits: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Round the exact sums of `_core.sum_digits` to floats."""
    return np.asarray(_core.digit_sums(digits))


def count_effective_rows(weight: NDArray[np.float64] | None, n_rows: int, counts: bool) -> float:
    """Return the effective sample size: the sum of frequency weights, or else Kish's formula."""
    if weight is None:
        return float(n_rows)
    if counts:
        return float(weight.sum())
    # Kish (1965): (sum of w)^2 / sum of w^2, which does not depend on the scale of the weights.
    relative = weight / max(float(weight.max(initial=0.0)), np.finfo(np.float64).tiny)
    return float(relative.sum()) ** 2 / float(relative @ relative)
