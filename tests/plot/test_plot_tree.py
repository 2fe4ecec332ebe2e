"""plot_tree: labels never overlap, large trees fold with a note, names are shown verbatim."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

import ceiba
from ceiba.errors import OptionError
from ceiba.plot import plot_tree
from ceiba.tree import Leaf, Tree, build


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def balanced(n_leaves: int, name: str = "a rather long column name") -> Tree:
    """Build a binary tree of n leaves with rows, leaning to the right."""
    level = [Leaf(counts={"low": i + 1, "high": 3 * (i % 2)}) for i in range(n_leaves)]
    cut = 0
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        joined = []
        for pair in pairs:
            cut += 1
            joined.append((f"{name} <= {cut}.5", *pair) if len(pair) == 2 else pair[0])
        level = joined
    return build(level[0])


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def overlapping(ax: Axes) -> list[tuple[str, str]]:
    """List the pairs of texts whose painted extents meet."""
    renderer = ax.figure.canvas.get_renderer()
    shown = [(t.get_text(), t.get_window_extent(renderer).shrunk(0.98, 0.9)) for t in ax.texts]
    return [(a, b) for (a, ea), (b, eb) in combinations(shown, 2) if ea.overlaps(eb)]


@pytest.mark.parametrize("n_leaves", [1, 2, 5, 22, 40])
def test_plot_tree_new_figure_no_two_texts_overlap(n_leaves: int) -> None:
    ax = plot_tree(balanced(n_leaves), node_ids=True, impurity=True, counts=True)
    assert overlapping(ax) == []


@pytest.mark.parametrize("size", [(4, 3), (8, 6), (16, 10)])
def test_plot_tree_given_axes_no_two_texts_overlap(size: tuple[float, float]) -> None:
    _, ax = plt.subplots(figsize=size)
    assert plot_tree(balanced(22), ax=ax) is ax
    assert overlapping(ax) == []


def test_plot_tree_given_axes_texts_stay_inside() -> None:
    figure, ax = plt.subplots(figsize=(8, 6))
    plot_tree(balanced(22), ax=ax)
    renderer = figure.canvas.get_renderer()
    inside = ax.get_window_extent(renderer).padded(1)
    for text in ax.texts:
        extent = text.get_window_extent(renderer)
        assert inside.x0 <= extent.x0 < extent.x1 <= inside.x1, text.get_text()
        assert inside.y0 <= extent.y0 < extent.y1 <= inside.y1, text.get_text()


def test_plot_tree_words_lie_inside_their_boxes() -> None:
    ax = plot_tree(balanced(5))
    renderer = ax.figure.canvas.get_renderer()
    boxes = [
        path.get_extents(ax.transData)
        for collection in ax.collections
        if collection.get_zorder() == 3
        for path in collection.get_paths()
    ]
    said = [t for t in ax.texts if "≤" in t.get_text() or t.get_text().startswith("n = ")]
    assert said
    for text in said:
        extent = text.get_window_extent(renderer)
        assert any(
            box.x0 <= extent.x0 and extent.x1 <= box.x1 and box.y0 <= extent.y0 <= box.y1
            for box in boxes
        ), text.get_text()


def test_plot_tree_small_axes_folds_with_a_note() -> None:
    _, ax = plt.subplots(figsize=(5, 4))
    plot_tree(balanced(40), ax=ax)
    note = " ".join(texts(ax)[-3:])
    assert "folded" in note
    assert "of 79 nodes" in note


def test_plot_tree_letters_never_shrink_below_six_points() -> None:
    _, ax = plt.subplots(figsize=(5, 4))
    plot_tree(balanced(40), ax=ax)
    assert min(text.get_fontsize() for text in ax.texts) >= 6


def test_plot_tree_tiny_axes_is_a_clear_error() -> None:
    _, ax = plt.subplots(figsize=(1, 1))
    with pytest.raises(OptionError, match="Pass larger axes"):
        plot_tree(balanced(4), ax=ax)


def test_plot_tree_max_depth_folds_below_it() -> None:
    ax = plot_tree(balanced(8), max_depth=1)
    assert "2 subtrees below depth 1 are folded (12 of 15 nodes)." in " ".join(texts(ax))
    assert texts(ax).count("+ 6 nodes") == 2


def test_plot_tree_multiway_edges_carry_level_names() -> None:
    tree = build(("Patrons", {"None": "No", "Some": "Yes", "Full": ("x <= 30", "Yes", "No")}))
    shown = texts(plot_tree(tree))
    assert {"Patrons?", "None", "Some", "Full", "yes", "no"} <= set(shown)


def test_plot_tree_grouped_levels_ask_yes_or_no() -> None:
    tree = build(("Type", {("French", "Thai"): "No", ("Burger", "Italian"): "Yes"}))
    assert "Type in {French, Thai}" in texts(plot_tree(tree))


def test_plot_tree_names_with_dollars_and_backslashes_are_shown_as_they_are() -> None:
    tree = build(("Price", {"$": r"\alpha_1", "$$$": "$x^2$"}))
    ax = plot_tree(tree)
    ax.figure.canvas.draw()
    assert {"$", "$$$", r"\alpha_1 100%", "$x^2$ 100%"} <= set(texts(ax))


def test_plot_tree_hundred_per_cent_only_when_exact() -> None:
    tree = build(("x <= 1", {"a": 9999, "b": 1}, {"b": 5}))
    shown = texts(plot_tree(tree))
    assert "a >99%" in shown
    assert "b 100%" in shown


def test_plot_tree_regression_shows_values() -> None:
    tree = build(("x <= 1", Leaf(1.5, rows=3), Leaf(4.0, rows=1)))
    shown = texts(plot_tree(tree))
    assert {"1.5", "4", "n = 3 (75%)", "mean 2.125"} <= set(shown)


def test_plot_tree_single_leaf_is_one_box() -> None:
    assert "a 100%" in texts(plot_tree(build({"a": 3})))


def test_plot_tree_too_few_colors_is_a_clear_error() -> None:
    with pytest.raises(OptionError, match="at least 2 entries"):
        plot_tree(balanced(2), colors=["red"])


def test_plot_tree_of_something_else_is_a_clear_error() -> None:
    with pytest.raises(OptionError, match="from_sklearn"):
        plot_tree("tree")  # type: ignore[arg-type]


def test_plot_tree_chain_of_3000_levels_is_folded() -> None:
    literal: object = "a"
    for depth in range(3_000):
        literal = (f"x <= {depth}", "b" if depth % 2 else "a", literal)
    ax = plot_tree(build(literal))
    assert "are folded" in " ".join(texts(ax)) or "is folded" in " ".join(texts(ax))


def test_plot_tree_dark_style_uses_light_ink() -> None:
    with plt.style.context("dark_background"):
        ax = plot_tree(balanced(3))
        assert np.mean(plt.matplotlib.colors.to_rgb(ax.texts[0].get_color())) > 0.9


def test_plot_tree_vector_output_is_written(tmp_path: object) -> None:
    file = tmp_path / "tree.svg"  # type: ignore[operator]
    plot_tree(balanced(3)).figure.savefig(file)
    assert "<svg" in file.read_text()


def test_plot_tree_without_matplotlib_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import ceiba\n"
        "try: ceiba.plot.plot_tree(ceiba.tree.build('a'))\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'ceiba[plot]'" in done.stdout


def test_plot_tree_of_54_leaves_fits_a_page_and_a_poster_shows_all() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    model = ceiba.DecisionTreeClassifier(max_leaf_nodes=54).fit(X, rng.integers(0, 2, 900))
    page = plot_tree(model)
    assert sorted(page.figure.get_size_inches()) <= [11.7 + 1e-6, 16.5 + 1e-6]
    assert "folded" in " ".join(texts(page))
    assert min(text.get_fontsize() for text in page.texts) >= 6
    assert "folded" not in " ".join(texts(plot_tree(model, fit_to=(60, 40))))


def test_classes_that_are_numbers_carry_the_name_of_the_target() -> None:
    X = {"age": [1.0, 2, 3, 4], "Survived": [0, 0, 1, 1]}
    model = ceiba.DecisionTreeClassifier().fit(X, "Survived")
    assert "Survived = 1 · 100%" in texts(plot_tree(model))
    assert "Survived = 1" in model.to_text()
    unnamed = ceiba.DecisionTreeClassifier().fit({"age": X["age"]}, X["Survived"])
    assert "1 100%" in texts(plot_tree(unnamed))
