"""plot_impurity: the impurity functions of two classes, over (p, 1 - p)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ceiba.inspection.splitting.impurity import impurity
from ceiba.plot.painting._matplotlib import Axes
from ceiba.plot.painting.axes import plain_axes
from ceiba.plot.painting.colours import class_colours
from ceiba.words import words

_DASHES: Final = ("-", "--", "-.", ":")


def plot_impurity(
    criteria: Sequence[str] = ("entropy", "gini", "error"),
    *,
    scale: bool = False,
    ax: Axes | None = None,
    lang: str = "en",
) -> Axes:
    """Draw impurity functions of a node with two classes.

    Parameters
    ----------
    criteria : sequence of str, default ("entropy", "gini", "error")
    scale : bool, default False
        Divide each by its largest value, so that shapes compare.
    ax : matplotlib axes, optional
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import ceiba
    >>> ax = ceiba.plot.plot_impurity(["gini"])
    >>> float(max(ax.lines[0].get_ydata()))
    0.5
    """
    ax = plain_axes(ax)
    p = np.linspace(0, 1, 201)
    for k, name in enumerate(criteria):
        height = np.array([impurity(criterion=name, counts=[share, 1 - share]) for share in p])
        if scale:
            height = height / height.max()
        ax.plot(p, height, _DASHES[k % 4], color=class_colours(6)[k % 6], lw=1.8, label=name)
    word = words(lang)
    ax.set_xlabel(word["plot.share_of_one"])
    ax.set_ylabel(word["plot.impurity_scaled" if scale else "plot.impurity"])
    ax.set_xlim(0, 1)
    ax.set_ylim(0, None)
    ax.legend(frameon=False, fontsize="small")
    return ax
