"""cart(): the trees of Breiman, Friedman, Olshen and Stone (1984).

Binary splits by gini or squared error, surrogates for missing values, and the size chosen by
ten-fold cross-validation with the one-standard-error rule. `rpart()` has R's defaults instead.
"""

from __future__ import annotations

from typing import Any, Final

from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.estimators.regressor import DecisionTreeRegressor
from ceiba.options.checks import check_options, one_of
from ceiba.task import Task, TaskName

_ESTIMATORS: Final[dict[Task, type[DecisionTreeClassifier] | type[DecisionTreeRegressor]]] = {
    Task.CLASSIFICATION: DecisionTreeClassifier,
    Task.REGRESSION: DecisionTreeRegressor,
}


def cart(
    *, task: TaskName = "classification", **parameters: Any
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Make an estimator that grows and prunes as the book on CART does.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"
    **parameters
        Other parameters of `DecisionTreeClassifier` or `DecisionTreeRegressor`.

    Returns
    -------
    DecisionTreeClassifier or DecisionTreeRegressor

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> ceiba.cart().fit(X, y).get_n_leaves()
    4
    """
    chosen: dict[str, Any] = {"min_samples_leaf": 5, "missing": "surrogate", "prune": "1se"}
    kind = estimator_of(task, "cart")
    return kind(**{**chosen, **parameters})


def estimator_of(
    task: TaskName, family: str
) -> type[DecisionTreeClassifier] | type[DecisionTreeRegressor]:
    """Return the estimator of a task, which a family sets up."""
    check_options({"task": task}, {"task": (one_of(*_ESTIMATORS),)}, family)
    return _ESTIMATORS[Task(task)]
