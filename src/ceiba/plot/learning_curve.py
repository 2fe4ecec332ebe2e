"""plot_learning_curve: the score against the rows learned from, with its band."""

from __future__ import annotations

from ceiba.inspection import LearningCurve
from ceiba.plot.painting._matplotlib import Axes
from ceiba.plot.painting.axes import plain_axes
from ceiba.plot.painting.colours import class_colours
from ceiba.words import words


def plot_learning_curve(
    curve: LearningCurve,
    *,
    label: str | None = None,
    color: str | None = None,
    ax: Axes | None = None,
    lang: str = "en",
) -> Axes:
    """Draw a learning curve: the mean of the repeats, and the band in which most of them lie.

    Parameters
    ----------
    curve : LearningCurve
        From `ceiba.inspection.learning_curve`.
    label : str, optional
        Name in a legend; several curves may be drawn into the same axes.
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
    drawn = len(ax.lines)
    paint = color if color is not None else class_colours(6)[drawn % 6]
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
