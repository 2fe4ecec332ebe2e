"""Estimators and tables beyond memory: fitting over shards, predicting batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.criteria import Task
from ceiba.errors import DataError
from ceiba.estimators.parameters import grow_options
from ceiba.grow import Problem
from ceiba.grow.shards import on_dask, out_of_core
from ceiba.grow.shards.on_dask import is_dask_frame
from ceiba.grow.shards.supported import check_parameters, refusal
from ceiba.table import Scan
from ceiba.tree import Tree

#: Parameters that do not need the table, besides those of growing.
_KNOWN: Final = frozenset({"ccp_alpha", "match_columns"})


def is_beyond_memory(X: Any) -> bool:
    """Tell whether a table is elsewhere: files, or a dask DataFrame."""
    return type(X) is not np.ndarray and (isinstance(X, Scan) or is_dask_frame(X))


def tree_beyond_memory(
    X: Any, y: Any, stated: Mapping[str, Any], task: Task, sample_weight: Any, groups: Any
) -> Tree:
    """Grow the tree of a table that is elsewhere; what needs the whole table is refused by name.

    Parameters
    ----------
    X : Scan or dask DataFrame
    y : str
        The column to predict.
    stated : mapping
        The parameters that are not at their default.
    task : {"classification", "regression"}
    sample_weight, groups
        Must be None.
    """
    if not isinstance(y, str):
        raise DataError(
            f"y must name a column of X, which is beyond memory: fit(X, 'name'). Got a "
            f"{type(y).__name__}."
        )
    for name, value in (("sample_weight", sample_weight), ("groups", groups)):
        if value is not None:
            raise refusal(name, value)
    check_parameters(stated, _KNOWN)
    options = grow_options(dict(stated), task)
    opened = out_of_core.opened if isinstance(X, Scan) else on_dask.opened
    with opened(X, y, options) as (table, target):
        return Problem(table, target, options).grow()


def lazily(method: Callable[[Any], Any], frame: Any, dtype: Any) -> Any:
    """Call a method of an estimator for every partition of a dask DataFrame, when computed."""
    import pandas as pd

    def one(part: Any) -> Any:
        answers = method(part) if len(part) else np.empty(0, dtype)
        return pd.Series(answers, index=part.index, dtype=dtype)

    return frame.map_partitions(one, meta=pd.Series([], dtype=dtype))


def in_batches(method: Callable[[Any], Any], scan: Scan, tree: Tree) -> npt.NDArray[Any]:
    """Call a method of an estimator for every batch of a scan, and put the results together."""
    names = tree.schema.names
    absent = set(names) - set(scan.names)
    scan.without(*sorted(absent))  # says what is missing
    return np.concatenate([method(batch) for batch in scan.batches(names)])
