"""A tree as rules: one line per leaf, ``if <conditions> then <answer>``, bounds merged.

The conditions are complete: they say where missing values and unseen levels go, so that a reader
with a table in hand gives the answers of `predict`.
"""

from __future__ import annotations

from typing import Any

from ceiba.paths.of_tree import ends_of, refuse_fractional, root_answers
from ceiba.tree.notes import note_text
from ceiba.tree.splits.sentences import ALL_DIGITS, number_text
from ceiba.tree.tree import Tree


def to_rules(tree: Tree, *, exact: bool = False) -> str:
    """Return a tree as text rules, one line per leaf.

    Parameters
    ----------
    tree : Tree
    exact : bool, default=False
        Write cuts with all their digits.

    Returns
    -------
    str

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", ("x <= 1", "a", "b"), "c"))
    >>> print(tree.export("rules"))
    if x <= 1 or missing then a  (p=1)
    if 1 < x <= 2.5 then b  (p=1)
    if x > 2.5 then c  (p=1)
    """
    refuse_fractional(tree, "rules")
    digits = ALL_DIGITS if exact else None
    lines = [
        f"if {condition.text(digits=digits, complete=True)} then {_answer(tree, node)}"
        for node, condition in ends_of(tree)
    ]
    if root_answers(tree):
        lines.append(f"else {_answer(tree, 0)}")
    return "\n".join(lines)


def _answer(tree: Tree, node: int) -> str:
    label: Any = tree.node(node).label
    labels = label if isinstance(label, tuple) else (label,)
    texts = [number_text(one) if isinstance(one, float) else str(one) for one in labels]
    shown = ", ".join(tree.target.of_output(k, text) for k, text in enumerate(texts))
    notes = []
    if tree.task == "classification" and tree.n_outputs == 1:
        share = float(tree.value[node, 0, int(tree.answer[node])])
        notes.append(f"p={number_text(share, 3)}")
    if tree.n_rows[0]:
        notes.append(f"n={int(tree.n_rows[node])}")
    written = f"  # {note}" if (note := note_text(tree, node)) else ""
    return f"{shown}  ({', '.join(notes)}){written}" if notes else f"{shown}{written}"
