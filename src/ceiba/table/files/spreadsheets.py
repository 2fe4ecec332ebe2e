"""Read a sheet from ``FILE.xlsx`` or ``FILE.xlsx::SHEET``, or from .xls, .xlsb and .ods files.

A column of only numbers, dates or booleans keeps that type. A column that contains a string
becomes a string column, whose type is then inferred as in a CSV file.
"""

from __future__ import annotations

import datetime
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ceiba._polars import pl
from ceiba.errors import DataError, OptionError, did_you_mean
from ceiba.table.files.header import name_columns
from ceiba.table.files.streams import call_in_child, require_file

if TYPE_CHECKING:
    from ceiba.table.files.reading import ReadOptions

SPREADSHEETS: Final = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_BASE_MEMORY: Final = 2 << 30  # bytes
_MEMORY_PER_BYTE: Final = 1000  # memory limit per byte of the file, in bytes


def is_spreadsheet(source: str) -> bool:
    """Whether a source is a spreadsheet, or one of its sheets."""
    return Path(source.partition("::")[0].lower()).suffix in SPREADSHEETS


def read_spreadsheet(source: str, reading: ReadOptions) -> tuple[pl.DataFrame, bool, list[str]]:
    """Return the named or the first nonempty sheet, whether it has a header, and messages."""
    # The reader allocates a dense range of cells and aborts its process if two cells are too far
    # apart. It therefore runs in a child process, whose memory limit depends on the file size.
    path, _, choice = source.partition("::")
    memory = _BASE_MEMORY + _MEMORY_PER_BYTE * Path(require_file(path)).stat().st_size
    rows, remarks = call_in_child(path, memory, _read_rows, path, choice, reading.skip_rows)
    if not rows:
        raise DataError(f"{source} has {'only skipped' if reading.skip_rows else 'no'} rows.")
    cells = [[str(cell).strip() for cell in row] for row in rows[:1000]]
    names, has_header, noticed = name_columns(cells, reading, source)
    n, n_named = len(names), sum(map(bool, cells[0]))
    if has_header and n_named < n / 2:
        raise DataError(
            f"{source}: the first row names only {n_named} of {n} columns. If a title is above "
            "the table, skip it with `skip_rows`."
        )
    body = rows[1:] if has_header else rows
    columns = [_to_column(name, [row[j] for row in body], reading) for j, name in enumerate(names)]
    return pl.DataFrame(columns), has_header, remarks + noticed


def _read_rows(path: str, choice: str, skip_rows: int) -> tuple[list[list[Any]], list[str]]:
    """Return the nonempty rows of a sheet, and messages for the user."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise ImportError(
            f"Reading {path!r} requires the 'python-calamine' package. Install it with: "
            "pip install 'ceiba[excel]'. Alternatively, save the sheet as CSV.",
            name="python_calamine",
        ) from None
    try:
        book = CalamineWorkbook.from_path(path)
        names = book.sheet_names
        if choice and choice not in names:
            sheet_names = ", ".join(names)
            raise OptionError(
                f"Sheet not found: {choice!r}. Sheets: {sheet_names}.{did_you_mean(choice, names)}"
            )
        sheets = {name: book.get_sheet_by_name(name) for name in ([choice] if choice else names)}
    except CalamineError as error:
        raise DataError(f"{path} cannot be read as a spreadsheet: {error}") from None
    full = [name for name, sheet in sheets.items() if sheet.height]
    if not full:
        raise DataError(f"{path}{'::' * bool(choice)}{choice} is empty.")
    remarks = []
    if len(full) > 1:
        remarks.append(
            f"{path} has {len(full)} nonempty sheets; {full[0]!r} is read. To read another sheet, "
            f"pass e.g. {path}::{full[1]}."
        )
    rows = itertools.islice(sheets[full[0]].iter_rows(), skip_rows, None)
    return [row for row in rows if any(cell != "" for cell in row)], remarks


def _to_column(name: str, cells: list[Any], reading: ReadOptions) -> Any:
    missing = set(reading.markers)
    values = [None if isinstance(c, str) and c.strip() in missing else c for c in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and kinds:
        if all(value is None or float(value).is_integer() for value in values):
            return pl.Series(name, [None if v is None else int(v) for v in values])
        return pl.Series(name, [None if v is None else float(v) for v in values])
    if kinds == {bool}:
        return pl.Series(name, values)
    if kinds and kinds <= {datetime.date, datetime.datetime}:
        midnight = datetime.time()
        times = [
            v if v is None or hasattr(v, "time") else datetime.datetime.combine(v, midnight)
            for v in values
        ]
        series = pl.Series(name, times, dtype=pl.Datetime("us"))
        is_date = all(v is None or v.time() == midnight for v in times)
        return series.cast(pl.Date) if is_date else series
    return pl.Series(name, [None if v is None else _to_text(v) for v in values], dtype=pl.String)


def _to_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
