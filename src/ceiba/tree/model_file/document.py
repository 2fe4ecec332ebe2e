"""The model file ``.ceiba``: a JSON document with the tree, its schema and, if any, its estimator.

``{"format": "ceiba", "version": 7, "written": {...}, "schema": {...}, "tree": {...},
"model": {...} | null, "metadata": {...}}``; every key is described in docs/model_file.md. A file
of another version is refused by its number.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, BinaryIO, Final

from ceiba.errors import ModelFileError
from ceiba.tree.model_file.atomic import atomic
from ceiba.tree.model_file.field import Field
from ceiba.tree.model_file.schema_part import schema_from_json, schema_to_json
from ceiba.tree.model_file.storage import pack, read_bytes, refuse_crowded, unpack
from ceiba.tree.model_file.tree_part import tree_from_json, tree_to_json
from ceiba.tree.model_file.values import to_json
from ceiba.tree.tree import Tree

VERSION: Final = 7
_KEYS: Final = ("format", "version", "written", "schema", "tree")
_MORE: Final = ("model", "metadata")


@dataclass(frozen=True)
class Document:
    """What a model file holds.

    Attributes
    ----------
    tree : Tree
    model : Field or None
        The estimator's class, parameters and fitted attributes, as read, not yet trusted.
    metadata : dict
        What the writer wanted to add: strings, numbers, lists.
    written : dict
        Version of ceiba that wrote the file, and when.

    Examples
    --------
    >>> import ceiba
    >>> from ceiba.tree.model_file import dumps, loads
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> loads(dumps(tree)).tree == tree
    True
    """

    tree: Tree
    model: Field | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    written: dict[str, Any] = field(default_factory=dict)


def dumps(
    tree: Tree, *, model: Mapping[str, Any] | None = None, metadata: Mapping[str, Any] | None = None
) -> bytes:
    """Return the text of a model file: UTF-8 JSON, one array per line.

    Parameters
    ----------
    tree : Tree
    model : mapping, optional
        The estimator as plain data.
    metadata : mapping, optional
        Anything JSON can say: where the data came from, who is to be asked, a hash.

    Raises
    ------
    ModelFileError
        `loads` would refuse the text.
    """
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    document = {
        "format": "ceiba",
        "version": VERSION,
        "written": {"ceiba": version("ceiba"), "at": now},
        "schema": _readable(schema_to_json(tree.schema)),
        "tree": tree_to_json(tree),
        "model": None if model is None else dict(model),
        "metadata": to_json(dict(metadata or {})),
    }
    lines: list[str] = []
    _lay_out(document, "", lines)
    text = "\n".join(lines) + "\n"
    # Lone surrogates (names from broken strings) are escaped: UTF-8 cannot hold them.
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        raw = json.dumps(document, allow_nan=False).encode("ascii")
    refuse_crowded(raw)
    return raw


def _readable(schema: dict[str, Any]) -> dict[str, Any]:
    """Refuse a schema that a reader would refuse."""
    schema_from_json(Field(schema, "schema"))
    return schema


def _lay_out(value: Any, indent: str, lines: list[str], head: str = "", tail: str = "") -> None:
    """Write objects and lists of objects over several lines, all else on one."""
    if isinstance(value, dict) and value:
        opening, closing, inside = "{", "}", list(value.items())
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        opening, closing, inside = "[", "]", [(None, one) for one in value]
    else:
        lines.append(f"{indent}{head}{_dump(value)}{tail}")
        return
    if opening == "{" and not any(isinstance(one, dict | list) for one in value.values()):
        lines.append(f"{indent}{head}{_dump(value)}{tail}")
        return
    lines.append(f"{indent}{head}{opening}")
    for at, (key, one) in enumerate(inside):
        name = "" if key is None else f"{_dump(key)}: "
        _lay_out(one, indent + " ", lines, name, "," if at + 1 < len(inside) else "")
    lines.append(f"{indent}{closing}{tail}")


def _dump(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def loads(raw: bytes) -> Document:
    """Read the bytes of a model file, packed or not; everything is checked before it is used.

    Raises
    ------
    ModelFileError
        Naming the place of the first thing that is wrong.
    """
    top = Field(_parse(unpack(raw)))
    if not isinstance(top.value, dict) or top.value.get("format") != "ceiba":
        raise ModelFileError(
            "This is not a model file of ceiba: it does not begin with "
            '{"format": "ceiba", ...}. Such files are written by model.save(path).'
        )
    if "version" not in top.value:
        top.fail("The key 'version' is missing.", "no version")
    number = top["version"].integer(1, 2**31 - 1)
    if number != VERSION:
        advice = "Update ceiba." if number > VERSION else "Fit the model again and save it."
        raise ModelFileError(
            f"The model file has format version {number}; ceiba {version('ceiba')} reads version "
            f"{VERSION}. {advice}"
        )
    top.object(_KEYS, _MORE)
    tree = tree_from_json(top["tree"], schema_from_json(top["schema"]))
    for name in ("written", "metadata"):
        if not isinstance(top.value.get(name, {}), dict):
            top[name].fail("An object {...} is needed.")
    return Document(
        tree=tree,
        model=top.get("model"),
        metadata=top.value.get("metadata", {}),
        written=top.value["written"],
    )


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except ModelFileError:
        raise
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"This is not a model file: byte {error.start} is not UTF-8 text."
        ) from None
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"This is not a model file, or it is cut off: line {error.lineno}, column "
            f"{error.colno}: {error.msg}."
        ) from None
    except RecursionError:
        raise ModelFileError("Damaged model file: brackets within brackets without end.") from None
    except ValueError as error:  # a whole number of thousands of digits
        raise ModelFileError(f"Damaged model file: {error}.") from None


def _refuse_constant(name: str) -> Any:
    raise ModelFileError(f"Damaged model file: {name} is not JSON; unknown numbers are null.")


def write(
    path: str | os.PathLike[str] | BinaryIO,
    tree: Tree,
    *,
    model: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    compress: bool | None = None,
) -> None:
    """Write a model file or buffer: whole, or not at all; with gzip if the path ends in ``.gz``."""
    text = dumps(tree, model=model, metadata=metadata)
    if hasattr(path, "write"):
        path.write(pack(text) if compress else text)
        return
    packed = os.fspath(path).endswith(".gz") if compress is None else compress
    with atomic(path) as file:
        file.write(pack(text) if packed else text)


def read(path: str | os.PathLike[str] | BinaryIO | bytes) -> Document:
    """Read a model file from disk, from an open file, or from its bytes; see `loads`."""
    return loads(_bytes_of(path))


def _bytes_of(source: Any) -> bytes:
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    if not hasattr(source, "read"):
        return read_bytes(source)
    raw = source.read()
    if not isinstance(raw, bytes):
        raise ModelFileError("A model file is read from a binary file; this one gives text.")
    return raw


def read_metadata(path: str | os.PathLike[str] | BinaryIO | bytes) -> dict[str, Any]:
    """Read what a model file says about itself, without making the model.

    Parameters
    ----------
    path : path, binary file or bytes

    Returns
    -------
    dict
        `metadata` as it was given to `save`, `written` (version of ceiba, time), `version` of the
        format, `class` of the estimator (None: a bare tree), `target` and `columns`.

    Examples
    --------
    >>> import io
    >>> import ceiba
    >>> file = io.BytesIO()
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> tree.save(file, metadata={"owner": "risk team"})
    >>> about = ceiba.read_metadata(file.getvalue())
    >>> about["metadata"], about["columns"]
    ({'owner': 'risk team'}, ['x'])
    """
    top = _parse(unpack(_bytes_of(path)))
    if not isinstance(top, dict) or top.get("format") != "ceiba":
        raise ModelFileError("This is not a model file of ceiba.")
    schema = top.get("schema")
    schema = schema if isinstance(schema, dict) else {}
    columns, target, model = schema.get("columns"), schema.get("target"), top.get("model")
    return {
        "metadata": top.get("metadata") or {},
        "written": top.get("written") or {},
        "version": top.get("version"),
        "class": model.get("class") if isinstance(model, dict) else None,
        "target": target.get("name") if isinstance(target, dict) else None,
        "columns": [one.get("name") for one in columns if isinstance(one, dict)]
        if isinstance(columns, list)
        else [],
    }
