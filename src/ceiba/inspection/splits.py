"""Splits one at a time: the gain of one question, of every cut of a column, of each column's best.

gain = impurity of the rows minus the weighted impurities of the branches; cost = what remains, the
weighted impurities of the branches (Breiman et al. 1984, definition 2.13). Rows with the value
missing are left out and the gain is multiplied by the share of the others, which is the rule of
`missing="majority"`. Given splits and cuts are measured with numpy, by the definitions of
`grow/criteria.py`; best splits are found by the engine that grows trees.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.grow import GrowOptions, grow
from ceiba.grow.criteria import Criterion, criterion_named, twoing_gain
from ceiba.prune import Listing
from ceiba.table import Column, Kind, Table, Target, read, read_target
from ceiba.tree import Tree

__all__ = ["gain", "split_curve", "split_table"]

Array = npt.NDArray[np.float64]


def gain(
    column: Any,
    y: Any,
    split: Any = None,
    criterion: str = "gini",
    *,
    weight: npt.ArrayLike | None = None,
) -> float:
    """Give the impurity decrease that one split of one column brings.

    Parameters
    ----------
    column : array-like of shape (n_rows,)
        Numbers, or levels (strings, categories).
    y : array-like of shape (n_rows,)
        Labels, or numbers with a regression criterion.
    split : float, iterable of levels, "multiway" or None
        A cut (`x <= cut` against the rest), a set of levels (against the rest), "multiway" (one
        branch per level or distinct number), or None: the best binary split.
    criterion : str, default="gini"
        A name as in `ceiba.impurity`, or "twoing".
    weight : array-like of shape (n_rows,), optional

    Returns
    -------
    float

    Examples
    --------
    >>> import ceiba
    >>> x, y = [1, 2, 3, 4], ["a", "a", "b", "b"]
    >>> ceiba.gain(x, y), ceiba.gain(x, y, split=2.5), round(ceiba.gain(x, y, split=1.5), 3)
    (0.5, 0.5, 0.167)
    >>> round(ceiba.gain(["m", "f", "m", "f"], y, "multiway", "entropy"), 3)
    0.0
    """
    chosen = criterion_named(criterion)
    table = read({"column": column})
    target = read_target(y, task=chosen.task, n_rows=table.n_rows)
    weights = _weights(weight, table.n_rows)
    if split is None:
        return float(_best(table, target, chosen, weights).gain[0])
    branch, n_branches = _branches(table.columns[0], split)
    return _measure(branch, n_branches, target, chosen, weights)[0]


def split_curve(
    column: Any, y: Any, criterion: str = "gini", *, weight: npt.ArrayLike | None = None
) -> Listing:
    """Give the gain of every cut of a numeric (or ordered) column.

    With criterion="absolute_error" the time grows with the square of the rows.

    Parameters
    ----------
    column : array-like of shape (n_rows,)
    y : array-like of shape (n_rows,)
    criterion : str, default="gini"
    weight : array-like of shape (n_rows,), optional

    Returns
    -------
    Listing
        Columns cut, gain, cost, n_left, n_right, ascending by cut.

    Examples
    --------
    >>> from ceiba.inspection import split_curve
    >>> print(split_curve([1, 3, 4, 5], ["a", "a", "b", "b"]))
    cuts, by gini
    cut      gain      cost  n_left  n_right
      2  0.166667  0.333333       1        3
    3.5       0.5         0       2        2
    4.5  0.166667  0.333333       3        1
    gain: impurity before minus after; cost: impurity after; n: rows on each side of x <= cut
    """
    chosen = criterion_named(criterion)
    table = read({"column": column})
    target = read_target(y, task=chosen.task, n_rows=table.n_rows)
    weights = _weights(weight, table.n_rows)
    values = _numbers(table.columns[0])
    present = np.flatnonzero(~np.isnan(values) & (weights > 0))
    order = present[np.argsort(values[present], kind="stable")]
    ordered = values[order]
    last = np.flatnonzero(ordered[1:] > ordered[:-1])  # last row of the left side of each cut
    before, after = _before_and_after(target, order, last, chosen, weights)
    share = weights[order].sum() / weights.sum()
    n_left = last + 1
    middle = ordered[last] + (ordered[last + 1] - ordered[last]) / 2
    figures = {
        "cut": np.where(middle < ordered[last + 1], middle, ordered[last]),
        "gain": share * (before - after),
        "cost": after,
        "n_left": n_left,
        "n_right": len(order) - n_left,
    }
    unit = f" ({chosen.unit})" if chosen.unit else ""
    legend = (
        "gain: impurity before minus after; cost: impurity after; n: rows on each side of x <= cut"
    )
    return Listing(figures, title=f"cuts, by {chosen.name}{unit}", legend=legend)


def split_table(
    X: Any,
    y: Any,
    criterion: str = "gini",
    *,
    weight: npt.ArrayLike | None = None,
    categorical_features: Any = "from_dtype",
    categorical_splits: str = "binary",
) -> Listing:
    """Give the best split of each column, best first.

    Parameters
    ----------
    X : table
        Anything that `fit` accepts.
    y : array-like of shape (n_rows,)
    criterion : str, default="gini"
    weight : array-like of shape (n_rows,), optional
    categorical_features : "from_dtype", list or mask
    categorical_splits : {"binary", "multiway"}, default="binary"

    Returns
    -------
    Listing
        Columns column, split (what is true of branch 0), gain, cost, n_branches, sizes.

    Examples
    --------
    >>> from ceiba.inspection import split_table
    >>> X = {"age": [20, 30, 40, 50], "height": [170, 180, 175, 185]}
    >>> print(split_table(X, ["a", "a", "b", "b"]))
    best split of each column, by gini
    column  split            gain      cost  n_branches  sizes
    age     age <= 35         0.5         0           2  2 | 2
    height  height <= 172.5  0.166667  0.333333           2  1 | 3
    gain: impurity before minus after; cost: impurity after; sizes: rows in each branch
    """
    chosen = criterion_named(criterion)
    table = read(X, categorical_features=categorical_features)
    target = read_target(y, task=chosen.task, n_rows=table.n_rows)
    weights = _weights(weight, table.n_rows)
    rows = [
        _row(table.select([j]), target, chosen, weights, categorical_splits)
        for j in range(table.n_columns)
    ]
    rows.sort(key=lambda row: -row["gain"])  # stable: ties stay in column order
    figures = {name: [row[name] for row in rows] for name in rows[0]}
    unit = f" ({chosen.unit})" if chosen.unit else ""
    legend = "gain: impurity before minus after; cost: impurity after; sizes: rows in each branch"
    return Listing(
        figures, title=f"best split of each column, by {chosen.name}{unit}", legend=legend
    )


def _row(
    table: Table, target: Target, criterion: Criterion, weights: Array, categorical_splits: str
) -> dict[str, Any]:
    """Give the figures of one column's best split; of no split when it has none."""
    column = table.columns[0]
    if categorical_splits == "multiway" and column.info.kind == Kind.CATEGORICAL:
        branch, n_branches = _branches(column, "multiway")
        value, cost = _measure(branch, n_branches, target, criterion, weights)
        sizes = np.bincount(branch[branch >= 0], minlength=n_branches)
        sentence = f"{column.info.name}: one branch per level"
    else:
        tree = _best(table, target, criterion, weights, categorical_splits)
        value = float(tree.gain[0])
        cost = float(tree.tree_impurity)
        sizes = tree.n_rows[1:] if tree.n_nodes > 1 else tree.n_rows
        sentence = tree.root.sentence(0) if tree.n_nodes > 1 else ""
    return {
        "column": column.info.name,
        "split": sentence,
        "gain": value,
        "cost": cost,
        "n_branches": len(sizes),
        "sizes": tuple(sizes.tolist()),
    }


