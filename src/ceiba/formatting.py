"""Text made safe to display: control characters are escaped; also nouns and digits.

A name or a level can hold anything, ESC sequences that clear the screen or set a title among it.
In a terminal they would be obeyed, in XML they are not allowed, in DOT a NUL ends the file.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final

#: Significant digits of figures in printed tables.
DIGITS: Final[ContextVar[int]] = ContextVar("digits", default=6)

_WHOLE: Final = 1e8  # beyond it figures have an exponent
_BREAKS: Final = re.compile("[\t\n]")
# C0 but tab and line feed, DEL, C1, halves of surrogate pairs, and what XML excludes besides.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def escape_control(text: str, *, one_line: bool = False) -> str:
    r"""Return a text with its control characters written as escapes."""
    if text.isprintable():  # nearly all
        return text
    text = _CONTROL.sub(_escape, text)
    return _BREAKS.sub(_escape, text) if one_line else text


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def pluralize(n: int, noun: str, many: str = "") -> str:
    """Return a number with its noun: 1 leaf, 2 leaves."""
    return f"{n} {noun if n == 1 else many or f'{noun}s'}"


def format_number(value: float, digits: int) -> str:
    """Return a number with `digits` significant digits; no exponent for integers below 1e8."""
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < _WHOLE else text


@contextlib.contextmanager
def digits_context(digits: int) -> Iterator[None]:
    """Print tables with so many significant digits for a while; 6 otherwise."""
    before = DIGITS.set(digits)
    try:
        yield
    finally:
        DIGITS.reset(before)
