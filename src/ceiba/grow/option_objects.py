"""Growing options that are objects with parameters, and their short forms.

For example, `missing="surrogate"` is short for `missing=Surrogates()`, and `criterion="chi2"` for
`criterion=Chaid()`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from ceiba.criteria import quantile_level
from ceiba.options import Check, OptionObject, boolean, integer, nothing, number, one_of, parameter
from ceiba.tree import Cut, Intervals, LevelSets, Presence

ClassLoss = Literal["error", "gini", "entropy"]

_LOSS = (one_of("error", "gini", "entropy"), nothing)


class Lookahead(OptionObject):
    """Search that splits each node by the first split of the best small tree on its rows.

    The time is polynomial for a fixed depth. The tree is usually, but not provably, near-optimal.

    Parameters
    ----------
    depth : int, default=2
        Depth of the tree that is searched at each node. Each further level multiplies the time.
    penalty : float, default=0.0
        Cost per leaf, in units of risk as `ccp_alpha` is.
    loss : {"error", "gini", "entropy"}, default=None
        Classification: the loss of a leaf. None: "error", the misclassification cost under
        weights, priors and costs. Regression trees use their criterion.

    Examples
    --------
    >>> from ceiba.grow import Lookahead
    >>> Lookahead(penalty=0.01)
    Lookahead(penalty=0.01)
    """

    depth: int = parameter(integer(1), default=2)
    penalty: float = parameter(number(0.0), default=0.0)
    loss: ClassLoss | None = parameter(*_LOSS, default=None)


class Optimal(OptionObject):
    """Exact search for the tree with the lowest training loss.

    The search always returns a tree, and its certificate states how far from the optimum it can be.

    Parameters
    ----------
    time_limit : float, default=60.0
        Seconds after which the best tree so far is returned.
    gap : float, default=0.0
        The search may stop when the objective is proven to be within this share of the optimum.
    memory_limit : float, default=1024.0
        Megabytes for sorted columns and the cache of solved subproblems. A smaller cache takes
        more time and returns the same tree.
    penalty : float, default=0.0
        Cost per leaf, in units of risk as `ccp_alpha` is.
    loss : {"error", "gini", "entropy"}, default=None
        Classification: the loss of a leaf. None: "error", the misclassification cost under
        weights, priors and costs. Regression trees use their criterion.

    Examples
    --------
    >>> from ceiba.grow import Optimal
    >>> Optimal(time_limit=10).set_params(gap=0.01)
    Optimal(time_limit=10, gap=0.01)
    """

    time_limit: float = parameter(number(0.0), default=60.0)
    gap: float = parameter(number(0.0, 1.0, "[)"), default=0.0)
    memory_limit: float = parameter(number(0.0, brackets="()"), default=1024.0)
    penalty: float = parameter(number(0.0), default=0.0)
    loss: ClassLoss | None = parameter(*_LOSS, default=None)


class GainRatio(OptionObject):
    """Gain ratio of C4.5: gain divided by split information, among splits of at least average gain.

    Parameters
    ----------
    cuts : {"midpoint", "value"}, default="midpoint"
        Cut at the midpoint of two values of the node, or at the largest value of the column that is
        not above the midpoint, as C4.5 does. C4.5 does not separate numbers closer than 1e-5.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeClassifier(criterion=ceiba.GainRatio(cuts="value"))
    >>> model.fit([[1], [2], [4], [5]], ["a", "a", "b", "b"]).tree_.splits.cut[0]
    np.float64(2.0)
    """

    cuts: Literal["midpoint", "value"] = parameter(one_of("midpoint", "value"), default="midpoint")


class Chaid(OptionObject):
    """CHAID's criterion, which chooses the column with the most significant merged categories.

    Parameters
    ----------
    test : {"chi2", "likelihood_ratio", "f_test"}, default=None
        None: "chi2" for classification, "f_test" for regression.
    merge : float, default=0.05
        Two categories are merged while the p-value of their difference is above this.
    split : float, default=0.05
        A node is split while the adjusted p-value of its best column is at most this.
    bins : int, default=10
        Numeric columns are first cut into at most this many bins of about equal size.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.DecisionTreeClassifier(criterion=ceiba.Chaid(split=0.01))
    DecisionTreeClassifier(criterion=Chaid(split=0.01))
    """

    test: str | None = parameter(
        one_of("chi2", "likelihood_ratio", "f_test"), nothing, default=None
    )
    merge: float = parameter(number(0.0, 1.0, "[]"), default=0.05)
    split: float = parameter(number(0.0, 1.0, "[]"), default=0.05)
    bins: int = parameter(integer(2), default=10)


class Quantile(OptionObject):
    """Criterion that minimizes the pinball loss, so that the tree predicts a quantile.

    The short form is a string, `criterion="quantile(0.9)"`.

    Parameters
    ----------
    level : float, default=0.5
        Share of the rows below the prediction. 0.5 is the median, with half the absolute error as
        its loss. Rounded to the nearest fraction with a denominator of at most 1,000,000.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeRegressor(criterion=ceiba.Quantile(0.9), max_depth=1)
    >>> X, y = [[1], [1], [1], [2], [2], [2]], [0.0, 1.0, 2.0, 5.0, 6.0, 9.0]
    >>> model.fit(X, y).predict([[1], [2]]).tolist()
    [2.0, 9.0]
    """

    level: float = parameter(number(1e-6, 1 - 1e-6, "[]"), default=0.5, kw_only=False)


class Surrogates(OptionObject):
    """Rule that sends rows with a missing value to branches by surrogate splits, as rpart does.

    Parameters
    ----------
    keep : int, default=5
        Number of surrogates stored for each node, best first.
    otherwise : {"majority", "stay"}, default="majority"
        A row without an applicable surrogate follows the heavier branch, or stays in the node.
    agreement : {"all", "both"}, default="all"
        Rows over which agreement with the split is measured: all rows with a value of its column,
        or only those that also have a value of the surrogate's column.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeClassifier(missing=ceiba.Surrogates(keep=2))
    >>> model.set_params(missing__otherwise="stay")
    DecisionTreeClassifier(missing=Surrogates(keep=2, otherwise='stay'))
    """

    keep: int = parameter(integer(0), default=5)
    otherwise: Literal["majority", "stay"] = parameter(
        one_of("majority", "stay"), default="majority"
    )
    agreement: Literal["all", "both"] = parameter(one_of("all", "both"), default="all")


class Multiway(OptionObject):
    """Categorical splits with one branch per level.

    Parameters
    ----------
    empty : bool, default=False
        Also make a leaf, which predicts as its parent, for each level that is not in the node.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.DecisionTreeClassifier(categorical_splits=ceiba.Multiway(empty=True))
    DecisionTreeClassifier(categorical_splits=Multiway(empty=True))
    """

    empty: bool = parameter(boolean, default=False)


class Significance(OptionObject):
    """Rule that splits a node on the column with the smallest p-value if it is significant.

    The p-values are corrected for the search over the column and, by Bonferroni, over the columns,
    so columns with many levels are not favored.

    Parameters
    ----------
    level : float, default=0.05
        Largest p-value at which a node is split.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.DecisionTreeClassifier(min_significance=ceiba.Significance(level=0.01))
    DecisionTreeClassifier(min_significance=Significance(level=0.01))
    """

    level: float = parameter(number(0.0, 1.0, "()"), default=0.05)


@dataclass(frozen=True)
class RpartRules:
    """Rules that are specific to rpart; `ceiba.rpart` sets them."""

    # As in rpart, zero-weight rows are counted and routed, and a poisson branch may have no events.
    # A surrogate on levels agrees with the split on at least 2 rows, and disagrees on at least 2.
    # With `Surrogates(keep=0)`, rows with a missing value stay in the node during growing.

    min_gain_ratio: float = 1e-10  # minimum gain of a split, relative to the gain of the root split
    shrink: float = 0.0  # coefficient of variation of the prior on Poisson rates (0: no prior)
    # 0: rows with a missing value stay in the node. 1: they follow surrogates, and stay if none
    # applies. 2: they follow surrogates, or the majority if none applies.
    use_surrogate: int = 2
    # A node is split only if its risk exceeds both limits (-1: no limit).
    min_risk_ratio: float = -1.0  # relative to the risk of the root
    min_risk: float = -1.0


_SHORT: Final[Mapping[str, Mapping[str, Any]]] = {
    "criterion": {
        "gain_ratio": GainRatio,
        **{test: (lambda test=test: Chaid(test=test)) for test in Chaid._allowed["test"][0].names},
    },
    "missing": {"surrogate": Surrogates},
    "categorical_splits": {"multiway": Multiway},
    "search": {"lookahead": Lookahead, "optimal": Optimal},
}


def expand(name: str, value: Any) -> Any:
    """Return the option object for a short form such as "lookahead", else the value itself."""
    if name == "min_significance" and isinstance(value, float):
        return Significance(level=value)
    if name == "criterion" and isinstance(value, str) and value.startswith("quantile"):
        level = quantile_level(value)
        return value if level is None else Quantile(level)
    make = _SHORT.get(name, {}).get(value) if isinstance(value, str) else None
    return value if make is None else make()


_QUESTIONS: Final = (str, list, Cut, Intervals, LevelSets, Presence)


def _is_forced(literal: Any) -> bool:
    waiting = [literal]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            if not item or not isinstance(item[0], _QUESTIONS):
                return False
            waiting.extend(branch for branch in item[1:] if branch is not None)
        elif not isinstance(item, _QUESTIONS):
            return False
    return True


FORCED_SPLITS: Final = Check(
    "a split such as 'age <= 30', or a tuple (split, branch, branch) in which each branch is a "
    "split, a tuple or None",
    _is_forced,
)
