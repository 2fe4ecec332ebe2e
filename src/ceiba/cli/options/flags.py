"""Functions that add flags and help texts to commands, and flag names to error messages.

An estimator parameter with a `flag` becomes a flag of `ceiba learn`, with the first sentence of its
documentation, its default and its allowed values. Other options are declared by their command.
This module adds their allowed names and defaults from a table, which completion also uses.
Messages about parameters ("the 'max_depth' parameter of DecisionTreeClassifier") are rewritten to
name flags (``--max-depth``).
"""

from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from ceiba.cli.options.completion import CHOICES, COMPLETERS
from ceiba.cli.options.shared_options import READING_OPTIONS, ReadingFlags, read_numbers
from ceiba.cli.terminal.output import LANG
from ceiba.errors import OptionError
from ceiba.task import Task
from ceiba.words import words

LANG_HELP: Final = (
    r"Language of trees, rules, explanations and pages. One of en, es, pt. \[default: en]"
)
_LANG: Final = Annotated[
    str | None, typer.Option("--lang", help=LANG_HELP, metavar="NAME", show_default=False)
]
_METAVARS: Final = {
    **dict.fromkeys(
        ("target", "weight", "frequency", "time", "event", "by", "predictions", "up", "down"),
        "COLUMN",
    ),
    **dict.fromkeys(("drop", "categorical", "numeric", "fixed", "protected"), "A,B"),
    **dict.fromkeys(("against", "train", "test", "costs", "data", "drift"), "FILE"),
    "ordered": "A=LOW<HIGH", "set_": "NAME=VALUE", "values": "COLUMN=VALUE",
    "cost": "COLUMN=NUMBER", "allow": "COLUMN=LEVEL", "prior": "A=N,B=N", "class_weight": "A=N,B=N",
    "positive": "CLASS", "rivals": "NODE", "table": "NAME",
    **dict.fromkeys(CHOICES, "NAME"),
}  # fmt: skip
_METAVARS_BY_TYPE: Final = (("Path", "FILE"), ("int", "N"), ("float", "NUMBER"), ("", "TEXT"))
_EXAMPLES: Final = re.compile(r"^Examples\n-+\n", re.MULTILINE)  # a numpydoc heading
_OUTPUT: Final = "Output"
_PANELS: Final = {
    **dict.fromkeys(
        ("out", "model", "report", "small_report", "hash_data", "plot", "html", "as_json", "quiet",
         "lang", "show", "title", "dpi"), _OUTPUT,
    ),
    **dict.fromkeys(("test", "test_size"), "Evaluation"),
}  # fmt: skip
_GROWING: Final = "Growing"
#: Help panels by parameter name, for `ceiba learn` only.
_LEARN_PANELS: Final = {
    **dict.fromkeys(
        ("drop", "categorical", "numeric", "ordered", "weight", "frequency"), "Columns"
    ),
    **dict.fromkeys(("recipe", "class_weight", "prior", "costs", "set_", "time_limit"), _GROWING),
    **dict.fromkeys(("memory", "scratch", "cluster", "checkpoint"), "Tables beyond memory"),
}
_PRUNING: Final = ("prune", "ccp_alpha")
_NAME: Final = re.compile(r'`(\w+)(?:="(\w+)")?`')  # matches `prune="1se"` in a help text
_OBJECT: Final = re.compile(r",? or `\w+\([^`]*\)`")  # matches a Python call in a help text
_GROWING_PANELS: Final = (_GROWING, "Pruning")

_PARAMETER: Final = re.compile(r"The '(\w+)' parameter of \w+")
_BARE: Final = re.compile(r"^(\w+)(?= must | is not | requires )")
#: Matches a parameter in backticks, as in "Pass another directory as `scratch`."
_QUOTED: Final = re.compile(rf"`({'|'.join(READING_OPTIONS)}|by|cluster|memory|scratch|times)`")
#: Matches a parameter of a command other than `learn` at the start of an error message.
_OF_COMMANDS: Final = re.compile(
    r"^(alpha|by|cost|dialect|fixed|horizon|k|lang|leaves|order|positive|repeats|resamples|sort|target)"
    r"(?=: | is | must |=')=?"
)
_AMONG: Final = re.compile(r"a str among \{([^}]*)\}")
_OBJECT_CLASSES: Final = re.compile(
    r"(,? or|,) an? (?:[A-Z]\w+(?:,? (?:or )?[A-Z]\w+)* |[a-z]+ )?object(?: from ceiba\.\w+)?"
)
_NOT_TYPED: Final = re.compile(r"(,? or|,) (?:None|(?:a|an) (?:callable|RandomState[\w ]*))")
_RANGES: Final = (
    (re.compile(r"an int in the range \[(\d+), inf\)"), r"a whole number of at least \1"),
    (re.compile(r"a float in the range \(0\.0, 1\.0[)\]]"), "a number between 0 and 1"),
    (re.compile(r"a (?:float|number) in the range \[([\d.]+), inf\)"), r"a number of at least \1"),
    (re.compile(r"must be None, "), "must be "),
    (re.compile(r"must be '([^']*)', '([^']*)'\."), r"must be \1 or \2."),
)
_SETTING: Final = re.compile(r"\b([a-z]\w*)=('[^']*'|\"[^\"]*\"|[\w.+-]*\w)")
#: Flags of `learn` by estimator parameter, which take precedence over `flag_rows`.
_RENAMED: Final = {"class_prior": "--prior", "cost_matrix": "--costs",
                     "class_weight": "--class-weight", "sample_weight": "--weight",
                     "random_state": "--random-state"}  # fmt: skip


