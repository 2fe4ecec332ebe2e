"""Fonts that cover the names: where the usual font lacks a letter, an installed one is added."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

__all__ = ["covering_fonts"]

# Fonts that draw a box with a number for every letter cover nothing.
_LAST = "Last Resort"


def covering_fonts(text: str) -> list[str]:
    """Give the font families in which all letters of a text can be written, the usual one first.

    Examples
    --------
    >>> from ceiba.plot.fonts import covering_fonts
    >>> covering_fonts("plain") == covering_fonts("letters")
    True
    """
    import matplotlib as mpl
    from matplotlib.font_manager import findfont

    usual = list(mpl.rcParams["font.family"])
    lacking = frozenset(
        letter for letter in set(text) if letter.isprintable() and ord(letter) > 127
    ) - _letters(findfont(mpl.font_manager.FontProperties()))
    return [*usual, *_others(lacking)] if lacking else usual


@lru_cache(maxsize=64)
def _letters(path: str) -> frozenset[str]:
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(path).get_charmap()))
    except (OSError, RuntimeError):
        return frozenset()


@lru_cache(maxsize=64)
def _others(lacking: frozenset[str]) -> tuple[str, ...]:
    """Give installed families that together have the letters, as far as there are any."""
    from matplotlib.font_manager import fontManager

    found: list[str] = []
    left = set(lacking)
    upright: list[Any] = [
        font
        for font in fontManager.ttflist
        if font.style == "normal" and not font.name.startswith(_LAST)
    ]
    for font in sorted(upright, key=lambda font: (font.name, str(font.weight))):
        if not left:
            break
        if font.name not in found and (has := left & _letters(font.fname)):
            found.append(font.name)
            left -= has
    return tuple(found)
