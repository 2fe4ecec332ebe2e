"""The manual page, written in roff from the commands themselves: ``ceiba --man``."""

from __future__ import annotations

import re
from typing import Any, Final

from ceiba.cli.languages.command_phrases import MANUAL
from ceiba.cli.languages.translation import said

_EXAMPLE: Final = re.compile("Ejemplo|Exemplo")
_MARKUP: Final = re.compile(r"\[/?(?:bold|dim|italic)\]")
_EXITS: Final = (
    ("0", "done"),
    ("1", "anything else, such as a full disk"),
    ("2", "wrong usage"),
    ("3", "something wrong with the data"),
    ("4", "something wrong with the model"),
    ("5", "drift above --fail-psi"),
    ("130", "interrupted"),
)


def manual(group: Any, version: str) -> str:
    """Give the manual page of a group of commands.

    Parameters
    ----------
    group : click Group
        As typer makes it.
    version : str
    """
    lines = [
        f'.TH CEIBA 1 "" "ceiba {version}" "{_said("User Commands")}"',
        f".SH {_said('NAME')}",
        f"ceiba \\- {_said('one decision tree that a person can read and trust')}",
        f".SH {_said('SYNOPSIS')}",
        ".B ceiba",
        "[\\-\\-version] [\\-\\-man] [\\-\\-debug] [\\-\\-lang] "
        "\\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...",
        f".SH {_said('DESCRIPTION')}",
        _text(_said("Learns decision trees from tables, prunes, explains, draws and ships them. "
                    "Answers go to the standard output, remarks to the standard error.")),
        f".SH {_said('COMMANDS')}",
    ]  # fmt: skip
    context = group.make_context("ceiba", [], resilient_parsing=True)
    for name in group.list_commands(context):
        lines += _command(name, group.get_command(context, name))
    lines.append(f".SH {_said('EXIT STATUS')}")
    for code, meaning in _EXITS:
        lines += [".TP", f".B {code}", _text(_said(meaning))]
    colours = _text(_said("No colours on the terminal."))
    lines += [f".SH {_said('ENVIRONMENT')}", ".TP", ".B NO_COLOR", colours, ""]
    return "\n".join(lines)


def _said(text: str) -> str:
    return said(text, MANUAL)


def _command(name: str, command: Any) -> list[str]:
    lines = [f".SS ceiba {_text(name)}"]
    text = command.help or ""
    before, _, examples = _EXAMPLE.sub("Example", text, count=1).partition("Example")
    lines += [_text(part) if part else ".PP" for part in _paragraphs(before)]
    if examples:
        shown = [one.strip() for one in re.sub(r"^s?:?[\s-]*", "", examples).splitlines()]
        lines += [".PP", ".nf", *(f"    {_text(one)}" for one in shown if one), ".fi"]
    for parameter in command.params:
        record = getattr(parameter, "help", None) or ""
        names = ", ".join([*parameter.opts, *parameter.secondary_opts])
        metavar = parameter.metavar or ""
        if parameter.param_type_name == "argument":
            names, metavar = metavar or parameter.name.upper(), ""
        head = f"\\fB{_text(names)}\\fR" + (f" \\fI{_text(metavar)}\\fR" if metavar.strip() else "")
        lines += [".TP", head, _text(record) or "\\&"]
    return lines


def _paragraphs(text: str) -> list[str]:
    parts = [" ".join(part.split()) for part in text.split("\n\n")]
    made: list[str] = []
    for part in filter(None, parts):
        made += ["", part]
    return made


def _text(text: str) -> str:
    """Escape what roff would obey."""
    text = _MARKUP.sub("", text).replace("\\[", "[")
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
