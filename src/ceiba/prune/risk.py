"""The risk of each node, as sums over its rows: what pruning weighs against the number of leaves.

"cost" is R(t) as the tree has it: the expected misclassification cost under priors and cost matrix,
or the loss of a regression tree (squared error, absolute error, half the Poisson deviance).
"impurity" is the impurity times the weight as the split search saw it (scikit-learn's `ccp_alpha`).

Sums, not means, because ties must be ties: where counts and costs are whole numbers, so are the
sums, and alphas that are equal on paper are equal in floating point. All other risks carry rounding
noise; `NOISE` says how much of a risk is taken for noise when alphas are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ceiba import _core
from ceiba.errors import OptionError, TreeError
from ceiba.grow.priors import search_mass
from ceiba.task import Task
from ceiba.tree import Tree

Risk = Literal["cost", "impurity"]
Array = npt.NDArray[np.float64]

#: Part of a node's risk that may be rounding, where risks are not whole numbers.
NOISE: Final = 1e-12

_EXACT: Final = 2.0**53


@dataclass(frozen=True)
class NodeRisks:
    """Risks of all nodes of a tree, as sums."""

    leaf: Array
    stayed: Array | None
    whole: float
    tolerance: float

    def collapse_alpha(self, tree: Tree) -> Array:
        """Return the alpha at which each node's subtree collapses; infinite at leaves."""
        alphas = _core.collapse_alphas(
            tree.parent, self.leaf, self.whole, self.tolerance, self.stayed
        )
        # Below 0: the leaf is better whatever a leaf costs; alphas start at 0.
        clipped: Array = np.maximum(np.asarray(alphas), 0.0)
        return clipped


def node_risks(
    tree: Tree, risk: Risk = "cost", *, count_stayed: bool = True, mass: Array | None = None
) -> NodeRisks:
    """Give the risks of a tree's nodes, ready for pruning."""
    leaf, whole = risk_sums(tree, risk, mass=mass)
    stayed = _stayed(tree, risk, leaf, whole) if count_stayed else None
    sums = leaf if stayed is None else np.concatenate((leaf, stayed))
    exact = bool(np.all(sums == np.rint(sums))) and leaf[0] < _EXACT and whole == round(whole)
    return NodeRisks(leaf, stayed, whole, 0.0 if exact else NOISE)


def risk_sums(tree: Tree, risk: Risk, *, mass: Array | None = None) -> tuple[Array, float]:
    """Return the risk of each node as a sum over its rows, and the total weight."""
    tree.task.require((Task.CLASSIFICATION, Task.REGRESSION), "Cost-complexity pruning")
    if risk == "impurity":
        mass = search_mass(tree) if mass is None else mass
        return np.ascontiguousarray(mass * tree.impurity), float(mass[0])
    if risk != "cost":
        raise OptionError(f"risk must be 'cost' or 'impurity'. Got {risk!r}.")
    if tree.n_outputs > 1:
        raise OptionError(
            f"risk='cost' needs a target with one output; this one has {tree.n_outputs}. "
            "Use risk='impurity'."
        )
    if np.isinf(tree.risk).any():
        raise TreeError(
            "The risks of this tree's nodes are beyond the largest float64, because squares of the "
            "target's values are. Divide the target by a constant, and multiply predictions by it."
        )
    if np.isnan(tree.risk).any():
        raise TreeError(
            "The risks of this tree's nodes are not known. Count data on it: tree.recount(X, y)."
        )
    whole = float(tree.weight[0]) if tree.weight[0] > 0 else 1.0
    sums = tree.risk * whole
    if _is_whole(tree):
        sums = np.rint(sums)
    return np.ascontiguousarray(sums), whole


def _is_whole(tree: Tree) -> bool:
    """Return whether risks are sums of whole numbers: plain counts, with whole costs if any."""
    if tree.counts is None or tree.class_prior is not None:
        return False
    costs = tree.cost_matrix
    return bool(
        np.all(tree.counts == np.rint(tree.counts))
        and (costs is None or np.all(costs == np.rint(costs)))
    )


def _stayed(tree: Tree, risk: Risk, leaf: Array, whole: float) -> Array | None:
    """Give the risk of the rows that stay in inner nodes, as sums; None when no rows do."""
    if risk == "impurity":  # what the impurity of these rows is, the node does not know
        stayed = np.where(tree.is_leaf, 0.0, tree.end_share) * leaf
    else:
        stayed = tree.stayed_risk * whole
        if _is_whole(tree):
            stayed = np.rint(stayed)
    stays = ~tree.is_leaf & (tree.default_branch < 0) & (tree.sent_default > 0)
    return stayed if stays.any() else None
