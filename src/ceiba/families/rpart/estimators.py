"""Estimators that grow the trees of R's rpart package.

docs/rpart.md lists which results agree with R to the last digit and which deliberately differ.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, Unpack, cast, overload

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import RegressorTags
from sklearn.utils.metaestimators import available_if

from ceiba.errors import OptionError, did_you_mean
from ceiba.estimators.base import BaseTree
from ceiba.estimators.classifier import TreeClassifier
from ceiba.estimators.parameters import pop_column
from ceiba.estimators.regressor import TreeRegressor
from ceiba.families.rpart.formula import read_formula
from ceiba.families.rpart.options import METHODS, METHODS_OF_OPTION, RPART_OPTIONS, Method
from ceiba.families.rpart.r_methods import RMethods
from ceiba.options import Option, check_options, init_from_options, nothing, one_of
from ceiba.table import Kind, read
from ceiba.table.targets import is_named_target, split_target
from ceiba.tree import Tree

if TYPE_CHECKING:
    from ceiba.families.rpart.parameter_types import RpartParameters

_CLASS_OPTIONS: Final = [
    row for name, row in RPART_OPTIONS.items() if "class" in METHODS_OF_OPTION.get(name, ("class",))
]
_NUMBER_OPTIONS: Final = [
    Option(
        "method",
        "anova",
        (one_of("anova", "poisson", "exp"),),
        '{"anova", "poisson", "exp"}',
        "Means and squared error, event rates and their deviance, or survival times scaled to an "
        "overall hazard of 1.",
    ),
    *(row for name, row in RPART_OPTIONS.items() if METHODS_OF_OPTION.get(name) != ("class",)),
]
_TARGET_TEXTS: Final = {
    "class": "strings, categories or booleans",
    "anova": "numbers",
    "poisson": "events with observation times",
    "exp": "times and a status",
}
_OPTION_GROUPS: Final = {
    "control": ("minsplit", "minbucket", "cp", "maxdepth", "maxcompete", "maxsurrogate",
                "usesurrogate", "surrogatestyle", "xval"),
    "parms": ("split", "prior", "loss", "shrink", "error"),
}  # fmt: skip


@init_from_options(_CLASS_OPTIONS)
class RpartClassifier(RMethods, TreeClassifier):
    """Classification tree like R's rpart, usually created by `ceiba.rpart("class")`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
    classes_ : ndarray
        In the declared order of categories, as in R; otherwise sorted.
    cp_table_ : Listing
        The nested trees: cp, splits, relative risk, cross-validated relative risk.
    variable_importance_ : dict
        Importance of each column used as primary or surrogate, largest first, in rpart's unit.
    n_rows_dropped_ : int
        Rows dropped because the target or all features were missing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ceiba.rpart("class").fit(X, y)
    >>> print(model.cp_table_)
    nested trees
      cp  n_splits  relative_risk  relative_cv_risk  relative_cv_se
     0.5         0              1              1.16        0.051277
    0.44         1            0.5              0.62       0.0603103
    0.01         2           0.06              0.08       0.0275197
    cp: the tree of this row is the best for any cp from here up to the row above, as a share of \
the root's risk;
    relative_risk: risk over that of the root (0.666667 per unit of weight);
    relative_cv_risk, relative_cv_se: on held-out rows (R: xerror, xstd)
    """

    method: ClassVar[str] = "class"  # type: ignore[misc]

    if TYPE_CHECKING:

        def __init__(self, **parameters: Unpack[RpartParameters]) -> None: ...

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a classification tree by the rules of rpart.

        Parameters
        ----------
        X : table
            numpy, pandas, polars, Arrow, dict of lists, list of dicts, list of lists. Or a formula
            such as "y ~ a + b", with the data as `y`.
        y : array-like of shape (n_rows,) or str
            Labels; or the name of a column of X.
        sample_weight : array-like of shape (n_rows,) or str, default=None
            Weights, or the column of the data that holds them.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        return self


@init_from_options(_NUMBER_OPTIONS)
class RpartRegressor(RMethods, TreeRegressor):
    """Regression tree like R's rpart, created by `ceiba.rpart` for "anova", "poisson" and "exp".

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
    cp_table_ : Listing
    variable_importance_ : dict
    n_rows_dropped_ : int

    Examples
    --------
    >>> import ceiba
    >>> frame = {"age": [20, 30, 40, 50] * 10, "events": [0, 1, 3, 4] * 10}
    >>> model = ceiba.rpart("poisson").fit(frame, "events", exposure=[1, 1, 2, 2] * 10)
    >>> model.predict({"age": [20, 50]}).round(2)
    array([0.09, 1.98])
    """

    if TYPE_CHECKING:

        def __init__(self, *, method: str = ..., **parameters: Unpack[RpartParameters]) -> None: ...

    def fit(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> Self:
        """Grow a regression tree by the rules of rpart.

        Parameters
        ----------
        X, sample_weight
            As in `RpartClassifier.fit`.
        y : array-like of shape (n_rows,) or str
            Numbers; with method="poisson" numbers of events. Or the name of a column of X. With
            method="exp" two columns, or their names: time and status (1 for an event and 0
            otherwise, or 2 and 1). With method="poisson", two columns are time and events.
        exposure : array-like of shape (n_rows,) or str, default=None
            method="poisson": time in which the events of each row were observed, or its column;
            None: 1. The tree predicts events per unit of time.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight, exposure)
        return self


