"""``ceiba drift``: compare new rows with the training rows."""

from __future__ import annotations

from typing import Annotated

import typer

from ceiba._polars import pl
from ceiba.cli.options.shared_options import DEFAULT_READING, AsJson, Data, Model, ReadingFlags

CHANGED = 5


def drift(
    model: Model,
    data: Data,
    with_target: Annotated[
        bool, typer.Option("--with-target", help="Also compare the targets in the leaves.")
    ] = False,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Target column, if renamed.")
    ] = None,
    fail_psi: Annotated[
        float | None, typer.Option("--fail-psi", help="Exit code 5 if the PSI is above this.")
    ] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Compare new rows with the training rows, branch by branch.

    The counts in the model file are enough; training rows are not needed.

    Example: ceiba drift weather.ceiba this_year.csv --fail-psi 0.25
    """
    from ceiba.cli.commands.using.evaluate import read_truth
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import answer, show_warnings
    from ceiba.table.files import apply_schema, read_batches
    from ceiba.trust import drift as drift_of

    show_warnings()
    opened, metadata = open_model(model)
    tree = opened.tree_
    read_as = reading.for_model(metadata, opened.tree_)
    if with_target or target is not None:
        X, y, _, _ = read_truth(opened, data, read_as, target, None)
    else:
        X, y = (
            pl.concat([apply_schema(b, tree.schema) for b in read_batches(data, read_as, 250_000)]),
            None,
        )
    result = drift_of(tree, X, y)
    answer(result, result.to_dict(), as_json)
    if fail_psi is not None and result.psi > fail_psi:
        raise typer.Exit(CHANGED)
