"""Tables on a Dask cluster: what `fit` is given (frames, series, arrays), and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ceiba.errors import DataError
from ceiba.shards.table import Blocks
from ceiba.table.scanning.scan import is_dask_array, is_dask_frame
from ceiba.tree import Tree


def read_dask(X: Any, y: Any, sample_weight: Any) -> tuple[Any, str, str | None]:
    """Return what shards are made of, and the names of the target and of the weights in it."""
    if is_dask_array(X):
        return _blocks(X, y, sample_weight)
    frame, target = _with_column(X, y, "y", "y")
    if sample_weight is None:
        return frame, target, None
    frame, weight = _with_column(frame, sample_weight, "sample_weight", "weight")
    return frame, target, weight


def _with_column(frame: Any, column: Any, option: str, name: str) -> tuple[Any, str]:
    """Put a series into a frame, unless it is the name of a column."""
    if isinstance(column, str):
        return frame, column
    if not is_dask_frame(column) or column.ndim != 1:
        raise DataError(
            f"{option} must name a column of X, or be a dask Series beside it: X is a dask "
            f"DataFrame. Got a {type(column).__name__}."
        )
    name = name if column.name is None else str(column.name)
    while name in frame.columns:
        name += "_"
    try:
        return frame.assign(**{name: column}), name
    except ValueError as error:
        raise DataError(
            f"{option} and X do not have the same partitions ({error}). Take both from one frame, "
            f"or name the column: fit(X, {name!r})."
        ) from error


def _blocks(X: Any, y: Any, sample_weight: Any) -> tuple[Blocks, str, str | None]:
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise DataError(
            f"A dask Array of {X.ndim} dimensions and type {X.dtype} is no table of numbers. Give "
            "one of rows and columns of numbers, or a dask DataFrame."
        )
    columns = tuple(f"x{j}" for j in range(X.shape[1]))
    names = [*columns, "y"]
    arrays = [X.rechunk({1: -1}), _beside(X, y, "y")]
    if sample_weight is not None:
        names.append("weight")
        arrays.append(_beside(X, sample_weight, "sample_weight"))
    weight = None if sample_weight is None else "weight"
    return Blocks(tuple(arrays), columns, tuple(names)), "y", weight


def _beside(X: Any, column: Any, option: str) -> Any:
    """Rechunk a 1-d array as the rows of X."""
    if not is_dask_array(column) or column.ndim != 1:
        raise DataError(
            f"{option} must be a dask Array of one dimension, as long as X, which is one too. Got "
            f"a {type(column).__name__}."
        )
    if np.isnan(X.shape[0]) or np.isnan(column.shape[0]):  # chunks of unknown sizes
        if X.numblocks[0] != column.numblocks[0]:
            raise DataError(
                f"X has {X.numblocks[0]} chunks of rows and {option} {column.numblocks[0]}, of "
                "unknown sizes. Call compute_chunk_sizes() on both."
            )
        return column
    if X.shape[0] != column.shape[0]:
        raise DataError(f"X has {X.shape[0]} rows and {option} {column.shape[0]}.")
    return column.rechunk((X.chunks[0],))


def lazily(
    method: Callable[[Any], Any], X: Any, tree: Tree, dtype: Any, labels: Sequence[Any] = ()
) -> Any:
    """Call a method of an estimator for every partition of a dask table, when computed."""
    if is_dask_array(X):
        rows = X.rechunk({1: -1})
        shape = {"drop_axis": 1} if not labels else {"chunks": (X.chunks[0], (len(labels),))}
        wide = (0, len(labels)) if labels else (0,)
        return rows.map_blocks(
            lambda block: method(block) if len(block) else np.empty(wide, dtype),
            dtype=dtype,
            meta=np.empty(wide, dtype),
            **shape,
        )
    import pandas as pd

    def framed(answers: Any, index: Any) -> Any:
        if labels:
            return pd.DataFrame(answers, index=index, columns=list(labels), dtype=dtype)
        return pd.Series(answers, index=index, dtype=dtype)

    def one(part: Any) -> Any:
        wide = (0, len(labels)) if labels else (0,)
        answers = method(part) if len(part) else np.empty(wide, dtype)
        return framed(answers, part.index)

    columns = X[list(tree.schema.names)]
    nothing = np.empty((0, len(labels)) if labels else 0, dtype)
    return columns.map_partitions(one, meta=framed(nothing, columns._meta.index))
