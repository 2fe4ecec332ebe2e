"""``ceiba drift``: whether new rows still go through the tree as the training rows did."""

from __future__ import annotations

from typing import Annotated

import typer

from ceiba._polars import pl
from ceiba.cli.options.shared_options import AS_FOUND, AsJson, Data, Model, ReadingFlags

CHANGED = 5


def drift(
    model: Model,
    data: Data,
    with_target: Annotated[
        bool, typer.Option("--with-target", help="Compare the rates in the leaves too.")
    ] = False,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Column of the truth, if renamed.")
    ] = None,
    fail_psi: Annotated[
        float | None, typer.Option("--fail-psi", help="Exit code 5 if the PSI is above this.")
    ] = None,
    reading: ReadingFlags = AS_FOUND,
    as_json: AsJson = False,
) -> None:
    """Compare new rows with the rows the model was learned from, branch by branch.

    The model file keeps counts only, which is all that is needed.

    Example: ceiba drift weather.ceiba this_year.csv --fail-psi 0.25
    """
    from ceiba.cli.commands.using.evaluate import truth_of
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import answer, warn_in_words
    from ceiba.table.files import apply_schema, read_batches
    from ceiba.trust import drift as drift_of

    warn_in_words()
    opened, metadata = open_model(model)
    tree = opened.tree_
    read_as = reading.like(metadata, opened.tree_)
    if with_target or target is not None:
        X, y, _, _ = truth_of(opened, data, read_as, target, None)
    else:
        X, y = (
            pl.concat([apply_schema(b, tree.schema) for b in read_batches(data, read_as, 250_000)]),
            None,
        )
    result = drift_of(tree, X, y)
    answer(result, result.to_dict(), as_json)
    if fail_psi is not None and result.psi > fail_psi:
        raise typer.Exit(CHANGED)
