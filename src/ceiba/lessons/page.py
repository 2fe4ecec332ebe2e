"""Write a lesson as a MyST Markdown page of the documentation."""

from __future__ import annotations

import html
import json
from typing import Any, Final

from ceiba.lessons.run import LessonRun
from ceiba.lessons.source import NUMBERS, LessonBlock, lesson
from ceiba.words import LANGUAGES, words

_REGION: Final = '<div class="scrolling" role="region" aria-label="{label}" tabindex="0">'


def page(lesson_run: LessonRun, lang: str = "en") -> str:
    """Return a lesson as a MyST page."""
    writer = _PageWriter(lesson_run, lang)
    for block in lesson_run.lesson.text(lang):
        writer.add(block)
    number = lesson_run.lesson.number
    if number < NUMBERS[-1]:
        title = lesson(number + 1).title(lang)
        writer.parts.append(f"{writer.words['next']}: [{number + 1}. {title}]({number + 1}.md)")
    return "\n\n".join(writer.parts) + "\n"


class _PageWriter:
    def __init__(self, lesson_run: LessonRun, lang: str) -> None:
        self.lesson_run = lesson_run
        self.lang = lang
        self.words = words(lang).section("lessons")
        self.after = ""
        self.exercise = 0
        self.parts: list[str] = []

    def add(self, block: LessonBlock) -> None:
        if block.directive == "text":
            text = self.lesson_run.fill(block.text, self.after, self.lang)
            self.parts += [text] if self.parts else self._head(text)
        elif block.directive == "cell":
            self._add_cell(block.name)
        elif block.directive == "figure":
            self._add_picture(block)
        elif block.directive == "exercise":
            self.exercise += 1
            self.parts.append(f"### {self.words['exercise']} {self.exercise}")
        elif block.directive == "solution":
            self.parts.append(f"::::{{dropdown}} {self.words['solution']}")
        elif block.directive == "end":
            self.parts.append("::::")

    def _head(self, text: str) -> list[str]:
        """Return the numbered title, and links to the other languages and the notebook."""
        title, _, rest = text.partition("\n")
        number = self.lesson_run.lesson.number
        links = " · ".join(
            words(lang)["lessons.language"]
            if lang == self.lang
            else f"[{words(lang)['lessons.language']}](../{lang}/{number}.md)"
            for lang in LANGUAGES
        )
        command = f"ceiba lesson {number}" + ("" if self.lang == "en" else f" --lang {self.lang}")
        return [
            f"# {number}. {title.removeprefix('# ')}",
            f"{links} · {self.words['notebook']}: `{command}`",
            rest.strip(),
        ]

    def _add_cell(self, name: str) -> None:
        output = self.lesson_run.outputs[name]
        self.after = name
        anchor = f"(lesson-{self.lesson_run.lesson.number}-{self.lang}-{name})="
        self.parts.append(f"{anchor}\n```python\n{self.lesson_run.lesson.cell(name).code}\n```")
        if hasattr(output.value, "to_svg"):
            region = _REGION.format(label=html.escape(name))
            self.parts.append(_raw(f"{region}{output.value.to_svg()}</div>"))
        elif output.text:
            self.parts.append(f"```{{code-block}} text\n:class: output\n\n{output.text}\n```")

    def _add_picture(self, block: LessonBlock) -> None:
        data: dict[str, Any] = {**self.lesson_run.pictures[block.name], "words": self.words}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        caption = html.escape(self.lesson_run.fill(block.text, self.after, self.lang), quote=False)
        self.parts.append(
            _raw(
                f'<figure class="moving" id="{block.name}" data-kind="{data["kind"]}">'
                f'<script type="application/json">{text}</script>'
                f"<figcaption>{caption}</figcaption></figure>"
            )
        )


def _raw(text: str) -> str:
    return f"```{{raw}} html\n{text}\n```"
