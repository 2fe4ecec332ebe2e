"""``ceiba summary``: summary of a model."""

from __future__ import annotations

from typing import Any

from ceiba.cli.options.shared_options import AsJson, Model
from ceiba.words import words


def summary(model: Model, as_json: AsJson = False) -> None:
    """Summarize a model: target, size and training metrics.

    Example: ceiba summary weather.ceiba
    """
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import LANG, answer
    from ceiba.inspection import summary as make

    opened, metadata = open_model(model)
    pruning = getattr(opened, "pruning_table_", None)
    card = make(opened.tree_, pruning=pruning, lang=LANG.get())
    lines: list[Any] = [card]
    if metadata.get("data"):
        lines.append(words(LANG.get())("summary.learned_from", name=metadata["data"]))
    data = {**card.to_dict(), "columns": card.columns.to_dict(), "metadata": metadata}
    answer(lines, data, as_json)
