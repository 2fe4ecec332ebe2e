"""``ceiba ask``: interactive prediction with explanation and confidence."""

from __future__ import annotations

import sys
from typing import Any

from ceiba.cli.options.shared_options import DEFAULT_READING, Model
from ceiba.errors import DataError
from ceiba.formatting import escape_control
from ceiba.words import words


def ask(model: Model) -> None:
    """Predict interactively, asking only for the columns on the path.

    Press Enter for a missing value. Values are written as in the training file (1.234,5 or
    31/12/2024), and may come from a pipe, one per line.

    Example: ceiba ask weather.ceiba
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import LANG, answer, remark
    from ceiba.cli.terminal.questions import Conversation
    from ceiba.inspection import explain

    tree, metadata = open_tree(model)
    conversation = Conversation(tree, styles=DEFAULT_READING.for_model(metadata, tree).styles)
    while (column := conversation.next_column()) is not None:
        while True:
            text = _ask_value(conversation, column)
            try:
                conversation.set_value(column, text)
                break
            except DataError as error:
                if not sys.stdin.isatty():
                    raise
                remark(str(error))
    explanation = explain(tree, conversation.table(), lang=LANG.get())
    answer(_format_answer(tree, explanation), explanation.to_dict(), False)


def _ask_value(conversation: Any, column: str) -> str:
    """Ask for the value of a column and return the input."""
    from ceiba.cli.terminal.output import LANG, colorize
    from ceiba.cli.terminal.questions import format_range

    values = format_range(conversation.info(column), LANG.get())
    hint = f" ({escape_control(values, one_line=True)})" if values else ""
    print(f"{colorize(escape_control(column, one_line=True), 'bold')}{hint}? ", end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise DataError(f"The path requires a value of {column!r}; the input ended.")
    if not sys.stdin.isatty():
        print(escape_control(line.rstrip("\n")))
    return line


def _format_answer(tree: Any, explanation: Any) -> str:
    """Return the prediction, its explanation and its confidence as text."""
    from ceiba.cli.terminal.output import colorize
    from ceiba.cli.terminal.questions import find_confidence
    from ceiba.layout import percent
    from ceiba.tree.splits import number_text

    label = (
        number_text(explanation.answer, 4)
        if isinstance(explanation.answer, float)
        else explanation.answer
    )
    word = words(explanation.lang)
    name = tree.target.name or word["explain.answer"]
    *steps, _ = explanation.blocks()
    head = colorize(f"{name}: {label}", "bold")
    lines = ["", head, "", word["explain.why"], *(f"  {step}" for step in steps)]
    share, low, high, rows = find_confidence(tree, explanation.leaf)
    sure = "  " + word("explain.leaf", leaf=explanation.leaf, n=rows)
    if share == share and tree.class_prior is not None:  # not the share of these rows
        sure += word("explain.prior_share", share=percent(share, 1))
    elif share == share:
        sure += word("explain.share_of_them", share=percent(share, 1), label=label)
    if low == low and share == share:
        sure += word("explain.interval", low=f"{low:.3g}", high=f"{high:.3g}")
    elif low == low:
        ends = {"low": number_text(low, 4), "high": number_text(high, 4)}
        sure += word("explain.interval_mean", **ends)
    if costs := explanation.costs_text():
        sure += f"; {costs}"
    return "\n".join([*lines, "", word["explain.how_sure"], sure])
