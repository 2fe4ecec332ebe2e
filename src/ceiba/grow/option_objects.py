"""Define growing options that are objects with parameters, and their short forms.

`missing="surrogate"` is `missing=Surrogates()`, `criterion="chi2"` is `criterion=Chaid()`,
`min_significance=0.05` is `Significance(level=0.05)`, and so on.
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
    """Find the best tree of a small depth at each node, keep its first split and repeat below.

    The time is polynomial. The tree is usually close to the optimum, but this is not proven.

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
    """Search for the tree with the lowest training loss, and prove that it is optimal.

    The search always returns a tree; its certificate bounds its distance from the optimum.

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
    """C4.5's criterion: gain divided by split information, for splits of at least average gain.

    Parameters
    ----------
    cuts : {"midpoint", "value"}, default="midpoint"
        Cut at the midpoint of two values of the node; or at the largest value of the whole column
        not above it, as C4.5 does (which does not separate numbers closer than 1e-5).

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
    """Predict a quantile by minimizing the pinball loss.

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
    """Route missing values by surrogate splits on columns that route rows similarly (rpart).

    Parameters
    ----------
    keep : int, default=5
        Surrogates kept at each node, best first.
    otherwise : {"majority", "stay"}, default="majority"
        If no surrogate applies, the row goes to the heavier branch, or stays in the node.
    agreement : {"all", "both"}, default="all"
        Agreement with the split is counted over all rows that it routes, or only over those with
        both values.

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
        Also make a branch for levels that are not in the node: a leaf that predicts as its parent.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.DecisionTreeClassifier(categorical_splits=ceiba.Multiway(empty=True))
    DecisionTreeClassifier(categorical_splits=Multiway(empty=True))
    """

    empty: bool = parameter(boolean, default=False)


class Significance(OptionObject):
    """Split a node on the column with the smallest p-value, and only if it is significant.

    The p-values are corrected for the search over the column and, by Bonferroni, over the columns,
    so columns with many levels are not favoured.

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

    # These rules imply that zero-weight rows are counted and routed, that a poisson branch may have
    # no events, that a level map is a surrogate only if it errs on two rows or more, and that
    # without surrogates, rows with a missing value stay in the node while growing.

    min_gain_ratio: float = 1e-10  # a split must exceed this share of the root's gain
    shrink: float = 0.0  # poisson: coefficient of variation of the rates, 0 for no shrinkage
    # Rows with a missing value stay in the node (0, surrogates are only listed), follow surrogates
    # or else stay (1), or follow surrogates or else the majority (2).
    use_surrogate: int = 2
    # Nodes with at most this risk (share of the root's, or sum) are not split; negative: off.
    min_risk_ratio: float = -1.0
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
    """Return the object for a short form; return other values unchanged."""
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
        part = waiting.pop()
        if isinstance(part, tuple):
            if not part or not isinstance(part[0], _QUESTIONS):
                return False
            waiting.extend(branch for branch in part[1:] if branch is not None)
        elif not isinstance(part, _QUESTIONS):
            return False
    return True


FORCED_SPLITS: Final = Check(
    "a split such as 'age <= 30', or a tuple (split, branch, branch) whose branches are splits "
    "again or None",
    _is_forced,
)
