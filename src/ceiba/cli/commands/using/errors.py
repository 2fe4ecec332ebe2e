"""``ceiba errors``: where a model is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ceiba.cli.options.shared_options import DEFAULT_READING, AsJson, Data, ReadingFlags
from ceiba.errors import OptionError


def errors(
    data: Data,
    predictions: Annotated[
        str | None,
        typer.Option(
            "--predictions", "-p", help="Column with the predictions. [default: those of --model]"
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Target column. [default: that of the model]"),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="Model file. [default: none; use --predictions]"),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Columns to leave out: a,b.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Interactive HTML report to write. [default: none]")
    ] = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Find where a model is wrong: segments of rows by its error, the worst first.

    Half of the rows find the segments, the other half measures them.

    Examples
    --------
    ceiba errors scored.csv --predictions answer --target default

    ceiba errors test.csv --model loans.ceiba
    """
    from ceiba.audit import analyze_errors
    from ceiba.cli.answered_rows import read_answers
    from ceiba.cli.commands.using.evaluate import read_truth
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import answer, check_out_path, remark, show_warnings

    show_warnings()
    check_out_path(report, "--report")
    if (model is None) == (predictions is None):
        raise OptionError("Pass --predictions (a column) or --model (a model file).")
    if model is not None:
        if drop:
            raise OptionError("--drop has no effect with --model.")
        opened, metadata = open_model(model)
        read_as = reading.for_model(metadata, opened.tree_)
        X, y, _, _ = read_truth(opened, data, read_as, target, None)
        result = analyze_errors(opened, X, y)
    else:
        if target is None:
            raise OptionError("--predictions requires --target.")
        assert predictions is not None
        X, answers, y = read_answers(data, reading.resolve(), predictions, target, drop)
        result = analyze_errors(answers, X, y)
    answer(result, result.to_dict(), as_json)
    if report is not None:
        result.report(report)
        remark(f"written to {report}")
