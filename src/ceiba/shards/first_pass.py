"""First pass over a table in pieces: find levels and classes, and sample numbers.

Numeric columns of files are read from a few pieces only. Levels and classes are those of the
readers for tables in memory, merged over the pieces.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import DataError
from ceiba.grow import GrowOptions, Units
from ceiba.shards.shard import NumberTarget, array_shapes
from ceiba.shards.table import Weighting
from ceiba.table import (
    ColumnInfo,
    Kind,
    Schema,
    TargetInfo,
    fit_schema,
    read,
    read_target,
    read_weights,
    sort_levels,
)
from ceiba.table.scanning import ScanPiece
from ceiba.table.targets import encode_labels, split_target
from ceiba.task import Task

T = TypeVar("T")
#: Number of values per column from which bin edges are chosen, and number of sampled pieces.
SAMPLE: Final = 8192
SAMPLED_PIECES: Final = 16
_MOST_BINS: Final = 255
_NO_BITS: Final = (2**12, -(2**12))


@dataclass
class PieceSummary:
    """Levels, class counts, target range and weight range of a piece of a table."""

    infos: dict[str, ColumnInfo] = field(default_factory=dict)
    classes: list[npt.NDArray[Any]] = field(default_factory=list)
    counts: list[npt.NDArray[np.float64]] = field(default_factory=list)
    least: float = np.inf
    most: float = -np.inf
    bits: tuple[int, int] = _NO_BITS
    weight: str | None = None
    weight_bits: tuple[int, int] = _NO_BITS
    n_rows: int = 0


def read_batches(part: Any, columns: Sequence[str]) -> Iterable[Any]:
    """Return some columns of a part of a table (a piece of a file or a DataFrame) in batches."""
    if isinstance(part, ScanPiece):
        return part.file.batches(part.groups, columns)
    return [part[list(columns)]] if len(part) else []


def call_naming_file(part: Any, work: Callable[[], T]) -> T:
    """Call `work`; if it raises an error and the part is in a file, name the file in the error."""
    return part.call_naming_file(work) if isinstance(part, ScanPiece) else work()


def summarize_piece(
    part: Any, levels: Sequence[str], target: str, weight: str | None, options: GrowOptions
) -> PieceSummary:
    """Summarize the target, the categorical columns and the weights of a part of a table."""
    batches = read_batches(part, [*levels, target, *([] if weight is None else [weight])])
    # With unseen="error", levels that occur only in zero-weight rows count as known.
    keep = options.unseen == "error"
    return call_naming_file(
        part, lambda: _summarize_batches(batches, target, weight, options.task, keep)
    )


def _summarize_batches(
    batches: Iterable[Any], target: str, weight: str | None, task: Task, keep_levels: bool
) -> PieceSummary:
    summary = PieceSummary(weight=weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about a batch may not apply to the table
        for batch in batches:
            columns, labels = split_target(batch, target)
            weights = None
            if weight is not None:
                columns, numbers = split_target(columns, weight)
                weights = read_batch_weights(numbers)
                if weights.any():
                    summary.weight_bits = _widen_bits(summary.weight_bits, _core.bit_range(weights))
            learned = read_target(labels, task=task)
            summary.n_rows += len(learned)
            if task.is_classification("A table larger than memory"):
                summary.classes.append(learned.info.classes[0])
                summary.counts.append(np.bincount(learned.values[:, 0]).astype(float))
            else:
                values = np.ascontiguousarray(learned.values[:, 0])
                summary.least = min(summary.least, float(values.min()))
                summary.most = max(summary.most, float(values.max()))
                if values.any():
                    summary.bits = _widen_bits(summary.bits, _core.bit_range(values))
            if columns.num_columns if hasattr(columns, "num_columns") else columns.shape[1]:
                table = read(columns)
                if weights is not None and not keep_levels and not weights.all():
                    if not weights.any():
                        continue
                    table = fit_schema(table, weights > 0)  # as in-memory fits do
                _merge_columns(summary, table.schema.columns)
    return summary


def _widen_bits(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return min(a[0], b[0]), max(a[1], b[1])


def read_batch_weights(numbers: Any) -> npt.NDArray[np.float64]:
    """Return the validated weights of a batch of rows, which may all be 0."""
    values = read_weights(np.append(np.asarray(numbers), 1.0), len(numbers) + 1)
    assert values is not None
    return values[:-1]


def _merge_columns(summary: PieceSummary, infos: Sequence[ColumnInfo]) -> None:
    for info in infos:
        earlier = summary.infos.get(info.name)
        if earlier is None or (earlier.is_numeric and not info.is_numeric):
            summary.infos[info.name] = info
            continue
        if info.is_numeric or earlier.levels == info.levels:
            continue
        if Kind.ORDERED in (earlier.kind, info.kind):
            raise DataError(
                f"Ordered column {info.name!r} must have the same levels in all files or "
                f"partitions, got {earlier.levels} and {info.levels}."
            )
        levels = sort_levels(list({*earlier.levels, *info.levels}))
        summary.infos[info.name] = replace(earlier, levels=levels)


def merge_pieces(looks: Sequence[PieceSummary]) -> PieceSummary:
    """Merge the summaries of all pieces into the summary of the table."""
    total = PieceSummary()
    for look in looks:
        _merge_columns(total, list(look.infos.values()))
        total.classes += look.classes
        total.counts += look.counts
        total.least, total.most = min(total.least, look.least), max(total.most, look.most)
        total.bits = _widen_bits(total.bits, look.bits)
        total.weight_bits = _widen_bits(total.weight_bits, look.weight_bits)
        total.n_rows += look.n_rows
        total.weight = total.weight or look.weight
    if total.weight is not None and total.weight_bits == _NO_BITS:
        raise DataError(f"Column {total.weight!r} must contain a positive weight, got only zeros.")
    return total


def _class_totals(summary: PieceSummary, name: str) -> tuple[TargetInfo, npt.NDArray[np.float64]]:
    """Return the classes of the target and the row count of each class."""
    classes, codes = encode_labels(np.concatenate(summary.classes))
    totals = np.bincount(codes, weights=np.concatenate(summary.counts), minlength=len(classes))
    return TargetInfo(name, Task.CLASSIFICATION, (classes,), 1), totals.astype(np.float64)


def _number_target(summary: PieceSummary, units: Units, *, rates: bool) -> NumberTarget:
    """Return the scaled range of a numeric target; raise an error for invalid Poisson targets."""
    if rates and summary.least < 0:
        raise DataError(
            "Some value(s) of y are negative which is not allowed for Poisson regression. Use "
            "criterion='squared_error'."
        )
    if rates and summary.most <= 0:
        raise DataError("Sum of y is not positive which is necessary for Poisson regression.")
    low, high = summary.bits if summary.bits != _NO_BITS else (0, 1)
    least, most = units.shrink_target(np.array([summary.least, summary.most])).tolist()
    bits = (low - units.target, high - units.target)
    return NumberTarget(least, most, bits, summary.n_rows, rates)


def sample_numbers(batches: Sequence[Any], names: Sequence[str]) -> tuple[Schema, dict[str, Any]]:
    """Return the schema of numeric columns and a sample of each, from a few batches."""
    each = max(1, SAMPLE // len(batches))
    values: dict[str, list[npt.NDArray[np.float64]]] = {name: [] for name in names}
    infos: dict[str, ColumnInfo] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for batch in batches:
            table = read(batch)
            step = max(1, table.n_rows // each)
            for column in table.columns:
                numbers = column.values[::step].astype(np.float64)
                if not column.info.is_numeric:
                    numbers[column.missing[::step]] = np.nan
                values[column.name].append(numbers)
                infos.setdefault(column.name, column.info)
    schema = Schema(tuple(infos[name] for name in names))
    return schema, {name: np.concatenate(parts) for name, parts in values.items()}


def thin_batches(batches: Sequence[Any]) -> list[Any]:
    """Keep only the rows that `sample_numbers` samples, so that it converts fewer rows."""
    each = max(1, SAMPLE // len(batches))
    return [
        batch.take(np.arange(0, batch.num_rows, max(1, batch.num_rows // each)))
        for batch in batches
    ]


@dataclass(frozen=True)
class FirstPass:
    """Schema, target, bin edges, units and weights that the first pass over a table finds."""

    schema: Schema
    target: TargetInfo
    counted: int | NumberTarget
    totals: npt.NDArray[np.float64]
    units: Units
    edges: list[list[float]]
    single: frozenset[str]
    weights: RowWeights | None = None

    def shapes(self, n_rows: int) -> dict[str, Any]:
        """Return the type and shape of every array of a shard, by name."""
        classes, weighted = isinstance(self.counted, int), self.weights is not None
        return array_shapes(self.schema, n_rows, self.single, classes=classes, weighted=weighted)

    @property
    def node_words(self) -> int:
        """Number of 64-bit words in the histograms of one node."""
        cells = sum(
            info.n_levels + 1 if info.kind is Kind.CATEGORICAL else len(edge) + 2
            for info, edge in zip(self.schema.columns, self.edges, strict=True)
        )
        weight = 0 if self.weights is None else _n_digits(self.weights.bits)
        if isinstance(self.counted, int):
            return cells * (1 + self.counted * weight if weight else self.counted)
        return cells * (2 + _n_digits(self.counted.bits) + 2 * weight)


def _n_digits(bits: tuple[int, int]) -> int:
    return 2 + -(-max(1, bits[1] - bits[0]) // 32)


@dataclass(frozen=True)
class RowWeights:
    """Row weights from a column, from the weights of classes, or from the product of both."""

    column: str | None
    per_class: npt.NDArray[np.float64] | None
    bits: tuple[int, int]
    ignore_zeros: bool = True

    def ignored_rows(self, values: Any) -> npt.NDArray[np.bool_] | None:
        """Return a mask of the ignored (zero-weight) rows, or None if no row is ignored."""
        if self.column is None or not self.ignore_zeros:
            return None
        weights = read_batch_weights(values)
        return None if weights.all() else weights == 0

    def of(self, values: Any, codes: npt.NDArray[Any], units: Units) -> npt.NDArray[np.float64]:
        """Return row weights from weight values and class codes, scaled by `units`."""
        if self.column is None:
            assert self.per_class is not None
            return np.asarray(self.per_class[codes])
        weights = read_batch_weights(values)
        if self.per_class is not None:
            weights = weights * self.per_class[codes]
        return np.asarray(units.shrink_weight(weights))


def build_first_pass(
    summary: PieceSummary,
    names: Sequence[str],
    sample: tuple[Schema, Mapping[str, Any]],
    single: frozenset[str],
    target: tuple[str, GrowOptions],
    weighting: Weighting,
) -> FirstPass:
    """Build the result of the first pass from the table's summary and a sample of its numbers."""
    name, options = target
    ignore_zeros = options.unseen != "error"
    infos = {info.name: info for info in sample[0].columns} | summary.infos
    schema = Schema(tuple(infos[column] for column in names))

    sampled = [column for column in names if column in sample[1]]
    values = [np.ascontiguousarray(sample[1][column], dtype=np.float64) for column in sampled]
    all_edges = _core.place_edges_of(values, _MOST_BINS, [column in single for column in sampled])
    edges_by_name = dict(zip(sampled, all_edges, strict=True))
    edges = [edges_by_name.get(column, []) for column in names]
    if options.task.is_classification("A table larger than memory"):
        info, totals = _class_totals(summary, name)
        per_class = None if weighting.per_class is None else weighting.per_class(info, totals)
        weights, exponent = _build_weights(summary, weighting.column, per_class, ignore_zeros)
        units = Units(weight=exponent)
        return FirstPass(schema, info, len(totals), totals, units, edges, single, weights)
    weights, exponent = _build_weights(summary, weighting.column, None, ignore_zeros)
    units = Units(Units.of(np.array([summary.least, summary.most]), None).target, exponent)
    numbers = _number_target(summary, units, rates=options.criterion_name == "poisson")
    info = TargetInfo(name, Task.REGRESSION)
    return FirstPass(schema, info, numbers, np.empty(0), units, edges, single, weights)


def _build_weights(
    summary: PieceSummary,
    column: str | None,
    per_class: npt.NDArray[np.float64] | None,
    ignore_zeros: bool,
) -> tuple[RowWeights | None, int]:
    """Return the weights, and the exponent of the power of two by which they are divided."""
    if column is None:
        if per_class is None:
            return None, 0
        return RowWeights(None, per_class, _core.bit_range(per_class)), 0
    low, high = summary.weight_bits
    if per_class is not None:  # the exponent range of a product is the sum of the ranges
        bits = _core.bit_range(per_class)
        low, high = low + bits[0], high + bits[1]
    exponent = Units.of(np.empty(0, int), np.array([np.ldexp(1.0, high - 1)])).weight
    return RowWeights(column, per_class, (low - exponent, high - exponent), ignore_zeros), exponent
