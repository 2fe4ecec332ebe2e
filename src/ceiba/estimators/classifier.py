"""Classification trees with scikit-learn's API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.metadata_routing import UNUSED

from ceiba.estimators.base import BaseTree
from ceiba.estimators.decision_tree import DecisionTree
from ceiba.estimators.parameters import PARAMETERS
from ceiba.options import init_from_options
from ceiba.table.scanning import is_dask, is_on_gpu
from ceiba.task import Task
from ceiba.tree import Tree
from ceiba.tree.routing import route

if TYPE_CHECKING:
    from ceiba.estimators.parameter_types import ClassifierParameters


class TreeClassifier(ClassifierMixin, BaseTree):  # type: ignore[misc]
    """Base class of the classifiers; do not use it directly."""

    __metadata_request__predict_proba: ClassVar = {"check_input": UNUSED}

    score = BaseTree.score  # unlike ClassifierMixin.score, also accepts a column name as y
    _task: ClassVar[Task] = Task.CLASSIFICATION

    def _set_fitted(self, tree: Tree) -> None:
        super()._set_fitted(tree)
        classes = tree.target.classes
        self.classes_: Any = classes[0] if len(classes) == 1 else list(classes)
        sizes = [len(labels) for labels in classes]
        self.n_classes_: Any = sizes[0] if len(sizes) == 1 else np.array(sizes, dtype=np.intp)

    def predict_proba(
        self, X: Any, check_input: bool = True
    ) -> npt.NDArray[np.float64] | list[npt.NDArray[np.float64]]:
        """Return the class probabilities of each row, adjusted for `class_prior`.

        Parameters
        ----------
        X : table
        check_input : bool, default=True

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or list of n_outputs such arrays
            For a dask DataFrame: a lazy dask DataFrame with a column per class; for a dask Array: a
            lazy dask Array.
        """
        tree = self._tree
        if is_dask(X):
            from ceiba.estimators.beyond_memory import map_lazily

            labels = self.classes_.tolist()
            return map_lazily(self.predict_proba, X, tree, np.dtype(float), labels)  # type: ignore[no-any-return]
        if type(X) is not np.ndarray and is_on_gpu(X):
            from ceiba.shards.homes import gpu

            return gpu.take_values(tree, tree.value[:, 0, :], X)  # type: ignore[no-any-return]
        if type(X) is np.ndarray:
            if X.size == tree.schema.n_columns and tree.n_outputs == 1:
                node = tree._single_row_router(X)
                if node >= 0:
                    return np.array(tree.value[node : node + 1, 0, :])
        elif tree.n_outputs == 1 and (few := self._route_few_rows(tree, X)) is not None:
            return np.asarray(tree.value[few, 0, :])
        table = self._read_rows(X, check_input)
        return route.predict_proba(tree, table, n_threads=self._threads(table))

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64] | list[npt.NDArray[np.float64]]:
        """Return the logarithms of the class probabilities of each row.

        Parameters
        ----------
        X : table

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or list of n_outputs such arrays
        """
        proba = self.predict_proba(X)
        # As in scikit-learn, the logarithm of 0 is -inf.
        with np.errstate(divide="ignore"):
            return [np.log(p) for p in proba] if isinstance(proba, list) else np.log(proba)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output
        tags.classifier_tags.multi_class = self.__dict__.get("monotonic_cst") is None
        return tags


@init_from_options(PARAMETERS[Task.CLASSIFICATION].values())
class DecisionTreeClassifier(TreeClassifier, DecisionTree):
    """A decision tree classifier with scikit-learn's parameters and further options.

    X can be numpy, scipy.sparse, pandas, polars, Arrow or a dict of lists, without encoding:
    strings and categories are split by level sets, and missing values are supported. Ties go to the
    first column, then the lowest cut, so a tree needs no seed.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    tree_ : Tree
        The fitted tree, which can be printed.
    classes_ : ndarray of shape (n_classes,) or list of ndarray
    n_classes_ : int or ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only when X has names.
    n_outputs_ : int
    max_features_ : int
    feature_importances_ : ndarray of shape (n_features_in_,)
    n_rows_dropped_ : int
        Rows dropped by `drop_missing_target`.
    pruning_table_ : Listing
        With `prune`: the steps of the pruning sequence (or the tests) and the chosen one.
    alpha_ : float
        With cost-complexity pruning: the chosen cost per leaf.
    unpruned_tree_, cross_validation_ : Tree, CrossValidation
        With `keep_unpruned=True` in the pruning object.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> model.get_n_leaves(), round(model.score(X, y), 2)
    (3, 0.96)
    """

    if TYPE_CHECKING:

        def __init__(self, **parameters: Unpack[ClassifierParameters]) -> None: ...
