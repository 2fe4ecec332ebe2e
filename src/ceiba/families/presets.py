"""Functions that return estimators for the algorithms CART, C4.5, ID3 and CHAID.

cart    Breiman, Friedman, Olshen and Stone (1984): binary splits by gini or squared error,
        surrogates for missing values, and the size chosen by ten-fold cross-validation with the
        one-standard-error rule. `rpart()` has R's defaults instead.
c45     C4.5 release 8 (Quinlan 1993, 1996) and Weka's J48: gain ratio among the columns with at
        least the average gain; one branch per level, also for levels that are not in the node; rows
        with a missing value go down every branch with a share of their weight; then subtrees that
        save no error are collapsed and the rest is pruned by pessimistic errors, with subtree
        raising.
id3     Quinlan (1986), as in textbooks: information gain in bits, one branch per level, no pruning.
        Branches without rows, unseen levels and rows with equal values and different classes are
        predicted by plurality.
chaid   Kass (1980), Biggs, de Ville and Suen (1991): growing by tests, see
        `ceiba/grow/chaid_grower.py`; no pruning.
"""

from __future__ import annotations

from typing import Any, Final

from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.estimators.regressor import DecisionTreeRegressor
from ceiba.grow import Chaid, GainRatio, Multiway
from ceiba.options import check_options, one_of
from ceiba.prune import Pessimistic
from ceiba.task import Task, TaskName

_ESTIMATORS: Final[dict[Task, type[DecisionTreeClassifier] | type[DecisionTreeRegressor]]] = {
    Task.CLASSIFICATION: DecisionTreeClassifier,
    Task.REGRESSION: DecisionTreeRegressor,
}


def cart(
    *, task: TaskName = "classification", **parameters: Any
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return an estimator that grows and prunes trees as in the book on CART (Breiman et al. 1984).

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
    return _find_estimator(task, "cart")(**{**chosen, **parameters})


def _find_estimator(
    task: TaskName, family: str
) -> type[DecisionTreeClassifier] | type[DecisionTreeRegressor]:
    check_options({"task": task}, {"task": (one_of(*_ESTIMATORS),)}, family)
    return _ESTIMATORS[Task(task)]


def c45(
    *,
    min_samples_leaf: int = 2,
    confidence: float | None = 0.25,
    raising: bool = True,
    categorical_splits: str = "multiway",
    **parameters: Any,
) -> DecisionTreeClassifier:
    """Return a classifier that grows and prunes trees like C4.5.

    Parameters
    ----------
    min_samples_leaf : int, default=2
        C4.5's and J48's M: the weight that at least two branches of a split need.
    confidence : float or None, default=0.25
        C4.5's CF, J48's -C: smaller values prune more. None: only collapse subtrees that save no
        error (J48's -U).
    raising : bool, default=True
        Whether a node may be replaced by its heaviest branch; False is J48's -S.
    categorical_splits : {"multiway", "binary"}, default="multiway"
        One branch per level, or one level against the rest (J48's -B).
    **parameters
        Other parameters of `DecisionTreeClassifier`.

    Returns
    -------
    DecisionTreeClassifier

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_play_tennis()
    >>> model = ceiba.c45().fit(data.X, data.y)
    >>> model.get_n_leaves(), model.tree_.depth
    (5, 2)
    """
    chosen: dict[str, Any] = {
        "criterion": GainRatio(cuts="value"),
        "min_samples_leaf": min_samples_leaf,
        "categorical_splits": (
            Multiway(empty=True) if categorical_splits == "multiway" else categorical_splits
        ),
        "missing": "fractional",
        "unseen": "missing",
        "prune": Pessimistic(
            confidence=confidence, raising=False if confidence is None else raising
        ),
    }
    return DecisionTreeClassifier(**{**chosen, **parameters})


def id3(**parameters: Any) -> DecisionTreeClassifier:
    """Return a classifier that grows trees like ID3.

    Numeric columns, which ID3 does not support, are cut in two. Rows with a missing value go down
    every branch with a share of their weight, as in C4.5.

    Parameters
    ----------
    **parameters
        Parameters of `DecisionTreeClassifier`.

    Returns
    -------
    DecisionTreeClassifier

    Examples
    --------
    >>> import ceiba
    >>> data = ceiba.datasets.load_restaurant()
    >>> tree = ceiba.id3().fit(data.X, data.y).tree_
    >>> tree.schema.names[tree.splits.column[0]], round(float(tree.gain[0]), 3)
    ('Patrons', 0.541)
    """
    chosen: dict[str, Any] = {
        "criterion": "entropy",
        "categorical_splits": Multiway(empty=True),
        "missing": "fractional",
        "unseen": "missing",
    }
    return DecisionTreeClassifier(**{**chosen, **parameters})


def chaid(
    *,
    task: TaskName = "classification",
    test: str | None = None,
    merge: float = 0.05,
    split: float = 0.05,
    bins: int = 10,
    min_samples_split: int = 20,
    min_samples_leaf: int = 7,
    **parameters: Any,
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return an estimator that grows trees by CHAID.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"
    test : {"chi2", "likelihood_ratio", "f_test"}, default=None
        None: "chi2" for classification, "f_test" for regression.
    merge : float, default=0.05
        Two categories are merged while the p-value of their difference is above this.
    split : float, default=0.05
        A node is split while the adjusted p-value of its best column is at most this.
    bins : int, default=10
        Numeric columns are first cut into at most this many bins of about equal size.
    min_samples_split, min_samples_leaf : int, default=20 and 7
        Minimum number of rows of a node to be split, and of each group.
    **parameters
        Other parameters of `DecisionTreeClassifier` or `DecisionTreeRegressor`. p-values count
        rows, or the frequencies of `fit(frequency=)`. A numeric column that is split into several
        intervals is one node with as many branches.

    Returns
    -------
    DecisionTreeClassifier or DecisionTreeRegressor
        The fitted `tree_` keeps the test of each split: `tree_.tests`, `tree_.node(i).test`,
        `tree_.split_tests()`.

    Examples
    --------
    >>> import ceiba
    >>> weather = ["sun"] * 10 + ["cloud"] * 10 + ["rain"] * 10
    >>> model = ceiba.chaid().fit({"weather": weather}, ["dry"] * 19 + ["wet"] * 11)
    >>> table = model.tree_.split_tests()
    >>> print(table["groups"][0])
    cloud, sun | rain
    >>> model.tree_.root.test.df
    (1.0,)
    """
    chosen: dict[str, Any] = {
        "criterion": Chaid(test=test, merge=merge, split=split, bins=bins),
        "min_samples_split": min_samples_split,
        "min_samples_leaf": min_samples_leaf,
    }
    return _find_estimator(task, "chaid")(**{**chosen, **parameters})
