"""A tree as rules: one line per leaf, ``if <conditions> then <answer>``, bounds merged.

The conditions are complete: they say where missing values and unseen levels go, so that a reader
with a table in hand gives the answers of `predict`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ceiba.paths.routes import End, LevelSet, Numbers, Restriction, Way, ends_of, refuse_fractional
from ceiba.tree.splits.sentences import level_text, number_text, range_sentence, separating_digits

if TYPE_CHECKING:
    from ceiba.table import ColumnInfo
    from ceiba.tree.tree import Tree

__all__ = ["to_rules"]


def to_rules(tree: Tree, *, exact: bool = False) -> str:
    """Give a tree as text rules, one line per leaf.

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
    if x <= 1 or x is missing then a  (p=1)
    if 1 < x <= 2.5 then b  (p=1)
    if x > 2.5 then c  (p=1)
    """
    refuse_fractional(tree, "rules")
    cuts = tree.splits.cut[tree.splits.cut == tree.splits.cut].tolist()
    digits = 17 if exact else separating_digits(cuts)
    lines = []
    for end in ends_of(tree):
        parts = _way(tree, end.merged, digits)
        parts += [_choice(tree, choice, digits) for choice in end.choices]
        many = len(parts) > 1
        shown = [f"({part})" if many and " or " in part else part for part in parts]
        lines.append(f"if {' and '.join(shown) or 'any row'} then {_answer(tree, end)}")
    return "\n".join(lines)


def _choice(tree: Tree, choice: tuple[Way, ...], digits: int) -> str:
    ways = []
    for way in choice:
        parts = _way(tree, way, digits)
        joined = " and ".join(f"({p})" if len(parts) > 1 and " or " in p else p for p in parts)
        ways.append(f"({joined})" if len(parts) > 1 else joined)
    return " or ".join(ways)


def _way(tree: Tree, way: Way, digits: int) -> list[str]:
    columns = tree.schema.columns
    return [_one(columns[j], one, digits) for j, one in way.items() if not one.is_all]


def _one(info: ColumnInfo, one: Restriction, digits: int) -> str:
    parts = [_levels(info, one)] if isinstance(one, LevelSet) else [_numbers(info, one, digits)]
    if one.missing:
        parts.append(f"{info.name} is missing")
    return " or ".join(filter(None, parts))


def _numbers(info: ColumnInfo, one: Numbers, digits: int) -> str:
    if not one.present:
        return ""
    said = range_sentence(info.name, one.low, one.high, info, digits)
    return said or f"{info.name} is present"


def _levels(info: ColumnInfo, one: LevelSet) -> str:
    if one.unknown:
        others = [code for code in range(one.n_levels) if code not in one.codes]
        if not others:
            return f"{info.name} is present"
        return f"{info.name} not in {{{', '.join(level_text(info.levels[c]) for c in others)}}}"
    if not one.codes:
        return ""
    names = [level_text(info.levels[code]) for code in sorted(one.codes)]
    return f"{info.name} = {names[0]}" if len(names) == 1 else (
        f"{info.name} in {{{', '.join(names)}}}"
    )  # fmt: skip


def _answer(tree: Tree, end: End) -> str:
    label: Any = tree.node(end.node).label
    labels = label if isinstance(label, tuple) else (label,)
    said = ", ".join(number_text(one) if isinstance(one, float) else str(one) for one in labels)
    notes = []
    if tree.task == "classification" and tree.n_outputs == 1:
        share = float(tree.value[end.node, 0, int(tree.answer[end.node])])
        notes.append(f"p={number_text(share, 3)}")
    if tree.n_rows[0]:
        notes.append(f"n={int(tree.n_rows[end.node])}")
    return f"{said}  ({', '.join(notes)})" if notes else said
