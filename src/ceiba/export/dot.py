"""A tree as DOT text, for those who have Graphviz: ``dot -Tpdf tree.dot -o tree.pdf``.

Labels are quoted strings, not HTML, so any name can stand in them: quotes and backslashes are
escaped, everything else is as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ceiba.layout import answers, caption, class_palette, cut_digits, fold, node_strength
from ceiba.layout.colours import NUMBER, STRONGEST_FILL
from ceiba.tree.splits.sentences import DIGITS
from ceiba.visible import visible

if TYPE_CHECKING:
    from ceiba.tree import Tree

__all__ = ["to_dot"]


def to_dot(
    tree: Tree,
    *,
    max_depth: int | None = None,
    node_ids: bool = False,
    impurity: bool = False,
    counts: bool = False,
    digits: int | None = None,
    filled: bool = True,
    font: str = "sans-serif",
) -> str:
    """Write a tree as DOT text.

    Parameters
    ----------
    tree : Tree
    max_depth : int, optional
        Fold below this depth.
    node_ids, impurity, counts : bool, default=False
        Also show node numbers, impurities, weighted class counts.
    digits : int, optional
        Significant digits of cuts and values.
    filled : bool, default=True
        Colour nodes by class and purity, or by value.
    font : str, default="sans-serif"

    Returns
    -------
    str

    Examples
    --------
    >>> import ceiba
    >>> print(ceiba.export.to_dot(ceiba.tree.build(("x <= 2.5", "a", "b")), filled=False))
    digraph tree {
      node [shape=box, style="rounded", fontname="sans-serif"];
      edge [fontname="sans-serif"];
      0 [label="x ≤ 2.5"];
      1 [label="a 100%"];
      0 -> 1 [label="yes"];
      2 [label="b 100%"];
      0 -> 2 [label="no"];
    }
    """
    shown = fold(tree.parent.tolist(), max_depth=max_depth)
    style = "rounded,filled" if filled else "rounded"
    lines = [
        "digraph tree {",
        f"  node [shape=box, style={_quoted(style)}, fontname={_quoted(font)}];",
        f"  edge [fontname={_quoted(font)}];",
    ]
    turn = [0] * len(shown.nodes)
    places = cut_digits(tree, digits or DIGITS)
    for place, node in enumerate(shown.nodes):
        leaf = shown.hidden[place] > 0 or bool(tree.is_leaf[node])
        said = caption(
            tree,
            node,
            leaf=leaf,
            digits=digits,
            node_ids=node_ids,
            impurity=impurity,
            counts=counts,
            places=places,
        )
        text = [said.head, *said.lines]
        if shown.hidden[place]:
            text.append(f"+ {shown.hidden[place]} nodes")
        fill = f', fillcolor="{node_fill(tree, node, leaf)}"' if filled else ""
        lines.append(f"  {node} [label={_quoted(*text)}{fill}];")
        above = shown.parent[place]
        if above >= 0:
            word = answers(tree, shown.nodes[above])[turn[above]]
            turn[above] += 1
            lines.append(f"  {shown.nodes[above]} -> {node} [label={_quoted(word)}];")
    return "\n".join([*lines, "}"])


def node_fill(tree: Tree, node: int, leaf: bool) -> str:
    """Give the fill of a node on white paper, as "#rrggbb".

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.export.dot import node_fill
    >>> node_fill(ceiba.tree.build(("x <= 2.5", "a", "b")), 0, leaf=False)
    '#FFFFFF'
    """
    strength = node_strength(tree, node)
    if tree.n_outputs > 1:
        colour, share = NUMBER, 0.0
    elif tree.task == "regression":
        colour, share = NUMBER, 0.05 + 0.55 * strength
    else:
        colour = class_palette(len(tree.target.classes[0]))[int(tree.answer[node])]
        share = STRONGEST_FILL * (0.15 + 0.85 * strength) if leaf else 0.0
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(share * part + (1 - share) * 255):02X}" for part in parts)


def _quoted(*lines: str) -> str:
    """Write lines as one quoted string of DOT, with Graphviz's line break between them."""
    safe = (
        visible(line.replace("\r", " ").replace("\n", " "))
        .replace("\\", "\\\\")
        .replace('"', '\\"')
        for line in lines
    )
    return '"' + "\\n".join(safe) + '"'
