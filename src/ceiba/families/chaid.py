"""chaid(): trees by chi-square tests (Kass 1980; Biggs, de Ville and Suen 1991).

Every node is split by the column that depends on the target most significantly, after its
categories were merged into groups that differ; the p-values pay for the merging (Bonferroni). The
tree stops where nothing is significant, so there is no pruning. `ceiba/grow/chaid` has the rules.
"""

from __future__ import annotations

from typing import Any, Literal

from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.estimators.regressor import DecisionTreeRegressor
from ceiba.grow import Chaid
from ceiba.options import check_options, one_of


def chaid(
    *,
    task: Literal["classification", "regression"] = "classification",
    test: str | None = None,
    merge: float = 0.05,
    split: float = 0.05,
    bins: int = 10,
    min_samples_split: int = 20,
    min_samples_leaf: int = 7,
    **parameters: Any,
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Make an estimator that grows by CHAID.

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
        Rows a node needs to be split, and each group needs.
    **parameters
        Other parameters of `DecisionTreeClassifier` or `DecisionTreeRegressor`. p-values count
        rows, or weights if `frequency_weights=True`. A numeric column that is split into several
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
    check_options({"task": task}, {"task": (one_of("classification", "regression"),)}, "chaid")
    chosen: dict[str, Any] = {
        "criterion": Chaid(test=test, merge=merge, split=split, bins=bins),
        "min_samples_split": min_samples_split,
        "min_samples_leaf": min_samples_leaf,
    }
    kind = DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
    return kind(**{**chosen, **parameters})
