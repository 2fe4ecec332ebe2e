"""Flags of `ceiba learn` made from the rows of the estimators' options.

A row with a `flag` becomes ``--its-name`` with the first sentence of its documentation, its default
and its allowed values. A command lists its own parameters and takes these as keywords.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, get_type_hints

from ceiba.errors import OptionError

_PRUNING: Final = ("prune", "ccp_alpha")
_NAME: Final = re.compile(r'`(\w+)(?:="(\w+)")?`')  # a parameter, perhaps with a value
_OBJECT: Final = re.compile(r",? or `\w+\([^`]*\)`")  # what only Python can be given
_PANELS: Final = ("How the tree grows", "How large the tree is")


def flags_of() -> Mapping[str, Any]:
    """Give the rows that have a flag, by name: those of both tasks together."""
    from ceiba.estimators.parameters import PARAMETERS

    rows = {**PARAMETERS["regression"], **PARAMETERS["classification"]}
    return {name: row for name, row in rows.items() if row.flag is not None}


def with_option_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, which takes ``options``, a flag for each row."""
    import typer

    rows = flags_of()

    @functools.wraps(command)
    def run(**given: Any) -> None:
        flags = {name: given.pop(name) for name in rows}
        options = {name: read_flag(name, value) for name, value in flags.items()}
        command(**given, options=options)

    hints = get_type_hints(command, include_extras=True)
    own = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name])
        for one in inspect.signature(command).parameters.values()
        if one.name != "options"
    ]
    made = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                (int if row.flag is int else str) | None,
                typer.Option(
                    help=_help(row),
                    rich_help_panel=_PANELS[name in _PRUNING],
                    metavar=_metavar(row),
                ),
            ],
        )
        for name, row in rows.items()
    ]
    run.__signature__ = inspect.Signature(own + made)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in own + made}
    return run


def _help(row: Any) -> str:
    """Give the first sentence, the names that are allowed, and the default."""
    first = row.help.partition(". ")[0].rstrip(".") + "."
    first = _OBJECT.sub("", first)
    first = _NAME.sub(lambda name: _flag(name[1]) + (f" {name[2]}" if name[2] else ""), first)
    names = [name for check in row.allowed for name in check.names]
    listed = f" One of {', '.join(names)}." if names else ""
    default = "" if row.default is None else rf" \[default: {row.default}]"
    return f"{first}{listed}{default}"


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _metavar(row: Any) -> str:
    return {int: "INTEGER", float: "NUMBER"}.get(row.flag, "NAME")


def read_flag(name: str, text: Any) -> Any:
    """Read a flag's text: a whole number, a number, or a name.

    Examples
    --------
    >>> from ceiba.cli.options.option_flags import read_flag
    >>> read_flag("min_samples_leaf", "5"), read_flag("min_samples_leaf", "0.1")
    (5, 0.1)
    """
    row = flags_of()[name]
    if text is None or row.flag is not float:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if any(text in check.names for check in row.allowed):
        return text
    allowed = " or ".join(check.allows for check in row.allowed)
    raise OptionError(f"{_flag(name)} must be {allowed}. Got {text!r}.")
