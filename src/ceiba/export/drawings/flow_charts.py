"""Export a tree as DOT text for Graphviz, or as a Mermaid flow chart."""

from __future__ import annotations

from typing import Any, Final

from ceiba.formatting import escape_control
from ceiba.layout import NodeFills, fold_tree, visible_nodes
from ceiba.tree import Tree

# Characters with a special meaning in Mermaid or HTML are written as character codes.
_SIGNS: Final = '"#&<>`|\\[]{}()%;*_~'


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
    """Return a tree as DOT text.

    Parameters
    ----------
    tree : Tree
    max_depth : int, optional
        Fold below this depth.
    node_ids, impurity, counts : bool, default=False
        Also show node numbers, impurities, weighted class counts.
    digits : int, optional
        Significant digits of values.
    filled : bool, default=True
        Color nodes by class and purity, or by value.
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
    folding = fold_tree(tree.parent.tolist(), max_depth=max_depth)
    style = "rounded,filled" if filled else "rounded"
    lines = [
        "digraph tree {",
        f"  node [shape=box, style={_quote(style)}, fontname={_quote(font)}];",
        f"  edge [fontname={_quote(font)}];",
    ]
    fills = NodeFills(tree)
    contents: Any = {"node_ids": node_ids, "impurity": impurity, "counts": counts}
    for node in visible_nodes(tree, folding, digits=digits, **contents):
        fill = f', fillcolor="{fill_on_white(fills, node.node, node.leaf)}"' if filled else ""
        lines.append(f"  {node.node} [label={_quote(node.head, *node.lines)}{fill}];")
        if node.above >= 0:
            lines.append(f"  {node.above} -> {node.node} [label={_quote(node.edge)}];")
    return "\n".join([*lines, "}"])


def fill_on_white(fills: NodeFills, node: int, leaf: bool) -> str:
    """Return the fill of a node blended with white, as "#rrggbb"."""
    colour, share = fills(node, leaf=leaf)
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(share * channel + (1 - share) * 255):02X}" for channel in parts)


def _quote(*lines: str) -> str:
    """Return lines as one quoted DOT string with Graphviz line breaks."""
    safe = (
        escape_control(line.replace("\r", " ").replace("\n", " "))
        .replace("\\", "\\\\")
        .replace('"', '\\"')
        for line in lines
    )
    return '"' + "\\n".join(safe) + '"'


def to_mermaid(
    tree: Tree,
    *,
    max_depth: int | None = None,
    node_ids: bool = False,
    impurity: bool = False,
    counts: bool = False,
    digits: int | None = None,
    filled: bool = True,
) -> str:
    """Return a tree as a Mermaid flow chart.

    Parameters
    ----------
    tree : Tree
    max_depth : int, optional
        Fold below this depth.
    node_ids, impurity, counts : bool, default=False
        Also show node numbers, impurities, weighted class counts.
    digits : int, optional
        Significant digits of values.
    filled : bool, default=True
        Color leaves by class and purity, or by value.

    Returns
    -------
    str

    Examples
    --------
    >>> import ceiba
    >>> print(ceiba.export.to_mermaid(ceiba.tree.build(("x <= 2.5", "a", "b")), filled=False))
    flowchart TD
      n0["x ≤ 2.5"]
      n1("a 100#37;")
      n0 -->|"yes"| n1
      n2("b 100#37;")
      n0 -->|"no"| n2
    """
    folding = fold_tree(tree.parent.tolist(), max_depth=max_depth)
    lines, styles = ["flowchart TD"], []
    fills = NodeFills(tree)
    contents: Any = {"node_ids": node_ids, "impurity": impurity, "counts": counts}
    for node in visible_nodes(tree, folding, digits=digits, **contents):
        label = "<br/>".join(map(_escape, (node.head, *node.lines)))
        left, right = ("(", ")") if node.leaf else ("[", "]")
        lines.append(f'  n{node.node}{left}"{label}"{right}')
        if node.above >= 0:
            lines.append(f'  n{node.above} -->|"{_escape(node.edge)}"| n{node.node}')
        if filled and node.leaf:
            fill = fill_on_white(fills, node.node, node.leaf)
            styles.append(f"  style n{node.node} fill:{fill},color:#000000")
    return "\n".join([*lines, *styles])


def _escape(text: str) -> str:
    flat = " ".join(text.split())
    return "".join(f"#{ord(sign)};" if sign in _SIGNS else sign for sign in flat)
