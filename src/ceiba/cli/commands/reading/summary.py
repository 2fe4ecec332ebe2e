"""``ceiba summary``: the card of a tree."""

from __future__ import annotations

from ceiba.cli.options.shared_options import AsJson, Model


def summary(model: Model, as_json: AsJson = False) -> None:
    """Say what a model is about, how large it is and how good it looked when it was learned.

    Example: ceiba summary weather.ceiba
    """
    from ceiba.cli.models import open_model
    from ceiba.cli.terminal.output import answer
    from ceiba.inspection import summary as make

    opened, metadata = open_model(model)
    card = make(opened.tree_, pruning=getattr(opened, "pruning_table_", None))
    lines = [str(card)]
    if metadata.get("data"):
        lines.append(f"learned from {metadata['data']}")
    data = {**card.to_dict(), "columns": card.columns.to_dict(), "metadata": metadata}
    answer("\n".join(lines), data, as_json)
