"""How wide a text is, measured with the fonts that will paint it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ceiba.layout.drawing import Measure
from ceiba.plot.painting._matplotlib import require_matplotlib

_GENERIC = ("serif", "sans-serif", "cursive", "fantasy", "monospace")
_DPI = 288  # four pixels per point: hinting rounds to whole pixels


@lru_cache(maxsize=1)
def _renderer() -> Any:
    require_matplotlib()
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(1, 1, _DPI)  # type: ignore[no-untyped-call]


def text_measure(font_size: float) -> Measure:
    """Return a function that tells the width of a text in points at this font size."""
    mpl = require_matplotlib()
    families = tuple(mpl.rcParams["font.family"])
    generic = tuple(tuple(mpl.rcParams[f"font.{name}"]) for name in families if name in _GENERIC)
    return _measure_in(font_size, families, generic)


@lru_cache(maxsize=16)
def _measure_in(font_size: float, families: object, generic: object) -> Measure:
    """Return the measure of one size and style; kept, because trees are fitted in several tries."""
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
