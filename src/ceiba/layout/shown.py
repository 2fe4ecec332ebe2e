"""The shown nodes of a tree with their words: what drawings and flow charts iterate over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ceiba.layout.captions import answers, caption
from ceiba.layout.fold import Fold
from ceiba.tree import Tree
from ceiba.words import words


@dataclass(frozen=True)
class ShownNode:
    """One shown node: `parent` is a position among the shown nodes, `above` the parent's id.

    `hidden` counts the nodes folded into it, which makes it a leaf of the drawing; `edge` is the
    word on the edge above it, "" at the root.
    """

    node: int
    parent: int
    above: int
    leaf: bool
    hidden: int
    head: str
    lines: tuple[str, ...]
    shares: tuple[float, ...]
    edge: str


def shown_nodes(
    tree: Tree, folded: Fold, *, digits: int | None = None, lang: str = "en", **contents: Any
) -> Iterator[ShownNode]:
    """Return the shown nodes in pre-order; `contents` are options of `caption`."""
    edges: dict[int, tuple[str, ...]] = {}
    for node, parent, hidden in zip(folded.nodes, folded.parent, folded.hidden, strict=True):
        leaf = hidden > 0 or bool(tree.is_leaf[node])
        text = caption(tree, node, leaf=leaf, digits=digits, lang=lang, **contents)
        more = (words(lang)("plot.more_nodes", n=hidden),) if hidden else ()
        above, edge = -1, ""
        if parent >= 0:
            above = folded.nodes[parent]
            if above not in edges:
                edges[above] = answers(tree, above, lang=lang)
            edge = edges[above][int(tree.branch_index[node])]
        lines = (*text.lines, *more)
        yield ShownNode(node, parent, above, leaf, hidden, text.head, lines, text.shares, edge)
