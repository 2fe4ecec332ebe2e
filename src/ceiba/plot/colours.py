"""Colours that people with any colour vision can tell apart, on light and dark paper.

Classes: Paul Tol's "bright" scheme (SRON technical note, 2021), then its "muted" one. Numbers: one
hue, stronger for larger values. A node's fill is its class colour mixed with the paper, so purity
reads as strength and text in the style's own colour stays legible on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ceiba.errors import OptionError
from ceiba.plot._matplotlib import require_matplotlib

__all__ = ["Colour", "class_colours", "mixed", "value_colour"]

Colour = tuple[float, float, float]

BRIGHT = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
MUTED = ("#332288", "#DDCC77", "#117733", "#88CCEE", "#882255", "#44AA99", "#999933", "#CC6677")
STRONGEST_FILL = 0.45  # share of the class colour in a pure node


def class_colours(n: int, given: Sequence[str] | None = None) -> list[Colour]:
    """Give one colour per class; beyond 14 classes they are spread over a colour map.

    Examples
    --------
    >>> from ceiba.plot.colours import class_colours
    >>> [round(part, 2) for part in class_colours(3)[0]]
    [0.27, 0.47, 0.67]
    """
    mpl = require_matplotlib()
    from matplotlib.colors import to_rgb

    if given is not None:
        if len(given) < n:
            raise OptionError(
                f"colors has {len(given)} entries, but the tree has {n} classes. "
                "Give one colour per class, in the order of the classes."
            )
        return [to_rgb(colour) for colour in given[:n]]
    scheme = BRIGHT if n <= len(BRIGHT) else (*BRIGHT, *MUTED)
    if n <= len(scheme):
        return [to_rgb(colour) for colour in scheme[:n]]
    spread = mpl.colormaps["turbo"]
    return [to_rgb(spread((k + 0.5) / n)) for k in range(n)]


def mixed(colour: Colour, paper: Colour, share: float) -> Colour:
    """Mix `share` of a colour with the colour of the paper.

    Examples
    --------
    >>> from ceiba.plot.colours import mixed
    >>> mixed((1.0, 0.0, 0.0), (1.0, 1.0, 1.0), 0.5)
    (1.0, 0.5, 0.5)
    """
    r, g, b = (share * c + (1 - share) * p for c, p in zip(colour, paper, strict=True))
    return r, g, b


def value_colour(value: float, low: float, high: float, paper: Colour) -> Colour:
    """Give the fill of a number between `low` and `high`.

    Examples
    --------
    >>> from ceiba.plot.colours import value_colour
    >>> value_colour(0.0, 0.0, 1.0, (1.0, 1.0, 1.0))
    (0.9633, 0.9733, 0.9833)
    """
    share = 0.5 if high <= low else (value - low) / (high - low)
    blue = (68 / 255, 119 / 255, 170 / 255)
    r, g, b = mixed(blue, paper, 0.05 + 0.55 * share)
    return round(r, 4), round(g, 4), round(b, 4)
