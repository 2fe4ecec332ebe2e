"""Read CSV files with typed columns, into memory or into a temporary Parquet file.

Cell styles are inferred from all rows of all files. The files are first read with the styles of the
first rows. If a later cell does not match, they are scanned as strings and read again. Typed pieces
go to a sink: columns in memory, or a spool.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from ceiba._polars import pl
from ceiba.errors import SchemaError
from ceiba.progress import progress_bar
from ceiba.table.files.cell_styles import (
    CODE,
    INTEGER,
    NUMBERS,
    PLAIN_STYLES,
    TEXT,
    Style,
    StyleChoice,
    is_blank,
    matching_styles,
    strip_cells,
    strip_weak_markers,
)
from ceiba.table.files.csv_file import CsvFile, CsvFormat, CsvPiece
from ceiba.table.files.streams import require_file

if TYPE_CHECKING:
    from ceiba.table.files.reading import ReadOptions

_SAMPLE_ROWS: Final = 10_000  # number of rows from which cell styles are guessed


class Sink(Protocol):
    """Protocol of objects that collect or write typed rows."""

    def add(self, frame: Any) -> None:
        """Add the rows of a frame with typed columns."""

    def restart(self) -> None:
        """Discard all rows; the caller adds them again with other types."""


@dataclass
class _Pieces:
    """The pieces of CSV files with the same columns; each iteration reads the files again."""

    sources: Sequence[str]
    reading: ReadOptions
    advance: Callable[[int], None]

    def __iter__(self) -> Iterator[CsvPiece]:
        reading, before = self.reading, 0
        self.files: list[CsvFile] = []
        for source in self.sources:
            file = CsvFile(source, reading)
            self.files.append(file)
            first = self.files[0].format
            if len(self.files) == 1:  # the first file sets the format for the others
                reading = replace(
                    reading,
                    separator=first.separator,
                    header=first.header,
                    stored_names=first.names,
                )
            elif set(file.format.names) != set(first.names):
                raise SchemaError(
                    f"{source} must have the same columns as {self.sources[0]} "
                    f"({', '.join(first.names)}), got {', '.join(file.format.names)}."
                )
            for piece in file:
                yield piece
                self.advance(before + file.done)
            before += file.size


def read_csv(
    sources: Sequence[str], reading: ReadOptions, sink: Sink
) -> tuple[CsvFormat, list[str]]:
    """Add the typed rows of CSV files to a sink; return their format and messages."""
    total = sum(Path(require_file(source)).stat().st_size for source in sources)
    with progress_bar("reading", total, reading.quiet) as bar:
        pieces = _Pieces(sources, reading, bar)
        choice = _read_pieces(pieces, None, sink)
        if choice is None:
            sink.restart()
            choice = _read_pieces(pieces, _choose_by_all_rows(pieces), sink)
    assert choice is not None
    remarks = [text for file in pieces.files for text in file.remarks] + choice.ambiguities
    first = pieces.files[0].format
    return replace(first, styles=choice.styles), list(dict.fromkeys(remarks))


def find_nameless(csv: CsvFormat, nonempty: set[str]) -> tuple[list[str], list[str]]:
    """Return the unnamed empty columns that trailing separators cause, and a message."""
    made_up = [name for name in csv.names if re.fullmatch(r"column_\d+", name)]
    empty = [name for name in made_up if name not in nonempty] if csv.header else []
    if not empty or len(empty) == len(csv.names):
        return [], []
    return empty, [f"Dropped columns without names and values: {', '.join(empty)}."]


@dataclass
class ColumnSink:
    """A sink that collects rows in memory, with strings as codes and integers in small types."""

    _parts: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, frame: Any) -> None:
        """Add the rows of a frame as columns in small types."""
        for series in frame.get_columns():
            self._parts.setdefault(series.name, []).append(_compact(series))

    def restart(self) -> None:
        """Discard all rows that were added."""
        self._parts.clear()

    def frame(self) -> pl.DataFrame:
        """Return the columns as a frame, and release their pieces to save memory."""
        columns = []
        for name in list(self._parts):
            parts = self._parts.pop(name)
            kinds = {part.dtype for part in parts}
            if len(kinds) > 1:  # pieces may have different integer types, so use the widest one
                kind = max(kinds, key=lambda k: int("".join(filter(str.isdigit, str(k))) or 64))
                parts = [part.cast(kind) for part in parts]
            column = parts[0] if len(parts) == 1 else pl.concat(parts, rechunk=True)
            columns.append(column.rename(name))
        return pl.DataFrame(columns)


def cast_frame(
    frame: pl.DataFrame, choose: Callable[[Mapping[str, Any]], StyleChoice]
) -> tuple[pl.DataFrame, StyleChoice]:
    """Convert the string columns of a spreadsheet; return the frame and the chosen styles."""
    texts = [series for series in frame.get_columns() if series.dtype == pl.String]
    choice = choose({series.name: matching_styles(series.to_list()) for series in texts})
    typed = [_compact(choice.styles[series.name].read(series)) for series in texts]
    return frame.with_columns(typed), choice


def _read_pieces(pieces: _Pieces, choice: StyleChoice | None, sink: Sink) -> StyleChoice | None:
    """Add pieces to a sink as typed columns; return the styles, or None if guessed styles fail."""
    guessed = choice is None
    empty: set[str] = set()  # columns whose style is unknown, because their sample is empty
    for piece in pieces:
        if choice is None:
            texts = piece.parse(rows=_SAMPLE_ROWS).to_dict(as_series=False)
            empty = {name for name, cells in texts.items() if is_blank(cells)}
            choice = piece.file.choose(
                {name: matching_styles(cells) for name, cells in texts.items()}
            )
        frame = _cast_piece(piece, choice.styles, guessed)
        if frame is None or any(frame[name].null_count() < len(frame) for name in empty):
            return None
        frame = frame.select(pieces.files[0].format.names)
        if frame.width > 1 and all(series.null_count() for series in frame.get_columns()):
            frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))  # drop empty lines
        sink.add(frame)
    return choice


def _cast_piece(piece: CsvPiece, styles: Mapping[str, Style], guessed: bool) -> pl.DataFrame | None:
    """Return the typed columns of a piece, or None if a guessed cell style does not match."""
    plain = {name: pl.Int64 if style == INTEGER else pl.Float64
             for name, style in styles.items() if style in PLAIN_STYLES}  # fmt: skip
    try:
        frame = piece.parse_numbers(plain)
    except pl.exceptions.ComputeError:  # polars rejects "-" and numbers with blanks around them
        if guessed:
            return None
        frame = piece.parse()
    markers = piece.file.format.markers
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    tidied = frame.with_columns(strip_cells(pl.col(name), markers) for name in texts)
    typed = tidied.with_columns(styles[name].expression(pl.col(name)) for name in texts)
    if guessed:
        read = [name for name in texts if styles[name] != TEXT]
        if any(typed[name].null_count() > tidied[name].null_count() for name in read):
            return None
        # A column with a number beyond float64 or a code such as 00501 is a string column.
        finite = frame.select(pl.col(list(plain)).is_finite().all()) if plain else None
        if finite is not None and (_holds_codes(piece, list(plain)) or not all(finite.row(0))):
            return None
    return typed


def _holds_codes(piece: CsvPiece, names: list[str]) -> bool:
    """Whether a column contains a code such as 00501, which is not a number."""
    # First search the raw bytes for 0 followed by a digit: ten times as fast as parsing.
    raw = np.frombuffer(piece.raw, np.uint8)
    zero = np.flatnonzero((raw[:-1] == ord("0")) & (raw[1:] >= ord("0")) & (raw[1:] <= ord("9")))
    # The zero must start a field or follow a leading sign, unlike in 2024-05, 1.05 and 12:05.
    begins = np.zeros(256, bool)
    begins[list(b'\n" ' + piece.file.format.separator.encode()[:1])] = True
    before = zero - 1
    signed = (raw[before] == ord("-")) | (raw[before] == ord("+"))
    before = np.where(signed, before - 1, before)
    if not (begins[raw[before]] | (before < 0)).any():
        return False
    cells = piece.parse(columns=names).select(pl.all().str.strip_chars().str.contains(CODE).any())
    return any(cells.row(0))


def _compact(series: Any) -> Any:
    if series.dtype == pl.String:
        return series.cast(pl.Categorical)
    return series.shrink_dtype() if series.dtype.is_integer() else series


def _choose_by_all_rows(pieces: _Pieces) -> StyleChoice:
    """Choose, for each column, a cell style that matches all rows of all files."""
    fits: dict[str, tuple[Style, ...]] = {}  # possible cell styles of each column that has values
    for piece in pieces:
        markers = piece.file.format.markers
        frame = piece.parse()
        frame = frame.with_columns(strip_cells(pl.col(name), markers) for name in frame.columns)
        for name in frame.columns:
            if name not in fits and not is_blank(cells := frame[name].to_list()):
                fits[name] = matching_styles(cells[:_SAMPLE_ROWS]) or matching_styles(cells)
        fits.update(_filter_styles(frame, fits))
    first = pieces.files[0]
    return first.choose({name: fits.get(name, ()) for name in first.format.names})


def _filter_styles(
    frame: pl.DataFrame, fits: Mapping[str, tuple[Style, ...]]
) -> dict[str, tuple[Style, ...]]:
    """Return the styles in `fits` that match all cells of their columns in `frame`."""
    left = {name: list(styles) for name, styles in fits.items() if styles}
    for k in range(max(map(len, left.values()), default=0)):
        names = [name for name, styles in left.items() if k < len(fits[name])]
        bare = frame.select(strip_weak_markers(pl.col(name)) for name in names)
        for name in names:
            style = fits[name][k]
            try:
                read = style.read(frame[name])
            except pl.exceptions.PolarsError:  # polars could not infer a time format
                left[name].remove(style)
                continue
            codes = style.kind in NUMBERS and bool(bare[name].str.contains(CODE).any())
            if codes or read.null_count() > bare[name].null_count():
                left[name].remove(style)
    return {name: tuple(styles) for name, styles in left.items()}
