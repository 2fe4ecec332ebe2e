"""One state of the work: the setup, the model, the lines of Python that made it. A value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ceiba.errors import TreeError
from ceiba.studio.work.setup import Setup
from ceiba.tree import Tree

#: A path in a tree that does not depend on the numbers of nodes: branches from the root down.
BranchPath = tuple[int, ...]


def branch_path(tree: Tree, node: int) -> BranchPath:
    """Return the branches from the root to a node."""
    return tuple(int(tree.branch_index[i]) for i in tree.path(node).nodes[1:])


def find_node(tree: Tree, path: BranchPath) -> int | None:
    """Return the node at a path; None where the tree does not reach it."""
    node = 0
    for branch in path:
        first, last = tree.branch_start[node : node + 2].tolist()
        if first + branch >= last:
            return None
        node = int(tree.branch_node[first + branch])
    return node


@dataclass(frozen=True, eq=False)
class State:
    """The tree as it is, and how it came about."""

    setup: Setup
    model: Any = None
    first_line: str = ""
    history: tuple[Any, str] | None = None
    by_hand: frozenset[BranchPath] = field(default_factory=frozenset)

    @property
    def tree(self) -> Tree | None:
        """The tree; None while there is no target."""
        return None if self.model is None else self.model.tree_

    @property
    def fitted_tree(self) -> Tree:
        """The tree, which must be there."""
        if self.model is None:
            raise TreeError("There is no tree yet. Choose the target first.")
        tree: Tree = self.model.tree_
        return tree

    @property
    def lines(self) -> list[str]:
        """Python that makes the tree, from its first line."""
        lines, rest = [], self.history
        while rest is not None:
            rest, line = rest
            lines.append(line)
        return lines[::-1]

    @cached_property
    def nodes_by_hand(self) -> list[int]:
        """The nodes whose split was made by hand."""
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
        """Return the state after a step."""
        others = self.by_hand if at is None else {p for p in self.by_hand if p[: len(at)] != at}
        return replace(
            self, model=model, history=(self.history, line), by_hand=frozenset({*others, *paths})
        )


def list_rules(tree: Tree) -> list[dict[str, Any]]:
    """Return the rules of growing that are set in a tree, by node."""
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
    """Return the paths of the splits at and below a node."""
    inside = range(node, int(tree.subtree_end[node]))
    return [branch_path(tree, i) for i in inside if not bool(np.asarray(tree.is_leaf)[i])]
