"""RpartClassifier and RpartRegressor: the estimators that rpart() gives."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from ceiba.criteria import Task
from ceiba.errors import OptionError
from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.estimators.regressor import DecisionTreeRegressor
from ceiba.families.rpart.fit import RpartFit

__all__ = ["RpartClassifier", "RpartRegressor"]


class RpartClassifier(RpartFit, DecisionTreeClassifier):  # type: ignore[misc]
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


class RpartRegressor(RpartFit, DecisionTreeRegressor):  # type: ignore[misc]
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
