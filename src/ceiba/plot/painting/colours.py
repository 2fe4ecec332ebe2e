"""Colours that people with any colour vision can tell apart, on light and dark paper.

The schemes are those of `ceiba.layout`. Numbers: one hue, stronger for larger values. A node's
fill is its class colour mixed with the paper, so purity reads as strength and text in the style's
own colour stays legible on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ceiba.errors import OptionError
from ceiba.layout.colours import NUMBER, class_palette
from ceiba.plot.painting._matplotlib import require_matplotlib
from ceiba.tree import Tree

Colour = tuple[float, float, float]


def class_colours(n: int, given: Sequence[str] | None = None) -> list[Colour]:
    """Return one colour per class; beyond 12 classes hues are spread evenly."""
    require_matplotlib()
    from matplotlib.colors import to_rgb

    if given is not None:
        if len(given) < n:
            raise OptionError(
                f"colors has {len(given)} entries, but the tree has {n} classes. "
                "Give one colour per class, in the order of the classes."
            )
        return [to_rgb(colour) for colour in given[:n]]
    return [to_rgb(colour) for colour in class_palette(n)]


def tree_palette(tree: Tree, given: Sequence[str] | None = None) -> list[Colour]:
    """Return one colour per class; none for regression and for several outputs."""
    if tree.task == "regression" or tree.n_outputs > 1:
        return []
    return class_colours(len(tree.target.classes[0]), given)


def mixed(colour: Colour, paper: Colour, share: float) -> Colour:
    """Mix `share` of a colour with the colour of the paper."""
    r, g, b = (share * c + (1 - share) * p for c, p in zip(colour, paper, strict=True))
    return r, g, b


def number_colour(share: float, paper: Colour) -> Colour:
    """Return the colour of a number in a map, from the paper's (0) to a deep tone (1)."""
    blue = rgb(NUMBER)
    if share <= 0.6:
        return mixed(blue, paper, 0.08 + 0.92 * share / 0.6)
    # Beyond the pure hue: away from the paper, so that order stays visible on dark paper too.
    far = (0.02, 0.08, 0.2) if luminance(paper) > 0.5 else (0.92, 0.97, 1.0)
    return mixed(far, blue, 0.75 * (share - 0.6) / 0.4)


def luminance(colour: Colour) -> float:
    """Return the relative luminance (WCAG 2), 0 for black and 1 for white."""
    r, g, b = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def rgb(colour: str) -> Colour:
    """Read "#rrggbb"."""
    r, g, b = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return r, g, b
