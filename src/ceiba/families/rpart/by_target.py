"""Rpart: what rpart() gives without a method; fitting takes the method from the target, as in R."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Unpack, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from ceiba.errors import OptionError
from ceiba.families.rpart.estimators import RpartClassifier, RpartRegressor
from ceiba.families.rpart.formula import formula_or_data
from ceiba.families.rpart.options import ONLY_FOR, RPART_OPTIONS, Method, RpartParameters
from ceiba.options import takes_options
from ceiba.table import Kind, read, split_target

_ARE: Final = {
    "class": "texts, categories or booleans",
    "anova": "numbers",
    "poisson": "events with observation times",
}


@takes_options(RPART_OPTIONS.values())
class Rpart(BaseEstimator):  # type: ignore[misc]
    """A tree as R's rpart grows it, by the method that suits the target; made by `ceiba.rpart()`.

    Fitting turns it into an `RpartRegressor` (numbers: "anova"; with `exposure`: "poisson") or an
    `RpartClassifier` (texts, categories, booleans: "class").

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> import ceiba
    >>> cars = {"Price": [9, 12, 13, 20] * 10, "Mileage": [33.0, 27.0, 26.0, 18.0] * 10}
    >>> ceiba.rpart(xval=0).fit(cars, "Mileage")
    RpartRegressor(xval=0)
    """

    if TYPE_CHECKING:

        def __init__(self, **parameters: Unpack[RpartParameters]) -> None: ...

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None
    ) -> RpartClassifier | RpartRegressor:
        """Grow the tree by the method of the target.

        Parameters
        ----------
        X : table
            numpy, pandas, polars, Arrow, dict of lists, list of dicts, list of lists. Or a formula
            such as "y ~ a + b", with the data as `y`.
        y : array-like of shape (n_rows,) or str
            Labels, numbers, or numbers of events; or the name of a column of X.
        sample_weight, exposure : array-like of shape (n_rows,), default=None
            Weights; observation times of the events.

        Returns
        -------
        RpartClassifier or RpartRegressor
            This estimator, which it has become.
        """
        X, y = formula_or_data(X, y)
        method = method_of_target(X, y, exposure)
        model = self._estimator(method)
        if isinstance(model, RpartRegressor):
            model.fit(X, y, sample_weight, exposure)
        else:
            model.fit(X, y, sample_weight)
        # Pipelines and searches keep the object that they fit: it is the fitted one from here on.
        for name in self.get_params(deep=False).keys() - model.get_params(deep=False).keys():
            del self.__dict__[name]
        self.__dict__.update(model.__dict__)
        self.__class__ = type(model)
        return cast("RpartClassifier | RpartRegressor", self)

    def predict(self, X: Any) -> Any:
        """Refuse: what predicts is the fitted estimator."""
        raise NotFittedError("This Rpart instance is not fitted yet. Call fit first.")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Refuse: what has a score is the fitted estimator."""
        raise NotFittedError("This Rpart instance is not fitted yet. Call fit first.")

    def _estimator(self, method: Method) -> RpartClassifier | RpartRegressor:
        given = self.get_params(deep=False)
        for name, owners in ONLY_FOR.items():
            if method in owners:
                continue
            value, default = given.pop(name), RPART_OPTIONS[name].default
            if value is not default and value != default:
                raise OptionError(
                    f"{name} is a parameter of method={owners[0]!r}; y holds {_ARE[method]}, so "
                    f"the method is {method!r}. Leave {name} out, or pass method={owners[0]!r}."
                )
        if method == "class":
            return RpartClassifier(**given)
        return RpartRegressor(method=method, **given)


def method_of_target(X: Any, y: Any, exposure: Any = None) -> Method:
    """Give the method that R would choose for this target.

    Examples
    --------
    >>> from ceiba.families.rpart.by_target import method_of_target
    >>> method_of_target(None, [18.0, 33.0]), method_of_target(None, ["absent", "present"])
    ('anova', 'class')
    """
    if exposure is not None:
        return "poisson"
    if isinstance(y, dict) and len(y) == 2:  # Surv(time, status)
        return "exp"
    if isinstance(y, str):
        y = split_target(X, y)[1]
    if isinstance(y, Mapping) and len(y) == 1:
        y = next(iter(y.values()))
    if isinstance(y, np.ndarray) and y.ndim == 2:
        y = y[:, 0]
    column = read({"y": y}).columns[0].info
    return "anova" if column.kind is Kind.NUMERIC and column.display == "number" else "class"
