"""``ceiba explain``: why a row gets its answer."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ceiba.cli.reading_flags import AS_FOUND, ReadingFlags
from ceiba.cli.shared_options import AsJson, Model

__all__ = ["explain", "one_row"]


def explain(
    model: Model,
    data: Annotated[
        str | None, typer.Argument(help="A table with the row.", metavar="[DATA]")
    ] = None,
    row: Annotated[int, typer.Option("--row", "-r", help="Which row, counted from 1.")] = 1,
    values: Annotated[
        list[str] | None,
        typer.Option("--value", "-v", help="A value of a row written here: COLUMN=VALUE."),
    ] = None,
    reading: ReadingFlags = AS_FOUND,
    as_json: AsJson = False,
) -> None:
    """Explain the answer for one row: every question on its way, and who decided.

    Examples
    --------
    ceiba explain weather.ceiba new.csv --row 3

    ceiba explain weather.ceiba -v TMAX=51 -v TMIN=42
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.output import answer, warn_in_words
    from ceiba.inspection import explain as why

    warn_in_words()
    tree, metadata = open_tree(model)
    found = why(tree, one_row(tree, metadata, data, row, values, reading))
    answer(str(found), found.to_dict(), as_json)


def one_row(
    tree: Any, metadata: Any, data: str | None, row: int, values: list[str] | None, reading: Any
) -> Any:
    """Read one row of a file, or one that is written in the command, as a table for the tree."""
    from ceiba.cli.files.kinds import by_schema
    from ceiba.cli.files.reading import Batch
    from ceiba.errors import DataError, OptionError, did_you_mean
    from ceiba.tree.routing import route

    if (data is None) == (not values):
        raise OptionError("Give a table (and --row), or values of a row with --value.")
    batch: Any
    if data is not None:
        batch = _row(data, reading.like(metadata, tree), row)
    else:
        import polars as pl

        given: dict[str, Any] = dict.fromkeys(tree.schema.names)
        for text in values or ():
            name, equals, value = text.partition("=")
            if not equals or name not in given:
                hint = did_you_mean(name, given)
                raise OptionError(
                    f"--value {text!r}: write COLUMN=VALUE with a known column.{hint}"
                )
            given[name] = value
        frame = pl.DataFrame({name: pl.Series([v], dtype=pl.String) for name, v in given.items()})
        batch = Batch(frame.columns, 0, frame)
    table = route.read(tree, by_schema(batch, tree.schema))
    if not table.n_rows:
        raise DataError(f"{data} has no row {row}.")
    return table


def _row(data: str, reading: Any, row: int) -> Any:
    from ceiba.cli.files.reading import Batch, batches
    from ceiba.errors import DataError, OptionError

    if row < 1:
        raise OptionError(f"--row {row}: rows are counted from 1.")
    seen = 0
    for batch in batches(data, reading, 100_000):
        cells = batch.cells()
        if row <= seen + len(cells):
            one = cells.slice(row - 1 - seen, 1)
            return Batch(batch.columns, row - 1, one)
        seen += len(cells)
    raise DataError(f"{data} has {seen} rows; there is no row {row}.")
