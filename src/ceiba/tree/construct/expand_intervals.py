"""Rewrite interval splits as chains of binary splits, for formats without multiway splits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceiba.tree.arrays import Array
from ceiba.tree.construct.from_arrays import from_arrays
from ceiba.tree.splits.split_table import Cut, Intervals, Presence, SplitKind, SplitTable

if TYPE_CHECKING:
    from ceiba.tree.splits.split_table import Split
    from ceiba.tree.tree import Tree


def expand_intervals(tree: Tree) -> Tree:
    """Return an equivalent tree in which chains of binary splits replace interval splits."""
    if not np.any(tree.splits.kind == SplitKind.INTERVALS):
        return tree
    chain = _Expansion(tree)
    source = np.array(chain.source)
    is_new = source < 0
    old_node = np.where(is_new, 0, source)
    regression = not tree.task.has_classes
    value = np.where(is_new[:, None, None], np.nan, tree.value[old_node])
    # A new node without weight has no mean, so it takes the value of the original node.
    empty = is_new & (_weights(tree, chain) == 0)
    value[empty] = tree.value[np.array(chain.owner)[empty]]
    return from_arrays(
        tree.schema,
        parent=np.array(chain.parent),
        splits=SplitTable.from_splits(chain.splits, tree.schema),
        value=value,
        counts=None if tree.counts is None else tree.counts[old_node],
        n_rows=tree.n_rows[old_node],
        weight=tree.weight[old_node],
        impurity=_impurity(tree, chain, is_new) if regression else None,
        default_branch=np.array(chain.default),
        criterion=tree.criterion,
        missing=tree.missing,
        unseen=tree.unseen,
        cost_matrix=tree.cost_matrix,
        class_prior=tree.class_prior,
    )


class _Expansion:
    """Parents, splits, default branches and original ids of the new tree's nodes, in pre-order."""

    def __init__(self, tree: Tree) -> None:
        self.parent: list[int] = []
        self.splits: list[Split | None] = []
        self.default: list[int] = []
        self.source: list[int] = []
        self.owner: list[int] = []
        # Stack of (old node, new parent, step); step k is binary split k of an interval split.
        waiting = [(0, -1, 0)]
        while waiting:
            old, above, step = waiting.pop()
            node = len(self.parent)
            self.parent.append(above)
            self.source.append(old if step == 0 else -1)
            self.owner.append(old)
            split = tree.splits.split(old, tree.schema)
            default = int(tree.default_branch[old])
            below = tree.branch_node[tree.branch_start[old] : tree.branch_start[old + 1]].tolist()
            if not isinstance(split, Intervals):
                self.splits.append(split)
                self.default.append(default)
                waiting += [(child, node, 0) for child in reversed(below)]
                continue
            if split.missing_branch and step == 0:
                self.splits.append(Presence(split.column))
                self.default.append(1)
                waiting += [(below[-1], node, 0), (old, node, 1)]
                continue
            at = step - split.missing_branch  # index of the cut that this node tests
            self.splits.append(Cut(split.column, split.cuts[at]))
            self.default.append(-1 if default < 0 else int(default != at))
            rest = (old, node, step + 1) if at + 1 < len(split.cuts) else (below[at + 1], node, 0)
            waiting += [rest, (below[at], node, 0)]


def _weights(tree: Tree, chain: _Expansion) -> Array:
    """Return the weight of each node; a new node has the total weight of its branches."""
    source = np.array(chain.source)
    weight = np.where(source < 0, 0.0, tree.weight[np.maximum(source, 0)])
    for node in range(len(weight) - 1, 0, -1):
        if source[above := chain.parent[node]] < 0:
            weight[above] += weight[node]
    return weight


def _impurity(tree: Tree, chain: _Expansion, is_new: Array) -> Array:
    """Return the impurity of each node: for new nodes, the variance within and between branches."""
    old_node = np.where(is_new, 0, np.array(chain.source))
    weight, value = _weights(tree, chain), tree.value[old_node, :, 0]
    impurity = np.where(is_new, 0.0, tree.impurity[old_node])
    below: list[list[int]] = [[] for _ in old_node]
    for node in range(len(old_node) - 1, 0, -1):
        below[chain.parent[node]].append(node)
        if is_new[node]:
            parts = below[node]
            share = weight[parts] / (weight[parts].sum() or 1.0)
            value[node] = share @ value[parts]
            spread = ((value[parts] - value[node]) ** 2).mean(axis=1)
            impurity[node] = share @ (impurity[parts] + spread)
    return impurity
