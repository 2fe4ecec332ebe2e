"""``ceiba rules``: the leaves of a tree as rules."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import AsJson, Model
from ceiba.formatting import escape_control
from ceiba.words import words

_LEVELS = 8  # listed in a condition; others are counted


def rules(
    model: Model,
    sort: Annotated[
        str | None,
        typer.Option(help="Sort key, largest first. [default: order of the leaves]"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the tree as rules: condition, prediction, rows, confidence, lift.

    Example: ceiba rules weather.ceiba --sort lift
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import LANG, answer

    tree = open_tree(model)[0]
    table = tree.rules(lang=LANG.get())
    if sort is not None:
        table = table.sort(sort)
    rows = zip(table, table.rules, strict=True)
    figures = [{**row, "optimistic": rule.optimistic} for row, rule in rows]
    answer(_format_rules(table), figures, as_json)


def _format_rules(table: Any) -> str:
    """Return each rule as a block: prediction and figures, then one condition per line."""
    from ceiba.cli.terminal.output import colorize
    from ceiba.layout import percent
    from ceiba.tree.splits import number_text

    word = words(table.lang)
    lines = [colorize(table.title, "bold"), ""]
    for rule in table.rules:
        value = number_text(rule.value, 4) if isinstance(rule.value, float) else str(rule.value)
        value = value if rule.curve is None else word("survival.risk", value=value)
        head = word("rules.head", leaf=rule.node, value=escape_control(value, one_line=True))
        line = colorize(head, "bold")
        if rule.rows:
            line += word("rules.head_rows", n=rule.rows, share=percent(rule.share, 1))
        if rule.confidence == rule.confidence:
            sure, lift = f"{rule.confidence:.3g}", f"{rule.lift:.3g}"
            line += ", " + word("rules.figures", confidence=sure, lift=lift)
        if rule.curve is not None:
            line += f", {rule.curve_text()}"
        elif rule.low == rule.low:
            low, high = f"{rule.low:.3g}", f"{rule.high:.3g}"
            line += word("rules.head_interval", low=low, high=high)
            line += word["rules.head_optimistic"] if rule.optimistic else ""
        lines.append(line)
        clauses = rule.condition.parts(max_levels=_LEVELS, lang=table.lang)
        lines += [
            f"    {word['rules.and' if k else 'rules.if']} {escape_control(text, one_line=True)}"
            for k, text in enumerate(clauses or (word["split.all_rows"],))
        ]
        lines.append("")
    return "\n".join([*lines, table.legend])
