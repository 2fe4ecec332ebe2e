"""What every fitted estimator does: reading rows, predicting, scikit-learn's attributes and tags.

Estimators are thin: all that can be done with a fitted one can be done with its `tree_`. Rows
take a short cut (no `validate_data`): the rules and messages of scikit-learn's input checks are
followed by hand.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metadata_routing import UNUSED

from ceiba.criteria import Task
from ceiba.errors import CeibaWarning
from ceiba.estimators.beyond_memory.predicting import in_batches, lazily
from ceiba.estimators.by_hand.editing import EditingMethods
from ceiba.estimators.methods import EstimatorMethods
from ceiba.estimators.weights import taken_out
from ceiba.grow import n_threads, resolve_max_features
from ceiba.table import Scan, Table, is_named_target, read_like, read_target, split_target
from ceiba.table.scanning.lazy import is_dask
from ceiba.tree import Tree
from ceiba.tree.routing import route
from ceiba.tree.routing.one_row import few_rows

_FEW = 4  # rows of a frame that are walked one by one: a table of them costs a hundred times that


def _is_by_name(X: Any) -> bool:
    """Tell whether columns can only be meant by name: a dict of columns, or rows as dicts."""
    if isinstance(X, Mapping):
        return True
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)


class BaseTree(EstimatorMethods, EditingMethods, MultiOutputMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all estimators; not for direct use."""

    # `check_input` is for callers in a hurry, not for pipelines to pass around; a checkpoint is
    # of one fit.
    __metadata_request__fit: ClassVar = {"check_input": UNUSED, "checkpoint": UNUSED}
    __metadata_request__predict: ClassVar = {"check_input": UNUSED}

    _task: ClassVar[Task]

    def _keep(self, tree: Tree) -> None:
        """Set the fitted attributes, under scikit-learn's names."""
        schema = tree.schema
        n_columns = schema.n_columns
        self.tree_ = tree
        self.n_features_in_ = n_columns
        self.n_outputs_ = tree.target.n_outputs
        self.__dict__.pop("certificate_", None)
        if tree.certificate is not None:
            self.certificate_ = tree.certificate
        self.max_features_ = resolve_max_features(self.__dict__.get("max_features"), n_columns)
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif "feature_names_in_" in self.__dict__:
            del self.feature_names_in_

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
            Of a dask DataFrame or Array: a dask Series or Array, computed when asked for.
        """
        tree = self._fitted()
        if isinstance(X, Scan):
            return in_batches(self.predict, X, tree)
        if type(X) is not np.ndarray and is_dask(X):
            return lazily(self.predict, X, tree, tree._label_table.dtype)  # type: ignore[no-any-return]
        few = None if type(X) is np.ndarray else self._few(tree, X)
        if few is not None:
            return np.asarray(tree._label_table[few])
        table = self._rows(X, check_input)
        return route.predict(tree, table, n_threads=self._threads(table))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the accuracy, or R2, on rows with a known answer.

        Parameters
        ----------
        X : table
            Rows; or a frame that holds the target, with its name as `y`.
        y : array-like, str or list of str
        sample_weight : array-like or str, default=None
            Weights, or the column of X that holds them.

        Returns
        -------
        float

        Examples
        --------
        >>> import ceiba
        >>> frame = {"clouds": [8, 7, 1, 0], "RAIN": ["yes", "yes", "no", "no"]}
        >>> ceiba.DecisionTreeClassifier().fit(frame, "RAIN").score(frame, "RAIN")
        1.0
        """
        X, sample_weight = taken_out(X, sample_weight)
        if is_named_target(X, y):
            X, y = split_target(X, y)
            y = np.stack(list(y.values()), axis=1) if isinstance(y, dict) else y
        if is_dask(X):
            from sklearn.metrics import accuracy_score, r2_score

            measure = accuracy_score if self._task == "classification" else r2_score
            answers = np.asarray(self.predict(X))
            weights = None if sample_weight is None else np.asarray(sample_weight)
            return float(measure(np.asarray(y), answers, sample_weight=weights))
        mixin: Any = ClassifierMixin if self._task == "classification" else RegressorMixin
        return float(mixin.score(self, X, y, sample_weight=sample_weight))

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
        if isinstance(X, Scan):
            return in_batches(self.apply, X, tree)
        if is_dask(X):
            return lazily(self.apply, X, tree, np.dtype(np.intp))  # type: ignore[no-any-return]
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

    # ------------------------------------------------------------------ inside

    def _fitted(self) -> Tree:
        tree: Tree | None = self.__dict__.get("tree_")
        if tree is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return tree

    def _few(self, tree: Tree, X: Any) -> list[int] | None:
        """Give the leaves of a pandas frame of a few rows, past the reading of tables."""
        if not tree.schema.named or not type(X).__module__.startswith("pandas"):
            return None
        if getattr(X, "ndim", 0) != 2 or not 0 < len(X) <= _FEW:
            return None
        return few_rows(tree, X, tree.schema.names)

    def _rows(self, X: Any, check_input: bool = True) -> Table:
        """Read rows by the schema of the fitted table, under scikit-learn's rules of names."""
        tree = self.tree_
        unseen: Literal["error", "keep"] = "error" if tree.unseen == "error" else "keep"
        match: Literal["position", "order", "name"] = "position" if check_input else "order"
        if type(X) is not np.ndarray and (  # arrays go past, in microseconds
            _is_by_name(X) or (check_input and self.__dict__.get("match_columns") == "name")
        ):
            match = "name"
        return read_like(X, tree.schema, match=match, unseen=unseen, owner=type(self).__name__)

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
        tags.input_tags.sparse = self._takes_sparse()
        tags.target_tags.multi_output = self._takes_many_outputs()
        return tags

    def _takes_many_outputs(self) -> bool:
        return True

    def _takes_sparse(self) -> bool:
        return False

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
