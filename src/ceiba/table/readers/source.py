"""The class `TableSource`, which every reader returns: names, shape and a column reader.

Only used columns are read, one by one, so unused columns of a wide frame that is matched by name
cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ceiba.errors import DataError, DataTypeError
from ceiba.table.table import Column


@dataclass(frozen=True)
class TableSource:
    """An opened container, whose columns are read one at a time."""

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    read_column: Callable[[int, str], Column]
    matrix: NDArray[Any] | None = None
    is_boolean: bool = False
    sparse: Any = None


def normalize_names(labels: Sequence[Any]) -> tuple[str, ...] | None:
    """Return column labels as names, or None if none is a str; raise an error if only some are."""
    previous: set[Any] = set()
    for label in labels:
        if label in previous:
            raise DataError(
                f"Column names must be unique, but {label!r} occurs more than once. Rename or "
                "drop one of these columns."
            )
        previous.add(label)
    texts = [isinstance(label, str) for label in labels]
    if labels and all(texts):
        return tuple([str(label) for label in labels])
    if any(texts):
        types = sorted({type(label).__qualname__ for label in labels})
        raise DataTypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {types} as feature name / column name types. Convert them all to strings, "
            "e.g. X.columns = X.columns.astype(str)."
        )
    return None


def check_shape(source: TableSource) -> None:
    """Raise scikit-learn's errors for a table without rows or columns."""
    shape = (source.n_rows, source.n_columns)
    if source.n_rows == 0:
        raise DataError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required."
        )
    if source.n_columns == 0:
        raise DataError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )
