"""Minimal cost-complexity pruning by the exact weakest-link sequence of a tree.

R_alpha(T) = R(T) + alpha * leaves(T). T(alpha) is the smallest subtree that minimizes it; as alpha
grows the T(alpha) are nested and change at finitely many alphas (Breiman et al. 1984, chapter 3).
The core computes the collapse alpha of each inner node: T(alpha) is the tree with all nodes
collapsed whose alpha is at most `alpha`.

R is "cost": the expected misclassification cost under priors and cost matrix, or the loss of a
regression or survival tree, such as the squared error or half the Poisson deviance; or "impurity":
the impurity times the weight under the altered priors, as for scikit-learn's `ccp_alpha`. Risks are
sums, not means, so that ties are exact: integer counts and costs have integer sums, and alphas that
are equal in theory are equal in floating point. All other risks have rounding errors; differences
up to a share `NOISE` of a risk are ignored when alphas are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import OptionError, TreeError
from ceiba.grow import search_mass
from ceiba.listing import Listing
from ceiba.task import Task
from ceiba.tree import Tree, collapse

Risk = Literal["cost", "impurity"]
Array = npt.NDArray[np.float64]
Steps = npt.NDArray[np.intp]

#: Relative tolerance for rounding errors of risks that are not integers.
NOISE: Final = 1e-12

_EXACT: Final = 2.0**53


@dataclass(frozen=True)
class NodeRisks:
    """Risks of the nodes of a tree, and of the rows that end in inner nodes, summed over rows."""

    leaf: Array
    stayed: Array | None
    whole: float
    tolerance: float

    def collapse_alpha(self, tree: Tree) -> Array:
        """Return the alpha at which each node's subtree collapses, or infinity for leaves."""
        alphas = _core.collapse_alphas(
            tree.parent, self.leaf, self.whole, self.tolerance, self.stayed
        )
        # A node with less risk than its subtree has a negative alpha, so collapse it at alpha = 0.
        clipped: Array = np.maximum(np.asarray(alphas), 0.0)
        return clipped


def node_risks(
    tree: Tree, risk: Risk = "cost", *, count_stayed: bool = True, mass: Array | None = None
) -> NodeRisks:
    """Return the node risks that determine how a tree is pruned."""
    leaf, total = risk_sums(tree, risk, mass=mass)
    at_end = None
    stays = ~tree.is_leaf & (tree.default_branch < 0) & (tree.sent_default > 0)
    if count_stayed and stays.any():
        if risk == "impurity":  # assume that all rows of a node have the same impurity
            at_end = np.where(tree.is_leaf, 0.0, tree.end_share) * leaf
        else:
            at_end = tree.stayed_risk * total
            at_end = np.rint(at_end) if _has_integer_risks(tree) else at_end
    sums = leaf if at_end is None else np.concatenate((leaf, at_end))
    exact = bool(np.all(sums == np.rint(sums))) and leaf[0] < _EXACT and total == round(total)
    return NodeRisks(leaf, at_end, total, 0.0 if exact else NOISE)


def risk_sums(tree: Tree, risk: Risk, *, mass: Array | None = None) -> tuple[Array, float]:
    """Return the risk of each node as a sum over its rows, and the total weight."""
    tree.task.require(Task, "Cost-complexity pruning")
    if risk == "impurity":
        mass = search_mass(tree) if mass is None else mass
        return np.ascontiguousarray(mass * tree.impurity), float(mass[0])
    if risk != "cost":
        raise OptionError(f"risk must be 'cost' or 'impurity', got {risk!r}.")
    if tree.n_outputs > 1:
        raise OptionError(
            f"risk='cost' requires a single-output target, got {tree.n_outputs} outputs. Use "
            "risk='impurity'."
        )
    if np.isinf(tree.risk).any():
        raise TreeError(
            "The risks of this tree overflow float64, because its targets are too large to square. "
            "Divide the target by a constant, refit, and multiply predictions by the constant."
        )
    if np.isnan(tree.risk).any():
        raise TreeError("The risk of some nodes is unknown. Pass tree.refit_leaves(X, y) instead.")
    total = float(tree.weight[0]) if tree.weight[0] > 0 else 1.0
    sums = tree.risk * total
    if _has_integer_risks(tree):
        sums = np.rint(sums)
    return np.ascontiguousarray(sums), total


