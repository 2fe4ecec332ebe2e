"""Prune a tree to the subtree with the lowest error on a validation set.

From the leaves up, a node becomes a leaf if that makes no more errors on a validation set (Quinlan
1987, Simplifying decision trees). The result is the smallest of the pruned subtrees with the least
validation error, that is T(0) of the tree with the validation rows counted on it. Nodes that no
validation row reaches become leaves. Regression trees use the loss instead of errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow import Problem
from ceiba.listing import Listing
from ceiba.options import boolean, fraction, parameter
from ceiba.prune.cost_complexity import node_risks
from ceiba.prune.cross_validation.folds import read_seed
from ceiba.prune.pruning import Pruned, Pruning
from ceiba.table.targets import pop_target
from ceiba.tree import Tree


def reduced_error(tree: Tree, X: Any, y: Any, *, sample_weight: Any = None) -> Tree:
    """Prune a tree on a validation set.

    Parameters
    ----------
    tree : Tree
    X, y : table and target
        Rows that the tree was not grown on; y may be the name of a column of X.
    sample_weight : array-like of shape (n_rows,), optional

    Returns
    -------
    Tree
        With the counts and values of the training data, as before.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.prune import reduced_error
    >>> tree = ceiba.tree.build(("x <= 1", {"a": 5}, ("x <= 2", {"b": 5}, {"a": 1})))
    >>> reduced_error(tree, {"x": [0.5, 1.5, 2.5]}, ["a", "b", "b"]).n_leaves
    2
    """
    refit = tree.refit_leaves(X, y, sample_weight=sample_weight, keep_value=True)
    return tree.collapse(np.flatnonzero(node_risks(refit).collapse_alpha(tree) <= 0))


class ReducedError(Pruning):
    """Reduced-error pruning (Quinlan 1987).

    Parameters
    ----------
    X, y : table and target, default=None
        The validation set. None: a share of the training rows is held out, and the tree is grown on
        the remaining rows.
    sample_weight : array-like, default=None
        Weights of the validation rows.
    fraction : float, default=0.25
        Share of the training rows that is held out.
    stratify : bool, default=True
        Hold out the same share of each class.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the held-out rows. None: the seed of the problem (the estimator's `random_state`).
    keep_unpruned : bool, default=False

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import ReducedError
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(prune=ReducedError(fraction=0.3)).fit(X, y)
    >>> model.pruning_table_["n_leaves"].tolist()
    [10, 3]
    """

    X: Any = parameter(kw_only=False, default=None)
    y: Any = parameter(kw_only=False, default=None)
    sample_weight: Any = parameter(default=None)
    fraction: float = parameter(fraction(0.0, 1.0, "()"), default=0.25)
    stratify: bool = parameter(boolean, default=True)
    random_state: Any = parameter(default=None)
    keep_unpruned: bool = parameter(boolean, default=False)

    def fit(self, problem: Problem) -> Pruned:
        """Grow and prune a tree; hold out training rows unless a validation set was passed."""
        self.check()
        if self.X is not None:
            return self.prune(problem.grow(), problem)
        option = self.random_state
        seed = read_seed(problem.options.seed if option is None else option)
        held_out = _draw_held_out(problem, self.fraction, self.stratify, seed)
        tree = problem.grow(np.flatnonzero(~held_out).astype(np.uint32))
        weight = None if problem.weight is None else problem.weight[held_out]
        table, target = problem.table.take(held_out), problem.target.take(held_out)
        return self._prune_on_rows(tree, table, target, weight)

    def prune(self, tree: Tree, problem: Problem | None = None) -> Pruned:
        """Prune a tree on the validation set `X` and `y` of this object."""
        if self.X is None:
            raise OptionError(
                "ReducedError requires a validation set. Pass X and y, or pass "
                "prune=ReducedError() to an estimator, which holds out training rows."
            )
        y = tree.target.name if self.y is None else self.y
        X, y = pop_target(self.X, y, tree.task)
        return self._prune_on_rows(tree, X, y, self.sample_weight)

    def _prune_on_rows(self, tree: Tree, X: Any, y: Any, weight: Any) -> Pruned:
        refit = tree.refit_leaves(X, y, sample_weight=weight, keep_value=True)
        risks = node_risks(refit)
        alpha = risks.collapse_alpha(tree)
        pruned = tree.collapse(np.flatnonzero(alpha <= 0))
        after = refit.collapse(np.flatnonzero(alpha <= 0))
        figures: dict[str, Any] = {
            "tree": ["grown", "pruned"],
            "n_leaves": [tree.n_leaves, pruned.n_leaves],
            "validation_risk": [refit.tree_risk, after.tree_risk],
        }
        legend = f"validation_risk: on {int(refit.n_rows[0])} rows that the tree was not grown on"
        table = Listing(figures, title="reduced-error pruning", legend=legend)
        return Pruned(pruned, table, unpruned=tree if self.keep_unpruned else None)


def _draw_held_out(
    problem: Problem, share: float, stratify: bool, seed: int
) -> npt.NDArray[np.bool_]:
    """Return a mask of the held-out rows, which selects at least one row but not all."""
    n = problem.n_rows
    order = np.random.default_rng(seed).permutation(n)
    if stratify and problem.options.task.has_classes:
        order = order[np.lexsort(problem.target.values[order].T)]
    count = min(max(1, round(share * n)), n - 1)
    if count < 1:
        raise OptionError("ReducedError requires at least 2 samples, got 1 sample.")
    held_out = np.zeros(n, bool)
    # Rows are sorted by class, so evenly spaced positions are stratified.
    held_out[order[((np.arange(count) + 0.5) * n / count).astype(np.intp)]] = True
    return held_out
