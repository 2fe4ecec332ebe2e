"""Format text and numbers for display: escape control characters, pluralize and round.

Names and levels may contain any character. A terminal executes escape sequences, such as those that
clear the screen, XML forbids control characters, and a NUL ends a DOT file.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final

#: Number of significant digits in printed tables.
DIGITS: Final[ContextVar[int]] = ContextVar("digits", default=6)

_WHOLE: Final = 1e8  # larger numbers are written with an exponent
_BREAKS: Final = re.compile("[\t\n]")
# C0 except tab and line feed, DEL, C1, surrogates, and other characters forbidden in XML.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def escape_control(text: str, *, one_line: bool = False) -> str:
    r"""Return text with its control characters escaped."""
    if text.isprintable():  # this is the common case
        return text
    text = _CONTROL.sub(_escape, text)
    return _BREAKS.sub(_escape, text) if one_line else text


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def pluralize(n: int, noun: str, many: str = "") -> str:
    """Return a count with its noun: 1 leaf, 2 leaves."""
    return f"{n} {noun if n == 1 else many or f'{noun}s'}"


def format_number(value: float, digits: int) -> str:
    """Return a number with `digits` significant digits, without an exponent below 1e8."""
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < _WHOLE else text


@contextlib.contextmanager
def digits_context(digits: int) -> Iterator[None]:
    """Print tables with `digits` significant digits inside the block; the default is 6."""
    before = DIGITS.set(digits)
    try:
        yield
    finally:
        DIGITS.reset(before)
