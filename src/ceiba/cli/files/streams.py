"""Text files as pieces of whole records in UTF-8, whatever they are packed or encoded in.

A file, a packed file or the standard input is read once, forwards, in pieces of some megabytes;
each piece ends where a record ends, so that pieces are tables of their own. A second thread reads,
unpacks and decodes ahead while the piece before is at work. What is not text names its place.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import gzip
import itertools
import lzma
import queue
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ceiba.errors import DataError

#: How packed files are opened, by their ending.
PACKED: Final[dict[str, Callable[..., Any]]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
_UNPACKING: Final = (OSError, EOFError, lzma.LZMAError, zlib.error)
_BLOCK: Final = 2**20
_SIZE: Final = 16 * _BLOCK
_LONGEST: Final = 256 << 20  # bytes of one record; a small packed file can hold gigabytes in one
_AHEAD: Final = 2  # pieces read before they are asked for


@dataclass(frozen=True)
class Piece:
    """Whole records of a text file.

    Parameters
    ----------
    raw : bytes
        UTF-8, without a byte order mark.
    line : int
        The line of the file on which it begins, counted from 1.
    done : int
        Bytes of the file (packed, if it is) read so far, for progress bars.
    """

    raw: bytes
    line: int
    done: int


def shown(source: str) -> str:
    """Name a source as messages do."""
    return "standard input" if source == "-" else source


def existing(path: str) -> str:
    """Give the path of a file that is there, or say what is wrong with it."""
    if not Path(path).is_file():
        what = "is a folder" if Path(path).is_dir() else "is not there"
        raise DataError(f"The file {path!r} {what}.")
    return path


def _blocks(source: str) -> Iterator[tuple[bytes, int]]:
    """Read a source unpacked, in blocks; with each, how far the file itself has been read."""
    if source == "-":
        while block := sys.stdin.buffer.read(_BLOCK):
            yield block, 0
        return
    ending = Path(existing(source)).suffix.lower()
    if ending == ".zst":
        yield from _zstd_blocks(source)
        return
    try:
        with Path(source).open("rb") as file:
            unpacked = PACKED[ending](file, "rb") if ending in PACKED else file
            while block := unpacked.read(_BLOCK):
                yield block, file.tell()
    except _UNPACKING as error:
        if ending in PACKED:
            raise DataError(f"{source} cannot be unpacked: {error}.") from None
        raise


def _zstd_blocks(source: str) -> Iterator[tuple[bytes, int]]:
    """Let polars unpack: until 3.14 Python cannot. It gives lines, which are joined again."""
    import polars as pl

    lines = pl.scan_csv(
        source, has_header=False, new_columns=["line"], separator="\x01", quote_char=None,
        infer_schema=False,
    )  # fmt: skip
    try:
        for batch in lines.collect_batches(chunk_size=50_000, maintain_order=True):
            text = "\n".join(batch["line"].fill_null("").to_list())
            yield f"{text}\n".encode(), 0
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{source} cannot be unpacked: {str(error).splitlines()[0]}.") from None


def pieces(source: str, encoding: str, *, rows: int | None = None) -> Iterator[Piece]:
    """Read a text source in pieces that end where records end.

    Parameters
    ----------
    source : str
        A path, or ``-`` for the standard input.
    encoding : str
        Of the text.
    rows : int, optional
        About how many records a piece holds; without it, 16 megabytes.

    Raises
    ------
    DataError
        Naming line and column of a byte that is not text, or what is wrong with a packed file.
    """
    ahead: queue.Queue[Piece | BaseException | None] = queue.Queue(_AHEAD)
    given_up = threading.Event()

    def put(item: Piece | BaseException | None) -> bool:
        while not given_up.is_set():
            with contextlib.suppress(queue.Full):
                ahead.put(item, timeout=0.1)
                return True
        return False

    def read_ahead() -> None:
        try:
            for piece in _cut(source, encoding, rows):
                if not put(piece):
                    return
            put(None)
        except BaseException as error:  # raised again where the pieces are used
            put(error)

    threading.Thread(target=read_ahead, name="ceiba-read-ahead", daemon=True).start()
    try:
        while (item := ahead.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        given_up.set()


def _cut(source: str, encoding: str, rows: int | None) -> Iterator[Piece]:
    size = _SIZE if rows is None else 0
    line = 1
    held: list[bytes] = []
    n_held = done = 0
    for block, done in _decoded(source, encoding):
        size = size or max(1, (rows or 1) * len(block) // max(1, block.count(b"\n")))
        held.append(block)
        n_held += len(block)
        if n_held < size:
            continue
        text = b"".join(held)
        at = 0
        while len(text) - at >= size:
            end = _record_end(text, at, at + size) or _record_end(text, at, len(text))
            if not end and len(text) - at > _LONGEST:
                raise DataError(
                    f"{shown(source)}, line {line}: a record of more than {_LONGEST >> 20} MB. Is "
                    'a quote (") opened and never closed?'
                )
            if not end:  # one long record: wait until there is twice as much
                size = max(size, 2 * (len(text) - at))
                break
            yield Piece(text[at:end], line, done)
            line += text.count(b"\n", at, end)
            at = end
        held = [text[at:]]
        n_held = len(held[0])
    if n_held:
        yield Piece(b"".join(held), line, done)


def _record_end(raw: bytes, start: int, stop: int) -> int:
    """Give where the last record within a stretch ends (a line end outside quotes), 0 if none."""
    end = raw.rfind(b"\n", start, stop) + 1
    quotes = raw.count(b'"', start, end) if end else 0
    while end and quotes % 2:  # within a quoted cell: look before the quote that opened it
        opened = raw.rfind(b'"', start, end)
        before = raw.rfind(b"\n", start, opened) + 1
        quotes -= raw.count(b'"', max(before, start), end)
        end = before
    return end


def _decoded(source: str, encoding: str) -> Iterator[tuple[bytes, int]]:
    """Read blocks as UTF-8 without a byte order mark."""
    plain = codecs.lookup(encoding).name in ("utf-8", "ascii", "utf-8-sig")
    decoder = codecs.getincrementaldecoder("utf-8" if plain else encoding)()
    line = column = 1  # of the next byte
    first = True
    done = 0
    for block, done in itertools.chain(_blocks(source), [(b"", -1)]):
        waiting = decoder.getstate()[0]
        text = block
        if not plain or waiting or not block.isascii():
            try:
                text = decoder.decode(block, not block).encode("utf-8")
            except UnicodeDecodeError as error:
                raise _bad_byte(error, line, column, source, encoding) from None
        ends = text.count(b"\n")
        line += ends
        column = len(text) - text.rfind(b"\n") if ends else column + len(text)
        if first and text.startswith(codecs.BOM_UTF8):
            text = text[len(codecs.BOM_UTF8) :]
        first = first and not text
        if text:
            yield text, done


def _bad_byte(
    error: UnicodeDecodeError, line: int, column: int, source: str, encoding: str
) -> DataError:
    # What the decoder held back from the block before is part of `error.object`.
    good = error.object[: error.start]
    ends = good.count(b"\n")
    at = len(good) - good.rfind(b"\n") if ends else column + len(good)
    return DataError(
        f"{shown(source)}, line {line + ends}, column {at}: byte 0x{error.object[error.start]:02x} "
        f"is not {encoding}. Give its encoding, e.g. --encoding latin-1."
    )
