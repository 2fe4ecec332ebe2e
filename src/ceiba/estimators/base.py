"""Base class of all estimators, with prediction and scikit-learn's attributes and tags.

Rows do not pass through scikit-learn's `validate_data`, which takes longer than a small fit; the
readers follow its rules and messages.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metadata_routing import UNUSED

from ceiba.errors import CeibaWarning, DataTypeError, OptionError
from ceiba.estimators.parameters import ESTIMATORS, pop_column
from ceiba.grow import Alternatives, find_alternatives, resolve_max_features
from ceiba.prune import CostComplexity, choose_other_step
from ceiba.table import Table, read_like, read_target
from ceiba.table.scanning import is_dask, is_on_gpu
from ceiba.table.targets import is_named_target, split_target
from ceiba.task import Task
from ceiba.tree import Tree, TreeMethods
from ceiba.tree.routing import apply_few_rows, n_threads, route

_PAIRS = "$items"
PRUNING_ATTRS = (
    "pruning_table_", "alpha_", "unpruned_tree_", "cross_validation_", "leaf_strength_"
)  # fmt: skip
_FEW_ROWS = 4  # pandas frames of at most this many rows skip the slow conversion to a table


def has_named_columns(X: Any) -> bool:
    """Whether X is a dict of columns or a list of dicts, which have column names."""
    if isinstance(X, Mapping):
        return True
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)


class BaseTree(TreeMethods, MultiOutputMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of all estimators; do not use it directly."""

    # Exclude `check_input` from metadata routing.
    __metadata_request__predict: ClassVar = {"check_input": UNUSED}

    _task: ClassVar[Task]
    _reprune_hint: ClassVar[str] = "Fit with prune=CostComplexity(keep_unpruned=True)."

    def _set_fitted(self, tree: Tree) -> None:
        """Set `tree_` and the fitted attributes that are derived from it."""
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
        """Predict the class with the lowest expected cost (in regression, the value) of each row.

        Parameters
        ----------
        X : table
            Rows with the columns of the table that was fitted.
        check_input : bool, default=True
            False skips the check of the column names.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
            For a dask DataFrame or Array: a lazy dask Series or Array.
        """
        tree = self._tree
        if type(X) is np.ndarray:
            if X.size == tree.schema.n_columns and (node := tree._single_row_router(X)) >= 0:
                return tree._label_table[node : node + 1].copy()
        elif is_dask(X):
            from ceiba.estimators.beyond_memory import map_lazily

            return map_lazily(self.predict, X, tree, tree._label_table.dtype)  # type: ignore[no-any-return]
        elif is_on_gpu(X):
            from ceiba.shards.homes import gpu

            return gpu.take_values(tree, tree._label_table, X)  # type: ignore[no-any-return]
        elif (few := self._route_few_rows(tree, X)) is not None:
            return np.asarray(tree._label_table[few])
        table = self._read_rows(X, check_input)
        return route.predict(tree, table, n_threads=self._threads(table))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy or R2 on rows with a known target.

        Parameters
        ----------
        X : table
            Rows, or a frame that contains the target if `y` is its name.
        y : array-like, str or list of str
        sample_weight : array-like or str, default=None
            Weights, or the name of the column of X that contains them.

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
        X, sample_weight = pop_column(X, sample_weight)
        if is_named_target(X, y):
            X, y = split_target(X, y)
            y = np.stack(list(y.values()), axis=1) if isinstance(y, dict) else y
        answers = self.predict(X)
        if type(X) is not np.ndarray:
            if is_dask(X):  # compute in this process
                answers, y = np.asarray(answers), np.asarray(y)
                sample_weight = None if sample_weight is None else np.asarray(sample_weight)
            elif is_on_gpu(X):
                from ceiba.shards.homes import gpu

                answers, y, sample_weight = map(gpu.to_host, (answers, y, sample_weight))
        # Skip scikit-learn's checks of plain labels, which take longer than a small fit.
        if self._task.has_classes and sample_weight is None and type(y) is np.ndarray and len(y):
            same_type = y.dtype == answers.dtype and y.dtype.kind in "iubU"
            if y.ndim == 1 and same_type and y.shape == answers.shape:
                return float(np.count_nonzero(y == answers) / len(y))
        from sklearn.metrics import accuracy_score, r2_score  # import only when needed

        measures = {Task.CLASSIFICATION: accuracy_score, Task.REGRESSION: r2_score}
        measure = self._task.lookup(measures, "score")
        return float(measure(y, answers, sample_weight=sample_weight))

    def apply(self, X: Any, check_input: bool = True) -> npt.NDArray[np.intp]:
        """Return the id of the node, usually a leaf, in which each row ends.

        Parameters
        ----------
        X : table
        check_input : bool, default=True

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        tree = self._tree
        if is_dask(X):
            from ceiba.estimators.beyond_memory import map_lazily

            return map_lazily(self.apply, X, tree, np.dtype(np.intp))  # type: ignore[no-any-return]
        if type(X) is not np.ndarray and is_on_gpu(X):
            from ceiba.shards.homes import gpu

            return gpu.apply(tree, X)  # type: ignore[no-any-return]
        table = self._read_rows(X, check_input)
        return route.apply(tree, table, n_threads=self._threads(table)).astype(np.intp)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """Return the nodes that each row passes through.

        Parameters
        ----------
        X : table
        check_input : bool, default=True

        Returns
        -------
        sparse matrix of shape (n_rows, n_nodes)
            CSR, 1 where the row passes.
        """
        return route.decision_path(self._tree, self._read_rows(X, check_input))

    # ------------------------------------------------------------------ the tree

    def get_depth(self) -> int:
        """Return the depth of the tree, the largest number of splits on a path."""
        return self._tree.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._tree.n_leaves

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Importance of each column as its share of the total impurity decrease.

        The importances sum to 1, or to 0 without splits. Columns with many values are overrated;
        `sklearn.inspection.permutation_importance` does not have that bias.
        """
        return self.importance()

    def alternatives(
        self, X: Any, y: Any, sample_weight: Any = None, *, within: float = 0.01, k: int = 50
    ) -> Alternatives:
        """Return up to `k` trees whose objective is close to the optimum.

        Parameters
        ----------
        X, y, sample_weight
            The training data, as in `fit`. The model need not be fitted.
        within : float, default=0.01
            The objective of a tree exceeds that of the best by at most this share.
        k : int, default=50
            The largest number of trees.

        Returns
        -------
        Alternatives
            First splits, objectives and agreement with the best tree, which comes first.

        Examples
        --------
        >>> import ceiba
        >>> X, y = [[1, 5], [2, 5], [3, 7], [4, 7]], ["a", "a", "b", "b"]
        >>> model = ceiba.DecisionTreeClassifier(search="optimal", max_depth=1)
        >>> print(model.alternatives(X, y))
        objective  agreement  first question
                0      1.000  x0 <= 2.5
        """
        problem, _ = self._read_problem(X, y, sample_weight)
        return find_alternatives(problem, within=within, k=k)

    # ------------------------------------------------------------------ other trees

    @classmethod
    def from_tree(cls, tree: Tree, **parameters: Any) -> Self:
        """Return a fitted estimator that predicts with an existing tree.

        Parameters
        ----------
        tree : Tree
        **parameters
            Parameters of the estimator, for fitting or regrowing later.

        Returns
        -------
        fitted estimator
            Its `tree_` is the tree itself.

        Examples
        --------
        >>> import ceiba
        >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
        >>> ceiba.DecisionTreeClassifier.from_tree(tree).score({"x": [1, 9]}, ["a", "a"])
        0.5
        """
        if not isinstance(tree, Tree):
            raise DataTypeError(
                f"{cls.__name__}.from_tree requires a Tree, got {type(tree).__name__}. Pass the "
                "tree_ of a fitted model."
            )
        if tree.task != cls._task:
            other = tree.task.lookup(ESTIMATORS, "An estimator")
            raise OptionError(
                f"{cls.__name__}.from_tree does not support a {tree.task} tree. Use "
                f"{other}.from_tree."
            )
        model = cls(**parameters)
        model._set_fitted(tree)
        return model

    def fit_root(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Return a fitted estimator whose tree is only a root, to be grown by hand.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        new fitted estimator
            Its tree is one leaf; continue with `set_split` and `grow_leaves`.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> model = ceiba.DecisionTreeClassifier().fit_root(X, y)
        >>> model.set_split(0, "x <= 2", X, y, levels=0).tree_.n_rows.tolist()
        [4, 2, 2]
        """
        problem, _ = self._read_problem(X, y, sample_weight)
        every = np.arange(problem.n_rows, dtype=np.uint32)
        return self._with_tree(problem.leaf_tree(every, problem.weight))

    def reprune(
        self,
        *,
        alpha: float | None = None,
        cp: float | None = None,
        n_leaves: int | None = None,
        rule: Literal["min", "1se"] | None = None,
    ) -> Self:
        """Return an estimator with another tree of the pruning sequence, without fitting again.

        This prunes the unpruned tree if it is stored (`CostComplexity(keep_unpruned=True)`), else
        the fitted tree, which can only become smaller.

        Parameters
        ----------
        alpha : float, optional
            Cost per leaf.
        cp : float, optional
            Cost per leaf as a share of the root's risk, as in rpart.
        n_leaves : int, optional
        rule : {"min", "1se"}, optional
            Rule for the cross-validated risks of the fit.

        Returns
        -------
        new fitted estimator
            With another `tree_`, `alpha_` and choice in `pruning_table_`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import ceiba
        >>> X, y = load_iris(return_X_y=True)
        >>> pruning = ceiba.CostComplexity(keep_unpruned=True)
        >>> model = ceiba.DecisionTreeClassifier(prune=pruning).fit(X, y)
        >>> model.get_n_leaves(), model.reprune(n_leaves=4).get_n_leaves()
        (7, 4)
        >>> ceiba.DecisionTreeClassifier().fit(X, y).reprune(cp=0.1).get_n_leaves()
        3
        """
        choices = {"alpha": alpha, "cp": cp, "n_leaves": n_leaves, "rule": rule}
        if len(names := [name for name, value in choices.items() if value is not None]) != 1:
            raise OptionError(f"Pass exactly one of alpha, cp, n_leaves and rule, got {names}.")
        tree, state = self._tree, self.__dict__
        unpruned = state.get("unpruned_tree_")
        if cp is not None:
            alpha = cp * float((tree if unpruned is None else unpruned).risk[0])
        larger = (alpha is not None and alpha < state.get("alpha_", alpha)) or (
            n_leaves is not None and "alpha_" in state and n_leaves > tree.n_leaves
        )
        if unpruned is not None:
            pruned = choose_other_step(unpruned, state.get("pruning_table_"), alpha, n_leaves, rule)
        elif rule is not None or larger:
            raise OptionError(
                f"{'A larger tree' if rule is None else 'rule'} requires unpruned_tree_. "
                f"{self._reprune_hint}"
            )
        else:
            pruned = CostComplexity(alpha=alpha, n_leaves=n_leaves).prune(tree)
        model = self._with_tree(pruned.tree, pruning=True)
        model.__dict__["alpha_"] = pruned.alpha
        if pruned.table is not None:
            model.__dict__["pruning_table_"] = pruned.table
        return model

    # ------------------------------------------------------------------ hooks of TreeMethods

    @property
    def _tree(self) -> Tree:
        tree: Tree | None = self.__dict__.get("tree_")
        if tree is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        return tree

    def _with_tree(self, tree: Tree, *, pruning: bool = False) -> Self:
        """Return a copy of the estimator with another tree; `pruning` keeps the pruning results."""
        model: Self = object.__new__(type(self))
        model.__dict__.update(self.__dict__)
        for name in () if pruning else PRUNING_ATTRS:
            model.__dict__.pop(name, None)
        model._set_fitted(tree)
        return model

    def _report_facts(self) -> tuple[Tree, dict[str, Any]]:
        state = self.__dict__
        # A tree that was searched with a penalty need not be a subtree of the unpruned tree.
        unpruned = state.get("unpruned_tree_") if "certificate_" not in state else None
        defaults = inspect.signature(type(self).__init__).parameters
        facts = {
            "pruning": state.get("pruning_table_"),
            "alpha": None if unpruned is None else state.get("alpha_"),
            "parameters": {
                name: repr(value)[:200]
                for name, value in self.get_params(deep=False).items()
                if name not in defaults or repr(value) != repr(defaults[name].default)
            },
            "interaction_cst": getattr(self, "interaction_cst", None),
            "model": type(self).__name__,
        }
        return self._tree if unpruned is None else unpruned, facts

    def _stored_model(self) -> dict[str, Any]:
        from ceiba.estimators.model_file import model_to_json

        return model_to_json(self)

    # ------------------------------------------------------------------ inside

    def _route_few_rows(self, tree: Tree, X: Any) -> list[int] | None:
        """Return the end node of each row of a small pandas frame, or None for other inputs."""
        if not tree.schema.named or not type(X).__module__.startswith("pandas"):
            return None
        if getattr(X, "ndim", 0) != 2 or not 0 < len(X) <= _FEW_ROWS:
            return None
        return apply_few_rows(tree, X, tree.schema.names)

    def _read_rows(self, X: Any, check_input: bool = True) -> Table:
        """Encode rows as in training, and check the column names as scikit-learn does."""
        tree = self.tree_
        unseen: Literal["error", "keep"] = "error" if tree.unseen == "error" else "keep"
        match: Literal["position", "order", "name"] = "position" if check_input else "order"
        if type(X) is not np.ndarray and (  # a numpy array has no names to compare
            has_named_columns(X) or (check_input and self.__dict__.get("_matches_names"))
        ):
            match = "name"
        return read_like(X, tree.schema, match=match, unseen=unseen, owner=type(self).__name__)

    def _truth(self, y: Any, n_rows: int) -> npt.NDArray[Any]:
        """Read a target as labels or numbers of shape (n_rows, n_outputs)."""
        target = read_target(y, task=self._task, n_rows=n_rows)
        if self._task.is_regression("Reading a target"):
            return target.values
        columns = [classes[target.values[:, k]] for k, classes in enumerate(target.info.classes)]
        return np.stack(columns, axis=1)

    def _threads(self, table: Table) -> int:
        return n_threads(self.__dict__.get("n_jobs"), table.n_rows * table.n_columns)

    # ------------------------------------------------------------------ scikit-learn

    def _html_repr(self) -> str:
        """Return the HTML for notebooks, with the fitted tree above the parameters."""
        from sklearn.utils import estimator_html_repr

        parameters: str = estimator_html_repr(self)
        if "tree_" not in self.__dict__:
            return parameters
        folded = f'<details><summary style="cursor:pointer">Parameters</summary>{parameters}'
        return self._notebook_html(type(self).__name__, f"{folded}</details>")

    # Before scikit-learn 1.7, notebooks call the following two methods instead of `_html_repr`.
    _repr_html_inner = _html_repr

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        from sklearn import get_config

        plain = {"text/plain": repr(self)}
        diagram = get_config()["display"] == "diagram"
        return {**plain, "text/html": self._html_repr()} if diagram else plain

    @classmethod
    @cache  # `clone` calls this twice, and inspecting the signature is slow
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()
        return names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = {**super().__getstate__(), "_ceiba_version": version("ceiba")}
        # skops does not support dicts whose keys are tuples, such as pairs of classes.
        return {
            name: {_PAIRS: list(value.items())}
            if isinstance(value, dict) and any(isinstance(key, tuple) for key in value)
            else value
            for name, value in state.items()
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved, running = state.pop("_ceiba_version", None), version("ceiba")
        if saved != running:
            warnings.warn(
                f"This {type(self).__name__} was pickled by ceiba {saved} and is loaded by ceiba "
                f"{running}; it may not work as before. Fit it again, or save its tree as a "
                "model file, which later versions can read.",
                CeibaWarning,
                stacklevel=2,
            )
        super().__setstate__(
            {
                name: dict(value[_PAIRS]) if isinstance(value, dict) and _PAIRS in value else value
                for name, value in state.items()
            }
        )
