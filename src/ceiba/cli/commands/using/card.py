"""``ceiba card``: the model card."""

from __future__ import annotations

from typing import Annotated

import typer

from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    Model,
    Out,
    Quiet,
    ReadingFlags,
)
from ceiba.errors import OptionError


def card(
    model: Model,
    data: Annotated[
        str | None, typer.Option("--data", help="Held-out rows with the target. [default: none]")
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(help="Training rows: adds levels, ranges and stability. [default: none]"),
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Column of groups in --data. [default: none]")
    ] = None,
    purpose: Annotated[str | None, typer.Option(help="Purpose of the model.")] = None,
    owner: Annotated[str | None, typer.Option(help="Owner of the model.")] = None,
    approval: Annotated[str | None, typer.Option(help="Approval: by whom, and when.")] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Target column, if renamed.")
    ] = None,
    out: Out = None,
    reading: ReadingFlags = DEFAULT_READING,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write the model card: what the model is, how it was grown, how good it is, its limits.

    The format follows the ending of --out: .md, .json or .html.

    Example: ceiba card loans.ceiba --data test.csv --by sex --out card.md
    """
    from ceiba.audit import make_card
    from ceiba.cli.commands.using.evaluate import read_truth
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import answer, check_out_path, remark, show_warnings
    from ceiba.tree.routing import route

    show_warnings(quiet)
    check_out_path(out)
    if by is not None and data is None:
        raise OptionError("--by requires --data.")
    opened, metadata = open_model(model)
    opened.metadata_ = metadata
    read_as = reading.for_model(metadata, opened.tree_)
    groups: list[object] = []
    rows = {}
    for name, file, column in (("test", data, by), ("train", train, None)):
        if file is not None:
            X, y, _, _ = read_truth(opened, file, read_as, target, None, column, groups)
            rows[name] = (route.read(opened.tree_, X), y)
    made = make_card(
        opened,
        opened.tree_,
        **rows,
        by=None if by is None else (by, groups),
        purpose=purpose,
        owner=owner,
        approval=approval,
    )
    if out is not None:
        made.save(out)
        remark(f"written to {out}", quiet)
    if out is None or as_json:
        answer(str(made).rstrip("\n"), made.to_dict(), as_json)
