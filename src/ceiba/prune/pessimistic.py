"""Error-based pruning as C4.5 does it: errors on the training rows, made pessimistic.

A leaf that misclassifies e of N rows is charged e + addErrs(N, e): N times the upper limit of a
confidence interval (level `confidence`, 0.25 in C4.5) for its error rate, by the normal
approximation with continuity correction; for e < 1 by interpolation with the exact limit at 0
(Quinlan 1993, C4.5, section 4.2, and release 8 of the program). From the bottom up a node becomes
a leaf, or is replaced by its heaviest branch ("subtree raising": the rows of the other branches are
sent down it), if that does not raise the charge by more than 0.1.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.grow.problem import Problem
from ceiba.options import boolean, nothing, number, parameter
from ceiba.prune.plain_counts import refuse_costs_and_priors
from ceiba.prune.pruning import Pruned, Pruning
from ceiba.prune.raising import prune_by_errors
from ceiba.tree import Tree

Array = npt.NDArray[np.float64]

# C4.5 release 8: training errors that are taken for equal.
_TIE: Final = 1e-3


def added_errors(total: float, errors: float, confidence: float = 0.25) -> float:
    """Return what C4.5 adds to the errors of a leaf."""
    total, errors = float(total), float(errors)
    if total <= 0:
        return 0.0
    if errors < 1:
        none = total * (1 - float(confidence ** (1 / total)))
        return none if errors == 0 else none + errors * (added_errors(total, 1, confidence) - none)
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    z = NormalDist().inv_cdf(1 - confidence)
    rate = (errors + 0.5) / total
    # Products as in the core: the square of a huge weight is infinite there, and no error.
    root = sqrt(rate / total - rate * rate / total + z * z / (4.0 * total * total))
    limit = (rate + z * z / (2.0 * total) + z * root) / (1.0 + z * z / total)
    return limit * total - errors


def pessimistic(
    tree: Tree,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    confidence: float | None = 0.25,
    raising: bool | None = None,
) -> Tree:
    """Prune a classification tree by C4.5's error estimates.

    Parameters
    ----------
    tree : Tree
    X, y : table and target, optional
        The rows that the tree was grown on, for subtree raising.
    sample_weight : array-like of shape (n_rows,), optional
    confidence : float or None, default=0.25
        The smaller, the more is pruned. None: only collapse subtrees that save no error.
    raising : bool, optional
        Whether a node may be replaced by its heaviest branch. Default: if X is given.

    Returns
    -------
    Tree

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import pessimistic
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ceiba.DecisionTreeClassifier(criterion="entropy").fit(X, y).tree_
    >>> tree.n_leaves, pessimistic(tree).n_leaves
    (9, 7)
    """
    problem = None if X is None else Problem.like(tree, X, y, sample_weight)
    raising = problem is not None and confidence is not None if raising is None else raising
    return Pessimistic(confidence=confidence, raising=raising).prune(tree, problem).tree


class Pessimistic(Pruning):
    """Error-based pruning of C4.5 (Quinlan 1993); classification.

    Parameters
    ----------
    confidence : float or None, default=0.25
        C4.5's CF, at most 0.5: the smaller, the more is pruned. None: only collapse subtrees that
        make no fewer errors on the training rows than a leaf, as C4.5 does first.
    raising : bool, default=True
        Whether a node may be replaced by its heaviest branch.
    keep_unpruned : bool, default=False

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import Pessimistic
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(criterion="entropy", prune=Pessimistic()).fit(X, y)
    >>> model.get_n_leaves()
    7
    """

    confidence: float | None = parameter(number(0.0, 0.5, "(]"), nothing, default=0.25)
    raising: bool = parameter(boolean, default=True)
    keep_unpruned: bool = parameter(boolean, default=False)

    def prune(self, tree: Tree, problem: Problem | None = None) -> Pruned:
        """Prune by pessimistic errors, from the bottom up."""
        self.check()
        if tree.counts is None or tree.n_outputs > 1:
            raise OptionError(
                "Pessimistic pruning counts misclassified rows: it is for classification trees "
                "with one output. Use CostComplexity for others."
            )
        refuse_costs_and_priors(tree, "Pessimistic", "counts misclassified rows")
        if self.raising and problem is None:
            raise OptionError(
                "Subtree raising sends rows down another branch and needs the data. Give X and y, "
                "or raising=False."
            )
        pruned = _collapsed(tree)
        if self.confidence is not None:
            pruned = prune_by_errors(pruned, problem if self.raising else None, self.confidence)
        return Pruned(pruned, unpruned=tree if self.keep_unpruned else None)


def _collapsed(tree: Tree) -> Tree:
    """Collapse subtrees that make no fewer training errors than a leaf, as C4.5 does first."""
    assert tree.counts is not None
    errors = _errors(tree.counts[:, 0, :])
    running = np.concatenate(([0.0], np.cumsum(np.where(tree.is_leaf, errors, 0.0))))
    below = running[tree.subtree_end] - running[:-1]
    return tree.collapse(np.flatnonzero(~tree.is_leaf & (below >= errors - _TIE)))


def _errors(counts: Array) -> Array:
    return np.asarray(counts.sum(axis=-1) - counts.max(axis=-1))
