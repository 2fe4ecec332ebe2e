"""Draw the importance of each column as bars, with intervals if available."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.inspection import importance_table
from ceiba.listing import Listing
from ceiba.plot.painting._matplotlib import Axes, as_tree, plain_axes
from ceiba.plot.painting.colours import class_colours, ink_of
from ceiba.tree.splits import number_text
from ceiba.words import words

_MEASURES: Final = ("gain", "surrogates", "permutation", "heldout_gain")


def plot_importance(
    tree: Any,
    X: Any = None,
    y: Any = None,
    *,
    measure: str | None = None,
    max_columns: int = 20,
    ax: Axes | None = None,
    lang: str = "en",
    **options: Any,
) -> Axes:
    """Draw the importance of each column.

    Parameters
    ----------
    tree : Tree, fitted estimator, or the Listing of `ceiba.inspection.importance_table`
    X, y : table and target, optional
        Held-out rows.
    measure : {"gain", "surrogates", "permutation", "heldout_gain"}, optional
        Default: permutation if there are held-out rows, else gain.
    max_columns : int, default 20
        Number of columns to draw, the most important first; columns with importance 0 are omitted.
        A note counts the others.
    ax : matplotlib axes, optional
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.
    **options
        Of `ceiba.inspection.importance_table`: `scale`, `repeats`, ...

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import ceiba
    >>> iris = ceiba.datasets.load_iris()
    >>> model = ceiba.DecisionTreeClassifier(max_depth=3).fit(iris.X, iris.y)
    >>> ax = ceiba.plot.plot_importance(model)
    >>> len(ax.patches)
    2
    """
    if isinstance(tree, Listing):
        table = tree
    else:
        table = importance_table(as_tree(tree, "plot_importance"), X, y, **options)
    measure = measure or ("permutation" if "permutation" in table else "gain")
    if measure not in table or measure not in _MEASURES:
        measures = [name for name in _MEASURES if name in table]
        raise OptionError(
            f"measure must be one of {measures}, got {measure!r}. Pass X and y for other measures."
        )
    order = np.argsort(-table[measure], kind="stable")[:max_columns]
    order = order[table[measure][order] != 0] if table[measure].any() else order[:1]
    names, values = table["column"][order], table[measure][order]
    ax = plain_axes(ax, 6.4, 0.9 + 0.3 * len(order))
    ink = ink_of(ax)
    at = np.arange(len(order))
    ax.barh(at, values, height=0.66, color=class_colours(1)[0], zorder=2)
    short = measure.removesuffix("_gain")
    if f"{short}_low" in table:
        low, high = table[f"{short}_low"][order], table[f"{short}_high"][order]
        ax.hlines(at, low, high, color=ink.text, lw=1.1, zorder=3)
        ax.plot(low, at, "|", high, at, "|", color=ink.text, ms=6, zorder=3)
        reach = np.where(values < 0, np.minimum(low, values), np.maximum(high, values))
    else:
        reach = values
    _write_values(ax, at, values, reach)
    ax.set_yticks(at, [str(name) for name in names], parse_math=False)
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.axvline(0, color=ink.line, lw=0.8, zorder=4)
    ax.spines["left"].set_visible(False)
    word = words(lang)
    label = word[f"plot.importance_{measure}"]
    if len(table) > len(order):
        hidden = np.setdiff1d(np.arange(len(table)), order)
        zero = "" if table[measure][hidden].any() else "_zero"
        label += "\n" + word(f"plot.further{zero}", n=len(hidden))
    ax.set_xlabel(label)
    return ax


def _write_values(ax: Axes, at: Any, values: Any, reach: Any) -> None:
    """Write the values at the ends of the bars, or of their intervals."""
    # Print all values with the same number of decimals, so that they are aligned.
    decimals = max(0, 2 - math.floor(math.log10(max(np.abs(values).max(), 1e-300))))
    for y, value, end in zip(at, values, reach, strict=True):
        side = -1 if value < 0 else 1
        small = abs(value) < 0.5 * 10.0**-decimals
        ax.annotate(
            number_text(float(value), 1) if small else f"{float(value):,.{decimals}f}",
            (end, y),
            (4 * side, 0),
            textcoords="offset points",
            ha="left" if side > 0 else "right",
            va="center",
            fontsize="small",
            color=ink_of(ax).grey,
            annotation_clip=False,
        )
    # Extend the x axis, so that the value next to the longest bar fits.
    low, high = min(0.0, *reach), max(0.0, *reach)
    room = 0.14 * ((high - low) or 1.0)
    ax.set_xlim(low - room * (low < 0), high + room * (high > 0 or low == 0))
