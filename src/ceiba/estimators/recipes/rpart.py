"""rpart(): the trees of R's rpart package, with its parameter names and defaults.

The tree is grown without looking at cp, then collapsed by rpart's own complexities (alpha = cp
times the risk of the root; `ceiba.prune.rpart_complexity`), which gives the tree that rpart stops
at while growing. A poisson tree is one of rates: target events / time, weight x time. See
docs/rpart.md for what agrees with R to the last digit and what deliberately does not.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from textwrap import fill
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import DataConversionWarning

from ceiba.errors import DataError, OptionError
from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.estimators.face import RpartFace
from ceiba.estimators.recipes.rpart_options import (
    ALLOWED_RPART,
    METHODS,
    Method,
    control,
    rpart_grow_options,
)
from ceiba.estimators.regressor import DecisionTreeRegressor
from ceiba.grow import check_options
from ceiba.grow.criteria import Task
from ceiba.prune import (
    Listing,
    Training,
    prune_by_cp,
    pruning_sequence,
    rpart_complexity,
    rpart_cross_validate,
)
from ceiba.table import (
    Table,
    Target,
    present_rows,
    read,
    read_target,
    read_weights,
    split_target,
)
from ceiba.table.class_order import in_declared_order
from ceiba.tree import Tree

__all__ = ["RpartClassifier", "RpartRegressor", "rpart"]

Array = npt.NDArray[np.float64]


class _Rpart(RpartFace):
    """What the estimators of rpart() share: fitting, and the figures that R shows."""

    method: str
    cp: float
    cost: Any
    xval: Any
    random_state: Any
    n_rows_dropped_: int
    tree_: Tree
    _last_cp: float
    _cv_risk: Array | None
    _cv_se: Array | None

    def _fit(self, X: Any, y: Any, sample_weight: Any, exposure: Any = None) -> None:
        given = self._given()
        check_options(given, ALLOWED_RPART, type(self).__name__)
        training = self._training(X, y, sample_weight, exposure)
        # Where the whole risk of a node is not worth a split, none below it is.
        options = replace(training.options, min_risk_ratio=float(self.cp))
        grown = replace(training, options=options).grow()
        tree = prune_by_cp(grown, self.cp)
        self._keep(tree)  # type: ignore[attr-defined]
        # Of a tree without splits rpart shows the cp that the best of them would have had.
        self._last_cp = self.cp if tree.n_leaves > 1 else float(rpart_complexity(grown, self.cp)[0])
        self._cv_risk = self._cv_se = None
        folds = self._folds(training.n_rows)
        if folds is not None:
            beta = _between(self.cp_table_["cp"])
            self._cv_risk, self._cv_se = self._cross_validate(training, folds, beta)

    def _training(self, X: Any, y: Any, sample_weight: Any, exposure: Any) -> Training:
        """Read the data, as rpart's rules see them."""
        table, target, weight, time = self._read_rows(X, y, sample_weight, exposure)
        cases = None
        if time is not None:
            cases = np.ones(len(time)) if weight is None else weight
            target, weight = _rates(target, time), cases * time
        return Training(table, target, rpart_grow_options(self._given()), weight, cases)

    def _read_problem(self, X: Any, y: Any, sample_weight: Any) -> Any:
        raise OptionError(
            "A tree of rpart() is not regrown in place: its cp stop looks at the whole tree. Use "
            "tree_.set_split(...) or tree_.regrow(...), which give a new tree."
        )

    def _folds(self, n_rows: int) -> Any:
        """Give the folds of `xval`; None: no cross-validation."""
        if not isinstance(self.xval, Integral):
            return self.xval
        folds = min(int(self.xval), n_rows)
        return folds if folds > 1 else None

    def _cross_validate(self, training: Training, folds: Any, beta: Any) -> tuple[Array, Array]:
        risk = float(self.tree_.risk[0])
        return rpart_cross_validate(
            training, risk, beta, cp=self.cp, folds=folds, random_state=self.random_state
        )

    def cross_validate(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        exposure: Any = None,
        *,
        folds: Any = 10,
        cp: Any = None,
    ) -> Listing:
        """Cross-validate the fitted tree again: on other folds, at other values of cp.

        Parameters
        ----------
        X, y, sample_weight, exposure
            What the tree was fitted on.
        folds : int, array-like, splitter or pairs, default=10
            As in `ceiba.prune.cross_validate`; of the rows that were not dropped.
        cp : sequence of float, default=None
            Values of cp from large to small; None: between those of `cp_table_`, as in R.

        Returns
        -------
        Listing
            cp, relative_cv_risk and relative_cv_se (R: xerror, xstd).
        """
        training = self._training(X, y, sample_weight, exposure)
        beta = _between(self.cp_table_["cp"]) if cp is None else np.asarray(cp, np.float64)
        risk, se = self._cross_validate(training, folds, beta)
        return Listing(
            {"cp": beta, "relative_cv_risk": risk, "relative_cv_se": se},
            title="cross-validation",
            legend="relative_...: divided by the risk of the root (R: xerror, xstd)",
        )

    def _given(self) -> dict[str, Any]:
        return {"method": self.method, **self.get_params(deep=False)}  # type: ignore[attr-defined]

    def _read_rows(
        self, X: Any, y: Any, sample_weight: Any, exposure: Any
    ) -> tuple[Table, Target, Array | None, Array | None]:
        """Read the rows that have a target and at least one value."""
        name = None
        if isinstance(y, str):
            name, (X, y) = y, split_target(X, y)
        if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
            warn(
                "A column-vector y was passed when a 1d array was expected. Use y.ravel().",
                DataConversionWarning,
                stacklevel=5,
            )
        table = read(X, categorical_features=self._given()["categorical_features"])
        weight, time = read_weights(sample_weight, table.n_rows), _read_time(exposure, table.n_rows)
        keep = present_rows(y)
        if len(keep) != table.n_rows:
            raise DataError(
                "Found input variables with inconsistent numbers of samples: "
                f"[{table.n_rows}, {len(keep)}]. X has {table.n_rows} rows, y has {len(keep)}."
            )
        for_target = y
        keep &= ~np.logical_and.reduce([column.missing for column in table.columns])
        self.n_rows_dropped_ = int(len(keep) - np.count_nonzero(keep))
        if self.n_rows_dropped_:
            if not keep.any():
                raise DataError(f"None of the {len(keep)} rows has both a target and a value in X.")
            table, for_target = table.take(keep), np.asarray(y, dtype=object)[keep]
            weight = None if weight is None else weight[keep]
            time = None if time is None else time[keep]
            name = name or getattr(y, "name", None)
        task = METHODS[self.method][0]
        target = read_target(for_target, task=task, n_rows=table.n_rows, name=name)
        _refuse_target(target, self.method)
        return table, in_declared_order(target, y), weight, time

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.multi_output = False
        tags.target_tags.positive_only = self.method == "poisson"
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    def _call(self) -> str:
        """Give the call of rpart() that this is, with what the defaults come to."""
        given = self._given()
        given["minsplit"], given["minbucket"] = control(given["minsplit"], given["minbucket"])
        silent = {"categorical_features", "n_jobs", "random_state"}
        silent |= {"shrink"} if self.method != "poisson" else set()
        words = [
            f"{name}={value!r}"
            for name, value in given.items()
            if name not in silent and value is not None and not hasattr(value, "shape")
        ]
        return fill(f"rpart({', '.join(words)})", 96, subsequent_indent="      ")

    def _unpruned(self) -> Any:
        from sklearn.base import clone

        return clone(self).set_params(cp=-1.0)

    @property
    def cp_table_(self) -> Listing:
        """The trees nested in the fitted one: rpart's cptable, with the exact sequence of cp.

        Row k is the tree for cp[k] <= cp < cp[k - 1]; the last row is the fitted tree, and `cp`
        there the parameter. `relative_risk` is the risk divided by the root's (R: rel error).
        """
        # Rows that stay in an inner node do not count in R's table.
        sequence = pruning_sequence(self.tree_, count_stayed=False)
        whole = sequence.root_risk or 1.0
        alpha, leaves, risk = sequence.alpha[::-1], sequence.n_leaves[::-1], sequence.risk[::-1]
        if self.tree_.n_leaves > leaves[-1]:  # cp < 0: splits that do not lower the risk are kept
            alpha, risk = np.append(alpha, 0.0), np.append(risk, risk[-1])
            leaves = np.append(leaves, self.tree_.n_leaves)
        figures = {
            "cp": np.append(alpha[:-1] / whole, self._last_cp),
            "n_splits": leaves - 1,
            "relative_risk": risk / whole,
        }
        legend = (
            "cp: the tree of this row is the best for any cp from here up to the row above, as a "
            "share of the root's risk;\n"
            f"relative_risk: risk over that of the root ({whole:.6g} per unit of weight)"
        )
        if self._cv_risk is not None and self._cv_se is not None:
            figures["relative_cv_risk"] = self._cv_risk
            figures["relative_cv_se"] = self._cv_se
            legend += ";\nrelative_cv_risk, relative_cv_se: on held-out rows (R: xerror, xstd)"
        return Listing(figures, title="nested trees", legend=legend)


