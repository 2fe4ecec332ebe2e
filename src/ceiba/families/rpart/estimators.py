"""RpartClassifier and RpartRegressor: the estimators that rpart() gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, Unpack

import numpy as np

from ceiba.errors import DataError, OptionError
from ceiba.estimators.classifier import TreeClassifier
from ceiba.estimators.regressor import TreeRegressor
from ceiba.families.rpart.fit import RpartFit
from ceiba.families.rpart.formula import formula_or_data
from ceiba.families.rpart.options import ONLY_FOR, RPART_OPTIONS, RpartParameters
from ceiba.families.rpart.survival import scaled_times
from ceiba.families.rpart.words import RpartWords
from ceiba.options import Option, takes_options
from ceiba.options.checks import one_of
from ceiba.table import is_named_target, split_target
from ceiba.table.targets.target import target_outputs

_OF_CLASSES: Final = [
    row for name, row in RPART_OPTIONS.items() if "class" in ONLY_FOR.get(name, ("class",))
]
_OF_NUMBERS: Final = [
    Option(
        "method",
        "anova",
        (one_of("anova", "poisson", "exp"),),
        '{"anova", "poisson", "exp"}',
        "Means and squared errors, rates of events and their deviance, or survival times, scaled "
        "so that the overall hazard is 1.",
    ),
    *(row for name, row in RPART_OPTIONS.items() if ONLY_FOR.get(name) != ("class",)),
]


@takes_options(_OF_CLASSES)
class RpartClassifier(RpartWords, RpartFit, TreeClassifier):  # type: ignore[misc]
    """A classification tree as R's rpart grows it; usually made by `ceiba.rpart("class")`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
    classes_ : ndarray
        In the order that categories declare, as in R; else sorted.
    cp_table_ : Listing
        The nested trees: cp, splits, relative risk, cross-validated relative risk.
    variable_importance_ : dict
        Importance of each column used as primary or surrogate, largest first, in rpart's unit.
    n_rows_dropped_ : int
        Rows left out because target or all values were missing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ceiba.rpart("class").fit(X, y)
    >>> print(model.cp_table_)
    nested trees
      cp  n_splits  relative_risk  relative_cv_risk  relative_cv_se
     0.5         0              1              1.19       0.0495917
    0.44         1            0.5              0.63       0.0604483
    0.01         2           0.06              0.11        0.031927
    cp: the tree of this row is the best for any cp from here up to the row above, as a share of \
the root's risk;
    relative_risk: risk over that of the root (0.666667 per unit of weight);
    relative_cv_risk, relative_cv_se: on held-out rows (R: xerror, xstd)
    """

    method: ClassVar[str] = "class"  # type: ignore[misc]

    if TYPE_CHECKING:

        def __init__(self, **parameters: Unpack[RpartParameters]) -> None: ...

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : table
            numpy, pandas, polars, Arrow, dict of lists, list of dicts, list of lists. Or a formula
            such as "y ~ a + b", with the data as `y`.
        y : array-like of shape (n_rows,) or str
            Labels; or the name of a column of X.
        sample_weight : array-like of shape (n_rows,), default=None

        Returns
        -------
        self
        """
        X, y = formula_or_data(X, y)
        self._fit(X, y, sample_weight)
        return self


@takes_options(_OF_NUMBERS)
class RpartRegressor(RpartWords, RpartFit, TreeRegressor):  # type: ignore[misc]
    """A regression tree as R's rpart grows it; made by `ceiba.rpart("anova")` or `("poisson")`.

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
        """Grow the tree.

        Parameters
        ----------
        X : table
            numpy, pandas, polars, Arrow, dict of lists, list of dicts, list of lists. Or a formula
            such as "y ~ a + b", with the data as `y`.
        y : array-like of shape (n_rows,) or str
            Numbers; with method="poisson" numbers of events. Or the name of a column of X. With
            method="exp" two columns: time and status (1: the event happened), or their names.
        sample_weight : array-like of shape (n_rows,), default=None
        exposure : array-like of shape (n_rows,), default=None
            method="poisson": time in which the events of each row were observed; None: 1. The
            tree then predicts events per unit of time.

        Returns
        -------
        self
        """
        X, y = formula_or_data(X, y)
        if self.method == "exp" and exposure is None:
            X, y, exposure = _survival(X, y)
        elif exposure is not None and self.method != "poisson":
            raise OptionError(
                f"exposure is for method='poisson'; this tree has method={self.method!r}."
            )
        self._fit(X, y, sample_weight, exposure)
        return self


def _survival(X: Any, y: Any) -> tuple[Any, Any, Any]:
    """Read time and status: the columns, the events, and the scaled times as exposure."""
    if is_named_target(X, y):
        X, y = split_target(X, y)
    outputs, _ = target_outputs(y)
    if len(outputs) != 2:
        raise DataError(
            "method='exp' needs two columns as y: the time and the status (1: the event happened). "
            f"Got {len(outputs)}. Give y=['time', 'status'] or an array of two columns."
        )
    return X, np.asarray(outputs[1], np.float64), scaled_times(outputs[0], outputs[1])
