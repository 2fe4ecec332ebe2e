"""Encode class labels as sorted classes and int32 codes.

Integers in a small range are encoded by a lookup table in the core, without sorting. Strings are
encoded by a dict, so that only the distinct ones are sorted. Other values are sorted by np.unique.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ceiba import _core
from ceiba.errors import DataError, DataTypeError, DataWarning

Array = NDArray[Any]
EncodedLabels = tuple[Array, NDArray[np.int32]]
# Float labels with more classes and fewer rows per class than these limits cause a warning.
_MAX_FLOAT_CLASSES: Final = 10
_MIN_ROWS_PER_CLASS: Final = 10


def encode_labels(y: Array, n_threads: int = 1) -> EncodedLabels:
    """Return the sorted classes of ``y`` and the code of each row; labels must not be missing."""
    kind = y.dtype.kind
    if kind in "iub":
        return _encode_integers(y, n_threads)
    if kind == "f":
        return _encode_floats(y)
    if kind in "UT":
        classes, codes = _encode_texts(y.tolist())
        # Trim the dtype to the longest class, so that the classes equal those of a loaded model.
        return classes.astype(str if kind == "U" else y.dtype), codes
    if kind == "O":
        return _encode_objects(y)
    return _encode_by_sorting(y)


def _encode_by_sorting(y: Array) -> EncodedLabels:
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)


def _encode_integers(y: Array, n_threads: int = 1) -> EncodedLabels:
    if y.dtype != np.int64:
        if y.dtype == np.uint64 and int(y.max()) >= 2**63:
            return _encode_by_sorting(y)
        classes, codes = _encode_integers(y.astype(np.int64), n_threads)
        return classes.astype(y.dtype), codes
    coded: Any = _core.code_integers(y if y.flags.aligned else y.copy(), n_threads)
    return _encode_by_sorting(y) if coded is None else coded


def _encode_floats(y: Array) -> EncodedLabels:
    if not np.array_equal(y, np.floor(y)):
        raise label_type_error("continuous")
    n = len(np.unique(y))
    if n > _MAX_FLOAT_CLASSES and n * _MIN_ROWS_PER_CLASS > len(y):
        warnings.warn(
            f"The target has {n} distinct floats in {len(y)} rows, which a classifier treats as "
            f"{n} classes. Use a regressor for a quantity (rpart: method='anova'), or pass classes "
            "as integers or strings.",
            DataWarning,
            stacklevel=2,
        )
    if np.abs(y).max() < 2**53:
        classes, codes = _encode_integers(y.astype(np.int64))
        return classes.astype(y.dtype), codes
    return _encode_by_sorting(y)


def _encode_texts(values: Sequence[str]) -> EncodedLabels:
    ordered = sorted(dict.fromkeys(values))
    code_of = {label: code for code, label in enumerate(ordered)}
    codes = np.fromiter(map(code_of.__getitem__, values), np.int32, len(values))
    classes = np.empty(len(ordered), dtype=object)
    classes[:] = ordered
    return classes, codes


def _encode_objects(y: Array) -> EncodedLabels:
    values = y.tolist()
    types = set(map(type, values))
    if all(issubclass(t, str) for t in types):
        return _encode_texts(list(map(str, values)) if np.str_ in types else values)
    if all(issubclass(t, bool | np.bool_) for t in types):
        return _encode_integers(y.astype(bool))
    if all(issubclass(t, int | np.integer) for t in types):
        try:
            return _encode_integers(y.astype(np.int64))
        except OverflowError:
            return _encode_texts(values)
    if all(issubclass(t, int | float | np.number) for t in types):
        try:
            numbers = y.astype(np.float64)
        except OverflowError:
            raise DataError(
                "Input y mixes floats with integers beyond 1.8e308, which are too large for a "
                "float. Pass the classes as strings."
            ) from None
        refuse_infinite(numbers)
        return _encode_floats(numbers)
    try:
        return _encode_texts(values)  # accepts any hashable, sortable labels, such as dates
    except TypeError:
        raise label_type_error(" and ".join(sorted(t.__name__ for t in types))) from None


def refuse_infinite(y: Array) -> None:
    """Raise the same error as scikit-learn if a float target contains infinite values."""
    if y.dtype.kind == "f" and np.inf in (y.max(), -y.min()):
        row = int(np.argmax(np.isinf(y)))
        raise DataError(
            f"Input y contains infinity or a value too large for {y.dtype!r}. The first is in row "
            f"{row}. Pass finite values."
        )


def label_type_error(kind: str) -> DataTypeError:
    """Return scikit-learn's error for a target whose type, `kind`, does not suit class labels."""
    return DataTypeError(
        f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which expects "
        "discrete classes on a regression target with continuous values. Classes are integers, "
        "strings or booleans. For a numeric target use DecisionTreeRegressor, or in functions "
        'with a criterion pass one of regression: criterion="squared_error".'
    )