def _between(cp: Array) -> Array:
    """Give rpart's typical cp of each row of its table: between it and the row above."""
    inside = np.sqrt(np.maximum(cp[:-1] * cp[1:], 0.0))
    return np.append(10.0 * cp[:1], inside)


def _refuse_target(target: Target, method: str) -> None:
    """Refuse what rpart has no method for."""
    if target.info.n_outputs > 1:
        raise DataError(
            f"rpart predicts one target; y has {target.info.n_outputs} outputs. Fit one model for "
            "each, or use DecisionTreeClassifier or DecisionTreeRegressor."
        )
    if method == "poisson" and (target.values < 0).any():
        row = int(np.argmax(target.values[:, 0] < 0))
        raise DataError(
            f"method='poisson' counts events, and row {row} has {target.values[row, 0]:g} of them. "
            "Some value(s) of y are negative: use method='anova'."
        )


def _read_time(exposure: Any, n_rows: int) -> Array | None:
    """Read observation times: one number above 0 for each row."""
    if exposure is None:
        return None
    try:
        time = np.ascontiguousarray(exposure, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"exposure must hold numbers ({error}).") from None
    if time.shape != (n_rows,):
        raise DataError(
            f"exposure must hold one observation time for each of the {n_rows} rows. Got shape "
            f"{time.shape}."
        )
    wrong = np.flatnonzero(~(np.isfinite(time) & (time > 0)))
    if len(wrong):
        raise DataError(
            f"exposure: row {int(wrong[0])} has {time[wrong[0]]}. Observation times are finite and "
            "above 0; leave out rows that were not observed."
        )
    return time


