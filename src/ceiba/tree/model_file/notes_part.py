"""What people wrote on nodes, in the model file: a list of objects, one per node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from ceiba.tree.model_file.field import Field
from ceiba.tree.model_file.values import from_json, to_json
from ceiba.tree.notes import NodeNote

_TEXTS: Final = ("name", "note", "reason")
_LISTS: Final = ("forbid", "prefer")
_NAMES: Final = tuple(one.name for one in fields(NodeNote))


def notes_to_json(notes: Mapping[int, NodeNote]) -> list[dict[str, Any]]:
    """Return notes by node, what is empty left out."""
    return [
        {"node": node}
        | {name: _plain(getattr(note, name)) for name in _NAMES if getattr(note, name) is not None}
        for node, note in sorted(notes.items())
    ]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else to_json(value)


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
        given: dict[str, Any] = {
            name: tuple(entry[name].value) if name in _LISTS else from_json(entry[name], {})
            for name in _NAMES
            if name in entry.value and _is_readable(entry, name)
        }
        for name in _TEXTS:
            if not isinstance(given.get(name, ""), str):
                entry[name].fail("A text is needed.")
        if not isinstance(given.get("answer"), str | int | float | None):
            entry["answer"].fail("A label or a number is needed.")
        if given.get("sealed") not in (None, True):
            entry["sealed"].fail("true is needed.")
        notes[node] = NodeNote(**given)
    return notes or None


def _is_readable(entry: Field, name: str) -> bool:
    """Refuse a list that does not hold names of columns."""
    value = entry[name].value
    texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
    if name in _LISTS and not texts:
        entry[name].fail("A list of column names is needed.")
    return True
