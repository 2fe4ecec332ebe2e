"""Tables as polars frames: CSV of any dialect and compression, Parquet, spreadsheets, databases.

`load_table` reads a whole table with the types of its columns, for learning. `batches` reads one in
pieces, cells of a CSV as they stand, for predicting: what goes in comes out unchanged.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import Any, Final

from ceiba.cli.files._polars import pl
from ceiba.cli.files.cell_styles import Style, choose
from ceiba.cli.files.csv_file import CsvFile, CsvPiece
from ceiba.cli.files.databases import read_database
from ceiba.cli.files.spreadsheets import SPREADSHEETS, is_spreadsheet, read_spreadsheet
from ceiba.cli.files.streams import PACKED, existing, shown
from ceiba.cli.files.typed_csv import read_typed_csv, typed_frame
from ceiba.cli.terminal.output import remark
from ceiba.cli.terminal.progress import progress
from ceiba.errors import DataError, OptionError

#: Cells that are missing values unless the user says otherwise.
MARKERS: Final = (
    "", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "null", "NULL", "?", "#N/A", "#DIV/0!",
    "#VALUE!", "#REF!", "#NAME?", "#NUM!",
)  # fmt: skip
_TYPED: Final = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".ndjson", ".jsonl")


@dataclass(frozen=True)
class Reading:
    """How text files are read, and whether quietly (no progress bar).

    Parameters
    ----------
    separator, encoding : str or None
        None finds them out.
    markers : tuple of str
        Cells that are missing values.
    decimal_comma, day_first : bool or None
        How 1.234 and 03/04/2024 are meant; None judges by the file.
    header : bool or None
        Whether the first line holds names; None judges by the file.
    names : tuple of str or None
        Names of the columns, instead of those in the file.
    skip_rows : int
        Lines before the table.
    quiet : bool
    expected, stored_names, target, styles
        What is known from a model: its columns, all columns of the file it was learned from, the
        target among them, and how they were written.

    Examples
    --------
    >>> from ceiba.cli.files.reading import Reading
    >>> Reading(separator=";").separator
    ';'
    """

    separator: str | None = None
    encoding: str | None = None
    markers: tuple[str, ...] = MARKERS
    decimal_comma: bool | None = None
    day_first: bool | None = None
    header: bool | None = None
    names: tuple[str, ...] | None = None
    skip_rows: int = 0
    quiet: bool = False
    expected: tuple[str, ...] = ()
    stored_names: tuple[str, ...] = ()
    target: str | None = None
    styles: Mapping[str, Style] = field(default_factory=dict)


@dataclass(frozen=True)
class Loaded:
    """A whole table: its frame, what was remarkable, and how its columns were written."""

    frame: Any
    remarks: list[str] = field(default_factory=list)
    styles: Mapping[str, Style] = field(default_factory=dict)
    has_header: bool = True


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
    styles : mapping of str to Style
        How texts in `frame` are written; those of a piece are known to its file.
    """

    columns: list[str]
    first_row: int = 0
    frame: Any = None
    piece: CsvPiece | None = None
    styles: Mapping[str, Style] = field(default_factory=dict)

    def cells(self, columns: list[str] | None = None, *, markers: bool = True) -> pl.DataFrame:
        """Give the rows, those of a CSV as texts; only some columns if they are named.

        Without `markers` a cell such as NA, which means missing, is a text like any other.
        """
        if self.piece is not None:
            return self.piece.parse(columns=columns, markers=markers)
        part: pl.DataFrame = self.frame if columns is None else self.frame.select(columns)
        return part

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
    for ending in (*PACKED, ".zst", ".zip"):
        name = name.removesuffix(ending)
    return Path(name).suffix not in (*_TYPED, *SPREADSHEETS)


def read_table(source: str, reading: Reading) -> Any:
    """Read a whole table as a frame."""
    return load_table(source, reading).frame


def load_table(source: str, reading: Reading) -> Loaded:
    """Read a whole table; types of text columns are inferred from all rows.

    Raises
    ------
    DataError
        With what is wrong in the file.
    """
    if is_spreadsheet(source):
        return _sheet(source, reading)
    if not is_text(source):
        refuse_text_options(source, reading)
        frame, remarks = _without_nested(_guarded(source, lambda: _read_typed(source)))
        return Loaded(frame, remarks)
    with _seekable(source) as path, progress("reading", _size(path), reading.quiet) as bar:
        frame, file = _guarded(
            source, lambda: read_typed_csv(lambda: CsvFile(path, reading), lambda f: bar(f.done))
        )
    frame, unnamed = _without_nameless(without_empty_rows(frame), file)
    return Loaded(frame, file.remarks + unnamed, file.styles, file.has_header)


