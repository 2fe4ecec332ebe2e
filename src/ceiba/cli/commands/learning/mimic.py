"""``ceiba mimic``: one tree of another model's predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ceiba.cli.options.shared_options import DEFAULT_READING, AsJson, Data, Quiet, ReadingFlags


def mimic(
    data: Data,
    predictions: Annotated[
        str, typer.Option("--predictions", "-p", help="Column with the predictions of the model.")
    ],
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Target column. [default: none]"),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Columns to leave out: a,b.")] = None,
    leaves: Annotated[
        int | None,
        typer.Option(help="Number of leaves. [default: by cross-validated fidelity, 1-SE rule]"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Model file to write. [default: none]")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Interactive HTML report to write. [default: none]")
    ] = None,
    reading: ReadingFlags = DEFAULT_READING,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Imitate any model by one tree, and measure its fidelity.

    Fidelity is measured on 30 % of the rows, which the tree is not grown on.

    Example: ceiba mimic scored.csv --predictions score --target default --leaves 8
    """
    from dataclasses import replace

    from ceiba.audit import mimic as imitate
    from ceiba.cli.answered_rows import count_from_one, read_answers
    from ceiba.cli.models import save_model
    from ceiba.cli.terminal.output import answer, check_out_path, remark, show_warnings

    show_warnings(quiet)
    check_out_path(out)
    check_out_path(report, "--report")
    table, answers, truth = read_answers(data, reading.resolve(quiet), predictions, target, drop)
    result = imitate(answers, table, truth, leaves=leaves)
    result = replace(result, leaves=count_from_one(result.leaves))
    answer(result, result.to_dict(), as_json)
    if out is not None:
        remark(save_model(result.model, out, {"imitated": predictions}), quiet)
        remark(f"written to {out}", quiet)
    if report is not None:
        result.report(report)
        remark(f"written to {report}", quiet)
