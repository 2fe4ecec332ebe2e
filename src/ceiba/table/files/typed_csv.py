"""CSV files with the types of their columns: one decision, whoever reads them.

The styles of cells follow from all rows of all files: those of the first rows are tried, and where
later ones differ, the files are looked through as texts and read again. Typed pieces are handed to
a sink: columns in memory, or a spool.
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
    Choice,
    Style,
    fitting,
    is_blank,
    tidy,
    without_weak,
)
from ceiba.table.files.csv_file import CsvFile, CsvFormat, CsvPiece
from ceiba.table.files.streams import existing

if TYPE_CHECKING:
    from ceiba.table.files.reading import Reading

_LOOKED_AT: Final = 10_000  # rows by which styles are guessed


class Sink(Protocol):
    """Where typed pieces go."""

    def add(self, frame: Any) -> None:
        """Take some rows."""

    def restart(self) -> None:
        """Forget all rows: they come again, in other types."""


@dataclass
class _Pieces:
    """The pieces of files of the same columns, which can be gone through again."""

    sources: Sequence[str]
    reading: Reading
    advance: Callable[[int], None]

    def __iter__(self) -> Iterator[CsvPiece]:
        reading, before = self.reading, 0
        self.files: list[CsvFile] = []
        for source in self.sources:
            file = CsvFile(source, reading)
            self.files.append(file)
            first = self.files[0].format
            if len(self.files) == 1:  # what its first file says holds for the table
                reading = replace(
                    reading,
                    separator=first.separator,
                    header=first.header,
                    stored_names=first.names,
                )
            elif set(file.format.names) != set(first.names):
                raise SchemaError(
                    f"{source} does not have the columns of {self.sources[0]}: "
                    f"{', '.join(file.format.names)}, not {', '.join(first.names)}."
                )
            for piece in file:
                yield piece
                self.advance(before + file.done)
            before += file.size


def read_csv(sources: Sequence[str], reading: Reading, sink: Sink) -> tuple[CsvFormat, list[str]]:
    """Hand the rows of CSV files to a sink, in their types; return their format and remarks."""
    total = sum(Path(existing(source)).stat().st_size for source in sources)
    with progress_bar("reading", total, reading.quiet) as bar:
        pieces = _Pieces(sources, reading, bar)
        choice = _hand_over(pieces, None, sink)
        if choice is None:
            sink.restart()
            choice = _hand_over(pieces, _choice_of_all(pieces), sink)
    assert choice is not None
    remarks = [text for file in pieces.files for text in file.remarks] + choice.doubts
    first = pieces.files[0].format
    return replace(first, styles=choice.styles), list(dict.fromkeys(remarks))


def nameless(csv: CsvFormat, filled: set[str]) -> tuple[list[str], list[str]]:
    """Return the columns without name and value (lines end with a separator), and a remark."""
    made_up = [name for name in csv.names if re.fullmatch(r"column_\d+", name)]
    empty = [name for name in made_up if name not in filled] if csv.header else []
    if not empty or len(empty) == len(csv.names):
        return [], []
    return empty, [f"Left out: {', '.join(empty)}, without a name and without a value."]


@dataclass
class Columns:
    """Typed pieces as whole columns: texts as codes, whole numbers in the smallest type."""

    _parts: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, frame: Any) -> None:
        """Take some rows."""
        for series in frame.get_columns():
            self._parts.setdefault(series.name, []).append(_compact(series))

    def restart(self) -> None:
        """Forget all rows."""
        self._parts.clear()

    def frame(self) -> pl.DataFrame:
        """Put the columns together; the pieces of a column go as soon as it is there."""
        columns = []
        for name in list(self._parts):
            parts = self._parts.pop(name)
            kinds = {part.dtype for part in parts}
            if len(kinds) > 1:  # whole numbers of several sizes: the largest of them
                kind = max(kinds, key=lambda k: int("".join(filter(str.isdigit, str(k))) or 64))
                parts = [part.cast(kind) for part in parts]
            whole = parts[0] if len(parts) == 1 else pl.concat(parts, rechunk=True)
            columns.append(whole.rename(name))
        return pl.DataFrame(columns)


def typed_frame(
    frame: pl.DataFrame, choose: Callable[[Mapping[str, Any]], Choice]
) -> tuple[pl.DataFrame, Choice]:
    """Return a frame with its columns of texts typed (a spreadsheet's, say), and their styles."""
    texts = [series for series in frame.get_columns() if series.dtype == pl.String]
    choice = choose({series.name: fitting(series.to_list()) for series in texts})
    typed = [_compact(choice.styles[series.name].read(series)) for series in texts]
    return frame.with_columns(typed), choice


def _hand_over(pieces: _Pieces, choice: Choice | None, sink: Sink) -> Choice | None:
    """Type pieces by a choice, or by a guess from the first rows; None if the guess fails."""
    guessed = choice is None
    empty: set[str] = set()  # columns without a value so far: their style is a guess
    for piece in pieces:
        if choice is None:
            texts = piece.parse(rows=_LOOKED_AT).to_dict(as_series=False)
            empty = {name for name, cells in texts.items() if is_blank(cells)}
            choice = piece.file.chosen({name: fitting(cells) for name, cells in texts.items()})
        frame = _typed(piece, choice.styles, guessed)
        if frame is None or any(frame[name].null_count() < len(frame) for name in empty):
            return None
        frame = frame.select(pieces.files[0].format.names)
        if frame.width > 1 and all(series.null_count() for series in frame.get_columns()):
            frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))  # empty lines
        sink.add(frame)
    return choice


