"""``ceiba rules``: the leaves of a tree as rules."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import AsJson, Model
from ceiba.visible import counted, visible

_LEVELS = 8  # listed in a condition, the others are counted


def rules(
    model: Model,
    sort: Annotated[
        str | None,
        typer.Option(help="Sort by this, the largest first. [default: order of the leaves]"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the tree as rules: condition, answer, rows, confidence, lift.

    Example: ceiba rules weather.ceiba --sort lift
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import answer

    tree = open_tree(model)[0]
    table = tree.rules()
    if sort is not None:
        table = table.sort(sort)
    rows = zip(table, table.rules, strict=True)
    figures = [{**row, "optimistic": rule.optimistic} for row, rule in rows]
    answer(_blocks(tree, table), figures, as_json)


def _blocks(tree: Any, table: Any) -> str:
    """Write each rule as a block: what it says and its figures, then its conditions, one a line."""
    from ceiba.cli.terminal.screen import colored
    from ceiba.layout import digits_by_name, percent
    from ceiba.tree.splits.sentences import DIGITS, number_text

    digits = digits_by_name(tree, DIGITS)
    lines = [colored(table.title, "bold"), ""]
    for rule in table.rules:
        value = number_text(rule.value, 4) if isinstance(rule.value, float) else str(rule.value)
        figures = [f"{counted(rule.rows, 'row')} ({percent(rule.share, 1)})"] if rule.rows else []
        if rule.confidence == rule.confidence:
            figures += [f"confidence {rule.confidence:.3g}", f"lift {rule.lift:.3g}"]
        if rule.low == rule.low:
            optimistic = " (optimistic)" if rule.optimistic else ""
            figures.append(f"95 % {rule.low:.3g} to {rule.high:.3g}{optimistic}")
        head = f"leaf {rule.node}: {visible(value, one_line=True)}"
        lines.append(", ".join([colored(head, "bold"), *figures]))
        clauses = rule.condition.parts(digits=digits, max_levels=_LEVELS) or ("all rows",)
        lines += [
            f"    {'if ' if k == 0 else 'and '}{visible(text, one_line=True)}"
            for k, text in enumerate(clauses)
        ]
        lines.append("")
    return "\n".join([*lines, table.legend])
