"""What is printed, in Spanish and in Brazilian Portuguese.

A phrase is a pattern of the English text with its two translations. Lines of prose and cells of
tables are looked up here before they are laid out; names and levels of the data are left alone.
Messages about mistakes begin with the name of the program and are translated by the sentence.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache, partial
from typing import Final

from ceiba.cli.languages.check_phrases import CHECK_CELLS, CHECK_PHRASES
from ceiba.cli.languages.error_phrases import ERRORS
from ceiba.cli.languages.help_phrases import METAVARS
from ceiba.cli.languages.phrases import CELLS, CORNER, HEADED, PHRASES
from ceiba.cli.languages.prior_phrases import PRIOR_PHRASES
from ceiba.errors import OptionError, did_you_mean

_AT: Final = {"es": 0, "pt": 1}
_ALL_CELLS: Final = {**CELLS, **CHECK_CELLS}
#: Cells of tables that are words, by the heading of their column; others are names or figures.
_WORDS_IN: Final = {"chosen": "yes", "ours": "yes", "within 1 SE": "yes", "instead": "a leaf"}
_CAPITALS: Final = re.compile(r"[A-Z]{3,}")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
_SPOKEN: Final = "spoken_language"
_FORM: Final = re.compile(r"\b[A-Z]+(?:[=<:,]+[A-Z]+)+\b")  # COLUMN=VALUE
#: How a message about a mistake begins.
PROGRAM: Final = "ceiba: "
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
    check_language(lang)
    before = _LANG.set(lang)
    try:
        yield
    except BaseException as error:
        vars(error)[_SPOKEN] = lang  # whoever tells of it does so in this language
        raise
    finally:
        _LANG.reset(before)


def check_language(lang: str) -> None:
    """Refuse a language that is not spoken."""
    if lang not in ("en", *_AT):
        raise OptionError(f"--lang {lang!r}: en, es or pt.{did_you_mean(lang, _AT)}")


def language_of(error: BaseException) -> str:
    """Give the language that was spoken when an error happened."""
    return str(vars(error).get(_SPOKEN, "en"))


def in_capitals(text: str, at: int) -> str:
    """Give the names that stand for values in Spanish (0) or Portuguese (1)."""
    return _CAPITALS.sub(lambda word: METAVARS.get(word[0], (word[0],) * 2)[at], text)


def said(text: str, words: Mapping[str, tuple[str, str]]) -> str:
    """Look a text up in a table of translations; it stays where it is not there, or in English."""
    at = _AT.get(_LANG.get())
    return text if at is None or text not in words else words[text][at]


def is_english() -> bool:
    """Tell whether nothing needs to be translated."""
    return _LANG.get() == "en"


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], tuple[str, str]], ...]:
    phrases = (*PRIOR_PHRASES, *CHECK_PHRASES, *PHRASES)
    return tuple((re.compile(pattern), (es, pt)) for pattern, es, pt in phrases)


@cache
def _sentences() -> tuple[tuple[re.Pattern[str], tuple[str, str]], ...]:
    """Give the sentences of errors as patterns, those with most words first."""

    def replacement(text: str) -> str:
        count = itertools.count(1)
        text = text.replace("\\", r"\\")
        text = re.sub(r"\{(\d)\}", lambda part: rf"\g<{int(part[1]) + 1}>", text)
        return re.sub(r"\{\}", lambda part: rf"\g<{next(count)}>", text)

    def pattern(text: str) -> re.Pattern[str]:
        made = r"(.+?)".join(map(re.escape, text.split("{}")))
        return re.compile(f"{made}$" if text.endswith("{}") else made)

    ordered = sorted(ERRORS, key=lambda row: -len(row[0].replace("{}", "")))
    return tuple((pattern(en), (replacement(es), replacement(pt))) for en, es, pt in ordered)


def translated_error(message: str) -> str:
    """Give a message about a mistake in the language that is spoken.

    Examples
    --------
    >>> from ceiba.cli.languages.translation import speaking, translated_error
    >>> with speaking("pt"):
    ...     print(translated_error("a.csv has no row 9."))
    a.csv não tem a linha 9.
    """
    at = _AT.get(_LANG.get())
    if at is None:
        return message
    for pattern, words in _sentences():
        message = pattern.sub(words[at], message)
    return _FORM.sub(lambda form: in_capitals(form[0], at), message)


def translated(line: str) -> str:
    """Give one line in the language that is spoken."""
    at = _AT.get(_LANG.get())
    if at is None:
        return line
    if line.startswith(PROGRAM):
        return translated_error(line)
    for pattern, words in _patterns():
        line = pattern.sub(partial(_expanded, words[at]), line)
    return line


def _expanded(template: str, match: re.Match[str]) -> str:
    """Fill in a translation; 5,000 loses its comma, which would read as a decimal one."""
    text = match.expand(template)
    for group in match.groups():
        if group and _THOUSANDS.fullmatch(group):
            text = text.replace(group, group.replace(",", ""))
    return text


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
        words = [_WORDS_IN.get(one, "") for one in head]
        head = [word(one) for one in head]
        body = [
            [word(cell) if cell == one else cell for cell, one in zip(row, words, strict=True)]
            for row in body
        ]
        if first == "column":  # the second is the kind
            body = [[row[0], word(row[1]), *row[2:]] for row in body]
        return [head, *body]
    if first in ("rows", "columns used") and len(head) == 3:  # the card of a tree
        return [[word(row[0]), *map(translated, row[1:])] for row in rows]
    return [list(map(translated, row)) for row in rows]
