"""A table beyond memory, in files or on a cluster, as a problem over shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.criteria import Task
from ceiba.errors import DataError, OptionError
from ceiba.estimators.beyond_memory.dask_tables import read_dask
from ceiba.estimators.parameters import grow_options
from ceiba.estimators.weights import class_weights
from ceiba.grow import GrowOptions, Problem
from ceiba.prune import ChiSquare, CostComplexity, Pessimistic, ReducedError, read_pruning
from ceiba.prune.cross_validation.folds import check_folds_of_shards
from ceiba.prune.pruning import Pruning
from ceiba.shards.journal import resumable
from ceiba.shards.opening import open_table
from ceiba.shards.supported import check_parameters, refusal
from ceiba.shards.table import UNWEIGHTED, Weighting
from ceiba.table import Scan, Target, TargetInfo
from ceiba.table.scanning.scan import is_dask

#: Parameters that do not need the table, besides those of growing.
_KNOWN: Final = frozenset({"ccp_alpha", "class_weight", "prune"})
#: Bytes that folds take for each row: a permutation, target, weight, fold, held-out rows.
_BYTES_OF_FOLDS: Final = 40


def is_in_pieces(X: Any) -> bool:
    """Return whether a table is a scan of files, or on a Dask cluster."""
    return isinstance(X, Scan) or is_dask(X)


@contextmanager
def open_problem(
    X: Any, y: Any, stated: Mapping[str, Any], task: Task, sample_weight: Any, checkpoint: Any
) -> Iterator[Problem]:
    """Read a table in pieces as a problem over shards; what needs all rows is refused by name."""
    if is_dask(X):
        X, y, sample_weight = read_dask(X, y, sample_weight)
    for name, column in (("y", y), ("sample_weight", sample_weight or "")):
        if not isinstance(column, str):
            raise DataError(
                f"{name} must name a column of X, which is beyond memory: fit(X, 'name'). Got a "
                f"{type(column).__name__}."
            )
    check_parameters(stated, _KNOWN)
    options = grow_options(dict(stated), task)
    _check_pruning(read_pruning(stated.get("prune")), X, options)
    weighting = _weighting(sample_weight, stated.get("class_weight"))
    with (
        open_table(X, y, options, weighting) as (table, target),
        resumable(table, options, checkpoint) as watched,
    ):
        yield Problem(watched, target, options)


def _check_pruning(pruning: Pruning | None, X: Any, options: GrowOptions) -> None:
    """Refuse prunings that look at rows, but for cross-validation, which must fit into memory."""
    if isinstance(pruning, ChiSquare | ReducedError):
        raise refusal("prune", pruning)
    if isinstance(pruning, Pessimistic) and pruning.raising:
        raise OptionError(
            "Pessimistic(raising=True) needs a table in memory, and this one is beyond it. Use "
            "Pessimistic(raising=False)."
        )
    if not isinstance(pruning, CostComplexity) or not pruning.by_folds:
        return
    pruning.check()
    check_folds_of_shards(pruning.folds, pruning.groups, options)
    if isinstance(X, Scan):
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
