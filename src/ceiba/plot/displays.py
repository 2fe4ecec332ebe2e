"""Displays: each picture as an object, in the manner of scikit-learn.

`SomeDisplay.from_estimator(model, ...)` draws at once and keeps `ax_` and `figure_`; `plot` draws
again, elsewhere or with other options. Arguments are those of the function of the same name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from ceiba.inspection import learning_curve
from ceiba.plot.icicle import plot_icicle
from ceiba.plot.importance import plot_importance
from ceiba.plot.impurity import plot_impurity
from ceiba.plot.learning_curve import plot_learning_curve
from ceiba.plot.painting._matplotlib import Axes
from ceiba.plot.path import plot_path
from ceiba.plot.prediction import plot_prediction
from ceiba.plot.pruning import plot_pruning
from ceiba.plot.regions import plot_regions
from ceiba.plot.tree import plot_tree


class Display:
    """A picture of something: what is drawn, and how.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last.
    """

    _draw: ClassVar[Callable[..., Axes]]
    ax_: Axes
    figure_: Any

    def __init__(self, *subject: Any, **options: Any) -> None:
        self.subject, self.options = subject, options

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw, by default into a new figure; options stand before those given at first."""
        self.ax_ = type(self)._draw(*self.subject, ax=ax, **{**self.options, **options})
        self.figure_ = self.ax_.get_figure(root=True)
        return self

    @classmethod
    def from_estimator(
        cls, estimator: Any, *data: Any, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw a fitted estimator (or a Tree); further arguments as in the function."""
        return cls(estimator, *data, **options).plot(ax=ax)


class TreeDisplay(Display):
    """`plot_tree` as an object.

    Examples
    --------
    >>> import ceiba
    >>> iris = ceiba.datasets.load_iris()
    >>> model = ceiba.DecisionTreeClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> display = ceiba.plot.TreeDisplay.from_estimator(model)
    >>> len(display.ax_.texts) > 5
    True
    """

    _draw = staticmethod(plot_tree)


def _display(name: str, draw: Callable[..., Axes]) -> type[Display]:
    """Make the display class of a plotting function."""
    text = f"`{draw.__name__}` as an object; see `TreeDisplay`."
    return type(
        name, (Display,), {"_draw": staticmethod(draw), "__doc__": text, "__module__": __name__}
    )


IcicleDisplay = _display("IcicleDisplay", plot_icicle)
PruningDisplay = _display("PruningDisplay", plot_pruning)
RegionsDisplay = _display("RegionsDisplay", plot_regions)
PredictionDisplay = _display("PredictionDisplay", plot_prediction)
PathDisplay = _display("PathDisplay", plot_path)
ImportanceDisplay = _display("ImportanceDisplay", plot_importance)


class LearningCurveDisplay(Display):
    """`plot_learning_curve` as an object; `from_estimator` measures the curve first.

    Examples
    --------
    >>> import ceiba
    >>> iris = ceiba.datasets.load_iris()
    >>> display = ceiba.plot.LearningCurveDisplay.from_estimator(
    ...     ceiba.DecisionTreeClassifier(), iris.X, iris.y, sizes=[20, 60, 100], repeats=3)
    >>> display.subject[0].scores.shape
    (3, 3)
    """

    _draw = staticmethod(plot_learning_curve)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *data: Any, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Measure and draw; `label` and `color` are for the picture, the rest for the curve."""
        look = {name: options.pop(name) for name in ("label", "color") if name in options}
        return cls(learning_curve(estimator, *data, **options), **look).plot(ax=ax)


class ImpurityDisplay(Display):
    """`plot_impurity` as an object; `from_estimator` draws the criterion of a fitted tree."""

    _draw = staticmethod(plot_impurity)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *data: Any, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the impurity function that the tree was grown by."""
        tree = getattr(estimator, "tree_", estimator)
        return cls([tree.criterion], *data, **options).plot(ax=ax)
