"""Journal of the results of shards, from which an interrupted fit can be resumed.

Growing depends on the answers only. A resumed fit reads them from its journal instead of asking the
shards, up to the first round without an answer, and grows the same tree bit for bit. Answers with
gathered rows are not stored, because they would copy the table. Their rounds are sent again, and
new shards can answer them because every round contains the splits so far.

Format: a line of JSON (a fingerprint of the fit), then records of
    magic, number of words, CRC-32 of the words : uint64; SHA-256 of the round; the words
An incomplete or damaged record ends the journal, and its round is sent again.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from ceiba import _core
from ceiba.errors import DataError
from ceiba.grow import GrowOptions
from ceiba.shards.shard import Arrays, Words
from ceiba.shards.table import Exchange, ShardedTable

_FORMAT: Final = "ceiba journal 2"
_MAGIC: Final = 0x31636569626131
_HEAD: Final = struct.Struct("<QQQ32s")
_ASK_AGAIN: Final = np.empty(0, np.uint64)


class JournalExchange:
    """Connection to shards that returns stored results from a journal, and appends new results."""

    def __init__(self, inner: Exchange, file: BinaryIO, path: Path) -> None:
        self._inner = inner
        self._file = file
        self._path = path
        self._replaying = True
        self.n_replayed = 0

    def ask(self, rounds: Words) -> Words:
        """Return the merged results of all shards, from the journal if it contains them."""
        digest = hashlib.sha256(np.ascontiguousarray(rounds).tobytes()).digest()
        if self._replaying:
            record = self._read_record(digest)
            if record is not None:
                self.n_replayed += 1
                return record if len(record) else self._inner.ask(rounds)
        answer = self._inner.ask(rounds)
        self._write_record(digest, _ASK_AGAIN if _core.holds_rows(answer) else answer)
        return answer

    def scatter(self, kind: str, arrays: Sequence[Arrays]) -> None:
        """Send arrays of one kind, such as fold numbers, to each shard."""
        self._inner.scatter(kind, arrays)

    def collect(self, kind: str) -> list[Arrays]:
        """Return arrays of one kind, such as sampled values, from each shard in order."""
        return self._inner.collect(kind)

    def _read_record(self, digest: bytes) -> Words | None:
        """Return the words of the next record, or None at the end of the journal."""
        start = self._file.tell()
        head = self._file.read(_HEAD.size)
        if len(head) == _HEAD.size:
            magic, n_words, check, stored_digest = _HEAD.unpack(head)
            left = os.fstat(self._file.fileno()).st_size - self._file.tell()
            if magic == _MAGIC and 8 * n_words <= left:
                data = self._file.read(8 * n_words)
                if zlib.crc32(data) == check:
                    if stored_digest != digest:
                        raise _mismatch_error(self._path)
                    return np.frombuffer(data, np.uint64).copy()
        self._replaying = False
        self._file.seek(start)
        self._file.truncate()
        return None

    def _write_record(self, digest: bytes, answer: Words) -> None:
        data = np.ascontiguousarray(answer).tobytes()
        try:
            self._file.write(_HEAD.pack(_MAGIC, len(answer), zlib.crc32(data), digest) + data)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise DataError(f"Cannot write the checkpoint {self._path}: {error}.") from error


@contextmanager
def open_journal(
    table: ShardedTable, options: GrowOptions, checkpoint: str | os.PathLike[str] | None
) -> Iterator[ShardedTable]:
    """Yield the table, and store results of its shards in `checkpoint` until growing succeeds."""
    if checkpoint is None:
        yield table
        return
    path = Path(checkpoint)
    about = json.dumps({"format": _FORMAT, "growing": _fingerprint(table, options)}) + "\n"
    try:
        file = path.open("r+b" if path.exists() else "w+b")
    except OSError as error:
        raise DataError(f"Cannot open the checkpoint {path}: {error.strerror}.") from error
    with file:
        first = file.readline(4096)
        if not first:
            file.write(about.encode())
        elif first.decode("utf-8", "replace") != about:
            raise _mismatch_error(path)
        exchange = JournalExchange(table.exchange, file, path)
        yield table.with_changes(exchange=exchange)
    path.unlink(missing_ok=True)


def _fingerprint(table: ShardedTable, options: GrowOptions) -> str:
    """Return a hash of everything that affects the tree: columns, bins, options and rows."""
    layout: Any = table.layout
    digest = hashlib.sha256(repr((table.schema, table.n_rows, layout.weight_bits)).encode())
    params = {name: value for name, value in options.non_default.items() if name != "n_jobs"}
    digest.update(repr((layout.target, sorted(params.items()), table.sizes)).encode())
    for column in layout.columns:
        if isinstance(column, int):
            digest.update(str(column).encode())
        else:
            for numbers in (column.edge, column.least, column.most):
                digest.update(np.ascontiguousarray(numbers).tobytes())
    for (checksum,) in table.exchange.collect("checksum"):  # different rows may have equal ranges
        digest.update(checksum.tobytes())
    return digest.hexdigest()


def _mismatch_error(path: Path) -> DataError:
    return DataError(
        f"{path} is not a checkpoint of this fit: it is another file, or the table, the partitions "
        "or the options differ. Pass the same table and options, or a new file as `checkpoint`."
    )
