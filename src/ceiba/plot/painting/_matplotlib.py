"""Import matplotlib on first use, and read the axes and tree arguments of plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ceiba.errors import OptionError
from ceiba.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # `import ceiba.plot` must not import matplotlib

POINTS = 72.0  # per inch


def require_matplotlib() -> Any:
    """Import matplotlib; raise an error with installation instructions if it is missing."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError(
            "Plots require the 'matplotlib' package. Install it with: pip install 'ceiba[plot]'"
        ) from error
    return mpl


def new_axes(width: float, height: float) -> Axes:
    """Return axes that fill a new figure of the given size in inches."""
    require_matplotlib()
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(width, height))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))


def plain_axes(ax: Axes | None, width: float = 6.4, height: float = 4.2) -> Axes:
    """Return the axes to draw in (new ones by default) with a frame on two sides only."""
    require_matplotlib()
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def axes_size(ax: Axes) -> tuple[float, float]:
    """Return the width and height of axes in points."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    extent = ax.get_window_extent()
    return extent.width * POINTS / figure.dpi, extent.height * POINTS / figure.dpi


def as_tree(tree: Any, who: str = "plot_tree") -> Tree:
    """Return the argument if it is a Tree, or the tree of a fitted estimator."""
    inner = getattr(tree, "tree_", tree)
    if not isinstance(inner, Tree):
        raise OptionError(
            f"{who} requires a Tree or a fitted ceiba estimator, got {type(tree).__name__}. "
            "Fit the estimator, or convert a scikit-learn tree with ceiba.tree.from_sklearn(model)."
        )
    return inner