def _best(
    table: Table,
    target: Target,
    criterion: Criterion,
    weights: Array,
    categorical_splits: str = "binary",
) -> Tree:
    """Let the engine find the best split: a tree of one question."""
    missing = "majority" if table.columns[0].missing.any() else "learn"
    options = GrowOptions(
        task=criterion.task,
        criterion=criterion.name,
        max_depth=1,
        n_jobs=1,
        missing=missing,
        categorical_splits=categorical_splits,
    )
    return grow(table, target, options, weights)


def _weights(weight: npt.ArrayLike | None, n_rows: int) -> Array:
    weights = np.ones(n_rows) if weight is None else np.asarray(weight, dtype=np.float64)
    if weights.shape != (n_rows,) or not (weights >= 0).all() or not weights.sum() > 0:
        raise DataError(
            f"weight must hold one number of at least 0 for each of the {n_rows} rows, not all 0. "
            f"Got shape {weights.shape}."
        )
    return weights


def _numbers(column: Column) -> Array:
    if column.info.kind == Kind.CATEGORICAL:
        raise OptionError(
            "A categorical column has no cuts. Use ceiba.gain(column, y, split={levels}) or "
            "split_table."
        )
    values = np.asarray(column.values, dtype=np.float64)
    if column.info.kind == Kind.ORDERED:
        values = np.where(values < 0, np.nan, values)
    return values


def _branches(column: Column, split: Any) -> tuple[npt.NDArray[np.int64], int]:
    """Give the branch of each row (-1: value missing) and the number of branches."""
    codes = column.info.kind == Kind.CATEGORICAL
    if isinstance(split, str) and split == "multiway":
        values = column.values if codes else _numbers(column)
        present = values >= 0 if codes else ~np.isnan(values)
        found, index = np.unique(values[present], return_inverse=True)
        branch = np.full(len(values), -1)
        branch[present] = index
        return branch, len(found)
    if isinstance(split, Real):
        numbers = _numbers(column)
        return np.where(np.isnan(numbers), -1, np.where(numbers <= float(split), 0, 1)), 2
    if isinstance(split, str) or not isinstance(split, Iterable):
        raise OptionError(
            f"split must be a number (a cut), a set of levels, 'multiway' or None. Got {split!r}."
        )
    return _level_branches(column, list(split)), 2


