"""``ceiba explain``: explain the prediction of a row."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ceiba._polars import pl
from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    Model,
    ReadingFlags,
    RowNumber,
    RowTable,
    RowValues,
)
from ceiba.errors import DataError, OptionError, did_you_mean


def explain(
    model: Model,
    data: RowTable = None,
    row: RowNumber = 1,
    values: RowValues = None,
    shapley: Annotated[bool, typer.Option("--shapley", help="Also print Shapley values.")] = False,
    background: Annotated[
        str | None,
        typer.Option("--background", help="Background table of --shapley."),
    ] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Explain the prediction for one row: each split on its path, and what routed the row.

    Examples
    --------
    ceiba explain weather.ceiba new.csv --row 3

    ceiba explain weather.ceiba -v TMAX=51 -v TMIN=42

    ceiba explain weather.ceiba new.csv --row 3 --shapley
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import LANG, answer, show_warnings
    from ceiba.inspection import explain as why

    show_warnings()
    tree, metadata = open_tree(model)
    if background is not None and not shapley:
        raise OptionError("--background has no effect without --shapley.")
    table = read_row(tree, metadata, data, row, values, reading)
    explanation = why(tree, table, lang=LANG.get())
    blocks: list[Any] = [explanation]
    figures = explanation.to_dict()
    if shapley:
        others = None if background is None else read_all(tree, metadata, background, reading)
        listings = _list_contributions(tree, table, others)
        blocks += [block for listing in listings for block in ("", listing)]
        tables = [listing.to_dict() for listing in listings]
        figures |= {"shapley": tables[0] if len(tables) == 1 else tables}
    answer(blocks, figures, as_json)


def _list_contributions(tree: Any, table: Any, background: Any) -> list[Any]:
    """Return the Shapley values of a row, one listing per output."""
    from ceiba.trust import shap_values

    values = shap_values(tree, table, background=background)
    parts = values if isinstance(values, tuple) else (values,)
    if not tree.task.has_classes:
        return [part.row(0) for part in parts]
    answers = tree.predict(table).reshape(-1).tolist()
    return [part.of_class(label).row(0) for part, label in zip(parts, answers, strict=True)]


def read_all(tree: Any, metadata: Any, data: str, reading: Any) -> Any:
    """Read all rows of a file as a table for the tree."""
    from ceiba.table.files import apply_schema, read_batches
    from ceiba.tree.routing import route

    read = read_batches(data, reading.for_model(metadata, tree), 250_000)
    return route.read(tree, pl.concat([apply_schema(batch, tree.schema) for batch in read]))


def read_row(
    tree: Any, metadata: Any, data: str | None, row: int, values: list[str] | None, reading: Any
) -> Any:
    """Return a row of a file, or one given by --value, as a table for the tree."""
    from ceiba.table.files import Batch, apply_schema
    from ceiba.tree.routing import route

    if (data is None) == (not values):
        raise OptionError("Pass a table (and --row), or values of a row with --value.")
    batch: Any
    if data is not None:
        batch = _find_row(data, reading.for_model(metadata, tree), row)
    else:
        from ceiba.table.files import normalize_value

        styles = reading.for_model(metadata, tree).styles
        cells: dict[str, Any] = dict.fromkeys(tree.schema.names)
        for text in values or ():
            name, equals, value = text.partition("=")
            if not equals or name not in cells:
                hint = did_you_mean(name, cells)
                raise OptionError(
                    f"--value {text!r}: write COLUMN=VALUE with a known column.{hint}"
                )
            info = tree.schema.columns[tree.schema.index(name)]
            cells[name] = normalize_value(value.strip(), info, styles)
        frame = pl.DataFrame({name: pl.Series([v], dtype=pl.String) for name, v in cells.items()})
        batch = Batch(frame.columns, 0, frame)
    table = route.read(tree, apply_schema(batch, tree.schema))
    if not table.n_rows:
        raise DataError(f"{data} has no row {row}.")
    return table


def _find_row(data: str, reading: Any, row: int) -> Any:
    from ceiba.table.files import Batch, get_styles, read_batches

    if row < 1:
        raise OptionError(f"--row must be at least 1, got {row}.")
    seen = 0
    for batch in read_batches(data, reading, 100_000):
        cells = batch.cells()
        if row <= seen + len(cells):
            frame = cells.slice(row - 1 - seen, 1)
            return Batch(batch.columns, row - 1, frame, styles=get_styles(batch))
        seen += len(cells)
    raise DataError(f"{data} has {seen} rows; there is no row {row}.")
