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
from ceiba.task import Task

_PRUNING: Final = ("prune", "ccp_alpha")
_NAME: Final = re.compile(r'`(\w+)(?:="(\w+)")?`')  # a parameter, perhaps with a value
_OBJECT: Final = re.compile(r",? or `\w+\([^`]*\)`")  # what only Python can be given
_PANELS: Final = ("How the tree grows", "How large the tree is")


def flags_of() -> Mapping[str, Any]:
    """Return the rows that have a flag, by name: those of both tasks together."""
    from ceiba.estimators.parameters import PARAMETERS

    rows = {**PARAMETERS[Task.REGRESSION], **PARAMETERS[Task.CLASSIFICATION]}
    return {name: row for name, row in rows.items() if row.flag is not None}


def with_option_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command, which takes ``options``, a flag for each row."""
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
                    help=_help(name, row),
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


def _help(name: str, row: Any) -> str:
    """Return the first sentence, the names that are allowed, and the default."""
    from ceiba.estimators.parameters import PARAMETERS

    first = row.help.partition(". ")[0].rstrip(".") + "."
    first = _OBJECT.sub("", first)
    first = _NAME.sub(lambda name: _flag(name[1]) + (f" {name[2]}" if name[2] else ""), first)
    rows = {task: rows[name] for task, rows in PARAMETERS.items() if name in rows}
    lists = {task: _names(one) for task, one in rows.items()}
    names = _names(row)
    if len(set(lists.values())) > 1:  # a task has names of its own
        names = "; ".join(f"{listed} ({task})" for task, listed in lists.items())
    listed = f" One of {names}." if names else ""
    defaults = dict.fromkeys(str(one.default) for one in rows.values())
    default = "" if row.default is None else rf" \[default: {', '.join(defaults)}]"
    return f"{first}{listed}{default}"


def _names(row: Any) -> str:
    return ", ".join(name for check in row.allowed for name in check.names)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _metavar(row: Any) -> str:
    return {int: "INTEGER", float: "NUMBER"}.get(row.flag, "NAME")


def read_flag(name: str, text: Any) -> Any:
    """Read a flag's text: a whole number, a number, or a name."""
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
