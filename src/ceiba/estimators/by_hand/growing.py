"""Trees grown by hand, step by step: from the root alone, leaf by leaf, under rules for columns.

Every method returns a new model and leaves the old one alone, as those of `editing.py` do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ceiba.edit.copying import copy_splits_in
from ceiba.edit.growing import grow_leaves_in
from ceiba.grow import Problem
from ceiba.tree import Tree
from ceiba.tree.growing_rules import forbid, prefer, seal


class GrowingByHand:
    """Methods that grow a tree step by step; mixed into both estimators."""

    if TYPE_CHECKING:

        def _fitted(self) -> Tree: ...
        def _with_tree(self, tree: Tree, *, pruning: bool = False) -> Self: ...
        def _read_problem(
            self, X: Any, y: Any, sample_weight: Any
        ) -> tuple[Problem, dict[str, Any]]: ...

    def fit_root(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Begin a tree that is grown by hand: the root alone, with what its rows answer.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        new fitted estimator
            Its tree is one leaf; go on with `set_split` and `grow_leaves`.

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
        return self._with_tree(problem.summary(every, problem.weight))

    def grow_leaves(
        self, node: int, X: Any, y: Any, sample_weight: Any = None, *, levels: int | None = None
    ) -> Self:
        """Split the leaves at and below a node further; what is above them stays as it is.

        Parameters
        ----------
        node : int
            0: all leaves of the tree.
        X, y, sample_weight
            What the estimator was fitted on.
        levels : int, optional
            How many levels to grow. None: to the end.

        Returns
        -------
        new fitted estimator
            Sealed leaves are left alone.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> model = ceiba.DecisionTreeClassifier().fit_root(X, y)
        >>> [model.grow_leaves(0, X, y, levels=n).get_n_leaves() for n in (1, None)]
        [2, 3]
        """
        problem, _ = self._read_problem(X, y, sample_weight)
        return self._with_tree(grow_leaves_in(self._fitted(), node, problem, levels))

    def copy_splits(self, node: int, to: int, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Ask the questions below one node below another one too.

        Parameters
        ----------
        node, to : int
            Neither lies below the other.
        X, y, sample_weight
            What the estimator was fitted on.

        Returns
        -------
        new fitted estimator
            A question that would leave a branch empty becomes a leaf.

        Examples
        --------
        >>> import ceiba
        >>> X = {"x": [1, 1, 1, 2, 2, 2], "z": [1, 2, 3, 1, 2, 3]}
        >>> y = ["a", "b", "b", "b", "a", "a"]
        >>> model = ceiba.DecisionTreeClassifier().fit_root(X, y)
        >>> model = model.set_split(0, "x <= 1", X, y, levels=0)
        >>> model = model.set_split(1, "z <= 1", X, y, levels=0).copy_splits(1, 4, X, y)
        >>> model.tree_.n_rows.tolist()
        [6, 3, 1, 2, 3, 1, 2]
        """
        problem, _ = self._read_problem(X, y, sample_weight)
        return self._with_tree(copy_splits_in(self._fitted(), node, to, problem))

    def forbid(self, node: int, columns: str | Iterable[str]) -> Self:
        """Forbid columns: growing at and below a node does not ask about them.

        Splits that are there already stay; `set_split` may ask about any column.

        Parameters
        ----------
        node : int
        columns : str or iterable of str
            Empty: all are allowed again.

        Returns
        -------
        new fitted estimator

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4], "z": [1, 1, 2, 3]}, ["a", "a", "b", "b"]
        >>> model = ceiba.DecisionTreeClassifier().fit_root(X, y).forbid(0, "x")
        >>> model.grow_leaves(0, X, y).tree_.root.split
        Cut(column='z', cut=1.5, low_branch=0)
        """
        return self._with_tree(forbid(self._fitted(), node, columns), pruning=True)

    def prefer(self, node: int, columns: str | Iterable[str]) -> Self:
        """Prefer columns: growing at and below a node asks about them where they gain anything.

        Parameters
        ----------
        node : int
        columns : str or iterable of str
            Empty: none is preferred any more.

        Returns
        -------
        new fitted estimator

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4], "z": [1, 1, 1, 3]}, ["a", "a", "b", "b"]
        >>> model = ceiba.DecisionTreeClassifier().fit_root(X, y).prefer(0, "z")
        >>> model.grow_leaves(0, X, y, levels=1).tree_.root.split
        Cut(column='z', cut=2.0, low_branch=0)
        """
        return self._with_tree(prefer(self._fitted(), node, columns), pruning=True)

    def seal(self, node: int, sealed: bool = True) -> Self:
        """Make a leaf of a node, and keep it one: `grow_leaves` leaves it alone.

        Parameters
        ----------
        node : int
        sealed : bool, default=True
            False: it may grow again.

        Returns
        -------
        new fitted estimator

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> model = ceiba.DecisionTreeClassifier().fit(X, y).seal(2)
        >>> model.grow_leaves(0, X, y).get_n_leaves()
        2
        """
        return self._with_tree(seal(self._fitted(), node, sealed))
