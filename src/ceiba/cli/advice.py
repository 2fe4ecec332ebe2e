"""What a good colleague would point out before learning: leaks, rare classes, rows left out."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any, Final

from ceiba.cli.files._polars import pl

_MOST_ROWS: Final = 20_000
_RARE: Final = 5
_MANY_MISSING: Final = 0.05


def advice(
    frame: pl.DataFrame, y: pl.Series, task: str, n_missing: int, identifiers: Collection[str] = ()
) -> list[str]:
    """Give remarks about the columns and the target, in words.

    Parameters
    ----------
    frame : polars DataFrame
        The columns to learn from.
    y : polars Series
        The target, nothing missing.
    task : str
    n_missing : int
        Rows left out because their target was missing.
    identifiers : collection of str
        Columns that decide the target only because every row has a value of its own.
    """
    remarks = []
    total = len(y) + n_missing
    if n_missing > _MANY_MISSING * total:
        remarks.append(
            f"{n_missing} of {total} rows have no {y.name!r} and are left out. If they are not "
            "missing at random, the tree learns something else than you think."
        )
    if task == "classification":
        counts = y.value_counts().sort("count")
        rare = counts.filter(counts["count"] < _RARE)
        for label, n in rare.rows()[:3]:
            remarks.append(f"Class {label!r} has only {n} row{'s' if n > 1 else ''}.")
    remarks += _leaks(frame, y, task, identifiers)
    return remarks


def _leaks(frame: pl.DataFrame, y: pl.Series, task: str, skip: Collection[str]) -> list[str]:
    """Find columns that alone decide the target: a tree of two questions without mistakes."""
    from ceiba import estimators

    if len(y) < 30:
        return []
    if len(y) > _MOST_ROWS:
        rows = y.to_frame("y").with_row_index().sample(_MOST_ROWS, seed=0)["index"]
        frame, y = frame[rows], y[rows]
    leaks = []
    kind: Any = estimators.DecisionTreeClassifier
    if task == "regression":
        kind = estimators.DecisionTreeRegressor
    truth = y.to_numpy() if task == "regression" else y.to_list()
    for name in frame.columns:
        if name in skip:
            continue
        model = kind(max_leaf_nodes=3, min_samples_leaf=max(2, len(y) // 200))
        try:
            with warnings.catch_warnings():  # of what learning itself will warn
                warnings.simplefilter("ignore")
                model.fit(frame.select(name), truth)
        except ValueError:  # a column without values says nothing
            continue
        tree = model.tree_
        if tree.n_leaves > 1 and tree.tree_risk <= 0.005 * float(tree.risk[0]):
            leaks.append(
                f"Column {name!r} alone decides {y.name!r}. Is it known before {y.name!r} is? If "
                f"not, it is a leak: leave it out (--drop {name})."
            )
    return leaks
