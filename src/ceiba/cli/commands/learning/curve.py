"""``ceiba curve``: the learning curve, as a table and a picture."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    Data,
    KeepIdentifiers,
    Out,
    Quiet,
    ReadingFlags,
)


def curve(
    data: Data,
    target: Annotated[
        str, typer.Option("--target", "-t", help="Column to predict, by name or number.")
    ],
    task: Annotated[
        str | None, typer.Option(help="Learning task. [default: inferred from the target]")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Columns to drop.")] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Columns to read as categorical.")
    ] = None,
    keep_identifiers: KeepIdentifiers = False,
    repeats: Annotated[int, typer.Option(help="Repeats per size.")] = 20,
    recipe: Annotated[str | None, typer.Option(help="Preset of options.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Estimator option: NAME=VALUE.")
    ] = None,
    reading: ReadingFlags = DEFAULT_READING,
    out: Out = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compute the learning curve: the score by the number of training rows.

    Example: ceiba curve weather.csv --target RAIN --drop DATE,PRCP --set max_depth=4 -o curve.png
    """
    from ceiba.cli.learn_job import LearnJob
    from ceiba.cli.options.estimator_from_flags import (
        check_before_reading,
        make_model,
        read_settings,
    )
    from ceiba.cli.terminal.output import LANG, answer, check_out_path, remark, show_warnings
    from ceiba.inspection import learning_curve
    from ceiba.table.files import split_names

    show_warnings(quiet=True)
    check_out_path(out)
    work = LearnJob(
        data=data, target=target,
        reading=reading.resolve(),
        shape={"drop": split_names(drop), "categorical": split_names(categorical), "numeric": [],
               "ordered": {}},
        weight=None, quiet=True, keep_identifiers=keep_identifiers,
    )  # fmt: skip
    check_before_reading(task, recipe, {}, read_settings(set_))
    work.read(task, advise=False)
    model = make_model(work.task, recipe, read_settings(set_))
    progress = not quiet and sys.stderr.isatty()
    measured = learning_curve(model, work.X, work.y, repeats=repeats, progress=progress)
    answer(measured.table(), measured.table().to_dict(), as_json)
    if out is not None:
        from ceiba.cli.commands.reading.plot import save_figure
        from ceiba.plot import plot_learning_curve

        save_figure(plot_learning_curve(measured, lang=LANG.get()), out, 150)
        remark(f"written to {out}", quiet)
