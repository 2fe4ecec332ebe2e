"""What both estimators share: parameters -> options -> grow -> prune -> `tree_`, and reading rows.

Estimators are thin: all that can be done with a fitted one can be done with its `tree_`. The way
from `fit` to the core is kept short (no `validate_data`): a fit of iris spends microseconds here.
The rules and messages of scikit-learn's input checks are followed by hand.
"""

from __future__ import annotations

import inspect
import warnings
from importlib.metadata import version
from itertools import compress
from operator import is_not
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MultiOutputMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import Bunch, column_or_1d
from sklearn.utils.metadata_routing import UNUSED

from ceiba.criteria import TEST_CRITERIA
from ceiba.errors import CeibaWarning, DataError
from ceiba.estimators.methods import EstimatorMethods
from ceiba.estimators.parameters import check_stated, grow_options, warn_of_idle_split
from ceiba.estimators.weights import class_weights
from ceiba.grow import Problem, n_threads, resolve_max_features
from ceiba.grow.significance.grower import SignificanceProblem
from ceiba.prune import Pruned, prune_tree, pruning_path, read_pruning
from ceiba.table import (
    Table,
    Target,
    present_rows,
    read,
    read_like,
    read_target,
    read_weights,
    split_target,
)
from ceiba.tree import Tree
from ceiba.tree.routing import route

if TYPE_CHECKING:
    from ceiba.criteria import Task

__all__ = ["BaseTree"]


