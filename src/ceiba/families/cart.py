"""cart(): the trees of Breiman, Friedman, Olshen and Stone (1984).

Binary splits by gini or squared error, surrogates for missing values, and the size chosen by
ten-fold cross-validation with the one-standard-error rule. `rpart()` has R's defaults instead.
"""

from __future__ import annotations

from typing import Any, Literal

from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.estimators.regressor import DecisionTreeRegressor


def cart(
    *, task: Literal["classification", "regression"] = "classification", **parameters: Any
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
    kind = _kind_of(task)
    return kind(**{**chosen, **parameters})


def _kind_of(task: str) -> type[DecisionTreeClassifier] | type[DecisionTreeRegressor]:
    from ceiba.options import check_options, one_of

    allowed = {"task": (one_of("classification", "regression"),)}
    check_options({"task": task}, allowed, "cart")
    return DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
