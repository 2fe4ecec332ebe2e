"""``--help`` in the language of ``--lang``, and without the types that typer shows on its own.

The commands are changed once they are made: their texts, headings and the names of values. What
typer says itself stands in constants of its `rich_utils`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from ceiba.cli.languages.command_phrases import COMMANDS
from ceiba.cli.languages.help_phrases import DEFAULTS, OPTIONS, PANELS
from ceiba.cli.languages.translation import in_capitals

_AT: Final = {"es": 0, "pt": 1}
_LINE: Final = re.compile(r"^(.*?)(?: One of ([^.]*)\.)?(?: \\?\[default: (.*)\])?$", re.DOTALL)
_ONE_OF: Final = ("Valores", "Valores")
_DEFAULT: Final = ("por defecto", "padrão")
_NO_TYPE: Final = " "


def language_in(arguments: Sequence[str]) -> str:
    """Give the language that a command line asks for, before it is read; else English.

    Examples
    --------
    >>> from ceiba.cli.languages.spoken_help import language_in
    >>> language_in(["show", "--lang", "es"]), language_in(["show", "--lang=pt"]), language_in([])
    ('es', 'pt', 'en')
    """
    asked = [one.partition("=")[2] for one in arguments if one.startswith("--lang=")]
    asked += [after for one, after in itertools.pairwise(arguments) if one == "--lang"]
    return asked[-1] if asked and asked[-1] in _AT else "en"


def speak_help(command: Any, lang: str) -> None:
    """Give a command and those below it their help in a language."""
    _tidy(command)
    _set_headings(_AT.get(lang))
    if lang in _AT:
        _translate(command, _AT[lang])
    for one in command.params:
        if one.name == "lang":
            one.default = lang
    for below in getattr(command, "commands", {}).values():
        speak_help(below, lang)


def help_line(line: str, at: int) -> str:
    """Give a help line in a language: what it says, the names allowed, the default."""
    parts = _LINE.match(line)
    assert parts is not None  # every part may be absent
    text, names, default = parts.groups()
    words = OPTIONS[text][at] if text in OPTIONS else text
    if names:
        words += f" {_ONE_OF[at]}: {names}."
    if default:
        words += rf" \[{_DEFAULT[at]}: {DEFAULTS[default][at] if default in DEFAULTS else default}]"
    return words


def _tidy(command: Any) -> None:
    """Show no type beside arguments and flags: the texts say what they are."""
    for one in command.params:
        if one.param_type_name == "argument":
            one.display_type_rich = lambda ctx: None
        elif getattr(one, "is_flag", False):
            one.metavar = _NO_TYPE
    make = command.get_help_option

    def help_option(ctx: Any) -> Any:
        option = make(ctx)
        if option is not None:
            option.metavar = _NO_TYPE
        return option

    command.get_help_option = help_option


def _translate(command: Any, at: int) -> None:
    command.help = _paragraphs(command.help, at)
    command.epilog = _paragraphs(command.epilog, at)
    command.options_metavar = in_capitals(command.options_metavar, at)
    if hasattr(command, "subcommand_metavar"):
        command.subcommand_metavar = in_capitals(command.subcommand_metavar, at)
    panel = getattr(command, "rich_help_panel", None)
    if panel in PANELS:
        command.rich_help_panel = PANELS[panel][at]
    for one in command.params:
        if one.param_type_name == "argument":
            one.metavar = in_capitals((one.metavar or one.name).upper(), at)
        elif one.metavar:
            one.metavar = in_capitals(one.metavar, at)
        one.help = help_line(one.help, at) if one.help else one.help
        panel = getattr(one, "rich_help_panel", None)
        if panel in PANELS:
            one.rich_help_panel = PANELS[panel][at]
    usage, make = command.get_usage, command.get_help_option

    def help_option(ctx: Any) -> Any:
        option = make(ctx)
        if option is not None:
            option.help = help_line(option.help, at)
        return option

    command.get_usage = lambda ctx: usage(ctx).replace("Usage: ", PANELS["Usage: "][at], 1)
    command.get_help_option = help_option


def _paragraphs(text: str | None, at: int) -> str | None:
    if not text:
        return text
    made = []
    for paragraph in text.split("\n\n"):
        plain = " ".join(paragraph.split())
        if plain in COMMANDS:
            plain = COMMANDS[plain][at]
        heading = re.match(r"(Examples?):", plain)
        if heading:
            word = ("Ejemplo", "Exemplo")[at] + ("s" if heading[1] == "Examples" else "")
            plain = f"{word}{plain[len(heading[1]) :]}"
        made.append(plain)
    return "\n\n".join(made)


@cache
def _headings() -> dict[str, str]:
    """Give typer's own headings in English, by the name of the constant."""
    from typer import rich_utils

    constants = {name: text for name, text in vars(rich_utils).items() if name.isupper()}
    return {
        name: text for name, text in constants.items() if isinstance(text, str) and text in PANELS
    }


def _set_headings(at: int | None) -> None:
    from typer import rich_utils

    for name, text in _headings().items():
        setattr(rich_utils, name, text if at is None else PANELS[text][at])
