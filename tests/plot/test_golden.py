"""Golden images: each was inspected by eye; new ones may differ only slightly.

Pictures are compared as grey blocks of 6 x 6 pixels, so that another version of a font or of
matplotlib passes, and a moved box, another shade or lost text does not. To make them anew after a
change that was looked at: ``python -m tests.plot.test_golden``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

from ceiba.inspection import learning_curve
from ceiba.plot import (
    plot_icicle,
    plot_importance,
    plot_impurity,
    plot_learning_curve,
    plot_path,
    plot_prediction,
    plot_pruning,
    plot_regions,
    plot_tree,
)
from tests.plot import trees

FOLDER = Path(__file__).parent / "golden"
DPI = 48
BLOCK = 6
TOLERANCE = 0.035  # root mean square of block differences, 1 = black against white


def pruning() -> Axes:
    import ceiba

    _, X, y = trees.breast_cancer()
    return plot_pruning(ceiba.DecisionTreeClassifier(prune="1se").fit(X, y))


def regions() -> Axes:
    import ceiba

    _, X, y = trees.iris()
    two = {name: X[name] for name in ("petal length", "petal width")}
    model = ceiba.DecisionTreeClassifier(max_depth=4).fit(two, y)
    return plot_regions(model, two, y, node_ids=True)


def curve() -> Axes:
    import ceiba

    _, X, y = trees.iris()
    model = ceiba.DecisionTreeClassifier()
    return plot_learning_curve(learning_curve(model, X, y, sizes=[10, 40, 80, 120], repeats=6))


def path() -> Axes:
    model, X, _ = trees.iris()
    return plot_path(model, {name: values[76] for name, values in X.items()})


def folded() -> Axes:
    _, ax = plt.subplots(figsize=(11, 6))
    return plot_tree(trees.large()[0], ax=ax)


def dark() -> Axes:
    with plt.style.context("dark_background"):
        ax = plot_tree(*trees.carseats())
        ax.figure.canvas.draw()
        return ax


PICTURES: dict[str, Callable[[], Axes]] = {
    "iris": lambda: plot_tree(*trees.iris()),
    "breast_cancer": lambda: plot_tree(trees.breast_cancer()[0]),
    "carseats": lambda: plot_tree(*trees.carseats()),
    "carseats_dark": dark,
    "hitters": lambda: plot_tree(*trees.hitters()),
    "multiway": lambda: plot_tree(*trees.multiway()),
    "surrogates": lambda: plot_tree(*trees.surrogates(), node_ids=True, impurity=True, counts=True),
    "500_leaves_folded": folded,
    "500_leaves_icicle": lambda: plot_icicle(trees.large()[0]),
    "pruning": pruning,
    "regions": regions,
    "slice": lambda: plot_regions(*trees.carseats(), columns=["ShelveLoc", "Price"]),
    "staircase": lambda: plot_prediction(*trees.hitters(), column="Hits"),
    "path": path,
    "importance": lambda: plot_importance(*trees.carseats()),
    "learning_curve": curve,
    "impurity": plot_impurity,
}


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def painted(ax: Axes) -> np.ndarray:
    """Paint a figure as grey numbers from 0 to 1."""
    figure = ax.figure
    figure.set_dpi(DPI)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].mean(axis=2) / 255


def blocks(picture: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    rows, columns = (size // BLOCK for size in shape)
    cut = picture[: rows * BLOCK, : columns * BLOCK]
    return cut.reshape(rows, BLOCK, columns, BLOCK).mean(axis=(1, 3))


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """Compare two pictures; sizes may differ by 2 %, by the widths of letters."""
    if any(abs(x - y) > 2 + 0.02 * y for x, y in zip(a.shape, b.shape, strict=True)):
        return 1.0
    shape = (min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1]))
    return float(np.sqrt(np.mean((blocks(a, shape) - blocks(b, shape)) ** 2)))


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_as_it_was_looked_at(name: str) -> None:
    golden = plt.imread(FOLDER / f"{name}.png")
    assert difference(painted(PICTURES[name]()), golden) < TOLERANCE


def test_difference_of_two_pictures_is_found() -> None:
    one = painted(PICTURES["iris"]())
    other = painted(plot_tree(trees.iris()[0]))
    moved = np.roll(one, 12, axis=1)
    assert difference(one, other) > TOLERANCE
    assert difference(one, moved) > TOLERANCE


def write() -> None:
    from PIL import Image

    FOLDER.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        grey = Image.fromarray((255 * painted(picture())).astype(np.uint8))
        grey.quantize(16).convert("L").save(FOLDER / f"{name}.png", optimize=True)
        plt.close("all")


if __name__ == "__main__":
    write()
