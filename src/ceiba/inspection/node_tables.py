"""List expected costs, weakest links and the routing of the training rows by node.

expected cost      of predicting i at node t: sum over j of C(i | j) p(j | t)
g(t)               (R(t) - R(T_t)) / (leaves of T_t - 1), the cost per leaf at which pruning the
                   branch T_t to the leaf t costs nothing (Breiman et al. 1984, section 3.3)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.errors import OptionError
from ceiba.listing import Listing, rows_to_columns
from ceiba.prune import PruningSequence, pruning_sequence
from ceiba.tree import Tree, sum_over_subtrees

_NOISE: Final = 1e-12


def expected_costs(tree: Tree, node: int = 0) -> Listing:
    """Return the expected cost of predicting each class at a node, and mark the predicted class."""
    tree.node(node)
    if not tree.task.has_classes or tree.n_outputs > 1:
        raise OptionError("expected_costs requires a single-output classification tree.")
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
    """Return the cost per leaf, g(t), of every inner node at every step of the pruning sequence.

    At each step the nodes with the least g, the weakest links, become leaves; their g is the alpha
    of the next step.

    Parameters
    ----------
    tree : Tree or PruningSequence
    risk : {"cost", "impurity"}, default="cost"

    Returns
    -------
    Listing
        step, alpha of the step, node (numbered as in the whole tree), R(t), R(T_t), leaves of
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
    unpruned = sequence.whole_tree
    risks = unpruned.risk if sequence.kind == "cost" else unpruned.search_share * unpruned.impurity
    rows: list[tuple[Any, ...]] = []
    for step, alpha in enumerate(sequence.alpha.tolist()):
        leaf = unpruned.is_leaf | (sequence.node_alpha <= alpha)
        top = leaf & ~_descendants(unpruned, leaf)  # leaves of the pruned tree at this step
        branch_risk = sum_over_subtrees(unpruned, np.where(top, risks, 0.0))
        leaves = sum_over_subtrees(unpruned, top.astype(np.float64))
        inner = np.flatnonzero(~leaf & ~_descendants(unpruned, leaf))
        if len(inner) == 0:
            continue
        g = (risks[inner] - branch_risk[inner]) / (leaves[inner] - 1)
        least = float(g.min())
        for node, link in zip(inner.tolist(), g.tolist(), strict=True):
            next_ = link <= least + _NOISE * max(abs(least), float(risks[0]))
            rows.append(
                (step, alpha, node, float(risks[node]), float(branch_risk[node]),
                 int(leaves[node]), link, "*" if next_ else "")
            )  # fmt: skip
    names = ("step", "alpha", "node", "R(t)", "R(T_t)", "leaves", "g", "weakest")
    return Listing(
        {name: np.array(column) for name, column in rows_to_columns(names, rows).items()},
        title="links of the pruning sequence",
        legend="g: (R(t) - R(T_t)) / (leaves - 1); weakest: these nodes become leaves next",
    )


def _descendants(tree: Tree, leaf: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return a mask of the nodes that have an ancestor in the mask `leaf`."""
    below = np.zeros(tree.n_nodes, bool)
    for i in range(1, tree.n_nodes):
        above = tree.parent[i]
        below[i] = below[above] or leaf[above]
    return below


def routing(tree: Tree) -> Listing:
    """Count the training rows that the split, surrogates and default rule route at each node.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    Listing
        Columns node, by ("split", "surrogate", "default", "stays", "shares"), question, rows; the
        rows sum to those of the node.

    Examples
    --------
    >>> import ceiba
    >>> X = {
    ...     "age": [20, 25, 30, 35, None, 50, 55, 60],
    ...     "height": [110, 120, 130, None, 115, 180, None, 175],
    ...     "sex": list("fmfmfmfm"),
    ... }
    >>> model = ceiba.rpart(minsplit=2, minbucket=1, xval=0).fit(X, list("aaaaabbb"))
    >>> print(ceiba.inspection.routing(model.tree_))
    what routed the training rows
    node  by         question        rows
       0  split      age < 42.5         7
       0  surrogate  height < 152.5     1
       0  default    -                  0
    by: the split if the value is present, else the first surrogate with a value, else the
    tree's rule for missing values
    """
    lines = [line for i in range(tree.n_nodes) if not tree.is_leaf[i] for line in _routers(tree, i)]
    return Listing(
        rows_to_columns(("node", "by", "question", "rows"), lines),
        title="what routed the training rows",
        legend="by: the split if the value is present, else the first surrogate with a value, "
        "else the\ntree's rule for missing values",
    )


def _routers(tree: Tree, i: int) -> Iterator[tuple[int, str, str, int]]:
    """Yield (node, by, question, rows) for the split, surrogates and default of a node."""
    node = tree.node(i)
    surrogates = node.surrogates if tree.active_surrogates is not None else ()
    by_surrogate = [surrogate.sent for surrogate in surrogates]
    last, rows = _fallback(tree, i)
    yield i, "split", node.sentence(0), node.n_rows - sum(by_surrogate) - rows
    for surrogate, n_rows in zip(surrogates, by_surrogate, strict=True):
        yield i, "surrogate", surrogate.split.sentence(0, tree.schema), n_rows
    yield i, last, "-", rows


def _fallback(tree: Tree, i: int) -> tuple[str, int]:
    """Return the rule for rows that neither split nor surrogates can route, and the row count."""
    children = tree.branch_node[tree.branch_start[i] : tree.branch_start[i + 1]]
    if tree.missing == "fractional":
        # A divided row is counted in every branch.
        extra = int(tree.n_rows[children].sum() - tree.n_rows[i])
        return "shares", extra // max(len(children) - 1, 1)
    left = int(tree.sent_default[i])
    stays = tree.default_branch[i] < 0 or int(tree.n_rows[children].sum()) < tree.n_rows[i]
    return "stays" if stays and left else "default", left