def _has_classes(model: Rpart) -> bool:
    if model.method in (None, "class"):
        return True
    raise AttributeError(
        f"Probabilities require method='class', got method={model.method!r} because y has "
        f"{_TARGET_TEXTS[model.method]}. Pass method='class' to rpart()."
    )


@init_from_options(RPART_OPTIONS.values())
class Rpart(RMethods, TreeClassifier):
    """Tree like R's rpart, with the method that the target implies; created by `ceiba.rpart()`.

    Each fit infers the method from the target, as R does: "anova" for numbers, "class" for strings,
    categories and booleans, "exp" for `Surv(time, status)`, "poisson" with `exposure`. An unfitted
    model is not yet a classifier: pass the method for stratified folds, voting and bagging.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    method_ : {"class", "anova", "poisson", "exp"}
        The inferred method.
    tree_ : Tree
    classes_ : ndarray
        Only with method "class".
    cp_table_ : Listing
    variable_importance_ : dict
    n_rows_dropped_ : int

    Examples
    --------
    >>> import ceiba
    >>> cars = {"Price": [9, 12, 13, 20] * 10, "Mileage": [33.0, 27.0, 26.0, 18.0] * 10}
    >>> model = ceiba.rpart(xval=0).fit(cars, "Mileage")
    >>> model.method_, model
    ('anova', Rpart(xval=0))
    """

    if TYPE_CHECKING:

        def __init__(self, **parameters: Unpack[RpartParameters]) -> None: ...

    predict_proba = available_if(_has_classes)(TreeClassifier.predict_proba)
    predict_log_proba = available_if(_has_classes)(TreeClassifier.predict_log_proba)

    @property
    def method(self) -> Any:  # type: ignore[override]
        """The method of the last fit, or None before fitting."""
        return self.__dict__.get("method_")

    @property
    def _task(self) -> Any:  # type: ignore[override]
        return METHODS[self.method or "anova"][0]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> Self:
        """Grow the tree with the method that the target implies.

        Parameters
        ----------
        X : table
            numpy, pandas, polars, Arrow, dict of lists, list of dicts, list of lists. Or a formula
            such as "y ~ a + b", with the data as `y`.
        y : array-like or str
            Labels, numbers, or numbers of events; time and status, or time and events, as two
            columns; or names of columns of X.
        sample_weight, exposure : array-like of shape (n_rows,) or str, default=None
            Weights; observation times of the events. Or columns of the data.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight, exposure)
        return self

    def _choose_method(self, X: Any, y: Any, exposure: Any) -> str:
        self.method_ = infer_method(X, y, exposure)
        if self.method_ != "class":
            _refuse_in_classifier()
        for name, owners in METHODS_OF_OPTION.items():
            value, default = getattr(self, name), RPART_OPTIONS[name].default
            if self.method_ not in owners and value is not default and value != default:
                raise OptionError(
                    f"{name}= requires method={' or '.join(map(repr, owners))}, got method="
                    f"{self.method_!r} because y has {_TARGET_TEXTS[self.method_]}. Leave {name}= "
                    f"out, or pass method={owners[0]!r}."
                )
        return self.method_

    def _set_fitted(self, tree: Tree) -> None:
        if tree.task.is_classification("rpart"):
            super()._set_fitted(tree)
            return
        self.__dict__.pop("classes_", None)
        self.__dict__.pop("n_classes_", None)
        BaseTree._set_fitted(self, tree)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.method is None:
            _refuse_in_classifier("_validate_estimators")
        if self.method != "class":
            tags.classifier_tags = None
            tags.estimator_type = None if self.method is None else "regressor"
            tags.regressor_tags = None if self.method is None else RegressorTags()
        return tags


def _refuse_in_classifier(caller: str | None = None) -> None:
    """Raise an error if a scikit-learn classifier is on the call stack."""
    # VotingClassifier, BaggingClassifier and similar estimators pass class codes, which look like
    # a numeric target. Only the call stack reveals these callers.
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        if caller in (None, frame.f_code.co_name):
            outer = frame.f_locals.get("self", frame.f_locals.get("ensemble"))
            if isinstance(outer, ClassifierMixin) and not isinstance(outer, BaseTree):
                raise OptionError(
                    f"{type(outer).__name__} passes classes as numbers, for which ceiba.rpart() "
                    'grows a regression tree. Use ceiba.rpart("class").'
                )


def infer_method(X: Any, y: Any, exposure: Any = None) -> Method:
    """Return the method that R would choose for this target, or "poisson" with exposure."""
    if exposure is not None:
        return "poisson"
    if X is not None and is_named_target(X, y):
        y = split_target(X, y)[1]
    if hasattr(y, "__array__") and not hasattr(y, "dtype"):
        y = np.asarray(y)
    if isinstance(y, Mapping) and len(y) == 2:  # Surv(time, status)
        return "exp"
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 2:  # cbind(time, events)
        return "poisson"
    if isinstance(y, Mapping) and len(y) == 1:
        y = next(iter(y.values()))
    if isinstance(y, np.ndarray) and y.ndim == 2:
        y = y[:, 0]
    column = read({"y": y}).columns[0].info
    return "anova" if column.kind is Kind.NUMERIC and column.display == "number" else "class"


@overload
def rpart(
    formula: Literal["class"],
    *,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> RpartClassifier: ...
@overload
def rpart(
    formula: Literal["anova", "poisson", "exp"],
    *,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> RpartRegressor: ...
@overload
def rpart(
    formula: str | None = None,
    data: Any = None,
    *,
    method: Method | None = None,
    weights: Any = None,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> Any: ...
def rpart(
    formula: str | None = None,
    data: Any = None,
    *,
    method: Method | None = None,
    weights: Any = None,
    control: Mapping[str, Any] | None = None,
    parms: Mapping[str, Any] | None = None,
    **parameters: Unpack[RpartParameters],
) -> Any:
    """Return an estimator like R's rpart, fitted if a formula and data are passed.

    Parameters
    ----------
    formula : str, optional
        The method, or a formula such as "y ~ a + b" with its data.
    data : frame or dict of columns, optional
        The data of the formula: the estimator is fitted to them.
    method : {"class", "anova", "poisson", "exp"}, default=None
        Classification, regression, rates of events (`fit(..., exposure=)`), or survival (y: time
        and status). None: inferred from the target, as in R: numbers are "anova", strings,
        categories and booleans "class", `Surv(time, status)` "exp", observation times (`exposure`)
        "poisson".
    weights : array-like or str, optional
        With a formula: the weights of the rows, or their column in the data.
    control, parms : mapping, optional
        The `parameters` grouped as in R: `control={"cp": 0.001}`, `parms={"split":
        "information"}`; R's `parms={"method": "sqrt"}` is `error="sqrt"`.
    **parameters
        Those of R's rpart.control and `parms`, with R's defaults: `cp`, `minsplit`, `minbucket`,
        `maxdepth`, `maxcompete`, `maxsurrogate`, `usesurrogate`, `surrogatestyle`, `xval`, `cost`;
        for "class" `split`, `prior`, `loss`; for "poisson" `shrink`, `error`. See
        `RpartClassifier`.

    Returns
    -------
    Rpart, RpartClassifier or RpartRegressor
        By the method; `Rpart` infers it from the target of each fit.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.rpart("class", minsplit=2, loss={("ill", "well"): 10})
    RpartClassifier(loss={('ill', 'well'): 10}, minsplit=2)
    >>> ceiba.rpart("z ~ x", {"x": range(40), "z": [i // 20 for i in range(40)]}).method
    'anova'
    """
    if not isinstance(formula, str | None):
        got = type(formula).__name__
        raise OptionError(f"formula must be a string, got {got}. Use rpart().fit(X, y) for arrays.")
    if formula is not None and "~" not in formula:
        if method is not None:
            raise OptionError(f"The method was passed twice: {formula!r} and method={method!r}.")
        formula, method = None, cast("Method", formula)
    if (formula is None) != (data is None):
        got = "a formula without data" if data is None else "data without a formula"
        raise OptionError(f"rpart() got {got}. Pass both: rpart('y ~ a + b', data).")
    if formula is None and weights is not None:
        raise OptionError("weights= requires a formula. Otherwise, pass sample_weight to fit.")
    for group, options in (("control", control), ("parms", parms)):
        for word, value in (options or {}).items():
            name = "error" if (group, word) == ("parms", "method") else word
            if name in parameters:
                raise OptionError(f"`{name}` was passed twice: in `{group}` and as a parameter.")
            if name not in _OPTION_GROUPS[group]:
                raise OptionError(
                    f"{name!r} is not an option of `{group}`. Allowed values: "
                    f"{', '.join(_OPTION_GROUPS[group])}."
                    f"{did_you_mean(name, _OPTION_GROUPS[group])}"
                )
            parameters[name] = value  # type: ignore[literal-required]
    allowed = {"method": (one_of(*METHODS), nothing), "xval": RPART_OPTIONS["xval"].allowed}
    check_options({"method": method, **parameters}, allowed, "rpart")
    if method is None and formula is not None:
        features, _ = pop_column(data, weights)
        method = infer_method(*read_formula(formula, features))
    for name, owner in METHODS_OF_OPTION.items():
        if name in parameters and method is not None and method not in owner:
            raise OptionError(
                f"{name}= is not supported with method={method!r}. Leave it out, or pass "
                f"method={owner[0]!r}."
            )
    model: Any
    if method is None:
        model = Rpart(**parameters)
    elif method == "class":
        model = RpartClassifier(**parameters)
    else:
        model = RpartRegressor(method=method, **parameters)
    return model if formula is None else model.fit(formula, data, sample_weight=weights)