class StoppedError(Exception):
    """Exception that replaces KeyboardInterrupt and BrokenPipeError, which typer swallows."""


def with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Add flags, help and completion to a command.

    The parameter ``reading`` expands to the reading options, ``options`` to `flag_rows`.
    """
    signature = inspect.signature(command).parameters
    hints = get_type_hints(command, include_extras=True)
    reading = READING_OPTIONS if "reading" in signature else {}
    rows = flag_rows() if "options" in signature else {}

    @functools.wraps(command)
    def run(**values: Any) -> None:
        before = LANG.set(LANG.get())
        try:
            asked = values.pop("lang")
            if asked is not None:  # otherwise, keep the language of `ceiba --lang es show`
                LANG.set(words(asked).lang)
            if reading:
                values["reading"] = ReadingFlags(**{name: values.pop(name) for name in reading})
            if rows:
                flags = {name: values.pop(name) for name in rows}
                values["options"] = flags | {
                    name: _READERS[rows[name].flag](rows[name], text)
                    for name, text in flags.items()
                    if text is not None and rows[name].flag in _READERS
                }
            if "lang" in signature:
                values["lang"] = LANG.get()
            command(**values)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise StoppedError from error
        finally:
            LANG.reset(before)

    declared: list[tuple[str, Any, Any]] = []
    for name, parameter in signature.items():
        if name == "reading":
            skip = ReadingFlags().skip_rows
            declared += [(key, skip if key == "skip_rows" else None, option)
                         for key, option in reading.items()]  # fmt: skip
        elif name == "options":
            declared += [(key, None, _declare_flag(key, row)) for key, row in rows.items()]
        elif name != "lang":
            declared.append((name, parameter.default, hints[name]))
    panels = _PANELS | (_LEARN_PANELS if rows else {})
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=_complete_declaration(name, default, hint, panels),
        )
        for name, default, hint in (*declared, ("lang", None, _LANG))
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del run.__wrapped__
    run.__doc__ = _EXAMPLES.sub("Examples:\n\n", inspect.cleandoc(command.__doc__ or ""))
    return run


def flag_rows() -> Mapping[str, Any]:
    """Return a dict of the estimator parameters that have a command line flag."""
    from ceiba.estimators.parameters import PARAMETERS

    parameters = (PARAMETERS[Task.SURVIVAL], PARAMETERS[Task.REGRESSION])
    rows = {**parameters[0], **parameters[1], **PARAMETERS[Task.CLASSIFICATION]}
    return {name: row for name, row in rows.items() if row.flag is not None}


def _declare_flag(name: str, row: Any) -> Any:
    """Return the typer declaration of the flag for an estimator parameter."""
    from ceiba.estimators.parameters import PARAMETERS

    first = row.help.partition(". ")[0].rstrip(".") + "."
    first = _NAME.sub(
        lambda match: f"--{match[1].replace('_', '-')}" + (f" {match[2]}" if match[2] else ""),
        _OBJECT.sub("", first),
    ).replace("`", "")
    rows = {task: rows[name] for task, rows in PARAMETERS.items() if name in rows}
    lists = {
        task: ", ".join(name for check in option.allowed for name in check.names)
        for task, option in rows.items()
    }
    names = next(iter(lists.values()))
    if len(set(lists.values())) > 1:  # the allowed values depend on the task
        names = "; ".join(f"{choices} ({task})" for task, choices in lists.items())
    choices = f" One of {names}." if names else ""
    defaults = dict.fromkeys(str(option.default) for option in rows.values())
    default = "" if row.default is None else rf" \[default: {', '.join(defaults)}]"
    return Annotated[
        (int if row.flag is int else str) | None,
        typer.Option(
            help=first + choices + default,
            rich_help_panel=_GROWING_PANELS[name in _PRUNING],
            metavar=_METAVARS_BY_FLAG.get(row.flag, "NAME"),
        ),
    ]


def _read_number(row: Any, text: str) -> Any:
    """Parse the text passed to a numeric flag: an integer, a float or an allowed name."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if any(text in check.names for check in row.allowed):
        return text
    allowed = " or ".join(check.allows for check in row.allowed)
    raise OptionError(f"{_flag(row.name)} must be {allowed}, got {text!r}.")


