"""Error-based pruning of C4.5 by pessimistic estimates from the training errors.

The estimated errors of a leaf that misclassifies e of N rows are e + addErrs(N, e): N times the
upper limit of a confidence interval (level `confidence`, 0.25 in C4.5) for its error rate, by the
normal approximation with continuity correction; for e < 1 by interpolation with the exact limit at
0 (Quinlan 1993, C4.5, section 4.2, and release 8 of the program). First, subtrees that make no
fewer errors on the training rows than a leaf collapse. Then, from the bottom up, a node becomes a
leaf, or is replaced by its heaviest branch ("subtree raising": the rows of the other branches are
routed down that branch), if that raises the estimate by at most 0.1. The core
(`cpp/core/prune/raising.cpp`) decides which nodes remain and which split each one has.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import OptionError
from ceiba.grow import (
    Problem,
    apply_monotonic_limits,
    needs_repeated_rows,
    read_monotonic,
    repeat_rows,
)
from ceiba.options import boolean, nothing, number, parameter
from ceiba.prune.pruning import Pruned, Pruning, refuse_costs_and_priors
from ceiba.tree import Tree, class_counts, fill_empty_nodes

Array = npt.NDArray[np.float64]


def prune_by_errors(tree: Tree, problem: Problem | None, confidence: float | None) -> Tree:
    """Prune a classification tree with one output; raise subtrees if a problem is given."""
    counts = class_counts(tree)
    assert counts is not None
    columns, labels, weight = _core.Columns(0), np.zeros(0, np.int32), np.zeros(0)
    if problem is not None:
        columns = problem.table.core()
        labels = np.ascontiguousarray(problem.target.values[:, 0], np.int32)
        weight = np.ascontiguousarray(problem.row_weight)
    pessimism = None if confidence is None else (confidence, NormalDist().inv_cdf(1 - confidence))
    pruned = _core.prune_by_errors(
        tree._router, columns, labels, weight, counts[:, 0, :], pessimism, problem is not None
    )
    if "parent" not in pruned:
        return tree.collapse(pruned["leaves"])
    assert problem is not None
    leaf = pruned["leaf"].astype(bool)
    new_tree = reorder_nodes(tree, pruned["content"], pruned["parent"], pruned["weight"], leaf)
    return recount_training_rows(new_tree, problem)


def reorder_nodes(
    tree: Tree,
    source: npt.NDArray[np.intp],
    parent: npt.NDArray[np.intp],
    weight: npt.NDArray[np.float64],
    leaf: npt.NDArray[np.bool_],
) -> Tree:
    """Return a tree with the nodes `source` in pre-order, without recounting their rows."""
    n_branches = np.bincount(parent[1:], minlength=len(parent))
    by_parent = np.argsort(parent[1:], kind="stable") + 1  # a stable sort keeps the branch order
    figures: dict[str, Any] = {
        name: getattr(tree, name)[source]
        for name in ("n_rows", "impurity", "value", "counts", "risk")
    }
    return replace(
        tree,
        parent=parent,
        branch_start=np.concatenate(([0], np.cumsum(n_branches))),
        branch_node=by_parent,
        splits=tree.splits.take(source, leaf),
        default_branch=np.where(leaf, -1, tree.default_branch[source]),
        gain=np.where(leaf, 0.0, tree.gain[source]),
        sent_default=np.where(leaf, 0, tree.sent_default[source]),
        surrogates=None if tree.surrogates is None else tree.surrogates.take(source, leaf),
        competitors=None,
        tests=None,
        attachments=None,
        notes=None,  # the notes describe the rows before subtree raising
        weight=weight,
        **figures,
    )


def recount_training_rows(tree: Tree, problem: Problem) -> Tree:
    """Recount the training rows in each node of a tree whose branches were raised."""
    if needs_repeated_rows(problem.options):
        problem = repeat_rows(problem, None, None, problem.weight)[0]
    tree = tree.refit_leaves(problem.table, problem.target, sample_weight=problem.weight)
    tree = replace(tree, value=fill_empty_nodes(tree.value.copy(), tree.parent, tree.weight))
    # Recounting may move node values outside the limits that `monotonic_cst` implies.
    names = problem.table.schema.names
    return apply_monotonic_limits(tree, read_monotonic(problem.options.monotonic_cst, names))


def added_errors(total: float, errors: float, confidence: float = 0.25) -> float:
    """Return C4.5's addErrs, the number of errors that are added to a leaf's training errors."""
    return _core.added_errors(total, errors, confidence, NormalDist().inv_cdf(1 - confidence))


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
        Smaller values prune more. None: only collapse subtrees that save no error.
    raising : bool, optional
        Whether a node may be replaced by its heaviest branch. Default: True if X is passed.

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
    """Error-based pruning of C4.5 (Quinlan 1993), for classification trees.

    Parameters
    ----------
    confidence : float or None, default=0.25
        C4.5's CF, at most 0.5: smaller values prune more. None: only collapse subtrees that make no
        fewer errors on the training rows than a leaf, as C4.5 does first.
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
        """Prune a tree by pessimistic error estimates from the bottom up."""
        self.check()
        counts = class_counts(tree)
        if counts is None or counts.shape[1] > 1:
            raise OptionError(
                "Pessimistic requires a single-output classification tree. Use CostComplexity for "
                "other trees."
            )
        refuse_costs_and_priors(tree, "Pessimistic", "counts misclassified rows")
        if self.raising and problem is None:
            raise OptionError(
                "Subtree raising requires the training data. Pass X and y, or raising=False."
            )
        pruned = prune_by_errors(tree, problem if self.raising else None, self.confidence)
        return Pruned(pruned, unpruned=tree if self.keep_unpruned else None)
