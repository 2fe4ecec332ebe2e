"""Format text and numbers for display: escape control characters, pluralize and round.

Names and levels may contain any character. A terminal executes escape sequences (one clears the
screen), XML forbids control characters, and a NUL ends a DOT file.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final

#: Number of significant digits in printed tables.
DIGITS: Final[ContextVar[int]] = ContextVar("digits", default=6)

_WHOLE: Final = 1e8  # numbers below this are printed without a positive exponent
_BREAKS: Final = re.compile("[\t\n]")
# Control characters (except tab and line feed), surrogates and characters forbidden in XML.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def escape_control(text: str, *, one_line: bool = False) -> str:
    r"""Escape the control characters in a string; with `one_line`, also tabs and line feeds."""
    if text.isprintable():  # the common case
        return text
    text = _CONTROL.sub(_escape, text)
    return _BREAKS.sub(_escape, text) if one_line else text


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def pluralize(n: int, noun: str, many: str = "") -> str:
    """Return a count with its singular or plural noun: 1 leaf, 2 leaves."""
    return f"{n} {noun if n == 1 else many or f'{noun}s'}"


def format_number(value: float, digits: int) -> str:
    """Format a number with `digits` significant digits; below 1e8, without positive exponents."""
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < _WHOLE else text


@contextlib.contextmanager
def digits_context(digits: int) -> Iterator[None]:
    """Print numbers in tables with `digits` significant digits inside the `with` block."""
    before = DIGITS.set(digits)
    try:
        yield
    finally:
        DIGITS.reset(before)
