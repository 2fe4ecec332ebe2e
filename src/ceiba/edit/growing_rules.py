"""Rules for growing at and below a node: columns not asked about or asked first; sealed leaves.

They are kept in the notes of the tree: they survive edits elsewhere and travel in the model file. A
column that is forbidden further up stays forbidden below.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ceiba.errors import OptionError
from ceiba.tree.notes import NodeNote, with_note

if TYPE_CHECKING:
    from ceiba.tree.tree import Tree


@dataclass(frozen=True)
class GrowingRules:
    """What holds for growing at one node, by its own rules and those of the nodes above."""

    forbid: frozenset[str] = frozenset()
    prefer: frozenset[str] = frozenset()
    sealed: bool = False


def rules_at(tree: Tree, node: int) -> GrowingRules:
    """Return the rules that hold at a node."""
    if not tree.notes:
        return GrowingRules()
    notes = [tree.notes[i] for i in tree.path(node).nodes if i in tree.notes]
    forbidden = frozenset(name for note in notes for name in note.forbid or ())
    preferred = frozenset(name for note in notes for name in note.prefer or ())
    own = tree.notes.get(node)
    return GrowingRules(forbidden, preferred - forbidden, bool(own and own.sealed))


def forbid(tree: Tree, node: int, columns: str | Iterable[str]) -> Tree:
    """Forbid columns at and below a node; none allows all again."""
    names = _names(tree, columns)
    if len(names) == len(tree.schema.names):
        raise OptionError("forbid: all columns are named. Seal the node to keep it a leaf.")
    return with_note(tree, node, replace(_note(tree, node), forbid=names or None))


def prefer(tree: Tree, node: int, columns: str | Iterable[str]) -> Tree:
    """Ask about columns first, at and below a node; none takes the rule away."""
    return with_note(tree, node, replace(_note(tree, node), prefer=_names(tree, columns) or None))


def seal(tree: Tree, node: int, sealed: bool = True) -> Tree:
    """Make a leaf of a node that growing leaves alone; or let it grow again."""
    tree = tree.collapse(node) if sealed else tree
    return with_note(tree, node, replace(_note(tree, node), sealed=True if sealed else None))


def _note(tree: Tree, node: int) -> NodeNote:
    tree.node(node)
    return (tree.notes or {}).get(int(node), NodeNote())


def _names(tree: Tree, columns: str | Iterable[str]) -> tuple[str, ...]:
    """Check names of columns, and give them in the order of the table."""
    asked = {columns} if isinstance(columns, str) else set(columns)
    for name in asked:
        tree.schema.index(name)
    return tuple(name for name in tree.schema.names if name in asked)
