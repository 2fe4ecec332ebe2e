"""Minimal cost-complexity pruning: the exact weakest-link sequence of one tree.

R_alpha(T) = R(T) + alpha * leaves(T). T(alpha) is the smallest subtree that minimises it; as alpha
grows the T(alpha) are nested and change at finitely many alphas (Breiman et al. 1984, chapter 3).
The core gives each inner node its collapse alpha: T(alpha) is the tree with all nodes collapsed
whose alpha is at most `alpha`.

Which risk R is, and how ties are kept exact: `risk.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.listing import Listing
from ceiba.prune.risk import NodeRisks, Risk, node_risks
from ceiba.tree import Tree

Array = npt.NDArray[np.float64]


def prune_tree(
    tree: Tree,
    alpha: float | None = None,
    *,
    cp: float | None = None,
    n_leaves: int | None = None,
    risk: Risk = "cost",
) -> Tree:
    """Give T(alpha), the smallest subtree with the least R(T) + alpha * leaves.

    Parameters
    ----------
    tree : Tree
    alpha : float, optional
        Cost per leaf, in units of the mean risk (times n: sums; divided by R(root): rpart's cp).
        0 removes the splits that do not lower the risk.
    cp : float, optional
        Instead of alpha: alpha as a share of R(root), as in rpart.
    n_leaves : int, optional
        Instead of alpha: the tree of the sequence with so many leaves; if none has, the largest
        with fewer.
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
    >>> prune_tree(tree, n_leaves=6).n_leaves
    4
    """
    if sum(given is not None for given in (alpha, cp, n_leaves)) != 1:
        raise OptionError("Give one of alpha, cp and n_leaves.")
    if n_leaves is not None:
        return pruning_sequence(tree, risk=risk).tree_with(n_leaves)
    if cp is not None:
        if isinstance(cp, bool) or not cp >= 0:
            raise OptionError(f"cp must be a number of at least 0. Got {cp!r}.")
        alpha = cp * pruning_sequence(tree, risk=risk).root_risk
    if alpha is None or isinstance(alpha, bool) or not alpha >= 0:
        raise OptionError(f"alpha must be a number of at least 0. Got {alpha!r}.")
    return tree.collapse(np.flatnonzero(collapse_alpha(tree, risk=risk) <= alpha))


def collapse_alpha(tree: Tree, *, risk: Risk = "cost", count_stayed: bool = True) -> Array:
    """Return the alpha at which each node's subtree collapses; infinite at leaves.

    A node below another one never has the larger alpha.

    Parameters
    ----------
    tree : Tree
    risk : {"cost", "impurity"}, default="cost"
    count_stayed : bool, default=True
        Whether rows that stay in an inner node (no branch for a missing value) count there; rpart
        leaves them out.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.prune import collapse_alpha
    >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
    >>> collapse_alpha(model.tree_)
    array([0.33333333,        inf,        inf])
    """
    return node_risks(tree, risk, count_stayed=count_stayed).collapse_alpha(tree)


@dataclass(frozen=True, eq=False)
class PruningSequence:
    """The nested trees T(alpha): one step for each alpha at which the tree changes.

    Attributes
    ----------
    alpha : float64 array
        Strictly growing from 0; step k is the tree for alpha[k] <= alpha < alpha[k + 1].
    n_leaves, n_splits : int64 arrays
    risk : float64 array
        R(T) of each step.
    kind : {"cost", "impurity"}
    root_risk : float
        R(root); alpha / R(root) is rpart's cp.
    node_alpha : float64 array of shape (n_nodes,)
        The alpha at which each node of the whole tree collapses; infinite at leaves.
    whole_tree : Tree
        The tree that the sequence shortens.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ceiba.DecisionTreeClassifier().fit(X[:, 2:], y).tree_
    >>> sequence = tree.pruning_sequence()
    >>> sequence.n_leaves.tolist()
    [7, 4, 3, 2, 1]
    >>> sequence.tree(2).n_leaves, sequence.tree_with(6).n_leaves
    (3, 4)
    """

    alpha: Array
    n_leaves: npt.NDArray[np.int64]
    n_splits: npt.NDArray[np.int64]
    risk: Array
    kind: Risk
    root_risk: float
    node_alpha: Array = field(repr=False)
    whole_tree: Tree = field(repr=False)

    def __len__(self) -> int:
        return len(self.alpha)

    @property
    def alpha_between(self) -> Array:
        """Alpha' = sqrt(alpha[k] * alpha[k + 1]): a typical alpha of each step but the last."""
        with np.errstate(over="ignore", under="ignore"):
            product = self.alpha[:-1] * self.alpha[1:]
        safe = (product > 1e-290) & (product < 1e290)
        apart = np.sqrt(self.alpha[:-1]) * np.sqrt(self.alpha[1:])
        return np.where(safe, np.sqrt(product), apart)

    @property
    def cp(self) -> Array:
        """Alpha / R(root), as in rpart's tables; 0 where the root has no risk."""
        return self.alpha / self.root_risk if self.root_risk > 0 else np.zeros(len(self))

    def tree(self, step: int) -> Tree:
        """Give the tree of a step; negative steps count from the end."""
        at = step + len(self) if step < 0 else step
        if not 0 <= at < len(self):
            raise OptionError(f"This sequence has steps 0 to {len(self) - 1}. Got {step}.")
        return self.whole_tree.collapse(np.flatnonzero(self.node_alpha <= self.alpha[at]))

    def tree_with(self, n_leaves: int) -> Tree:
        """Return the tree with so many leaves; if no step has, the largest with fewer."""
        if not isinstance(n_leaves, Integral) or isinstance(n_leaves, bool) or n_leaves < 1:
            raise OptionError(f"n_leaves must be a whole number of at least 1. Got {n_leaves!r}.")
        return self.tree(int(np.argmax(self.n_leaves <= n_leaves)))

    def listing(self) -> Listing:
        """Give the steps as a table that prints well and turns into a frame."""
        figures = {"alpha": self.alpha, "n_leaves": self.n_leaves, "risk": self.risk}
        weighted = "" if self.whole_tree.class_prior is None else "prior-weighted "
        legend = (
            f"alpha: cost per leaf, in units of the {weighted}mean {self.kind}; risk: R(T), "
            f"of the root {self.root_risk:.6g}"
        )
        return Listing(figures, title="pruning sequence", legend=legend)

    def __str__(self) -> str:
        return str(self.listing())


def pruning_sequence(
    tree: Tree, *, risk: Risk = "cost", count_stayed: bool = True
) -> PruningSequence:
    """Return the whole sequence of nested trees T(alpha), from T(0) to the root.

    Parameters
    ----------
    tree : Tree
    risk : {"cost", "impurity"}, default="cost"
    count_stayed : bool, default=True
        Whether rows that stay in an inner node (no branch for a missing value) count there; rpart
        leaves them out.

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
    return sequence_of(tree, node_risks(tree, risk, count_stayed=count_stayed), risk)


def sequence_of(tree: Tree, risks: NodeRisks, kind: Risk) -> PruningSequence:
    """Give the sequence of a tree whose risks are known."""
    node_alpha = risks.collapse_alpha(tree)
    inner = ~tree.is_leaf
    steps = np.unique(np.append(node_alpha[inner], 0.0))
    n = len(steps)
    # A node is a leaf of T(alpha) from the alpha at which it collapses until its parent does.
    born = np.searchsorted(steps, np.where(inner, node_alpha, 0.0))
    dies = np.append(born, n)[tree.parent]  # the root's parent, -1, is the end that never comes
    leaves = np.bincount(born, minlength=n) - np.bincount(dies, minlength=n + 1)[:n]
    risk = _step_sums(born, dies, risks.leaf, n)
    if risks.stayed is not None:  # rows stay in an inner node until it collapses
        at = np.flatnonzero(inner)
        risk = risk + _step_sums(np.zeros(len(at), np.intp), born[at], risks.stayed[at], n)
    return PruningSequence(
        alpha=steps,
        n_leaves=np.cumsum(leaves).astype(np.int64),
        n_splits=np.count_nonzero(inner) - np.cumsum(np.bincount(born[inner], minlength=n)),
        risk=risk / risks.whole,
        kind=kind,
        root_risk=float(risks.leaf[0] / risks.whole),
        node_alpha=node_alpha,
        whole_tree=tree,
    )


def _step_sums(
    first: npt.NDArray[np.intp], last: npt.NDArray[np.intp], amount: Array, n: int
) -> Array:
    """Sum amounts at each of n steps, where each counts from its first step until its last."""
    amount = np.where(first < last, amount, 0.0)
    change = np.bincount(first, amount, n) - np.bincount(last, amount, n + 1)[:n]
    return np.cumsum(change)


def pruning_path(tree: Tree) -> tuple[Array, Array]:
    """Give scikit-learn's `ccp_alphas` and `impurities`: one entry for each single collapse.

    Unlike `pruning_sequence`, the first entry is the tree as it is, collapses at the same alpha
    have an entry each (the last node of the tree first), and the risk is the impurity.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.prune import pruning_path
    >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
    >>> pruning_path(model.tree_)
    (array([0.        , 0.44444444]), array([0.        , 0.44444444]))
    """
    risks = node_risks(tree, "impurity", count_stayed=False)
    sums, alphas = risks.leaf, risks.collapse_alpha(tree)
    above = np.append(alphas, np.inf)[tree.parent]  # the root's parent, -1, is the inf at the end
    # A node below one that collapses at the same alpha goes with it; the topmost has the entry.
    top = np.arange(tree.n_nodes)
    for i in np.flatnonzero(alphas == above).tolist():
        top[i] = top[tree.parent[i]]
    inner = ~tree.is_leaf
    was_leaf = np.flatnonzero((np.where(inner, alphas, -np.inf) < above) & (tree.parent >= 0))
    before = np.bincount(top[tree.parent[was_leaf]], sums[was_leaf], tree.n_nodes)
    entries = np.flatnonzero(inner & (alphas < above))[::-1]
    entries = entries[np.argsort(alphas[entries], kind="stable")]
    impurity = sums[tree.leaves].sum() + np.cumsum(sums[entries] - before[entries])
    first = sums[tree.leaves].sum()
    return np.append(0.0, alphas[entries]), np.append(first, impurity) / risks.whole
