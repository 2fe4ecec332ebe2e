"""Fitting to a table beyond memory, in files or on a cluster: a tree over shards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.criteria import Task
from ceiba.errors import DataError, OptionError, SchemaError
from ceiba.estimators.beyond_memory.dask_inputs import read_dask
from ceiba.estimators.parameters import grow_options
from ceiba.estimators.weights import class_weights
from ceiba.grow import Problem
from ceiba.grow.shards import out_of_core
from ceiba.grow.shards.first_pass import UNWEIGHTED, Weighting
from ceiba.grow.shards.journal import resumable
from ceiba.grow.shards.on_dask import opening
from ceiba.grow.shards.on_dask.parts import Blocks
from ceiba.grow.shards.supported import check_parameters, refusal
from ceiba.prune import ChiSquare, CostComplexity, Pessimistic, Pruned, ReducedError, read_pruning
from ceiba.prune.pruning import Pruning
from ceiba.prune.read import with_groups
from ceiba.table import Scan, Target, TargetInfo
from ceiba.table.scanning.lazy import is_dask
from ceiba.tree import Tree

#: Parameters that do not need the table, besides those of growing.
_KNOWN: Final = frozenset({"ccp_alpha", "class_weight", "match_columns", "prune"})
#: Bytes that folds take for each row: a permutation, target, weight, fold, held-out rows.
_BYTES_OF_FOLDS: Final = 40


def is_beyond_memory(X: Any) -> bool:
    """Tell whether a table is a scan of files, or on a Dask cluster."""
    return type(X) is not np.ndarray and (isinstance(X, Scan) or is_dask(X))


def tree_beyond_memory(
    X: Any,
    y: Any,
    stated: Mapping[str, Any],
    task: Task,
    sample_weight: Any,
    groups: Any,
    checkpoint: Any = None,
) -> tuple[Tree, Pruned | None]:
    """Grow the tree of a table beyond memory, and prune it if that is asked for.

    What needs the whole table is refused by name.

    Parameters
    ----------
    X : Scan, dask DataFrame or dask Array
    y : str, dask Series or dask Array
        The column to predict.
    stated : mapping
        The parameters that are not at their default.
    task : {"classification", "regression"}
    sample_weight : str or None
        The column of weights.
    groups : array-like, str or None
        Rows that folds hold out together, or their column, which is not learned from.
    checkpoint : path, optional
        A file by which growing can be resumed.
    """
    if is_dask(X):
        X, y, sample_weight = read_dask(X, y, sample_weight)
    if not isinstance(y, str):
        raise DataError(
            f"y must name a column of X, which is beyond memory: fit(X, 'name'). Got a "
            f"{type(y).__name__}."
        )
    if groups is not None:
        X, groups = _taken_out(X, groups)
        stated = {**stated, "prune": with_groups(stated.get("prune"), groups)}
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise DataError(
            "sample_weight must name a column of X, which is beyond memory. Got a "
            f"{type(sample_weight).__name__}."
        )
    check_parameters(stated, _KNOWN)
    options = grow_options(dict(stated), task)
    pruning = read_pruning(stated.get("prune"))
    _check_pruning(pruning, X)
    weighting = _weighting(sample_weight, stated.get("class_weight"))
    here = isinstance(X, Scan) and X.cluster is None
    opened = out_of_core.opened if here else opening.opened
    with (
        opened(X, y, options, weighting) as (table, target),
        resumable(table, options, checkpoint) as watched,
    ):
        problem = Problem(watched, target, options)
        if pruning is None:
            return problem.grow(), None
        pruned = pruning.fit(problem)
        return pruned.tree, pruned


def _taken_out(X: Any, groups: Any) -> tuple[Any, Any]:
    """Take the column of groups out of a table beyond memory; an array stays as it is."""
    if not isinstance(groups, str):
        return X, groups.compute() if is_dask(groups) else groups
    if isinstance(X, Scan):
        return X.without(groups), X.column(groups)
    if isinstance(X, Blocks) or groups not in list(X.columns):
        raise SchemaError(f"There is no column {groups!r} with groups.")
    return X.drop(columns=groups), X[groups].compute().to_numpy()


def _check_pruning(pruning: Pruning | None, X: Any) -> None:
    """Refuse prunings that look at rows, but for cross-validation, which must fit into memory."""
    if isinstance(pruning, ChiSquare | ReducedError):
        raise refusal("prune", pruning)
    if isinstance(pruning, Pessimistic) and pruning.raising:
        raise OptionError(
            "Pessimistic(raising=True) needs a table in memory, and this one is beyond it. Use "
            "Pessimistic(raising=False)."
        )
    if isinstance(pruning, CostComplexity) and pruning.by_folds and isinstance(X, Scan):
        needed = _BYTES_OF_FOLDS * X.n_rows
        if needed > X.memory:
            raise OptionError(
                f"prune={pruning!r} takes {needed / 1e9:.3g} GB for the folds of {X.n_rows:,} "
                f"rows, and memory is {X.memory / 1e9:.3g} GB. Give more, or prune by an alpha: "
                "CostComplexity(alpha=...)."
            )


def _weighting(column: str | None, class_weight: Any) -> Weighting:
    if class_weight is None:
        return UNWEIGHTED if column is None else Weighting(column)

    def per_class(info: TargetInfo, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if class_weight == "balanced":  # as scikit-learn has it
            return np.asarray(totals.sum() / (len(totals) * totals))
        each = Target(info, np.arange(len(totals), dtype=np.int32).reshape(-1, 1))
        return class_weights(class_weight, each)

    return Weighting(column, per_class)
