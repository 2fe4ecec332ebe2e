"""The legend of a picture that is coloured by class, or by value."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ceiba.layout.colours import ValueScale
from ceiba.plot.painting._matplotlib import Axes
from ceiba.plot.painting.axes import ink_of
from ceiba.plot.painting.colours import Colour, number_colour
from ceiba.tree import Tree
from ceiba.tree.splits.sentences import level_text, number_text
from ceiba.words import words

_MOST: Final = 12  # classes named


def paint_legend(ax: Axes, tree: Tree, palette: list[Colour], lang: str, **colorbar: Any) -> None:
    """Name the class colours beside the axes, or show the scale of the values."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.patches import Patch

    if palette:
        labels = [level_text(label) for label in tree.target.classes[0]]
        pairs = zip(palette[:_MOST], labels[:_MOST], strict=True)
        marks = [Patch(color=colour, label=label) for colour, label in pairs]
        if len(labels) > _MOST:
            marks.append(Patch(alpha=0, label=words(lang)("split.more", n=len(labels) - _MOST)))
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
    """Write the values of the leaves at their colours; of many leaves five, at equal shares."""
    values = np.unique(scale.values)
    if len(values) > _MOST:
        values = np.array([scale.value_at(k / 4) for k in range(5)])
    ticks: dict[str, float] = {}
    for value, place in zip(values.tolist(), scale.place(values).tolist(), strict=True):
        if not ticks or place - max(ticks.values()) > 0.05:  # labels must not lie on each other
            ticks[number_text(value, 4)] = place
    bar.set_ticks(list(ticks.values()), labels=list(ticks))
