"""``ceiba rules``: the leaves of a tree as rules."""

from __future__ import annotations

from typing import Annotated

import typer

from ceiba.cli.shared_options import AsJson, Model


def rules(
    model: Model,
    sort: Annotated[str | None, typer.Option(help="rows, share, confidence or lift.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the tree as rules: condition, answer, rows, confidence, lift.

    Example: ceiba rules weather.ceiba --sort lift
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.output import answer

    table = open_tree(model)[0].rules()
    if sort is not None:
        table = table.sort(sort)
    answer(str(table), list(table), as_json)
