"""Small helpers for the read-only arrays that trees are made of.

A tree is a struct of arrays; many of them are ragged, stored flat beside a `start` array
(row i is `flat[start[i]:start[i + 1]]`). Freezing, comparing and re-slicing such arrays is
all that happens here; nothing here knows what a node is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def read_only(values: npt.ArrayLike, dtype: npt.DTypeLike) -> Array:
    """Return a read-only C-ordered view of `values` as `dtype`, without a copy where possible.

    The flag is set on a new view, never on the caller's own array object.
    """
    view = np.ascontiguousarray(values, dtype=dtype).view()
    view.flags.writeable = False
    return view


def same_array(a: Array | None, b: Array | None) -> bool:
    """Return whether two optional arrays hold the same values (NaN equals NaN)."""
    if a is None or b is None:
        return a is b
    if a.shape != b.shape:
        return False
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


@dataclass(frozen=True, eq=False)
class ArrayRecord:
    """A frozen record of read-only arrays (`_DTYPES`) and plain fields, compared by value."""

    _DTYPES: ClassVar[Mapping[str, npt.DTypeLike]]

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, dtype in self._DTYPES.items():
            put(self, name, read_only(getattr(self, name), dtype))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through __init__, because numpy does not pickle the read-only flag.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        pairs = ((f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(same_array(a, b) if name in self._DTYPES else a == b for name, a, b in pairs)

    def __hash__(self) -> int:
        first = getattr(self, next(iter(self._DTYPES)))
        return hash((type(self).__name__, first.tobytes()))


def joined_arrays(parts: Sequence[ArrayRecord], names: Iterable[str]) -> dict[str, Any]:
    """Return the named arrays of several records, each put one after another."""
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}


def take_ragged(
    start: Array, flats: Iterable[Array], rows: Array, start_dtype: npt.DTypeLike
) -> tuple[Array, list[Array]]:
    """Select `rows` of a ragged table stored as `start` plus parallel flat arrays.

    Returns the new `start` and the re-sliced flat arrays, in the same order.
    """
    if start[-1] == 0:
        return np.zeros(len(rows) + 1, start_dtype), list(flats)
    first = start[rows].astype(np.int64)
    length = start[rows + 1].astype(np.int64) - first
    new_start = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(length, out=new_start[1:])
    within = np.arange(new_start[-1]) - np.repeat(new_start[:-1], length)
    take = np.repeat(first, length) + within
    return new_start.astype(start_dtype), [flat[take] for flat in flats]
