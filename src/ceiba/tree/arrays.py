"""Read-only arrays, ragged arrays (row i is `flat[start[i]:start[i + 1]]`) and subtree sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def read_only(values: npt.ArrayLike, dtype: npt.DTypeLike) -> Array:
    """Return `values` as a read-only, C-contiguous array of `dtype`; copy only if needed."""
    if type(values) is np.ndarray and values.dtype == dtype:  # as the core returns them
        flags = values.flags
        if flags.c_contiguous and not flags.writeable:
            return values
    view = np.ascontiguousarray(values, dtype=dtype).view()
    view.flags.writeable = False
    return view


def same_array(a: Array | None, b: Array | None) -> bool:
    """Whether two arrays contain the same values (NaN equals NaN), or both are None."""
    if a is None or b is None:
        return a is b
    if a.shape != b.shape:
        return False
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


@dataclass(frozen=True, eq=False)
class ArrayRecord:
    """Base class of dataclasses with read-only arrays; == compares the values of the arrays."""

    _DTYPES: ClassVar[Mapping[str, npt.DTypeLike]]

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, dtype in self._DTYPES.items():
            put(self, name, read_only(getattr(self, name), dtype))

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickle through __init__, because numpy does not pickle the read-only flag.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        pairs = ((f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(same_array(a, b) if name in self._DTYPES else a == b for name, a, b in pairs)

    @classmethod
    def concatenate(cls, records: Sequence[Self]) -> Self:
        """Concatenate the arrays of several records; take other fields from the first record."""
        values_of: dict[str, Any] = {}
        for field in fields(cls):
            values = [getattr(record, field.name) for record in records]
            if isinstance(values[0], ArrayRecord):
                values_of[field.name] = values[0].concatenate(values)
            elif field.name.endswith("start"):
                length = np.concatenate([np.diff(start) for start in values])
                values_of[field.name] = np.concatenate(([0], np.cumsum(length)))
            else:
                arrays = field.name in cls._DTYPES
                values_of[field.name] = np.concatenate(values) if arrays else values[0]
        return cls(**values_of)

    def __hash__(self) -> int:
        first = getattr(self, next(iter(self._DTYPES)))
        return hash((type(self).__name__, first.tobytes()))


def take_ragged(
    start: Array, flats: Iterable[Array], rows: Array, leaf: Array | None = None
) -> tuple[Array, list[Array]]:
    """Return the given rows of a ragged array as `start` and flat arrays; leaf rows are empty."""
    if start[-1] == 0:
        return np.zeros(len(rows) + 1, np.int64), list(flats)
    first = start[rows].astype(np.int64)
    length = start[rows + 1] - first
    if leaf is not None:
        length = np.where(leaf, 0, length)
    new_start = np.concatenate(([0], np.cumsum(length)))
    within = np.arange(new_start[-1]) - np.repeat(new_start[:-1], length)
    take = np.repeat(first, length) + within
    return new_start, [flat[take] for flat in flats]


def sum_over_subtrees(tree: Any, values: Array) -> Array:
    """Return the sum of `values` (one row per node) over each node's subtree."""
    values = np.asarray(values, np.float64)
    if np.all(values == np.rint(values)) and np.abs(values).sum() < 2.0**53:
        # The sum over a subtree is a difference of cumulative sums, which is exact for integers.
        running = np.concatenate((np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)))
        return np.asarray(running[tree.subtree_end] - running[:-1])
    parent = tree.parent.tolist()
    columns = values.reshape(len(values), -1).T.tolist()
    for total in columns:
        for i in range(len(total) - 1, 0, -1):  # children have higher ids than their parent
            total[parent[i]] += total[i]
    return np.array(columns, np.float64).T.reshape(values.shape)
