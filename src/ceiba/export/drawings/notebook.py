"""Show a tree in a notebook as a small picture and a foldable list of nodes.

Plain HTML without scripts: ``<details>`` folds, so it works wherever HTML is displayed.
"""

from __future__ import annotations

from html import escape
from typing import Final

from ceiba.export.drawings.svg import to_svg
from ceiba.formatting import escape_control
from ceiba.layout import FoldedTree, NodeFills, VisibleNode, fold_tree, fold_weight, visible_nodes
from ceiba.tree import Tree

PICTURE: Final = (820.0, 480.0)  # points
MAX_NODES: Final = 300  # number of nodes above which the list is folded
_OPEN: Final = 2  # number of levels of the list that are open at first


def to_notebook(tree: Tree, title: str = "Tree", below: str = "") -> str:
    """Return an HTML fragment that shows a tree, followed by the HTML in `below`."""
    leaves = f"{tree.n_leaves:,} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    rows = f", {tree.n_rows[0]:,} training rows" if tree.n_rows[0] else ""
    headline = escape(f"{title}: {leaves}, depth {tree.depth}{rows}")
    picture = to_svg(tree, font_size=10.0, size=PICTURE)
    parts = [
        '<div class="ceiba-tree" style="max-width:100%">',
        f'<details open=""><summary style="cursor:pointer"><b>{headline}</b></summary>',
        f'<div style="overflow-x:auto;padding:6px 0">{picture}</div></details>',
    ]
    if tree.n_nodes > 1:
        parts += ["<details>", '<summary style="cursor:pointer">Nodes</summary>']
        parts += [*_nested_list(tree), "</details>"]
    return "\n".join([*parts, below, "</div>"])


def _nested_list(tree: Tree) -> list[str]:
    """Return the nodes of a tree as nested HTML elements that readers can fold."""
    folding = _fold_lightest(tree)
    fills = NodeFills(tree)
    parts: list[str] = []
    open_nodes: list[int] = []  # indices of nodes whose HTML elements are still open
    for at, node in enumerate(visible_nodes(tree, folding)):
        while open_nodes and open_nodes[-1] != node.parent:
            open_nodes.pop()
            parts.append("</div></details>")
        line = _node_line(node, fills)
        if node.leaf:
            parts.append(f'<div style="padding-left:1em">{line}</div>')
            continue
        unfolded = ' open=""' if len(open_nodes) < _OPEN else ""
        parts.append(f'<details{unfolded}><summary style="cursor:pointer">{line}</summary>')
        parts.append('<div style="margin-left:0.4em;padding-left:1em;border-left:1px solid #8886">')
        open_nodes.append(at)
    parts += ["</div></details>"] * len(open_nodes)
    if folding.n_hidden:
        parts.append(f"<div>The lightest nodes are not listed: {folding.n_hidden:,}.</div>")
    return parts


def _node_line(node: VisibleNode, fills: NodeFills) -> str:
    colour, _ = fills(node.node, leaf=node.leaf)
    strength = 0.3 + 0.7 * float(fills.strengths[node.node])
    patch = f'<span style="color:{colour};opacity:{strength:.2f}">■</span>'
    edge = f"{escape(escape_control(node.edge))}: " if node.edge else ""
    figures = "".join(f" · {escape(escape_control(line))}" for line in node.lines)
    return f"{patch} {edge}<b>{escape(escape_control(node.head))}</b>{figures}"


def _fold_lightest(tree: Tree) -> FoldedTree:
    """Fold the subtrees of least weight if the tree has more than MAX_NODES nodes."""
    weight = fold_weight(tree)
    parent, weights = tree.parent.tolist(), weight.tolist()
    folding = fold_tree(parent)
    if len(folding.nodes) <= MAX_NODES:
        return folding
    # Keep the heaviest inner nodes that fit. A child is never heavier than its parent, so this also
    # keeps all ancestors of a kept node.
    inner = sorted(weight[~tree.is_leaf].tolist(), reverse=True)
    max_inner = MAX_NODES // 2
    return fold_tree(
        parent, weight=weights, min_weight=inner[min(max_inner, len(inner) - 1)] * (1 + 1e-12)
    )
