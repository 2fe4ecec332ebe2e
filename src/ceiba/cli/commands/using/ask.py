"""``ceiba ask``: a conversation that ends with an answer, why, and how sure."""

from __future__ import annotations

import sys
from typing import Any

from ceiba.cli.options.reading_flags import AS_FOUND
from ceiba.cli.options.shared_options import Model
from ceiba.errors import DataError
from ceiba.visible import counted, visible


def ask(model: Model) -> None:
    """Ask question by question, only what the way needs, and give the answer.

    Press Enter where a value is not known. Answers are written as in the file that the model was
    learned from (1.234,5 or 31/12/2024), and may also come from a pipe, one a line.

    Example: ceiba ask weather.ceiba
    """
    from ceiba.cli.languages.translation import translated_error
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import answer, remark
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
                remark(translated_error(str(error)))
    made = explain(tree, talk.table())
    answer(_told(tree, made), made.to_dict(), False)


def _asked(talk: Any, column: str) -> str:
    """Ask for the value of a column and give what was typed."""
    from ceiba.cli.languages.translation import translated
    from ceiba.cli.terminal.questions import range_of
    from ceiba.cli.terminal.screen import colored

    known = translated(range_of(talk.info(column)))
    hint = f" ({visible(known, one_line=True)})" if known else ""
    print(f"{colored(visible(column, one_line=True), 'bold')}{hint}? ", end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise DataError(f"The way needs a value of {column!r}, and none came.")
    if not sys.stdin.isatty():
        print(visible(line.rstrip("\n")))
    return line


def _told(tree: Any, made: Any) -> str:
    """Write the answer, why, and how sure."""
    from ceiba.cli.languages.translation import translated
    from ceiba.cli.terminal.questions import sureness
    from ceiba.cli.terminal.screen import colored
    from ceiba.layout import percent
    from ceiba.tree.splits.sentences import number_text

    shown = number_text(made.answer, 4) if isinstance(made.answer, float) else made.answer
    name = tree.target.name or translated("Answer")
    *steps, _ = str(made).split("\n")
    lines = ["", colored(f"{name}: {shown}", "bold"), "", "Why:", *(f"  {one}" for one in steps)]
    share, low, high, rows = sureness(tree, made.leaf)
    sure = f"  leaf {made.leaf}, {counted(rows, 'training row')}"
    if share == share and tree.class_prior is not None:  # not the share of these rows
        sure += f"; prior-weighted probability {percent(share, 1)}"
    elif share == share:
        sure += f"; {percent(share, 1)} of them {shown}"
    if low == low:
        ends = (
            f"{low:.3g} to {high:.3g}"
            if share == share
            else (f"{number_text(low, 4)} to {number_text(high, 4)} for the mean")
        )
        sure += f"; 95 % interval {ends}"
    return "\n".join([*lines, "", "How sure:", sure])
