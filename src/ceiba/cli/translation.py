"""What is printed, in Spanish and in Brazilian Portuguese.

A phrase is a pattern of the English text with its two translations. Lines of prose and cells of
tables are looked up here before they are laid out; names and levels of the data are left alone.
Messages about mistakes stay in English.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cache
from typing import Final

from ceiba.cli.phrases import CELLS, PHRASES
from ceiba.errors import OptionError, did_you_mean

_AT: Final = {"es": 0, "pt": 1}
_LANG: Final[ContextVar[str]] = ContextVar("language", default="en")


@contextlib.contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Print in a language for a while.

    Examples
    --------
    >>> from ceiba.cli.translation import speaking, translated
    >>> with speaking("es"):
    ...     print(translated("7 leaves from 105 rows, saved in iris.ceiba"))
    7 hojas a partir de 105 filas, guardadas en iris.ceiba
    """
    if lang not in ("en", *_AT):
        raise OptionError(f"--lang {lang!r}: en, es or pt.{did_you_mean(lang, _AT)}")
    before = _LANG.set(lang)
    try:
        yield
    finally:
        _LANG.reset(before)


def is_english() -> bool:
    """Tell whether nothing needs to be translated."""
    return _LANG.get() == "en"


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], tuple[str, str]], ...]:
    return tuple((re.compile(pattern), words) for pattern, *words in PHRASES)  # type: ignore[misc]


def translated(line: str) -> str:
    """Give one line in the language that is spoken."""
    at = _AT.get(_LANG.get())
    if at is None:
        return line
    for pattern, words in _patterns():
        line = pattern.sub(words[at], line)
    return line


def translated_cell(text: str, *, heading: bool = False) -> str:
    """Give a cell of a table; a heading is looked up as a whole."""
    at = _AT.get(_LANG.get())
    if at is None:
        return text
    if text in CELLS:
        return CELLS[text][at]
    return text if heading else translated(text)
