"""A state of the workspace: setup, model, and the lines of Python that built the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ceiba.errors import TreeError
from ceiba.studio.work.setup import Setup
from ceiba.tree import Tree

#: Branch numbers on the path to a node, which edits in other subtrees do not change.
BranchPath = tuple[int, ...]


def branch_path(tree: Tree, node: int) -> BranchPath:
    """Return the branch numbers on the path from the root to a node."""
    return tuple(int(tree.branch_index[i]) for i in tree.path(node).nodes[1:])


def find_node(tree: Tree, path: BranchPath) -> int | None:
    """Return the node at the end of a path, or None if the tree has no such path."""
    node = 0
    for branch in path:
        first, last = tree.branch_start[node : node + 2].tolist()
        if first + branch >= last:
            return None
        node = int(tree.branch_node[first + branch])
    return node


def levels_below_leaf(tree: Tree, path: BranchPath) -> int | None:
    """Return how many levels a path extends below a leaf, or None if no leaf is on the path."""
    for k in range(len(path) + 1):
        node = find_node(tree, path[:k])
        if node is not None and tree.is_leaf[node]:
            return len(path) - k
    return None


@dataclass(frozen=True, eq=False)
class State:
    """The setup, the model and the history of one version of the tree."""

    setup: Setup
    model: Any = None
    first_line: str = ""
    history: tuple[Any, str] | None = None
    by_hand: frozenset[BranchPath] = field(default_factory=frozenset)

    @property
    def tree(self) -> Tree | None:
        """The tree, or None if no target is chosen."""
        return None if self.model is None else self.model.tree_

    @property
    def fitted_tree(self) -> Tree:
        """The tree; raises an error if there is none yet."""
        if self.model is None:
            raise TreeError("There is no tree yet. Choose the target first.")
        tree: Tree = self.model.tree_
        return tree

    @property
    def lines(self) -> list[str]:
        """The lines of Python that built the tree, without the first line."""
        lines, rest = [], self.history
        while rest is not None:
            rest, line = rest
            lines.append(line)
        return lines[::-1]

    @cached_property
    def nodes_by_hand(self) -> list[int]:
        """The nodes whose split was set by hand."""
        tree = self.tree
        if tree is None:
            return []
        nodes = (find_node(tree, path) for path in self.by_hand)
        return sorted(node for node in nodes if node is not None and not tree.is_leaf[node])

    def with_model(
        self,
        model: Any,
        line: str,
        *,
        at: BranchPath | None = None,
        paths: Iterable[BranchPath] = (),
    ) -> State:
        """Return the next state, with the model after an action and its line of Python.

        `paths` lead to new splits set by hand; recorded ones at and below `at` are removed.
        """
        nodes = self.by_hand if at is None else {p for p in self.by_hand if p[: len(at)] != at}
        return replace(
            self, model=model, history=(self.history, line), by_hand=frozenset({*nodes, *paths})
        )


def list_rules(tree: Tree) -> list[dict[str, Any]]:
    """List the nodes that are sealed or have forbidden or preferred columns."""
    notes: Mapping[int, Any] = tree.notes or {}
    return [
        {
            "node": node,
            "forbid": list(note.forbid or ()),
            "prefer": list(note.prefer or ()),
            "sealed": bool(note.sealed),
        }
        for node, note in sorted(notes.items())
        if note.forbid or note.prefer or note.sealed
    ]


def split_paths(tree: Tree, node: int) -> list[BranchPath]:
    """Return the paths to the splits at and below a node."""
    inside = range(node, int(tree.subtree_end[node]))
    return [branch_path(tree, i) for i in inside if not bool(np.asarray(tree.is_leaf)[i])]
