"""``ceiba report``: the interactive page of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ceiba.cli.reading_flags import AS_FOUND, ReadingFlags
from ceiba.cli.shared_options import Model, Quiet

__all__ = ["report"]


def report(
    model: Model,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page to write. [default: MODEL.html]")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", "-d", help="Held-out rows with the truth.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    lang: Annotated[str, typer.Option(help="Language of the page, and of what is printed.")] = "en",
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Column of the truth, if renamed.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Open it in a browser.")] = False,
    reading: ReadingFlags = AS_FOUND,
    quiet: Quiet = False,
) -> None:
    """Write the interactive page of a model: one HTML file that needs no network.

    With held-out rows (--data) the page shows their figures beside those of training.

    Example: ceiba report weather.ceiba --data test.csv -o weather.html
    """
    from ceiba.cli.commands.using.evaluate import truth_of
    from ceiba.cli.models import open_model
    from ceiba.cli.output import remark, warn_in_words
    from ceiba.visible import counted

    warn_in_words()
    opened, metadata = open_model(model)
    options: dict[str, Any] = {"title": title, "lang": lang}
    if data is not None:
        read_as = reading.like(metadata, opened.tree_)
        X, y, _, dropped = truth_of(opened, data, read_as, target, None)
        options["test"] = (X, y)
        if dropped:
            remark(f"Left out: {counted(dropped, 'row')} without the truth.", quiet)
    path = out or Path(Path(model).name.split(".")[0] + ".html")
    made = opened.report(path, **options)
    remark(f"written to {path}", quiet)
    if show:
        made.show()