def _rates(target: Target, time: Array) -> Target:
    """Turn events and observation times into rates."""
    return Target(target.info, np.ascontiguousarray(target.values / time[:, None]))


class RpartClassifier(_Rpart, DecisionTreeClassifier):  # type: ignore[misc]
    """A classification tree as R's rpart grows it; usually made by `ceiba.rpart("class")`.

    Parameters
    ----------
    minsplit : int, default=None
        Rows that a node needs to be split. None: 20, or 3 * minbucket if that is given.
    minbucket : int, default=None
        Rows that each branch needs. None: minsplit / 3, rounded.
    cp : float, default=0.01
        Complexity: a split must lower the risk by this share of the root's risk; 0 keeps every
        split that lowers it at all, a negative number all splits.
    maxdepth : int, default=30
        Most questions between the root and a leaf.
    maxcompete : int, default=4
        Runner-up splits kept at each node.
    maxsurrogate : int, default=5
        Stand-in splits kept at each node.
    usesurrogate : {0, 1, 2}, default=2
        Rows with a missing value stay (0), go by surrogates, else stay (1), else go with the
        majority (2).
    surrogatestyle : {0, 1}, default=0
        Agreement over all rows that the split places (0), or those with both values (1).
    split : {"gini", "information"}, default="gini"
        The impurity; "information" is the entropy.
    prior : array-like or dict, default=None
        Class shares in the world, in class order. None: as in the table.
    loss : array-like of shape (n_classes, n_classes) or dict, default=None
        `loss[i, j]`: cost of truth i predicted as j.
    cost : array-like or dict, default=None
        Cost of asking for each column; its gain is divided by it.
    xval : int or array-like of fold ids, default=10
        Folds of cross-validation; 0: none.
    random_state : int, RandomState instance or None, default=None
        Of the folds. None is the fixed seed 0.
    categorical_features : "from_dtype", list or mask, default="from_dtype"
        Columns that hold levels.
    n_jobs : int, default=None
        Threads; the tree does not depend on it.

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

    _task: ClassVar[Task] = "classification"
    method: ClassVar[str] = "class"  # type: ignore[misc]

    def __init__(
        self,
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
        cost: Any = None,
        xval: Any = 10,
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.minsplit = minsplit
        self.minbucket = minbucket
        self.cp = cp
        self.maxdepth = maxdepth
        self.maxcompete = maxcompete
        self.maxsurrogate = maxsurrogate
        self.usesurrogate = usesurrogate
        self.surrogatestyle = surrogatestyle
        self.split = split
        self.prior = prior
        self.loss = loss
        self.cost = cost
        self.xval = xval
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs


class RpartRegressor(_Rpart, DecisionTreeRegressor):  # type: ignore[misc]
    """A regression tree as R's rpart grows it; made by `ceiba.rpart("anova")` or `("poisson")`.

    Parameters
    ----------
    method : {"anova", "poisson"}, default="anova"
        Means and squared errors, or rates of events and their deviance.
    minsplit, minbucket, cp, maxdepth, maxcompete, maxsurrogate, usesurrogate, surrogatestyle, \
