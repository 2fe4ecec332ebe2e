"""All plots: they take and return axes, have a display, and agree with the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.font_manager import findfont
from matplotlib.ft2font import FT2Font

import ceiba
from ceiba import plot
from ceiba.errors import OptionError
from ceiba.plot.painting.grid import axis_cells, cell_nodes, fixed_values
from ceiba.plot.painting.text import covering_fonts
from ceiba.tree import build
from tests.plot import trees
from tests.tree.random_trees import random_rows, random_tree


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def sequence() -> tuple[Any, ...]:
    _, X, y = trees.iris()
    return (ceiba.DecisionTreeClassifier(prune="cv").fit(X, y),)


def one_row() -> tuple[Any, ...]:
    model, X, _ = trees.iris()
    return model, {name: values[60] for name, values in X.items()}


def curve() -> tuple[Any, ...]:
    _, X, y = trees.iris()
    model = ceiba.DecisionTreeClassifier()
    return (ceiba.inspection.learning_curve(model, X, y, sizes=[10, 50], repeats=3),)


PICTURES: dict[str, tuple[Callable[..., Axes], Callable[[], tuple[Any, ...]]]] = {
    "tree": (plot.plot_tree, trees.iris),
    "icicle": (plot.plot_icicle, lambda: trees.iris()[:1]),
    "pruning": (plot.plot_pruning, sequence),
    "regions": (plot.plot_regions, trees.iris),
    "prediction": (plot.plot_prediction, trees.hitters),
    "path": (plot.plot_path, one_row),
    "importance": (plot.plot_importance, trees.iris),
    "learning_curve": (plot.plot_learning_curve, curve),
    "impurity": (plot.plot_impurity, tuple),
}


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def overlapping(ax: Axes) -> list[tuple[str, str]]:
    renderer = ax.figure.canvas.get_renderer()
    shown = [(t.get_text(), t.get_window_extent(renderer).shrunk(0.98, 0.9)) for t in ax.texts]
    shown = [(text, extent) for text, extent in shown if text.strip()]
    return [(a, b) for (a, ea), (b, eb) in combinations(shown, 2) if ea.overlaps(eb)]


def painted(ax: Axes) -> np.ndarray:
    """Draw the figure; give the brightness of its pixels, 0 to 1, the top row first."""
    canvas = ax.figure.canvas
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].mean(axis=2) / 255


def unreadable(ax: Axes, shade: np.ndarray) -> list[str]:
    """List the texts whose letters do not stand out from what lies behind them."""
    faint = []
    renderer = ax.figure.canvas.get_renderer()
    for text in [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label]:
        box = text.get_window_extent(renderer)
        bottom, top = len(shade) - int(box.y0), len(shade) - int(box.y1)
        region = shade[max(0, top) : bottom, max(0, int(box.x0)) : int(box.x1) + 1]
        if text.get_visible() and text.get_text().strip() and np.ptp(region) < 0.3:
            faint.append(text.get_text())
    return faint


def test_text_in_the_colour_of_its_background_is_unreadable() -> None:
    _, ax = plt.subplots()
    ax.text(0.2, 0.5, "seen", color="black")
    ax.text(0.6, 0.5, "lost", color="white")
    assert unreadable(ax, painted(ax)) == ["lost"]


@pytest.mark.parametrize("name", PICTURES)
def test_picture_takes_axes_and_returns_them(name: str) -> None:
    draw, subject = PICTURES[name]
    _, ax = plt.subplots(figsize=(9, 7))
    assert draw(*subject(), ax=ax) is ax


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_drawn_in_light_and_dark(name: str) -> None:
    draw, subject = PICTURES[name]
    for style, is_dark in (("default", False), ("dark_background", True)):
        with plt.style.context(style):
            ax = draw(*subject())
            shade = painted(ax)
        assert (shade[0, 0] < 0.5) == is_dark
        assert unreadable(ax, shade) == []


@pytest.mark.parametrize("make", [trees.iris, trees.carseats, trees.hitters, trees.multiway])
def test_plot_tree_with_rows_no_two_texts_overlap(make: Callable[[], Any]) -> None:
    assert overlapping(plot.plot_tree(*make())) == []


@pytest.mark.parametrize("n_leaves", [5, 22, 40])
def test_plot_tree_of_grown_trees_no_two_texts_overlap(n_leaves: int) -> None:
    model, X, y = trees.large(n_leaves)
    assert model.tree_.n_leaves == n_leaves
    assert overlapping(plot.plot_tree(model, X, y)) == []


@pytest.mark.parametrize("n_leaves", [3, 40])
def test_plot_icicle_of_numbers_has_a_colour_bar_with_values_of_leaves(n_leaves: int) -> None:
    x = np.arange(200.0)
    tree = ceiba.DecisionTreeRegressor(max_leaf_nodes=n_leaves).fit(x[:, None], x**2).tree_
    _, bar = plot.plot_icicle(tree).get_figure().axes
    ticks = [float(label.get_text().replace(",", "")) for label in bar.get_yticklabels()]
    leaves = tree.value[tree.is_leaf, 0]
    assert 2 <= len(ticks) <= 10
    assert ticks == sorted(ticks)
    assert all(np.abs(leaves / tick - 1).min() < 1e-3 for tick in ticks)


@pytest.mark.parametrize("n_leaves", [5, 40, 500])
def test_plot_icicle_words_stay_in_their_bars(n_leaves: int) -> None:
    assert overlapping(plot.plot_icicle(trees.large(n_leaves)[0])) == []


def test_plot_path_no_two_texts_overlap() -> None:
    assert overlapping(plot.plot_path(*one_row())) == []


def test_plot_path_of_many_rows_is_a_clear_error() -> None:
    model, X, _ = trees.iris()
    with pytest.raises(OptionError, match="one row"):
        plot.plot_path(model, X)


def test_plot_path_ends_with_the_prediction() -> None:
    model, row = one_row()
    said = model.predict({name: [value] for name, value in row.items()})[0]
    assert any(text.startswith(f"{said} ") for text in texts(plot.plot_path(model, row)))


@pytest.mark.parametrize("seed", range(6))
def test_cells_of_the_plane_are_what_the_tree_says_there(seed: int) -> None:
    tree = random_tree(seed, n_inner=8)
    held = fixed_values(tree, None, None)
    across, up = axis_cells(tree, "x", None), axis_cells(tree, "size", None)
    nodes = cell_nodes(tree, [across, up], held)
    rng = np.random.default_rng(seed)
    x = rng.uniform(across.borders[0], across.borders[-1], 200)
    size = rng.integers(4, size=200)
    rows = {
        "x": x,
        "y": np.full(200, held[1]),
        "colour": [tree.schema.columns[2].levels[held[2]]] * 200,
        "kind": [tree.schema.columns[3].levels[held[3]]] * 200,
        "size": [tree.schema.columns[4].levels[k] for k in size],
    }
    assert nodes[across.cell_of(x), size].tolist() == tree.apply(rows).tolist()


def test_plot_regions_of_more_columns_says_the_slice() -> None:
    model, X, y = trees.carseats()
    ax = plot.plot_regions(model, X, y, columns=["Price", "Advertising"], at={"ShelveLoc": "Good"})
    assert "ShelveLoc = Good" in ax.get_title()


def test_plot_regions_unknown_level_is_a_clear_error() -> None:
    model, _, _ = trees.carseats()
    with pytest.raises(OptionError, match=r"at\['ShelveLoc'\] must be a level.*got 'Best'"):
        plot.plot_regions(model, columns=["Price", "Advertising"], at={"ShelveLoc": "Best"})


def test_plot_regions_one_column_points_to_the_staircase() -> None:
    with pytest.raises(OptionError, match="plot_prediction"):
        plot.plot_regions(build(("x <= 1", "a", "b")))


def test_plot_prediction_steps_at_the_cuts() -> None:
    tree = build(("x <= 2", 1.0, ("x <= 5", 4.0, 2.0)))
    stairs = plot.plot_prediction(tree).patches[0]
    values, edges, _ = stairs.get_data()
    assert values.tolist() == [1.0, 4.0, 2.0]
    assert edges[1:-1].tolist() == [2.0, 5.0]


def test_plot_prediction_of_levels_is_a_clear_error() -> None:
    model, _, _ = trees.carseats()
    with pytest.raises(OptionError, match="numeric"):
        plot.plot_prediction(model, column="ShelveLoc")


def test_plot_pruning_without_table_says_what_to_do() -> None:
    with pytest.raises(OptionError, match="prune='cv'"):
        plot.plot_pruning(trees.iris()[0])


def test_plot_pruning_names_leaves_and_choice() -> None:
    (model,) = sequence()
    ax = plot.plot_pruning(model)
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"chosen: {model.tree_.n_leaves} leaves" in said
    assert "minimum" in said


def test_plot_importance_unknown_measure_names_the_known() -> None:
    with pytest.raises(OptionError, match="gain"):
        plot.plot_importance(trees.iris()[0], measure="permutation")


def test_plot_tree_surrogates_missing_is_not_said_to_go_one_way() -> None:
    model, _, _ = trees.surrogates()
    assert not any("missing" in text for text in texts(plot.plot_tree(model)))


def test_covering_fonts_adds_one_for_letters_the_usual_lacks() -> None:
    usual = covering_fonts("abc")
    assert covering_fonts("Zürich ≤ Ω") == usual
    # A phonetic letter that DejaVu Sans lacks and STIXGeneral, shipped with matplotlib, has.
    *first, added = covering_fonts("\u1d81")
    assert first == usual
    assert ord("\u1d81") in FT2Font(findfont(added)).get_charmap()


def test_random_rows_of_a_random_tree_are_drawn() -> None:
    tree = random_tree(2, n_inner=5)
    ax = plot.plot_tree(tree, random_rows(2))
    shown = "\n".join(texts(ax))
    assert all(tree.schema.names[j] in shown for j in tree.used_features)
    assert unreadable(ax, painted(ax)) == []


def test_plot_tree_in_small_axes_leaves_out_small_pictures_first() -> None:
    model, X, y = trees.carseats()
    _, (small, large) = plt.subplots(1, 2, figsize=(26, 11), width_ratios=[1, 2])
    small.set_position((0.0, 0.0, 0.3, 0.5))
    shown = plot.plot_tree(model, X, y, ax=small), plot.plot_tree(model, X, y, ax=large)
    dashed = [[line for line in ax.lines if line.get_linestyle() == "--"] for ax in shown]
    assert not dashed[0]
    assert dashed[1]
    assert not any("folded" in text for text in texts(small))
