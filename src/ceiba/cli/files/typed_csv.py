"""A whole CSV file with the types of its columns, in as little memory as they need.

The styles of cells follow from all rows: those of the first rows are tried, and where later ones
differ, the file is looked through as texts and read again. Each piece becomes final columns before
the next one is read: texts as codes of levels, whole numbers in the smallest type that holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from ceiba.cli.files._polars import pl
from ceiba.cli.files.cell_styles import (
    INTEGER,
    TEXT,
    Choice,
    Style,
    fitting,
    is_blank,
    tidy,
    without_weak,
)
from ceiba.cli.files.csv_file import CsvFile, CsvPiece

Tell = Callable[[CsvFile], None]

_LOOKED_AT: Final = 10_000  # rows by which styles are guessed


def read_typed_csv(open_file: Callable[[], CsvFile], tell: Tell) -> tuple[pl.DataFrame, CsvFile]:
    """Read a CSV file with the types of its columns; give it with the file, which has remarks.

    Parameters
    ----------
    open_file : callable
        Opens the file at its beginning, perhaps three times.
    tell : callable
        Hears of each piece, for a progress bar.
    """
    file = open_file()
    columns = _read(file, None, tell)
    if columns is None:
        choice = choice_of_all([open_file()], tell)
        file = open_file()
        columns = _read(file, choice, tell)
    assert columns is not None
    done = []
    for name in list(columns):  # one after another: the pieces of a column go when it is there
        done.append(_joined(name, columns.pop(name)))
    return pl.DataFrame(done), file


def typed_frame(
    frame: pl.DataFrame, choose: Callable[[Mapping[str, Any]], Choice]
) -> tuple[pl.DataFrame, Choice]:
    """Give columns of texts their types, those of a spreadsheet for instance."""
    texts = [one for one in frame.get_columns() if one.dtype == pl.String]
    choice = choose({one.name: fitting(one.to_list()) for one in texts})
    typed = [_compact(choice.styles[one.name].read(one)) for one in texts]
    return frame.with_columns(typed), choice


def _read(file: CsvFile, choice: Choice | None, tell: Tell) -> dict[str, list[Any]] | None:
    """Give the pieces of each column; None if the styles do not hold for all rows."""
    columns: dict[str, list[Any]] = {name: [] for name in file.names}
    for frame in typed_pieces([file], choice):
        if frame is None:
            return None
        for series in frame.get_columns():
            columns[series.name].append(_compact(series))
        tell(file)
    return columns


def typed_pieces(files: Iterable[CsvFile], choice: Choice | None) -> Iterator[pl.DataFrame | None]:
    """Give the pieces of files of the same columns in their types.

    Without a choice, styles are guessed by the first rows; None, the last piece then, says that the
    guess does not hold for all rows.
    """
    guessed = choice is None
    empty: set[str] = set()  # columns without a value so far: their style is a guess
    for file in files:
        for piece in file:
            if choice is None:
                texts = piece.parse(rows=_LOOKED_AT).to_dict(as_series=False)
                empty = {name for name, cells in texts.items() if is_blank(cells)}
                choice = file.chosen({name: fitting(cells) for name, cells in texts.items()})
            file.styles = choice.styles
            frame = _typed(piece, choice.styles, guessed)
            if frame is None or any(frame[one].null_count() < len(frame) for one in empty):
                yield None
                return
            yield frame
        file.remarks += choice.doubts if choice is not None else []


def _typed(piece: CsvPiece, styles: Mapping[str, Style], guessed: bool) -> pl.DataFrame | None:
    """Give the columns of a piece in their types; None if a guess does not hold."""
    plain = {name: pl.Int64 if style == INTEGER else pl.Float64
             for name, style in styles.items() if style.is_plain}  # fmt: skip
    try:
        frame = piece.parse_numbers(plain)
    except pl.exceptions.ComputeError:  # the parser is stricter: blanks around numbers, "-"
        if guessed:
            return None
        frame = piece.parse()
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    tidied = frame.with_columns(tidy(pl.col(name), piece.file.markers) for name in texts)
    typed = tidied.with_columns(styles[name].expression(pl.col(name)) for name in texts)
    if guessed:
        read = [name for name in texts if styles[name] != TEXT]
        if any(typed[name].null_count() > tidied[name].null_count() for name in read):
            return None
    return typed


def _compact(series: Any) -> Any:
    if series.dtype == pl.String:
        return series.cast(pl.Categorical)
    return series.shrink_dtype() if series.dtype.is_integer() else series


def _joined(name: str, parts: list[Any]) -> Any:
    """Put the pieces of one column together."""
    kinds = {part.dtype for part in parts}
    if len(kinds) > 1:
        kind = max(kinds, key=_width)
        parts = [part.cast(kind) for part in parts]
    whole = parts[0] if len(parts) == 1 else pl.concat(parts, rechunk=True)
    return whole.rename(name)


def _width(kind: Any) -> int:
    return int("".join(filter(str.isdigit, str(kind))) or 64)


def choice_of_all(files: Iterable[CsvFile], tell: Tell) -> Choice:
    """Choose among the styles that hold for all rows of each column, in all files."""
    fits: dict[str, tuple[Style, ...]] = {}  # of the columns that have had a value
    for file in files:
        for piece in file:
            frame = piece.parse()
            frame = frame.with_columns(tidy(pl.col(name), file.markers) for name in frame.columns)
            for name in frame.columns:
                if name not in fits and not is_blank(cells := frame[name].to_list()):
                    fits[name] = fitting(cells[:_LOOKED_AT]) or fitting(cells)
            fits.update(_still_fitting(frame, fits))
            tell(file)
    return file.chosen({name: fits.get(name, ()) for name in file.names})


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
            codes = style.is_number and bool(bare[name].str.contains(r"^[+-]?0\d+$").any())
            if codes or read.null_count() > bare[name].null_count():
                left[name].remove(style)
    return {name: tuple(styles) for name, styles in left.items()}
