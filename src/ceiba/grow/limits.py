"""Node values clipped to the limits that monotone splits above them set.

Class counts stay those of the rows; only the answer moves, and the risk is that of the answer. The
core hands limits down while it grows (`hand_down_limits`): a split of a column with a direction
sets the middle between the values of its branches as the bound of all values below. `limited` does
the same to a finished tree whose rows were counted anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ceiba.grow.priors import class_factor
from ceiba.tree import Tree
from ceiba.tree.grown import node_risk, node_value, within

Array = npt.NDArray[np.float64]


def limited(tree: Tree, directions: Sequence[int]) -> Tree:
    """Move the answers of a classification tree of two classes into its monotone limits."""
    if not any(directions) or tree.counts is None or tree.n_nodes == 1:
        return tree
    answers = within(tree.counts, _numbers_within(tree, directions))
    factor = class_factor(tree.counts[0, 0], tree.class_prior, tree.target.classes[0])
    value = node_value(answers, factor)
    value[tree.weight == 0] = tree.value[tree.weight == 0]  # branches without rows say the parent's
    risk = node_risk(tree.counts[:, 0], factor, tree.cost_matrix, answers[:, 0])
    whole = tree.weight[0]
    return replace(tree, value=value, risk=risk / whole if whole > 0 else risk)


def _numbers_within(tree: Tree, directions: Sequence[int]) -> Array:
    """Give the share of the second class of each node, within the limits of the splits above."""
    assert tree.counts is not None
    counts = tree.counts[:, 0]
    total = counts.sum(axis=1)
    number: Array = np.divide(counts[:, 1], total, out=np.zeros(len(total)), where=total > 0)
    number[tree.weight == 0] = tree.value[tree.weight == 0, 0, 1]
    low, high = np.full(tree.n_nodes, -np.inf), np.full(tree.n_nodes, np.inf)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        below = tree.branch_node[tree.branch_start[node] : tree.branch_start[node + 1]]
        low[below], high[below] = low[node], high[node]
        number[below] = np.clip(number[below], low[node], high[node])
        direction = directions[int(tree.splits.column[node])]
        if direction == 0 or len(below) != 2:
            continue
        rising = (direction > 0) == (tree.splits.low_branch[node] == 0)
        lower, upper = below if rising else below[::-1]
        middle = number[below].mean()
        high[lower], low[upper] = min(high[node], middle), max(low[node], middle)
        number[lower], number[upper] = min(number[lower], middle), max(number[upper], middle)
    return number


def _equal(answers: Array) -> bool:
    """Return whether answers are the same but for the last bits, which shares may differ in."""
    return bool(np.allclose(answers, answers[0], rtol=1e-12, atol=0.0))


def folded(tree: Tree) -> Tree:
    """Return the tree with leaves in place of nodes below which all leaves answer alike.

    Two branches that are held at the same bound say the same: their split decides nothing. The new
    leaf has the value of its own rows, within the limits of the splits above it.
    """
    alike = tree.is_leaf.copy()
    start, nodes = tree.branch_start.tolist(), tree.branch_node
    stays = (tree.default_branch < 0) & (tree.sent_default > 0)
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        below = nodes[start[node] : start[node + 1]]
        alike[node] = alike[below].all() and not stays[node] and _equal(tree.value[below])
    return tree.collapse(np.flatnonzero(alike & ~tree.is_leaf))
