"""What is printed, in Spanish and in Brazilian Portuguese.

A phrase is a pattern of the English text with its two translations. Lines of prose and cells of
tables are looked up here before they are laid out; names and levels of the data are left alone.
Of messages about mistakes the most usual are translated; the others stay in English.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cache
from typing import Final

from ceiba.cli.languages.check_phrases import CHECK_CELLS, CHECK_PHRASES
from ceiba.cli.languages.mistake_phrases import MISTAKE_PHRASES
from ceiba.cli.languages.phrases import CELLS, CORNER, HEADED, PHRASES
from ceiba.cli.languages.prior_phrases import PRIOR_PHRASES
from ceiba.errors import OptionError, did_you_mean

_AT: Final = {"es": 0, "pt": 1}
_ALL_CELLS: Final = {**CELLS, **CHECK_CELLS}
_YES_OR_BLANK: Final = ("chosen", "ours", "within 1 SE")  # headings of columns of yes and nothing
_SPOKEN: Final = "spoken_language"
_LANG: Final[ContextVar[str]] = ContextVar("language", default="en")


@contextlib.contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Print in a language for a while.

    Examples
    --------
    >>> from ceiba.cli.languages.translation import speaking, translated
    >>> with speaking("es"):
    ...     print(translated("7 leaves from 105 rows, saved in iris.ceiba"))
    7 hojas a partir de 105 filas, guardadas en iris.ceiba
    """
    if lang not in ("en", *_AT):
        raise OptionError(f"--lang {lang!r}: en, es or pt.{did_you_mean(lang, _AT)}")
    before = _LANG.set(lang)
    try:
        yield
    except BaseException as error:
        vars(error)[_SPOKEN] = lang  # whoever tells of it does so in this language
        raise
    finally:
        _LANG.reset(before)


def language_of(error: BaseException) -> str:
    """Give the language that was spoken when an error happened."""
    return str(vars(error).get(_SPOKEN, "en"))


def is_english() -> bool:
    """Tell whether nothing needs to be translated."""
    return _LANG.get() == "en"


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], tuple[str, str]], ...]:
    phrases = (*PRIOR_PHRASES, *MISTAKE_PHRASES, *CHECK_PHRASES, *PHRASES)
    return tuple((re.compile(pattern), (es, pt)) for pattern, es, pt in phrases)


def translated(line: str) -> str:
    """Give one line in the language that is spoken."""
    at = _AT.get(_LANG.get())
    if at is None:
        return line
    for pattern, words in _patterns():
        line = pattern.sub(words[at], line)
    return line


def translated_table(rows: list[list[str]]) -> list[list[str]]:
    """Give the cells of a table: headings and kinds are looked up, names and levels left alone."""
    at = _AT.get(_LANG.get())
    if at is None:
        return rows

    def word(text: str) -> str:
        return _ALL_CELLS[text][at] if text in _ALL_CELLS else text

    head, *body = rows
    first = head[0]
    if first == CORNER:  # between the corner and these stand the classes
        shown = [word(one) if one in ("rows", "error", "cost") else one for one in head[-3:]]
        return [[word(first), *head[1:-3], *shown] if len(head) > 3 else head, *body]
    if first in HEADED:
        marks = [one in _YES_OR_BLANK for one in head]
        head = [word(one) for one in head]
        body = [
            [word(cell) if mark else cell for cell, mark in zip(row, marks, strict=True)]
            for row in body
        ]
        if first == "column":  # the second is the kind
            body = [[row[0], word(row[1]), *row[2:]] for row in body]
        return [head, *body]
    if first in ("rows", "columns used") and len(head) == 3:  # the card of a tree
        return [[word(row[0]), *map(translated, row[1:])] for row in rows]
    return [list(map(translated, row)) for row in rows]
