"""Write a lesson as a Jupyter notebook, or as a MyST page of the documentation.

Notebooks have no outputs; their solutions are code cells whose source is hidden.
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any, Final

from ceiba.lessons.run import LessonRun
from ceiba.lessons.source import NUMBERS, LessonBlock, lesson
from ceiba.words import LANGUAGES, words

_REGION: Final = '<div class="scrolling" role="region" aria-label="{label}" tabindex="0">'


def notebook(lesson_run: LessonRun, lang: str = "en") -> dict[str, Any]:
    """Return a lesson as a Jupyter notebook (format 4.5).

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
    cells = _NotebookWriter(lesson_run, lang).parts
    if lesson_run.data is not None:
        folder = str(Path(lesson_run.data).resolve())
        code = f"from ceiba.lessons.tables import read_from\n\nread_from({folder!r})"
        cells.insert(0, _code(code))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def page(lesson_run: LessonRun, lang: str = "en") -> str:
    """Return a lesson as the text of a MyST page."""
    writer = _PageWriter(lesson_run, lang)
    number = lesson_run.lesson.number
    if number < NUMBERS[-1]:
        title = lesson(number + 1).title(lang)
        writer.parts.append(f"{writer.words['next']}: [{number + 1}. {title}]({number + 1}.md)")
    return "\n\n".join(writer.parts) + "\n"


class _Writer:
    """Base class of lesson writers, with one method per directive of the lesson text."""

    def __init__(self, lesson_run: LessonRun, lang: str) -> None:
        self.lesson_run, self.lang = lesson_run, lang
        self.words = words(lang).section("lessons")
        self.after = ""  # name of the last cell; texts show its variables
        self.n_exercises = 0
        self.parts: list[Any] = []
        for block in lesson_run.lesson.text(lang):
            getattr(self, block.directive)(block)

    def fill(self, block: LessonBlock) -> str:
        return self.lesson_run.fill(block.text, self.after, self.lang)

    def exercise_title(self) -> str:
        self.n_exercises += 1
        return f"### {self.words['exercise']} {self.n_exercises}"


class _NotebookWriter(_Writer):
    is_solution = False

    def text(self, block: LessonBlock) -> None:
        self.parts.append(_markdown(self.fill(block)))

    def cell(self, block: LessonBlock) -> None:
        cell = _code(self.lesson_run.lesson.cell(block.name).code)
        if self.is_solution:
            cell["metadata"] = {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}
        self.parts.append(cell)
        self.after = block.name

    def figure(self, block: LessonBlock) -> None:
        """Ignore the block, because only pages have interactive pictures."""

    def exercise(self, block: LessonBlock) -> None:
        self.parts.append(_markdown(self.exercise_title()))

    def solution(self, block: LessonBlock) -> None:
        self.parts += [_code(""), _markdown(f"*{self.words['solution']}:*")]
        self.is_solution = True

    def end(self, block: LessonBlock) -> None:
        self.is_solution = False


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str) -> dict[str, Any]:
    empty: dict[str, Any] = {"execution_count": None, "metadata": {}, "outputs": []}
    return {"cell_type": "code", **empty, "source": text}


class _PageWriter(_Writer):
    def text(self, block: LessonBlock) -> None:
        text = self.fill(block)
        if self.parts:
            self.parts.append(text)
            return
        # The first block starts with the title. Insert links to the other languages below it.
        title, _, body = text.partition("\n")
        number = self.lesson_run.lesson.number
        links = " · ".join(
            words(lang)["lessons.language"]
            if lang == self.lang
            else f"[{words(lang)['lessons.language']}](../{lang}/{number}.md)"
            for lang in LANGUAGES
        )
        command = f"ceiba lesson {number}" + ("" if self.lang == "en" else f" --lang {self.lang}")
        self.parts += [
            f"# {number}. {title.removeprefix('# ')}",
            f"{links} · {self.words['notebook']}: `{command}`",
            body.strip(),
        ]

    def cell(self, block: LessonBlock) -> None:
        name = self.after = block.name
        output = self.lesson_run.outputs[name]
        anchor = f"(lesson-{self.lesson_run.lesson.number}-{self.lang}-{name})="
        self.parts.append(f"{anchor}\n```python\n{self.lesson_run.lesson.cell(name).code}\n```")
        if hasattr(output.value, "to_svg"):
            region = _REGION.format(label=html.escape(name))
            self.parts.append(_raw(f"{region}{output.value.to_svg()}</div>"))
        elif output.text:
            self.parts.append(f"```{{code-block}} text\n:class: output\n\n{output.text}\n```")

    def figure(self, block: LessonBlock) -> None:
        data: dict[str, Any] = {**self.lesson_run.pictures[block.name], "words": self.words}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        caption = html.escape(self.fill(block), quote=False)
        figure = (
            f'<figure class="moving" id="{block.name}" data-kind="{data["kind"]}">'
            f'<script type="application/json">{text}</script>'
            f"<figcaption>{caption}</figcaption></figure>"
        )
        self.parts.append(_raw(figure))

    def exercise(self, block: LessonBlock) -> None:
        self.parts.append(self.exercise_title())

    def solution(self, block: LessonBlock) -> None:
        self.parts.append(f"::::{{dropdown}} {self.words['solution']}")

    def end(self, block: LessonBlock) -> None:
        self.parts.append("::::")


def _raw(text: str) -> str:
    return f"```{{raw}} html\n{text}\n```"
