"""Small figures that teaching texts compute by hand: plurality, expected costs, g(t) of each step.

plurality          the most frequent label of a set (Russell and Norvig, PLURALITY-VALUE)
expected cost      of answering i at node t: sum over j of C(i | j) p(j | t)
g(t)               (R(t) - R(T_t)) / (leaves of T_t - 1), the cost per leaf at which the branch
T_t is worth no more than t itself (Breiman et al. 1984, section 3.3)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.listing import Listing
from ceiba.prune import PruningSequence
from ceiba.prune.cost_complexity import pruning_sequence
from ceiba.table import read_target
from ceiba.tree import Tree
from ceiba.tree.shape import sum_up

_NOISE: Final = 1e-12


def plurality(labels: Any, *, weight: npt.ArrayLike | None = None) -> Any:
    """Return the most frequent label of a set; of equals the first in sorted order.

    Parameters
    ----------
    labels : array-like or mapping of label to count
    weight : array-like, optional
        Weight of each label.

    Returns
    -------
    label

    Examples
    --------
    >>> from ceiba.inspection import plurality
    >>> plurality(["Yes", "No", "Yes"]), plurality({"a": 3, "b": 3})
    ('Yes', 'a')
    """
    if isinstance(labels, Mapping):
        if not labels:
            raise OptionError("plurality: an empty set has no most frequent label.")
        most = max(labels.values())
        return next(label for label, count in labels.items() if count == most)
    target = read_target(labels, task="classification", n_rows=len(labels))
    weights = None if weight is None else np.asarray(weight, dtype=np.float64)
    counts = np.bincount(target.values[:, 0], weights=weights)
    label = target.info.classes[0][int(np.argmax(counts))]
    return label.item() if hasattr(label, "item") else label


def expected_costs(tree: Tree, node: int = 0) -> Listing:
    """List what each answer would cost at a node, and which one the tree gives.

    Parameters
    ----------
    tree : Tree
        Of classes, one output; without costs every mistake costs 1.
    node : int, default=0

    Returns
    -------
    Listing
        answer, probability of that class, expected cost, chosen.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import expected_costs
    >>> costs = {("ill", "well"): 10.0, ("well", "ill"): 1.0}
    >>> model = ceiba.DecisionTreeClassifier(cost_matrix=costs, max_depth=1)
    >>> tree = model.fit([[1]] * 10, ["ill"] * 2 + ["well"] * 8).tree_
    >>> print(expected_costs(tree))
    expected costs at node 0
    answer  probability  expected cost  chosen
    ill             0.2            0.8  *
    well            0.8              2
    expected cost: of this answer for a row of the node; chosen: the least, which the node answers
    """
    tree.node(node)
    if tree.task != "classification" or tree.n_outputs > 1:
        raise OptionError(
            "Expected costs are those of answers: of a tree of one output of classes."
        )
    labels = tree.target.classes[0].tolist()
    p = tree.value[node, 0]
    costs = 1.0 - np.eye(len(labels)) if tree.cost_matrix is None else tree.cost_matrix
    chosen = int(tree.answer[node])
    return Listing(
        {
            "answer": np.array(labels, dtype=object),
            "probability": p,
            "expected cost": p @ costs,
            "chosen": np.array(["*" if k == chosen else "" for k in range(len(labels))], object),
        },
        title=f"expected costs at node {node}",
        legend=(
            "expected cost: of this answer for a row of the node; chosen: the least, which the "
            "node answers"
        ),
    )


def weakest_links(tree: Tree | PruningSequence, *, risk: str = "cost") -> Listing:
    """List g(t) of every inner node at every step of the pruning sequence.

    At each step the nodes of the least g, the weakest links, become leaves; that g is the alpha of
    the next step.

    Parameters
    ----------
    tree : Tree or PruningSequence
    risk : {"cost", "impurity"}, default="cost"

    Returns
    -------
    Listing
        step, alpha of the step, node (by the numbers of the whole tree), R(t), R(T_t), leaves of
        T_t, g, and whether the node collapses next.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.inspection import weakest_links
    >>> model = ceiba.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "b", "a"])
    >>> table = weakest_links(model.tree_)
    >>> table["node"].tolist(), table["g"].tolist()
    ([0, 2], [0.25, 0.25])
    """
    sequence = tree if isinstance(tree, PruningSequence) else pruning_sequence(tree, risk=risk)  # type: ignore[arg-type]
    whole = sequence.whole_tree
    own = whole.risk if sequence.kind == "cost" else whole.search_share * whole.impurity
    rows: list[tuple[Any, ...]] = []
    for step, alpha in enumerate(sequence.alpha.tolist()):
        leaf = whole.is_leaf | (sequence.node_alpha <= alpha)
        top = leaf & ~_below(whole, leaf)
        branch_risk = sum_up(whole, np.where(top, own, 0.0))
        leaves = sum_up(whole, top.astype(np.float64))
        inner = np.flatnonzero(~leaf & ~_below(whole, leaf))
        if len(inner) == 0:
            continue
        g = (own[inner] - branch_risk[inner]) / (leaves[inner] - 1)
        least = float(g.min())
        for node, link in zip(inner.tolist(), g.tolist(), strict=True):
            next_ = link <= least + _NOISE * max(abs(least), float(own[0]))
            rows.append(
                (step, alpha, node, float(own[node]), float(branch_risk[node]),
                 int(leaves[node]), link, "*" if next_ else "")
            )  # fmt: skip
    names = ("step", "alpha", "node", "R(t)", "R(T_t)", "leaves", "g", "weakest")
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return Listing(
        {name: np.array(column) for name, column in zip(names, columns, strict=True)},
        title="links of the pruning sequence",
        legend="g: (R(t) - R(T_t)) / (leaves - 1); weakest: these nodes become leaves next",
    )


def _below(tree: Tree, leaf: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Mark nodes that have a marked node above them."""
    below = np.zeros(tree.n_nodes, bool)
    for i in range(1, tree.n_nodes):
        above = tree.parent[i]
        below[i] = below[above] or leaf[above]
    return below
