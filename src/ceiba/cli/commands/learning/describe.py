"""``ceiba describe``: describe a table."""

from __future__ import annotations

from typing import Annotated

import typer

from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    DataOrExample,
    Example,
    ReadingFlags,
    resolve_example,
)


def describe(
    data: DataOrExample = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COLUMN",
            help="Target column, by name or number; adds the association of the others with it.",
            show_default=False,
        ),
    ] = None,
    example: Example = None,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Describe a table: kinds of columns, missing values, distributions, warnings.

    Examples
    --------
    ceiba describe weather.csv --target RAIN

    ceiba describe --example titanic
    """
    from ceiba.cli.advice import add_option_hint, describe_table, find_column
    from ceiba.cli.terminal.output import answer, remark, show_warnings, supports_unicode
    from ceiba.table import read
    from ceiba.table.files import as_columns, load_table

    show_warnings(quiet=True)
    data, target = resolve_example(data, target, example)
    loaded = load_table(data, reading.resolve(as_json))
    name = None
    if target is not None:
        name = find_column(target, loaded.frame.columns, "--target", data)
    description = describe_table(read(as_columns(loaded.frame), finite=False), name)
    for text in loaded.remarks:
        remark(f"warning: {text}")
    figures = {**description.to_dict(), "remarks": loaded.remarks}
    answer(description.table(unicode=supports_unicode()).blocks(fold=None), figures, as_json)
    for finding in description.remarks if not as_json else ():
        remark(f"warning: {add_option_hint(finding)}")