def _has_integer_risks(tree: Tree) -> bool:
    """Whether a tree's class counts and costs are integers, so that all its risks are integers."""
    if tree.counts is None or tree.class_prior is not None:
        return False
    costs = tree.cost_matrix
    return bool(
        np.all(tree.counts == np.rint(tree.counts))
        and (costs is None or np.all(costs == np.rint(costs)))
    )


def prune_tree(
    tree: Tree,
    alpha: float | None = None,
    *,
    cp: float | None = None,
    n_leaves: int | None = None,
    risk: Risk = "cost",
) -> Tree:
    """Return the smallest subtree that minimizes risk + alpha * number of leaves.

    Parameters
    ----------
    tree : Tree
    alpha : float, optional
        Cost per leaf, in units of the mean risk; rpart's cp is alpha / (risk of the root).
        0 removes the splits that do not lower the risk.
    cp : float, optional
        Instead of alpha: alpha as a share of the root's risk, as in rpart.
    n_leaves : int, optional
        Instead of alpha: the tree of the sequence with this number of leaves, or else the largest
        one with fewer.
    risk : {"cost", "impurity"}, default="cost"
        Expected misclassification cost (or loss), or impurity as in scikit-learn's `ccp_alpha`.

    Returns
    -------
    Tree
        A new tree; `tree` does not change.

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
    if sum(value is not None for value in (alpha, cp, n_leaves)) != 1:
        raise OptionError("Pass exactly one of alpha, cp and n_leaves.")
    if n_leaves is not None:
        return pruning_sequence(tree, risk=risk).tree_with(n_leaves)
    if cp is not None:
        if isinstance(cp, bool) or not cp >= 0:
            raise OptionError(f"cp must be a non-negative number, got {cp!r}.")
        alpha = cp * pruning_sequence(tree, risk=risk).root_risk
    if alpha is None or isinstance(alpha, bool) or not alpha >= 0:
        raise OptionError(f"alpha must be a non-negative number, got {alpha!r}.")
    return tree.collapse(np.flatnonzero(collapse_alpha(tree, risk=risk) <= alpha))


def collapse_alpha(tree: Tree, *, risk: Risk = "cost", count_stayed: bool = True) -> Array:
    """Return the alpha at which each node's subtree collapses, or infinity for leaves."""
    return node_risks(tree, risk, count_stayed=count_stayed).collapse_alpha(tree)


