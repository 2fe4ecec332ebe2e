"""Collapse: a new tree in which some nodes are leaves.

In pre-order the nodes below i are the range `i + 1:subtree_end[i]`, so what goes is marked by one
running sum over range ends, and the new numbers are again pre-order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.errors import TreeError
from ceiba.tree.arrays import Array
from ceiba.tree.attachments import take_attachments
from ceiba.tree.notes import taken_notes

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree


def collapse(tree: Tree, nodes: int | Iterable[int]) -> Tree:
    """Return a new tree in which the given nodes (ids, or a mask over all nodes) are leaves."""
    chosen = _chosen(tree, nodes) & ~tree.is_leaf
    if not chosen.any():
        return tree
    ids = np.flatnonzero(chosen)
    change = np.zeros(tree.n_nodes + 1, np.int64)
    np.add.at(change, ids + 1, 1)
    np.add.at(change, tree.subtree_end[ids], -1)
    keep = np.cumsum(change)[:-1] == 0
    kept = np.flatnonzero(keep)
    leaf = chosen[kept]
    new_id = np.cumsum(keep) - 1

    parent = tree.parent[kept]
    n_branches = np.where(leaf, 0, tree.n_branches[kept])
    branch_kept = np.repeat(keep & ~chosen, tree.n_branches)
    return replace(
        tree,
        parent=np.where(parent < 0, -1, new_id[parent]),
        branch_start=np.concatenate(([0], np.cumsum(n_branches))),
        branch_node=new_id[tree.branch_node[branch_kept]],
        splits=tree.splits.take(kept, leaf),
        default_branch=np.where(leaf, -1, tree.default_branch[kept]),
        n_rows=tree.n_rows[kept],
        weight=tree.weight[kept],
        impurity=tree.impurity[kept],
        gain=np.where(leaf, 0.0, tree.gain[kept]),
        value=tree.value[kept],
        counts=None if tree.counts is None else tree.counts[kept],
        risk=tree.risk[kept],
        sent_default=np.where(leaf, 0, tree.sent_default[kept]),
        surrogates=None if tree.surrogates is None else tree.surrogates.take(kept, leaf),
        competitors=None if tree.competitors is None else tree.competitors.take(kept, leaf),
        tests=None if tree.tests is None else tree.tests.take(kept, leaf),
        notes=taken_notes(tree.notes, kept),
        attachments=take_attachments(tree.attachments, kept),
    )


def _chosen(tree: Tree, nodes: Any) -> Array:
    """Mark the chosen nodes; a mask over all nodes is taken as it is."""
    listed = nodes if np.isscalar(nodes) or isinstance(nodes, np.ndarray) else list(nodes)
    ids = np.atleast_1d(np.asarray(listed))
    mask = np.zeros(tree.n_nodes, bool)
    if ids.size == 0:
        return mask
    if ids.dtype == bool and ids.shape == mask.shape:
        return ids.copy()
    if ids.dtype.kind not in "iu":
        raise TreeError(f"Node ids must be whole numbers, got {nodes!r}.")
    wrong = ids[(ids < 0) | (ids >= tree.n_nodes)]
    if wrong.size:
        raise TreeError(
            f"Node {int(wrong[0])} does not exist. This tree has nodes 0 to {tree.n_nodes - 1}."
        )
    mask[ids] = True
    return mask
