"""A whole CSV file with the types of its columns, in as little memory as they need.

The types follow from all rows: those of the first ten thousand are tried, and where later rows
differ, the file is looked through as texts and read again. Each piece becomes final columns before
the next one is read: texts as codes of levels, whole numbers in the smallest type that holds them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ceiba.cli.files.csv_file import CsvFile, CsvPiece

if TYPE_CHECKING:
    import polars as pl

Tell = Callable[[CsvFile], None]

_LOOKED_AT: Final = 10_000  # rows by which types are guessed


def read_typed_csv(
    open_file: Callable[[], CsvFile], decimal_comma: bool, tell: Tell
) -> pl.DataFrame:
    """Read a CSV file with the types of its columns.

    Parameters
    ----------
    open_file : callable
        Opens the file at its beginning, perhaps three times.
    decimal_comma : bool
        Numbers are written 1,5.
    tell : callable
        Hears of each piece, for a progress bar.
    """
    import polars as pl

    kinds: dict[str, Any] | None = None
    found = _read(open_file(), decimal_comma, kinds, tell)
    if found is None:
        kinds = _kinds_of_all(open_file(), decimal_comma, tell)
        found = _read(open_file(), decimal_comma, kinds, tell)
    assert found is not None
    columns = []
    for name in list(found):  # one after another: the pieces of a column go when it is there
        columns.append(_joined(pl, name, found.pop(name)))
    return pl.DataFrame(columns)


def _read(
    file: CsvFile,
    decimal_comma: bool,
    kinds: dict[str, Any] | None,
    tell: Tell,
) -> dict[str, list[Any]] | None:
    """Give the pieces of each column; None if the types do not hold."""
    import polars as pl

    found: dict[str, list[Any]] = {name: [] for name in file.names}
    known = kinds
    for piece in file:
        if known is None:
            known = _kinds_of(piece.parse().head(_LOOKED_AT), decimal_comma)
        wanted = {name: kind for name, kind in known.items() if kind != pl.Null}
        try:
            frame = piece.parse(wanted)
        except pl.exceptions.ComputeError:
            if kinds is None:
                return None
            frame = _cast(piece, wanted, decimal_comma)
        for series in frame.get_columns():
            unknown = known[series.name] == pl.Null
            if unknown and series.null_count() < len(series):
                return None
            found[series.name].append(_compact(pl, series))
        tell(file)
    return found


def _cast(piece: CsvPiece, kinds: dict[str, Any], decimal_comma: bool) -> pl.DataFrame:
    """Cast texts, where the parser is stricter than the types: numbers with blanks around them."""
    frame = piece.parse()
    return frame.with_columns(
        _as_kind(series, kinds[series.name], decimal_comma)
        for series in frame.get_columns()
        if series.name in kinds
    )


def _compact(pl: Any, series: Any) -> Any:
    if series.dtype == pl.String:
        return series.cast(pl.Categorical)
    return series.shrink_dtype() if series.dtype.is_integer() else series


def _joined(pl: Any, name: str, parts: list[Any]) -> Any:
    """Put the pieces of one column together."""
    kinds = {part.dtype for part in parts}
    if len(kinds) > 1:
        kind = max(kinds, key=_width)
        parts = [part.cast(kind) for part in parts]
    whole = parts[0] if len(parts) == 1 else pl.concat(parts, rechunk=True)
    return whole.rename(name)


def _width(kind: Any) -> int:
    return int("".join(filter(str.isdigit, str(kind))) or 64)


# ---------------------------------------------------------------------- types


def _ladder(pl: Any) -> tuple[Any, ...]:
    """Types from narrow to wide; a text is everything else."""
    return (pl.Int64, pl.Float64, pl.Boolean, pl.Date, pl.Datetime("us"))


def _kinds_of(frame: Any, decimal_comma: bool) -> dict[str, Any]:
    """Give the narrowest type of each column of texts; Null where nothing is present."""
    import polars as pl

    found = {}
    for series in frame.get_columns():
        holds = [kind for kind in _ladder(pl) if _fits(series, kind, decimal_comma)]
        present = series.null_count() < len(series)
        found[series.name] = (holds[0] if holds else pl.String) if present else pl.Null
    return found


def _kinds_of_all(file: CsvFile, decimal_comma: bool, tell: Tell) -> dict[str, Any]:
    """Give the narrowest type that holds all rows of each column."""
    import polars as pl

    left = {name: list(_ladder(pl)) for name in file.names}
    present = dict.fromkeys(file.names, False)
    for piece in file:
        for series in piece.parse().get_columns():
            name = series.name
            present[name] = present[name] or series.null_count() < len(series)
            left[name] = [kind for kind in left[name] if _fits(series, kind, decimal_comma)]
        tell(file)
    return {
        name: (kinds[0] if kinds else pl.String) if present[name] else pl.String
        for name, kinds in left.items()
    }


def _fits(series: Any, kind: Any, decimal_comma: bool) -> bool:
    """Tell whether every text of a column can be read as a type."""
    import polars as pl

    if kind == pl.Boolean:
        words = series.drop_nulls().str.strip_chars().str.to_lowercase()
        return bool(words.is_in(["true", "false"]).all())
    try:
        found = _as_kind(series, kind, decimal_comma)
    except pl.exceptions.PolarsError:
        return False
    return bool(found.null_count() == series.null_count())


def _as_kind(series: Any, kind: Any, decimal_comma: bool) -> Any:
    """Read texts as a type; what is not of it becomes null."""
    import polars as pl

    if kind == pl.String:
        return series
    text = series.str.strip_chars()
    if kind == pl.Boolean:
        return text.str.to_lowercase() == "true"
    if kind == pl.Date:
        return text.str.to_date(strict=False)
    if kind == pl.Datetime("us"):
        return text.str.to_datetime(strict=False, time_unit="us")
    if decimal_comma and kind == pl.Float64:
        text = text.str.replace(",", ".", literal=True)
    return text.cast(kind, strict=False)
