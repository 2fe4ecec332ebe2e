"""Fold subtrees by depth or weight, and select the visible nodes with their texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ceiba.layout.captions import caption, edge_labels
from ceiba.layout.placing import depths
from ceiba.tree import Tree
from ceiba.words import words


@dataclass(frozen=True)
class FoldedTree:
    """The nodes of a tree that stay visible after folding."""

    nodes: tuple[int, ...]  # ids, in pre-order
    parent: tuple[int, ...]  # position of each node's parent in `nodes`; -1 for the root
    hidden: tuple[int, ...]  # number of hidden descendants of each visible node

    @property
    def n_hidden(self) -> int:
        """The number of hidden nodes."""
        return sum(self.hidden)

    @property
    def n_folded(self) -> int:
        """The number of visible nodes whose subtree is folded."""
        return sum(count > 0 for count in self.hidden)


def fold_tree(
    parent: Sequence[int],
    *,
    max_depth: int | None = None,
    weight: Sequence[float] | None = None,
    min_weight: float = 0.0,
) -> FoldedTree:
    """Fold nodes at `max_depth`, and nodes except the root with a weight below `min_weight`."""
    depth = depths(parent)
    index_of: dict[int, int] = {}  # index in `nodes` of each visible node, by node id
    over = [0] * len(parent)  # nearest visible ancestor of each node, or the node itself
    nodes: list[int] = []
    above: list[int] = []
    hidden: list[int] = []

    def is_folded(node: int) -> bool:
        if max_depth is not None and depth[node] >= max_depth:
            return True
        return depth[node] > 0 and weight is not None and weight[node] < min_weight

    for node, up in enumerate(parent):
        if up >= 0 and (up not in index_of or is_folded(up)):
            over[node] = over[up]
            hidden[index_of[over[node]]] += 1
            continue
        over[node] = node
        index_of[node] = len(nodes)
        nodes.append(node)
        above.append(-1 if up < 0 else index_of[up])
        hidden.append(0)
    return FoldedTree(tuple(nodes), tuple(above), tuple(hidden))


@dataclass(frozen=True)
class VisibleNode:
    """A visible node and its texts."""

    node: int
    parent: int  # index of the parent among the visible nodes; -1 for the root
    above: int  # id of the parent; -1 for the root
    leaf: bool
    hidden: int  # number of hidden descendants; if positive, drawn as a leaf
    head: str
    lines: tuple[str, ...]
    shares: tuple[float, ...]
    edge: str  # label on the edge above the node; "" for the root


def visible_nodes(
    tree: Tree, folded: FoldedTree, *, digits: int | None = None, lang: str = "en", **contents: Any
) -> Iterator[VisibleNode]:
    """Yield the visible nodes in pre-order; `contents` are passed to `caption`."""
    edges: dict[int, tuple[str, ...]] = {}
    for node, parent, hidden in zip(folded.nodes, folded.parent, folded.hidden, strict=True):
        leaf = hidden > 0 or bool(tree.is_leaf[node])
        text = caption(tree, node, leaf=leaf, digits=digits, lang=lang, **contents)
        hidden_line = (words(lang)("plot.more_nodes", n=hidden),) if hidden else ()
        above, edge = -1, ""
        if parent >= 0:
            above = folded.nodes[parent]
            if above not in edges:
                edges[above] = edge_labels(tree, above, lang=lang)
            edge = edges[above][int(tree.branch_index[node])]
        lines = (*text.lines, *hidden_line)
        yield VisibleNode(node, parent, above, leaf, hidden, text.head, lines, text.shares, edge)
