"""List the best split of each column, and the gain of every cut on one column."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.criteria import Criterion, criterion_named, quantile_level
from ceiba.errors import OptionError
from ceiba.inspection.splitting.division import (
    Array,
    assign_branches,
    gain_and_cost,
    grow_stump,
    impurity_of_rows,
    numeric_values,
    row_weights,
)
from ceiba.listing import Listing
from ceiba.table import Column, Kind, Table, Target, read, read_target
from ceiba.table.targets import pop_target
from ceiba.tree import Tree

_MAX_LEVELS: Final = 8  # maximum number of levels listed in a condition


def split_table(
    X: Any,
    y: Any,
    criterion: str = "gini",
    *,
    weight: npt.ArrayLike | None = None,
    categorical_features: Any = "from_dtype",
    categorical_splits: str = "binary",
) -> Listing:
    """Return the best split of each column, best first.

    Parameters
    ----------
    X : table
        Anything that `fit` accepts.
    y : array-like of shape (n_rows,), or the name of a column of X
    criterion : str, default="gini"
    weight : array-like of shape (n_rows,), optional
    categorical_features : "from_dtype", list or mask
    categorical_splits : {"binary", "multiway"}, default="binary"

    Returns
    -------
    Listing
        Columns column, split (condition of branch 0), gain, cost (NaN for twoing and hellinger),
        n_branches, sizes. Rows with a missing value are excluded from gain and cost, and count in
        the size of the heaviest branch.

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
    X, y = pop_target(X, y, chosen.task)
    table = read(X, categorical_features=categorical_features)
    target = read_target(y, task=chosen.task, n_rows=table.n_rows)
    weights = row_weights(weight, table.n_rows)
    rows = [
        _best_split_row(table.select([j]), target, chosen, weights, categorical_splits)
        for j in range(table.n_columns)
    ]
    rows.sort(key=lambda row: -row["gain"])  # a stable sort keeps ties in column order
    figures = {name: [row[name] for row in rows] for name in rows[0]}
    unit = f" ({chosen.unit})" if chosen.unit else ""
    legend = "gain: impurity before minus after; cost: impurity after; sizes: rows in each branch"
    return Listing(
        figures, title=f"best split of each column, by {chosen.name}{unit}", legend=legend
    )


def _best_split_row(
    table: Table, target: Target, criterion: Criterion, weights: Array, categorical_splits: str
) -> dict[str, Any]:
    """Return the row of the split table for one column of X."""
    column = table.columns[0]
    if categorical_splits == "multiway" and column.info.kind == Kind.CATEGORICAL:
        branch, n_branches = assign_branches(column, "multiway")
        value, cost = gain_and_cost(branch, n_branches, target, criterion, weights)
        sizes = np.bincount(branch[branch >= 0], minlength=n_branches)
        sentence = f"{column.info.name}: one branch per level"
    else:
        tree = grow_stump(table, target, criterion, weights, categorical_splits)
        split = tree.root.split
        value = max(0.0, float(tree.gain[0]))  # rounding errors can make a gain of 0 negative
        cost = _remaining_impurity(tree, column, target, criterion, weights)
        sizes = tree.n_rows if split is None else tree.n_rows[1:]
        sentence = "" if split is None else split.sentence(0, tree.schema, max_levels=_MAX_LEVELS)
    return {
        "column": column.info.name,
        "split": sentence,
        "gain": value,
        "cost": cost,
        "n_branches": len(sizes),
        "sizes": tuple(sizes.tolist()),
    }


def _remaining_impurity(
    tree: Tree, column: Column, target: Target, criterion: Criterion, weights: Array
) -> float:
    """Return the impurity after the split, for rows with a value in the column."""
    if criterion.of_split is not None:
        return float("nan")
    present = ~column.missing & (weights > 0)
    if tree.n_nodes == 1 or bool((present | (weights == 0)).all()):
        return tree.tree_impurity
    share = weights[present].sum() / weights.sum()
    before = impurity_of_rows(target, present, criterion, weights)
    return max(0.0, before - float(tree.gain[0]) / float(share))


def split_curve(
    column: Any, y: Any, criterion: str = "gini", *, weight: npt.ArrayLike | None = None
) -> Listing:
    """Return the gain of every cut of a numeric (or ordered) column.

    With criterion="absolute_error" or a quantile, time is quadratic in the number of rows.

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
    weights = row_weights(weight, table.n_rows)
    values = numeric_values(table.columns[0])
    present = np.flatnonzero(~np.isnan(values) & (weights > 0))
    order = present[np.argsort(values[present], kind="stable")]
    ordered = values[order]
    last = np.flatnonzero(ordered[1:] > ordered[:-1])  # the row before each cut
    before, after = _impurity_and_costs(target, order, last, chosen, weights)
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


def _impurity_and_costs(
    target: Target,
    order: npt.NDArray[np.int64],
    last: npt.NDArray[np.int64],
    criterion: Criterion,
    weights: Array,
) -> tuple[float, Array]:
    """Return the impurity of the ordered rows, and the cost of a cut after each row in `last`."""
    w = weights[order]
    if criterion.of_split is not None:
        raise OptionError(
            f"split_curve is not supported with criterion={criterion.name!r}. "
            f"Use ceiba.gain(..., criterion={criterion.name!r})."
        )
    before = impurity_of_rows(target, order, criterion, weights)
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
                s * impurity_of_rows(target, order[: k + 1], criterion, weights)
                + (1 - s) * impurity_of_rows(target, order[k + 1 :], criterion, weights)
                for k, s in zip(last.tolist(), share.tolist(), strict=True)
            ]
        )
        if quantile_level(criterion.name) is not None
        else _moment_costs(y, w, last, criterion.name)
    )
    return before, after


def _moment_costs(y: Array, w: Array, last: npt.NDArray[np.int64], name: str) -> Array:
    """Return the costs of all cuts (variance or half Poisson deviance) from running sums."""
    total = w.sum()
    if name == "squared_error":
        y = y - (w * y).sum() / total  # center the target, so that squares do not cancel
        extra = y * y
    else:
        extra = y * np.log(y, out=np.zeros_like(y), where=y > 0)
    sums = [np.cumsum(w * moment) for moment in (np.ones_like(y), y, extra)]
    cost = np.zeros(len(last))
    for size, first, second in (
        [moment[last] for moment in sums],
        [moment[-1] - moment[last] for moment in sums],
    ):
        if name == "squared_error":
            cost += second - first * first / size
        else:
            ratio = first / size
            cost += second - first * np.log(ratio, out=np.zeros_like(ratio), where=ratio > 0)
    costs: Array = np.maximum(cost, 0.0) / total
    return costs
