"""Completion by the shell: recipes, formats, columns of the file, levels of lists, node numbers.

Completing must be quick and never fail: a file that cannot be read completes nothing.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import typer

from ceiba.cli.models import open_tree
from ceiba.words import LANGUAGES

Complete = Callable[[typer.Context, str], list[str]]

#: What is allowed, by the name of the parameter.
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "task": ("classification", "regression"),
    "recipe": ("cart", "rpart", "c45", "id3", "chaid"),
    "sort": ("leaf", "rows", "share", "value", "confidence", "lift", "low", "high"),
    "kind": ("tree", "icicle", "importance", "pruning"),
    "risk": ("cost", "impurity"),
    "order": ("columns", "distance"),
    "dialect": (
        "ansi",
        "postgresql",
        "sqlite",
        "duckdb",
        "mysql",
        "tsql",
        "bigquery",
        "snowflake",
        "spark",
        "oracle",
    ),
    "lang": LANGUAGES,
}


def _given(context: typer.Context, name: str) -> str | None:
    """Return the file that an argument names.

    An option without its value yet keeps the line from being parsed; then the words of the line
    that are files are looked at: a model ends in .ceiba, data do not.
    """
    value = context.params.get(name)
    if value is not None:
        return str(value)
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    with contextlib.suppress(ValueError):
        for word in shlex.split(line)[2:]:
            is_file = Path(word.partition("::")[0]).is_file()
            if is_file and word.endswith(".ceiba") == (name == "model"):
                return word
    return None


def _known_columns(context: typer.Context) -> list[str]:
    data = _given(context, "data")
    if data is not None:
        return columns_of(data)
    with contextlib.suppress(Exception):
        return list(open_tree(str(_given(context, "model")))[0].schema.names)
    return []


def _of_list(context: typer.Context, incomplete: str) -> list[str]:
    """Return the columns that may come next in a list: a,b."""
    before, comma, last = incomplete.rpartition(",")
    taken = set(before.split(","))
    return [
        f"{before}{comma}{name}"
        for name in _known_columns(context)
        if name.startswith(last) and name not in taken
    ]


def columns_of(source: str | None) -> list[str]:
    """Return the names of the columns of a file; none if it cannot be read."""
    with contextlib.suppress(Exception):
        from ceiba.table.files import CsvFile, ReadOptions, is_text, read_batches

        if source is None or source == "-":
            return []
        if is_text(source):
            return list(CsvFile(source, ReadOptions(quiet=True), rows=100).format.names)
        return next(iter(read_batches(source, ReadOptions(quiet=True), 100))).columns
    return []


def nodes_of(path: str | None) -> list[str]:
    """Return the numbers of the nodes that ask something."""
    with contextlib.suppress(Exception):
        tree = open_tree(str(path))[0]
        return [str(node) for node in range(tree.n_nodes) if not tree.is_leaf[node]]
    return []


def _among(names: Sequence[str] | Callable[[typer.Context], Iterable[str]]) -> Complete:
    """Return what completes a parameter: those of some names that begin so."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        choices = names(ctx) if callable(names) else names
        return [name for name in choices if name.startswith(incomplete)]

    return complete


def _formats(_: typer.Context) -> Iterable[str]:
    from ceiba.export import FORMATS

    return FORMATS


#: What completes a parameter, by its name; the others are left to the shell (files).
COMPLETERS: Final[dict[str, Complete]] = {
    **{name: _among(choices) for name, choices in CHOICES.items()},
    "format_": _among(_formats),
    "rivals": _among(lambda ctx: nodes_of(_given(ctx, "model"))),
    **dict.fromkeys(("target", "weight", "by", "fixed", "up", "down"), _among(_known_columns)),
    **dict.fromkeys(
        ("drop", "categorical", "numeric"),
        _of_list,
    ),
    **dict.fromkeys(
        ("values", "ordered", "cost"),
        _among(lambda ctx: [f"{name}=" for name in _known_columns(ctx)]),
    ),
}
