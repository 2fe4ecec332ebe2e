"""Choose the colors of plots in light and dark styles, and draw legends.

Numbers have one hue, stronger for larger values. A node's fill is its class color mixed with the
background, so purity is shown as strength, and text in the style's color is legible on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.layout import NUMBER, ValueScale, class_palette
from ceiba.plot.painting._matplotlib import Axes, require_matplotlib
from ceiba.tree import Tree
from ceiba.tree.splits import level_text, number_text
from ceiba.words import words

Colour = tuple[float, float, float]
_MAX_CLASSES: Final = 12  # in the legend


@dataclass(frozen=True)
class Ink:
    """The background (paper) and text colors of a style, and mixtures of both."""

    paper: Colour
    text: Colour
    grey: Colour
    line: Colour
    faint: Colour


def ink_of(ax: Axes) -> Ink:
    """Return the colors of the axes' style."""
    import matplotlib as mpl
    from matplotlib.colors import to_rgb, to_rgba

    paper = ax.get_facecolor()
    figure = ax.get_figure(root=True)
    if to_rgba(paper)[3] == 0 and figure is not None:
        paper = figure.get_facecolor()
    sheet, text = to_rgb(paper), to_rgb(mpl.rcParams["text.color"])
    grey, line, faint = (mix(text, sheet, share) for share in (0.62, 0.45, 0.15))
    return Ink(sheet, text, grey, line, faint)


def class_colours(n: int, colours: Sequence[str] | None = None) -> list[Colour]:
    """Return the first n of the given colors, or one color per class from the palette."""
    require_matplotlib()
    from matplotlib.colors import to_rgb

    if colours is not None:
        if len(colours) < n:
            raise OptionError(
                f"colors must have at least {n} entries, one per class, got {len(colours)}."
            )
        return [to_rgb(colour) for colour in colours[:n]]
    return [to_rgb(colour) for colour in class_palette(n)]


def tree_palette(tree: Tree, colours: Sequence[str] | None = None) -> list[Colour]:
    """Return one color per class, or [] for trees without classes or with several outputs."""
    if not tree.task.has_classes or tree.n_outputs > 1:
        return []
    return class_colours(len(tree.target.classes[0]), colours)


def mix(colour: Colour, paper: Colour, share: float) -> Colour:
    """Mix a color, weighted by `share`, with the color of the background."""
    r, g, b = (share * c + (1 - share) * p for c, p in zip(colour, paper, strict=True))
    return r, g, b


def number_colour(share: float, paper: Colour) -> Colour:
    """Return the color for a rank from 0 (near the background) to 1 (highest contrast)."""
    blue = rgb(NUMBER)
    if share <= 0.6:
        return mix(blue, paper, 0.08 + 0.92 * share / 0.6)
    # Mix in near-black or near-white, so that the contrast also increases among high ranks.
    far = (0.02, 0.08, 0.2) if luminance(paper) > 0.5 else (0.92, 0.97, 1.0)
    return mix(far, blue, 0.75 * (share - 0.6) / 0.4)


def luminance(colour: Colour) -> float:
    """Return the relative luminance (WCAG 2), 0 for black and 1 for white."""
    r, g, b = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def rgb(colour: str) -> Colour:
    """Convert a color such as "#4477AA" to three floats from 0 to 1."""
    r, g, b = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return r, g, b


def paint_legend(ax: Axes, tree: Tree, palette: list[Colour], lang: str, **colorbar: Any) -> None:
    """Draw a legend of the class colors, or a color bar of the values, next to the axes."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.patches import Patch

    if palette:
        labels = [level_text(label) for label in tree.target.classes[0]]
        pairs = zip(palette[:_MAX_CLASSES], labels[:_MAX_CLASSES], strict=True)
        marks = [Patch(color=colour, label=label) for colour, label in pairs]
        if len(labels) > _MAX_CLASSES:
            marks.append(
                Patch(alpha=0, label=words(lang)("split.more", n=len(labels) - _MAX_CLASSES))
            )
        ax.legend(
            handles=marks,
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            frameon=False,
            fontsize="small",
            title=tree.target.name,
        )
    elif tree.n_outputs == 1:
        tones = [number_colour(k / 16, ink_of(ax).paper) for k in range(17)]
        mapped = ScalarMappable(Normalize(0, 1), LinearSegmentedColormap.from_list("value", tones))
        figure = ax.get_figure()
        assert figure is not None
        bar = figure.colorbar(mapped, ax=ax, **colorbar)
        bar.set_label(tree.target.name or words(lang)["plot.value"], parse_math=False)
        _value_ticks(bar, ValueScale(tree))


def _value_ticks(bar: Any, scale: ValueScale) -> None:
    """Label the color bar with the leaf values, or with five of them if there are many."""
    values = np.unique(scale.values)
    if len(values) > _MAX_CLASSES:
        values = np.array([scale.value_at(k / 4) for k in range(5)])
    ticks: dict[str, float] = {}
    for value, position in zip(values.tolist(), scale.place(values).tolist(), strict=True):
        if not ticks or position - max(ticks.values()) > 0.05:  # labels must not overlap
            ticks[f"{value:,.0f}" if abs(value) >= 1000 else number_text(value, 4)] = position
    bar.set_ticks(list(ticks.values()), labels=list(ticks))
