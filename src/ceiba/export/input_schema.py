"""What a row must look like, as JSON Schema: for services, forms and validators."""

from __future__ import annotations

from typing import Any, Final

from ceiba.table import ColumnInfo
from ceiba.tree import Tree

_TIMES: Final = {"date": "date", "datetime": "date-time"}


def input_schema(tree: Tree) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of one row that the tree can answer.

    A column is required if the tree asks about it. Missing values are null, unless the tree refuses
    them. Levels are listed where others are refused (`unseen="error"`), else given as examples.
    """
    used = [tree.schema.names[j] for j in tree.used_features.tolist()]
    target = tree.target.name
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"a row for {target}" if target is not None else "a row",
        "type": "object",
        "properties": {info.name: _property(tree, info) for info in tree.schema.columns},
        "required": used,
        "additionalProperties": True,
    }


def _property(tree: Tree, info: ColumnInfo) -> dict[str, Any]:
    about: dict[str, Any] = {}
    if not info.is_numeric:
        names = {bool: "boolean", int: "integer", float: "number", str: "string"}
        kinds = list(dict.fromkeys(names[type(level)] for level in info.levels)) or ["string"]
        about["enum" if tree.unseen == "error" else "examples"] = list(info.levels)
    elif info.display == "boolean":
        kinds = ["boolean", "number"]
    elif info.display in _TIMES:
        kinds, about = ["string"], {"format": _TIMES[info.display]}
    else:
        kinds = ["number"]
        if info.display == "duration":
            about["description"] = "seconds"
        if info.minimum is not None and info.maximum is not None:
            seen = f"seen when fitting: {info.minimum:g} to {info.maximum:g}"
            about["description"] = "; ".join(filter(None, [about.get("description"), seen]))
    if tree.missing != "error":
        kinds = [*kinds, "null"]
        if "enum" in about:
            about["enum"] = [*about["enum"], None]
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **about}
