"""Minimal cost-complexity pruning: the exact weakest-link sequence of one tree.

R_alpha(T) = R(T) + alpha * leaves(T). T(alpha) is the smallest subtree that minimises it; as alpha
grows the T(alpha) are nested and change at finitely many alphas (Breiman et al. 1984, chapter 3).
The core gives each inner node its collapse alpha: T(alpha) is the tree with all nodes collapsed
whose alpha is at most `alpha`.

Two risks: "impurity" is the node's impurity times its share (scikit-learn's `ccp_alpha`); "cost" is
the expected misclassification cost, or the loss of a regression tree. Risks are handed over as sums
(counts where weights are whole), because quotients of whole numbers that are equal on paper are
then equal in floating point, so ties are ties; alphas are divided by the total weight at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import OptionError
from ceiba.grow.priors import class_factor, node_risk, search_mass
from ceiba.prune.listing import Listing

if TYPE_CHECKING:
    from ceiba.tree import Tree

__all__ = [
    "PruningSequence",
    "Risk",
    "collapse_alpha",
    "prune_tree",
    "pruning_path",
    "pruning_sequence",
]

Risk = Literal["cost", "impurity"]
Array = npt.NDArray[np.float64]


def prune_tree(tree: Tree, alpha: float, *, risk: Risk = "cost") -> Tree:
    """Give T(alpha), the smallest subtree with the least R(T) + alpha * leaves.

    Parameters
    ----------
    tree : Tree
    alpha : float
        Cost per leaf, in units of the mean risk (times n: sums; divided by R(root): rpart's cp).
        0 removes the splits that do not lower the risk.
    risk : {"cost", "impurity"}, default="cost"
        Expected misclassification cost (or loss), or impurity as in scikit-learn's `ccp_alpha`.

    Returns
    -------
    Tree
        A new tree; the given one stays as it is.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import prune_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ceiba.DecisionTreeClassifier().fit(X[:, 2:], y).tree_
    >>> tree.n_leaves, prune_tree(tree, 0).n_leaves, prune_tree(tree, 1 / 75).n_leaves
    (8, 7, 3)
    """
    if not alpha >= 0:
        raise OptionError(f"alpha must be a number of at least 0. Got {alpha!r}.")
    return tree.collapse(np.flatnonzero(collapse_alpha(tree, risk=risk) <= alpha))


def collapse_alpha(tree: Tree, *, risk: Risk = "cost") -> Array:
    """Give the alpha at which each node's subtree collapses; infinite at leaves.

    A node below another one never has the larger alpha.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.prune import collapse_alpha
    >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
    >>> collapse_alpha(model.tree_)
    array([0.33333333,        inf,        inf])
    """
    sums, whole = _risk_sums(tree, risk)
    return _alphas(tree, sums) / whole


@dataclass(frozen=True)
class PruningSequence:
    """The nested trees T(alpha): one step for each alpha at which the tree changes.

    Attributes
    ----------
    alpha : float64 array
        Strictly growing from 0; step k is the tree for alpha[k] <= alpha < alpha[k + 1].
    n_leaves : int64 array
    risk : float64 array
        R(T) of each step.
    kind : {"cost", "impurity"}
    root_risk : float
        R(root); alpha / R(root) is rpart's cp.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> from ceiba.prune import pruning_sequence
    >>> X, y = load_iris(return_X_y=True)
    >>> sequence = pruning_sequence(ceiba.DecisionTreeClassifier().fit(X[:, 2:], y).tree_)
    >>> sequence.n_leaves.tolist()
    [7, 4, 3, 2, 1]
    """

    alpha: Array
    n_leaves: npt.NDArray[np.int64]
    risk: Array
    kind: Risk
    root_risk: float

    def __len__(self) -> int:
        return len(self.alpha)

    @property
    def alpha_between(self) -> Array:
        """Alpha' = sqrt(alpha[k] * alpha[k + 1]): a typical alpha of each step but the last."""
        return np.sqrt(self.alpha[:-1] * self.alpha[1:])

    def listing(self) -> Listing:
        """Give the steps as a table that prints well and turns into a frame."""
        figures = {"alpha": self.alpha, "n_leaves": self.n_leaves, "risk": self.risk}
        legend = (
            f"alpha: cost per leaf, in units of the mean {self.kind}; risk: R(T), "
            f"of the root {self.root_risk:.6g}"
        )
        return Listing(figures, title="pruning sequence", legend=legend)

    def __str__(self) -> str:
        return str(self.listing())


def pruning_sequence(tree: Tree, *, risk: Risk = "cost") -> PruningSequence:
    """Give the whole sequence of nested trees T(alpha), from T(0) to the root.

    Parameters
    ----------
    tree : Tree
    risk : {"cost", "impurity"}, default="cost"

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.prune import pruning_sequence
    >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
    >>> print(pruning_sequence(model.tree_))
    pruning sequence
       alpha  n_leaves      risk
           0         2         0
    0.333333         1  0.333333
    alpha: cost per leaf, in units of the mean cost; risk: R(T), of the root 0.333333
    """
    sums, whole = _risk_sums(tree, risk)
    born, dies = _lifetime(tree, sums)
    steps = np.unique(np.append(born, 0.0))
    # A node is a leaf of T(alpha) from the alpha at which it collapses until its parent does.
    first, last = np.searchsorted(steps, born), np.searchsorted(steps, dies)
    lives = first < last
    one, node_risk_sum = lives.astype(np.int64), np.where(lives, sums, 0.0)
    n = len(steps)
    leaves = np.bincount(first, one, n) - np.bincount(last, one, n + 1)[:n]
    change = np.bincount(first, node_risk_sum, n) - np.bincount(last, node_risk_sum, n + 1)[:n]
    return PruningSequence(
        alpha=steps / whole,
        n_leaves=np.cumsum(leaves).astype(np.int64),
        risk=np.cumsum(change) / whole,
        kind=risk,
        root_risk=float(sums[0] / whole),
    )


def pruning_path(tree: Tree) -> tuple[Array, Array]:
    """Give scikit-learn's `ccp_alphas` and `impurities`: one entry for each single collapse.

    Unlike `pruning_sequence`, the first entry is the tree as it is, collapses at the same alpha
    have an entry each, and the risk is the impurity.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.prune import pruning_path
    >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
    >>> pruning_path(model.tree_)
    (array([0.        , 0.44444444]), array([0.        , 0.44444444]))
    """
    sums, whole = _risk_sums(tree, "impurity")
    alphas = _alphas(tree, sums)
    above = np.append(alphas, np.inf)[tree.parent]  # the root's parent, -1, is the inf at the end
    # A node below one that collapses at the same alpha goes with it; the topmost has the entry.
    top = np.arange(tree.n_nodes)
    for i in np.flatnonzero(alphas == above).tolist():
        top[i] = top[tree.parent[i]]
    inner = ~tree.is_leaf
    was_leaf = np.flatnonzero((np.where(inner, alphas, -np.inf) < above) & (tree.parent >= 0))
    before = np.bincount(top[tree.parent[was_leaf]], sums[was_leaf], tree.n_nodes)
    entries = np.flatnonzero(inner & (alphas < above))
    entries = entries[np.argsort(alphas[entries], kind="stable")]
    impurity = sums[tree.leaves].sum() + np.cumsum(sums[entries] - before[entries])
    first = np.array([0.0, sums[tree.leaves].sum()])
    return (
        np.append(first[:1], alphas[entries]) / whole,
        np.append(first[1:], impurity) / whole,
    )


def _alphas(tree: Tree, sums: Array) -> Array:
    """Give each inner node's collapse alpha, in the unit of the sums; infinite at leaves."""
    return np.asarray(_core.collapse_alphas(tree.parent, sums), dtype=np.float64)


def _lifetime(tree: Tree, sums: Array) -> tuple[Array, Array]:
    """Give the alphas at which each node becomes a leaf of T(alpha), and at which it goes."""
    alphas = _alphas(tree, sums)
    # Noise below zero cannot be: a split never raises the risk.
    alphas = np.maximum(alphas, 0.0)
    born: Array = np.where(tree.is_leaf, 0.0, alphas)
    return born, np.append(alphas, np.inf)[tree.parent]


def _risk_sums(tree: Tree, risk: Risk) -> tuple[Array, float]:
    """Give the risk of each node as a sum over its rows, and the total weight."""
    if risk == "impurity":
        mass = search_mass(tree)
        return mass * tree.impurity, float(mass[0])
    if risk != "cost":
        raise OptionError(f"risk must be 'cost' or 'impurity'. Got {risk!r}.")
    if tree.n_outputs > 1:
        raise OptionError(
            f"risk='cost' needs a target with one output; this one has {tree.n_outputs}. "
            "Use risk='impurity'."
        )
    if tree.task == "regression":
        return tree.weight * tree.impurity, float(tree.weight[0])
    if tree.counts is None:
        return np.asarray(tree.risk), 1.0
    counts = tree.counts[:, 0, :]
    factor = class_factor(counts[0], tree.class_prior, tree.target.classes[0])
    return node_risk(counts, factor, tree.cost_matrix), float(counts[0].sum())
