"""Run the program of a lesson cell by cell, and insert the values into the text."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import tomllib
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ceiba.lessons.source import CONTENT, Cell, Lesson
from ceiba.lessons.tables import data_folder
from ceiba.words import words

_VALUE: Final = re.compile(r"\{\{(\w+)(?::([^}]*))?\}\}")
_COMMA: Final = re.compile(r"(?<=\d)\.(?=\d)")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3})")


@dataclass(frozen=True)
class Output:
    """The output of a cell, as in a notebook: printed text and the value of the last expression."""

    printed: str
    value: Any = None

    @property
    def text(self) -> str:
        """The printed text, followed by the `repr` of the value."""
        value_text = "" if self.value is None else repr(self.value)
        return "\n".join(text for text in (self.printed.rstrip("\n"), value_text) if text)


@dataclass
class LessonRun:
    """The results of running a lesson: outputs, pictures and variables by cell."""

    lesson: Lesson
    data: str | Path | None = None
    outputs: dict[str, Output] = field(default_factory=dict)
    pictures: dict[str, dict[str, Any]] = field(default_factory=dict)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)

    def fill(self, text: str, after: str, lang: str) -> str:
        """Replace variable names in double braces by their formatted values (see `value`)."""

        def format_match(match: re.Match[str]) -> str:
            name, style = match.groups()
            value = self.value(name, after)
            if isinstance(value, str):
                return str(words(lang).section("lessons").get(value, value))
            return localize_number(format(value, style or ""), lang)

        return _VALUE.sub(format_match, text)

    def value(self, name: str, after: str = "") -> Any:
        """Return a variable's value after cell `after`, or after the next cell that sets it."""
        cells = list(self.values)
        for cell in cells[cells.index(after) if after else 0 :]:
            if name in self.values[cell]:
                return self.values[cell][name]
        raise KeyError(
            f"Lesson {self.lesson.number} has no variable {name!r} in cell {after!r} or later."
        )


def localize_number(number: str, lang: str) -> str:
    """Localize a formatted number: 1,234.5 is 1 234,5 in Spanish and 1.234,5 in Portuguese."""
    if lang == "en":
        return number
    group = "." if lang == "pt" else "\N{NO-BREAK SPACE}"
    return _COMMA.sub(",", _THOUSANDS.sub("\0", number)).replace("\0", group)


def run(lesson: Lesson, data: str | Path | None = None) -> LessonRun:
    """Run the program of a lesson.

    Parameters
    ----------
    lesson : Lesson
    data : path, optional
        Folder with the external tables (`TABLES`). Synthetic stand-in tables replace missing files.

    Returns
    -------
    LessonRun

    Examples
    --------
    >>> from ceiba.lessons import lesson, run
    >>> print(run(lesson(4)).outputs["leaves"].text)
    8
    """
    lesson_run = LessonRun(lesson, data)
    space: dict[str, Any] = {"__name__": f"lesson_{lesson.number}"}
    with data_folder(data), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hide warnings that the lesson does not discuss
        for cell in lesson.cells:
            output = _execute(cell, space, lesson.number)
            if cell.kind == "shown":
                lesson_run.outputs[cell.name] = output
            elif cell.kind == "figure":
                lesson_run.pictures[cell.name] = output.value
            lesson_run.values[cell.name] = dict(space)
    return lesson_run


def _execute(cell: Cell, space: dict[str, Any], number: int) -> Output:
    body = ast.parse(cell.code)
    last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
    filename = f"<lesson {number}, {cell.name}>"
    with contextlib.redirect_stdout(io.StringIO()) as text:
        exec(compile(body, filename, "exec"), space)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), filename, "eval"), space)
    return Output(text.getvalue(), value)


@dataclass(frozen=True)
class WorkedFigure:
    """A number in the teaching documents, with the lesson and cell that compute it."""

    id: str
    lesson: int
    cell: str
    expression: str

    def value(self, lesson_run: LessonRun, **names: Any) -> Any:
        """Evaluate the expression with `names` and the variables that are defined after `cell`."""
        return eval(self.expression, {**lesson_run.values[self.cell], **names})


def worked_figures() -> list[WorkedFigure]:
    """Read the numbers of the teaching documents from `worked.toml`."""
    groups = tomllib.loads((CONTENT / "worked.toml").read_text("utf-8"))
    return [
        WorkedFigure(f"{group}/{name}", *entry)
        for group, entries in groups.items()
        for name, entry in entries.items()
    ]
