"""Compute the gain and cost of a split for any criterion.

gain = impurity of the rows minus the weighted impurity of the branches; cost = the weighted
impurity of the branches (Breiman et al. 1984, definition 2.13). Rows with a missing value are left
out and the gain is multiplied by the share of the others, as with `missing="majority"`. A given
division is measured with numpy, by the definitions of `ceiba.criteria`; the best one is found by
the engine that grows trees.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.criteria import Criterion, criterion_named, entropy
from ceiba.errors import OptionError, did_you_mean
from ceiba.grow import GrowOptions, Problem
from ceiba.inspection.splitting.impurity import log_factor
from ceiba.table import Column, Kind, Table, Target, read, read_target, read_weights
from ceiba.tree import Tree

Array = npt.NDArray[np.float64]


def row_weights(weight: Any, n_rows: int) -> Array:
    """Return the weight of each row (1 by default)."""
    weights = read_weights(weight, n_rows)
    return np.ones(n_rows) if weights is None else weights


def numeric_values(column: Column) -> Array:
    """Return the numbers or ordered codes of a column, with NaN for missing values."""
    if column.info.kind == Kind.CATEGORICAL:
        raise OptionError(
            "Cuts are not supported on categorical columns. Use ceiba.inspection.split_table, or "
            "pass a set of levels as split to ceiba.gain."
        )
    values = np.asarray(column.values, dtype=np.float64)
    if column.info.kind == Kind.ORDERED:
        values = np.where(values < 0, np.nan, values)
    return values


def assign_branches(column: Column, split: Any) -> tuple[npt.NDArray[np.int64], int]:
    """Return the branch of each row (-1 where missing) and the number of branches."""
    codes = column.info.kind == Kind.CATEGORICAL
    if isinstance(split, str) and split == "multiway":
        values = column.values if codes else numeric_values(column)
        present = values >= 0 if codes else ~np.isnan(values)
        distinct, index = np.unique(values[present], return_inverse=True)
        branch = np.full(len(values), -1)
        branch[present] = index
        return branch, len(distinct)
    if isinstance(split, Real):
        numbers = numeric_values(column)
        return np.where(np.isnan(numbers), -1, np.where(numbers <= float(split), 0, 1)), 2
    if isinstance(split, str) or not isinstance(split, Iterable):
        raise OptionError(
            "split must be a number (a cut), a set of levels, 'multiway', 'information' or None, "
            f"got {split!r}."
        )
    return _level_branches(column, list(split)), 2


def _level_branches(column: Column, chosen: list[Any]) -> npt.NDArray[np.int64]:
    levels = list(column.info.levels)
    if not levels:
        raise OptionError(f"split must be a number for a numeric column, got {chosen!r}.")
    for level in chosen:
        if level not in levels:
            raise OptionError(
                f"split must contain only levels of the column, got {level!r}. "
                f"Levels: {levels[:20]}.{did_you_mean(str(level), [str(name) for name in levels])}"
            )
    inside = np.isin(column.values, [levels.index(level) for level in chosen])
    return np.where(column.values < 0, -1, np.where(inside, 0, 1))


def gain_and_cost(
    branch: npt.NDArray[np.int64],
    n_branches: int,
    target: Target,
    criterion: Criterion,
    weights: Array,
) -> tuple[float, float]:
    """Return the gain of a division of the rows into branches, and the impurity after it."""
    present = (branch >= 0) & (weights > 0)
    parts = [present & (branch == b) for b in range(n_branches)]
    parts = [mask for mask in parts if mask.any()]
    total, present_weight = float(weights.sum()), float(weights[present].sum())
    if criterion.of_split is not None:
        if len(parts) != 2:
            raise OptionError(
                f"criterion={criterion.name!r} requires two branches, got {len(parts)}."
            )
        counts = np.stack([_class_counts(target, mask, weights) for mask in parts])
        return present_weight / total * float(criterion.of_split(counts)), float("nan")
    # Divide the sums of weight x impurity once, so that a gain of 0 is exact for integer weights.
    before = present_weight * impurity_of_rows(target, present, criterion, weights)
    after = sum(
        weights[mask].sum() * impurity_of_rows(target, mask, criterion, weights) for mask in parts
    )
    gain = max(0.0, float(before - after)) / total
    if criterion.name == "gain_ratio":
        sizes = [float(weights[mask].sum()) for mask in parts]
        # C4.5 counts rows with a missing value as one more branch.
        gain /= float(entropy([*sizes, total - present_weight])) or 1.0
    return gain, float(after) / present_weight


def _class_counts(target: Target, rows: Any, weights: Array) -> Array:
    n_classes = len(target.info.classes[0])
    counts = np.bincount(target.values[rows, 0], weights[rows], minlength=n_classes)
    return counts.astype(np.float64)


def impurity_of_rows(target: Target, rows: Any, criterion: Criterion, weights: Array) -> float:
    """Return the impurity of the selected rows."""
    if criterion.of_counts is not None:
        return float(criterion.of_counts(_class_counts(target, rows, weights)))
    assert criterion.of_values is not None  # callers do not pass criteria that measure splits
    return criterion.of_values(target.values[rows, 0], weights[rows])


def grow_stump(
    table: Table,
    target: Target,
    criterion: Criterion,
    weights: Array,
    categorical_splits: str = "binary",
    max_competitors: int = 0,
) -> Tree:
    """Return a tree of depth 1 with the best split and up to `max_competitors` competitors."""
    missing = "majority" if any(column.missing.any() for column in table.columns) else "learn"
    options = GrowOptions(
        task=criterion.task,
        criterion=criterion.name,
        max_depth=1,
        n_jobs=1,
        missing=missing,
        categorical_splits=categorical_splits,
        max_competitors=max_competitors,
    )
    return Problem(table, target, options, weights).grow()


def column_gains(table: Table, target: Target, criterion: Criterion) -> dict[str, float]:
    """Return the gain of the best split of each column, found in one pass."""
    n = table.n_columns
    tree = grow_stump(table, target, criterion, np.ones(table.n_rows), max_competitors=n - 1)
    gains = dict.fromkeys(table.schema.names, 0.0)
    if tree.n_nodes > 1:
        gains[table.schema.names[tree.splits.column[0]]] = float(tree.gain[0])
    if tree.competitors is not None:
        rivals = tree.competitors
        for j, gain in zip(rivals.splits.column.tolist(), rivals.gain.tolist(), strict=True):
            gains[table.schema.names[j]] = gain
    return gains


def gain(
    column: Any,
    y: Any,
    split: Any = None,
    criterion: str = "gini",
    *,
    weight: npt.ArrayLike | None = None,
    base: float | None = None,
) -> float:
    """Return the impurity decrease of a split of one column.

    Parameters
    ----------
    column : array-like of shape (n_rows,)
        Numbers, or levels (strings, categories).
    y : array-like of shape (n_rows,)
        Labels, or numbers with a regression criterion.
    split : float, iterable of levels, "multiway", "information" or None
        A cut (`x <= cut` against the rest), a set of levels (against the rest), "multiway" (one
        branch per level or distinct number), or None: the best binary split. "information" is the
        information gain of textbooks (ID3): "multiway" with the criterion "entropy".
    criterion : str, default="gini"
        A name as in `ceiba.impurity`, or "gain_ratio", "twoing" or "hellinger".
    weight : array-like of shape (n_rows,), optional
    base : float, optional
        Base of the logarithm, as in `ceiba.impurity`; not for the gain ratio, which has no unit.

    Returns
    -------
    float

    Examples
    --------
    >>> import ceiba
    >>> x, y = [1, 2, 3, 4], ["a", "a", "b", "b"]
    >>> ceiba.gain(x, y), ceiba.gain(x, y, split=2.5), round(ceiba.gain(x, y, split=1.5), 3)
    (0.5, 0.5, 0.167)
    >>> ceiba.gain(["m", "f", "g", "g"], y, "information")
    1.0
    """
    if isinstance(split, str) and split == "information":
        if criterion != "gini":
            raise OptionError(f"criterion={criterion!r} is not supported with split='information'.")
        split, criterion = "multiway", "entropy"
    chosen = criterion_named(criterion)
    table = read({"column": column})
    target = read_target(y, task=chosen.task, n_rows=table.n_rows)
    weights = row_weights(weight, table.n_rows)
    if base is not None and chosen.name == "gain_ratio":
        raise OptionError("base has no effect with criterion='gain_ratio'. Leave base at None.")
    factor = log_factor(base, chosen.name)
    if split is None:
        return float(grow_stump(table, target, chosen, weights).gain[0]) * factor
    branch, n_branches = assign_branches(table.columns[0], split)
    return gain_and_cost(branch, n_branches, target, chosen, weights)[0] * factor