def _read_groups(row: Any, text: str) -> Any:
    """Parse the text passed to a flag: an allowed name, or groups of columns such as ``A,B;C``."""
    if any(text in check.names for check in row.allowed):
        return text
    return [[name.strip() for name in group.split(",")] for group in text.split(";")]


_READERS: Final = {
    float: _read_number,
    tuple: lambda row, text: tuple(read_numbers(_flag(row.name), text)),
    list: _read_groups,
}
_METAVARS_BY_FLAG: Final = {int: "INTEGER", float: "NUMBER", tuple: "0.1,0.9", list: "A,B;C"}


def _complete_declaration(name: str, default: Any, hint: Any, panels: Mapping[str, str]) -> Any:
    """Add the metavar, help panel, allowed values, default and completion to a flag."""
    declared: tuple[Any, ...] = getattr(hint, "__metadata__", ())
    infos = [item for item in declared if isinstance(item, OptionInfo | ArgumentInfo)]
    if not infos:
        return hint
    kind = hint.__origin__
    info = copy.copy(infos[0])
    info.autocompletion = info.autocompletion or COMPLETERS.get(name)
    if isinstance(info, ArgumentInfo):
        return Annotated[kind, info]
    info.rich_help_panel = info.rich_help_panel or panels.get(name)
    is_flag = kind is bool or kind == (bool | None)
    if is_flag:
        info.metavar = " "
    elif info.metavar is None:
        by_type = next(metavar for item, metavar in _METAVARS_BY_TYPE if item in str(kind))
        info.metavar = _METAVARS.get(name, by_type)
    text = (info.help or "").strip().replace(r"\[default", "[default")
    text, bracket, default_words = text.partition("[default")
    text = text.rstrip()
    choices = CHOICES.get(name, ())
    if choices and not all(choice in text for choice in choices):
        text = f"{text} One of {', '.join(choices)}."
    if bracket:
        text = rf"{text} \[default{default_words}"
    elif not is_flag and default is not inspect.Parameter.empty:
        text = rf"{text} \[default: {'none' if default in (None, '') else default}]"
    info.help = text
    info.show_default = False
    return Annotated[kind, info]


def hide_types(command: Any) -> None:
    """Hide the types of arguments and flags in the help of a command and its subcommands."""
    for param in command.params:
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
        elif getattr(param, "is_flag", False):
            param.metavar = " "
    make = command.get_help_option

    def help_option(ctx: Any) -> Any:
        option = make(ctx)
        if option is not None:
            option.metavar = " "
        return option

    command.get_help_option = help_option
    for below in getattr(command, "commands", {}).values():
        hide_types(below)


def use_flag_names(text: str, *, quoted_only: bool = False) -> str:
    """Replace Python parameters, or only those in backticks, by flags in an error message."""
    text = _QUOTED.sub(lambda match: _flag(match[1]), text)
    if quoted_only:
        return text
    text = _PARAMETER.sub(lambda match: _find_flag(match[1]) or f"--set {match[1]}", text)
    text = _OF_COMMANDS.sub(lambda match: f"--{match[1]}" + " " * match[0].endswith("="), text)
    text = _BARE.sub(lambda match: _find_flag(match[1]) or match[1], text)
    text = _AMONG.sub(_join_names, text)
    text = _NOT_TYPED.sub("", _OBJECT_CLASSES.sub("", text))
    for pattern, plain in _RANGES:
        text = pattern.sub(plain, text)
    return _SETTING.sub(_format_setting, text)


def read_usage_error(error: BaseException) -> tuple[int, str] | None:
    """Return the exit code and message of a typer error, or None for other errors."""
    if not hasattr(error, "format_message") or not hasattr(error, "exit_code"):
        return None
    if type(error).__name__ == "NoArgsIsHelpError":
        return int(error.exit_code), ""
    text = str(error.format_message()).rstrip()
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "ceiba")
    stop = "" if text.endswith((".", "?")) else "."
    return int(error.exit_code), f"{text}{stop} See {path} --help."


def _join_names(match: re.Match[str]) -> str:
    names = [name.strip().strip("'") for name in match[1].split(",")]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _format_setting(match: re.Match[str]) -> str:
    flag = _find_flag(match[1])
    return match[0] if flag is None else f"{flag} {match[2].strip(chr(39))}"


def _find_flag(name: str) -> str | None:
    """Return the flag of an estimator parameter, or None if it has none."""
    if name in _RENAMED:
        return _RENAMED[name]
    return _flag(name) if name in flag_rows() else None


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
