"""Tables as polars frames: CSV of any separator, encoding and compression, Parquet, databases.

`read_table` reads a whole table with the types of its columns, for learning. `batches` reads one in
pieces, cells of a CSV as they stand, for predicting: what goes in comes out unchanged.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ceiba.cli.files.csv_file import CsvFile, CsvPiece
from ceiba.cli.files.databases import read_database
from ceiba.cli.files.streams import PACKED, existing, shown
from ceiba.cli.progress import progress
from ceiba.errors import DataError, OptionError

if TYPE_CHECKING:
    import polars as pl

#: Cells that are missing values unless the user says otherwise.
MARKERS: Final = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
_TYPED: Final = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".ndjson", ".jsonl")


@dataclass(frozen=True)
class Reading:
    """How CSV files are read, and whether quietly (no progress bar).

    Examples
    --------
    >>> from ceiba.cli.files.reading import Reading
    >>> Reading(separator=";").separator
    ';'
    """

    separator: str | None = None
    encoding: str = "utf-8"
    markers: tuple[str, ...] = MARKERS
    decimal_comma: bool = False
    quiet: bool = False

    @staticmethod
    def of(
        separator: str | None,
        encoding: str,
        markers: Sequence[str] | None,
        decimal_comma: bool,
        quiet: bool = False,
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
        return Reading(separator, encoding, tuple(chosen), decimal_comma, quiet)


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


@dataclass(frozen=True)
class Batch:
    """Some rows of a table.

    Parameters
    ----------
    columns : list of str
        The names of its columns.
    first_row : int
        Rows of the table before these.
    frame : polars DataFrame, optional
        The rows of a typed table.
    piece : CsvPiece, optional
        The records of a CSV file.
    """

    columns: list[str]
    first_row: int = 0
    frame: Any = None
    piece: CsvPiece | None = None

    def cells(self, columns: list[str] | None = None, *, markers: bool = True) -> pl.DataFrame:
        """Give the rows, those of a CSV as texts; only some columns if they are named.

        Without `markers` a cell such as NA, which means missing, is a text like any other.
        """
        if self.piece is not None:
            return self.piece.parse(columns=columns, markers=markers)
        found: pl.DataFrame = self.frame if columns is None else self.frame.select(columns)
        return found

    def place(self, row: int) -> str:
        """Say where a row is in the file."""
        if self.piece is None:
            return f"row {self.first_row + row + 1}"
        return f"{shown(self.piece.file.source)}, line {self.piece.line_of(row)}"


def is_text(source: str) -> bool:
    """Tell whether a source is read as CSV text."""
    if source == "-":
        return True
    if "::" in source:
        return False
    name = source.lower()
    for ending in (*PACKED, ".zst"):
        name = name.removesuffix(ending)
    return Path(name).suffix not in _TYPED


def read_table(source: str, reading: Reading) -> Any:
    """Read a whole table; types of CSV columns are inferred from all rows.

    Raises
    ------
    DataError
        With what is wrong in the file.
    """
    pl = import_polars()
    if not is_text(source):
        return _guarded(source, lambda: _read_typed(pl, source))
    from ceiba.cli.files.typed_csv import read_typed_csv

    with _seekable(source) as path, progress("reading", _size(path), reading.quiet) as bar:
        return _guarded(source, lambda: read_typed_csv(
            lambda: CsvFile(path, reading), reading.decimal_comma, lambda file: bar(file.done),
        ))  # fmt: skip


def batches(source: str, reading: Reading, size: int) -> Iterator[Batch]:
    """Read a table in pieces of about `size` rows, in order; at least one, perhaps empty."""
    pl = import_polars()
    if is_text(source):
        file = CsvFile(source, reading, size)
        names = _guarded(source, lambda: file.names)
        with progress("predicting", file.size, reading.quiet) as bar:
            for piece in file:
                yield Batch(names, piece=piece)
                bar(file.done)
        return
    if source.lower().endswith((".parquet", ".pq")):
        lazy = _guarded(source, lambda: pl.scan_parquet(existing(source)))
    else:
        lazy = _guarded(source, lambda: _read_typed(pl, source)).lazy()
    try:
        n = 0
        total = lazy.select(pl.len()).collect().item()
        with progress("predicting", total, reading.quiet) as bar:
            for piece in lazy.collect_batches(chunk_size=size, maintain_order=True):
                yield Batch(piece.columns, n, piece)
                n += len(piece)
                bar(n)
        if not n:
            empty = lazy.collect()
            yield Batch(empty.columns, 0, empty)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{shown(source)}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]


def _size(path: str) -> int:
    return Path(existing(path)).stat().st_size


@contextlib.contextmanager
def _seekable(source: str) -> Iterator[str]:
    """Give a path that can be read twice; the standard input goes to a file of its own first."""
    if source != "-":
        yield source
        return
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="ceiba-") as folder:
        path = Path(folder) / "standard input"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(path)


def _guarded(source: str, read: Any) -> Any:
    pl = import_polars()
    try:
        return read()
    except pl.exceptions.NoDataError:
        raise DataError(f"{shown(source)} is empty.") from None
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{shown(source)}: {_first_line(error)}") from None


def _read_typed(pl: Any, source: str) -> Any:
    if "::" in source:
        return read_database(source)
    ending = Path(existing(source)).suffix.lower()
    if ending in (".parquet", ".pq"):
        return pl.read_parquet(source)
    if ending in (".arrow", ".feather", ".ipc"):
        return pl.read_ipc(source)
    return pl.read_ndjson(source)
