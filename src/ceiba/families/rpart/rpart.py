"""rpart(): the trees of R's rpart package, with its parameter names and defaults.

See docs/rpart.md for what agrees with R to the last digit and what deliberately does not. The
estimators are in rpart_estimators.py, how they fit in rpart_fit.py.
"""

from __future__ import annotations

from typing import Any

from ceiba.errors import OptionError
from ceiba.families.rpart.estimators import RpartClassifier, RpartRegressor
from ceiba.families.rpart.options import ALLOWED_RPART, Method
from ceiba.options import check_options

__all__ = ["RpartClassifier", "RpartRegressor", "rpart"]


def rpart(
    method: Method = "class",
    *,
    minsplit: int | None = None,
    minbucket: int | None = None,
    cp: float = 0.01,
    maxdepth: int = 30,
    maxcompete: int = 4,
    maxsurrogate: int = 5,
    usesurrogate: int = 2,
    surrogatestyle: int = 0,
    split: str = "gini",
    prior: Any = None,
    loss: Any = None,
    shrink: float = 1.0,
    cost: Any = None,
    xval: Any = 10,
    random_state: Any = None,
    categorical_features: Any = "from_dtype",
    n_jobs: int | None = None,
) -> RpartClassifier | RpartRegressor:
    """Give an estimator that grows trees as R's rpart does.

    Parameters
    ----------
    method : {"class", "anova", "poisson"}, default="class"
        Classification, regression, or rates of events (`fit(..., exposure=)`).
    minsplit, minbucket, cp, maxdepth, maxcompete, maxsurrogate, usesurrogate, surrogatestyle
        As in rpart.control of R; see `RpartClassifier`.
    split, prior, loss
        For "class": as in `parms` of R.
    shrink : float, default=1.0
        For "poisson": as in `parms` of R.
    cost : array-like or dict, default=None
        Cost of asking for each column.
    xval : int or array-like of fold ids, default=10
        Folds of cross-validation; 0: none.
    random_state : int, RandomState instance or None, default=None
        Of the folds. None is the fixed seed 0.
    categorical_features, n_jobs
        As in `DecisionTreeClassifier`.

    Returns
    -------
    RpartClassifier or RpartRegressor
        Not fitted.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.rpart("class", minsplit=2, loss={("ill", "well"): 10})
    RpartClassifier(loss={('ill', 'well'): 10}, minsplit=2)
    """
    check_options({"method": method, "xval": xval}, ALLOWED_RPART, "rpart")
    shared: dict[str, Any] = {
        "minsplit": minsplit,
        "minbucket": minbucket,
        "cp": cp,
        "maxdepth": maxdepth,
        "maxcompete": maxcompete,
        "maxsurrogate": maxsurrogate,
        "usesurrogate": usesurrogate,
        "surrogatestyle": surrogatestyle,
        "cost": cost,
        "xval": xval,
        "random_state": random_state,
        "categorical_features": categorical_features,
        "n_jobs": n_jobs,
    }
    if method == "class":
        _refuse_idle(method, {"shrink": (shrink, 1.0, "poisson")})
        return RpartClassifier(split=split, prior=prior, loss=loss, **shared)
    class_only = {"split": (split, "gini"), "prior": (prior, None), "loss": (loss, None)}
    _refuse_idle(method, {name: (*pair, "class") for name, pair in class_only.items()})
    if method == "anova":
        _refuse_idle(method, {"shrink": (shrink, 1.0, "poisson")})
    return RpartRegressor(method=method, shrink=shrink, **shared)


def _refuse_idle(method: str, parameters: dict[str, tuple[Any, Any, str]]) -> None:
    """Refuse parameters (value, default, method they are for) that this method does not have."""
    for name, (value, default, owner) in parameters.items():
        if value is not default and not (isinstance(value, str | float) and value == default):
            raise OptionError(
                f"{name} is a parameter of method={owner!r}; method={method!r} has none. Leave it "
                "out."
            )
