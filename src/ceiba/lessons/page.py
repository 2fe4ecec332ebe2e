"""A lesson as a page of the documentation: MyST Markdown with its outputs, pictures, solutions."""

from __future__ import annotations

import html
import json
from typing import Any, Final

from ceiba.lessons.run import Finished
from ceiba.lessons.source import NUMBERS, Block, lesson
from ceiba.words import LANGUAGES, words

_REGION: Final = '<div class="scrolling" role="region" aria-label="{label}" tabindex="0">'


def page(finished: Finished, lang: str = "en") -> str:
    """Return a lesson that ran as a MyST page."""
    writer = _Writer(finished, lang)
    for block in finished.lesson.text(lang):
        writer.add(block)
    number = finished.lesson.number
    if number < NUMBERS[-1]:
        title = lesson(number + 1).title(lang)
        writer.parts.append(f"{writer.words['next']}: [{number + 1}. {title}]({number + 1}.md)")
    return "\n\n".join(writer.parts) + "\n"


class _Writer:
    def __init__(self, finished: Finished, lang: str) -> None:
        self.finished = finished
        self.lang = lang
        self.words = words(lang).section("lessons")
        self.after = ""
        self.exercise = 0
        self.parts: list[str] = []

    def add(self, block: Block) -> None:
        if block.sign == "text":
            text = self.finished.fill(block.text, self.after, self.lang)
            self.parts += [text] if self.parts else self._head(text)
        elif block.sign == "cell":
            self._add_cell(block.name)
        elif block.sign == "figure":
            self._add_picture(block)
        elif block.sign == "exercise":
            self.exercise += 1
            self.parts.append(f"### {self.words['exercise']} {self.exercise}")
        elif block.sign == "solution":
            self.parts.append(f"::::{{dropdown}} {self.words['solution']}")
        elif block.sign == "end":
            self.parts.append("::::")

    def _head(self, text: str) -> list[str]:
        """Return the title with its number, and below it the other languages and the notebook."""
        title, _, rest = text.partition("\n")
        number = self.finished.lesson.number
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
        output = self.finished.outputs[name]
        self.after = name
        anchor = f"(lesson-{self.finished.lesson.number}-{self.lang}-{name})="
        self.parts.append(f"{anchor}\n```python\n{self.finished.lesson.cell(name).code}\n```")
        if hasattr(output.value, "to_svg"):
            region = _REGION.format(label=html.escape(name))
            self.parts.append(_raw(f"{region}{output.value.to_svg()}</div>"))
        elif output.text:
            self.parts.append(f"```{{code-block}} text\n:class: output\n\n{output.text}\n```")

    def _add_picture(self, block: Block) -> None:
        data: dict[str, Any] = {**self.finished.pictures[block.name], "words": self.words}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        caption = html.escape(self.finished.fill(block.text, self.after, self.lang), quote=False)
        self.parts.append(
            _raw(
                f'<figure class="moving" id="{block.name}" data-kind="{data["kind"]}">'
                f'<script type="application/json">{text}</script>'
                f"<figcaption>{caption}</figcaption></figure>"
            )
        )


def _raw(text: str) -> str:
    return f"```{{raw}} html\n{text}\n```"
