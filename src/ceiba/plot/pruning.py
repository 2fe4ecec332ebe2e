"""plot_pruning: risk against the size of the tree, along the pruning sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ceiba.errors import OptionError
from ceiba.listing import Listing
from ceiba.plot.painting.axes import Ink, ink_of, plain_axes
from ceiba.plot.painting.colours import class_colours
from ceiba.tree.splits.sentences import number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TICKS = 12


def plot_pruning(table: Any, *, ax: Axes | None = None, legend: bool = True) -> Axes:
    """Draw the cross-validated risk of each tree of a pruning sequence.

    Trees stand side by side, the root alone on the left; alpha, from which on a tree is the best
    one, is below, the number of leaves above. Marked are the least cross-validated risk, the line
    one standard error above it, and the tree that was chosen.

    Parameters
    ----------
    table : Listing, or fitted estimator with `pruning_table_`
        Columns alpha, n_leaves, risk and, after cross-validation, cv_risk and cv_se, chosen.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    legend : bool, default True

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import ceiba
    >>> iris = ceiba.datasets.load_iris()
    >>> model = ceiba.DecisionTreeClassifier(prune="1se").fit(iris.X, iris.y)
    >>> ax = ceiba.plot.plot_pruning(model)
    >>> ax.get_xlabel().split(":")[0]
    'alpha'
    """
    table = _as_table(table)
    ax = plain_axes(ax)
    ink = ink_of(ax)
    order = np.argsort(table["n_leaves"], kind="stable")  # the root alone first
    figures = {name: np.asarray(table[name])[order] for name in table.columns}
    at = np.arange(len(order))
    blue, red = class_colours(2)
    if "risk" in figures:
        ax.plot(at, figures["risk"], "-", color=ink.line, lw=1, label="training rows", zorder=2)
    if "cv_risk" in figures and np.isfinite(figures["cv_risk"]).any():
        _paint_held_out(ax, at, figures, ink, blue, red)
    chosen = np.flatnonzero(figures.get("chosen", ()))
    if len(chosen):
        label = f"chosen: {_leaves(figures['n_leaves'][chosen[0]])}"
        ax.axvline(at[chosen[0]], color=red, lw=1.2, ls=":", zorder=1, label=label)
    _label(ax, at, figures)
    if legend:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _as_table(table: Any) -> Listing:
    figures = getattr(table, "pruning_table_", table)
    if not isinstance(figures, Listing) or "n_leaves" not in figures:
        raise OptionError(
            "plot_pruning draws a pruning table: give an estimator fitted with prune='cv' or "
            f"'1se', or its pruning_table_. It got {type(table).__name__}."
        )
    return figures


def _paint_held_out(ax: Axes, at: Any, figures: Any, ink: Ink, blue: Any, red: Any) -> None:
    risk = figures["cv_risk"]
    error = figures.get("cv_se", np.zeros(len(risk)))
    ax.errorbar(
        at,
        risk,
        yerr=np.nan_to_num(error),
        fmt="o-",
        color=blue,
        ecolor=blue,
        elinewidth=1,
        capsize=2.5,
        ms=4.5,
        lw=1.4,
        label="cross-validated, ± 1 standard error",
        zorder=3,
    )
    # Among equal minima the smallest tree, which stands furthest left.
    best = int(np.nanargmin(risk))
    limit = risk[best] + error[best]
    ax.plot(at[best], risk[best], "o", ms=10, mfc="none", mec=red, mew=1.6, zorder=4)
    ax.plot([], [], "o", ms=8, mfc="none", mec=red, mew=1.6, label="minimum")
    if np.isfinite(limit):
        ax.axhline(limit, color=ink.grey, lw=1, ls="--", zorder=1, label="minimum + 1 SE")


def _label(ax: Axes, at: Any, figures: Any) -> None:
    """Write alpha below and the number of leaves above, both thinned out where there are many."""
    step = max(1, -(-len(at) // MOST_TICKS))
    shown = at[::-1][::step][::-1]  # the largest tree is always named
    ax.set_xticks(shown)
    ax.set_xticklabels([number_text(float(figures["alpha"][k]), 2) for k in shown])
    ax.set_xlabel("alpha: cost per leaf from which on this tree is the best")
    ax.set_ylabel("risk")
    ax.set_xlim(-0.5, len(at) - 0.5)
    above = ax.secondary_xaxis("top")
    above.set_xticks(shown)
    above.set_xticklabels([str(int(figures["n_leaves"][k])) for k in shown])
    above.set_xlabel("leaves")
    above.spines["top"].set_visible(False)
    above.tick_params(length=0)


def _leaves(n: Any) -> str:
    return f"{int(n)} {'leaf' if n == 1 else 'leaves'}"
