"""Shell completion of option values, formats, column names and node ids.

Completion must be fast and must not fail: an unreadable file has no completions.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

import typer

from ceiba.cli.models import open_tree
from ceiba.words import LANGUAGES

Complete = Callable[[typer.Context, str], list[str]]

#: Values offered by completion, by parameter name.
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "example": (
        "titanic",
        "german_credit",
        "bike_sharing",
        "lung",
        "iris",
        "play_tennis",
        "restaurant",
    ),
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


def _find_file(context: typer.Context, name: str) -> str | None:
    """Return the file passed as the argument `name` ("model" or "data"), or None."""
    # A line whose last option has no value cannot be parsed, so search its words for a file.
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


def _list_columns(context: typer.Context) -> list[str]:
    data = _find_file(context, "data")
    if data is not None:
        return read_columns(data)
    with contextlib.suppress(Exception):
        return list(open_tree(str(_find_file(context, "model")))[0].schema.names)
    return []


def _complete_list(context: typer.Context, incomplete: str) -> list[str]:
    """Return completions for the last name in a comma-separated list of columns."""
    before, comma, last = incomplete.rpartition(",")
    previous = set(before.split(","))
    return [
        f"{before}{comma}{name}"
        for name in _list_columns(context)
        if name.startswith(last) and name not in previous
    ]


def read_columns(source: str | None) -> list[str]:
    """Return the column names of a file, or an empty list if it cannot be read."""
    with contextlib.suppress(Exception):
        from ceiba.table.files import CsvFile, ReadOptions, is_text, read_batches

        if source is None or source == "-":
            return []
        if is_text(source):
            return list(CsvFile(source, ReadOptions(quiet=True), rows=100).format.names)
        return next(iter(read_batches(source, ReadOptions(quiet=True), 100))).columns
    return []


def list_nodes(path: str | None) -> list[str]:
    """Return the ids of the inner nodes in a model file, or [] if it cannot be read."""
    with contextlib.suppress(Exception):
        tree = open_tree(str(path))[0]
        return [str(node) for node in range(tree.n_nodes) if not tree.is_leaf[node]]
    return []


def _complete_from(names: Sequence[str] | Callable[[typer.Context], Iterable[str]]) -> Complete:
    """Return a completion function for a list of names, or for a function that returns names."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        choices = names(ctx) if callable(names) else names
        return [name for name in choices if name.startswith(incomplete)]

    return complete


#: Completion functions by parameter name. The shell itself completes file names.
COMPLETERS: Final[dict[str, Complete]] = {
    **{name: _complete_from(choices) for name, choices in CHOICES.items()},
    "format_": _complete_from(lambda _: import_module("ceiba.export").FORMATS),
    "rivals": _complete_from(lambda ctx: list_nodes(_find_file(ctx, "model"))),
    **dict.fromkeys(
        ("target", "predictions", "weight", "by", "up", "down"), _complete_from(_list_columns)
    ),
    **dict.fromkeys(("drop", "categorical", "numeric", "fixed", "protected"), _complete_list),
    **dict.fromkeys(
        ("values", "ordered", "cost"),
        _complete_from(lambda ctx: [f"{name}=" for name in _list_columns(ctx)]),
    ),
}
