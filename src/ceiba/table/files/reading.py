"""Read files as polars frames: CSV, Parquet, Arrow, NDJSON, spreadsheets and databases.

`load_table` reads a whole table with typed columns, for learning. `read_batches` reads a table in
batches, for predicting; cells of a CSV stay strings, so that they can be written back unchanged.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import Any, Final

from ceiba._polars import pl
from ceiba.errors import DataError, DataWarning, OptionError, did_you_mean
from ceiba.progress import progress_bar
from ceiba.table.files.cell_styles import Style, choose_styles
from ceiba.table.files.csv_file import CsvFile, CsvFormat, CsvPiece
from ceiba.table.files.header import read_names, split_names
from ceiba.table.files.spreadsheets import SPREADSHEETS, is_spreadsheet, read_spreadsheet
from ceiba.table.files.streams import PACKED, display_name, first_line, make_seekable, require_file
from ceiba.table.files.typed_csv import ColumnSink, cast_frame, find_nameless, read_csv

#: Strings that mark missing values in columns of any type.
MARKERS: Final = (
    "", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "null", "NULL", "?", "#N/A", "#DIV/0!",
    "#VALUE!", "#REF!", "#NAME?", "#NUM!",
)  # fmt: skip
_TYPED: Final = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".ndjson", ".jsonl")


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading CSV files and spreadsheets; `quiet` hides the progress bar."""

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


def build_read_options(
    *,
    separator: str | None = None,
    encoding: str | None = None,
    missing_marker: list[str] | None = None,
    decimal_comma: bool | None = None,
    day_first: bool | None = None,
    header: bool | None = None,
    names: str | None = None,
    names_from: str | None = None,
    skip_rows: int = 0,
) -> ReadOptions:
    """Return validated read options; the given missing markers extend the default ones."""
    if separator is not None:
        separator = {"\\t": "\t", "tab": "\t"}.get(separator, separator)
        if len(separator) != 1:
            raise OptionError(f"`separator` must be one character or 'tab', got {separator!r}.")
    if encoding is not None:
        try:
            "".encode(encoding)
        except LookupError:
            raise OptionError(
                f"`encoding` must be a codec such as 'utf-8' or 'latin-1', got {encoding!r}."
            ) from None
    if names is not None and names_from is not None:
        raise OptionError("Pass either `names` or `names_from`, not both.")
    column_names = read_names(names_from) if names_from is not None else split_names([names or ""])
    return ReadOptions(
        separator=separator,
        encoding=encoding,
        markers=tuple(dict.fromkeys((*MARKERS, *(missing_marker or ())))),
        decimal_comma=decimal_comma,
        day_first=day_first,
        header=header,
        names=tuple(column_names) or None,
        skip_rows=skip_rows,
    )


def check_read_options(caller: str, options: Mapping[str, Any]) -> ReadOptions:
    """Convert the keyword arguments of `caller` to read options; reject unknown names."""
    names = list(inspect.signature(build_read_options).parameters)
    for name in options:
        if name not in names:
            raise OptionError(f"{caller} has no option {name!r}.{did_you_mean(name, names)}")
    return build_read_options(**options)


@dataclass(frozen=True)
class LoadedTable:
    """A table read as a frame, with its file format and messages for the user."""

    frame: Any
    remarks: list[str] = field(default_factory=list)
    format: CsvFormat = field(default_factory=CsvFormat)


@dataclass(frozen=True)
class Batch:
    """A batch of consecutive rows of a table."""

    columns: list[str]
    first_row: int = 0
    frame: Any = None
    piece: CsvPiece | None = None
    styles: Mapping[str, Style] = field(default_factory=dict)

    def cells(self, columns: list[str] | None = None, *, markers: bool = True) -> pl.DataFrame:
        """Return the given columns, or all; with `markers`, CSV fields such as NA become null."""
        if self.piece is not None:
            return self.piece.parse(columns=columns, markers=markers)
        frame: pl.DataFrame = self.frame if columns is None else self.frame.select(columns)
        return frame

    def locate(self, row: int) -> str:
        """Return the position of a row in its file for messages."""
        if self.piece is None:
            return f"row {self.first_row + row + 1}"
        return f"{display_name(self.piece.file.source)}, line {self.piece.find_line(row)}"


def is_text(source: str) -> bool:
    """Whether a source is a CSV file (compressed or not) or standard input."""
    if source == "-":
        return True
    if "::" in source:
        return False
    name = source.lower()
    for ending in (*PACKED, ".zst", ".zip"):
        name = name.removesuffix(ending)
    return Path(name).suffix not in (*_TYPED, *SPREADSHEETS)


def load_table(source: str, reading: ReadOptions) -> LoadedTable:
    """Read a whole table; the types of CSV columns are inferred from all rows."""
    if is_spreadsheet(source):
        return _load_sheet(source, reading)
    if not is_text(source):
        refuse_text_options(source, reading)
        frame, remarks = _drop_nested(_call_polars(source, lambda: _read_typed(source)))
        gaps = [
            series.name
            for series in frame.get_columns()
            if series.dtype.is_float() and series.is_nan().any()
        ]
        return LoadedTable(frame.with_columns(pl.col(gaps).fill_nan(None)), remarks)
    columns = ColumnSink()
    sources = [make_seekable(path) for path in expand_sources(source)]
    csv, remarks = _call_polars(source, lambda: read_csv(sources, reading, columns))
    frame = columns.frame()
    nonempty = {series.name for series in frame.get_columns() if series.null_count() < len(series)}
    dropped, remark = find_nameless(csv, nonempty)
    return LoadedTable(frame.drop(dropped), remarks + remark, csv)


