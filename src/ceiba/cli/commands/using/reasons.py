"""``ceiba reasons``: the reasons against a row."""

from __future__ import annotations

from typing import Annotated

import typer

from ceiba.cli.options.shared_options import (
    DEFAULT_READING,
    AsJson,
    Model,
    ReadingFlags,
    RowNumber,
    RowTable,
    RowValues,
)


def reasons(
    model: Model,
    data: RowTable = None,
    row: RowNumber = 1,
    values: RowValues = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Wanted class, or LOW:HIGH for numbers."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Background table; rows with the wanted prediction count. [default: training rows]"
        ),
    ] = None,
    protected: Annotated[
        list[str] | None,
        typer.Option(help="Columns that the tree must not use and reasons must not name: a,b."),
    ] = None,
    fixed: Annotated[
        list[str] | None, typer.Option(help="Columns never to report as reasons: a,b.")
    ] = None,
    k: Annotated[int, typer.Option("-k", help="Maximum number of reasons.")] = 4,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Rank the columns that count against the wanted prediction.

    Each comes with a change of that column alone that gives the wanted answer, if there is one.

    Examples
    --------
    ceiba reasons loans.ceiba new.csv --row 3 --protected sex,age

    ceiba reasons loans.ceiba -v income=20 -v debt=9 --target granted
    """
    from ceiba.audit import reasons as reasons_of
    from ceiba.cli.commands.using.counterfactual import read_wanted
    from ceiba.cli.commands.using.explain import read_all, read_row
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import LANG, answer, show_warnings
    from ceiba.table.files import split_names

    show_warnings()
    tree, metadata = open_tree(model)
    found = reasons_of(
        tree,
        read_row(tree, metadata, data, row, values, reading),
        k=k,
        target=read_wanted(tree, target),
        against=None if against is None else read_all(tree, metadata, against, reading),
        protected=split_names(protected),
        fixed=split_names(fixed),
        lang=LANG.get(),
    )[0]
    answer(str(found), {"answer": found.answer, "reasons": found.to_dict()}, as_json)
