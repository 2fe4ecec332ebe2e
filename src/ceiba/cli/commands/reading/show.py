"""``ceiba show``: the tree as text."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from ceiba.cli.options.shared_options import AsJson, Model


def show(
    model: Model,
    max_depth: Annotated[int | None, typer.Option(help="Depth below which nodes are folded.")] = 30,
    node_ids: Annotated[bool, typer.Option("--node-ids", help="Show node ids.")] = False,
    impurity: Annotated[bool, typer.Option("--impurity", help="Show the impurity.")] = False,
    counts: Annotated[bool, typer.Option("--counts", help="Show the class counts.")] = False,
    ascii_: Annotated[bool, typer.Option("--ascii", help="Use ASCII characters only.")] = False,
    bars: Annotated[
        bool | None,
        typer.Option(
            "--bars/--no-bars",
            help=r"Show the class shares as bars. \[default: on a terminal]",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the tree of a model.

    Example: ceiba show weather.ceiba --max-depth 4
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.terminal.output import answer, get_width, render, supports_unicode, tree_style

    tree: Any = open_tree(model)[0]
    if as_json:
        answer("", json.loads(tree.export("json")), True)
        return
    wanted = get_width() is not None if bars is None else bars
    style = {**tree_style(), "unicode": not ascii_ and supports_unicode()}
    text = tree.to_text(
        max_depth=max_depth,
        node_ids=node_ids,
        impurity=impurity,
        counts=counts,
        bars=wanted and tree.n_outputs == 1,
        **style,
    )
    print(render(text))
    if tree.certificate is not None:
        print(f"\n{render(tree.certificate)}")
