"""Fit trees to files, dask collections and tables on a GPU, and predict dask tables lazily."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError
from ceiba.estimators.parameters import class_weights, grow_options
from ceiba.grow import GrowOptions, Problem
from ceiba.prune import ChiSquare, CostComplexity, Pessimistic, Pruning, ReducedError, read_pruning
from ceiba.prune.cross_validation import check_shard_folds
from ceiba.shards import (
    UNWEIGHTED,
    Blocks,
    ShardedTable,
    ShardedTarget,
    Weighting,
    check_parameters,
    check_supported,
    open_journal,
    unsupported_error,
    with_hazard,
)
from ceiba.shards.homes import dask, gpu, threads
from ceiba.table import Scan, Target, TargetInfo, read_target, read_weights
from ceiba.table.scanning import is_dask, is_dask_array, is_dask_frame, is_on_gpu
from ceiba.table.targets import split_survival, split_target
from ceiba.task import Task
from ceiba.tree import Tree

#: Parameters, besides growing options, that are supported for files, dask and GPU tables.
_SUPPORTED: Final = frozenset({"ccp_alpha", "class_weight", "prune"})
#: Memory for cross-validation in bytes per row: order, target, weight, fold, held-out rows.
_BYTES_OF_FOLDS: Final = 40
#: Memory for fitting a survival tree in bytes per row (361 were measured at depth 3).
_BYTES_OF_TIMES: Final = 400


def read_dask(X: Any, y: Any, sample_weight: Any) -> tuple[Any, str, str | None]:
    """Return a dask table of X, y and weights, and the names of the target and weight columns."""
    if is_dask_array(X):
        return _read_blocks(X, y, sample_weight)
    frame, target = _assign_column(X, y, "y", "y")
    if sample_weight is None:
        return frame, target, None
    frame, weight = _assign_column(frame, sample_weight, "sample_weight", "weight")
    return frame, target, weight


def _assign_column(frame: Any, column: Any, option: str, name: str) -> tuple[Any, str]:
    """Add a series to a frame as a column; return the frame and the column name."""
    if isinstance(column, str):
        return frame, column
    if not is_dask_frame(column) or column.ndim != 1:
        raise DataError(
            f"{option} must be a column name or a dask Series if X is a dask DataFrame, got "
            f"{type(column).__name__}."
        )
    name = name if column.name is None else str(column.name)
    while name in frame.columns:
        name += "_"
    try:
        return frame.assign(**{name: column}), name
    except ValueError as error:
        raise DataError(
            f"{option} and X must have the same partitions ({error}). Pass a column of X by name."
        ) from error


def _read_blocks(X: Any, y: Any, sample_weight: Any) -> tuple[Blocks, str, str | None]:
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise DataError(
            f"X must be a 2-d dask Array of numbers, got a {X.ndim}-d Array of {X.dtype}. "
            "Pass a dask DataFrame for other types."
        )
    columns = tuple(f"x{j}" for j in range(X.shape[1]))
    names = [*columns, "y"]
    arrays = [X.rechunk({1: -1}), _align_rows(X, y, "y")]
    if sample_weight is not None:
        names.append("weight")
        arrays.append(_align_rows(X, sample_weight, "sample_weight"))
    weight = None if sample_weight is None else "weight"
    return Blocks(tuple(arrays), columns, tuple(names)), "y", weight


def _align_rows(X: Any, column: Any, option: str) -> Any:
    """Return a 1-d dask Array with the row chunks of X; raise an error if lengths differ."""
    if not is_dask_array(column) or column.ndim != 1:
        raise DataError(
            f"{option} must be a 1-d dask Array if X is a dask Array, got "
            f"{type(column).__name__} of shape {np.shape(column)}."
        )
    if np.isnan(X.shape[0]) or np.isnan(column.shape[0]):  # dask may not know the number of rows
        if X.numblocks[0] != column.numblocks[0]:
            raise DataError(
                f"X and {option} must have the same number of chunks if sizes are unknown, got "
                f"{X.numblocks[0]} and {column.numblocks[0]}. Call compute_chunk_sizes() on both."
            )
        return column
    if X.shape[0] != column.shape[0]:
        raise DataError(
            f"X and {option} must have the same length, got {X.shape[0]} and {column.shape[0]}."
        )
    return column.rechunk((X.chunks[0],))


def map_lazily(
    method: Callable[[Any], Any], X: Any, tree: Tree, dtype: Any, labels: Sequence[Any] = ()
) -> Any:
    """Return a lazy dask collection of `method(part)` for every partition of a dask table."""
    wide = (0, len(labels)) if labels else (0,)  # shape of predictions for 0 rows
    if is_dask_array(X):
        rows = X.rechunk({1: -1})
        shape = {"drop_axis": 1} if not labels else {"chunks": (X.chunks[0], (len(labels),))}
        return rows.map_blocks(
            lambda block: method(block) if len(block) else np.empty(wide, dtype),
            dtype=dtype,
            meta=np.empty(wide, dtype),
            **shape,
        )
    import pandas as pd

    def predict_part(frame: Any) -> Any:
        answers = method(frame) if len(frame) else np.empty(wide, dtype)
        if labels:
            return pd.DataFrame(answers, index=frame.index, columns=list(labels), dtype=dtype)
        return pd.Series(answers, index=frame.index, dtype=dtype)

    columns = X[list(tree.schema.names)]
    return columns.map_partitions(predict_part, meta=predict_part(columns._meta))


@contextmanager
def open_problem(
    X: Any, y: Any, params: Mapping[str, Any], task: Task, sample_weight: Any, checkpoint: Any
) -> Iterator[Problem]:
    """Yield the training data and growing options of a file, dask or GPU table as a `Problem`.

    `y` of a survival tree has two parts: the names of columns, and the code of the event.
    """
    if task is Task.SURVIVAL:
        with _open_survival_problem(X, y, params, sample_weight, checkpoint) as problem:
            yield problem
        return
    if is_on_gpu(X):
        with _open_gpu_problem(X, y, params, task, sample_weight, checkpoint) as problem:
            yield problem
        return
    if is_dask(X):
        if is_on_gpu(getattr(X, "_meta", None)):
            raise DataError(
                "Dask collections on GPUs are not supported. Pass X.compute() to use one GPU, or "
                "X.to_backend('pandas')."
            )
        X, y, sample_weight = read_dask(X, y, sample_weight)
    _check_names(y=y, sample_weight=sample_weight or "")
    options = _read_options(X, params, task, _SUPPORTED)
    weighting = _read_weighting(sample_weight, params.get("class_weight"))
    with (
        _open_table(X, y, options, weighting) as (table, target),
        open_journal(table, options, checkpoint) as watched,
    ):
        yield Problem(watched, target, options)


def _open_table(
    X: Any, y: str, options: GrowOptions, weighting: Weighting
) -> AbstractContextManager[tuple[ShardedTable, ShardedTarget]]:
    """Divide a table into shards of rows, in scratch files or on a Dask cluster."""
    if isinstance(X, Scan) and X.cluster is None:
        return threads.open_table(X, y, options, weighting)
    return dask.open_table(X, y, options, weighting)


def _check_names(**columns: Any) -> None:
    """Raise an error if the target or the weights are not given as a column name."""
    for name, column in columns.items():
        if not isinstance(column, str):
            raise DataError(
                f"{name} must be a column name if X is a scan or a dask DataFrame, got "
                f"{type(column).__name__}. Pass the name of a column of X."
            )


def _read_options(
    X: Any, params: Mapping[str, Any], task: Task, supported: frozenset[str]
) -> GrowOptions:
    """Return the growing options; raise an error for parameters that require a table in memory."""
    check_parameters(params, supported)
    options = grow_options(dict(params), task)
    _check_pruning(read_pruning(params.get("prune")), X, options)
    return options


@contextmanager
def _open_survival_problem(
    X: Any, y: tuple[Any, Any], params: Mapping[str, Any], sample_weight: Any, checkpoint: Any
) -> Iterator[Problem]:
    """Read the target and weights of survival data into memory, and yield a `Problem`."""
    # Survival trees grow on event rates, which depend on all times, so read the times first.
    scanned = isinstance(X, Scan)
    if not scanned and not is_dask_frame(X):
        raise DataError(
            "Survival trees require a table in CPU memory, files (ceiba.scan) or a dask DataFrame, "
            f"got {type(X).__name__}."
        )
    options = _read_options(X, params, Task.SURVIVAL, _SUPPORTED)
    check_supported(options)
    _check_memory("A survival tree", "times", _BYTES_OF_TIMES, X, "a sample of the rows")
    features, outputs = split_survival(X, *y)
    if not isinstance(outputs, dict):
        raise DataError(
            "y must contain the names of the time and event columns if X is a scan or a dask "
            "DataFrame. Call fit(X, ('time', 'event'))."
        )
    target = read_target(outputs, task=Task.SURVIVAL)
    weight = None
    if sample_weight is not None:
        _check_names(sample_weight=sample_weight)
        weight = read_weights(split_target(features, sample_weight)[1], len(target))
    # Use the times as the target until the event rates are computed.
    time = next(iter(outputs))
    names, columns = (set(table.names if scanned else table.columns) for table in (X, features))
    extra = names - columns - {time}
    rows = X.without(*extra) if scanned else X.drop(columns=list(extra))
    reading = ("missing", "unseen", "n_jobs", "max_depth")
    numbers = GrowOptions(
        task=Task.REGRESSION, **{name: getattr(options, name) for name in reading}
    )
    with _open_table(rows, time, numbers, _read_weighting(sample_weight, None)) as (table, _):
        table, rates = with_hazard(table, target, weight)
        with open_journal(table, options, checkpoint) as watched:
            yield Problem(watched, rates, options, weight)


@contextmanager
def _open_gpu_problem(
    X: Any, y: Any, params: Mapping[str, Any], task: Task, sample_weight: Any, checkpoint: Any
) -> Iterator[Problem]:
    """Yield a `Problem` with the training data of a table on the GPU."""
    if checkpoint is not None:
        raise OptionError("checkpoint is not supported for tables on a GPU. Omit it.")
    X = gpu.split_frame(X)
    if isinstance(y, str) and isinstance(X, Mapping) and y in X:
        X, y = {name: column for name, column in X.items() if name != y}, X[y]
    options = _read_options(X, params, task, _SUPPORTED | {"categorical_features"})
    weighting = _read_weighting(None, params.get("class_weight"))
    categorical = params.get("categorical_features")
    with gpu.open_table(X, y, sample_weight, options, weighting, categorical) as (table, target):
        yield Problem(table, target, options)


def _check_pruning(pruning: Pruning | None, X: Any, options: GrowOptions) -> None:
    """Raise an error if pruning requires the rows in memory, or more memory than is allowed."""
    if isinstance(pruning, ChiSquare | ReducedError):
        raise unsupported_error("prune", pruning)
    if isinstance(pruning, Pessimistic) and pruning.raising:
        raise OptionError(
            "Pessimistic(raising=True) is not supported if X is a scan, dask or GPU table. "
            "Use Pessimistic(raising=False)."
        )
    if not isinstance(pruning, CostComplexity) or not pruning.by_folds:
        return
    pruning.check()
    check_shard_folds(pruning.folds, pruning.groups, options)
    _check_memory(f"prune={pruning!r}", "folds", _BYTES_OF_FOLDS, X, "CostComplexity(alpha=...)")


def _check_memory(name: str, array: str, n_bytes: int, X: Any, instead: str) -> None:
    """Raise an error if `n_bytes` per row exceed the memory limit of a scan."""
    if isinstance(X, Scan) and n_bytes * X.n_rows > X.memory:
        raise OptionError(
            f"{name} requires {-(-n_bytes * X.n_rows // 10**6)} MB for the {array} of {X.n_rows:,} "
            f"rows, got memory={X.memory / 1e6:g} MB. Increase memory, or use {instead}."
        )


def _read_weighting(column: str | None, class_weight: Any) -> Weighting:
    if class_weight is None:
        return UNWEIGHTED if column is None else Weighting(column)

    def per_class(info: TargetInfo, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if class_weight == "balanced":  # as in scikit-learn
            return np.asarray(totals.sum() / (len(totals) * totals))
        each = Target(info, np.arange(len(totals), dtype=np.int32).reshape(-1, 1))
        return class_weights(class_weight, each)

    return Weighting(column, per_class)