@dataclass(frozen=True, eq=False)
class PruningSequence:
    """Nested pruned trees, one for each alpha at which the pruned tree changes.

    Attributes
    ----------
    alpha : float64 array
        Strictly increasing from 0; step k is the tree for alpha[k] <= alpha < alpha[k + 1].
    n_leaves, n_splits : int64 arrays
    risk : float64 array
        Risk of the tree at each step.
    kind : {"cost", "impurity"}
    root_risk : float
        Risk of the root; alpha / root_risk is rpart's cp.
    node_alpha : float64 array of shape (n_nodes,)
        The alpha at which each node of the unpruned tree collapses, or infinity for leaves.
    whole_tree : Tree
        The unpruned tree.

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
        """Geometric mean of alpha[k] and alpha[k + 1] for each step except the last."""
        with np.errstate(over="ignore", under="ignore"):
            product = self.alpha[:-1] * self.alpha[1:]
        safe = (product > 1e-290) & (product < 1e290)
        roots = np.sqrt(self.alpha[:-1]) * np.sqrt(self.alpha[1:])
        return np.where(safe, np.sqrt(product), roots)

    @property
    def cp(self) -> Array:
        """Alpha as a fraction of the root's risk, as in rpart's tables, or 0 if that risk is 0."""
        return self.alpha / self.root_risk if self.root_risk > 0 else np.zeros(len(self))

    def tree(self, step: int) -> Tree:
        """Return the tree of a step; negative steps count from the end."""
        at = step + len(self) if step < 0 else step
        if not 0 <= at < len(self):
            raise OptionError(f"step must be from {-len(self)} to {len(self) - 1}, got {step}.")
        return collapse(self.whole_tree, np.flatnonzero(self.node_alpha <= self.alpha[at]))

    def tree_with(self, n_leaves: int) -> Tree:
        """Return the tree with this number of leaves, or else the largest one with fewer."""
        if not isinstance(n_leaves, Integral) or isinstance(n_leaves, bool) or n_leaves < 1:
            raise OptionError(f"n_leaves must be a positive integer, got {n_leaves!r}.")
        return self.tree(int(np.argmax(self.n_leaves <= n_leaves)))

    def listing(self) -> Listing:
        """Return the steps as a table that prints and converts to a data frame."""
        figures = {"alpha": self.alpha, "n_leaves": self.n_leaves, "risk": self.risk}
        weighted = "" if self.whole_tree.class_prior is None else "prior-weighted "
        legend = (
            f"alpha: cost per leaf, in units of the {weighted}mean {self.kind}; risk: R(T), "
            f"with R(root) = {self.root_risk:.6g}"
        )
        return Listing(figures, title="pruning sequence", legend=legend)

    def __str__(self) -> str:
        return str(self.listing())


def pruning_sequence(
    tree: Tree, *, risk: Risk = "cost", count_stayed: bool = True
) -> PruningSequence:
    """Return the pruning sequence: nested trees from the one at alpha = 0 to the root."""
    risks = node_risks(tree, risk, count_stayed=count_stayed)
    node_alpha = risks.collapse_alpha(tree)
    inner = ~tree.is_leaf
    steps = np.unique(np.append(node_alpha[inner], 0.0))
    n = len(steps)
    # A node is a leaf of T(alpha) from its own collapse until its parent collapses. Cumulative sums
    # of the changes at these two steps give the leaves and risks of all steps in linear time.
    born, dies = steps_of_leaves(tree, steps, node_alpha)
    leaves = np.bincount(born, minlength=n) - np.bincount(dies, minlength=n + 1)[:n]
    sums = sums_by_step(born, dies, risks.leaf, n)
    if risks.stayed is not None:  # add rows that end in inner nodes that still exist
        at = np.flatnonzero(inner)
        sums = sums + sums_by_step(np.zeros(len(at), np.intp), born[at], risks.stayed[at], n)
    return PruningSequence(
        alpha=steps,
        n_leaves=np.cumsum(leaves).astype(np.int64),
        n_splits=np.count_nonzero(inner) - np.cumsum(np.bincount(born[inner], minlength=n)),
        risk=sums / risks.whole,
        kind=risk,
        root_risk=float(risks.leaf[0] / risks.whole),
        node_alpha=node_alpha,
        whole_tree=tree,
    )


def steps_of_leaves(tree: Tree, steps: Array, node_alpha: Array) -> tuple[Steps, Steps]:
    """Return the pruning step at which each node becomes a leaf, and the step for its parent."""
    born = np.searchsorted(steps, np.where(tree.is_leaf, 0.0, node_alpha))
    # The parent -1 of the root selects the last entry, a step beyond the sequence.
    return born, np.append(born, len(steps))[tree.parent]


def sums_by_step(first: Steps, last: Steps, amount: Array, n: int) -> Array:
    """Return, for each of `n` steps, the sum of the amounts with `first <= step < last`."""
    amount = np.where(first < last, amount, 0.0)
    change = np.bincount(first, amount, n) - np.bincount(last, amount, n + 1)[:n]
    return np.cumsum(change)


def pruning_path(tree: Tree) -> tuple[Array, Array]:
    """Return scikit-learn's `ccp_alphas` and `impurities`, with one entry per collapse."""
    risks = node_risks(tree, "impurity", count_stayed=False)
    sums, alphas = risks.leaf, risks.collapse_alpha(tree)
    above = np.append(alphas, np.inf)[tree.parent]  # -1, the root's parent, selects the last entry
    # Nodes that collapse at the same alpha as their parent share its entry.
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
