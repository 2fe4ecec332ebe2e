"""Pieces of a table as tasks of a cluster see them: partitions of frames, blocks, parts of files.

A partition is a pandas DataFrame (of a dask DataFrame, or made of the blocks of dask Arrays) or a
piece of a file that workers read themselves. The functions here run on workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from ceiba.criteria import Task
from ceiba.errors import DataError
from ceiba.grow.shards.first_pass import FirstPass, PieceLook, look_at, sample_numbers
from ceiba.grow.shards.layout import ShardLayout
from ceiba.grow.shards.second_pass import Seen, fill
from ceiba.grow.shards.shard import Shard, ShardArrays, empty_arrays, named_arrays
from ceiba.table import Schema
from ceiba.table.scanning.scan import Piece

T = TypeVar("T")
_SAMPLE_ROWS: Final = 512  # of a partition


def look(
    part: Any,
    names: Sequence[str],
    numbers: Sequence[str],
    about: tuple[str, Task, str | None, bool],
) -> tuple[PieceLook, Any]:
    """Look at the levels and classes of a partition, and take a sample of its numbers."""
    target, task, weight, keep = about
    others = [name for name in names if name not in numbers]
    wanted = [*others, target, *([] if weight is None else [weight])]
    _check_columns(part, [*names, *wanted])
    if not _n_rows(part):
        return PieceLook(), None
    batches = _batches(part, wanted)
    seen = _named(part, lambda: look_at(batches, target, task, weight, keep_levels=keep))
    binned = [*numbers, *(info.name for info in seen.infos.values() if info.kind != "categorical")]
    return seen, sample_numbers([_some_rows(part, binned)], binned) if binned else None


def to_arrays(part: Any, n_rows: int, known: FirstPass, target: str) -> tuple[ShardArrays, Seen]:
    """Code the rows of a partition and put them into bins."""
    classes = known.target.task == "classification"
    shapes = empty_arrays(
        known.schema, n_rows, known.single, classes=classes, weighted=known.weights is not None
    )
    arrays = named_arrays(
        {name: np.empty(shape, dtype) for name, (dtype, shape) in shapes.items()},
        len(known.schema.columns),
    )
    weight = [] if known.weights is None or known.weights.column is None else [known.weights.column]
    batches = _batches(part, [*known.schema.names, target, *weight])
    return arrays, _named(part, lambda: fill(arrays, batches, known, target))


def seen_of(pair: tuple[ShardArrays, Seen]) -> Seen:
    """Give the ranges and missing values that were seen."""
    return pair[1]


def to_shard(pair: tuple[ShardArrays, Seen], schema: Schema, layout: ShardLayout, k: int) -> Shard:
    """Make the shard that answers rounds."""
    return Shard(pair[0], schema, layout, k)


def joined(blocks: Sequence[Any], names: Sequence[str]) -> Any:
    """Make a DataFrame of the blocks of arrays that stand beside each other."""
    import pandas as pd

    columns: list[Any] = []
    for block in blocks:
        values = np.asarray(block)
        if len(values) != len(blocks[0]):
            raise DataError(
                f"The chunks of X and y do not have the same rows: {len(blocks[0])} and "
                f"{len(values)}. Rechunk them alike."
            )
        columns += [values] if values.ndim == 1 else list(values.T)
    return pd.DataFrame(dict(zip(names, columns, strict=True)))


def _n_rows(part: Any) -> int:
    return part.n_rows if isinstance(part, Piece) else len(part)


def _batches(part: Any, columns: Sequence[str]) -> Iterable[Any]:
    if isinstance(part, Piece):
        return part.file.batches(part.groups, columns)
    return [part[list(columns)]] if len(part) else []


def _some_rows(part: Any, columns: Sequence[str]) -> Any:
    if isinstance(part, Piece):
        rows = next(iter(part.file.batches(part.groups[:1], columns)))
        return rows.take(list(range(0, rows.num_rows, max(1, rows.num_rows // _SAMPLE_ROWS))))
    return part[list(columns)].iloc[:: max(1, len(part) // _SAMPLE_ROWS)]


def _check_columns(part: Any, names: Sequence[str]) -> None:
    """Partitions may order their columns differently, not lack one."""
    if isinstance(part, Piece):
        return
    for name in names:
        if name not in part.columns:
            raise DataError(
                f"A partition has no column {name!r}; it has {', '.join(map(str, part.columns))}."
            )


def _named(part: Any, work: Callable[[], T]) -> T:
    return part.naming_file(work) if isinstance(part, Piece) else work()
