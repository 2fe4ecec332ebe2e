"""Fonts that cover the names: where the usual font lacks a letter, an installed one is added."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

from ceiba.plot.painting._matplotlib import require_matplotlib
from ceiba.tree import Tree

# Fonts that draw a box with a number for every letter cover nothing.
_LAST = "Last Resort"


Draw = TypeVar("Draw", bound=Callable[..., Any])


def in_covering_fonts(draw: Draw) -> Draw:
    """Make a function that draws a tree (its first argument) use fonts with all its letters."""

    @wraps(draw)
    def drawn(tree: Any, *data: Any, **options: Any) -> Any:
        mpl = require_matplotlib()
        drawn = getattr(tree, "tree_", tree)
        spoken = _spoken(drawn) if isinstance(drawn, Tree) else ""
        with mpl.rc_context({"font.family": covering_fonts(spoken)}):
            return draw(tree, *data, **options)

    return drawn  # type: ignore[return-value]


def _spoken(tree: Tree) -> str:
    """Return the names that may be written."""
    levels = [tree.schema.columns[j].levels[:200] for j in tree.used_features.tolist()]
    names = [tree.schema.names[j] for j in tree.used_features.tolist()]
    labels = [label for classes in tree.target.classes for label in classes.tolist()[:200]]
    return "".join(map(str, [*names, *labels, *(level for some in levels for level in some)]))


def covering_fonts(text: str) -> list[str]:
    """Return font families that cover all letters of a text, the usual one first."""
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
    """Return installed families that together have the letters, as far as there are any."""
    from matplotlib.font_manager import fontManager

    names: list[str] = []
    left = set(lacking)
    upright: list[Any] = [
        font
        for font in fontManager.ttflist
        if font.style == "normal" and not font.name.startswith(_LAST)
    ]
    for font in sorted(upright, key=lambda font: (font.name, str(font.weight))):
        if not left:
            break
        if font.name not in names and (has := left & _letters(font.fname)):
            names.append(font.name)
            left -= has
    return tuple(names)
