"""Bytes of a model file: read with limits, gzip undone with limits; `atomic.py` writes them.

A gzip file may hold a thousand times its size, and a JSON text of brackets needs twenty times its
size as Python objects. Both are refused before the memory is used: unpacked, a file may be 50 times
its size (16 MB are always allowed), and its brackets and strings may need at most ten times the
size of the text (64 MB are always allowed).
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Final

from ceiba.errors import ModelFileError

_GZIP: Final = b"\x1f\x8b"
_MB: Final = 2**20
_UNPACKED_FREE, _UNPACKED_TIMES = 16 * _MB, 50
_OBJECTS_FREE, _OBJECTS_TIMES, _OBJECT_BYTES = 64 * _MB, 10, 64
_CHUNK: Final = _MB


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file; errors of the system say so."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFileError(f"Cannot read the model file {os.fspath(path)!r}: {reason}.") from None


def unpack(raw: bytes) -> bytes:
    """Return the JSON text of a model file, packed or not."""
    text = _gunzip(raw) if raw.startswith(_GZIP) else raw
    refuse_crowded(text)
    return text


def refuse_crowded(text: bytes) -> None:
    """Refuse a text whose brackets and strings need far more memory than it has bytes."""
    objects = text.count(b"[") + text.count(b"{") + text.count(b'"') // 2
    needed = objects * _OBJECT_BYTES
    if needed > _OBJECTS_FREE and needed > _OBJECTS_TIMES * len(text):
        raise ModelFileError(
            f"Damaged model file: {objects} brackets and strings in {len(text)} bytes. No tree is "
            "written that way."
        )


def _gunzip(raw: bytes) -> bytes:
    limit = max(_UNPACKED_FREE, _UNPACKED_TIMES * len(raw))
    unzip = zlib.decompressobj(wbits=31)
    parts, size, rest = [], 0, raw
    try:
        while rest and not unzip.eof:
            part = unzip.decompress(rest, _CHUNK)
            rest = unzip.unconsumed_tail
            size += len(part)
            if size > limit:
                raise ModelFileError(
                    f"Damaged model file: {len(raw)} packed bytes unpack to more than {limit}. "
                    "Unpack it by hand (gzip -d) if you trust it."
                )
            parts.append(part)
        if not unzip.eof:
            parts.append(unzip.flush())
    except zlib.error as error:
        raise ModelFileError(f"Damaged model file: cannot be unpacked ({error}).") from None
    if not unzip.eof:
        raise ModelFileError("Damaged model file: it ends in the middle of the packed data.")
    if unzip.unused_data:
        raise ModelFileError(
            f"Damaged model file: {len(unzip.unused_data)} bytes after the end of the packed data."
        )
    return b"".join(parts)


def pack(text: bytes) -> bytes:
    """Compress a text with gzip, the same bytes each time (no date inside)."""
    for level in (6, 0):  # a text that packs beyond the limit of reading is not packed
        packer = zlib.compressobj(level, wbits=31)
        packed = packer.compress(text) + packer.flush()
        if len(text) <= max(_UNPACKED_FREE, _UNPACKED_TIMES * len(packed)):
            break
    return packed
