"""rpart's `improve` and variable importance, from the gains of a tree.

A gain here is a decrease of impurity per unit of the node's weight; rpart shows sums over the rows:
with W(t) the weight of node t (for classes under the altered priors) and i(t) its impurity,

    class     gain * W(t), for the entropy in nats: * ln 2
    anova     gain / i(t), the share of the node's sum of squares that the split removes
    poisson   2 * gain * W(t), a decrease of deviance; W(t) is observation time

each divided by the cost of the split's column. The importance of a column sums these figures over
the nodes it splits (for anova again as sums of squares), and over the nodes where it is a surrogate
the same times its adjusted agreement; competitors do not count.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.grow.per_column import per_column
from ceiba.grow.priors import search_mass
from ceiba.inspection.importance import importance
from ceiba.tree import Tree

Array = npt.NDArray[np.float64]


def improvement(tree: Tree, *, column_cost: Any = None) -> Array:
    """Give rpart's `improve` of the split of each node; 0 at leaves.

    Parameters
    ----------
    tree : Tree
    column_cost : array-like or dict, optional
        Cost of asking for each column.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.families import improvement
    >>> model = ceiba.rpart("class").fit(*load_iris(return_X_y=True))
    >>> float(improvement(model.tree_)[0])
    50.0
    """
    cost = _costs(tree, column_cost)
    per = np.where(tree.is_leaf, 1.0, cost[np.maximum(tree.splits.column, 0)])
    return np.asarray(tree.gain * _unit(tree) / per)


def competitor_improvement(tree: Tree, *, column_cost: Any = None) -> Array:
    """Give rpart's `improve` of each competitor of a tree, in the order of `tree.competitors`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.families import competitor_improvement
    >>> model = ceiba.rpart("class", maxcompete=2).fit(*load_iris(return_X_y=True))
    >>> competitor_improvement(model.tree_)[:2].round(5).tolist()
    [50.0, 34.16405]
    """
    stored = tree.competitors
    if stored is None:
        return np.zeros(0)
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(stored.start))
    cost = _costs(tree, column_cost)
    return np.asarray(stored.gain * _unit(tree)[owner] / cost[stored.splits.column])


def rpart_importance(tree: Tree, *, column_cost: Any = None) -> dict[str, float]:
    """Return the importance of columns as rpart has it, largest first; those without any left out.

    Parameters
    ----------
    tree : Tree
    column_cost : array-like or dict, optional

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.families import rpart_importance
    >>> model = ceiba.rpart("class").fit(*load_iris(return_X_y=True, as_frame=True))
    >>> {name: round(value, 2) for name, value in rpart_importance(model.tree_).items()}
    {'petal width (cm)': 88.97, 'petal length (cm)': 81.34, 'sepal length (cm)': 54.1, \
'sepal width (cm)': 36.01}
    """
    total = importance(tree, normalize=False, surrogates=True, column_cost=column_cost)
    total = total * _per_sum(tree)
    order = np.argsort(-total, kind="stable")
    names = tree.schema.names
    return {names[j]: float(total[j]) for j in order.tolist() if total[j] > 0}


def _per_sum(tree: Tree) -> float:
    """Give rpart's unit over ours, for sums over rows."""
    return {"entropy": log(2), "poisson": 2.0}.get(tree.criterion, 1.0)


def _unit(tree: Tree) -> Array:
    """Return what turns the gain of each node into rpart's figure."""
    if tree.criterion == "squared_error":
        ones = np.ones(tree.n_nodes)
        return np.divide(ones, tree.impurity, out=ones.copy(), where=tree.impurity > 0)
    return search_mass(tree) * _per_sum(tree)


def _costs(tree: Tree, column_cost: Any) -> Array:
    names = tree.schema.names
    if column_cost is None:
        return np.ones(len(names))
    return per_column("column_cost", column_cost, names, 1.0)
