"""Trees put together from parts: a subtree replaced, or branches planted under a split.

Nodes are rows of arrays in pre-order, so a new tree is a concatenation of stretches of old ones and
a new list of parents. No recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ceiba.tree import Competitors, SplitTable, SplitTests, Surrogates
from ceiba.tree.construct.from_arrays import branches_of

if TYPE_CHECKING:
    from ceiba.tree import Tree

__all__ = ["graft", "plant"]

Ids = npt.NDArray[np.intp]

_FIGURES: Final = (
    "default_branch",
    "n_rows",
    "weight",
    "impurity",
    "gain",
    "value",
    "risk",
    "sent_default",
)


def graft(tree: Tree, node: int, part: Tree) -> Tree:
    """Put a tree in the place of a node and all below it.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.edit.graft import graft
    >>> tree = ceiba.tree.build(("x <= 2", "a", "b"))
    >>> graft(tree, 1, ceiba.tree.build(("x <= 1", "b", "a"))).splits.cut.tolist()
    [2.0, 1.0, nan, nan, nan]
    """
    end, n = int(tree.subtree_end[node]), tree.n_nodes
    before, after = np.arange(node), np.arange(end, n)
    moved = np.concatenate((before, np.full(end - node, node), after + part.n_nodes - (end - node)))
    inside = part.parent + node
    inside[0] = tree.parent[node]
    parent = np.concatenate((tree.parent[before], inside, moved[tree.parent[after]]))
    everything = np.arange(part.n_nodes)
    return _joined(tree, [(tree, before), (part, everything), (tree, after)], parent)


def plant(stem: Tree, branches: Sequence[Tree]) -> Tree:
    """Put branches under a tree of one node, which has the split that parts them already."""
    sizes = [branch.n_nodes for branch in branches]
    first = 1 + np.concatenate(([0], np.cumsum(sizes[:-1])))
    parents = [stem.parent]
    for start, branch in zip(first.tolist(), branches, strict=True):
        parent = branch.parent + start
        parent[0] = 0
        parents.append(parent)
    parts = [(stem, np.arange(1)), *((b, np.arange(b.n_nodes)) for b in branches)]
    return _joined(stem, parts, np.concatenate(parents))


def _joined(like: Tree, parts: Sequence[tuple[Tree, Ids]], parent: npt.NDArray[Any]) -> Tree:
    """Put stretches of several trees together under new parents."""
    branch_start, branch_node = branches_of(parent)
    figures: dict[str, Any] = {
        name: np.concatenate([getattr(tree, name)[ids] for tree, ids in parts]) for name in _FIGURES
    }
    counts = None
    if like.counts is not None:
        counts = np.concatenate([tree.counts[ids] for tree, ids in parts])  # type: ignore[index]
    return replace(
        like,
        parent=parent,
        branch_start=branch_start,
        branch_node=branch_node,
        splits=_joined_splits([tree.splits.take(ids) for tree, ids in parts]),
        counts=counts,
        surrogates=_joined_surrogates(parts),
        competitors=_joined_competitors(parts),
        tests=_joined_tests(parts),
        **figures,
    )


def _joined_splits(tables: Sequence[SplitTable]) -> SplitTable:
    names = ("kind", "column", "cut", "low_branch", "level_code", "level_branch", "interval_cut")
    figures: dict[str, Any] = _joined_arrays(tables, names)
    for name in ("level_start", "interval_start"):
        lengths = np.concatenate([np.diff(getattr(table, name)) for table in tables])
        figures[name] = np.concatenate(([0], np.cumsum(lengths)))
    return SplitTable(**figures)


def _joined_arrays(parts: Sequence[Any], names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}


def _joined_surrogates(parts: Sequence[tuple[Tree, Ids]]) -> Surrogates | None:
    if parts[0][0].surrogates is None:
        return None
    taken = [
        _no_surrogates(len(ids)) if tree.surrogates is None else tree.surrogates.take(ids)
        for tree, ids in parts
    ]
    figures: dict[str, Any] = _joined_arrays(taken, ("agreement", "adjusted", "sent"))
    return Surrogates(
        start=_joined_starts([part.start for part in taken]),
        splits=_joined_splits([part.splits for part in taken]),
        in_use=parts[0][0].surrogates.in_use,
        **figures,
    )


def _no_surrogates(n: int) -> Surrogates:
    none = np.zeros(0)
    return Surrogates(np.zeros(n + 1), SplitTable.none(0), none, none, none)


def _joined_competitors(parts: Sequence[tuple[Tree, Ids]]) -> Competitors | None:
    if all(tree.competitors is None for tree, _ in parts):
        return None
    taken = [
        Competitors(np.zeros(len(ids) + 1, np.int32), SplitTable.none(0), np.zeros(0))
        if tree.competitors is None
        else tree.competitors.take(ids)
        for tree, ids in parts
    ]
    return Competitors(
        _joined_starts([part.start for part in taken]),
        _joined_splits([part.splits for part in taken]),
        np.concatenate([part.gain for part in taken]),
    )


def _joined_tests(parts: Sequence[tuple[Tree, Ids]]) -> SplitTests | None:
    names = [tree.tests.name for tree, _ in parts if tree.tests is not None]
    if not names:
        return None
    taken = [
        SplitTests.none(names[0], len(ids))
        if tree.tests is None
        else tree.tests.take(ids, tree.is_leaf[ids])
        for tree, ids in parts
    ]
    return SplitTests.joined(taken)


def _joined_starts(starts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.int64]:
    lengths = np.concatenate([np.diff(start) for start in starts])
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
