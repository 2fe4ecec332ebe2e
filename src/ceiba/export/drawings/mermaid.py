"""A tree as Mermaid text, which code hosts and note takers draw in the browser.

Labels are quoted, and all that Mermaid or HTML would read as a sign of its own is written as a
character code (``#60;`` is <).
"""

from __future__ import annotations

from typing import Any, Final

from ceiba.export.drawings.dot import fill_on_white
from ceiba.layout.colours import NodeFills
from ceiba.layout.fold import fold, shown_nodes
from ceiba.tree import Tree

_SIGNS: Final = '"#&<>`|\\[]{}()%;*_~'


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
    """Write a tree as a Mermaid flow chart.

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
        Colour leaves by class and purity, or by value.

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
    shown = fold(tree.parent.tolist(), max_depth=max_depth)
    lines, styles = ["flowchart TD"], []
    fills = NodeFills(tree)
    contents: Any = {"node_ids": node_ids, "impurity": impurity, "counts": counts}
    for one in shown_nodes(tree, shown, digits=digits, **contents):
        label = "<br/>".join(map(_safe, (one.head, *one.lines)))
        left, right = ("(", ")") if one.leaf else ("[", "]")
        lines.append(f'  n{one.node}{left}"{label}"{right}')
        if one.above >= 0:
            lines.append(f'  n{one.above} -->|"{_safe(one.edge)}"| n{one.node}')
        if filled and one.leaf:
            fill = fill_on_white(fills, one.node, one.leaf)
            styles.append(f"  style n{one.node} fill:{fill},color:#000000")
    return "\n".join([*lines, *styles])


def _safe(text: str) -> str:
    flat = " ".join(text.split())
    return "".join(f"#{ord(sign)};" if sign in _SIGNS else sign for sign in flat)
