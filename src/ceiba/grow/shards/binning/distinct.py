"""The distinct values of a column, where they are few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.grow.shards.shard import Shard

Array = npt.NDArray[np.float64]
#: Rows looked at together; the first ones mostly settle that values are many.
_FIRST: Final = 1 << 12
BLOCK: Final = 1 << 18


def numbers_in_blocks(
    shard: Shard, j: int, rows: npt.NDArray[Any], first: int = BLOCK
) -> Iterator[Array]:
    """Yield the numbers of a column in some rows, without missing ones."""
    at, size = 0, first
    while at < len(rows):
        here = shard.numbers(j, rows[at : at + size])
        yield here[~np.isnan(here)] + 0.0  # no -0.0
        at, size = at + size, BLOCK


def few_values(shard: Shard, j: int, rows: npt.NDArray[Any], most: int) -> Array:
    """Give the distinct values of a column in some rows, ascending.

    If there are more than `most`, so many and one.
    """
    seen: Array = np.empty(0)
    for numbers in numbers_in_blocks(shard, j, rows, _FIRST):
        seen = np.union1d(seen, numbers)
        if len(seen) > most:
            break
    return seen[: most + 1]


def joined(parts: Sequence[Array], most: int) -> Array | None:
    """Give the distinct values of all shards; None: they are more than `most`."""
    values = reduce(np.union1d, parts, np.empty(0))
    return values if len(values) <= most else None
