"""``ceiba predict``: append predictions to the rows of a file, in order."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ceiba.cli.options.shared_options import DEFAULT_READING, Data, Model, Out, Quiet, ReadingFlags
from ceiba.errors import OptionError
from ceiba.formatting import pluralize


def predict(
    model: Model,
    data: Data,
    out: Out = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Add class probabilities.")
    ] = False,
    leaf: Annotated[bool, typer.Option("--leaf", help="Add the leaf of each row.")] = False,
    only: Annotated[bool, typer.Option("--only", help="Omit the columns of the file.")] = False,
    prefix: Annotated[str, typer.Option(help="Prefix of the new columns.")] = "",
    escape: Annotated[
        bool,
        typer.Option(
            "--escape-formulas",
            help="Quote CSV cells (') that a spreadsheet would run as formulas.",
        ),
    ] = False,
    chunk: Annotated[int, typer.Option(help="Rows held in memory at a time.")] = 250_000,
    reading: ReadingFlags = DEFAULT_READING,
    quiet: Quiet = False,
) -> None:
    """Predict every row of a file; CSV to the standard output, or --out (CSV or Parquet).

    Examples
    --------
    ceiba predict weather.ceiba new.csv --probabilities -o answers.csv

    cat new.csv | ceiba predict weather.ceiba - > answers.csv
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import check_out_path, remark, show_warnings
    from ceiba.cli.writing import Predictions, write_predictions
    from ceiba.table.files import read_batches

    show_warnings(quiet)
    check_out_path(out)
    if chunk < 1:
        raise OptionError(f"--chunk must be at least 1, got {chunk}.")
    tree, metadata = open_tree(model)
    no_bar = quiet or (out is None and sys.stdout.isatty())
    read_as = reading.for_model(metadata, tree, no_bar)
    answers = Predictions(tree, probabilities, leaf, prefix)
    n = write_predictions(
        answers, read_batches(data, read_as, chunk), out, only=only, escape=escape
    )
    remark(f"{pluralize(n, 'row')} predicted, written to {out}", quiet or out is None)
