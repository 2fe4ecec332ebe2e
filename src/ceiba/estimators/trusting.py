"""Methods by which a fitted estimator is questioned: can it be trusted (`ceiba.trust`).

This file may reach up, by imports inside functions only; the layering test names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ceiba.estimators.one_row import one_row
from ceiba.table import split_target

if TYPE_CHECKING:
    from ceiba.grow import Problem
    from ceiba.table import Table
    from ceiba.tree import Tree
    from ceiba.trust import Counterfactuals, Drift, RivalColumns, ShapleyValues, Stability


class TrustMethods:
    """Methods that check a fitted estimator; mixed into both."""

    if TYPE_CHECKING:

        def _fitted(self) -> Tree: ...
        def apply(self, X: Any, check_input: bool = True) -> Any: ...  # noqa: D102
        def _threads(self, table: Table) -> int: ...
        def _tree_of(self, problem: Problem, stated: dict[str, Any], rows: Any) -> Tree: ...
        def _rows(self, X: Any, check_input: bool = True) -> Table: ...
        def _read_problem(
            self, X: Any, y: Any, sample_weight: Any
        ) -> tuple[Problem, dict[str, Any]]: ...

    def shap_values(
        self, X: Any, *, background: Any = None, interactions: bool = False
    ) -> ShapleyValues | tuple[ShapleyValues, ...]:
        """Give the exact Shapley value of every column for every row.

        Parameters
        ----------
        X : table
            Rows, as in `predict`.
        background : table, optional
            Rows that stand for "unknown" (interventional values). Without it the training shares
            of the branches do (path-dependent values).
        interactions : bool, default=False
            Divide every contribution into main effect and pairs of columns.

        Returns
        -------
        ShapleyValues
            `.values`, `.base_values`, `.to_shap()`; a tuple of them for several outputs.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeRegressor().fit({"x": [1, 2]}, [1.0, 5.0])
        >>> model.shap_values({"x": [9]}).values.tolist()
        [[2.0]]
        """
        from ceiba.trust import shap_values

        tree, table = self._fitted(), self._rows(X)
        others = None if background is None else self._rows(background)
        n_threads = self._threads(table)
        return shap_values(
            tree, table, background=others, interactions=interactions, n_threads=n_threads
        )

    def stability(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        resamples: int = 200,
        share: float = 0.5,
        random_state: int = 0,
    ) -> Stability:
        """Fit again on resamples of the rows, and tell how much the tree changes.

        Parameters
        ----------
        X, y, sample_weight
            What the estimator was fitted on.
        resamples : int, default=200
        share : float, default=0.5
            Share of the rows in each, drawn without replacement.
        random_state : int, default=0

        Returns
        -------
        Stability
            `.nodes`, `.columns`, `.leaves`, `.rows`, `.agreement`, `.n_leaves`; prints and plots.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import ceiba
        >>> X, y = load_iris(return_X_y=True)
        >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
        >>> model.stability(X, y, resamples=20).agreement > 0.9
        True
        """
        from ceiba.trust.stability import stability

        problem, stated = self._read_problem(X, y, sample_weight)
        return stability(
            self._fitted(),
            problem.table,
            lambda rows: self._tree_of(problem, stated, rows),
            resamples=resamples,
            share=share,
            seed=random_state,
            n_threads=self._threads(problem.table),
        )

    def rival_columns(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        node: int = 0,
        folds: int = 10,
        random_state: int = 0,
    ) -> RivalColumns:
        """Force every column in turn at a node, and compare the trees by cross-validation.

        Trees are grown with this estimator's parameters and not pruned.

        Parameters
        ----------
        X, y, sample_weight
            What the estimator was fitted on.
        node : int, default=0
        folds : int, default=10
        random_state : int, default=0

        Returns
        -------
        RivalColumns
            `.table`, `.trees`; prints and plots.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import ceiba
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
        >>> table = model.rival_columns(X, y, folds=5).table
        >>> table["column"][table["within 1 SE"]].tolist()
        ['petal length (cm)', 'petal width (cm)']
        """
        from ceiba.trust.rival_columns import rival_columns

        problem, _ = self._read_problem(X, y, sample_weight)
        return rival_columns(self._fitted(), problem, node=node, folds=folds, seed=random_state)

    def drift(self, X: Any, y: Any = None) -> Drift:
        """Compare new rows with the rows that were fitted, branch by branch.

        Parameters
        ----------
        X : table
            New rows; or a frame that holds the target, with its name as `y`.
        y : array-like or str, optional
            With it the rates in the leaves are compared too.

        Returns
        -------
        Drift
            `.psi`, `.start`, `.branches`, `.leaves`, `.columns`, `.to_html()`; prints.

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"])
        >>> model.drift({"x": [1, 2, 3]}).flagged
        False
        """
        from ceiba.trust import drift

        if isinstance(y, str):
            X, y = split_target(X, y)
        return drift(self._fitted(), self._rows(X), y)

    def counterfactual(self, row: Any, **options: Any) -> Counterfactuals:
        """Give the nearest changes to a row that give it another answer.

        Parameters
        ----------
        row : dict, sequence, or table of one row
        **options
            Of `ceiba.trust.counterfactual`: target, fixed, direction, allowed, cost, order, k.

        Returns
        -------
        Counterfactuals
            A tuple, the nearest first.

        Examples
        --------
        >>> import ceiba
        >>> X = {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"]}
        >>> model = ceiba.DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"])
        >>> print(model.counterfactual({"age": 44, "sex": "f"}))
        1. age <= 35 (is 44) -> a (probability 1, 2 training rows)
        """
        from ceiba.trust import counterfactual

        return counterfactual(self._fitted(), self._rows(one_row(row)), **options)
