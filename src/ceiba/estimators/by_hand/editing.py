"""Fitted models edited by hand: every method returns a new model and leaves the old one alone.

The new model has the parameters of the old one and another `tree_`. Pruning figures of the old tree
do not belong to it, so they are gone, except after `reprune`, which chooses from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from ceiba.criteria import Task
from ceiba.edit.by_hand import regrow_in, set_split_in
from ceiba.errors import DataTypeError, OptionError
from ceiba.estimators.by_hand.growing import GrowingByHand
from ceiba.grow import Problem
from ceiba.grow.forced.division import SplitLike
from ceiba.prune import Pruned
from ceiba.prune.cost_complexity_pruning import choose_again
from ceiba.tree import Tree

_OF_PRUNING = ("pruning_table_", "alpha_", "unpruned_tree_", "cross_validation_", "leaf_strength_")


class EditingMethods(GrowingByHand):
    """Methods that make another model of a fitted one; mixed into both estimators."""

    _to_reprune: ClassVar[str] = "Fit with prune=CostComplexity(keep_unpruned=True)."

    if TYPE_CHECKING:
        _task: ClassVar[Task]

        def _fitted(self) -> Tree: ...
        def _keep(self, tree: Tree) -> None: ...
        def _read_problem(
            self, X: Any, y: Any, sample_weight: Any
        ) -> tuple[Problem, dict[str, Any]]: ...

    @classmethod
    def from_tree(cls, tree: Tree, **parameters: Any) -> Self:
        """Make a fitted estimator of a tree that was built, loaded, converted or edited.

        Parameters
        ----------
        tree : Tree
        **parameters
            Of the estimator, for fitting or regrowing later.

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
                f"{cls.__name__}.from_tree takes a Tree. Got {type(tree).__name__}. Of a fitted "
                "model give its tree_."
            )
        if tree.task != cls._task:
            other = "Regressor" if tree.task == "regression" else "Classifier"
            raise OptionError(
                f"{cls.__name__}.from_tree: this is a tree of {tree.task}. Use "
                f"DecisionTree{other}.from_tree."
            )
        model = cls(**parameters)
        model._keep(tree)
        return model

    def set_split(
        self,
        node: int,
        split: SplitLike,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        levels: int | None = None,
    ) -> Self:
        """Force the split of a node of the fitted tree and grow everything below it anew.

        Parameters
        ----------
        node : int
        split : str, sequence of str, Cut, Intervals, LevelSets, Presence or (column, cuts)
            The question as it is printed: "age <= 30", "city in {Oslo, Lima}", "city = Oslo"; for
            several branches "city = Oslo | city in {Lima, Rome}", "x <= 1 | 1 < x <= 3 | x > 3".
            Or `Cut("age", 30)`; several cuts: `("age", [18, 65])`.
        X, y, sample_weight
            What the estimator was fitted on.
        levels : int, optional
            How many levels to grow below the branches; 0: they are leaves. None: to the end.

        Returns
        -------
        new fitted estimator
            `tree_` is grown with this estimator's parameters; nothing is pruned.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> model = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y)
        >>> model.set_split(0, "x > 2", X, y).tree_.n_rows.tolist()
        [4, 2, 2]
        """
        problem, _ = self._read_problem(X, y, sample_weight)
        return self._with_tree(set_split_in(self._fitted(), node, split, problem, levels))

    def regrow(
        self, node: int, X: Any, y: Any, sample_weight: Any = None, *, levels: int | None = None
    ) -> Self:
        """Grow everything below a node of the fitted tree anew, with this estimator's parameters.

        Parameters
        ----------
        node : int
        X, y, sample_weight
            What the estimator was fitted on.
        levels : int, optional
            How many levels to grow. None: to the end.

        Returns
        -------
        new fitted estimator
            Nothing is pruned.

        Examples
        --------
        >>> import ceiba
        >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "a"]
        >>> model = ceiba.DecisionTreeClassifier().fit(X, y)
        >>> model.collapse(2).regrow(2, X, y).tree_ == model.tree_
        True
        """
        problem, _ = self._read_problem(X, y, sample_weight)
        return self._with_tree(regrow_in(self._fitted(), node, problem, levels))

    def collapse(self, nodes: int | Iterable[int]) -> Self:
        """Make leaves of nodes of the fitted tree.

        Parameters
        ----------
        nodes : int or iterable of int

        Returns
        -------
        new fitted estimator

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "a"])
        >>> model.get_n_leaves(), model.collapse(2).get_n_leaves()
        (3, 2)
        """
        return self._with_tree(self._fitted().collapse(nodes))

    def annotate(self, node: int, *, name: str | None = None, note: str | None = None) -> Self:
        """Write a name and a note on a node; see `Tree.annotate`.

        Parameters
        ----------
        node : int
        name, note : str, optional
            "" takes one away.

        Returns
        -------
        new fitted estimator

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.annotate(1, name="small").tree_.node(1).note.name
        'small'
        """
        return self._with_tree(self._fitted().annotate(node, name=name, note=note), pruning=True)

    def override(self, node: int, answer: Any, reason: str | None = None) -> Self:
        """Set the answer of a node by hand, with the reason; see `Tree.override`.

        Parameters
        ----------
        node : int
        answer : label or number
            None: by its rows again.
        reason : str, optional

        Returns
        -------
        new fitted estimator

        Examples
        --------
        >>> import ceiba
        >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
        >>> model.override(1, "b", reason="one row only").predict([[1]]).tolist()
        ['b']
        """
        return self._with_tree(self._fitted().override(node, answer, reason), pruning=True)

    def reprune(
        self,
        *,
        alpha: float | None = None,
        cp: float | None = None,
        n_leaves: int | None = None,
        rule: Literal["min", "1se"] | None = None,
    ) -> Self:
        """Choose another tree of the pruning sequence, without fitting again.

        From the unpruned tree if it was kept (`CostComplexity(keep_unpruned=True)`), else from the
        fitted tree, which can only become smaller.

        Parameters
        ----------
        alpha : float, optional
            Cost per leaf.
        cp : float, optional
            The same as a share of the root's risk, as in rpart.
        n_leaves : int, optional
        rule : {"min", "1se"}, optional
            By the cross-validation of the fit.

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
        (3, 4)
        >>> ceiba.DecisionTreeClassifier().fit(X, y).reprune(cp=0.1).get_n_leaves()
        3
        """
        given = {"alpha": alpha, "cp": cp, "n_leaves": n_leaves, "rule": rule}
        if sum(value is not None for value in given.values()) != 1:
            raise OptionError("reprune: give one of alpha, cp, n_leaves and rule.")
        tree, mine = self._fitted(), self.__dict__
        whole = mine.get("unpruned_tree_")
        if cp is not None:
            alpha = cp * float((tree if whole is None else whole).risk[0])
        pruned = self._repruned(whole, alpha, n_leaves, rule)
        model = self._with_tree(pruned.tree, pruning=True)
        model.__dict__["alpha_"] = pruned.alpha
        if pruned.table is not None:
            model.__dict__["pruning_table_"] = pruned.table
        return model

    def _repruned(
        self, whole: Tree | None, alpha: float | None, n_leaves: int | None, rule: Any
    ) -> Pruned:
        mine, tree = self.__dict__, self._fitted()
        fitted_with = "alpha_" in mine
        larger = (alpha is not None and fitted_with and alpha < mine["alpha_"]) or (
            n_leaves is not None and fitted_with and n_leaves > tree.n_leaves
        )
        if whole is None and (rule is not None or larger):
            raise OptionError(f"The unpruned tree was not kept. {self._to_reprune}")
        if whole is not None:
            return choose_again(whole, mine.get("pruning_table_"), alpha, n_leaves, rule)
        from ceiba.prune import CostComplexity

        return CostComplexity(alpha=alpha, n_leaves=n_leaves).prune(tree)

    def _with_tree(self, tree: Tree, *, pruning: bool = False) -> Self:
        """Give a copy with another tree; `pruning`: its pruning figures belong to that tree too."""
        model: Self = object.__new__(type(self))
        model.__dict__.update(self.__dict__)
        for name in () if pruning else _OF_PRUNING:
            model.__dict__.pop(name, None)
        model._keep(tree)
        return model
