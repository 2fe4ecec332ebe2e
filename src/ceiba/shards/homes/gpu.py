"""Shards on a GPU, whose kernels read columns in place and compute the histograms of nodes.

The bins of all columns come from a sample of the rows. One pass then writes a record of bytes per
row and finds the range of each bin. The trees of folds are grown one after the other, and each
starts with a pass of this kind over its rows.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import DataError, OptionError
from ceiba.grow import GrowOptions
from ceiba.shards.first_pass import SAMPLE, FirstPass, build_first_pass, merge_pieces
from ceiba.shards.grower import check_supported
from ceiba.shards.homes.cuda import CudaDevice
from ceiba.shards.homes.gpu_columns import (
    DeviceColumn,
    DeviceTarget,
    address_of,
    encode_levels,
    read_columns,
    read_device_target,
    to_device,
)
from ceiba.shards.homes.gpu_columns import split_frame as split_frame
from ceiba.shards.second_pass import ShardSummary, merge_summaries
from ceiba.shards.shard import (
    Arrays,
    Ranges,
    ShardLayout,
    Words,
    collect_distinct,
    collect_sample,
    tree_layouts,
)
from ceiba.shards.table import RoundSizes, ShardedTable, ShardedTarget, Weighting
from ceiba.table import Schema, TargetInfo
from ceiba.table.scanning import is_on_gpu
from ceiba.tree import SplitKind, Tree

#: On a GPU, finer histograms are cheap, but copying values to the host is not. Nodes of up to 2,048
#: rows grow three times as fast per row as larger ones (`cpp/core/grow/small_tree.hpp`).
SIZES: Final = RoundSizes(gather_rows=2049, fetch_rows=32, zoom_bits=5)
#: With at least this many cuts, a column is sorted to find the values next to each cut.
SORTED_CUTS: Final = 1000
#: Tables with fewer rows cause a warning that a GPU is slower.
SMALL: Final = 200_000


@dataclass
class GpuShard:
    """A shard whose rows are on a GPU."""

    device: Any
    schema: Schema
    columns: list[DeviceColumn]
    target: DeviceTarget
    edges: list[list[float]]
    number: int
    layout: ShardLayout | None = None
    inputs: Mapping[str, Arrays] = field(default_factory=dict)
    tree: int | None = None  # number of the most recently begun tree
    has_records: bool = False  # whether the records contain the bins of tree 0
    block: ClassVar[int] = 1 << 24  # number of rows per step when distinct values are collected

    def __post_init__(self) -> None:
        columns = [column.core for column in self.columns]
        self.device.compile(_core.device_record_words(self.device, len(columns)))
        target = self.target
        labels, numbers, weights = (
            0 if array is None else address_of(array)
            for array in (target.labels, target.numbers, target.weights)
        )
        arrays = (labels, numbers, weights)
        self.core = _core.DeviceShard(
            self.device, columns, self.n_rows, arrays, self.number, SIZES.fetch_rows
        )

    @property
    def n_rows(self) -> int:
        """The number of rows of the shard."""
        return self.target.summary.n_rows

    def bin_tree(self, tree: int, edges: list[list[float]]) -> tuple[Ranges, list[int]]:
        """Bin the rows of a tree; return the range in each bin and the missing count per column."""
        if tree == 0 and self.target.weights is None:
            ranges, missing = self.core.bin(edges, 0, self.n_rows)
        else:
            rows = self.tree_rows(tree)
            ranges, missing = self.core.bin(edges, address_of(rows), len(rows))
        return tuple(ranges), missing

    def tree_rows(self, tree: int) -> Any:
        """Return the indices of the positive-weight rows on which a tree is grown, ascending."""
        xp, weights = self.device.xp, self.target.weights
        chosen = None if weights is None else weights > 0
        if tree:
            train = xp.asarray(self.inputs["folds"][0] != tree - 1)
            chosen = train if chosen is None else train & chosen
        if chosen is None:
            return xp.arange(self.n_rows, dtype=np.uint32)
        return xp.flatnonzero(chosen).astype(np.uint32)

    def answer(self, rounds: Words) -> Words:
        """Return the statistics that a tree requests; the next call overwrites the array."""
        (tree,) = _core.trees_of(rounds)
        if tree != self.tree:
            self._begin_tree(tree)
        return self.device.answer(self.core.answer(rounds))  # type: ignore[no-any-return]

    def _begin_tree(self, tree: int) -> None:
        layout, edges = self.layout, self.edges
        assert layout is not None
        if "bins" in self.inputs:
            layout = tree_layouts(layout, self.inputs["bins"])[tree]
            edges = [[] if isinstance(c, int) else c.edge.tolist() for c in layout.columns]
        if edges is not self.edges or tree or not self.has_records:
            self.bin_tree(tree, edges)
        self.has_records = False  # splitting a node changes the order of the records
        self.core.begin_tree(tree, layout.core)
        self.tree = tree

    @property
    def binned(self) -> list[int]:
        """Indices of the columns that have bins, which are the numeric ones."""
        return [j for j, column in enumerate(self.columns) if column.info.is_numeric]

    def is_single(self, j: int) -> bool:
        """Whether column j is stored as float32."""
        return bool(self.columns[j].values.dtype == np.float32)

    def distinct(self, j: int, rows: Any) -> npt.NDArray[np.float64]:
        """Return the distinct values of column j at some rows, ascending, without missing ones."""
        values = self.device.xp.unique(self.columns[j].values[rows])
        numbers = self.device.to_host(values).astype(np.float64) + 0.0  # turns -0.0 into 0.0
        return np.unique(numbers[~np.isnan(numbers)])

    def numbers(self, j: int, rows: Any) -> npt.NDArray[np.float64]:
        """Return the values of column j at some rows as floats on the host."""
        return np.asarray(self.device.to_host(self.columns[j].values[rows]), np.float64)

    def weights_of(self, rows: Any) -> npt.NDArray[np.float64] | None:
        """Return the weights of some rows on the host, or None if rows have no weights."""
        weights = self.target.weights
        return None if weights is None else np.asarray(self.device.to_host(weights[rows]))

    def collect(self, kind: str) -> Arrays:
        """Return the arrays of one kind, such as "sample" (see `ceiba.shards.shard`)."""
        if kind in ("distinct", "sample"):
            return collect_distinct(self) if kind == "distinct" else collect_sample(self)
        to_host, target = self.device.to_host, self.target
        if kind == "rows":
            values = to_host(target.numbers if target.labels is None else target.labels)
            values = values.astype(np.float64 if target.labels is None else np.int32)
            return (values,) if target.weights is None else (values, to_host(target.weights))
        if kind == "gaps":
            return self._collect_gaps(*self.inputs["cuts"])
        assert kind == "ends", kind
        (fold,) = self.inputs["folds"]
        ends = np.empty(len(fold), np.int32)
        for v, tree in enumerate(pickle.loads(self.inputs["routes"][0].tobytes())):
            node = to_host(_route(self.device, tree, self.columns, self.n_rows))
            ends[fold == v] = node[fold == v]
        return (ends,)

    def _collect_gaps(self, columns: npt.NDArray[Any], cuts: npt.NDArray[Any]) -> Arrays:
        below, above = np.full(len(cuts), -np.inf), np.full(len(cuts), np.inf)
        for j in np.unique(columns):
            (of_column,) = np.nonzero(columns == j)
            values, index = np.unique(cuts[of_column], return_inverse=True)
            low, high = self._values_around(self.columns[int(j)], values)
            below[of_column], above[of_column] = low[index], high[index]
        return below, above

    def _values_around(self, column: DeviceColumn, cuts: npt.NDArray[np.float64]) -> Arrays:
        """Return the largest value up to each cut and the smallest above it, for ascending cuts."""
        limits: npt.NDArray[Any] = cuts
        if column.values.dtype == np.float32:  # compare float32 values exactly
            limits = cuts.astype(np.float32)
            limits = np.where(limits > cuts, np.nextafter(limits, np.float32(-np.inf)), limits)
        if len(cuts) < SORTED_CUTS:  # the kernel takes one pass over the rows per 250 cuts
            parts = [
                _core.device_values_around(
                    self.device, column.core, self.n_rows, limits[first : first + 250].tolist()
                )
                for first in range(0, len(cuts), 250)
            ]
            low, high = (np.concatenate(ends) for ends in zip(*parts, strict=True))
            return low, high
        xp, dtype = self.device.xp, limits.dtype
        values = xp.sort(column.values.astype(dtype))
        values = xp.concatenate([xp.full(1, -np.inf, dtype), values, xp.full(1, np.inf, dtype)])
        index = xp.searchsorted(values, xp.asarray(limits), side="right")
        low, high = (
            self.device.to_host(values[at]).astype(np.float64) + 0.0 for at in (index - 1, index)
        )
        return low, np.where(np.isnan(high), np.inf, high)  # NaN is sorted after all values


class GpuExchange:
    """Connection to the shards on one device, which are processed one after the other."""

    def __init__(self, shards: Sequence[GpuShard]) -> None:
        self.shards = shards

    def ask(self, rounds: Words) -> Words:
        """Send requests for histograms, values and rows to all shards; return merged results."""
        if len(self.shards) == 1:
            return self.shards[0].answer(rounds)
        return reduce(_core.merge_answers, [shard.answer(rounds).copy() for shard in self.shards])

    def scatter(self, kind: str, arrays: Sequence[Arrays]) -> None:
        """Send arrays of one kind, such as fold numbers, to each shard."""
        for shard, numbers in zip(self.shards, arrays, strict=True):
            shard.inputs = {**shard.inputs, kind: numbers}

    def collect(self, kind: str) -> list[Arrays]:
        """Return arrays of one kind, such as sampled values, from each shard in order."""
        return [shard.collect(kind) for shard in self.shards]


@contextmanager
def open_table(
    X: Any, y: Any, sample_weight: Any, options: GrowOptions, weighting: Weighting, categorical: Any
) -> Iterator[tuple[ShardedTable, ShardedTarget]]:
    """Prepare a table on the GPU for growing, and yield the sharded table and its target."""
    check_supported(options)
    if options.criterion_name == "poisson":
        raise OptionError(
            "criterion='poisson' is not supported for tables on a GPU. Use 'squared_error', or "
            "copy the table to the host."
        )
    device = CudaDevice()
    schema, columns = read_columns(device, X, categorical)
    n_rows = len(columns[0].values)
    if n_rows < SMALL:
        warnings.warn(
            f"A GPU is slower than the host for fewer than {SMALL:,} rows, got {n_rows:,}. Pass "
            "the table as a numpy array.",
            stacklevel=6,
        )
    target = read_device_target(device, y, sample_weight, options.task, n_rows)
    yield build_table(device, [(schema, columns, target)], options, weighting)


def build_table(
    device: Any,
    parts: Sequence[tuple[Schema, list[DeviceColumn], DeviceTarget]],
    options: GrowOptions,
    weighting: Weighting,
) -> tuple[ShardedTable, ShardedTarget]:
    """Build the table and target from parts of a table on one device, with one shard each."""
    schema = parts[0][0]
    total = merge_pieces([replace(part[2].summary) for part in parts])
    single = frozenset(c.name for c in parts[0][1] if c.values.dtype == np.float32)
    numbers = [c.name for c in parts[0][1] if c.info.is_numeric]
    sample = _sample(device, [part[1] for part in parts], numbers)
    infos = {info.name: info for info in schema.columns}
    total.infos = {name: info for name, info in infos.items() if not info.is_numeric}
    numeric = Schema(tuple(infos[name] for name in numbers))
    column = "sample_weight" if parts[0][2].weights is not None else None
    first = build_first_pass(
        total, schema.names, (numeric, sample), single, ("y", options),
        Weighting(column, weighting.per_class),
    )  # fmt: skip
    first = replace(
        first, schema=schema, target=TargetInfo(None, first.target.task, first.target.classes, 1)
    )
    shards, summaries = [], []
    for number, (_, columns, target) in enumerate(parts):
        _finish_target(device, target, first)
        shard = GpuShard(device, schema, columns, target, first.edges, number)
        ranges, missing = shard.bin_tree(0, first.edges)
        shard.has_records = True
        n_learned, digits = target.summary.n_rows, None
        if target.weights is not None:
            weights = device.to_host(target.weights)
            n_learned = int(np.count_nonzero(weights))
            n_classes = first.counted if isinstance(first.counted, int) else 1
            codes = (
                None if target.labels is None else device.to_host(target.labels).astype(np.int32)
            )
            digits = np.asarray(_core.sum_digits(weights, codes, n_classes))
        shards.append(shard)
        summaries.append(ShardSummary(ranges, missing, n_learned, digits))
    summary = merge_summaries(first, summaries, options)
    for shard in shards:
        shard.layout = summary.layout
    table = ShardedTable(
        summary.schema,
        summary.layout,
        GpuExchange(shards),
        [shard.n_rows for shard in shards],
        weight_totals=summary.weight_totals,
        sizes=SIZES,
        trees_at_once=1,
    )
    return table, summary.target


def _sample(
    device: Any, parts: Sequence[list[DeviceColumn]], names: list[str]
) -> dict[str, npt.NDArray[np.float64]]:
    """Return a sample of each numeric column from all parts."""
    samples = []
    for columns in parts:
        n_rows = len(columns[0].values)
        core = [column.core for column in columns if column.info.is_numeric]
        n = min(SAMPLE // len(parts), n_rows)
        samples.append(np.asarray(_core.device_sample(device, core, n_rows, n)))
    return dict(zip(names, np.concatenate(samples, axis=1), strict=True))


def _finish_target(device: Any, target: DeviceTarget, first: FirstPass) -> None:
    """Multiply the weights by class weights, and scale the target and the weights."""
    xp, units = device.xp, first.units
    if target.numbers is not None:
        numbers = xp.ascontiguousarray(target.numbers, dtype=np.float64)
        target.numbers = xp.ldexp(numbers, -units.target) if units.target else numbers
    if first.weights is None:
        return
    if first.weights.per_class is not None:
        per_class = xp.asarray(first.weights.per_class)[target.labels]
        target.weights = per_class if target.weights is None else target.weights * per_class
    if units.weight:
        target.weights = xp.ldexp(target.weights, -units.weight)


# --- finished trees


def apply(tree: Tree, X: Any) -> Any:
    """Return the leaf of each row of a table on the GPU, as an array on the GPU."""
    device = CudaDevice()
    return _route(device, tree, *_columns_of(device, tree, X))


def _columns_of(device: Any, tree: Tree, X: Any) -> tuple[list[DeviceColumn], int]:
    """Return the columns of X in the order of the tree's schema, and the number of rows."""
    names, X = list(tree.schema.names), split_frame(X)
    if isinstance(X, Mapping):
        lacking = [name for name in names if name not in X]
        if lacking:
            raise DataError(f"X must contain the columns of the tree, but lacks {lacking[0]!r}.")
        X = {name: X[name] for name in names}
    schema, columns = read_columns(device, X)
    if len(schema.columns) != len(names):
        raise DataError(
            f"X must have {len(names)} features, as in training, got {len(schema.columns)}."
        )
    columns = [
        column if info.is_numeric else encode_levels(device, column, info)
        for column, info in zip(columns, tree.schema.columns, strict=True)
    ]
    return columns, len(columns[0].values)


