"""What all shards agree on, as plain values that travel: bins of every column, classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba import _core

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NumberBins:
    """Edges of a column of numbers, and the range of values in each bin of the whole table."""

    edge: Array
    least: Array
    most: Array


@dataclass(frozen=True)
class CoarseBins:
    """Edges of a column of numbers that is cut nowhere else (`max_bins`)."""

    edge: Array


@dataclass(frozen=True)
class NumberTarget:
    """A target of numbers: its range, the bits that it uses, and whether it is a rate."""

    least: float
    most: float
    bits: tuple[int, int]
    n_rows: int
    rates: bool


@dataclass(frozen=True)
class ShardLayout:
    """Target and bins; an int is the number of classes, or of levels of a categorical column.

    `weight_bits` are those of the weights of the rows (see `_core.bit_range`); None: all count 1.
    """

    target: int | NumberTarget
    columns: tuple[NumberBins | CoarseBins | int, ...]
    weight_bits: tuple[int, int] | None = None

    @cached_property
    def core(self) -> _core.ShardLayout:
        """The same for the core."""
        own = self.target
        if isinstance(own, int):
            made = _core.ShardLayout(own)
        else:
            made = _core.ShardLayout.of_numbers(
                (own.least, own.most), own.bits, own.n_rows, own.rates
            )
        if self.weight_bits is not None:
            made.weigh(self.weight_bits)
        for column in self.columns:
            if isinstance(column, int):
                made.add_levels(max(column, 1))  # 0 are numbers there; a level may have no rows
            elif isinstance(column, CoarseBins):
                made.add_coarse(column.edge)
            else:
                made.add_numbers(column.edge, column.least, column.most)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "core"}


Ranges = tuple[tuple[Array, Array], ...]


def merged_ranges(a: Ranges, b: Ranges) -> Ranges:
    """Return the ranges of the bins of two shards together."""
    return tuple(
        (np.minimum(x[0], y[0]), np.maximum(x[1], y[1])) for x, y in zip(a, b, strict=True)
    )


def tree_layouts(layout: ShardLayout, bins: tuple[npt.NDArray[Any], ...]) -> dict[int, ShardLayout]:
    """Return the layout of each tree that has bins for itself (`max_bins`), from flat arrays.

    `bins`: trees; per tree and binned column whether it is cut at edges only, whether it is
    float32, and where its part of the numbers ends; numbers: these edges, or all its values.
    """
    trees, coarse, single, ends, numbers = bins
    parts = iter(zip(coarse, single, np.split(numbers, ends[:-1]), strict=True))
    return {
        tree: replace(
            layout,
            columns=tuple(
                own if isinstance(own, int) else _tree_bins(*next(parts)) for own in layout.columns
            ),
        )
        for tree in trees.tolist()
    }


def _tree_bins(coarse: bool, single: bool, numbers: Array) -> NumberBins | CoarseBins:
    if coarse:
        return CoarseBins(numbers)
    if not len(numbers):
        return NumberBins(numbers, np.array([np.inf]), np.array([-np.inf]))
    edges = _core.place_edges(numbers, len(numbers), bool(single))
    return NumberBins(np.asarray(edges), numbers, numbers)
