"""Replace a subtree of a tree, or join branches under a split.

Nodes are rows of arrays in pre-order, so a new tree is a concatenation of node ranges of the old
ones, with new parents. Recursion is not necessary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from ceiba.tree import NodeNote, SplitTable, Tree, join_attachments, take_notes
from ceiba.tree.construct import branches_from_parents
from ceiba.tree.splits import CompetitorTable, SplitsByNode, SplitTests, SurrogateTable

Ids = npt.NDArray[np.intp]
TableT = TypeVar("TableT", bound=SplitsByNode)

_NODE_ARRAYS: Final = (
    "default_branch",
    "n_rows",
    "weight",
    "impurity",
    "gain",
    "value",
    "risk",
    "sent_default",
)


def graft(tree: Tree, node: int, other: Tree) -> Tree:
    """Replace the subtree of a node with another tree."""
    end, n = int(tree.subtree_end[node]), tree.n_nodes
    before, after = np.arange(node), np.arange(end, n)
    ids = np.concatenate((before, np.full(end - node, node), after + other.n_nodes - (end - node)))
    inside = other.parent + node
    inside[0] = tree.parent[node]
    parent = np.concatenate((tree.parent[before], inside, ids[tree.parent[after]]))
    everything = np.arange(other.n_nodes)
    return _concatenate(tree, [(tree, before), (other, everything), (tree, after)], parent)


def join_branches(stem: Tree, branches: Sequence[Tree]) -> Tree:
    """Attach subtrees as the branches of a one-node tree."""
    sizes = [branch.n_nodes for branch in branches]
    first = 1 + np.concatenate(([0], np.cumsum(sizes[:-1])))
    parents = [stem.parent]
    for start, branch in zip(first.tolist(), branches, strict=True):
        parent = branch.parent + start
        parent[0] = 0
        parents.append(parent)
    parts = [(stem, np.arange(1)), *((b, np.arange(b.n_nodes)) for b in branches)]
    return _concatenate(stem, parts, np.concatenate(parents))


def _concatenate(like: Tree, parts: Sequence[tuple[Tree, Ids]], parent: npt.NDArray[Any]) -> Tree:
    """Concatenate nodes of several trees, and set their parents."""
    branch_start, branch_node = branches_from_parents(parent)
    figures: dict[str, Any] = {
        name: np.concatenate([getattr(tree, name)[ids] for tree, ids in parts])
        for name in _NODE_ARRAYS
    }
    counts = surrogates = None
    if like.counts is not None:
        counts = np.concatenate([tree.counts[ids] for tree, ids in parts])  # type: ignore[index]
    if like.surrogates is not None:
        surrogates = _concatenate_tables(SurrogateTable, "surrogates", parts)
    return replace(
        like,
        parent=parent,
        branch_start=branch_start,
        branch_node=branch_node,
        splits=SplitTable.concatenate([tree.splits.take(ids) for tree, ids in parts]),
        counts=counts,
        surrogates=surrogates,
        competitors=_concatenate_tables(CompetitorTable, "competitors", parts),
        tests=_concatenate_tests(parts),
        notes=_concatenate_notes(parts),
        attachments=join_attachments([(tree.attachments, ids) for tree, ids in parts]),
        **figures,
    )


def _concatenate_tables(
    kind: type[TableT], name: str, parts: Sequence[tuple[Tree, Ids]]
) -> TableT | None:
    """Concatenate surrogate or competitor tables; a tree without a table adds no rows."""
    tables = [getattr(tree, name) for tree, _ in parts]
    if all(table is None for table in tables):
        return None
    return kind.concatenate(
        [
            kind.none(len(ids)) if table is None else table.take(ids)
            for table, (_, ids) in zip(tables, parts, strict=True)
        ]
    )


def _concatenate_tests(parts: Sequence[tuple[Tree, Ids]]) -> SplitTests | None:
    names = [tree.tests.name for tree, _ in parts if tree.tests is not None]
    if not names:
        return None
    records = [
        SplitTests.none(names[0], len(ids))
        if tree.tests is None
        else tree.tests.take(ids, tree.is_leaf[ids])
        for tree, ids in parts
    ]
    return SplitTests.concatenate(records)


def _concatenate_notes(parts: Sequence[tuple[Tree, Ids]]) -> dict[int, NodeNote] | None:
    notes: dict[int, NodeNote] = {}
    first = 0
    for tree, ids in parts:
        notes |= take_notes(tree.notes, ids, first) or {}
        first += len(ids)
    return notes or None
