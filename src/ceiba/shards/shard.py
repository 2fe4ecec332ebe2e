"""Shards: parts of a table's rows, as arrays in memory, mapped from a file, or on a cluster.

The layout that all shards share (bins of every column, classes) consists of plain values, which are
sent with each shard. A shard answers the rounds of growing. It receives these kinds of flat arrays:

    folds     fold of each row: tree v + 1 is grown on the rows that fold v does not hold out
    trees     trees whose bins are to be chosen (`max_bins`); largest number of bins
    places    per tree the end of its slice; slices: positions of rows among those of the tree
    bins      bins of trees, as `tree_layouts` reads them
    cuts      columns; cuts
    routes    the trees of all folds, or one tree, pickled
    rates     target and weights that replace those of the shard; numbers for `with_rates`

and it returns these kinds, computed from the arrays received last:

    rows      target; weights, if rows have any
    checksum  CRC-32 of all rows
    distinct  per tree its number of rows; per binned column whether it is float32; per tree and
              column the end of its slice; slices: distinct values, at most one more than the bins
    sample    values of the rows at `places`, tree by tree, column by column; their weights
    gaps      largest value of the column below each cut; smallest above
    ends      end node of each row in the tree of its fold, or in the only tree
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from types import MappingProxyType
from typing import Any, ClassVar, Final, cast

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.shards.scratch import Scratch
from ceiba.table import Column, Kind, Schema, Table
from ceiba.tree.routing import route

Array = npt.NDArray[np.float64]
Ranges = tuple[tuple[Array, Array], ...]
Words = npt.NDArray[np.uint64]
Arrays = tuple[npt.NDArray[Any], ...]
#: Number of rows read first, usually enough to find that a column has many distinct values.
_FIRST_BLOCK: Final = 1 << 12
_CREATE_LOCK = Lock()


@dataclass(frozen=True)
class NumberBins:
    """Bin edges of a numeric column, and the least and greatest value of the table in each bin."""

    edge: Array
    least: Array
    most: Array


@dataclass(frozen=True)
class CoarseBins:
    """Bin edges of a numeric column whose cuts must be at these edges (`max_bins`)."""

    edge: Array


@dataclass(frozen=True)
class NumberTarget:
    """A numeric target: range, range of bit exponents, row count, and whether it is a rate."""

    least: float
    most: float
    bits: tuple[int, int]
    n_rows: int
    rates: bool


@dataclass(frozen=True)
class ShardLayout:
    """Bins or number of levels of each column, and the number of classes or range of the target.

    `weight_bits` is the `_core.bit_range` of the row weights, or None without weights.
    """

    target: int | NumberTarget
    columns: tuple[NumberBins | CoarseBins | int, ...]
    weight_bits: tuple[int, int] | None = None

    @cached_property
    def core(self) -> _core.ShardLayout:
        """The layout as an object of the C++ core."""
        target = self.target
        if isinstance(target, int):
            core = _core.ShardLayout(target)
        else:
            core = _core.ShardLayout.of_numbers(
                (target.least, target.most), target.bits, target.n_rows, target.rates
            )
        if self.weight_bits is not None:
            core.weigh(self.weight_bits)
        for column in self.columns:
            if isinstance(column, int):
                core.add_levels(max(column, 1))  # in the C++ core, 0 denotes a numeric column
            elif isinstance(column, CoarseBins):
                core.add_coarse(column.edge)
            else:
                core.add_numbers(column.edge, column.least, column.most)
        return core

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "core"}


def with_rates(layout: ShardLayout, numbers: Array) -> ShardLayout:
    """Return the layout for a target of event rates, whose ranges are in `numbers`."""
    least, most, *counts = numbers.tolist()
    low, high, n_rows, lightest, heaviest = map(int, counts)
    target = NumberTarget(least, most, (low, high), n_rows, rates=True)
    return replace(layout, target=target, weight_bits=(lightest, heaviest))


def merge_ranges(a: Ranges, b: Ranges) -> Ranges:
    """Return the least and the greatest value in each bin over two shards."""
    return tuple(
        (np.minimum(x[0], y[0]), np.maximum(x[1], y[1])) for x, y in zip(a, b, strict=True)
    )


def tree_layouts(layout: ShardLayout, bins: tuple[npt.NDArray[Any], ...]) -> dict[int, ShardLayout]:
    """Return the layout of each tree that has its own bins (`max_bins`), from flat arrays.

    `bins`: trees; per tree and binned column whether it is cut at edges only, whether it is
    float32, and the end of its slice of the numbers; numbers: these edges, or all its values.
    """
    trees, coarse, single, ends, numbers = bins
    parts = iter(zip(coarse, single, np.split(numbers, ends[:-1]), strict=True))
    return {
        tree: replace(
            layout,
            columns=tuple(
                column if isinstance(column, int) else _tree_bins(*next(parts))
                for column in layout.columns
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


@dataclass
class ShardArrays:
    """The rows of a shard: columns, target, weights, bins and a buffer for the row order."""

    columns: list[npt.NDArray[Any]]
    target: npt.NDArray[Any]
    bins: npt.NDArray[np.uint8]
    order: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64] | None = None

    def core_columns(self, schema: Schema) -> _core.Columns:
        """Return the columns as `_core.Columns`, which share their memory."""
        core = _core.Columns(len(self.target))
        for info, values in zip(schema.columns, self.columns, strict=True):
            if info.is_numeric:
                core.add_numeric(values)
            else:
                core.add_levels(values, info.n_levels, info.kind is Kind.ORDERED)
        return core

    def fill_bins(self, schema: Schema, edges: list[list[float]]) -> Ranges:
        """Write the bin of each value of the binned columns; return the range in each bin."""
        return tuple(_core.bin_rows(self.core_columns(schema), edges, self.bins))

    @property
    def read_only(self) -> Arrays:
        """The arrays that growing does not change."""
        return (*self.columns, self.target, *(() if self.weights is None else (self.weights,)))


@dataclass
class Shard:
    """Part of the rows of a table, with the node of each row in the trees that are growing."""

    arrays: ShardArrays
    schema: Schema
    layout: ShardLayout
    number: int
    scratch: Scratch | None = None
    inputs: Mapping[str, Arrays] = field(default_factory=dict)
    block: ClassVar[int] = 1 << 18  # number of rows per step when distinct values are collected

    def answer(self, rounds: Words) -> Words:
        """Return the statistics that some trees request from this shard, as encoded words."""
        with _CREATE_LOCK:
            core, trees = self.__dict__.get("_core") or self._create_core()
            for tree in _core.trees_of(rounds):
                if tree not in trees:  # allocate the arrays of each tree only once
                    bins, layout = self._bin_tree_rows(tree)
                    core.add_tree(tree, bins, self._order_tree_rows(tree), layout.core)
                    trees.add(tree)
        return core.answer(rounds)

    def scatter(self, kind: str, arrays: Arrays) -> Shard:
        """Return the shard with new input arrays; "rates" replaces the target and the weights."""
        if kind == "rates":
            target, weights, numbers = arrays
            rows = replace(self.arrays, target=target, weights=weights)
            return replace(self, arrays=rows, layout=with_rates(self.layout, numbers))
        return replace(self, inputs={**self.inputs, kind: arrays})

    def collect(self, kind: str) -> Arrays:
        """Return the arrays of one kind, such as "sample" (see the module docstring)."""
        return _COLLECTORS[kind](self)

    def _create_core(self) -> tuple[_core.Shard, set[int]]:
        arrays = self.arrays
        core = _core.Shard(
            arrays.core_columns(self.schema),
            arrays.target if arrays.target.dtype == np.int32 else None,
            arrays.target if arrays.target.dtype == np.float64 else None,
            arrays.weights,
            self.number,
        )
        self.__dict__["_core"] = core, set()
        return self.__dict__["_core"]  # type: ignore[no-any-return]

    def _bin_tree_rows(self, tree: int) -> tuple[npt.NDArray[np.uint8], ShardLayout]:
        """Return the bins of all rows under the layout of a tree, and this layout."""
        bins = self.arrays.bins
        if "bins" not in self.inputs:
            return bins, self.layout
        layout = tree_layouts(self.layout, self.inputs["bins"])[tree]
        if self.scratch is None or tree:  # with scratch files, tree 0 reuses the bins
            bins = self._allocate(f"bins-{tree}", bins.dtype, *bins.shape)
        edges = [
            [] if isinstance(column, int) else column.edge.tolist() for column in layout.columns
        ]
        _core.bin_rows(self.arrays.core_columns(self.schema), edges, bins)
        return bins, layout

    def _order_tree_rows(self, tree: int) -> npt.NDArray[np.uint32]:
        """Return the buffer for the row order of a tree, filled with its rows."""
        rows, order = self.tree_rows(tree), self.arrays.order
        if tree:
            order = self._allocate(f"order-{tree}", rows.dtype, len(rows))
        order = order[: len(rows)]
        order[:] = rows
        return order

    def _allocate(self, name: str, dtype: np.dtype[Any], *shape: int) -> npt.NDArray[Any]:
        """Return an uninitialized array, in a scratch file if the shard has a `scratch`."""
        if self.scratch is None:
            return np.empty(shape, dtype)
        arrays = self.scratch.arrays(f"shard{self.number}-{name}", {name: (dtype, shape)})
        return cast(npt.NDArray[Any], arrays[name])

    def tree_rows(self, tree: int) -> npt.NDArray[np.uint32]:
        """Return the sorted indices of the positive-weight rows on which a tree is grown."""
        arrays = self.arrays
        chosen: Any = slice(None) if arrays.weights is None else arrays.weights > 0
        if tree:
            train = self.inputs["folds"][0] != tree - 1
            chosen = train if arrays.weights is None else train & chosen
        rows: npt.NDArray[np.uint32] = np.arange(len(arrays.target), dtype=np.uint32)[chosen]
        return rows

    def numbers(self, j: int, rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the values or level codes of column j at some rows as floats, NaN if missing."""
        values = self.arrays.columns[j][rows]
        numbers: npt.NDArray[np.float64] = values.astype(np.float64)
        if values.dtype == np.int32:
            numbers[values < 0] = np.nan
        return numbers

    @property
    def binned(self) -> list[int]:
        """Indices of the columns that have bins (numbers and ordered levels)."""
        return [j for j, c in enumerate(self.schema.columns) if c.kind is not Kind.CATEGORICAL]

    def distinct(self, j: int, rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the distinct values of column j at some rows, ascending, without missing ones."""
        numbers = self.numbers(j, rows)
        return np.unique(numbers[~np.isnan(numbers)] + 0.0)  # turns -0.0 into 0.0

    def is_single(self, j: int) -> bool:
        """Whether column j is stored as float32."""
        return self.arrays.columns[j].dtype == np.float32

    def weights_of(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
        """Return the weights of some rows, or None if rows have no weights."""
        return None if self.arrays.weights is None else self.arrays.weights[rows]

    def __getstate__(self) -> dict[str, Any]:
        local = ("_core", "scratch")
        return {name: value for name, value in self.__dict__.items() if name not in local}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, scratch=None)

    def __sizeof__(self) -> int:  # Dask runs a task on the worker that holds its largest input
        arrays = self.arrays
        return sum(a.nbytes for a in (*arrays.read_only, arrays.bins, arrays.order))


# --- collectors


def _collect_rows(shard: Shard) -> Arrays:
    arrays = shard.arrays
    return tuple(np.array(a) for a in arrays.read_only[len(arrays.columns) :])


def _collect_checksum(shard: Shard) -> Arrays:
    check = 0
    for array in shard.arrays.read_only:
        check = zlib.crc32(np.ascontiguousarray(array).data, check)
    return (np.array([check], np.uint64),)


def collect_distinct(shard: Any) -> Arrays:
    """Collect the distinct values of the binned columns of a shard, in memory or on a GPU."""
    trees, (limit,) = shard.inputs["trees"]
    rows = [shard.tree_rows(tree) for tree in trees.tolist()]
    parts = [_distinct_values(shard, j, some, int(limit)) for some in rows for j in shard.binned]
    return (
        np.array([len(indices) for indices in rows]),
        np.array([shard.is_single(j) for j in shard.binned], bool),
        np.cumsum([len(part) for part in parts]),
        np.concatenate([np.empty(0), *parts]),
    )


def _distinct_values(
    shard: Any, j: int, rows: npt.NDArray[Any], limit: int
) -> npt.NDArray[np.float64]:
    """Return at most `limit` + 1 distinct values of a column in ascending order."""
    values: npt.NDArray[np.float64] = np.empty(0)
    at, size = 0, _FIRST_BLOCK
    while at < len(rows) and len(values) <= limit:
        values = np.union1d(values, shard.distinct(j, rows[at : at + size]))
        at, size = at + size, shard.block
    return values[: limit + 1]


def collect_sample(shard: Any) -> Arrays:
    """Collect sampled values of the binned columns of a shard, in memory or on a GPU."""
    trees = shard.inputs["trees"][0].tolist()
    ends, places = shard.inputs["places"]
    rows = [
        shard.tree_rows(tree)[chosen]
        for tree, chosen in zip(trees, np.split(places, ends[:-1]), strict=True)
    ]
    values = [shard.numbers(j, indices) for indices in rows for j in shard.binned]
    sample = np.concatenate([np.empty(0), *values])
    weights = [shard.weights_of(indices) for indices in rows]
    return (sample,) if weights[0] is None else (sample, np.concatenate(weights))


def _collect_gaps(shard: Shard) -> Arrays:
    columns = shard.arrays.core_columns(shard.schema)
    gaps = np.asarray(_core.cut_gaps(columns, *shard.inputs["cuts"]))
    return gaps[:, 0].copy(), gaps[:, 1].copy()


def _collect_ends(shard: Shard) -> Arrays:
    trees = pickle.loads(shard.inputs["routes"][0].tobytes())
    ends = np.zeros(len(shard.arrays.target), np.int32)
    fold = shard.inputs["folds"][0] if len(trees) > 1 else ends.copy()
    for v, tree in enumerate(trees):
        rows = np.flatnonzero(fold == v)
        if len(rows):
            columns = tuple(
                Column(info, values[rows])
                for info, values in zip(shard.schema.columns, shard.arrays.columns, strict=True)
            )
            ends[rows] = route.apply(tree, Table(columns, len(rows), shard.schema))
    return (ends,)


_COLLECTORS: Final[Mapping[str, Callable[[Shard], Arrays]]] = MappingProxyType(
    {
        "rows": _collect_rows,
        "checksum": _collect_checksum,
        "distinct": collect_distinct,
        "sample": collect_sample,
        "gaps": _collect_gaps,
        "ends": _collect_ends,
    }
)


def array_shapes(
    schema: Schema, n_rows: int, single: frozenset[str], *, classes: bool, weighted: bool = False
) -> dict[str, Any]:
    """Return the type and shape of every array of a shard, by name."""
    shapes: dict[str, Any] = {}
    for j, info in enumerate(schema.columns):
        kind = np.float32 if info.name in single else np.float64
        shapes[f"column{j}"] = (np.dtype(kind if info.is_numeric else np.int32), (n_rows,))
    n_binned = sum(info.kind is not Kind.CATEGORICAL for info in schema.columns)
    shapes["target"] = (np.dtype(np.int32 if classes else np.float64), (n_rows,))
    shapes["bins"] = (np.dtype(np.uint8), (n_rows, n_binned))
    shapes["order"] = (np.dtype(np.uint32), (n_rows,))
    if weighted:
        shapes["weights"] = (np.dtype(np.float64), (n_rows,))
    return shapes


def build_shard_arrays(arrays: dict[str, Any]) -> ShardArrays:
    """Build the arrays of a shard from arrays that are named as in `array_shapes`."""
    columns = [array for name, array in arrays.items() if name.startswith("column")]
    return ShardArrays(
        columns, arrays["target"], arrays["bins"], arrays["order"], arrays.get("weights")
    )
