"""Messages about parameters, in the words of the command line; options checked before reading.

The estimators speak of "the 'max_depth' parameter of DecisionTreeClassifier" and of objects of
Python; a user of the command line has typed ``--max-depth``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ceiba.errors import OptionError
from ceiba.task import Task

_PARAMETER: Final = re.compile(r"The '(\w+)' parameter of \w+")
_BARE: Final = re.compile(r"^(\w+) must be ")
#: Options of other commands, which their messages name at the beginning, or as `name=value`.
_OF_COMMANDS: Final = re.compile(
    r"^(alpha|by|dialect|k|lang|order|positive|repeats|resamples|sort|target)"
    r"(?=: | is | must be |=')=?"
)
_AMONG: Final = re.compile(r"a str among \{([^}]*)\}")
_OBJECT: Final = re.compile(
    r"(,? or|,) an? (?:[A-Z]\w+(?:,? (?:or )?[A-Z]\w+)*|[a-z]+) object(?: of ceiba\.\w+)?"
)
_NOT_TYPED: Final = re.compile(r"(,? or|,) (?:None|(?:a|an) (?:callable|RandomState[\w ]*))")
_RANGES: Final = (
    (re.compile(r"an int in the range \[(\d+), inf\)"), r"a whole number of at least \1"),
    (re.compile(r"a float in the range \(0\.0, 1\.0[)\]]"), "a number between 0 and 1"),
    (re.compile(r"a (?:float|number) in the range \[([\d.]+), inf\)"), r"a number of at least \1"),
    (re.compile(r"must be None, "), "must be "),
    (re.compile(r"must be '([^']*)', '([^']*)'\."), r"must be \1 or \2."),
)
_STATED: Final = re.compile(r"\b([a-z]\w*)=('[^']*'|\"[^\"]*\"|[\w.+-]*\w)")
#: Options of `learn` whose parameter has another name.
_OTHERWISE: Final = {"class_prior": "--prior", "cost_matrix": "--costs",
                     "class_weight": "--class-weight", "sample_weight": "--weight",
                     "random_state": "--random-state"}  # fmt: skip


def in_flag_words(text: str) -> str:
    """Say a message of the estimators with options instead of parameters."""
    text = _PARAMETER.sub(lambda part: _flag(part[1]) or f"--set {part[1]}", text)
    text = _OF_COMMANDS.sub(lambda part: f"--{part[1]}" + " " * part[0].endswith("="), text)
    text = _BARE.sub(lambda part: f"{_flag(part[1]) or part[1]} must be ", text)
    text = _AMONG.sub(_listed, text)
    text = _NOT_TYPED.sub("", _OBJECT.sub("", text))
    for pattern, words in _RANGES:
        text = pattern.sub(words, text)
    return _STATED.sub(_typed, text)


def wrong_usage(error: BaseException) -> tuple[int, str] | None:
    """Give exit code and message of an error of typer's; None for another."""
    if not hasattr(error, "format_message") or not hasattr(error, "exit_code"):
        return None
    if type(error).__name__ == "NoArgsIsHelpError":
        return int(error.exit_code), ""
    text = str(error.format_message()).rstrip()
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "ceiba")
    stop = "" if text.endswith((".", "?")) else "."
    return int(error.exit_code), f"{text}{stop} See {path} --help."


def _listed(part: re.Match[str]) -> str:
    names = [name.strip().strip("'") for name in part[1].split(",")]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _typed(part: re.Match[str]) -> str:
    flag = _flag(part[1])
    return part[0] if flag is None else f"{flag} {part[2].strip(chr(39))}"


def _flag(name: str) -> str | None:
    """Return the option that stands for a parameter; None if there is none."""
    from ceiba.cli.options.option_flags import flags_of

    if name in _OTHERWISE:
        return _OTHERWISE[name]
    return f"--{name.replace('_', '-')}" if name in flags_of() else None


def check_before_reading(
    task: str | None, recipe: str | None, options: Mapping[str, Any], settings: Mapping[str, Any]
) -> None:
    """Refuse options that no data could make right, before a large file is read."""
    from ceiba.cli.options.estimator_from_flags import read_task
    from ceiba.estimators.parameters import ESTIMATORS

    failures = []
    for one in ESTIMATORS if task is None else (read_task(task),):
        try:
            _try(one, recipe, {**options, **settings})
        except OptionError as error:
            failures.append(in_flag_words(str(error)))
        else:
            return
    if len(set(failures)) == 1:  # else the target decides which of them is said
        raise OptionError(failures[0])


def _try(task: Task, recipe: str | None, options: Mapping[str, Any]) -> None:
    from ceiba.cli.options.estimator_from_flags import make_model
    from ceiba.estimators.parameters import grow_options

    model = make_model(task, recipe, options)
    stated = model._check_parameters()
    if hasattr(model, "_task"):
        grow_options(stated, model._task)