def expand_sources(source: str) -> list[str]:
    """Return the files that match a path or a pattern, sorted."""
    if source == "-" or "::" in source or Path(source).exists():
        return [source]
    paths = sorted(path for path in glob(source, recursive=True) if Path(path).is_file())  # noqa: PTH207
    return paths or [require_file(source)]


def _load_sheet(source: str, reading: ReadOptions) -> LoadedTable:
    """Read a sheet; the types of text cells are inferred as in a CSV file."""
    for name in ("separator", "encoding"):
        if getattr(reading, name) is not None:
            raise OptionError(f"`{name}` is not supported for spreadsheets, got {source}.")
    sheet, has_header, remarks = read_spreadsheet(source, reading)
    frame, choice = cast_frame(
        sheet,
        lambda fits: choose_styles(
            fits, decimal_comma=reading.decimal_comma, day_first=reading.day_first,
            defaults=reading.styles,
        ),
    )  # fmt: skip
    csv = CsvFormat(header=has_header, styles=choice.styles)
    return LoadedTable(frame, remarks + choice.ambiguities, csv)


def refuse_text_options(source: str, reading: ReadOptions) -> None:
    """Raise an error if options for CSV files are passed with a file in another format."""
    names = "separator", "encoding", "decimal_comma", "header", "day_first", "names", "skip_rows"
    for name in names:
        if getattr(reading, name) != getattr(ReadOptions, name):
            raise OptionError(
                f"`{name}` is not supported for {display_name(source)}, which stores column types."
            )


def _drop_nested(frame: Any) -> tuple[Any, list[str]]:
    """Drop nested, binary and object columns, which splits do not support."""
    nested = [
        series.name
        for series in frame.get_columns()
        if series.dtype.is_nested() or str(series.dtype) in ("Object", "Binary")
    ]
    if not nested:
        return frame, []
    if len(nested) == frame.width:
        raise DataError(f"All columns are nested or binary, e.g. {nested[0]!r}. Convert them.")
    return frame.drop(nested), [
        f"Dropped nested and binary columns: {', '.join(nested)}. Convert those that you need."
    ]


def read_batches(source: str, reading: ReadOptions, size: int) -> Iterator[Batch]:
    """Yield a table in batches of about `size` rows; a sheet or an empty table is one batch."""
    if len(paths := expand_sources(source)) > 1 or paths != [source]:
        for path in paths:
            yield from read_batches(path, reading, size)
        return
    if is_spreadsheet(source):
        sheet = _load_sheet(source, reading)
        yield Batch(sheet.frame.columns, 0, sheet.frame)
        return
    if is_text(source):
        file = CsvFile(source, reading, size)
        names = list(file.format.names)
        for text in [*file.remarks, *(file.choice.ambiguities if reading.expected else ())]:
            warnings.warn(text, DataWarning, stacklevel=2)
        with progress_bar("predicting", file.size, reading.quiet) as bar:
            for piece in file:
                yield Batch(names, piece=piece)
                bar(file.done)
        return
    refuse_text_options(source, reading)
    if source.lower().endswith((".parquet", ".pq")):
        lazy = _call_polars(source, lambda: pl.scan_parquet(require_file(source)))
    else:
        lazy = _call_polars(source, lambda: _read_typed(source)).lazy()
    try:
        n = 0
        total = lazy.select(pl.len()).collect().item()
        with progress_bar("predicting", total, reading.quiet) as bar:
            for chunk in lazy.collect_batches(chunk_size=size, maintain_order=True):
                yield Batch(chunk.columns, n, chunk)
                n += len(chunk)
                bar(n)
        if not n:
            empty = lazy.collect()
            yield Batch(empty.columns, 0, empty)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"Cannot read {display_name(source)}: {first_line(error)}") from None


def _call_polars(source: str, read: Any) -> Any:
    try:
        return read()
    except pl.exceptions.NoDataError:
        raise DataError(f"{display_name(source)} is empty.") from None
    except pl.exceptions.PolarsError as error:
        raise DataError(f"Cannot read {display_name(source)}: {first_line(error)}") from None


def _read_typed(source: str) -> Any:
    if "::" in source:
        return read_database(source)
    ending = Path(require_file(source)).suffix.lower()
    if ending in (".parquet", ".pq"):
        return pl.read_parquet(source)
    if ending in (".arrow", ".feather", ".ipc"):
        return pl.read_ipc(source)
    return pl.read_ndjson(source)


def read_database(source: str) -> Any:
    """Read one table of an SQLite or DuckDB file."""
    path, _, table = source.partition("::")
    name = '"' + table.replace('"', '""') + '"'
    with Path(require_file(path)).open("rb") as file:
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
                f"Reading {path!r} requires 'duckdb'. Install it with: pip install 'duckdb'",
                name="duckdb",
            ) from None
        failures = (duckdb.Error,)
        try:
            base = duckdb.connect(path, read_only=True)
        except failures as error:
            raise DataError(f"Cannot open database {path}: {first_line(error)}") from None
    try:
        cursor = base.execute(f"SELECT * FROM {name}")
        names = [column[0] for column in cursor.description]
        return pl.DataFrame(cursor.fetchall(), schema=names, orient="row", infer_schema_length=None)
    except failures as error:
        raise DataError(f"Cannot read table {table!r} in {path}: {first_line(error)}") from None
    finally:
        base.close()
