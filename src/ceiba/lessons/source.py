"""Parse the sources of a lesson: a program, and a text for each language.

``content/<number>/program.md`` contains the cells, fenced blocks named in their first line::

    ```python gains              a cell that is printed in the lesson
    ```python gains hidden       runs after it, not printed: values for the text
    ```python cut figure         its last expression is the data of an interactive picture

``content/<number>/<language>.md`` is Markdown with directives on lines of their own: ``@cell
gains``, ``@figure cut caption``, ``@exercise`` ... ``@solution`` ... ``@end``. Double braces
contain the name of a program variable with a format: ``{{patrons:.3f}}``. The texts contain no
literal numbers, so that all languages agree with the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

from ceiba.errors import OptionError
from ceiba.words import LANGUAGES, words

CONTENT: Final = Path(__file__).parent / "content"
NUMBERS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9)
_FENCE: Final = re.compile(r"^```python (\w+)( hidden| figure)?\n(.*?)^```$", re.M | re.S)
_DIRECTIVE: Final = re.compile(r"^@(\w+)(?: (\w+))?(?: (.+))?$")
_DIRECTIVES: Final = ("cell", "figure", "exercise", "solution", "end")

CellKind = Literal["shown", "hidden", "figure"]


@dataclass(frozen=True)
class Cell:
    """A cell in the program of a lesson."""

    name: str
    kind: CellKind
    code: str


@dataclass(frozen=True)
class LessonBlock:
    """A block of a lesson's text: Markdown, or a directive with an optional name and caption."""

    directive: str
    name: str = ""
    text: str = ""


@dataclass(frozen=True)
class Lesson:
    """A lesson with its number, program cells and text in each language."""

    number: int
    cells: tuple[Cell, ...]
    texts: dict[str, tuple[LessonBlock, ...]]

    def title(self, lang: str = "en") -> str:
        """Return the title of the lesson in a language, without its number."""
        first = self.text(lang)[0].text
        return first.partition("\n")[0].removeprefix("# ").strip()

    def text(self, lang: str) -> tuple[LessonBlock, ...]:
        """Return the text blocks of the lesson in a language."""
        return self.texts[words(lang).lang]

    def cell(self, name: str, kind: CellKind = "shown") -> Cell:
        """Return a cell by its name and kind."""
        for cell in self.cells:
            if (cell.name, cell.kind) == (name, kind):
                return cell
        raise OptionError(f"Lesson {self.number} has no cell {name!r} of kind {kind!r}.")


@cache
def lesson(number: int) -> Lesson:
    """Read a lesson by its number.

    Parameters
    ----------
    number : int
        From 1 to 9.

    Returns
    -------
    Lesson

    Examples
    --------
    >>> from ceiba.lessons import lesson
    >>> lesson(4).title("pt")
    'Árvores de regressão'
    """
    if number not in NUMBERS:
        raise OptionError(f"number must be an integer from 1 to {NUMBERS[-1]}, got {number!r}.")
    folder = CONTENT / str(number)
    texts = {lang: parse_text((folder / f"{lang}.md").read_text("utf-8")) for lang in LANGUAGES}
    return Lesson(number, parse_program((folder / "program.md").read_text("utf-8")), texts)


def parse_program(text: str) -> tuple[Cell, ...]:
    """Parse the cells of a program, in order."""
    kinds: dict[str, CellKind] = {"": "shown", " hidden": "hidden", " figure": "figure"}
    return tuple(
        Cell(name, kinds[kind], code.rstrip("\n")) for name, kind, code in _FENCE.findall(text)
    )


def parse_text(text: str) -> tuple[LessonBlock, ...]:
    """Parse the blocks of a text, in order."""
    blocks: list[LessonBlock] = []
    lines: list[str] = []

    def close() -> None:
        prose = "\n".join(lines).strip()
        if prose:
            blocks.append(LessonBlock("text", text=prose))
        lines.clear()

    for line in text.splitlines():
        match = _DIRECTIVE.match(line)
        if match is None:
            lines.append(line)
            continue
        directive, name, caption = match.groups("")
        if directive not in _DIRECTIVES:
            raise OptionError(
                f"Unknown directive {directive!r}. Allowed values: {', '.join(_DIRECTIVES)}."
            )
        close()
        blocks.append(LessonBlock(directive, name, caption))
    close()
    return tuple(blocks)
