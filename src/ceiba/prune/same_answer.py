"""Collapse subtrees in which all leaves have the same prediction.

A split on gini or entropy may separate purer from less pure rows of one class, so that all leaves
below predict that class. Such subtrees become leaves: the tree predicts as before with fewer
splits, and its probabilities are coarser (Quinlan 1987, Simplifying decision trees, section 2). For
regression the values must be equal.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ceiba.grow import Problem
from ceiba.prune.pruning import Pruned, Pruning
from ceiba.tree import Tree

# The mean of equal values is computed from sums and may differ from them in the last bits.
_NOISE: Final = 1e-12


def same_answer(tree: Tree) -> Tree:
    """Collapse every subtree in which all leaves have the same prediction.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    Tree

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.prune import same_answer
    >>> tree = ceiba.tree.build(("x <= 1", ("x <= 0", {"a": 9, "b": 1}, {"a": 6, "b": 4}), "b"))
    >>> same_answer(tree).n_leaves
    2
    """
    answers = tree.answer.reshape(tree.n_nodes, -1) if tree.task.has_classes else tree.value[..., 0]
    # Rows end in leaves, and in inner nodes without a branch for missing values. The end nodes of a
    # subtree are consecutive in pre-order, so comparing neighbors is sufficient.
    ends = np.flatnonzero(tree.is_leaf | (tree.default_branch < 0))
    differs = np.append(False, np.any(answers[ends[1:]] != answers[ends[:-1]], axis=1))
    changes = np.cumsum(differs)
    first = np.searchsorted(ends, np.arange(tree.n_nodes))
    last = np.searchsorted(ends, tree.subtree_end) - 1
    alike = changes[first] == changes[last]
    is_close = np.all(np.isclose(answers, answers[ends[first]], rtol=_NOISE, atol=0.0), axis=1)
    return tree.collapse(np.flatnonzero(alike & is_close & ~tree.is_leaf))


class SameAnswer(Pruning):
    """Pruning object that collapses subtrees in which all leaves have the same prediction.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import SameAnswer
    >>> X, y = load_iris(return_X_y=True)
    >>> grown = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, y)
    >>> pruned = ceiba.DecisionTreeClassifier(max_depth=3, prune=SameAnswer()).fit(X, y)
    >>> grown.get_n_leaves(), pruned.get_n_leaves()
    (5, 4)
    """

    @property
    def needs_one_output(self) -> bool:
        """Whether trees with several outputs are rejected: always false."""
        return False

    def prune(self, tree: Tree, problem: Problem | None = None) -> Pruned:
        """Collapse subtrees in which all leaves have the same prediction."""
        return Pruned(same_answer(tree))
