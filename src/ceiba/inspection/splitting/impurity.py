"""Compute the impurity and the most frequent value of labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.criteria import criterion_named
from ceiba.errors import DataError, OptionError
from ceiba.table import read_target
from ceiba.task import Task


def impurity(
    labels: Any = None,
    criterion: str = "gini",
    *,
    counts: Any = None,
    weight: npt.ArrayLike | None = None,
    base: float | None = None,
) -> float:
    """Return the impurity of a set of labels or numbers.

    Parameters
    ----------
    labels : array-like or mapping
        The labels, one per row; for a regression criterion the numbers. A mapping of label to
        count is read as counts.
    criterion : str, default="gini"
        "gini", "entropy" (bits), "log_loss", "error"; "squared_error" (variance),
        "absolute_error" (mean distance from the median), "poisson" (half the mean deviance).
    counts : array-like, optional
        Counts or shares of the classes, instead of labels.
    weight : array-like, optional
        Weight of each row.
    base : float, optional
        Base of the logarithm of "entropy" and "log_loss": 2 (bits, the default), `math.e` (nats),
        10.

    Returns
    -------
    float

    Examples
    --------
    >>> import ceiba
    >>> ceiba.impurity(["yes", "yes", "no", "no"])
    0.5
    >>> ceiba.impurity({"yes": 6, "no": 6}, "entropy")
    1.0
    >>> round(ceiba.impurity({"yes": 6, "no": 6}, "entropy", base=10), 3)
    0.301
    >>> ceiba.impurity(counts=[50, 50, 50])
    0.6666666666666666
    >>> ceiba.impurity([1.0, 3.0], "squared_error")
    1.0
    """
    chosen = criterion_named(criterion)
    if isinstance(labels, Mapping):
        if counts is not None:
            raise OptionError("labels cannot be combined with counts. Pass only one of them.")
        labels, counts = None, list(labels.values())
    if (labels is None) == (counts is None):
        raise OptionError("Pass either labels (one per row) or counts (one per class).")
    if chosen.of_split is not None:
        raise OptionError(
            f"criterion={chosen.name!r} does not define an impurity, because it only scores "
            f"splits. Use ceiba.gain(..., criterion={chosen.name!r})."
        )
    if chosen.of_counts is not None:
        if counts is None:
            target = read_target(labels, task=Task.CLASSIFICATION, n_rows=len(labels))
            weights = None if weight is None else np.asarray(weight, dtype=np.float64)
            counts = np.bincount(target.values[:, 0], weights=weights)
        return float(chosen.of_counts(_check_counts(counts))) * log_factor(base, chosen.name)
    log_factor(base, chosen.name)
    if counts is not None:
        raise OptionError(
            f"counts is not supported with criterion={criterion!r}. Pass the numbers as labels."
        )
    assert chosen.of_values is not None  # set if of_counts is None
    target = read_target(labels, task=Task.REGRESSION, n_rows=len(labels))
    return chosen.of_values(target.values[:, 0], weight)


def plurality(labels: Any, *, weight: npt.ArrayLike | None = None) -> Any:
    """Return the most frequent label (on ties, the first in sorted order or in the mapping).

    Parameters
    ----------
    labels : array-like or mapping of label to count
    weight : array-like, optional
        Weight of each label.

    Returns
    -------
    label

    Examples
    --------
    >>> from ceiba.inspection import plurality
    >>> plurality(["Yes", "No", "Yes"]), plurality({"a": 3, "b": 3})
    ('Yes', 'a')
    """
    if isinstance(labels, Mapping):
        if not labels:
            raise OptionError("labels must not be empty.")
        highest = max(labels.values())
        return next(label for label, count in labels.items() if count == highest)
    target = read_target(labels, task="classification", n_rows=len(labels))
    weights = None if weight is None else np.asarray(weight, dtype=np.float64)
    counts = np.bincount(target.values[:, 0], weights=weights)
    label = target.info.classes[0][int(np.argmax(counts))]
    return label.item() if hasattr(label, "item") else label


def log_factor(base: float | None, criterion: str) -> float:
    """Return the factor that converts bits to another base of the logarithm."""
    if base is None:
        return 1.0
    if criterion not in ("entropy", "log_loss", "gain_ratio"):
        raise OptionError(f"base is not supported with criterion={criterion!r}.")
    if isinstance(base, bool) or not isinstance(base, int | float) or not 1 < base < math.inf:
        raise OptionError(f"base must be a number above 1, such as 2 or math.e, got {base!r}.")
    return 1.0 / math.log2(base)


def _check_counts(counts: Any) -> npt.NDArray[np.float64]:
    numbers = np.asarray(counts, dtype=np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all() or (numbers < 0).any():
        raise DataError(f"counts must be non-negative numbers, one per class, got {counts!r}.")
    if numbers.sum() <= 0:
        raise DataError("counts must not be all zero.")
    return numbers
