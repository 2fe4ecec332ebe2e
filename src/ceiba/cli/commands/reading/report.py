"""``ceiba report``: the interactive HTML report of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    Example,
    ModelOrExample,
    Quiet,
    ReadingFlags,
)
from ceiba.errors import OptionError
from ceiba.formatting import pluralize


def report(
    model: ModelOrExample = None,
    example: Example = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="HTML file to write. [default: MODEL.html]")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", "-d", help="Held-out rows with the target.")
    ] = None,
    train: Annotated[
        str | None,
        typer.Option("--train", help="Training rows: adds their distributions."),
    ] = None,
    stability: Annotated[
        int | None,
        typer.Option("--stability", help="Trust: number of resamples of --train to fit.", min=2),
    ] = None,
    rivals: Annotated[
        list[int] | None,
        typer.Option("--rivals", help="Trust: rival split columns of this node."),
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Trust: metrics per group of --data.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option("--positive", help="Positive class of the rates of --by.")
    ] = None,
    drift: Annotated[
        str | None,
        typer.Option("--drift", help="Trust: new rows to compare with training."),
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Weight column of --train.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    lang: Annotated[str, typer.Option(help="Language of the report and of messages.")] = "en",
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Target column, if renamed.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Open it in a browser.")] = False,
    reading: ReadingFlags = DEFAULT_READING,
    quiet: Quiet = False,
) -> None:
    """Write the interactive report of a model: one HTML file that needs no network.

    With held-out rows (--data) the report shows their metrics next to those of training.

    With --stability, --rivals, --by or --drift it has a Trust tab.

    With --example, a tree is learned first from two thirds of the table; the rest is held out.

    Examples
    --------
    ceiba report --example titanic --show

    ceiba report weather.ceiba --data test.csv -o weather.html

    ceiba report loans.ceiba --train old.csv --stability 100 --data test.csv --by sex
    """
    from ceiba.cli.commands.using.evaluate import evaluate_file, read_truth
    from ceiba.cli.models import open_model, write_example_report
    from ceiba.cli.terminal.output import remark, show_warnings

    show_warnings()
    if (model is None) == (example is None):
        raise OptionError("Pass MODEL or --example NAME, and not both.")
    if example is not None:
        used = (data, train, stability, rivals, by, positive, drift, weight, target)
        if any(value is not None for value in used) or reading != DEFAULT_READING:
            raise OptionError("--example can be combined with --out, --title, --lang and --show.")
        page = write_example_report(example, out or Path(f"{example}.html"), lang, title)[1]
        remark(f"written to {page.path}", quiet)
        if show:
            page.show()
        return
    assert model is not None
    fits_again = stability is not None or bool(rivals)
    if fits_again and train is None:
        name = "--stability" if stability is not None else "--rivals"
        raise OptionError(f"{name} fits the model again; pass its training rows as --train.")
    if by and data is None:
        raise OptionError("--by compares groups of held-out rows; pass --data.")
    if positive is not None and not by:
        raise OptionError("--positive has no effect without --by.")
    if weight is not None and not fits_again:
        raise OptionError("--weight has no effect without --stability or --rivals.")
    opened, metadata = open_model(model)
    read_as = reading.for_model(metadata, opened.tree_)
    options: dict[str, Any] = {"title": title, "lang": lang}
    if train is not None:
        X, y, weights, _ = read_truth(opened, train, read_as, target, weight)
        options["train"] = (X, y)
        if stability is not None:
            options["stability"] = opened.stability(X, y, weights, resamples=stability)
        options["rivals"] = [
            opened.rival_columns(X, y, weights, node=node) for node in rivals or ()
        ]
    if data is not None:
        X, y, _, dropped = read_truth(opened, data, read_as, target, None)
        options["test"] = (X, y)
        options["groups"] = [
            evaluate_file(opened, data, read_as, target, None, column, positive)
            for column in by or ()
        ]
        if dropped:
            remark(f"Left out: {pluralize(dropped, 'row')} without the truth.", quiet)
    if drift is not None:
        options["drift"] = _compare_rows(opened, drift, read_as, target)
    path = out or Path(Path(model).name.split(".")[0] + ".html")
    page = opened.report(path, **options)
    remark(f"written to {path}", quiet)
    if show:
        page.show()


def _compare_rows(model: Any, new: str, reading: Any, target: str | None) -> Any:
    """Return the drift of new rows, with their target if the file has it."""
    from ceiba._polars import pl
    from ceiba.cli.commands.using.evaluate import read_truth
    from ceiba.table.files import apply_schema, read_batches

    rows = []
    for batch in read_batches(new, reading, 250_000):
        if (target or model.tree_.target.name) in batch.columns:
            return model.drift(*read_truth(model, new, reading, target, None)[:2])
        rows.append(apply_schema(batch, model.tree_.schema))
    return model.drift(pl.concat(rows))
