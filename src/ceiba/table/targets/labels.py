"""Class labels -> sorted classes and int32 codes, fast for the types people use.

Integers of a small range go through a lookup table, in the core (no sort); strings through a dict
(only the distinct ones are sorted); everything else through np.unique.
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
Coded = tuple[Array, NDArray[np.int32]]
# More floats than this, each in fewer rows than this, are a quantity rather than classes.
_MANY: Final = 10
_ROWS_EACH: Final = 10


def code_labels(y: Array, n_threads: int = 1) -> Coded:
    """Return the sorted classes of ``y`` and the code of each row. Nothing may be missing."""
    kind = y.dtype.kind
    if kind in "iub":
        return _code_integers(y, n_threads)
    if kind == "f":
        return _code_floats(y)
    if kind in "UT":
        classes, codes = _code_texts(y.tolist())
        # As wide as the longest class, however wide the target is: as in a model file.
        return classes.astype(str if kind == "U" else y.dtype), codes
    if kind == "O":
        return _code_objects(y)
    return _code_by_sorting(y)


def _code_by_sorting(y: Array) -> Coded:
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)


def _code_integers(y: Array, n_threads: int = 1) -> Coded:
    if y.dtype != np.int64:
        if y.dtype == np.uint64 and int(y.max()) >= 2**63:
            return _code_by_sorting(y)
        classes, codes = _code_integers(y.astype(np.int64), n_threads)
        return classes.astype(y.dtype), codes
    coded: Any = _core.code_integers(y if y.flags.aligned else y.copy(), n_threads)
    return _code_by_sorting(y) if coded is None else coded


def _code_floats(y: Array) -> Coded:
    if not np.array_equal(y, np.floor(y)):
        raise unknown_label_type("continuous")
    _warn_of_numbers(y)
    if np.abs(y).max() < 2**53:
        classes, codes = _code_integers(y.astype(np.int64))
        return classes.astype(y.dtype), codes
    return _code_by_sorting(y)


def _warn_of_numbers(y: Array) -> None:
    """Warn of whole floats that look like a quantity: many values, each in few rows."""
    n = len(np.unique(y))
    if n > _MANY and n * _ROWS_EACH > len(y):
        warnings.warn(
            f"The target holds {n} different floats in {len(y)} rows, which a classifier takes for "
            f"{n} classes. For a quantity use a regressor (rpart: method='anova'), for classes "
            "integers or text.",
            DataWarning,
            stacklevel=2,
        )


def _code_texts(values: Sequence[str]) -> Coded:
    ordered = sorted(dict.fromkeys(values))
    code_of = {label: code for code, label in enumerate(ordered)}
    codes = np.fromiter(map(code_of.__getitem__, values), np.int32, len(values))
    classes = np.empty(len(ordered), dtype=object)
    classes[:] = ordered
    return classes, codes


def _code_objects(y: Array) -> Coded:
    values = y.tolist()
    types = set(map(type, values))
    if all(issubclass(t, str) for t in types):
        return _code_texts(list(map(str, values)) if np.str_ in types else values)
    if all(issubclass(t, bool | np.bool_) for t in types):
        return _code_integers(y.astype(bool))
    if all(issubclass(t, int | np.integer) for t in types):
        try:
            return _code_integers(y.astype(np.int64))
        except OverflowError:
            return _code_texts(values)
    if all(issubclass(t, int | float | np.number) for t in types):
        try:
            numbers = y.astype(np.float64)
        except OverflowError:
            raise DataError(
                "Input y mixes floats with whole numbers beyond 1.8e308, which no float can hold. "
                "Pass the classes as texts."
            ) from None
        refuse_infinite(numbers)
        return _code_floats(numbers)
    try:
        return _code_texts(values)  # anything that hashes and sorts: dates, tuples, enums
    except TypeError:
        raise unknown_label_type(" and ".join(sorted(t.__name__ for t in types))) from None


def refuse_infinite(y: Array) -> None:
    """Raise scikit-learn's error if a target of floats holds an infinity."""
    if y.dtype.kind == "f" and np.inf in (y.max(), -y.min()):
        row = int(np.argmax(np.isinf(y)))
        raise DataError(
            f"Input y contains infinity or a value too large for {y.dtype!r}. The first is in row "
            f"{row}. Targets are finite."
        )


def unknown_label_type(what: str) -> DataTypeError:
    """Return scikit-learn's error for a target that has no classes."""
    return DataTypeError(
        f"Unknown label type: {what}. Maybe you are trying to fit a classifier, which expects "
        "discrete classes on a regression target with continuous values. Classes are integers, "
        "strings or booleans. For a target of numbers use DecisionTreeRegressor, or in functions "
        'with a criterion pass one of regression: criterion="squared_error".'
    )
