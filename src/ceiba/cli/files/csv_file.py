"""A CSV file in pieces: its header, its separator, and pieces parsed with the types one asks for.

Mistakes in a piece are named by the line of the file: a record with too many cells, a quote that is
never closed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ceiba.cli.files._polars import pl
from ceiba.cli.files.cell_styles import Choice, Style, choose, fitting
from ceiba.cli.files.header import named_columns, records, separator_in
from ceiba.cli.files.streams import Piece, existing, pieces, shown
from ceiba.errors import DataError, OptionError

if TYPE_CHECKING:
    from ceiba.cli.files.reading import Reading

_LOOKED_AT: Final = 2**20  # bytes by which header and styles are judged
_ROWS: Final = 10_000


@dataclass(frozen=True)
class CsvPiece:
    """Records of a CSV file, not parsed yet.

    Parameters
    ----------
    file : CsvFile
    raw : bytes
        The records, without the header.
    line : int
        The line of the file on which they begin.
    """

    file: CsvFile
    raw: bytes
    line: int

    def parse(
        self,
        kinds: Mapping[str, Any] | None = None,
        columns: Sequence[str] | None = None,
        *,
        markers: bool = True,
        rows: int | None = None,
    ) -> pl.DataFrame:
        """Give columns with these types, the others as texts; without `markers` NA is a text too.

        With `rows`, no more than the first ones.

        Raises
        ------
        polars.exceptions.ComputeError
            A cell is not of the type asked for.
        DataError
            A record is malformed.
        """
        file = self.file
        try:
            return self._parsed(kinds, columns, file.markers if markers else None, rows)
        except pl.exceptions.ComputeError:
            self.refuse_malformed()
            raise
        except pl.exceptions.PolarsError as error:
            self.refuse_malformed()
            first = str(error).strip().split("\n")[0]
            raise DataError(f"{shown(file.source)}: {first}") from None

    def parse_numbers(self, kinds: Mapping[str, Any]) -> pl.DataFrame:
        """Parse as `parse` does, but leave markers in columns of texts to the caller.

        Looking for markers in every cell costs polars 40% more time, and among numbers most files
        have none. It is spared until a cell is no number, or not a finite one, and unless a marker
        looks like a number (-999) and stands somewhere.
        """
        file = self.file
        if file.numbers_only and not any(one in self.raw for one in file.numeric_markers):
            try:
                frame = self._parsed(kinds, None, None, None)
                if all(frame[name].is_finite().all() for name in kinds):
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
        frame = pl.read_csv(
            file.header + self.raw,
            columns=None if columns is None else [_doubled(name) for name in columns],
            separator=file.separator,
            null_values=markers,
            infer_schema=False,
            schema_overrides={_doubled(name): kind for name, kind in (kinds or {}).items()},
            n_rows=rows,
        )
        return frame.rename(
            {_doubled(name): name for name in file.names if '"' in name}, strict=False
        )

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        text = io.StringIO(self.raw.decode("utf-8"), newline="")
        reader = csv.reader(text, delimiter=self.file.separator)
        line = self.line
        for cells in reader:
            yield line, cells
            line = self.line + reader.line_num

    def line_of(self, row: int) -> int:
        """Give the line of the file on which a row of this piece begins."""
        if b'"' not in self.raw:
            return self.line + row
        return next(line for k, (line, _) in enumerate(self._records()) if k == row)

    def refuse_malformed(self) -> None:
        """Name the first record that is not one, if any."""
        n = len(self.file.names)
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
                        f"{self.file.separator!r} the separator? Cells that hold it need quotes."
                    )
        except csv.Error:  # a cell too long for Python; polars has said what is wrong
            return


class CsvFile:
    """A CSV file that is read once, in pieces.

    Parameters
    ----------
    source : str
        A path, or ``-`` for the standard input.
    reading : Reading
    rows : int, optional
        About how many rows a piece has.
    """

    def __init__(self, source: str, reading: Reading, rows: int | None = None) -> None:
        self.source = source
        self.reading = reading
        self.size = 0 if source == "-" else Path(existing(source)).stat().st_size
        self.done = 0
        self.markers = [one for one in reading.markers if one]
        self.numeric_markers = [one.encode() for one in self.markers if _is_finite(one)]
        self.numbers_only = True  # no marker has been seen among numbers
        self.separator = reading.separator or ""
        self.remarks: list[str] = []
        self.styles: Mapping[str, Style] = {}
        self._pieces = pieces(source, reading.encoding, rows=rows, remarks=self.remarks)
        first = next(self._pieces, None)
        if first is None or not first.raw.strip():
            raise DataError(f"{shown(source)} is empty.")
        start = self._start(first.raw)
        sample = first.raw[start : start + _LOOKED_AT].decode("utf-8", "ignore")
        self.separator = self.separator or separator_in(sample)
        rows_seen = records(sample, self.separator)
        if not rows_seen:
            raise DataError(f"{shown(source)} is empty.")
        self.names, self.has_header, remarks = named_columns(rows_seen, reading, shown(source))
        self.remarks += remarks
        end = start + (_header_end(first.raw[start:]) if self.has_header else 0)
        self.header = _line(self.names, self.separator)
        before = first.raw.count(b"\n", 0, end)
        self._first = CsvPiece(self, first.raw[end:], first.line + before)
        self._first_done = first.done

    def _start(self, raw: bytes) -> int:
        """Give where the table begins: after --skip-rows lines, and after Excel's ``sep=;``."""
        at = 0
        for _ in range(self.reading.skip_rows):
            at = raw.find(b"\n", at) + 1
            if not at:
                raise OptionError(
                    f"--skip-rows {self.reading.skip_rows}: {shown(self.source)} has fewer lines."
                )
        line = raw[at : raw.find(b"\n", at) + 1].strip()
        if line[:4].lower() == b"sep=" and len(line) <= 5:
            self.separator = self.separator or line[4:].decode("utf-8") or "\t"
            at = raw.find(b"\n", at) + 1
        return at

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
            separator=self.separator,
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
        """Give the pieces, in order; at least one, which may have no rows."""
        self.done = self._first_done
        yield self._first
        for piece in self._pieces:
            self.done = piece.done
            yield self._of(piece)

    def _of(self, piece: Piece) -> CsvPiece:
        return CsvPiece(self, piece.raw, piece.line)


def _is_finite(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _header_end(raw: bytes) -> int:
    """Give where the first record ends; a name in quotes may go over several lines."""
    end = 0
    while (end := raw.find(b"\n", end) + 1) > 0:
        if raw.count(b'"', 0, end) % 2 == 0:
            return end
    return len(raw)


def _record_end(raw: bytes, stop: int) -> int:
    """Give where the last record before a place ends; all of it if that is not certain."""
    end = raw.rfind(b"\n", 0, stop) + 1
    return end if end and raw.count(b'"', 0, end) % 2 == 0 else len(raw)


def _doubled(name: str) -> str:
    """Give a name as polars reads it in a header, where it leaves doubled quotes as they are."""
    return name.replace('"', '""')


def _line(names: Sequence[str], separator: str) -> bytes:
    """Write names as the first line of a CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator="\n").writerow(names)
    return text.getvalue().encode("utf-8")
