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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ceiba.cli.files.streams import Piece, existing, pieces, shown
from ceiba.errors import DataError

if TYPE_CHECKING:
    import polars as pl

    from ceiba.cli.files.reading import Reading

_SEPARATORS: Final = ",;\t|"


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
    ) -> pl.DataFrame:
        """Give columns with these types, the others as texts; without `markers` NA is a text too.

        Raises
        ------
        polars.exceptions.ComputeError
            A cell is not of the type asked for.
        DataError
            A record is malformed.
        """
        import polars as pl

        file = self.file
        try:
            return pl.read_csv(
                file.header + self.raw,
                columns=columns,
                separator=file.separator,
                null_values=file.markers if markers else None,
                decimal_comma=file.decimal_comma,
                infer_schema=False,
                schema_overrides=dict(kinds or {}),
            )
        except pl.exceptions.ComputeError:
            self.refuse_malformed()
            raise
        except pl.exceptions.PolarsError as error:
            self.refuse_malformed()
            first = str(error).strip().split("\n")[0]
            raise DataError(f"{shown(file.source)}: {first}") from None

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
        self.size = 0 if source == "-" else Path(existing(source)).stat().st_size
        self.done = 0
        self.markers = [one for one in reading.markers if one]
        self.decimal_comma = reading.decimal_comma
        self._pieces = pieces(source, reading.encoding, rows=rows)
        first = next(self._pieces, None)
        if first is None or not first.raw.strip():
            raise DataError(f"{shown(source)} is empty.")
        end = _header_end(first.raw)
        header = first.raw[:end]
        self.header = header if header.endswith(b"\n") else header + b"\n"
        self.separator = reading.separator or _separator_in(header.decode("utf-8"))
        self._first = CsvPiece(self, first.raw[end:], first.line + header.count(b"\n"))
        self._first_done = first.done

    @cached_property
    def names(self) -> list[str]:
        """The names in the header."""
        return CsvPiece(self, b"", 2).parse().columns

    def __iter__(self) -> Iterator[CsvPiece]:
        """Give the pieces, in order; at least one, which may have no rows."""
        self.done = self._first_done
        yield self._first
        for piece in self._pieces:
            self.done = piece.done
            yield self._of(piece)

    def _of(self, piece: Piece) -> CsvPiece:
        return CsvPiece(self, piece.raw, piece.line)


def _header_end(raw: bytes) -> int:
    """Give where the first record ends; a name in quotes may go over several lines."""
    end = 0
    while (end := raw.find(b"\n", end) + 1) > 0:
        if raw.count(b'"', 0, end) % 2 == 0:
            return end
    return len(raw)


def _separator_in(header: str) -> str:
    """Take the separator that occurs most in the header, quoted names aside."""
    outside = "".join(header.split('"')[::2])
    counts = {one: outside.count(one) for one in _SEPARATORS}
    best = max(counts, key=lambda one: counts[one])
    return best if counts[best] else ","
