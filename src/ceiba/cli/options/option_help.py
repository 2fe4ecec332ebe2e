"""Every option gets a whole help line: what it does, what is allowed, its default, its group.

The words stand where an option is declared; allowed names and defaults are added here from one
table, which completion uses as well.
"""

from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, Final, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from ceiba.cli.options.completion import completer
from ceiba.words import LANGUAGES, words

LANG_HELP: Final = (
    r"Language of trees, rules, explanations and pages. One of en, es, pt. \[default: en]"
)

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
_LANG: Final = Annotated[
    str | None, typer.Option("--lang", help=LANG_HELP, metavar="NAME", show_default=False)
]
_METAVARS: Final = {
    "target": "COLUMN", "weight": "COLUMN", "by": "COLUMN", "drop": "A,B", "categorical": "A,B",
    "numeric": "A,B", "fixed": "COLUMN", "up": "COLUMN", "down": "COLUMN", "ordered": "A=LOW<HIGH",
    "set_": "NAME=VALUE", "values": "COLUMN=VALUE", "cost": "COLUMN=NUMBER", "prior": "A=N,B=N",
    "class_weight": "A=N,B=N", "positive": "CLASS", "rivals": "NODE", "title": "TEXT",
    "prefix": "TEXT", "table": "NAME", "test": "FILE", "costs": "FILE", "data": "FILE",
}  # fmt: skip
_EXAMPLES: Final = re.compile(r"^Examples\n-+\n", re.MULTILINE)  # numpydoc's heading
_OUTPUT: Final = "What is written"
_PANELS: Final = {
    **dict.fromkeys(
        ("out", "model", "report", "small_report", "hash_data", "plot", "html", "as_json", "quiet",
         "lang", "show", "title", "dpi"), _OUTPUT,
    ),
    **dict.fromkeys(("test", "test_size"), "How it is judged"),
}  # fmt: skip


def finished(name: str, command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option --lang, and its options whole help lines and completion."""
    signature = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    own_lang = "lang" in signature.parameters

    @functools.wraps(command)
    def run(**given: Any) -> None:
        from ceiba.cli.terminal.output import LANG

        asked = given.pop("lang")
        lang = LANG.get() if asked is None else words(asked).lang  # `ceiba --lang es show`
        before = LANG.set(lang)
        try:
            command(**given, **({"lang": lang} if own_lang else {}))
        finally:
            LANG.reset(before)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        one.replace(kind=keyword, annotation=_whole(one, hints[one.name]))
        for one in signature.parameters.values()
        if one.name != "lang"
    ]
    lang = inspect.Parameter("lang", keyword, default=None, annotation=_LANG)
    parameters.append(lang.replace(annotation=_whole(lang, _LANG)))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    del run.__wrapped__
    run.__doc__ = _EXAMPLES.sub("Examples:\n\n", inspect.cleandoc(command.__doc__ or ""))
    return run


def hide_types(command: Any) -> None:
    """Show no type beside arguments and flags of a command and those below it: the texts say it."""
    for one in command.params:
        if one.param_type_name == "argument":
            one.display_type_rich = lambda ctx: None
        elif getattr(one, "is_flag", False):
            one.metavar = " "
    make = command.get_help_option

    def help_option(ctx: Any) -> Any:
        option = make(ctx)
        if option is not None:
            option.metavar = " "
        return option

    command.get_help_option = help_option
    for below in getattr(command, "commands", {}).values():
        hide_types(below)


def _whole(parameter: inspect.Parameter, hint: Any) -> Any:
    """Complete the declaration of one option; an argument gets completion only."""
    declared: tuple[Any, ...] = getattr(hint, "__metadata__", ())
    infos = [one for one in declared if isinstance(one, OptionInfo | ArgumentInfo)]
    if not infos:
        return hint
    kind = hint.__origin__
    info = copy.copy(infos[0])
    name = parameter.name
    info.autocompletion = info.autocompletion or completer(name, CHOICES.get(name))
    if isinstance(info, ArgumentInfo):
        return Annotated[kind, info]
    info.rich_help_panel = info.rich_help_panel or _PANELS.get(name)
    is_flag = kind is bool or kind == (bool | None)
    if is_flag:
        info.metavar = " "
    elif info.metavar is None:
        info.metavar = _METAVARS.get(name) or _metavar(kind, name)
    info.help = _line(info, name, parameter.default, is_flag)
    info.show_default = False
    return Annotated[kind, info]


def _metavar(kind: Any, name: str) -> str:
    text = str(kind)
    if name in CHOICES:
        return "NAME"
    for part, shown in (("Path", "FILE"), ("int", "N"), ("float", "NUMBER")):
        if part in text:
            return shown
    return "TEXT"


def _line(info: OptionInfo, name: str, default: Any, is_flag: bool) -> str:
    text = (info.help or "").strip().replace(r"\[default", "[default")
    text, opened, default_words = text.partition("[default")
    text = text.rstrip()
    choices = CHOICES.get(name, ())
    if choices and not all(one in text for one in choices):
        text = f"{text} One of {', '.join(choices)}."
    if opened:
        return rf"{text} \[default{default_words}"
    if is_flag or default is inspect.Parameter.empty:
        return text
    shown = "none" if default in (None, "") else default
    return rf"{text} \[default: {shown}]"
