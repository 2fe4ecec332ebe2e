"""A CSV file in pieces: its format, and pieces parsed with the types one asks for.

Mistakes in a piece are named by the line of the file: a record with too many cells, a quote that is
never closed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ceiba._polars import pl
from ceiba.errors import DataError, OptionError
from ceiba.table.files.cell_styles import PLAIN_STYLES, Choice, Style, choose, fitting
from ceiba.table.files.header import named_columns, records, separator_in
from ceiba.table.files.streams import existing, first_line, pieces, shown

if TYPE_CHECKING:
    from ceiba.table.files.reading import Reading

_LOOKED_AT: Final = 2**20  # bytes by which header and styles are judged
_ROWS: Final = 10_000


@dataclass(frozen=True)
class CsvFormat:
    """How a CSV file is written; what every reader of the file goes by."""

    separator: str = ","
    encoding: str = "utf-8"
    header: bool = True
    names: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()  # of missing values, the empty cell aside
    styles: Mapping[str, Style] = field(default_factory=dict)  # of the cells, by column

    def to_dict(self) -> dict[str, Any]:
        """Return what a model file keeps of it: such columns are read so again."""
        written = {
            name: style.to_dict()
            for name, style in self.styles.items()
            if style.kind in ("number", "date", "datetime") and style not in PLAIN_STYLES
        }
        return {"header": self.header, "names": list(self.names), "styles": written}


@dataclass(frozen=True)
class CsvPiece:
    """Records of a CSV file, not parsed yet."""

    file: CsvFile
    raw: bytes
    line: int
    encoding: str = "utf-8"  # of the file; `raw` is UTF-8

    def parse(
        self,
        kinds: Mapping[str, Any] | None = None,
        columns: Sequence[str] | None = None,
        *,
        markers: bool = True,
        rows: int | None = None,
    ) -> pl.DataFrame:
        """Return columns with these types, the others as texts; without `markers` NA is a text too.

        With `rows`, no more than the first ones.
        """
        file = self.file
        missing = list(file.format.markers) if markers else None
        try:
            return self._parsed(kinds, columns, missing, rows)
        except pl.exceptions.ComputeError:
            self.refuse_malformed()
            raise
        except pl.exceptions.PolarsError as error:
            self.refuse_malformed()
            raise DataError(f"{shown(file.source)}: {first_line(error)}") from None

    def parse_numbers(self, kinds: Mapping[str, Any]) -> pl.DataFrame:
        """Parse as `parse` does, but leave markers in columns of texts to the caller.

        Looking for markers in every cell costs polars 40% more time, and among numbers most files
        have none. It is spared until a cell is no number, or not a finite one, and unless a marker
        looks like a number (-999) and stands somewhere.
        """
        file = self.file
        if file.numbers_only and not any(marker in self.raw for marker in file.numeric_markers):
            try:
                frame = self._parsed(kinds, None, None, None)
                if all(frame.select(pl.col(list(kinds)).is_finite().all()).row(0)):
                    return frame
            except pl.exceptions.PolarsError:
                pass
            file.numbers_only = False
        return self.parse(kinds)

    def _parsed(
        self,
        kinds: Mapping[str, Any] | None,
        columns: Sequence[str] | None,
        markers: list[str] | None,
        rows: int | None,
    ) -> pl.DataFrame:
        file = self.file
        # polars leaves the doubled quotes of a header as they are.
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
        for cells in reader:
            yield line, cells
            line = self.line + reader.line_num

    def line_of(self, row: int) -> int:
        """Return the line of the file on which a row of this piece begins."""
        if b'"' not in self.raw:
            return self.line + row
        return next(line for k, (line, _) in enumerate(self._records()) if k == row)

    def refuse_malformed(self) -> None:
        """Name the first record that is not one, if any."""
        separator, n = self.file.format.separator, len(self.file.format.names)
        where = shown(self.file.source)
        if self.raw.count(b'"') % 2:
            line = self.line
            for line, _ in self._records():  # noqa: B007 - the last record is the open one
                pass
            raise DataError(f'{where}, line {line}: a quote (") is opened and never closed.')
        try:
            for line, cells in self._records():
                if len(cells) > n:
                    raise DataError(
                        f"{where}, line {line}: {len(cells)} cells, but the header has {n}. Is "
                        f"{separator!r} the separator? Cells that hold it need quotes."
                    )
        except csv.Error:  # a cell too long for Python; polars has said what is wrong
            return


class CsvFile:
    """A CSV file that is read once, in pieces."""

    def __init__(self, source: str, reading: Reading, rows: int | None = None) -> None:
        self.source = source
        self.reading = reading
        self.size = 0 if source == "-" else Path(existing(source)).stat().st_size
        self.done = 0
        markers = tuple(marker for marker in reading.markers if marker)
        self.numeric_markers = [marker.encode() for marker in markers if _is_finite(marker)]
        self.numbers_only = True  # no marker has been seen among numbers
        self.remarks: list[str] = []
        self._pieces = pieces(source, reading.encoding, rows=rows, remarks=self.remarks)
        first = next(self._pieces, None)
        if first is None or not first.raw.strip():
            raise DataError(f"{shown(source)} is empty.")
        start, separator = self._start(first.raw)
        sample = first.raw[start : start + _LOOKED_AT].decode("utf-8", "ignore")
        separator = separator or separator_in(sample)
        rows_seen = records(sample, separator)
        if not rows_seen:
            raise DataError(f"{shown(source)} is empty.")
        names, has_header, remarks = named_columns(rows_seen, reading, shown(source))
        self.remarks += remarks
        self.format = CsvFormat(separator, first.encoding, has_header, tuple(names), markers)
        end = start
        if has_header:  # a name in quotes may go over several lines
            while (end := first.raw.find(b"\n", end) + 1) and first.raw.count(b'"', start, end) % 2:
                pass
            end = end or len(first.raw)
        line = io.StringIO(newline="")
        csv.writer(line, delimiter=separator, lineterminator="\n").writerow(names)
        self.header = line.getvalue().encode("utf-8")
        before = first.raw.count(b"\n", 0, end)
        self._first = CsvPiece(self, first.raw[end:], first.line + before, first.encoding)
        self._first_done = first.done

    def _start(self, raw: bytes) -> tuple[int, str]:
        """Return where the table begins, after lines to skip and ``sep=;``, and the separator."""
        at, separator = 0, self.reading.separator or ""
        for _ in range(self.reading.skip_rows):
            at = raw.find(b"\n", at) + 1
            if not at:
                raise OptionError(
                    f"--skip-rows {self.reading.skip_rows}: {shown(self.source)} has fewer lines."
                )
        line = raw[at : raw.find(b"\n", at) + 1].strip()
        if line[:4].lower() == b"sep=" and len(line) <= 5:
            separator = separator or line[4:].decode("utf-8") or "\t"
            at = raw.find(b"\n", at) + 1
        return at, separator

    @cached_property
    def choice(self) -> Choice:
        """How the cells of each column are written, by the first rows."""
        raw = self._first.raw
        cut = len(raw) if len(raw) <= _LOOKED_AT else _record_end(raw, _LOOKED_AT)
        frame = CsvPiece(self, raw[:cut], self._first.line).parse().head(_ROWS)
        cells = frame.to_dict(as_series=False)
        return self.chosen({name: fitting(column) for name, column in cells.items()})

    def chosen(self, fits: Mapping[str, Any]) -> Choice:
        """Choose among the styles that fit, as the user or the model wants them."""
        reading = self.reading
        return choose(
            fits,
            separator=self.format.separator,
            decimal_comma=reading.decimal_comma,
            day_first=reading.day_first,
            stored=reading.styles,
        )

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers are written 1,5 in this file."""
        if self.reading.decimal_comma is not None:
            return self.reading.decimal_comma
        return self.choice.decimal_comma

    def __iter__(self) -> Iterator[CsvPiece]:
        """Return the pieces, in order; at least one, which may have no rows."""
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


def _record_end(raw: bytes, stop: int) -> int:
    """Return where the last record before a place ends; all of it if that is not certain."""
    end = raw.rfind(b"\n", 0, stop) + 1
    return end if end and raw.count(b'"', 0, end) % 2 == 0 else len(raw)
