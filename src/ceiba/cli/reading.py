"""Files as polars frames: CSV of any separator, encoding and compression, Parquet, databases.

`read_table` reads a whole file and infers the types of columns, for learning. `batches` reads a
file in pieces, CSV cells as texts, for predicting: what goes in comes out unchanged.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ceiba.errors import DataError, OptionError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MARKERS", "Reading", "batches", "import_polars", "is_text", "read_table"]

#: Cells that are missing values unless the user says otherwise.
MARKERS: Final = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
_SEPARATORS: Final = ",;\t|"
_TEXT: Final = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat")
_PACKED: Final[dict[str, Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_SNIFFED: Final = 2**16
_LOOKED_AT: Final = 10_000  # rows by which polars chooses the types


@dataclass(frozen=True)
class Reading:
    """How CSV files are read.

    Examples
    --------
    >>> from ceiba.cli.reading import Reading
    >>> Reading(separator=";").separator
    ';'
    """

    separator: str | None = None
    encoding: str = "utf-8"
    markers: tuple[str, ...] = MARKERS
    decimal_comma: bool = False

    @staticmethod
    def of(
        separator: str | None, encoding: str, markers: Sequence[str] | None, decimal_comma: bool
    ) -> Reading:
        """Take what the command line gave; the empty cell is always missing."""
        if separator is not None:
            separator = {"\\t": "\t", "tab": "\t"}.get(separator, separator)
            if len(separator) != 1:
                raise OptionError(f"--separator {separator!r}: one character is needed.")
        try:
            "".encode(encoding)
        except LookupError:
            raise OptionError(
                f"--encoding {encoding!r} is not known, e.g. utf-8, latin-1."
            ) from None
        chosen = MARKERS if not markers else ("", *markers)
        return Reading(separator, encoding, tuple(chosen), decimal_comma)


def import_polars() -> Any:
    """Give polars, or say how to get it."""
    try:
        import polars
    except ImportError:
        raise ImportError(
            "Reading files needs the package polars. Install it with: pip install ceiba[cli]",
            name="polars",
        ) from None
    return polars


def is_text(source: str) -> bool:
    """Tell whether a source is read as CSV text."""
    if source == "-":
        return True
    if "::" in source:
        return False
    name = source.lower()
    for ending in (*_PACKED, ".zst"):
        name = name.removesuffix(ending)
    return Path(name).suffix not in (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".ndjson",
                                     ".jsonl")  # fmt: skip


def read_table(source: str, reading: Reading) -> Any:
    """Read a whole table; types of CSV columns are inferred from all rows.

    Raises
    ------
    DataError
        With what is wrong in the file.
    """
    pl = import_polars()
    if is_text(source):
        return _guarded(source, lambda: _read_csv(pl, source, reading))
    return _guarded(source, lambda: _read_typed(pl, source))


def batches(source: str, reading: Reading, size: int) -> Iterator[pl.DataFrame]:
    """Read a table in pieces of about `size` rows, in order; cells of a CSV are texts."""
    pl = import_polars()
    if is_text(source):
        lazy = _guarded(source, lambda: pl.scan_csv(
            _csv_source(source, reading), **_csv_options(source, reading), infer_schema=False,
        ))  # fmt: skip
    elif source.lower().endswith((".parquet", ".pq")):
        lazy = _guarded(source, lambda: pl.scan_parquet(_existing(source)))
    else:
        lazy = _guarded(source, lambda: _read_typed(pl, source)).lazy()
    try:
        yielded = False
        for piece in lazy.collect_batches(chunk_size=size, maintain_order=True):
            yielded = True
            yield piece
        if not yielded:
            yield lazy.collect()
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{_shown(source)}: {_first_line(error)}") from None


def _shown(source: str) -> str:
    return "standard input" if source == "-" else source


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]


def _guarded(source: str, read: Any) -> Any:
    pl = import_polars()
    try:
        return read()
    except pl.exceptions.NoDataError:
        raise DataError(f"{_shown(source)} is empty.") from None
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{_shown(source)}: {_first_line(error)}") from None


def _existing(path: str) -> str:
    if not Path(path).is_file():
        what = "is a folder" if Path(path).is_dir() else "is not there"
        raise DataError(f"The file {path!r} {what}.")
    return path


# ---------------------------------------------------------------------- CSV


def _read_csv(pl: Any, source: str, reading: Reading) -> Any:
    """Read a CSV with types by its first rows; where later rows differ, by all of them.

    Polars can infer from all rows at once, at fifty times the price.
    """
    options = _csv_options(source, reading)
    try:
        frame = pl.read_csv(
            _csv_source(source, reading), **options, infer_schema_length=_LOOKED_AT,
            try_parse_dates=True,
        )  # fmt: skip
    except pl.exceptions.ComputeError:
        frame = pl.read_csv(_csv_source(source, reading), **options, infer_schema=False)
        return frame.with_columns(_typed(pl, one, reading) for one in frame.get_columns())
    texts = [one for one in frame.get_columns() if one.dtype == pl.String]
    empty = [one for one in texts if one.head(_LOOKED_AT).null_count() == _LOOKED_AT]
    return frame.with_columns(_typed(pl, one, reading) for one in empty)


def _typed(pl: Any, series: Any, reading: Reading) -> Any:
    """Give a column of texts the narrowest type that holds all of them."""
    text = series.str.strip_chars()
    if reading.decimal_comma:
        text = text.str.replace(",", ".", literal=True)
    n = series.null_count()
    for kind in (pl.Int64, pl.Float64):
        if (found := text.cast(kind, strict=False)).null_count() == n:
            return found
    if not series.drop_nulls().is_in(["true", "false"]).all():
        for make in (series.str.to_date, series.str.to_datetime):
            try:
                if (found := make(strict=False)).null_count() == n:
                    return found
            except pl.exceptions.PolarsError:
                continue
        return series
    return series == "true"


def _csv_options(source: str, reading: Reading) -> dict[str, Any]:
    separator = reading.separator or _find_separator(source, reading)
    return {
        "separator": separator,
        "null_values": [one for one in reading.markers if one],
        "decimal_comma": reading.decimal_comma,
    }


def _csv_source(source: str, reading: Reading) -> Any:
    """Give what polars reads: the path where it can, else the decoded bytes."""
    if source == "-":
        return io.BytesIO(_as_utf8(_stdin(), source, reading))
    ending = Path(_existing(source)).suffix.lower()
    if ending in _PACKED:
        with _PACKED[ending](source, "rb") as file:
            try:
                raw = file.read()
            except (OSError, EOFError, lzma.LZMAError) as error:
                raise DataError(f"{source} cannot be unpacked: {error}.") from None
        return io.BytesIO(_as_utf8(raw, source, reading))
    if _is_utf8(reading):
        _check_utf8(source)
        return source
    return io.BytesIO(_as_utf8(Path(source).read_bytes(), source, reading))


_STDIN: list[tuple[object, bytes]] = []


def _stdin() -> bytes:
    """Read the standard input once: the separator is looked for before the cells are read."""
    if not _STDIN or _STDIN[0][0] is not sys.stdin:
        _STDIN[:] = [(sys.stdin, sys.stdin.buffer.read())]
    return _STDIN[0][1]


def _is_utf8(reading: Reading) -> bool:
    return reading.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "ascii")


def _as_utf8(raw: bytes, source: str, reading: Reading) -> bytes:
    try:
        text = raw.decode("utf-8-sig" if _is_utf8(reading) else reading.encoding)
    except UnicodeDecodeError as error:
        raise _bad_byte(raw[: error.start], error.object[error.start], source, reading) from None
    return text.encode("utf-8")


def _check_utf8(source: str) -> None:
    """Find the first byte that is not UTF-8, to name its line and column."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")()
    before = b""
    with Path(source).open("rb") as file:
        while chunk := file.read(2**22):
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                before += chunk
                try:
                    before.decode("utf-8")
                except UnicodeDecodeError as error:
                    good = before[: error.start]
                    raise _bad_byte(good, before[error.start], source, Reading()) from None
                return
            before = before + chunk if len(before) < 2**24 else chunk


