"""Predicting for a table beyond memory: batch by batch, or partition by partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.table import Scan
from ceiba.table.scanning.lazy import is_dask_array
from ceiba.tree import Tree


def lazily(
    method: Callable[[Any], Any], X: Any, tree: Tree, dtype: Any, labels: Sequence[Any] = ()
) -> Any:
    """Call a method of an estimator for every partition of a dask table, when computed.

    Parameters
    ----------
    method : callable
        From rows to an array.
    X : dask DataFrame or Array
    tree : Tree
    dtype : numpy dtype
        Of the answers.
    labels : sequence
        Of the columns of the answers; empty: one answer per row.

    Returns
    -------
    dask Series, DataFrame (of the labels) or Array
    """
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


def in_batches(method: Callable[[Any], Any], scan: Scan, tree: Tree) -> npt.NDArray[Any]:
    """Call a method of an estimator for every batch of a scan, and put the results together."""
    names = tree.schema.names
    absent = set(names) - set(scan.names)
    scan.without(*sorted(absent))  # says what is missing
    return np.concatenate([method(batch) for batch in scan.batches(names)])
