"""Convert columns of a file to the kinds that options or the schema of a model specify.

For learning, `convert_columns` applies --drop, --categorical, --numeric and --ordered. For
predicting, `apply_schema` converts the cells of a CSV file to the kinds of the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ceiba._polars import pl
from ceiba.errors import DataError, OptionError, SchemaError, did_you_mean
from ceiba.table.files.cell_styles import (
    NUMBERS,
    PLAIN,
    PLAIN_STYLES,
    WEAK_MARKERS,
    Style,
    strip_cells,
)
from ceiba.table.files.reading import Batch
from ceiba.table.levels import Levels
from ceiba.table.read_for_fit import fit_column
from ceiba.table.readers.mappings import values_to_column
from ceiba.table.schema import ColumnInfo, Schema
from ceiba.table.table import Table

RowLocator = Callable[[int], str]  # returns the position of a row as text: "data.csv, line 7"
_FLOAT32 = 2**24  # float32 represents all integers up to this limit exactly
_EXPECTED = {
    "number": "a number", "boolean": "yes or no", "date": "a date (2024-05-01)",
    "datetime": "a time (2024-05-01 12:30)", "duration": "a number",
}  # fmt: skip
_YES = ("true", "t", "yes", "y", "1")
_NO = ("false", "f", "no", "n", "0")


def parse_ordered(texts: Iterable[str] | None) -> dict[str, list[str]]:
    """Parse options such as ``size=S<M<L`` into columns with their ordered levels."""
    orders = {}
    for text in texts or ():
        name, equals, levels = text.partition("=")
        if not equals or "<" not in levels:
            raise OptionError(f"--ordered must be COLUMN=LOW<MIDDLE<HIGH, got {text!r}.")
        orders[name.strip()] = [level.strip() for level in levels.split("<")]
    return orders


def convert_columns(
    frame: pl.DataFrame,
    *,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    ordered: Mapping[str, Sequence[str]] | None = None,
) -> pl.DataFrame:
    """Drop columns, and convert others to categorical, numeric or ordered columns."""
    ordered = ordered or {}
    options = {"--drop": drop, "--categorical": categorical, "--numeric": numeric,
               "--ordered": list(ordered)}  # fmt: skip
    for option, names in options.items():
        for name in names:
            if name not in frame.columns:
                hint = did_you_mean(name, frame.columns)
                raise OptionError(f"{option}: column not found: {name!r}.{hint}")
    frame = frame.drop(list(drop))
    for name in categorical:
        frame = frame.with_columns(frame[name].cast(pl.String))
    for name in numeric:
        texts = frame[name].cast(pl.String) if frame[name].dtype == pl.Categorical else frame[name]
        numbers = _to_numbers(texts, name, lambda row: f"line {row + 2}")
        frame = frame.with_columns(numbers.alias(name))
    for name, levels in ordered.items():
        text = frame[name].cast(pl.String)
        strange = text.filter(text.is_not_null() & ~text.is_in(list(levels)))
        if len(strange):
            raise DataError(
                f"Column {name!r}: --ordered must contain {strange[0]!r}, got {'<'.join(levels)}."
            )
        frame = frame.with_columns(text.cast(pl.Enum(list(levels))))
    return frame


def as_columns(frame: pl.DataFrame) -> Any:
    """Convert a frame to columns for an estimator; polars Enums become ordered columns."""
    if not any(isinstance(kind, pl.Enum) for kind in frame.dtypes):
        return frame
    return {
        series.name: _to_levels(series) if isinstance(series.dtype, pl.Enum) else series
        for series in frame.get_columns()
    }


def _to_levels(enum: Any) -> Levels:
    return Levels(enum.to_list(), enum.dtype.categories.to_list(), ordered=True)


def as_table(columns: list[Any]) -> Table:
    """Convert a list of columns to a training table, emptying the list to free memory."""
    # Release each column after its conversion, so that memory holds the table only once.
    n_rows = len(columns[0])
    columns.reverse()
    fitted = []
    while columns:
        series = columns.pop()
        values = _to_levels(series) if isinstance(series.dtype, pl.Enum) else series
        is_integer = series.dtype.is_integer()
        # Integers up to 2**24 are exact in float32, which takes half the memory of float64.
        if is_integer and max(-(series.min() or 0), series.max() or 0) <= _FLOAT32:
            values = series.cast(pl.Float32).fill_null(float("nan"))
        column = fit_column(values_to_column(series.name, values))
        fitted.append(replace(column, of_integers=True) if is_integer else column)
    return Table(tuple(fitted), n_rows, Schema(tuple(column.info for column in fitted), None, True))


def _to_numbers(series: Any, name: str, locate: RowLocator, style: Style = PLAIN) -> Any:
    """Convert strings to numbers; errors name the line of an invalid cell."""
    if series.dtype != pl.String:
        return series.cast(pl.Float64)
    if style.kind not in NUMBERS:
        style = PLAIN
    numbers = style.read(series).cast(pl.Float64)
    _check_converted(series, numbers, name, "a number", locate)
    return numbers


def read_numbers(batch: Batch, cells: pl.DataFrame, name: str) -> Any:
    """Convert a column to numbers with the cell style detected in the file."""
    style = get_styles(batch).get(name, PLAIN)
    return _to_numbers(cells[name], name, batch.locate, style).alias(name)


def _check_converted(series: Any, converted: Any, name: str, kind: str, locate: RowLocator) -> None:
    bad = series.is_not_null() & converted.is_null()
    if bad.any():
        bad &= ~series.str.strip_chars().is_in(list(WEAK_MARKERS))
    if bad.any():
        at = int(bad.arg_max())
        raise DataError(
            f"{locate(at)}, column {name!r}: {series[at]!r} is not {kind}. Correct it, or pass "
            "--missing-marker if it denotes a missing value."
        )


def apply_schema(batch: Batch, schema: Schema) -> pl.DataFrame:
    """Select the columns of a schema from a batch, and convert them to their kinds."""
    columns = batch.columns
    if not schema.named:
        names = dict(zip(schema.names, columns, strict=False))
    else:
        names = {name: name for name in schema.names}
        for name in names:
            if name not in columns:
                hint = did_you_mean(name, columns)
                raise SchemaError(f"The model requires column {name!r}, which is missing.{hint}")
    infos = {names[info.name]: info for info in schema.columns if info.name in names}
    piece, styles = batch.piece, get_styles(batch)
    if piece is None:
        frame = batch.frame.select(list(infos))
    else:
        certain = piece.file.choice.styles
        numbers = [
            name
            for name, info in infos.items()
            if info.is_numeric and info.display == "number" and certain[name] in PLAIN_STYLES
        ]
        try:
            frame = piece.parse(dict.fromkeys(numbers, pl.Float64), list(infos))
        except pl.exceptions.ComputeError:  # read strings, so that the error names the line
            frame = piece.parse(columns=list(infos))
    is_text = {name: kind == pl.String for name, kind in frame.schema.items()}
    expressions = {
        name: _cast_expression(pl.col(name), info, batch, styles.get(name, PLAIN))
        for name, info in infos.items()
        if is_text[name]
    }
    typed = frame.with_columns(**expressions)
    for name, info in infos.items():
        if (
            name in expressions
            and info.is_numeric
            and typed[name].null_count() > frame[name].null_count()
        ):
            _check_converted(frame[name], typed[name], name, _EXPECTED[info.display], batch.locate)
    return typed  # type: ignore[no-any-return]


def get_styles(batch: Batch) -> Mapping[str, Style]:
    """Return the cell style of each column in a batch."""
    if batch.piece is None:
        return batch.styles
    file = batch.piece.file
    # Read cells without a common style as numbers, so that the error names an invalid cell.
    number = Style("number", ",", ".") if file.decimal_comma else PLAIN
    return {
        name: number if style.kind == "text" else style
        for name, style in file.choice.styles.items()
    }


def _cast_expression(cells: Any, info: ColumnInfo, batch: Batch, style: Style) -> Any:
    """Return a polars expression that converts strings to the column's kind in the schema."""
    if not info.is_numeric:
        if info.levels and not isinstance(info.levels[0], str):
            return (style if style.kind in NUMBERS else PLAIN).expression(cells).cast(pl.Float64)
        blanks = any(isinstance(level, str) and level != level.strip() for level in info.levels)
        markers = () if batch.piece is None else batch.piece.file.format.markers
        return cells if blanks else strip_cells(cells, markers)
    if info.display == "boolean":
        lower = cells.str.strip_chars().str.to_lowercase()
        return pl.when(lower.is_in(_YES)).then(1.0).when(lower.is_in(_NO)).then(0.0)
    if info.display in ("date", "datetime"):
        if style.kind in ("date", "datetime"):
            return style.expression(cells).cast(pl.Datetime("us"))
        return cells.map_batches(_parse_times, return_dtype=pl.Datetime("us"))
    return (style if style.kind in NUMBERS else PLAIN).expression(cells).cast(pl.Float64)


def _parse_times(text: Any) -> Any:
    """Parse dates with or without a time of day; other strings become null."""
    text = text.str.strip_chars()
    days = text.str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us"))
    if days.null_count() == text.null_count():
        return days
    try:
        times = text.str.to_datetime(strict=False, time_unit="us")
    except pl.exceptions.PolarsError:  # polars could not infer a time format
        return days
    return times.fill_null(days) if times.dtype == days.dtype else times