cost, xval, random_state, categorical_features, n_jobs
        As in `RpartClassifier`.
    shrink : float, default=1.0
        poisson: coefficient of variation of the rates; the smaller, the more the rates of leaves
        lean towards the overall rate. 0: no shrinking.

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

    _task: ClassVar[Task] = "regression"

    def __init__(
        self,
        *,
        method: str = "anova",
        minsplit: int | None = None,
        minbucket: int | None = None,
        cp: float = 0.01,
        maxdepth: int = 30,
        maxcompete: int = 4,
        maxsurrogate: int = 5,
        usesurrogate: int = 2,
        surrogatestyle: int = 0,
        shrink: float = 1.0,
        cost: Any = None,
        xval: Any = 10,
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.minsplit = minsplit
        self.minbucket = minbucket
        self.cp = cp
        self.maxdepth = maxdepth
        self.maxcompete = maxcompete
        self.maxsurrogate = maxsurrogate
        self.usesurrogate = usesurrogate
        self.surrogatestyle = surrogatestyle
        self.shrink = shrink
        self.cost = cost
        self.xval = xval
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : table
            numpy, pandas, polars, Arrow, dict of lists, list of dicts, list of lists.
        y : array-like of shape (n_rows,) or str
            Numbers; with method="poisson" numbers of events. Or the name of a column of X.
        sample_weight : array-like of shape (n_rows,), default=None
        exposure : array-like of shape (n_rows,), default=None
            method="poisson": time in which the events of each row were observed; None: 1. The
            tree then predicts events per unit of time.

        Returns
        -------
        self
        """
        if exposure is not None and self.method != "poisson":
            raise OptionError(
                f"exposure is for method='poisson'; this tree has method={self.method!r}."
            )
        self._fit(X, y, sample_weight, exposure)
        return self


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