def _sheet(source: str, reading: Reading) -> Loaded:
    """Read a sheet; texts in it are read as those of a CSV file are."""
    for option, value in (("--separator", reading.separator), ("--encoding", reading.encoding)):
        if value is not None:
            raise OptionError(f"{option} is for text files; {source} is a spreadsheet.")
    sheet = read_spreadsheet(source, reading)
    frame, choice = typed_frame(
        sheet.frame,
        lambda fits: choose(
            fits, decimal_comma=reading.decimal_comma, day_first=reading.day_first,
            stored=reading.styles,
        ),
    )  # fmt: skip
    return Loaded(frame, sheet.remarks + choice.doubts, choice.styles, sheet.has_header)


def refuse_text_options(source: str, reading: Reading) -> None:
    """Refuse options of text files for a file that has types and names of its own."""
    given = {
        "--separator": reading.separator, "--encoding": reading.encoding,
        "--decimal-comma": reading.decimal_comma, "--header": reading.header,
        "--day-first": reading.day_first, "--names": reading.names,
        "--skip-rows": reading.skip_rows or None,
    }  # fmt: skip
    for option, value in given.items():
        if value is not None:
            raise OptionError(
                f"{option} is for text files; {shown(source)} has columns with names and types."
            )


def without_empty_rows(frame: Any) -> Any:
    """Leave out rows without a single cell: empty lines."""
    if frame.width < 2 or not all(one.null_count() for one in frame.get_columns()):
        return frame
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))


def _without_nameless(frame: Any, file: CsvFile) -> tuple[Any, list[str]]:
    """Leave out columns that have neither name nor value: lines that end with a separator."""
    empty = [
        one.name for one in frame.get_columns()
        if re.fullmatch(r"column_\d+", one.name) and one.null_count() == len(one)
    ] if file.has_header else []  # fmt: skip
    if not empty or len(empty) == frame.width:
        return frame, []
    return frame.drop(empty), [f"Left out: {', '.join(empty)}, without a name and without a value."]


def _without_nested(frame: Any) -> tuple[Any, list[str]]:
    """Leave out columns of lists and structs, which no question can be asked of."""
    nested = [one.name for one in frame.get_columns() if one.dtype.is_nested()]
    nested += [one.name for one in frame.get_columns() if str(one.dtype) in ("Object", "Binary")]
    if not nested:
        return frame, []
    if len(nested) == frame.width:
        raise DataError(f"All columns are nested (lists or structs): {', '.join(nested[:5])}.")
    many = len(nested) > 1
    return frame.drop(nested), [
        f"Left out: {', '.join(nested)}, {'columns' if many else 'a column'} of lists or structs. "
        "Unnest what you need first."
    ]


def batches(source: str, reading: Reading, size: int) -> Iterator[Batch]:
    """Read a table in pieces of about `size` rows, in order; at least one, perhaps empty."""
    if "*" in source and not Path(source).is_file():
        paths = sorted(glob(source, recursive=True))  # noqa: PTH207
        if not paths:
            raise DataError(f"No file matches {source}.")
        for one in paths:
            yield from batches(one, reading, size)
        return
    if is_spreadsheet(source):
        loaded = _sheet(source, reading)
        yield Batch(loaded.frame.columns, 0, loaded.frame)
        return
    if is_text(source):
        file = CsvFile(source, reading, size)
        names = file.names
        for text in [*file.remarks, *(file.choice.doubts if reading.expected else ())]:
            remark(f"warning: {text}", reading.quiet)
        with progress("predicting", file.size, reading.quiet) as bar:
            for piece in file:
                yield Batch(names, piece=piece)
                bar(file.done)
        return
    refuse_text_options(source, reading)
    if source.lower().endswith((".parquet", ".pq")):
        lazy = _guarded(source, lambda: pl.scan_parquet(existing(source)))
    else:
        lazy = _guarded(source, lambda: _read_typed(source)).lazy()
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
    with tempfile.TemporaryDirectory(prefix="ceiba-") as folder:
        path = Path(folder) / "standard input"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(path)


def _guarded(source: str, read: Any) -> Any:
    try:
        return read()
    except pl.exceptions.NoDataError:
        raise DataError(f"{shown(source)} is empty.") from None
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{shown(source)}: {_first_line(error)}") from None


def _read_typed(source: str) -> Any:
    if "::" in source:
        return read_database(source)
    ending = Path(existing(source)).suffix.lower()
    if ending in (".parquet", ".pq"):
        return pl.read_parquet(source)
    if ending in (".arrow", ".feather", ".ipc"):
        return pl.read_ipc(source)
    return pl.read_ndjson(source)
