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

#: A place in a tree that does not depend on the numbers of nodes: branches from the root down.
Place = tuple[int, ...]


def place_of(tree: Tree, node: int) -> Place:
    """Return the branches from the root to a node."""
    return tuple(int(tree.branch_index[i]) for i in tree.path(node).nodes[1:])


def node_at(tree: Tree, place: Place) -> int | None:
    """Return the node at a place; None where the tree does not reach it."""
    node = 0
    for branch in place:
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
    first: str = ""
    history: tuple[Any, str] | None = None
    by_hand: frozenset[Place] = field(default_factory=frozenset)

    @property
    def tree(self) -> Tree | None:
        """The tree; None while there is no target."""
        return None if self.model is None else self.model.tree_

    @property
    def known_tree(self) -> Tree:
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
        nodes = (node_at(tree, place) for place in self.by_hand)
        return sorted(node for node in nodes if node is not None and not tree.is_leaf[node])

    def then(
        self, model: Any, line: str, *, at: Place | None = None, places: Iterable[Place] = ()
    ) -> State:
        """Return the state after a step."""
        others = self.by_hand if at is None else {p for p in self.by_hand if p[: len(at)] != at}
        return replace(
            self, model=model, history=(self.history, line), by_hand=frozenset({*others, *places})
        )


def rules_in(tree: Tree) -> list[dict[str, Any]]:
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


def places_below(tree: Tree, node: int) -> list[Place]:
    """Return the places of the splits at and below a node."""
    inside = range(node, int(tree.subtree_end[node]))
    return [place_of(tree, i) for i in inside if not bool(np.asarray(tree.is_leaf)[i])]
