"""Read a CSV file in pieces: detect its format, and parse each piece with given types."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ceiba._polars import pl
from ceiba.errors import DataError, OptionError
from ceiba.table.files.cell_styles import (
    PLAIN_STYLES,
    Style,
    StyleChoice,
    choose_styles,
    matching_styles,
)
from ceiba.table.files.header import detect_separator, name_columns, parse_records
from ceiba.table.files.streams import (
    TextPiece,
    display_name,
    first_line,
    read_pieces,
    record_end,
    require_file,
)

if TYPE_CHECKING:
    from ceiba.table.files.reading import ReadOptions

_SAMPLE_BYTES: Final = 2**20  # size of the sample for detecting the header and cell styles
_SAMPLE_ROWS: Final = 10_000


@dataclass(frozen=True)
class CsvFormat:
    """Separator, encoding, header, missing value markers and cell styles of a CSV file."""

    separator: str = ","
    encoding: str = "utf-8"
    header: bool = True
    names: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()  # markers of missing values besides empty fields
    styles: Mapping[str, Style] = field(default_factory=dict)  # cell style by column

    def to_dict(self) -> dict[str, Any]:
        """Return header, names and nondefault styles as a dict for the model file."""
        styles = {
            name: style.to_dict()
            for name, style in self.styles.items()
            if style.kind in ("number", "date", "datetime") and style not in PLAIN_STYLES
        }
        return {"header": self.header, "names": list(self.names), "styles": styles}


@dataclass(frozen=True)
class CsvPiece:
    """Unparsed records of a CSV file."""

    file: CsvFile
    raw: bytes
    line: int
    encoding: str = "utf-8"  # encoding of the file (`raw` is always UTF-8)

    def parse(
        self,
        kinds: Mapping[str, Any] | None = None,
        columns: Sequence[str] | None = None,
        *,
        markers: bool = True,
        rows: int | None = None,
    ) -> pl.DataFrame:
        """Parse all rows, or the first `rows`; columns without a type in `kinds` stay strings."""
        file = self.file
        missing = list(file.format.markers) if markers else None
        try:
            return self._read_polars(kinds, columns, missing, rows)
        except pl.exceptions.ComputeError:
            self.refuse_malformed()
            raise
        except pl.exceptions.PolarsError as error:
            self.refuse_malformed()
            name = display_name(file.source)
            raise DataError(f"Cannot read {name}: {first_line(error)}") from None

    def parse_numbers(self, kinds: Mapping[str, Any]) -> pl.DataFrame:
        """Parse all rows as `parse` does, but faster; string columns may keep missing markers."""
        # Comparing every field with the markers is slow. Skip it while all fields are finite
        # numbers, unless the piece contains a marker that is itself a number, such as -999.
        file = self.file
        if file.numbers_only and not any(marker in self.raw for marker in file.numeric_markers):
            try:
                frame = self._read_polars(kinds, None, None, None)
                if all(frame.select(pl.col(list(kinds)).is_finite().all()).row(0)):
                    return frame
            except pl.exceptions.PolarsError:
                pass
            file.numbers_only = False
        return self.parse(kinds)

    def _read_polars(
        self,
        kinds: Mapping[str, Any] | None,
        columns: Sequence[str] | None,
        markers: list[str] | None,
        rows: int | None,
    ) -> pl.DataFrame:
        file = self.file
        # polars does not unescape doubled quotes in a header, so rename these columns later.
        doubled = {name: name.replace('"', '""') for name in file.format.names}
        frame = pl.read_csv(
            file.header + self.raw,
            columns=None if columns is None else [doubled[name] for name in columns],
            separator=file.format.separator,
            null_values=markers,
            infer_schema=False,
            schema_overrides={doubled[name]: kind for name, kind in (kinds or {}).items()},
            n_rows=rows,
        )
        return frame.rename(
            {text: name for name, text in doubled.items() if '"' in name}, strict=False
        )

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        text = io.StringIO(self.raw.decode("utf-8"), newline="")
        reader = csv.reader(text, delimiter=self.file.format.separator)
        line = self.line
        limit = csv.field_size_limit()
        csv.field_size_limit(max(limit, len(self.raw)))  # like polars, accept fields of any length
        try:
            for cells in reader:
                yield line, cells
                line = self.line + reader.line_num
        finally:
            csv.field_size_limit(limit)

    def find_line(self, row: int) -> int:
        """Return the line number in the file at which a row of this piece begins."""
        if b'"' not in self.raw:
            return self.line + row
        return next(line for k, (line, _) in enumerate(self._records()) if k == row)

    def refuse_malformed(self) -> None:
        """Raise an error that names the first malformed record, if any."""
        separator, n = self.file.format.separator, len(self.file.format.names)
        name = display_name(self.file.source)
        if self.raw.count(b'"') % 2:
            line = self.line
            for line, _ in self._records():  # noqa: B007 - the last record is the open one
                pass
            raise DataError(f'{name}, line {line}: unclosed quote (").')
        for line, cells in self._records():
            if len(cells) > n:
                raise DataError(
                    f"{name}, line {line}: expected {n} fields, got {len(cells)}. Check the "
                    f"separator ({separator!r}). Fields that contain it must be quoted."
                )


class CsvFile:
    """A CSV file that is read once, in pieces."""

    def __init__(self, source: str, reading: ReadOptions, rows: int | None = None) -> None:
        self.source = source
        self.reading = reading
        self.size = 0 if source == "-" else Path(require_file(source)).stat().st_size
        self.done = 0
        markers = tuple(marker for marker in reading.markers if marker)
        self.numeric_markers = [marker.encode() for marker in markers if _is_finite(marker)]
        self.numbers_only = True  # False once a number column has a field that is not a number
        self.remarks: list[str] = []
        self._pieces = read_pieces(source, reading.encoding, rows=rows, remarks=self.remarks)
        skip = reading.skip_rows
        for first in self._pieces:  # find the piece in which the table starts
            n = first.raw.count(b"\n")
            if first.raw.strip() and (n > skip or not first.raw.endswith(b"\n")):
                break
            skip = max(skip - n, 0)
        else:
            first = TextPiece(b"", 1, 0)
        if reading.skip_rows and (second := next(self._pieces, None)):  # samples need some rows
            first = replace(second, raw=first.raw + second.raw, line=first.line)
        start, separator = self._find_start(first.raw, skip)
        sample = first.raw[start : start + _SAMPLE_BYTES].decode("utf-8", "ignore")
        separator = separator or detect_separator(sample)
        rows_seen = parse_records(sample, separator, display_name(source))
        if not rows_seen:
            skipped = " after the skipped lines" * bool(reading.skip_rows)
            raise DataError(f"{display_name(source)} is empty{skipped}.")
        names, has_header, remarks = name_columns(rows_seen, reading, display_name(source))
        self.remarks += remarks
        self.format = CsvFormat(separator, first.encoding, has_header, tuple(names), markers)
        end = start
        if has_header:  # skip empty lines and the header, whose quoted names may span lines
            head = b""
            while end < len(first.raw) and (not head.strip() or head.count(b'"') % 2):
                end = first.raw.find(b"\n", end) + 1 or len(first.raw)
                head = first.raw[start:end]
        line = io.StringIO(newline="")
        csv.writer(line, delimiter=separator, lineterminator="\n").writerow(names)
        self.header = line.getvalue().encode("utf-8")
        before = first.raw.count(b"\n", 0, end)
        self._first = CsvPiece(self, first.raw[end:], first.line + before, first.encoding)
        self._first_done = first.done

    def _find_start(self, raw: bytes, skip: int) -> tuple[int, str]:
        """Return the table's offset, and the separator from an option or ``sep=`` line, if any."""
        at, separator = 0, self.reading.separator or ""
        for _ in range(skip):
            at = raw.find(b"\n", at) + 1
            if not at:
                raise OptionError(
                    "`skip_rows` must be less than the number of lines in "
                    f"{display_name(self.source)}, got {self.reading.skip_rows}."
                )
        line = raw[at : raw.find(b"\n", at) + 1].strip()
        if line[:4].lower() == b"sep=" and len(line) <= 5:
            separator = separator or line[4:].decode("utf-8") or "\t"
            at = raw.find(b"\n", at) + 1
        return at, separator

    @cached_property
    def choice(self) -> StyleChoice:
        """The cell style (number, date, ...) of each column, detected from the first rows."""
        raw = self._first.raw
        cut = len(raw) if len(raw) <= _SAMPLE_BYTES else record_end(raw, 0, _SAMPLE_BYTES)
        piece = CsvPiece(self, raw[: cut or len(raw)], self._first.line)
        cells = piece.parse().head(_SAMPLE_ROWS).to_dict(as_series=False)
        return self.choose({name: matching_styles(column) for name, column in cells.items()})

    def choose(self, fits: Mapping[str, Any]) -> StyleChoice:
        """Choose a cell style for each column among the styles in `fits`; see `choose_styles`."""
        reading = self.reading
        return choose_styles(
            fits,
            separator=self.format.separator,
            decimal_comma=reading.decimal_comma,
            day_first=reading.day_first,
            defaults=reading.styles,
        )

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers in this file have decimal commas, as in 1,5."""
        option = self.reading.decimal_comma
        return self.choice.decimal_comma if option is None else option

    def __iter__(self) -> Iterator[CsvPiece]:
        """Yield the pieces in order. A file without rows has one empty piece."""
        self.done = self._first_done
        yield self._first
        for piece in self._pieces:
            self.done = piece.done
            yield CsvPiece(self, piece.raw, piece.line, piece.encoding)


def _is_finite(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
