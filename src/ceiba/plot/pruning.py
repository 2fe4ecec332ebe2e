"""Draw the risk of each tree in a pruning sequence against its number of leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceiba.errors import OptionError
from ceiba.listing import Listing
from ceiba.plot.painting._matplotlib import Axes, plain_axes
from ceiba.plot.painting.colours import Ink, class_colours, ink_of
from ceiba.plot.painting.text import round_numbers, set_spaced_ticks
from ceiba.tree.splits import number_text
from ceiba.words import Catalogue, words

_MARGIN = 1.12  # factor by which the x axis extends beyond the data on each side
MAX_DOTS = 60  # for more trees, draw a line and a band instead of dots


def plot_pruning(
    table: Any, *, ax: Axes | None = None, legend: bool = True, lang: str = "en"
) -> Axes:
    """Draw the cross-validated risk of each tree of a pruning sequence.

    The x axis is the number of leaves, logarithmic, with the root on the left. The upper axis is
    alpha, the smallest cost per leaf at which a tree is optimal. The minimum of the cross-validated
    risk, the line one standard error above it and the chosen tree are marked. A sequence of more
    than 60 trees is drawn as a line with a band of one standard error.

    Parameters
    ----------
    table : Listing, or fitted estimator with `pruning_table_`
        Columns alpha, n_leaves, risk and, after cross-validation, cv_risk and cv_se, chosen.
    ax : matplotlib axes, optional
        Axes to draw in. Default: a new figure.
    legend : bool, default True
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import ceiba
    >>> iris = ceiba.datasets.load_iris()
    >>> model = ceiba.DecisionTreeClassifier(prune="1se").fit(iris.X, iris.y)
    >>> ax = ceiba.plot.plot_pruning(model)
    >>> ax.get_xlabel(), ax.get_xscale()
    ('leaves', 'log')
    """
    source, table, word = table, getattr(table, "pruning_table_", table), words(lang)
    if not isinstance(table, Listing) or "n_leaves" not in table:
        raise OptionError(
            "plot_pruning requires a pruning table or an estimator that has one (for example, "
            f"one fitted with prune='cv'), got {type(source).__name__}."
        )
    ax = plain_axes(ax)
    ink = ink_of(ax)
    order = np.argsort(table["n_leaves"], kind="stable")  # the root first
    figures = {name: np.asarray(table[name])[order] for name in table.columns}
    at = figures["n_leaves"].astype(np.float64)
    ax.set_xscale("log")
    blue, red = class_colours(2)
    if "risk" in figures:
        label = word["plot.training_rows"]
        ax.plot(at, figures["risk"], "-", color=ink.line, lw=1, label=label, zorder=2)
    if "cv_risk" in figures and np.isfinite(figures["cv_risk"]).any():
        _paint_held_out(ax, at, figures, ink, blue, red, word)
    chosen = np.flatnonzero(figures.get("chosen", ()))
    if len(chosen):
        label = word("plot.chosen", n=int(figures["n_leaves"][chosen[0]]))
        ax.axvline(at[chosen[0]], color=red, lw=1.2, ls=":", zorder=1, label=label)
    _label(ax, at, figures, word)
    if legend:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _paint_held_out(
    ax: Axes, at: Any, figures: Any, ink: Ink, blue: Any, red: Any, word: Catalogue
) -> None:
    risk = figures["cv_risk"]
    error = figures.get("cv_se", np.zeros(len(risk)))
    label = word["plot.cross_validated"]
    if len(at) <= MAX_DOTS:
        bars: dict[str, Any] = {"ecolor": blue, "elinewidth": 1, "capsize": 2.5, "ms": 4.5}
        ax.errorbar(at, risk, yerr=np.nan_to_num(error), fmt="o-", color=blue, lw=1.4, label=label,
                    zorder=3, **bars)  # fmt: skip
    else:
        ax.fill_between(at, risk - error, risk + error, color=blue, alpha=0.2, lw=0, zorder=2)
        ax.plot(at, risk, "-", color=blue, lw=1.4, label=label, zorder=3)
    # If several trees have the minimum risk, argmin returns the smallest one.
    best = int(np.nanargmin(risk))
    limit = risk[best] + error[best]
    ax.plot(at[best], risk[best], "o", ms=10, mfc="none", mec=red, mew=1.6, zorder=4)
    ax.plot([], [], "o", ms=8, mfc="none", mec=red, mew=1.6, label=word["plot.minimum"])
    if np.isfinite(limit):
        label = word["plot.minimum_se"]
        ax.axhline(limit, color=ink.grey, lw=1, ls="--", zorder=1, label=label)


def _label(ax: Axes, at: Any, figures: Any, word: Catalogue) -> None:
    """Label the number of leaves below the axes and alpha above, without overlapping labels."""
    from matplotlib.ticker import NullLocator

    # Label both ends first, then the chosen tree and round numbers, then all others if few.
    near = [int(np.argmin(np.abs(np.log(at / n)))) for n in round_numbers(float(at[-1]))]
    labeled = range(len(at)) if len(at) <= MAX_DOTS else ()
    chosen = np.flatnonzero(figures.get("chosen", ())).tolist()
    order = list(dict.fromkeys([0, len(at) - 1, *chosen, *near, *labeled]))
    set_spaced_ticks(ax.xaxis, at[order].tolist(), [word.number(int(at[k])) for k in order])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel(word["plot.leaves"])
    ax.set_ylabel(word["plot.risk"])
    ax.set_xlim(at[0] / _MARGIN, at[-1] * _MARGIN)
    above = ax.secondary_xaxis("top")
    alphas = [number_text(float(figures["alpha"][k]), 2) for k in order]
    set_spaced_ticks(above.xaxis, at[order].tolist(), alphas)
    above.xaxis.set_minor_locator(NullLocator())
    above.set_xlabel(word["plot.alpha"])
    above.spines["top"].set_visible(False)
    above.tick_params(length=0)