def _bad_byte(good: bytes, byte: int, source: str, reading: Reading) -> DataError:
    line = good.count(b"\n") + 1
    column = len(good) - (good.rfind(b"\n") + 1) + 1
    return DataError(
        f"{_shown(source)}, line {line}, column {column}: byte 0x{byte:02x} is not "
        f"{reading.encoding}. Give its encoding, e.g. --encoding latin-1."
    )


def _find_separator(source: str, reading: Reading) -> str:
    """Take the separator that occurs most in the first line, quoted cells aside."""
    if source == "-":
        head = _stdin()[:_SNIFFED]
    else:
        ending = Path(_existing(source)).suffix.lower()
        if ending == ".zst":
            return ","
        opened: Any = _PACKED.get(ending, open)
        with opened(source, "rb") as file:
            try:
                head = file.read(_SNIFFED)
            except (OSError, EOFError, lzma.LZMAError) as error:
                raise DataError(f"{source} cannot be unpacked: {error}.") from None
    line = head.decode(reading.encoding, "replace").split("\n")[0]
    outside = "".join(line.split('"')[::2])
    counts = {one: outside.count(one) for one in _SEPARATORS}
    best = max(counts, key=lambda one: counts[one])
    return best if counts[best] else ","


# ---------------------------------------------------------------------- typed files


def _read_typed(pl: Any, source: str) -> Any:
    if "::" in source:
        return _read_database(pl, source)
    ending = Path(_existing(source)).suffix.lower()
    if ending in (".parquet", ".pq"):
        return pl.read_parquet(source)
    if ending in (".arrow", ".feather", ".ipc"):
        return pl.read_ipc(source)
    return pl.read_ndjson(source)


def _read_database(pl: Any, source: str) -> Any:
    """Read one table of an SQLite or DuckDB file."""
    path, _, table = source.partition("::")
    name = '"' + table.replace('"', '""') + '"'
    with Path(_existing(path)).open("rb") as file:
        lite = file.read(16).startswith(b"SQLite format 3")
    if lite:
        import sqlite3

        base: Any = sqlite3.connect(f"file:{os.path.abspath(path)}?mode=ro", uri=True)  # noqa: PTH100
        failures: tuple[type[Exception], ...] = (sqlite3.Error,)
    else:
        try:
            import duckdb
        except ImportError:
            raise ImportError(
                f"Reading {path!r} needs the package duckdb. Install it: pip install duckdb",
                name="duckdb",
            ) from None
        failures = (duckdb.Error,)
        try:
            base = duckdb.connect(path, read_only=True)
        except failures as error:
            raise DataError(f"{path} is no database: {_first_line(error)}") from None
    try:
        cursor = base.execute(f"SELECT * FROM {name}")
        names = [one[0] for one in cursor.description]
        return pl.DataFrame(cursor.fetchall(), schema=names, orient="row", infer_schema_length=None)
    except failures as error:
        raise DataError(f"{path}, table {table!r}: {_first_line(error)}") from None
    finally:
        base.close()
