"""Predicting for a table beyond memory: batch by batch, or partition by partition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.table import Scan
from ceiba.tree import Tree


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