def to_host(array: Any) -> Any:
    """Copy an array to the host; return None and host arrays unchanged."""
    if array is None or not is_on_gpu(array):
        return array
    device = CudaDevice()
    return device.to_host(to_device(device, array))


def take_values(tree: Tree, values: npt.NDArray[Any], X: Any) -> Any:
    """Return the value of each row's end node, on the GPU if it is numeric, else on the host."""
    device = CudaDevice()
    ends = _route(device, tree, *_columns_of(device, tree, X))
    if values.dtype.kind not in "biuf":
        return values[device.to_host(ends)]
    return device.xp.take(device.xp.asarray(values), ends, axis=0)


def _route(device: Any, tree: Tree, columns: list[DeviceColumn], n_rows: int) -> Any:
    """Return the end node of each row."""
    splits, inner = tree.splits, ~tree.is_leaf
    levels = inner & (splits.kind == SplitKind.LEVELS)
    unsupported = {
        "interval splits": (splits.kind == SplitKind.INTERVALS).any(),
        f"missing={tree.missing!r}": tree.missing in ("fractional", "surrogate", "error"),
        "rows that end in inner nodes": (inner & (tree.default_branch < 0)).any(),
        f"unseen={tree.unseen!r}": levels.any() and tree.unseen in ("default", "error"),
    }
    for part, is_present in unsupported.items():
        if is_present:
            raise OptionError(
                f"Predicting on a GPU is not supported for trees with {part}. Copy the rows to the "
                "host."
            )
    branches, first = tree.branch_node.astype(np.int32), tree.branch_start[:-1].astype(np.int32)
    tables, end = [branches], len(branches)
    for node in np.flatnonzero(levels).tolist():
        below = branches[first[node] : tree.branch_start[node + 1]]
        missing, unknown = tree.default_branch[node], tree.majority_branch[node]
        unknown = missing if tree.unseen == "missing" else unknown
        table = np.full(columns[splits.column[node]].info.n_levels + 2, below[unknown], np.int32)
        entries = slice(splits.level_start[node], splits.level_start[node + 1])
        table[0] = below[missing]
        table[1 + splits.level_code[entries]] = below[splits.level_branch[entries]]
        first[node], end = end, end + len(table)
        tables.append(table)
    ends = device.xp.empty(n_rows, np.int32)
    _core.device_route_rows(
        device,
        [column.core for column in columns],
        n_rows,
        np.nan_to_num(splits.cut),
        np.where(inner, splits.column, -1).astype(np.int32),
        splits.kind.astype(np.int32),
        np.where(inner, tree.default_branch, 0).astype(np.int32),
        first,
        np.concatenate(tables),
        address_of(ends),
    )
    return ends
