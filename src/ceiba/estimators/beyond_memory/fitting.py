"""Fitting to a table beyond memory, in files or on a cluster: a tree over shards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.criteria import Task
from ceiba.errors import DataError, OptionError
from ceiba.estimators.beyond_memory.dask_inputs import read_dask
from ceiba.estimators.parameters import grow_options
from ceiba.estimators.weights import class_weights
from ceiba.grow import Problem
from ceiba.grow.shards import on_dask, out_of_core
from ceiba.grow.shards.first_pass import UNWEIGHTED, Weighting
from ceiba.grow.shards.journal import resumable
from ceiba.grow.shards.supported import check_parameters, check_weighted, refusal
from ceiba.table import Scan, Target, TargetInfo
from ceiba.table.scanning.lazy import is_dask
from ceiba.tree import Tree

#: Parameters that do not need the table, besides those of growing.
_KNOWN: Final = frozenset({"ccp_alpha", "class_weight", "match_columns"})


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
) -> Tree:
    """Grow the tree of a table beyond memory; what needs the whole table is refused by name.

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
    groups
        Must be None.
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
        raise refusal("groups", groups)
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise DataError(
            "sample_weight must name a column of X, which is beyond memory. Got a "
            f"{type(sample_weight).__name__}."
        )
    check_parameters(stated, _KNOWN)
    options = grow_options(dict(stated), task)
    weighting = _weighting(sample_weight, stated.get("class_weight"))
    if weighting is not UNWEIGHTED:
        check_weighted(options)
    here = isinstance(X, Scan) and X.cluster is None
    opened = out_of_core.opened if here else on_dask.opened
    with (
        opened(X, y, options, weighting) as (table, target),
        resumable(table, options, checkpoint) as watched,
    ):
        return Problem(watched, target, options).grow()


def _weighting(column: str | None, class_weight: Any) -> Weighting:
    if class_weight is None:
        return UNWEIGHTED if column is None else Weighting(column)
    if column is not None:
        raise OptionError(
            f"class_weight={class_weight!r} with sample_weight needs a table in memory, and this "
            "one is beyond it. Give one of them."
        )

    def per_class(info: TargetInfo, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if class_weight == "balanced":  # as scikit-learn has it
            return np.asarray(totals.sum() / (len(totals) * totals))
        each = Target(info, np.arange(len(totals), dtype=np.int32).reshape(-1, 1))
        return class_weights(class_weight, each)

    return Weighting(per_class=per_class)
