"""chaid(): trees by chi-square tests (Kass 1980; Biggs, de Ville and Suen 1991).

Every node is split by the column that depends on the target most significantly, after its
categories were merged into groups that differ; the p-values pay for the merging (Bonferroni). The
tree stops where nothing is significant, so there is no pruning. `chaid_merge.py` has the rules.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, Self

import numpy as np

from ceiba.errors import OptionError
from ceiba.estimators.classifier import DecisionTreeClassifier
from ceiba.estimators.recipes.chaid_grow import ChaidChooser, SplitNote
from ceiba.estimators.regressor import DecisionTreeRegressor
from ceiba.grow.checks import Check, boolean, check_options, integer, nothing, number, one_of
from ceiba.grow.planting import plant
from ceiba.prune import Listing
from ceiba.table import Table

__all__ = ["ChaidClassifier", "ChaidRegressor", "chaid"]

_ALLOWED: Final[dict[str, tuple[Check, ...]]] = {
    "alpha_merge": (number(0.0, 1.0, "[]"),),
    "alpha_split": (number(0.0, 1.0, "[]"),),
    "statistic": (one_of("pearson", "likelihood_ratio"),),
    "max_bins": (integer(2),),
    "max_depth": (integer(1), nothing),
    "min_samples_split": (integer(2),),
    "min_samples_leaf": (integer(1),),
    "unseen": (one_of("majority", "missing", "error"),),
    "frequency_weights": (boolean,),
}


class _Chaid:
    """What both estimators share."""

    _task: ClassVar[Any]
    frequency_weights: bool

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        given = self.get_params(deep=False)  # type: ignore[attr-defined]
        check_options(given, _ALLOWED, type(self).__name__)
        stated = {"categorical_features": given["categorical_features"]}
        table, target, weight = self._read_training(  # type: ignore[attr-defined]
            X, y, sample_weight, stated
        )
        if target.info.n_outputs > 1:
            raise OptionError(
                f"chaid() needs a target with one output; this one has {target.info.n_outputs}. "
                "Fit one tree per output."
            )
        counted = weight if given["frequency_weights"] else None
        chooser = ChaidChooser(table, target, counted, options=given)
        rows = np.arange(table.n_rows) if weight is None else np.flatnonzero(weight > 0)
        classes = self._task == "classification"
        tree, notes = plant(
            table,
            target,
            chooser,
            weight=weight,
            rows=rows,
            criterion="gini" if classes else "squared_error",
            unseen=given["unseen"],
        )
        self._keep(tree)  # type: ignore[attr-defined]
        self._keep_pruning(None)  # type: ignore[attr-defined]
        self.split_table_ = _listing(table, notes, chooser)

    def _takes_many_outputs(self) -> bool:
        return False


def _listing(table: Table, notes: dict[int, SplitNote], chooser: ChaidChooser) -> Listing:
    nodes = sorted(notes)
    tests = [notes[node].merged.test for node in nodes]
    figures: dict[str, Any] = {
        "node": np.array(nodes, np.int64),
        "column": [table.schema.names[notes[node].column] for node in nodes],
        "statistic": np.array([test.statistic for test in tests], np.float64),
        "df": [test.df[0] if len(test.df) == 1 else test.df for test in tests],
        "p_value": np.array([test.p_value for test in tests], np.float64),
        "multiplier": np.array([notes[node].merged.multiplier for node in nodes], np.float64),
        "adjusted_p_value": np.array([notes[node].merged.p_value for node in nodes], np.float64),
        "groups": [_in_words(table, chooser, notes[node]) for node in nodes],
    }
    name = {"f": "F", "pearson": "chi-square", "likelihood_ratio": "likelihood ratio"}
    legend = (
        f"statistic: {name[chooser.statistic]} of the groups; adjusted_p_value: p_value times the "
        "multiplier, the number of ways to make so many groups (Bonferroni)"
    )
    return Listing(figures, title="splits", legend=legend)


def _in_words(table: Table, chooser: ChaidChooser, note: SplitNote) -> str:
    info, column = table.columns[note.column].info, chooser.columns[note.column]

    def name(code: int) -> str:
        if code < 0:
            return "missing"
        if column.cuts is None:
            return str(info.levels[code])
        low = "" if code == 0 else f"{column.cuts[code - 1]:.6g} < "
        high = "" if code == len(column.cuts) else f" <= {column.cuts[code]:.6g}"
        return f"{low}x{high}"

    return " | ".join(", ".join(map(name, group)) for group in note.groups)


class ChaidClassifier(_Chaid, DecisionTreeClassifier):
    """A classification tree by CHAID; see `chaid`.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.chaid(min_samples_split=2, min_samples_leaf=1)
    >>> weather = ["sun"] * 10 + ["cloud"] * 10 + ["rain"] * 10
    >>> model.fit({"weather": weather}, ["dry"] * 19 + ["wet"] * 11).get_n_leaves()
    2
    >>> print(model.split_table_["groups"][0])
    cloud, sun | rain
    """

    _task: ClassVar[Any] = "classification"

    def __init__(
        self,
        *,
        alpha_merge: float = 0.05,
        alpha_split: float = 0.05,
        statistic: str = "pearson",
        max_bins: int = 10,
        max_depth: int | None = None,
        min_samples_split: int = 20,
        min_samples_leaf: int = 7,
        categorical_features: Any = "from_dtype",
        unseen: str = "majority",
        frequency_weights: bool = False,
    ) -> None:
        self.alpha_merge = alpha_merge
        self.alpha_split = alpha_split
        self.statistic = statistic
        self.max_bins = max_bins
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.frequency_weights = frequency_weights

    def _unpruned(self) -> Self:
        raise OptionError("CHAID stops by its tests and has no pruning path.")


class ChaidRegressor(_Chaid, DecisionTreeRegressor):
    """A regression tree by CHAID: groups differ by the F test; see `chaid`.

    Examples
    --------
    >>> import ceiba
    >>> model = ceiba.chaid(task="regression", alpha_merge=0.01)
    >>> level, y = ["a", "b", "c"] * 10, [1.0, 1.1, 7.0, 1.1, 1.0, 7.2] * 5
    >>> model.fit({"level": level}, y).get_n_leaves()
    2
    """

    _task: ClassVar[Any] = "regression"

    def __init__(
        self,
        *,
        alpha_merge: float = 0.05,
        alpha_split: float = 0.05,
        max_bins: int = 10,
        max_depth: int | None = None,
        min_samples_split: int = 20,
        min_samples_leaf: int = 7,
        categorical_features: Any = "from_dtype",
        unseen: str = "majority",
        frequency_weights: bool = False,
    ) -> None:
        self.alpha_merge = alpha_merge
        self.alpha_split = alpha_split
        self.max_bins = max_bins
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.categorical_features = categorical_features
        self.unseen = unseen
        self.frequency_weights = frequency_weights

    def _unpruned(self) -> Self:
        raise OptionError("CHAID stops by its tests and has no pruning path.")


def chaid(
    *, task: Literal["classification", "regression"] = "classification", **parameters: Any
) -> ChaidClassifier | ChaidRegressor:
    """Make an estimator that grows by CHAID.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"
    alpha_merge : float, default=0.05
        Two categories are merged while the p-value of their difference is above this.
    alpha_split : float, default=0.05
        A node is split while the adjusted p-value of its best column is at most this.
    statistic : {"pearson", "likelihood_ratio"}, default="pearson"
        The chi-square of classification; regression has the F test.
    max_bins : int, default=10
        Columns of numbers are cut into at most so many bins of about equal size first.
    max_depth : int, default=None
        Most splits between the root and a leaf; several cuts of one column count once.
    min_samples_split, min_samples_leaf : int, default=20 and 7
        Rows that a node needs to be split, and that each group needs.
    categorical_features, unseen, frequency_weights
        As in `DecisionTreeClassifier`. p-values count rows, or weights if these are frequencies.

    Returns
    -------
    ChaidClassifier or ChaidRegressor
        Fitted, it has `split_table_`: column, groups, statistic, degrees of freedom, p-value,
        multiplier and adjusted p-value of each split.

    Examples
    --------
    >>> import ceiba
    >>> ceiba.chaid(task="regression").max_bins
    10
    """
    check_options({"task": task}, {"task": (one_of("classification", "regression"),)}, "chaid")
    kind = ChaidClassifier if task == "classification" else ChaidRegressor
    return kind(**parameters)
