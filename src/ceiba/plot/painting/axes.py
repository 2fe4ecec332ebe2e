"""What all pictures share: where to draw, on which paper, with which ink, of which tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ceiba.errors import OptionError
from ceiba.plot.painting._matplotlib import Axes, require_matplotlib
from ceiba.plot.painting.colours import Colour, mixed
from ceiba.tree import Tree

POINTS = 72.0  # per inch


@dataclass(frozen=True)
class Ink:
    """The colours of a style: paper, text, and text mixed with paper."""

    paper: Colour
    text: Colour
    grey: Colour
    line: Colour
    faint: Colour


def ink_of(ax: Axes) -> Ink:
    """Return the colours of the style in which axes were made."""
    import matplotlib as mpl
    from matplotlib.colors import to_rgb, to_rgba

    paper = ax.get_facecolor()
    figure = ax.get_figure(root=True)
    if to_rgba(paper)[3] == 0 and figure is not None:
        paper = figure.get_facecolor()
    sheet, text = to_rgb(paper), to_rgb(mpl.rcParams["text.color"])
    grey, line, faint = (mixed(text, sheet, share) for share in (0.62, 0.45, 0.15))
    return Ink(sheet, text, grey, line, faint)


def plain_axes(ax: Axes | None, width: float = 6.4, height: float = 4.2) -> Axes:
    """Return the axes to draw in, new ones by default, with a frame on two sides only."""
    require_matplotlib()
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def axes_size(ax: Axes) -> tuple[float, float]:
    """Return width and height of axes in points."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    extent = ax.get_window_extent()
    return extent.width * POINTS / figure.dpi, extent.height * POINTS / figure.dpi


def as_tree(tree: Any, who: str = "plot_tree") -> Tree:
    """Accept a Tree, or an estimator that holds one."""
    drawn = getattr(tree, "tree_", tree)
    if not isinstance(drawn, Tree):
        raise OptionError(
            f"{who} draws a Tree or a fitted ceiba estimator; it got {type(tree).__name__}. "
            "Fit the estimator first, or convert with ceiba.tree.from_sklearn(model)."
        )
    return drawn
