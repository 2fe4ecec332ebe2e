"""``ceiba ask``: a conversation that ends with an answer, why, and how sure."""

from __future__ import annotations

import sys
from typing import Any

from ceiba.cli.options.shared_options import AS_FOUND, Model
from ceiba.errors import DataError
from ceiba.formatting import escape_control
from ceiba.words import words


def ask(model: Model) -> None:
    """Predict interactively, asking only for the columns on the path.

    Press Enter where a value is not known. Answers are written as in the file that the model was
    learned from (1.234,5 or 31/12/2024), and may also come from a pipe, one a line.

    Example: ceiba ask weather.ceiba
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import LANG, answer, remark
    from ceiba.cli.terminal.questions import Conversation
    from ceiba.inspection import explain

    tree, metadata = open_tree(model)
    talk = Conversation(tree, styles=AS_FOUND.like(metadata, tree).styles)
    while (column := talk.next_column()) is not None:
        while True:
            text = _asked(talk, column)
            try:
                talk.tell(column, text)
                break
            except DataError as error:
                if not sys.stdin.isatty():
                    raise
                remark(str(error))
    explanation = explain(tree, talk.table(), lang=LANG.get())
    answer(_told(tree, explanation), explanation.to_dict(), False)


def _asked(talk: Any, column: str) -> str:
    """Ask for the value of a column and give what was typed."""
    from ceiba.cli.terminal.output import LANG, colored
    from ceiba.cli.terminal.questions import range_of

    values = range_of(talk.info(column), LANG.get())
    hint = f" ({escape_control(values, one_line=True)})" if values else ""
    print(f"{colored(escape_control(column, one_line=True), 'bold')}{hint}? ", end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise DataError(f"The way needs a value of {column!r}, and none came.")
    if not sys.stdin.isatty():
        print(escape_control(line.rstrip("\n")))
    return line


def _told(tree: Any, explanation: Any) -> str:
    """Write the answer, why, and how sure."""
    from ceiba.cli.terminal.output import colored
    from ceiba.cli.terminal.questions import sureness
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
    head = colored(f"{name}: {label}", "bold")
    lines = ["", head, "", word["explain.why"], *(f"  {step}" for step in steps)]
    share, low, high, rows = sureness(tree, explanation.leaf)
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
    return "\n".join([*lines, "", word["explain.how_sure"], sure])
