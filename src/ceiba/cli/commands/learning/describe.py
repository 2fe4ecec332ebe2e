"""``ceiba describe``: what a table is like, before anything is learned from it."""

from __future__ import annotations

from typing import Annotated

import typer

from ceiba.cli.options.shared_options import AS_FOUND, AsJson, Data, ReadingFlags


def describe(
    data: Data,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COLUMN",
            help="A column, by name or number: the others get their association with it.",
            show_default=False,
        ),
    ] = None,
    reading: ReadingFlags = AS_FOUND,
    as_json: AsJson = False,
) -> None:
    """Describe a table: kinds of columns, missing cells, distributions, what looks suspicious.

    Example: ceiba describe weather.csv --target RAIN
    """
    from ceiba.cli.first_look import column_named, described, in_option_words
    from ceiba.cli.terminal.output import answer, can_unicode, remark, warn_in_words
    from ceiba.table import read
    from ceiba.table.files import as_columns, load_table

    warn_in_words(quiet=True)
    loaded = load_table(data, reading.reading(as_json))
    name = None
    if target is not None:
        name = column_named(target, loaded.frame.columns, "--target", data)
    description = described(read(as_columns(loaded.frame), finite=False), name)
    for text in loaded.remarks:
        remark(f"warning: {text}")
    figures = {**description.to_dict(), "remarks": loaded.remarks}
    answer(description.table(unicode=can_unicode()).blocks(fold=None), figures, as_json)
    for finding in description.remarks if not as_json else ():
        remark(f"warning: {in_option_words(finding)}")