def _typed(piece: CsvPiece, styles: Mapping[str, Style], guessed: bool) -> pl.DataFrame | None:
    """Return the columns of a piece in their types; None if a guess does not hold."""
    plain = {name: pl.Int64 if style == INTEGER else pl.Float64
             for name, style in styles.items() if style in PLAIN_STYLES}  # fmt: skip
    try:
        frame = piece.parse_numbers(plain)
    except pl.exceptions.ComputeError:  # the parser is stricter: blanks around numbers, "-"
        if guessed:
            return None
        frame = piece.parse()
    markers = piece.file.format.markers
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    tidied = frame.with_columns(tidy(pl.col(name), markers) for name in texts)
    typed = tidied.with_columns(styles[name].expression(pl.col(name)) for name in texts)
    if guessed:
        read = [name for name in texts if styles[name] != TEXT]
        if any(typed[name].null_count() > tidied[name].null_count() for name in read):
            return None
        # A number beyond float64, or a code among numbers, is a text.
        finite = frame.select(pl.col(list(plain)).is_finite().all()) if plain else None
        if finite is not None and (_holds_codes(piece, list(plain)) or not all(finite.row(0))):
            return None
    return typed


def _holds_codes(piece: CsvPiece, names: list[str]) -> bool:
    """Return whether a cell among numbers is a code (00501), which the parser takes for a number.

    Cells that begin with 0 and a digit are looked for in the bytes first, in a tenth of the time.
    """
    raw = np.frombuffer(piece.raw, np.uint8)
    zero = np.flatnonzero((raw[:-1] == ord("0")) & (raw[1:] >= ord("0")) & (raw[1:] <= ord("9")))
    # Before the zero a cell begins, or a sign with which a cell begins: not 2024-05, 1.05, 12:05.
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


def _choice_of_all(pieces: _Pieces) -> Choice:
    """Choose among the styles that hold for all rows of each column, in all files."""
    fits: dict[str, tuple[Style, ...]] = {}  # of the columns that have had a value
    for piece in pieces:
        markers = piece.file.format.markers
        frame = piece.parse()
        frame = frame.with_columns(tidy(pl.col(name), markers) for name in frame.columns)
        for name in frame.columns:
            if name not in fits and not is_blank(cells := frame[name].to_list()):
                fits[name] = fitting(cells[:_LOOKED_AT]) or fitting(cells)
        fits.update(_still_fitting(frame, fits))
    first = pieces.files[0]
    return first.chosen({name: fits.get(name, ()) for name in first.format.names})


def _still_fitting(
    frame: pl.DataFrame, fits: Mapping[str, tuple[Style, ...]]
) -> dict[str, tuple[Style, ...]]:
    """Keep the styles by which all cells of a piece can be read."""
    left = {name: list(styles) for name, styles in fits.items() if styles}
    for k in range(max(map(len, left.values()), default=0)):  # one style of each column at a time
        names = [name for name, styles in left.items() if k < len(fits[name])]
        bare = frame.select(without_weak(pl.col(name)) for name in names)
        for name in names:
            style = fits[name][k]
            try:
                read = style.read(frame[name])
            except pl.exceptions.PolarsError:  # no cell looks like a time
                left[name].remove(style)
                continue
            codes = style.kind in NUMBERS and bool(bare[name].str.contains(CODE).any())
            if codes or read.null_count() > bare[name].null_count():
                left[name].remove(style)
    return {name: tuple(styles) for name, styles in left.items()}
