"""Regression trees with scikit-learn's API."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Unpack

from sklearn.base import RegressorMixin

from ceiba.estimators.base import BaseTree
from ceiba.estimators.decision_tree import DecisionTree
from ceiba.estimators.parameters import PARAMETERS
from ceiba.options import init_from_options
from ceiba.task import Task

if TYPE_CHECKING:
    from ceiba.estimators.parameter_types import RegressorParameters


class TreeRegressor(RegressorMixin, BaseTree):  # type: ignore[misc]
    """Base class of the regressors; do not use it directly."""

    score = BaseTree.score  # unlike RegressorMixin.score, also accepts a column name as y
    _task: ClassVar[Task] = Task.REGRESSION


@init_from_options(PARAMETERS[Task.REGRESSION].values())
class DecisionTreeRegressor(TreeRegressor, DecisionTree):
    """A decision tree regressor with scikit-learn's parameters and further options.

    X can be numpy, scipy.sparse, pandas, polars, Arrow or a dict of lists, without encoding:
    strings and categories are split by level sets, and missing values are supported. Ties go to the
    first column, then the lowest cut, so a tree needs no seed.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The fitted tree, which can be printed.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only when X has names.
    n_outputs_ : int
    max_features_ : int
    feature_importances_ : ndarray of shape (n_features_in_,)
    n_rows_dropped_ : int
        Rows dropped by `drop_missing_target`.
    pruning_table_ : Listing
        With `prune`: the steps of the pruning sequence (or the tests) and the chosen one.
    alpha_ : float
        With cost-complexity pruning: the chosen cost per leaf.
    unpruned_tree_, cross_validation_ : Tree, CrossValidation
        With `keep_unpruned=True` in the pruning object.

    Examples
    --------
    >>> import numpy as np
    >>> import ceiba
    >>> x = np.linspace(-5, 5, 100)
    >>> y = np.sin(x) + 0.3 * np.cos(3 * x)
    >>> model = ceiba.DecisionTreeRegressor(max_depth=3).fit(x.reshape(-1, 1), y)
    >>> model.get_n_leaves(), round(float(model.predict([[-4.5]])[0]), 3)
    (8, 1.088)
    """

    if TYPE_CHECKING:

        def __init__(self, **parameters: Unpack[RegressorParameters]) -> None: ...