class BaseTree(EstimatorMethods, MultiOutputMixin, BaseEstimator):  # type: ignore[misc]
    """Base of both estimators; not for direct use."""

    # `check_input` is for callers in a hurry, not for pipelines to pass around.
    __metadata_request__fit: ClassVar = {"check_input": UNUSED}
    __metadata_request__predict: ClassVar = {"check_input": UNUSED}

    _task: ClassVar[Task]
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # Ours only: a user's subclass may have other defaults, which are then stated values.
        if "_task" in cls.__dict__:
            parameters = inspect.signature(cls.__init__).parameters.values()
            cls._defaults = {
                parameter.name: parameter.default
                for parameter in parameters
                if parameter.default is not inspect.Parameter.empty
            }

    # ------------------------------------------------------------------ fit

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        problem, stated = self._read_problem(X, y, sample_weight)
        warn_of_idle_split(stated, problem.n_rows)
        pruning = read_pruning(stated.get("prune"))
        pruned = None
        if pruning is not None:
            pruned = pruning.fit(problem)
            tree = pruned.tree
        else:
            tree = problem.grow()
            if stated.get("ccp_alpha", 0.0) > 0:
                tree = prune_tree(tree, stated["ccp_alpha"], risk="impurity")
        self._keep(tree)
        self._keep_pruning(pruned)

    def _read_problem(self, X: Any, y: Any, sample_weight: Any) -> tuple[Problem, dict[str, Any]]:
        """Give data and options of growing, and the parameters that are not at their default."""
        stated = self._stated()
        check_stated(stated, self._task, type(self).__name__)
        table, target, weight = self._read_training(X, y, sample_weight, stated)
        if stated.get("class_weight") is not None:
            per_class = class_weights(stated["class_weight"], target)
            weight = per_class if weight is None else weight * per_class
        options = grow_options(stated, self._task)
        kind = Problem if options.min_significance is None else SignificanceProblem
        return kind(table, target, options, weight), stated

    def _stated(self) -> dict[str, Any]:
        """Give the parameters that are not at their default, by name."""
        mine, defaults = self.__dict__, self._defaults
        values = map(mine.get, defaults, defaults.values())
        stated = compress(defaults, map(is_not, values, defaults.values()))
        return {name: mine[name] for name in stated}

    def _keep(self, tree: Tree) -> None:
        """Set the fitted attributes, under scikit-learn's names."""
        schema = tree.schema
        n_columns = schema.n_columns
        self.tree_ = tree
        self.n_features_in_ = n_columns
        self.n_outputs_ = tree.target.n_outputs
        self.max_features_ = resolve_max_features(self.__dict__.get("max_features"), n_columns)
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif "feature_names_in_" in self.__dict__:
            del self.feature_names_in_

    def _keep_pruning(self, pruned: Pruned | None) -> None:
        """Set what the pruning left behind, and nothing of an earlier fit."""
        mine = self.__dict__
        found = {
            "pruning_table_": pruned and pruned.table,
            "alpha_": pruned and pruned.alpha,
            "unpruned_tree_": pruned and pruned.unpruned,
            "cross_validation_": pruned and pruned.cross_validation,
        }
        for name, value in found.items():
            if value is not None:
                mine[name] = value
            elif name in mine:
                del mine[name]

    # ------------------------------------------------------------------ predict

    def predict(self, X: Any, check_input: bool = True) -> npt.NDArray[Any]:
        """Predict the class (of least expected cost) or the value of each row.

        Parameters
        ----------
        X : table
            Rows with the columns of the table that was fitted.
        check_input : bool, default=True
            False leaves out the check of the column names.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
        """
        tree = self._fitted()
        table = self._rows(X, check_input)
        return route.predict(tree, table, n_threads=self._threads(table))

    def apply(self, X: Any, check_input: bool = True) -> npt.NDArray[np.intp]:
        """Give the id of the node (a leaf, mostly) in which each row ends.

        Parameters
        ----------
        X : table
        check_input : bool, default=True

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        tree = self._fitted()
        table = self._rows(X, check_input)
        return route.apply(tree, table, n_threads=self._threads(table)).astype(np.intp)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """Give the nodes that each row passes through.

        Parameters
        ----------
        X : table
        check_input : bool, default=True

        Returns
        -------
        sparse matrix of shape (n_rows, n_nodes)
            CSR, 1 where the row passes.
        """
        tree = self._fitted()
        return route.decision_path(tree, self._rows(X, check_input))

    # ------------------------------------------------------------------ the tree

    def get_depth(self) -> int:
        """Give the depth of the tree: most questions between the root and a leaf."""
        return self._fitted().depth

    def get_n_leaves(self) -> int:
        """Give the number of leaves."""
        return self._fitted().n_leaves

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Grow a tree and give the alphas at which `ccp_alpha` would shorten it.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        Bunch
            `ccp_alphas`, and `impurities`: the impurity of the leaves at each.
        """
        model = self._unpruned().fit(X, y, sample_weight=sample_weight)
        ccp_alphas, impurities = pruning_path(model.tree_)
        return Bunch(ccp_alphas=ccp_alphas, impurities=impurities)

    # ------------------------------------------------------------------ inside

    def _unpruned(self) -> Any:
        """Give an unfitted copy that grows the whole tree."""
        return clone(self).set_params(ccp_alpha=0.0, prune=None)

    def _fitted(self) -> Tree:
        tree: Tree | None = self.__dict__.get("tree_")
        if tree is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return tree

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, stated: dict[str, Any]
    ) -> tuple[Table, Target, npt.NDArray[np.float64] | None]:
        name = None
        if isinstance(y, str):
            name, (X, y) = y, split_target(X, y)
        if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 and not self._takes_many_outputs():
            y = column_or_1d(y, warn=True)
        table = read(X, categorical_features=stated.get("categorical_features", "from_dtype"))
        weight = read_weights(sample_weight, table.n_rows)
        if stated.get("drop_missing_target"):
            present = present_rows(y)
            name = name or _name_of(y)
            self.n_rows_dropped_ = int(len(present) - np.count_nonzero(present))
            if self.n_rows_dropped_:
                _check_lengths(table.n_rows, len(present))
                table, y = table.take(present), np.asarray(y, dtype=object)[present]
                weight = None if weight is None else weight[present]
        target = read_target(y, task=self._task, n_rows=table.n_rows, name=name)
        return table, target, weight

    def _rows(self, X: Any, check_input: bool = True) -> Table:
        """Read rows by the schema of the fitted table, under scikit-learn's rules of names."""
        tree = self.tree_
        unseen: Literal["error", "keep"] = "error" if tree.unseen == "error" else "keep"
        return read_like(X, tree.schema, unseen=unseen, owner=type(self).__name__)

    def _truth(self, y: Any, n_rows: int) -> npt.NDArray[Any]:
        """Read a target as labels or numbers of shape (n_rows, n_outputs)."""
        target = read_target(y, task=self._task, n_rows=n_rows)
        if self._task == "regression":
            return target.values
        columns = [classes[target.values[:, k]] for k, classes in enumerate(target.info.classes)]
        return np.stack(columns, axis=1)

    def _threads(self, table: Table) -> int:
        return n_threads(self.__dict__.get("n_jobs"), table.n_rows * table.n_columns)

    # ------------------------------------------------------------------ scikit-learn

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.multi_output = self._takes_many_outputs()
        return tags

    def _takes_many_outputs(self) -> bool:
        mine = self.__dict__
        alone = {"gain_ratio", *TEST_CRITERIA}
        return mine.get("criterion") not in alone and mine.get("missing") != "surrogate"

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_ceiba_version": version("ceiba")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved, running = state.pop("_ceiba_version", None), version("ceiba")
        if saved != running:
            warnings.warn(
                f"This {type(self).__name__} was pickled by ceiba {saved} and is loaded by ceiba "
                f"{running}; it may not work as before. Fit it again, or save its tree as a "
                "model file, which stays readable.",
                CeibaWarning,
                stacklevel=2,
            )
        super().__setstate__(state)


def _name_of(y: Any) -> str | None:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else None


def _check_lengths(n_rows: int, n_targets: int) -> None:
    if n_rows != n_targets:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {n_targets}]. "
            f"X has {n_rows} rows, y has {n_targets}; every row needs one target, or None."
        )
