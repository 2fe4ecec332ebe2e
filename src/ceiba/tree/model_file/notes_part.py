"""Names, notes and answers set by hand in the model file: a list of objects, one per node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from ceiba.tree.model_file.field import Field
from ceiba.tree.model_file.values import from_json, to_json
from ceiba.tree.notes import NodeNote

_TEXTS: Final = ("name", "note", "reason")
_NAMES: Final = tuple(one.name for one in fields(NodeNote))


def notes_to_json(notes: Mapping[int, NodeNote]) -> list[dict[str, Any]]:
    """Return notes by node, what is empty left out."""
    return [
        {"node": node}
        | {name: to_json(getattr(note, name)) for name in _NAMES if getattr(note, name) is not None}
        for node, note in sorted(notes.items())
    ]


def notes_from_json(field: Field | None, n: int) -> dict[int, NodeNote] | None:
    """Read notes of a tree of n nodes."""
    if field is None:
        return None
    notes: dict[int, NodeNote] = {}
    for entry in field.items(len(field.entries())):
        entry.object(("node",), _NAMES)
        node = entry["node"].integer(0, n - 1)
        if node in notes:
            entry.fail("A node has one note.", f"node {node} twice")
        given = {name: from_json(entry[name], {}) for name in _NAMES if name in entry.value}
        for name in _TEXTS:
            if not isinstance(given.get(name, ""), str):
                entry[name].fail("A text is needed.")
        if not isinstance(given.get("answer"), str | int | float | None):
            entry["answer"].fail("A label or a number is needed.")
        notes[node] = NodeNote(**given)
    return notes or None
