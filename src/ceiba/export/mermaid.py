"""A tree as Mermaid text, which code hosts and note takers draw in the browser.

Labels are quoted, and all that Mermaid or HTML would read as a sign of its own is written as a
character code (``#60;`` is <).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ceiba.export.dot import node_fill
from ceiba.layout import answers, caption, cut_digits, fold
from ceiba.tree.splits.sentences import DIGITS

if TYPE_CHECKING:
    from ceiba.tree import Tree

__all__ = ["to_mermaid"]

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
        Significant digits of cuts and values.
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
        label = "<br/>".join(map(_safe, text))
        left, right = ("(", ")") if leaf else ("[", "]")
        lines.append(f'  n{node}{left}"{label}"{right}')
        above = shown.parent[place]
        if above >= 0:
            word = answers(tree, shown.nodes[above])[turn[above]]
            turn[above] += 1
            lines.append(f'  n{shown.nodes[above]} -->|"{_safe(word)}"| n{node}')
        if filled and leaf:
            styles.append(f"  style n{node} fill:{node_fill(tree, node, leaf)},color:#000000")
    return "\n".join([*lines, *styles])


def _safe(text: str) -> str:
    flat = " ".join(text.split())
    return "".join(f"#{ord(sign)};" if sign in _SIGNS else sign for sign in flat)
