"""Plot learning curves, impurity functions and rpart's cp table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ceiba.errors import OptionError
from ceiba.inspection import LearningCurve
from ceiba.inspection.splitting import impurity
from ceiba.plot.painting._matplotlib import Axes, plain_axes
from ceiba.plot.painting.colours import class_colours
from ceiba.words import words

_DASHES: Final = ("-", "--", "-.", ":")


def plot_learning_curve(
    curve: LearningCurve,
    *,
    label: str | None = None,
    color: str | None = None,
    ax: Axes | None = None,
    lang: str = "en",
) -> Axes:
    """Draw a learning curve: the mean, and a band that covers the share `curve.band` of repeats.

    Parameters
    ----------
    curve : LearningCurve
        From `ceiba.inspection.learning_curve`.
    label : str, optional
        Name in the legend; several curves may share axes.
    color : str, optional
    ax : matplotlib axes, optional
    lang : {"en", "es", "pt"}, default="en"
        Language of the words in the picture.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import ceiba
    >>> tree = ceiba.tree.build(("x <= 2.5", "a", "b"))
    >>> X, y = tree.sample(60)
    >>> curve = ceiba.inspection.learning_curve(
    ...     ceiba.DecisionTreeClassifier(), X, y, sizes=[5, 20, 40], repeats=3)
    >>> ceiba.plot.plot_learning_curve(curve).get_xlabel()
    'training rows'
    """
    fresh = ax is None
    ax = plain_axes(ax)
    n_lines = len(ax.lines)
    paint = color if color is not None else class_colours(6)[n_lines % 6]
    word, band = words(lang), None
    if fresh and not label:
        band = word("plot.band", share=f"{100 * curve.band:g}", n=curve.scores.shape[1])
    ax.fill_between(curve.sizes, curve.low, curve.high, color=paint, alpha=0.22, lw=0, label=band)
    mark = "o" if len(curve.sizes) <= 25 else ""
    mean = label if label is not None else (word["plot.mean"] if fresh else None)
    ax.plot(curve.sizes, curve.mean, marker=mark, ms=3.5, lw=1.6, color=paint, label=mean)
    ax.set_xlabel(word["plot.training_rows"])
    ax.set_ylabel(curve.metric)
    if mean:
        ax.legend(frameon=False, fontsize="small", loc="lower right")
    return ax


def plot_impurity(
    criteria: Sequence[str] = ("entropy", "gini", "error"),
    *,
    scale: bool = False,
    ax: Axes | None = None,
    lang: str = "en",
) -> Axes:
    """Draw impurity functions for two classes.

    Parameters
    ----------
    criteria : sequence of str, default ("entropy", "gini", "error")
    scale : bool, default False
        Divide each function by its maximum, to compare shapes.
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


def plotcp(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw xerror and its standard error against cp and size, like R's `plotcp(fit)`.

    Each tree is at the geometric mean of its cp and the next larger one. The dashed line is one
    standard error above the minimum; the leftmost tree below it is the usual choice.

    Parameters
    ----------
    model : estimator of `ceiba.rpart`, fitted with cross-validation
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ceiba
    >>> model = ceiba.rpart("class").fit(*load_iris(return_X_y=True, as_frame=True))
    >>> ceiba.plot.plotcp(model).get_xlabel()
    'cp'
    """
    table = getattr(model, "cp_table_", None)
    if table is None:
        got = type(model).__name__
        raise OptionError(f"plotcp requires an rpart model, got {got}. Use plot_pruning instead.")
    if "relative_cv_risk" not in table:
        raise OptionError("plotcp requires cross-validated risks. Fit with xval=10.")
    cp, risk, se = table["cp"], table["relative_cv_risk"], table["relative_cv_se"]
    between = np.sqrt(cp * np.append(np.inf, cp[:-1]))
    ax = plain_axes(ax, 6.0, 4.0)
    at = np.arange(len(cp))
    ax.errorbar(at, risk, yerr=se, fmt="o-", color="0.25", ecolor="0.6", capsize=3, ms=4)
    best = int(np.argmin(risk))
    ax.axhline(risk[best] + se[best], ls="--", lw=0.8, color="0.5")
    ax.set_xticks(at, ["Inf" if not np.isfinite(c) else f"{c:.2g}" for c in between])
    ax.set_xlabel("cp")
    ax.set_ylabel("X-val relative error")
    top = ax.secondary_xaxis("top")
    top.set_xticks(at, [str(int(n) + 1) for n in table["n_splits"]])
    top.set_xlabel("size of tree")
    return ax
