"""The gain of one question asked of one column."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from ceiba.criteria import criterion_named
from ceiba.inspection.splitting.division import best_division, branches_of, measure, row_weights
from ceiba.inspection.splitting.impurity import log_factor
from ceiba.table import read, read_target


def gain(
    column: Any,
    y: Any,
    split: Any = None,
    criterion: str = "gini",
    *,
    weight: npt.ArrayLike | None = None,
    base: float | None = None,
) -> float:
    """Return the impurity decrease that one split of one column brings.

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
        A name as in `ceiba.impurity`, or "twoing" or "hellinger".
    weight : array-like of shape (n_rows,), optional
    base : float, optional
        Base of the logarithm of "entropy": 2 by default, as in `ceiba.impurity`.

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
    weights = row_weights(weight, table.n_rows)
    factor = log_factor(base, chosen.name)
    if split is None:
        return float(best_division(table, target, chosen, weights).gain[0]) * factor
    branch, n_branches = branches_of(table.columns[0], split)
    return measure(branch, n_branches, target, chosen, weights)[0] * factor
