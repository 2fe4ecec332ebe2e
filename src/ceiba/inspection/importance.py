"""Importance of columns: the total impurity decrease of their splits.

A node's split counts its gain times the weight of the node (under the altered priors, where there
are priors or costs). With `surrogates=True` each stored surrogate also earns that value times its
adjusted agreement for its own column (rpart). Known bias: columns with many different values have
more chances to look good.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.grow.core_grower import per_column
from ceiba.grow.priors import search_mass
from ceiba.tree import Tree


@np.errstate(over="ignore", invalid="ignore")  # beyond float64 lies infinity
def importance(
    tree: Tree, *, normalize: bool = True, surrogates: bool = False, column_cost: Any = None
) -> npt.NDArray[np.float64]:
    """Return the importance of each column.

    Parameters
    ----------
    tree : Tree
    normalize : bool, default=True
        Whether the figures sum to 1, as in scikit-learn; else they are sums over rows, as in rpart.
    surrogates : bool, default=False
        Whether surrogates count too, as in rpart.
    column_cost : array-like or dict, optional
        Cost of asking for each column, by which the gain of its splits is divided.

    Returns
    -------
    float64 array of shape (n_columns,)

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import importance
    >>> model = ceiba.DecisionTreeClassifier().fit([[1, 7], [2, 7], [3, 7]], ["a", "b", "b"])
    >>> importance(model.tree_)
    array([1., 0.])
    """
    n_columns = len(tree.schema.columns)
    inner = ~tree.is_leaf
    worth = search_mass(tree) * tree.gain
    if column_cost is not None:
        cost = per_column("column_cost", column_cost, tree.schema.names, 1.0)
        worth[inner] /= cost[tree.splits.column[inner]]
    total = np.bincount(tree.splits.column[inner], worth[inner], n_columns).astype(np.float64)
    if surrogates and tree.surrogates is not None:
        stored = tree.surrogates
        node = np.repeat(np.arange(tree.n_nodes), np.diff(stored.start))
        total += np.bincount(stored.splits.column, stored.adjusted * worth[node], n_columns)
    if normalize and total.sum() > 0:
        total = total / total.sum()
    return total
