"""Options of growing that have options of their own, as objects; their names are short forms.

`missing="surrogate"` is `missing=Surrogates()`, `criterion="gain_ratio"` is
`criterion=GainRatio()`, `criterion="chi2"` is `criterion=Chaid()`, `categorical_splits="multiway"`
is `categorical_splits=Multiway()`, `search="optimal"` is `search=Optimal()`, and
`min_significance=0.05` is `Significance(level=0.05)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from ceiba.grow.search.options import Lookahead, Optimal
from ceiba.options import Check, OptionObject, boolean, integer, nothing, number, one_of, parameter
from ceiba.tree import Cut, Intervals, LevelSets, Presence


class GainRatio(OptionObject):
    """C4.5's choice of the split: gain divided by split information, among splits of good gain.

    Parameters
    ----------
    cuts : {"midpoint", "value"}, default="midpoint"
        A cut is the midpoint of two values of the node; or the largest value of the whole column
        not above it, as C4.5 prints it (which does not separate numbers closer than 1e-5).

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.DecisionTreeClassifier(criterion=ceiba.GainRatio(cuts="value"))
    >>> model.fit([[1], [2], [4], [5]], ["a", "a", "b", "b"]).tree_.splits.cut[0]
    np.float64(2.0)
    """

    cuts: Literal["midpoint", "value"] = parameter(one_of("midpoint", "value"), default="midpoint")


class Chaid(OptionObject):
    """CHAID's choice of the split: the column whose merged categories differ most significantly.

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


class Surrogates(OptionObject):
    """Surrogate splits for missing values: other columns that send rows the same way (rpart).

    Parameters
    ----------
    keep : int, default=5
        Surrogates kept at each node, best first.
    otherwise : {"majority", "stay"}, default="majority"
        Where no surrogate decides: the row goes to the heavier branch, or stays in the node.
    agreement : {"all", "both"}, default="all"
        Agreement with the split is counted over all rows it places, or only over those with both
        values.

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
        Give levels that are not in the node a branch too: a leaf that answers as its parent does.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.DecisionTreeClassifier(categorical_splits=ceiba.Multiway(empty=True))
    DecisionTreeClassifier(categorical_splits=Multiway(empty=True))
    """

    empty: bool = parameter(boolean, default=False)


class Significance(OptionObject):
    """Split a node only where a column's best split is significant; the smallest p-value wins.

    The p-values allow for the search over the column and, by Bonferroni, over the columns, so
    columns with many levels are not favoured.

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
    """Give the object that a short form stands for; other values as they are."""
    if name == "min_significance" and isinstance(value, float):
        return Significance(level=value)
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
