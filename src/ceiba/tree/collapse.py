"""Collapse subtrees of a tree into leaves.

In pre-order the nodes below i are the range `i + 1:subtree_end[i]`. One running sum over the range
ends marks the nodes to drop, and the remaining nodes stay in pre-order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.errors import TreeError
from ceiba.tree.arrays import Array
from ceiba.tree.attachments import take_attachments
from ceiba.tree.notes import take_notes

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree


def collapse(tree: Tree, nodes: int | Iterable[int]) -> Tree:
    """Return a new tree in which the given nodes (ids, or a mask over all nodes) are leaves."""
    grown = tree.__dict__.get("_grown")
    if grown is not None:  # computing the node arrays takes longer than a small fit
        from ceiba.tree.tree import tree_from_grown

        arrays = grown.arrays.collapse(_node_mask(grown.arrays.n_nodes, nodes))
        if arrays.n_nodes == grown.arrays.n_nodes:
            return tree
        fields = ("schema", "criterion", "missing", "unseen", "cost_matrix", "class_prior")
        kept = {name: getattr(tree, name) for name in fields}
        return tree_from_grown(grown._replace(arrays=arrays), **kept)
    chosen = _node_mask(tree.n_nodes, nodes) & ~tree.is_leaf
    if not chosen.any():
        return tree
    ids = np.flatnonzero(chosen)
    change = np.zeros(tree.n_nodes + 1, np.int64)
    np.add.at(change, ids + 1, 1)
    np.add.at(change, tree.subtree_end[ids], -1)
    keep = np.cumsum(change)[:-1] == 0
    nodes_left = np.flatnonzero(keep)
    leaf = chosen[nodes_left]
    new_id = np.cumsum(keep) - 1

    parent = tree.parent[nodes_left]
    n_branches = np.where(leaf, 0, tree.n_branches[nodes_left])
    branch_kept = np.repeat(keep & ~chosen, tree.n_branches)
    return replace(
        tree,
        parent=np.where(parent < 0, -1, new_id[parent]),
        branch_start=np.concatenate(([0], np.cumsum(n_branches))),
        branch_node=new_id[tree.branch_node[branch_kept]],
        splits=tree.splits.take(nodes_left, leaf),
        default_branch=np.where(leaf, -1, tree.default_branch[nodes_left]),
        n_rows=tree.n_rows[nodes_left],
        weight=tree.weight[nodes_left],
        impurity=tree.impurity[nodes_left],
        gain=np.where(leaf, 0.0, tree.gain[nodes_left]),
        value=tree.value[nodes_left],
        counts=None if tree.counts is None else tree.counts[nodes_left],
        risk=tree.risk[nodes_left],
        sent_default=np.where(leaf, 0, tree.sent_default[nodes_left]),
        surrogates=None if tree.surrogates is None else tree.surrogates.take(nodes_left, leaf),
        competitors=None if tree.competitors is None else tree.competitors.take(nodes_left, leaf),
        tests=None if tree.tests is None else tree.tests.take(nodes_left, leaf),
        notes=take_notes(tree.notes, nodes_left),
        attachments=take_attachments(tree.attachments, nodes_left),
    )


def _node_mask(n_nodes: int, nodes: Any) -> Array:
    """Convert node ids to a mask over all nodes; return a mask unchanged."""
    node_ids = nodes if np.isscalar(nodes) or isinstance(nodes, np.ndarray) else list(nodes)
    ids = np.atleast_1d(np.asarray(node_ids))
    mask = np.zeros(n_nodes, bool)
    if ids.size == 0:
        return mask
    if ids.dtype == bool and ids.shape == mask.shape:
        return ids.copy()
    if ids.dtype.kind not in "iu":
        raise TreeError(f"nodes must be integer ids or {n_nodes} booleans, got {node_ids!r}.")
    wrong = ids[(ids < 0) | (ids >= n_nodes)]
    if wrong.size:
        raise TreeError(
            f"Node {int(wrong[0])} does not exist. This tree has nodes 0 to {n_nodes - 1}."
        )
    mask[ids] = True
    return mask
