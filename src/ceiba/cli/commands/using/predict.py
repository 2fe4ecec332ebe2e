"""``ceiba predict``: answers for the rows of a file, in pieces, in order, columns unchanged."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ceiba.cli.options.shared_options import DEFAULT_READING, Data, Model, Out, Quiet, ReadingFlags
from ceiba.errors import OptionError
from ceiba.visible import counted


def predict(
    model: Model,
    data: Data,
    out: Out = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Also the probability of each class.")
    ] = False,
    leaf: Annotated[bool, typer.Option("--leaf", help="Also the node each row ends in.")] = False,
    only: Annotated[bool, typer.Option("--only", help="Without the columns of the file.")] = False,
    prefix: Annotated[str, typer.Option(help="Before the names of the new columns.")] = "",
    escape: Annotated[
        bool,
        typer.Option(
            "--escape-formulas", help="In a CSV, put ' before texts that a spreadsheet would run."
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
    from ceiba.table.files import batches

    show_warnings(quiet)
    check_out_path(out)
    if chunk < 1:
        raise OptionError(f"--chunk {chunk}: at least 1 row is needed.")
    tree, metadata = open_tree(model)
    no_bar = quiet or (out is None and sys.stdout.isatty())
    read_as = reading.for_model(metadata, tree, no_bar)
    answers = Predictions(tree, probabilities, leaf, prefix)
    n = write_predictions(answers, batches(data, read_as, chunk), out, only=only, escape=escape)
    remark(f"{counted(n, 'row')} predicted, written to {out}", quiet or out is None)
