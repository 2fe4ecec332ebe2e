"""Texts from outside, made fit to be shown: control characters are written, not obeyed.

A name or a level can hold anything, ESC sequences that clear the screen or set a title among it.
In a terminal they would be obeyed, in XML they are not allowed, in DOT a NUL ends the file.
"""

from __future__ import annotations

import re
from typing import Final

_BREAKS: Final = re.compile("[\t\n]")
# C0 but tab and line feed, DEL, C1, halves of surrogate pairs, and what XML excludes besides.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def visible(text: str, *, one_line: bool = False) -> str:
    r"""Give a text with its control characters written as escapes.

    Parameters
    ----------
    text : str
    one_line : bool, default=False
        Write tabs and line feeds as escapes, too.

    Examples
    --------
    >>> print(visible("\x1b[2J cleared"))
    \x1b[2J cleared
    >>> print(visible("two\nlines", one_line=True))
    two\nlines
    """
    if text.isprintable():  # nearly all
        return text
    text = _CONTROL.sub(_written, text)
    return _BREAKS.sub(_written, text) if one_line else text


def _written(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
