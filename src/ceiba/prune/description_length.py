"""Prune splits whose encoding costs more bits than it saves.

A message encodes the tree, and the classes of the rows given the tree. The shortest message is best
(Mehta, Rissanen, Agrawal 1995, MDL-based decision tree pruning). A leaf with class counts n_k,
n = sum n_k, K classes costs

    sum n_k log2(n / n_k) + (K - 1) / 2 log2(n / 2) + log2(pi^(K/2) / Gamma(K/2))  bits,

each node one more bit (leaf or not), a split log2(columns) bits for its column and then log2(n - 1)
for a cut, L - 1 for a level set of L levels, none for one branch per level. From the leaves up the
cheaper of leaf and subtree is kept: T(0) of the weakest-link pass with these costs. There is no
parameter, and no rows are held out.
"""

from __future__ import annotations

from math import lgamma, log, log2, pi

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import OptionError
from ceiba.grow import Problem
from ceiba.prune.pruning import Pruned, Pruning, refuse_costs_and_priors
from ceiba.tree import SplitKind, Tree

Array = npt.NDArray[np.float64]


def description_length(tree: Tree) -> Tree:
    """Prune a classification tree to the shortest description of its training rows.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    Tree

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import description_length
    >>> X, y = load_iris(return_X_y=True)
    >>> description_length(ceiba.DecisionTreeClassifier().fit(X, y).tree_).n_leaves
    3
    """
    if tree.counts is None or tree.n_outputs > 1:
        raise OptionError(
            "DescriptionLength requires a single-output classification tree. Use CostComplexity "
            "for other trees."
        )
    refuse_costs_and_priors(tree, "DescriptionLength", "encodes class labels")
    alphas = _core.collapse_alphas(
        tree.parent, _leaf_bits(tree.counts[:, 0, :]), split=_split_bits(tree)
    )
    return tree.collapse(np.flatnonzero(np.asarray(alphas) <= 0))


def _leaf_bits(counts: Array) -> Array:
    """Return the bits that encode each node as a leaf, with its class labels and distribution."""
    n, size = counts.sum(axis=1), counts.shape[1]
    share = np.divide(counts, n[:, None], out=np.ones_like(counts), where=counts > 0)
    labels = -(counts * np.log2(share)).sum(axis=1)
    constant = (size / 2 * log(pi) - lgamma(size / 2)) / log(2)
    model = (size - 1) / 2 * np.log2(np.maximum(n, 2.0) / 2) + constant
    return np.ascontiguousarray(1.0 + labels + np.maximum(model, 0.0))


def _split_bits(tree: Tree) -> Array:
    """Return the bits that encode each node's split, plus one bit that marks an inner node."""
    splits = tree.splits
    n_levels = np.diff(splits.level_start)
    of_levels = tree.n_branches - splits.has_missing_branch
    by_level = (splits.kind == SplitKind.LEVELS) & (of_levels < np.maximum(n_levels, 3))
    bits = np.where(by_level, n_levels - 1, 0).astype(np.float64)
    cuts = splits.kind == SplitKind.CUT
    bits[cuts] = np.log2(np.maximum(tree.weight[cuts] - 1, 1.0))
    several = splits.kind == SplitKind.INTERVALS  # each cut lies in one of the n - 1 gaps of n rows
    bits[several] = np.diff(splits.interval_start)[several] * np.log2(
        np.maximum(tree.weight[several] - 1, 1.0)
    )
    return np.where(tree.is_leaf, 0.0, 1.0 + log2(len(tree.schema.columns)) + bits)


class DescriptionLength(Pruning):
    """Pruning of classification trees by description length (Mehta, Rissanen, Agrawal 1995).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import DescriptionLength
    >>> X, y = load_iris(return_X_y=True)
    >>> ceiba.DecisionTreeClassifier(prune=DescriptionLength()).fit(X, y).get_n_leaves()
    3
    """

    def prune(self, tree: Tree, problem: Problem | None = None) -> Pruned:
        """Prune a tree to the subtree with the minimum description length."""
        return Pruned(description_length(tree))
