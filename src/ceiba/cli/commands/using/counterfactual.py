"""``ceiba counterfactual``: the nearest changes that give another prediction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

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
from ceiba.errors import OptionError, did_you_mean


def counterfactual(
    model: Model,
    data: RowTable = None,
    row: RowNumber = 1,
    values: RowValues = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Wanted class, or LOW:HIGH for numbers."),
    ] = None,
    fixed: Annotated[
        list[str] | None, typer.Option("--fixed", help="Columns that may not change: a,b.")
    ] = None,
    up: Annotated[list[str] | None, typer.Option(help="Column that may only increase.")] = None,
    down: Annotated[list[str] | None, typer.Option(help="Column that may only decrease.")] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", help="Allowed level of a column: COLUMN=LEVEL; repeatable."),
    ] = None,
    cost: Annotated[
        list[str] | None, typer.Option(help="Cost of changing a column: COLUMN=NUMBER.")
    ] = None,
    order: Annotated[
        str, typer.Option(help="Sort by number of changed columns, or by distance.")
    ] = "columns",
    k: Annotated[int, typer.Option("-k", help="Number of alternatives.")] = 5,
    reading: ReadingFlags = DEFAULT_READING,
    as_json: AsJson = False,
) -> None:
    """Find the nearest changes to a row that give another prediction.

    Examples
    --------
    ceiba counterfactual loans.ceiba new.csv --row 3 --fixed age

    ceiba counterfactual loans.ceiba -v income=20 -v debt=9 --target granted
    """
    from ceiba.cli.commands.using.explain import read_row
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import answer, show_warnings
    from ceiba.table.files import split_names as columns_in
    from ceiba.trust import counterfactual as alternatives_of

    show_warnings()
    tree, metadata = open_tree(model)
    table = read_row(tree, metadata, data, row, values, reading)
    alternatives = alternatives_of(
        tree,
        table,
        target=read_wanted(tree, target),
        fixed=columns_in(fixed),
        direction={**dict.fromkeys(up or (), "up"), **dict.fromkeys(down or (), "down")},
        allowed=_read_levels(tree, allow or ()),
        cost=dict(_read_cost(text) for text in cost or ()),
        order=order,  # type: ignore[arg-type]
        k=k,
    )
    answer(str(alternatives), [asdict(alternative) for alternative in alternatives], as_json)


def read_wanted(tree: Any, text: str | None) -> Any:
    """Return the wanted class or range of numbers."""
    if tree.task.has_classes:
        by_text = {str(label): label for label in tree.target.classes[0].tolist()}
        return None if text is None else by_text.get(text, text)
    low, colon, high = (text or "").partition(":")
    try:
        if not colon:
            raise ValueError
        return float(low) if low else None, float(high) if high else None
    except ValueError:
        raise OptionError(
            f"--target {text!r}: the model predicts numbers. Write LOW:HIGH, one side may be empty."
        ) from None


def _read_levels(tree: Any, texts: Iterable[str]) -> dict[str, list[Any]]:
    """Return the allowed levels by column."""
    chosen: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, level = text.partition("=")
        if not equals:
            raise OptionError(f"--allow {text!r}: write COLUMN=LEVEL.")
        columns = {column.name: column for column in tree.schema.columns}
        if name not in columns:
            raise OptionError(
                f"--allow {text!r}: column not found: {name!r}.{did_you_mean(name, columns)}"
            )
        by_text = {str(value): value for value in columns[name].levels}
        chosen.setdefault(name, []).append(by_text.get(level, level))
    return chosen


def _read_cost(text: str) -> tuple[str, float]:
    name, equals, number = text.rpartition("=")
    try:
        if not equals:
            raise ValueError
        return name, float(number)
    except ValueError:
        raise OptionError(f"--cost {text!r}: write COLUMN=NUMBER.") from None
