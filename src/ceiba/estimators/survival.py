"""Survival trees with scikit-learn's API and scikit-survival's targets and method names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np
import numpy.typing as npt
from sklearn.utils.metadata_routing import UNUSED

from ceiba.estimators.decision_tree import DecisionTree
from ceiba.estimators.parameters import PARAMETERS, pop_column
from ceiba.options import init_from_options
from ceiba.survival import SurvivalCurve, concordance
from ceiba.table import read_target
from ceiba.table.scanning import is_beyond_memory
from ceiba.table.targets import split_survival
from ceiba.task import Task
from ceiba.tree import Tree, node_curve

if TYPE_CHECKING:
    from ceiba.estimators.parameter_types import SurvivalParameters


@init_from_options(PARAMETERS[Task.SURVIVAL].values())
class DecisionTreeSurvival(DecisionTree):
    """A survival tree for right-censored times.

    Leaves predict a relative hazard: how often events happen there compared with all training rows,
    whose hazard is 1. Higher is worse. Every node has its Kaplan-Meier counts.

    The log-rank test prefers branches of few rows with early events, even of one row: set
    `min_samples_leaf` or `min_events_leaf`.

    X can be numpy, scipy.sparse, pandas, polars, Arrow or a dict of lists, without encoding, as in
    `DecisionTreeClassifier`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only when X has names.
    n_outputs_ : int
    max_features_ : int
    unique_times_ : ndarray
        Distinct event times of the training rows, and their last time.
    feature_importances_ : ndarray of shape (n_features_in_,)
    n_rows_dropped_ : int
        Rows dropped by `drop_missing_target`.
    pruning_table_ : Listing
        With `prune`: the steps of the pruning sequence and the chosen one.
    alpha_ : float
        With cost-complexity pruning: the chosen cost per leaf.
    unpruned_tree_, cross_validation_ : Tree, CrossValidation
        With `keep_unpruned=True` in the pruning object.

    Examples
    --------
    >>> import ceiba
    >>> frame = {"age": [40, 45, 50, 60, 65, 70], "weeks": [9, 8, 9, 3, 2, 4],
    ...          "died": [0, 1, 0, 1, 1, 1]}
    >>> model = ceiba.DecisionTreeSurvival(max_depth=1).fit(frame, ("weeks", "died"))
    >>> model.predict({"age": [41, 66]}).round(2).tolist()
    [0.52, 1.86]
    """

    _task: ClassVar[Task] = Task.SURVIVAL
    __metadata_request__fit: ClassVar = {
        "check_input": UNUSED, "checkpoint": UNUSED, "drop_missing_target": UNUSED, "event": UNUSED
    }  # fmt: skip

    if TYPE_CHECKING:

        def __init__(self, **parameters: Unpack[SurvivalParameters]) -> None: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.target_tags.multi_output = False
        return tags

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        check_input: bool = True,
        groups: Any = None,
        checkpoint: Any = None,
        frequency: Any = None,
        drop_missing_target: bool = False,
        event: Any = None,
    ) -> Self:
        """Fit a survival tree to training rows.

        Parameters
        ----------
        X, sample_weight, check_input, groups, checkpoint, frequency
            As in `DecisionTreeClassifier.fit`.
        y : structured array, array-like of shape (n_rows, 2) or (n_rows,), str or pair of str
            Times, and whether the event was observed (True, 1) or the row is censored (False, 0):
            a structured array with a boolean field and one of numbers, as in scikit-survival; two
            columns, time and event, or their names in X; "Surv(time, status)" with the names of
            columns, which also takes 1 for censored and 2 for the event, as R does. One column:
            all events are observed.
        drop_missing_target : bool, default=False
            Drop rows without a time or event; `n_rows_dropped_` is their number.
        event : object, default=None
            The code of an observed event, if events are not coded as 0 and 1.

        Returns
        -------
        self

        Examples
        --------
        >>> import ceiba
        >>> frame = {"dose": [1, 1, 2, 2, 9, 9], "weeks": [1, 2, 2, 3, 8, 9],
        ...          "status": ["dead", "dead", "dead", "alive", "dead", "alive"]}
        >>> model = ceiba.DecisionTreeSurvival().fit(frame, ("weeks", "status"), event="dead")
        >>> bool(model.predict({"dose": [1]})[0] > model.predict({"dose": [9]})[0])
        True
        """
        # If X is not a table in memory, `open_problem` reads the target columns.
        X, y = (X, (y, event)) if is_beyond_memory(X) else split_survival(X, y, event)
        return super().fit(
            X, y, sample_weight, check_input, groups, checkpoint, frequency, drop_missing_target
        )

    def _set_fitted(self, tree: Tree) -> None:
        super()._set_fitted(tree)
        self.__dict__.pop("unique_times_", None)
        if tree.attachments is not None and "survival" in tree.attachments:
            self.unique_times_ = node_curve(tree, 0).time

    def score(self, X: Any, y: Any, sample_weight: Any = None, event: Any = None) -> float:
        """Return Harrell's concordance index on rows with known times.

        Parameters
        ----------
        X : table
            Rows, or a frame that contains the target if `y` contains its names.
        y, event
            As in `fit`.
        sample_weight : array-like or str, default=None

        Returns
        -------
        float
            Share of comparable pairs whose earlier event has the higher prediction (ties: 1/2).

        Examples
        --------
        >>> import ceiba
        >>> frame = {"x": [1, 2, 3, 4], "time": [4, 3, 2, 1], "died": [1, 1, 1, 1]}
        >>> model = ceiba.DecisionTreeSurvival().fit(frame, ("time", "died"))
        >>> model.score(frame, ("time", "died"))
        1.0
        """
        X, sample_weight = pop_column(X, sample_weight)
        X, y = split_survival(X, y, event)
        answers = self.predict(X)
        time, status = read_target(y, task=self._task, n_rows=len(answers)).values.T
        return concordance(time, status, answers, sample_weight).value

    def predict_survival_function(self, X: Any, return_array: bool = False) -> npt.NDArray[Any]:
        """Return the Kaplan-Meier curve of each row's leaf.

        Parameters
        ----------
        X : table
        return_array : bool, default=False
            Return probabilities at `unique_times_` instead of functions.

        Returns
        -------
        ndarray of StepFunction of shape (n_rows,), or of float of shape (n_rows, n_times)

        Examples
        --------
        >>> import ceiba
        >>> frame = {"x": [1, 1, 9, 9], "time": [1, 2, 5, 6], "died": [1, 1, 1, 0]}
        >>> model = ceiba.DecisionTreeSurvival().fit(frame, ("time", "died"))
        >>> model.predict_survival_function({"x": [9]})[0]([4, 5]).tolist()
        [1.0, 0.5]
        """
        return self._predict_functions(X, "survival", return_array)

    def predict_cumulative_hazard_function(
        self, X: Any, return_array: bool = False
    ) -> npt.NDArray[Any]:
        """Return the Nelson-Aalen cumulative hazard of each row's leaf.

        Parameters
        ----------
        X, return_array
            As in `predict_survival_function`.

        Returns
        -------
        ndarray of StepFunction of shape (n_rows,), or of float of shape (n_rows, n_times)
        """
        return self._predict_functions(X, "hazard", return_array)

    def predict_median(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the median survival time of each row's leaf, or infinity if it is not reached.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_rows,)

        Examples
        --------
        >>> import ceiba
        >>> frame = {"x": [1, 1, 1, 9, 9], "time": [1, 2, 3, 8, 9], "died": [1, 1, 1, 1, 0]}
        >>> model = ceiba.DecisionTreeSurvival(max_depth=1).fit(frame, ("time", "died"))
        >>> model.predict_median({"x": [1]}).tolist()
        [2.0]
        """
        return self.predict_quantiles(X, [0.5])[:, 0]

    def predict_quantiles(
        self, X: Any, levels: npt.ArrayLike = (0.25, 0.5, 0.75)
    ) -> npt.NDArray[np.float64]:
        """Return quantiles of the survival time from the Kaplan-Meier curve of each row's leaf.

        Parameters
        ----------
        X : table
        levels : array-like of float, default=(0.25, 0.5, 0.75)
            Shares between 0 and 1.

        Returns
        -------
        ndarray of shape (n_rows, n_levels)
            Infinite where a share is not reached.
        """
        shares = np.asarray(levels, dtype=np.float64).tolist()
        return self._predict_from_curves(
            X, lambda curve: [curve.quantile(share).value for share in shares], np.float64
        )

    def predict_restricted_mean(
        self, X: Any, horizon: float | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the restricted mean survival time of each row's leaf, up to a horizon.

        Parameters
        ----------
        X : table
        horizon : float, default=None
            Times above it count as the horizon. None is the last time of the training rows.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        end = self.unique_times_[-1] if horizon is None else horizon
        return self._predict_from_curves(
            X, lambda curve: curve.restricted_mean(end).value, np.float64
        )

    def _predict_functions(self, X: Any, kind: str, return_array: bool) -> npt.NDArray[Any]:
        def predict(curve: SurvivalCurve) -> Any:
            function = curve.step_function(kind)
            return function(self.unique_times_) if return_array else [function]

        functions = self._predict_from_curves(X, predict, np.float64 if return_array else object)
        return functions if return_array else functions[:, 0]

    def _predict_from_curves(
        self, X: Any, predict: Callable[[SurvivalCurve], Any], dtype: Any
    ) -> npt.NDArray[Any]:
        """Call `predict` with the survival curve of each leaf; return the result for each row."""
        leaves, inverse = np.unique(self.apply(X), return_inverse=True)
        rows = [predict(node_curve(self._tree, leaf)) for leaf in leaves.tolist()]
        return np.array(rows, dtype=dtype)[inverse]
