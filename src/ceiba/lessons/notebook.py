"""Write a lesson as a Jupyter notebook, without outputs.

Solutions are code cells whose source is hidden.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ceiba.lessons.run import LessonRun
from ceiba.lessons.source import LessonBlock
from ceiba.words import words


def notebook(lesson_run: LessonRun, lang: str = "en") -> dict[str, Any]:
    """Return a lesson as a notebook (format 4.5).

    The notebook reads external tables from the folder that was passed to `run`.

    Parameters
    ----------
    lesson_run : LessonRun
        The result of `run`, whose values the text contains.
    lang : {"en", "es", "pt"}, default="en"

    Returns
    -------
    dict
        Ready for ``json.dump``.

    Examples
    --------
    >>> from ceiba.lessons import lesson, notebook, run
    >>> nb = notebook(run(lesson(1)), "pt")
    >>> nb["cells"][1]["cell_type"], nb["metadata"]["language_info"]["name"]
    ('code', 'python')
    """
    writer = _NotebookWriter(lesson_run, lang)
    for block in lesson_run.lesson.text(lang):
        writer.add(block)
    if lesson_run.data is not None:
        folder = str(Path(lesson_run.data).resolve())
        writer.cells.insert(
            0, _code(f"from ceiba.lessons.tables import read_from\n\nread_from({folder!r})")
        )
    for number, cell in enumerate(writer.cells):
        cell["id"] = f"cell-{number}"
    return {
        "cells": writer.cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


class _NotebookWriter:
    def __init__(self, lesson_run: LessonRun, lang: str) -> None:
        self.lesson_run = lesson_run
        self.words = words(lang).section("lessons")
        self.lang = lang
        self.after = ""
        self.exercise = 0
        self.folded = False
        self.cells: list[dict[str, Any]] = []

    def add(self, block: LessonBlock) -> None:
        if block.directive == "cell":
            self._add_cell(block.name)
        elif block.directive == "exercise":
            self.exercise += 1
            self.cells.append(_markdown(f"### {self.words['exercise']} {self.exercise}"))
        elif block.directive == "solution":
            self.cells += [_code(""), _markdown(f"*{self.words['solution']}:*")]
            self.folded = True
        elif block.directive == "end":
            self.folded = False
        elif block.directive == "text":
            self.cells.append(_markdown(self.lesson_run.fill(block.text, self.after, self.lang)))

    def _add_cell(self, name: str) -> None:
        cell = _code(self.lesson_run.lesson.cell(name).code)
        if self.folded:
            cell["metadata"] = {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}
        self.cells.append(cell)
        self.after = name


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text,
    }
