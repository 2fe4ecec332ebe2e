"""The model file ``.ceiba``: a JSON document with the tree, its schema and, if any, its estimator.

``{"format": "ceiba", "version": 7, "written": {...}, "schema": {...}, "tree": {...}, "model": {...}
| null, "metadata": {...}}``; every key is described in docs/model_file.md. A file of another
version is rejected.

Memory is bounded before it is allocated: a gzip file may expand a thousandfold, and JSON brackets
need twenty times their size as Python objects. Unpacked, a file may have 50 times its size (16 MB
are always allowed); its brackets and strings may need ten times the size of the text (64 MB are
always allowed).
"""

from __future__ import annotations

import datetime
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, Final

from ceiba.errors import ModelFileError
from ceiba.tree.model_file.atomic import atomic_write
from ceiba.tree.model_file.field import Field
from ceiba.tree.model_file.schema_json import schema_from_json, schema_to_json
from ceiba.tree.model_file.tree_json import tree_from_json, tree_to_json
from ceiba.tree.model_file.values import to_json
from ceiba.tree.tree import Tree

VERSION: Final = 7
_KEYS: Final = ("format", "version", "written", "schema", "tree")
_OPTIONAL_KEYS: Final = ("model", "metadata")
_GZIP: Final = b"\x1f\x8b"
_MB: Final = 2**20
_UNPACKED_FREE, _UNPACKED_TIMES = 16 * _MB, 50
_OBJECTS_FREE, _OBJECTS_TIMES, _OBJECT_BYTES = 64 * _MB, 10, 64
_CHUNK: Final = _MB
_dump = partial(json.dumps, allow_nan=False, ensure_ascii=False)


@dataclass(frozen=True)
class Document:
    """The contents of a model file; `model` is the estimator as unvalidated JSON."""

    tree: Tree
    model: Field | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    written: dict[str, Any] = field(default_factory=dict)


def dumps(
    tree: Tree, *, model: Mapping[str, Any] | None = None, metadata: Mapping[str, Any] | None = None
) -> bytes:
    """Return a model file as UTF-8 JSON; raise an error if `loads` would reject it."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    document = {
        "format": "ceiba",
        "version": VERSION,
        "written": {"ceiba": version("ceiba"), "at": now},
        "schema": schema_to_json(tree.schema),
        "tree": tree_to_json(tree),
        "model": None if model is None else dict(model),
        "metadata": to_json(dict(metadata or {})),
    }
    lines: list[str] = []
    _format_json(document, "", lines)
    text = "\n".join(lines) + "\n"
    # Escape lone surrogates (from broken strings), because UTF-8 cannot encode them.
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        raw = json.dumps(document, allow_nan=False).encode("ascii")
    check_memory_need(raw)
    return raw


def _format_json(value: Any, indent: str, lines: list[str], head: str = "", tail: str = "") -> None:
    """Append a value to `lines` as JSON, with one line per member of nested objects."""
    if isinstance(value, dict) and value:
        opening, closing, inside = "{", "}", list(value.items())
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        opening, closing, inside = "[", "]", [(None, item) for item in value]
    else:
        lines.append(f"{indent}{head}{_dump(value)}{tail}")
        return
    if opening == "{" and not any(isinstance(item, dict | list) for item in value.values()):
        lines.append(f"{indent}{head}{_dump(value)}{tail}")
        return
    lines.append(f"{indent}{head}{opening}")
    for at, (key, item) in enumerate(inside):
        name = "" if key is None else f"{_dump(key)}: "
        _format_json(item, indent + " ", lines, name, "," if at + 1 < len(inside) else "")
    lines.append(f"{indent}{closing}{tail}")


def loads(raw: bytes) -> Document:
    """Read and validate the bytes of a model file, compressed or not."""
    top = Field(_parse(unpack(raw)))
    if not isinstance(top.value, dict) or top.value.get("format") != "ceiba":
        raise ModelFileError(
            'This is not a ceiba model file: it is not a JSON object {"format": "ceiba", ...}. '
            "Model files are written by model.save(path)."
        )
    if "version" not in top.value:
        top.fail("The key 'version' is missing.", "no version")
    number = top["version"].integer(1, 2**31 - 1)
    if number != VERSION:
        advice = "Update ceiba." if number > VERSION else "Fit the model again and save it."
        raise ModelFileError(
            f"The model file has format version {number}; ceiba {version('ceiba')} reads only "
            f"version {VERSION}. {advice}"
        )
    top.object(_KEYS, _OPTIONAL_KEYS)
    tree = tree_from_json(top["tree"], schema_from_json(top["schema"]))
    for name in ("written", "metadata"):
        if not isinstance(top.value.get(name, {}), dict):
            top[name].fail("Must be an object {...}.")
    return Document(
        tree=tree,
        model=top.get("model"),
        metadata=top.value.get("metadata", {}),
        written=top.value["written"],
    )


def _parse(text: bytes) -> Any:
    def refuse_constant(name: str) -> Any:
        raise ModelFileError(
            f"Damaged model file: {name} is not a JSON value. NaN must be written as null."
        )

    try:
        return json.loads(text.decode("utf-8-sig"), parse_constant=refuse_constant)
    except ModelFileError:
        raise
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"This is not a model file: byte {error.start} is not valid UTF-8."
        ) from None
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"This is not a model file, or it is truncated: line {error.lineno}, column "
            f"{error.colno}: {error.msg}."
        ) from None
    except RecursionError:
        raise ModelFileError("Damaged model file: brackets are nested too deeply.") from None
    except ValueError as error:  # Python refuses integers with thousands of digits
        raise ModelFileError(f"Damaged model file: {error}.") from None


def write(
    path: str | os.PathLike[str] | BinaryIO,
    tree: Tree,
    *,
    model: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    compress: bool | None = None,
) -> None:
    """Write a model file atomically, or to a buffer; by default, compress ``.gz`` paths only."""
    text = dumps(tree, model=model, metadata=metadata)
    if hasattr(path, "write"):
        path.write(pack(text) if compress else text)
        return
    packed = os.fspath(path).endswith(".gz") if compress is None else compress
    with atomic_write(path) as file:
        file.write(pack(text) if packed else text)


def read(path: str | os.PathLike[str] | BinaryIO | bytes) -> Document:
    """Read a model file from disk, from an open file, or from its bytes; see `loads`."""
    return loads(_read_bytes(path))


def _read_bytes(source: Any) -> bytes:
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    if not hasattr(source, "read"):
        try:
            return Path(source).read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise ModelFileError(
                f"Cannot read the model file {os.fspath(source)!r}: {reason}."
            ) from None
    raw = source.read()
    if not isinstance(raw, bytes):
        raise ModelFileError("A model file must be opened in binary mode ('rb').")
    return raw


def read_metadata(path: str | os.PathLike[str] | BinaryIO | bytes) -> dict[str, Any]:
    """Read the metadata of a model file without building the model.

    Parameters
    ----------
    path : path, binary file or bytes

    Returns
    -------
    dict
        `metadata` as passed to `save`, `written` (version of ceiba, time), `version` of the
        format, `class` of the estimator (None if there is none), `target` and `columns`.

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
    top = _parse(unpack(_read_bytes(path)))
    if not isinstance(top, dict) or top.get("format") != "ceiba":
        raise ModelFileError("This is not a ceiba model file. Pass one written by model.save.")
    schema = top.get("schema")
    schema = schema if isinstance(schema, dict) else {}
    columns, target, model = schema.get("columns"), schema.get("target"), top.get("model")
    return {
        "metadata": top.get("metadata") or {},
        "written": top.get("written") or {},
        "version": top.get("version"),
        "class": model.get("class") if isinstance(model, dict) else None,
        "target": target.get("name") if isinstance(target, dict) else None,
        "columns": [column.get("name") for column in columns if isinstance(column, dict)]
        if isinstance(columns, list)
        else [],
    }


