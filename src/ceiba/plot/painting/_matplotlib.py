"""The one door to matplotlib: imported at first use, with an error that says how to get it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # for annotations, without importing matplotlib


def require_matplotlib() -> Any:
    """Import matplotlib, or say what to install."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError(
            "ceiba.plot needs matplotlib, which is not installed. "
            "Install it with: pip install ceiba[plot]"
        ) from error
    return mpl


def new_axes(width: float, height: float) -> Axes:
    """Return axes that fill a new figure of the given size in inches."""
    require_matplotlib()
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(width, height))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))