def _level_branches(column: Column, chosen: list[Any]) -> npt.NDArray[np.int64]:
    known = list(column.info.levels)
    if not known:
        raise OptionError(
            f"split={chosen!r} is a set of levels, but the column is numeric. Give a cut."
        )
    for level in chosen:
        if level not in known:
            raise OptionError(
                f"split names level {level!r}, which the column does not have; its levels are "
                f"{known[:20]}.{did_you_mean(str(level), [str(name) for name in known])}"
            )
    inside = np.isin(column.values, [known.index(level) for level in chosen])
    return np.where(column.values < 0, -1, np.where(inside, 0, 1))


def _measure(
    branch: npt.NDArray[np.int64],
    n_branches: int,
    target: Target,
    criterion: Criterion,
    weights: Array,
) -> tuple[float, float]:
    """Give gain and cost of a division of the rows."""
    present = (branch >= 0) & (weights > 0)
    parts = [present & (branch == b) for b in range(n_branches)]
    parts = [part for part in parts if part.any()]
    whole, placed = float(weights.sum()), float(weights[present].sum())
    if criterion.name == "twoing":
        if len(parts) != 2:
            raise OptionError(f"twoing is for two branches; this split has {len(parts)}.")
        counts = np.stack([_class_counts(target, part, weights) for part in parts])
        return placed / whole * float(twoing_gain(counts)), float("nan")
    # Sums of weight x impurity, divided once: a gain of nothing is then exactly 0 on whole numbers.
    before = placed * _impurity(target, present, criterion, weights)
    after = sum(weights[part].sum() * _impurity(target, part, criterion, weights) for part in parts)
    return max(0.0, float(before - after)) / whole, float(after) / placed


def _class_counts(target: Target, rows: Any, weights: Array) -> Array:
    n_classes = len(target.info.classes[0])
    counts = np.bincount(target.values[rows, 0], weights[rows], minlength=n_classes)
    return counts.astype(np.float64)


def _impurity(target: Target, rows: Any, criterion: Criterion, weights: Array) -> float:
    if criterion.of_counts is not None:
        return float(criterion.of_counts(_class_counts(target, rows, weights)))
    assert criterion.of_values is not None  # twoing was handled before
    return criterion.of_values(target.values[rows, 0], weights[rows])


def _before_and_after(
    target: Target,
    order: npt.NDArray[np.int64],
    last: npt.NDArray[np.int64],
    criterion: Criterion,
    weights: Array,
) -> tuple[float, Array]:
    """Impurity of all ordered rows, and the cost of each division after row `last`."""
    w = weights[order]
    if criterion.name == "twoing":
        raise OptionError(
            "twoing has no impurity to plot. Use ceiba.gain(..., criterion='twoing')."
        )
    before = _impurity(target, order, criterion, weights)
    left = np.cumsum(w)[last]
    share = left / w.sum()
    if criterion.of_counts is not None:
        one_hot = np.eye(len(target.info.classes[0]))[target.values[order, 0]]
        running = np.cumsum(one_hot * w[:, None], axis=0)
        below, above = running[last], running[-1] - running[last]
        after: Array = share * criterion.of_counts(below) + (1 - share) * criterion.of_counts(above)
        return before, after
    y = target.values[order, 0]
    after = (
        np.array(
            [
                s * _impurity(target, order[: k + 1], criterion, weights)
                + (1 - s) * _impurity(target, order[k + 1 :], criterion, weights)
                for k, s in zip(last.tolist(), share.tolist(), strict=True)
            ]
        )
        if criterion.name == "absolute_error"
        else _moment_costs(y, w, last, criterion.name)
    )
    return before, after


def _moment_costs(y: Array, w: Array, last: npt.NDArray[np.int64], name: str) -> Array:
    """Costs of all divisions from running sums: variance, or half Poisson deviance."""
    total = w.sum()
    if name == "squared_error":
        y = y - (w * y).sum() / total  # centred, so that running squares lose no digits
        extra = y * y
    else:
        extra = y * np.log(y, out=np.zeros_like(y), where=y > 0)
    sums = [np.cumsum(w * part) for part in (np.ones_like(y), y, extra)]
    cost = np.zeros(len(last))
    for size, first, second in (
        [part[last] for part in sums],
        [part[-1] - part[last] for part in sums],
    ):
        if name == "squared_error":
            cost += second - first * first / size
        else:
            ratio = first / size
            cost += second - first * np.log(ratio, out=np.zeros_like(ratio), where=ratio > 0)
    costs: Array = np.maximum(cost, 0.0) / total
    return costs