# ---------------------------------------------------------------------- compression


def unpack(raw: bytes) -> bytes:
    """Return the JSON text of a model file as bytes, decompressed if it was compressed."""
    text = _gunzip(raw) if raw.startswith(_GZIP) else raw
    check_memory_need(text)
    return text


def check_memory_need(text: bytes) -> None:
    """Reject JSON text whose objects would need far more memory than the text."""
    objects = text.count(b"[") + text.count(b"{") + text.count(b'"') // 2
    n_bytes = objects * _OBJECT_BYTES
    if n_bytes > _OBJECTS_FREE and n_bytes > _OBJECTS_TIMES * len(text):
        raise ModelFileError(
            f"Damaged model file: parsing it would require about {n_bytes} bytes of memory."
        )


def _gunzip(raw: bytes) -> bytes:
    limit = max(_UNPACKED_FREE, _UNPACKED_TIMES * len(raw))
    unzip = zlib.decompressobj(wbits=31)
    chunks, size, rest = [], 0, raw
    try:
        while rest and not unzip.eof:
            chunk = unzip.decompress(rest, _CHUNK)
            rest = unzip.unconsumed_tail
            size += len(chunk)
            if size > limit:
                raise ModelFileError(
                    f"Damaged model file: {len(raw)} compressed bytes expand to more than {limit}. "
                    "If you trust the file, decompress it with gzip -d."
                )
            chunks.append(chunk)
        if not unzip.eof:
            chunks.append(unzip.flush())
    except zlib.error as error:
        raise ModelFileError(f"Damaged model file: it cannot be decompressed ({error}).") from None
    if not unzip.eof:
        raise ModelFileError("Damaged model file: the compressed data are truncated.")
    if unzip.unused_data:
        raise ModelFileError(
            f"Damaged model file: {len(unzip.unused_data)} bytes follow the compressed data."
        )
    return b"".join(chunks)


def pack(text: bytes) -> bytes:
    """Compress bytes with gzip, deterministically (without a timestamp)."""
    for level in (6, 0):  # level 0 if `unpack` would reject the compression ratio of level 6
        packer = zlib.compressobj(level, wbits=31)
        packed = packer.compress(text) + packer.flush()
        if len(text) <= max(_UNPACKED_FREE, _UNPACKED_TIMES * len(packed)):
            break
    return packed
