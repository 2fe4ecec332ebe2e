"""``ceiba view``: browse a tree in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from ceiba._polars import pl
from ceiba.cli.options.shared_options import DEFAULT_READING, Model, ReadingFlags
from ceiba.errors import DataError


def view(
    model: Model,
    data: Annotated[
        str | None,
        typer.Argument(help="Table with rows to follow.", metavar="[DATA]", show_default=False),
    ] = None,
    row: Annotated[
        int, typer.Option("--row", "-r", metavar="N", min=1, help="First row to follow.")
    ] = 1,
    reading: ReadingFlags = DEFAULT_READING,
) -> None:
    """Browse a tree with the arrow keys: fold, search, show figures, follow a row.

    Keys: arrows move, Space folds, / searches, n finds the next, [ and ] follow the row before and
    after (with DATA), e unfolds all, c folds all, q quits.

    Example: ceiba view weather.ceiba weather.csv
    """
    from ceiba.cli.models import open_tree

    tree, metadata = open_tree(model)
    table = None
    if data is not None:
        from ceiba.table.files import apply_schema, read_batches
        from ceiba.tree.routing import route

        read_as = reading.for_model(metadata, tree)
        parts = [apply_schema(batch, tree.schema) for batch in read_batches(data, read_as, 250_000)]
        table = route.read(tree, pl.concat(parts))
        if row > table.n_rows:
            raise DataError(f"{data} has {table.n_rows} rows; there is no row {row}.")
    try:
        from ceiba.cli.terminal.view_app import TreeViewer
    except ImportError:
        raise ImportError(
            "Walking a tree needs the package textual. Install it with: pip install ceiba[view]",
            name="textual",
        ) from None
    TreeViewer(tree, table, row - 1, title=str(model)).run()
