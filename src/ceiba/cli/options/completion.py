"""Completion by the shell: recipes, formats, columns of the file, levels of lists, node numbers.

Completing must be quick and never fail: a file that cannot be read completes nothing.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import typer

_COLUMNS: Final = (
    "target",
    "weight",
    "by",
    "drop",
    "categorical",
    "numeric",
    "fixed",
    "up",
    "down",
)
_LISTS: Final = ("drop", "categorical", "numeric")
_PAIRS: Final = ("values", "ordered", "cost")

Complete = Callable[[typer.Context, str], list[str]]


def completer(name: str, choices: Sequence[str] | None) -> Complete | None:
    """Return what completes a parameter; None leaves it to the shell (files)."""
    if choices is not None:
        return lambda ctx, incomplete: [one for one in choices if one.startswith(incomplete)]
    if name == "format_":
        return lambda ctx, incomplete: [one for one in _formats() if one.startswith(incomplete)]
    if name in _COLUMNS:
        return lambda ctx, incomplete: _columns(ctx, incomplete, name in _LISTS)
    if name in _PAIRS:
        return lambda ctx, incomplete: [
            f"{one}=" for one in _known_columns(ctx) if one.startswith(incomplete)
        ]
    if name == "rivals":
        return lambda ctx, incomplete: [
            one for one in nodes_of(_given(ctx, "model")) if one.startswith(incomplete)
        ]
    return None


def _given(context: typer.Context, name: str) -> str | None:
    """Give the file that an argument names.

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


def _formats() -> list[str]:
    from ceiba.export.registry import FORMATS

    return list(FORMATS)


def _known_columns(context: typer.Context) -> list[str]:
    data = _given(context, "data")
    return columns_of(data) if data is not None else _columns_of_model(_given(context, "model"))


def _columns(context: typer.Context, incomplete: str, several: bool) -> list[str]:
    before, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
    taken = set(before.split(","))
    return [
        f"{before}{comma}{name}"
        for name in _known_columns(context)
        if name.startswith(last) and name not in taken
    ]


def columns_of(source: str | None) -> list[str]:
    """Give the names of the columns of a file; none if it cannot be read."""
    with contextlib.suppress(Exception):
        from ceiba.table.files.csv_file import CsvFile
        from ceiba.table.files.reading import Reading, batches, is_text

        if source is None or source == "-":
            return []
        if is_text(source):
            return list(CsvFile(source, Reading(quiet=True), rows=100).format.names)
        return next(iter(batches(source, Reading(quiet=True), 100))).columns
    return []


def _tree(path: str | None) -> Any:
    from ceiba.cli.models import open_tree

    assert path is not None
    return open_tree(path)[0]


def _columns_of_model(path: str | None) -> list[str]:
    with contextlib.suppress(Exception):
        return list(_tree(path).schema.names)
    return []


def nodes_of(path: str | None) -> list[str]:
    """Give the numbers of the nodes that ask something."""
    with contextlib.suppress(Exception):
        tree = _tree(path)
        return [str(node) for node in range(tree.n_nodes) if not tree.is_leaf[node]]
    return []
