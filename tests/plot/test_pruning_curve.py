"""plot_pruning: leaves on a logarithmic axis, labels that never lie on each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

import ceiba
from ceiba.listing import Listing
from ceiba.plot import plot_pruning
from tests.marks import slow


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def table(n: int) -> Listing:
    """Return a pruning table like that of a large data set: n trees, alpha over many decades."""
    rng = np.random.default_rng(n)
    leaves = np.sort(rng.choice(np.arange(2, 3 * n + 2), n - 1, replace=False))[::-1]
    leaves = np.append(leaves, 1)
    risk = 1 / np.sqrt(leaves)
    return Listing(
        {
            "alpha": np.geomspace(1e-7, 0.5, n),
            "n_leaves": leaves,
            "risk": risk,
            "cv_risk": risk + 1e-4 * leaves,
            "cv_se": np.full(n, 0.01),
            "chosen": np.arange(n) == n // 2,
        }
    )


def colliding(axis: Any) -> list[tuple[str, str]]:
    drawn = [label for label in axis.get_ticklabels() if label.get_text()]
    extents = sorted(
        ((label.get_window_extent(), label.get_text()) for label in drawn), key=lambda e: e[0].x0
    )
    return [(a, b) for (ea, a), (eb, b) in pairwise(extents) if ea.x1 >= eb.x0]


def axes_of(ax: Axes) -> list[Any]:
    return [ax.xaxis, *(child.xaxis for child in ax.child_axes)]


@pytest.mark.parametrize("n", [2, 40, 5000, *slow([7, 400])])
@pytest.mark.parametrize("width", [3.0, *slow([6.4, 14.0])])
def test_plot_pruning_labels_never_collide(n: int, width: float) -> None:
    _, ax = plt.subplots(figsize=(width, 3.5), layout="constrained")
    plot_pruning(table(n), ax=ax)
    ax.figure.canvas.draw()
    for axis in axes_of(ax):
        assert colliding(axis) == []
        assert sum(bool(label.get_text()) for label in axis.get_ticklabels()) >= 2
    ax.figure.set_size_inches(2.5, 3)  # and not after the figure was made smaller
    ax.figure.canvas.draw()
    assert [pair for axis in axes_of(ax) for pair in colliding(axis)] == []


def test_plot_pruning_small_trees_have_their_share_of_the_width() -> None:
    ax = plot_pruning(table(5000))
    ax.figure.canvas.draw()
    left, tenth, right = (ax.transData.transform((at, 0))[0] for at in (1, 100, 15_000))
    assert (tenth - left) / (right - left) > 0.4


def test_plot_pruning_ticks_are_trees_of_the_sequence_with_their_alpha() -> None:
    figures = table(400)
    ax = plot_pruning(figures)
    ax.figure.canvas.draw()
    below, above = axes_of(ax)
    alpha = dict(zip(figures["n_leaves"].tolist(), figures["alpha"].tolist(), strict=True))
    for at in below.get_majorticklocs().tolist():
        assert int(at) in alpha
    for at, label in zip(above.get_majorticklocs(), above.get_ticklabels(), strict=True):
        assert float(label.get_text()) == pytest.approx(alpha[int(at)], rel=0.06)


def test_plot_pruning_of_one_tree_is_drawn() -> None:
    model = ceiba.DecisionTreeClassifier(prune="cv").fit({"x": [1.0] * 20}, ["a", "b"] * 10)
    ax = plot_pruning(model)
    ax.figure.canvas.draw()
    assert ax.get_xlim()[0] < 1 < ax.get_xlim()[1]
