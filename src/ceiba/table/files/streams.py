"""Read text files, compressed or not, in any encoding as pieces of whole UTF-8 records.

A file or the standard input is read once, sequentially, in pieces of a few megabytes. Each piece
ends at the end of a record, so that it can be parsed alone. A second thread reads, decompresses and
decodes ahead while a piece is processed. Errors name line and column.
"""

from __future__ import annotations

import atexit
import bz2
import codecs
import contextlib
import gzip
import itertools
import lzma
import pickle
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ceiba._polars import pl
from ceiba.errors import DataError

#: Functions that open compressed files, by file extension.
PACKED: Final[dict[str, Callable[..., Any]]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
_BYTE_ORDER_MARKS: Final = {  # UTF-32 is first, because its mark begins with the mark of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8",
}
_LETTERS: Final = b"\xc0-\xd6\xd8-\xf6\xf8-\xff\x8a\x8c\x8e\x9a\x9c\x9e\x9f"
_NON_ASCII: Final = re.compile(rb"[\x80-\xff]+")
#: Windows-1252 bytes of accented letters next to ASCII letters, or of common symbols.
_WESTERN: Final = re.compile(
    rb"(?<=[A-Za-z])[" + _LETTERS + rb"]{1,2}(?![\x80-\xff])"
    rb"|(?<![\x80-\xff])[" + _LETTERS + rb"]{1,2}(?=[A-Za-z])"
    rb"|(?<![\x80-\xff])[\x80\x85\x91-\x97\xa0\xa3\xaa\xab\xb0\xba\xbb\xbf\xa1](?![\x80-\xff])"
)
_WORD: Final = re.compile(
    rb"[A-Za-z" + _LETTERS + rb"]*[" + _LETTERS + rb"][A-Za-z" + _LETTERS + rb"]*"
)
_UNPACKING: Final = (OSError, EOFError, lzma.LZMAError, zlib.error)
_BLOCK: Final = 2**20
_PIECE_SIZE: Final = 16 * _BLOCK
_MAX_RECORD: Final = 256 << 20  # in bytes; limits the memory used after an unclosed quote
_MAX_AHEAD: Final = 2  # number of pieces


@dataclass(frozen=True)
class TextPiece:
    """A piece of a text file that consists of whole records."""

    raw: bytes
    line: int
    done: int
    encoding: str = "utf-8"


def display_name(source: str) -> str:
    """Return the name of a source as it appears in messages."""
    source = next((stream for stream, copy in _COPIES.items() if copy == source), source)
    return "standard input" if source == "-" else source


def first_line(error: Exception) -> str:
    """Return the first line of an error message, which may have many lines (polars, duckdb)."""
    return str(error).strip().split("\n")[0]


def require_file(path: str) -> str:
    """Return a path; raise DataError if it does not exist or is a directory."""
    if Path(path).is_dir():
        raise DataError(f"Expected a file, got a directory: {path!r}.")
    if not Path(path).exists():
        raise DataError(f"File not found: {path!r}.")
    return path


def call_in_child(source: str, memory: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a child process, so that a malicious file cannot crash this process."""
    # -P keeps the untrusted working directory off sys.path, which is copied from this process.
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import _run_child; _run_child()"
    )
    call = pickle.dumps((memory, function, arguments))
    child = subprocess.run([sys.executable, "-P", "-c", code], input=call, capture_output=True)
    if child.returncode != 0:
        raise DataError(
            f"Cannot read {display_name(source)}: the file is damaged or needs more than "
            f"{memory / 2**30:.0f} GiB of memory. If it is too large, clear stray cells outside "
            "the table or save the table as CSV."
        )
    answer = pickle.loads(child.stdout)
    if isinstance(answer, Exception):
        raise answer
    return answer


def _run_child() -> None:
    """Run, in the child process, the function that the parent process sent."""
    memory, function, arguments = pickle.load(sys.stdin.buffer)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (memory, hard))
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        answer = function(*arguments)
    except MemoryError:
        sys.exit(1)
    except Exception as error:
        answer = error
    pickle.dump(answer, out.buffer)
    out.flush()


def is_stream(source: str) -> bool:
    """Whether a source can be read only once: ``-``, /dev/stdin, a FIFO, ``<(...)``."""
    path = Path(source)
    return source == "-" or (path.exists() and not path.is_file() and not path.is_dir())


_COPIES: Final[dict[str, str]] = {}  # path of the temporary copy of each stream, by name


def make_seekable(source: str) -> str:
    """Return a path that can be read twice; a stream is copied to a temporary file."""
    if not is_stream(source):
        return source
    if source not in _COPIES or source == "-":
        folder = tempfile.mkdtemp(prefix="ceiba-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        copy = Path(folder) / Path(source).name
        with contextlib.ExitStack() as stack:
            stream: Any = sys.stdin.buffer
            if source != "-":
                stream = stack.enter_context(Path(source).open("rb"))
            shutil.copyfileobj(stream, stack.enter_context(copy.open("wb")))
        _COPIES[source] = str(copy)
    return _COPIES[source]


def _blocks(source: str) -> Iterator[tuple[bytes, int]]:
    """Yield blocks of decompressed bytes, each with its end offset in the file (0: unknown)."""
    if source == "-":
        while block := sys.stdin.buffer.read(_BLOCK):
            yield block, 0
        return
    source = _COPIES.get(source, source)
    ending = Path(require_file(source)).suffix.lower()
    if ending == ".zst":
        yield from _zstd_blocks(source)
        return
    if ending == ".zip":
        yield from _zip_blocks(source)
        return
    try:
        with Path(source).open("rb") as file:
            unpacked = PACKED[ending](file, "rb") if ending in PACKED else file
            while block := unpacked.read(_BLOCK):
                yield block, file.tell() if file.seekable() else 0
    except _UNPACKING as error:
        if ending in PACKED:
            raise DataError(f"{source} cannot be decompressed: {error}.") from None
        raise


def _zstd_blocks(source: str) -> Iterator[tuple[bytes, int]]:
    """Decompress Zstandard with polars, because Python has no decompressor before 3.14."""
    lines = pl.scan_csv(
        source, has_header=False, new_columns=["line"], separator="\x01", quote_char=None,
        infer_schema=False,
    )  # fmt: skip
    try:
        for batch in lines.collect_batches(chunk_size=50_000, maintain_order=True):
            text = "\n".join(batch["line"].fill_null("").to_list())
            yield f"{text}\n".encode(), 0
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{source} cannot be decompressed: {first_line(error)}.") from None


def _zip_blocks(source: str) -> Iterator[tuple[bytes, int]]:
    try:
        with zipfile.ZipFile(source) as archive:
            files = [name for name in archive.namelist() if not name.endswith("/")]
            files = [name for name in files if not name.startswith("__MACOSX/")]
            if len(files) != 1:
                file_names = ", ".join(files[:5] or ["none"]) + (", ..." if len(files) > 5 else "")
                raise DataError(
                    f"{source} must contain one file, got {len(files)} ({file_names}). Extract one."
                )
            with archive.open(files[0]) as file:
                while block := file.read(_BLOCK):
                    yield block, 0
    except (zipfile.BadZipFile, *_UNPACKING, RuntimeError) as error:
        raise DataError(f"{source} cannot be decompressed: {error}.") from None


def read_pieces(
    source: str, encoding: str | None, *, rows: int | None = None, remarks: list[str] | None = None
) -> Iterator[TextPiece]:
    """Yield a text source in pieces of whole records, which a second thread reads ahead."""
    ahead: queue.Queue[TextPiece | BaseException | None] = queue.Queue(_MAX_AHEAD)
    stopped = threading.Event()

    def put(item: TextPiece | BaseException | None) -> bool:
        while not stopped.is_set():
            with contextlib.suppress(queue.Full):
                ahead.put(item, timeout=0.1)
                return True
        return False

    def read_ahead() -> None:
        try:
            for piece in _cut_pieces(source, encoding, rows, remarks):
                if not put(piece):
                    return
            put(None)
        except BaseException as error:  # the consumer of the queue raises the error again
            put(error)

    threading.Thread(target=read_ahead, name="ceiba-read-ahead", daemon=True).start()
    try:
        while (item := ahead.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stopped.set()


def _cut_pieces(
    source: str, encoding: str | None, rows: int | None, remarks: list[str] | None
) -> Iterator[TextPiece]:
    size = _PIECE_SIZE if rows is None else 0
    line = 1
    buffer: list[bytes] = []
    n_buffered = done = 0
    file_encoding = "utf-8"
    for block, done, file_encoding in _decode_blocks(source, encoding, remarks):
        size = size or max(1, (rows or 1) * len(block) // max(1, block.count(b"\n")))
        buffer.append(block)
        n_buffered += len(block)
        if n_buffered < size:
            continue
        text = b"".join(buffer)
        at = 0
        while len(text) - at >= size:
            end = record_end(text, at, at + size) or record_end(text, at, len(text))
            if not end and len(text) - at > _MAX_RECORD:
                raise DataError(
                    f"{display_name(source)}, line {line}: a record exceeds "
                    f'{_MAX_RECORD >> 20} MiB. Is there an unclosed quote (")?'
                )
            # Double `size` for a linear cost: a long record is not searched again for each block.
            if not end:
                size = max(size, 2 * (len(text) - at))
                break
            yield TextPiece(text[at:end], line, done, file_encoding)
            line += text.count(b"\n", at, end)
            at = end
        buffer = [text[at:]]
        n_buffered = len(buffer[0])
    if n_buffered:
        yield TextPiece(b"".join(buffer), line, done, file_encoding)


def record_end(raw: bytes, start: int, stop: int) -> int:
    """Return the offset after the last newline outside quotes in raw[start:stop], or 0."""
    end = raw.rfind(b"\n", start, stop) + 1
    quotes = raw.count(b'"', start, end) if end else 0
    while end and quotes % 2:  # the line break is in a quoted field: go back to its opening quote
        quote = raw.rfind(b'"', start, end)
        line_start = raw.rfind(b"\n", start, quote) + 1
        quotes -= raw.count(b'"', max(line_start, start), end)
        end = line_start
    return end


def _detect_encoding(block: bytes) -> str:
    """Return the encoding given by the byte order mark, else UTF-16 (if NULs occur) or UTF-8."""
    for mark, name in _BYTE_ORDER_MARKS.items():
        if block.startswith(mark):
            return name
    head = block[:200]
    if len(head) >= 4 and b"\0" in head:
        for start, name in ((1, "utf-16-le"), (0, "utf-16-be")):
            if not any(head[start::2]) and all(head[1 - start :: 2]):
                return name
    return "utf-8"


def _western_word(raw: bytes) -> str:
    """Return an accented word from bytes that are almost certainly Windows-1252, else ""."""
    # Non-ASCII bytes must be common symbols, or one or two accented letters next to ASCII letters.
    # In other code pages, words usually have non-ASCII letters only, or the bytes are rare symbols.
    if len(_NON_ASCII.findall(raw)) != len(_WESTERN.findall(raw)):
        return ""
    word = _WORD.search(raw)
    return word[0].decode("cp1252") if word else ""


def _decode_blocks(
    source: str, encoding: str | None, remarks: list[str] | None = None
) -> Iterator[tuple[bytes, int, str]]:
    """Yield blocks converted to UTF-8, each with its end offset and the encoding of the file."""
    line = column = 1  # position of the next byte
    decoder: Any = None
    plain = old_mac = guessed = False
    beyond = False  # whether any non-ASCII character was decoded
    first = True
    done = 0
    for block, done in itertools.chain(_blocks(source), [(b"", -1)]):
        if decoder is None:
            guessed = encoding is None
            encoding = encoding or _detect_encoding(block)
            plain = codecs.lookup(encoding).name in ("utf-8", "ascii", "utf-8-sig")
            decoder = codecs.getincrementaldecoder("utf-8" if plain else encoding)()
        waiting = decoder.getstate()[0]
        text = block
        if not plain or waiting or not block.isascii():
            try:
                text = decoder.decode(block, not block).encode("utf-8")
                beyond = beyond or not text.isascii()
            except UnicodeDecodeError as error:
                word = _western_word(error.object) if guessed and plain and not beyond else ""
                if not word:
                    raise _decode_error(error, line, column, source, encoding or "utf-8") from None
                plain = guessed = False
                encoding = "cp1252"
                decoder = codecs.getincrementaldecoder("cp1252")("replace")
                text = decoder.decode(error.object, not block).encode("utf-8")
                if remarks is not None:
                    remarks.append(
                        f"{display_name(source)} is not UTF-8; it is read as Windows-1252 "
                        f"({word}). If that is wrong, pass --encoding."
                    )
        if first and text:
            if plain and text.startswith(codecs.BOM_UTF8):
                encoding = "utf-8-sig"
            text = text.removeprefix(codecs.BOM_UTF8)
            old_mac = b"\r" in text and b"\n" not in text
        first = first and not text
        if old_mac:
            text = text.replace(b"\r", b"\n")
        if b"\0" in text:
            position = _format_position(text[: text.index(0)], line, column, source)
            raise DataError(
                f"{position}: NUL characters are not allowed in text files. For UTF-16, pass "
                "'utf-16' as `encoding`. For a spreadsheet or database, correct the file extension."
            )
        ends = text.count(b"\n")
        line += ends
        column = len(text) - text.rfind(b"\n") if ends else column + len(text)
        if text:
            yield text, done, encoding or "utf-8"


def _format_position(before: bytes, line: int, column: int, source: str) -> str:
    """Format the position after the bytes `before`, which begin at `line` and `column`."""
    ends = before.count(b"\n")
    at = len(before) - before.rfind(b"\n") if ends else column + len(before)
    return f"{display_name(source)}, line {line + ends}, column {at}"


def _decode_error(
    error: UnicodeDecodeError, line: int, column: int, source: str, encoding: str
) -> DataError:
    # `error.object` begins with bytes that the decoder buffered from the previous block.
    prefix = _format_position(error.object[: error.start], line, column, source)
    if b"\0" in error.object[:1000]:
        hint = "It is not a text file. Is it a spreadsheet or a database with a wrong extension?"
    else:
        hint = (
            "Pass its `encoding`, e.g. 'cp1252' for files from Windows in Western Europe or "
            "America, or 'latin-1' for older ones."
        )
    return DataError(f"{prefix}: byte 0x{error.object[error.start]:02x} is not {encoding}. {hint}")
