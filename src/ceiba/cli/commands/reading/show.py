"""``ceiba show``: the tree as text."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from ceiba.cli.shared_options import AsJson, Model


def show(
    model: Model,
    max_depth: Annotated[int | None, typer.Option(help="Fold what lies deeper.")] = 30,
    node_ids: Annotated[bool, typer.Option("--node-ids", help="Show the nodes' numbers.")] = False,
    impurity: Annotated[bool, typer.Option("--impurity", help="Show the impurity.")] = False,
    counts: Annotated[bool, typer.Option("--counts", help="Show the class counts.")] = False,
    ascii_: Annotated[bool, typer.Option("--ascii", help="Draw with plain characters.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the tree of a model.

    Example: ceiba show weather.ceiba --max-depth 4
    """
    from ceiba.cli.models import open_tree
    from ceiba.cli.output import answer, wrapped

    tree: Any = open_tree(model)[0]
    if as_json:
        answer("", json.loads(tree.export("json")), True)
        return
    unicode = not ascii_ and (sys.stdout.encoding or "").lower().startswith("utf")
    options = {"max_depth": max_depth, "node_ids": node_ids, "impurity": impurity}
    print(tree.to_text(counts=counts, unicode=unicode, **options))
    if tree.certificate is not None:
        print(f"\n{wrapped(str(tree.certificate))}")
