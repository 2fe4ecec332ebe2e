"""Plot the share of resampled trees that use each column, and the risk of rival split columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.plot.painting._matplotlib import Axes, plain_axes
from ceiba.plot.painting.colours import class_colours
from ceiba.words import words


def plot_stability(
    stability: Any, *, max_columns: int = 20, ax: Axes | None = None, lang: str = "en"
) -> Axes:
    """Draw the share of resampled trees that use each column, by depth.

    Parameters
    ----------
    stability : Stability
        From `model.stability(X, y)`.
    max_columns : int, default=20
        Number of columns to draw, the most used first.
    ax : matplotlib axes, optional
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> ceiba.plot.plot_stability(model.stability(X, y, resamples=10)).get_xlabel()
    'depth'
    """
    ax = plain_axes(ax)
    listing = stability.columns
    depths = [name for name in listing.columns if name.startswith("depth")]
    names = listing["column"].tolist()[:max_columns]
    shares = np.column_stack([listing[name][:max_columns] for name in depths])
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (i, j), share in np.ndenumerate(shares):
        if share >= 0.005:
            paint = "white" if share > 0.55 else "black"
            ax.text(j, i, f"{share:.0%}", ha="center", va="center", color=paint, fontsize="small")
    ax.set_yticks(range(len(names)), names)
    ax.set_xticks(range(len(depths)), [name.removeprefix("depth ") for name in depths])
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.set_xlabel(words(lang)["plot.depth"])
    ax.set_title(words(lang)("plot.resampled", n=stability.resamples), loc="left")
    return ax


def plot_rival_columns(
    rivals: Any, *, max_columns: int = 20, ax: Axes | None = None, lang: str = "en"
) -> Axes:
    """Draw the cross-validated risk for each column that could split a node.

    Parameters
    ----------
    rivals : RivalColumns
        From `model.rival_columns(X, y)`.
    max_columns : int, default=20
        Number of columns to draw, those of least risk first.
    ax : matplotlib axes, optional
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> ceiba.plot.plot_rival_columns(model.rival_columns(X, y, folds=3)).get_xlabel()
    'cross-validated risk'
    """
    ax = plain_axes(ax)
    rows = list(rivals.table)[:max_columns]
    near, far = class_colours(6)[0], "#8a8f98"
    ax.axvspan(
        rivals.risk - rivals.se, rivals.risk + rivals.se,
        color=near, alpha=0.12, lw=0, label=words(lang)["plot.free_tree"],
    )  # fmt: skip
    ax.axvline(rivals.risk, color=near, lw=1)
    for i, row in enumerate(rows):
        paint = near if row["within 1 SE"] else far
        ax.errorbar(
            row["risk"], i, xerr=row["SE"], fmt="D" if row["ours"] else "o", color=paint,
            ms=6 if row["ours"] else 4.5, lw=1.4,
        )  # fmt: skip
    suffix = words(lang)["plot.ours"]
    labels = [row["column"] + (suffix if row["ours"] else "") for row in rows]
    ax.set_yticks(range(len(rows)), labels)
    ax.invert_yaxis()
    ax.set_xlabel(words(lang)["plot.cv_risk"])
    ax.set_title(words(lang)("plot.rivals", node=rivals.node), loc="left")
    ax.legend(frameon=False, fontsize="small", loc="upper right")
    return ax
