"""Measure text in plots, choose fonts for its characters, and omit ticks that would overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ceiba.layout import Measure
from ceiba.plot.painting._matplotlib import require_matplotlib
from ceiba.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axis import Axis

_GENERIC = ("serif", "sans-serif", "cursive", "fantasy", "monospace")
_DPI = 288  # text widths are rounded to pixels, so use four pixels per point
_LAST = "Last Resort"  # name of a font whose glyphs are placeholders only
Draw = TypeVar("Draw", bound=Callable[..., Any])


@lru_cache(maxsize=1)
def _renderer() -> Any:
    require_matplotlib()
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(1, 1, _DPI)  # type: ignore[no-untyped-call]


def text_measure(font_size: float) -> Measure:
    """Return a function that measures the width of a string in points at this font size."""
    mpl = require_matplotlib()
    families = tuple(mpl.rcParams["font.family"])
    generic = tuple(tuple(mpl.rcParams[f"font.{name}"]) for name in families if name in _GENERIC)
    return _measure_in(font_size, families, generic)


@lru_cache(maxsize=16)
def _measure_in(font_size: float, families: object, generic: object) -> Measure:
    """Return a function that measures text widths, cached because layouts try many font sizes."""
    from matplotlib.font_manager import FontProperties

    fonts = {
        bold: FontProperties(size=font_size, weight="bold" if bold else "normal")
        for bold in (False, True)
    }

    @lru_cache(maxsize=20_000)
    def measure(text: str, bold: bool) -> float:
        width, _, _ = _renderer().get_text_width_height_descent(text, fonts[bold], False)
        return float(width) * 72 / _DPI

    return measure


def with_covering_fonts(draw: Draw) -> Draw:
    """Decorate a plot function so that its fonts contain the characters of names in the tree."""

    @wraps(draw)
    def wrapper(tree: Any, *data: Any, **options: Any) -> Any:
        mpl = require_matplotlib()
        source = getattr(tree, "tree_", tree)
        names: list[Any] = []
        if isinstance(source, Tree):
            used = source.used_features.tolist()
            names = [source.schema.names[j] for j in used]
            names += [level for j in used for level in source.schema.columns[j].levels[:200]]
            names += [c for classes in source.target.classes for c in classes.tolist()[:200]]
        text = "".join(map(str, names))
        with mpl.rc_context({"font.family": covering_fonts(text)}):
            return draw(tree, *data, **options)

    return wrapper  # type: ignore[return-value]


def covering_fonts(text: str) -> list[str]:
    """Return font families for the characters of a string, starting with the default ones."""
    import matplotlib as mpl
    from matplotlib.font_manager import findfont

    usual = list(mpl.rcParams["font.family"])
    lacking = frozenset(
        letter for letter in set(text) if letter.isprintable() and ord(letter) > 127
    ) - _covered_letters(findfont(mpl.font_manager.FontProperties()))
    return [*usual, *_fallback_fonts(lacking)] if lacking else usual


@lru_cache(maxsize=64)
def _covered_letters(path: str) -> frozenset[str]:
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(path).get_charmap()))
    except (OSError, RuntimeError):
        return frozenset()


@lru_cache(maxsize=64)
def _fallback_fonts(lacking: frozenset[str]) -> tuple[str, ...]:
    """Return installed font families that together cover as many characters as possible."""
    from matplotlib.font_manager import findfont, fontManager

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
        if font.name in names or not left & _covered_letters(font.fname):
            continue
        # Check the regular face, because it may lack letters of the bold face.
        if has := left & _covered_letters(findfont(font.name)):
            names.append(font.name)
            left -= has
    return tuple(names)


def round_numbers(limit: float) -> list[float]:
    """Return the round numbers 1, 2, 5, 10, 20, 50, ... up to `limit`."""
    powers = range(len(str(int(limit))))
    return [step * 10**k for k in powers for step in (1, 2, 5) if step * 10**k <= limit]


def set_spaced_ticks(axis: Axis, places: Sequence[float], labels: Sequence[str]) -> None:
    """Set ticks of a horizontal axis, in order of priority, and omit those that would overlap."""
    require_matplotlib()
    from matplotlib.ticker import FuncFormatter

    label_at = dict(zip(places, labels, strict=True))
    axis.set_major_locator(_locator(list(label_at.items())))
    axis.set_major_formatter(FuncFormatter(lambda at, _: label_at.get(at, "")))


def _locator(candidates: list[tuple[float, str]]) -> Any:
    from matplotlib.ticker import Locator

    class ApartLocator(Locator):
        def __call__(self) -> Any:
            axis: Any = self.axis
            figure = axis.axes.get_figure(root=True)
            size = axis.majorTicks[0].label1.get_size() if axis.majorTicks else 10.0
            measure = text_measure(float(size))
            pixels = figure.dpi / 72
            spans: list[tuple[float, float]] = []
            chosen = []
            for position, label in candidates:
                at = axis.axes.transData.transform((position, 0.0))[0] / pixels
                half = measure(label, False) / 2 + 0.35 * size
                if all(at + half <= low or at - half >= high for low, high in spans):
                    spans.append((at - half, at + half))
                    chosen.append(position)
            return np.sort(np.asarray(chosen, np.float64))

        def tick_values(self, vmin: float, vmax: float) -> Any:
            return self()

    return ApartLocator()
