"""The small pictures in the boxes: numbers under histograms, level names, a word where none are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import ceiba
from ceiba.errors import OptionError
from ceiba.layout.panel_axis import bin_edges
from ceiba.plot import plot_tree
from ceiba.plot.painting.split_view import panel_rows, split_view
from ceiba.tree import LevelSets
from tests.plot import trees
from tests.plot.test_pictures import overlapping, texts


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def long_names() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(2)
    n = 600
    levels = [f"a very long level name, number {k}" for k in range(12)]
    X = pd.DataFrame(
        {
            "category": rng.choice(levels, n),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D"),
            "many": rng.choice([f"L{k}" for k in range(40)], n),
            "skewed": np.exp(rng.normal(0, 3, n)),
        }
    )
    odd = X["category"].str[-1].isin(list("13579"))
    y = np.where(odd, 2 * (X["when"] > "2024-07-01"), 3 + (X["skewed"] > 2) * 4)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 12, n), y)
    model = ceiba.DecisionTreeClassifier(max_leaf_nodes=8).fit(X, [f"class {k:02d}" for k in y])
    return model, X, [f"class {k:02d}" for k in y]


def test_histogram_has_least_value_cut_and_largest() -> None:
    model, X, y = trees.iris()
    shown = texts(plot_tree(model, X, y))
    node = model.tree_.node(0)
    column = np.asarray(X[node.split.column])
    assert {f"{column.min():g}", f"{node.split.cut:g}", f"{column.max():g}"} <= set(shown)


def test_histogram_of_levels_names_them() -> None:
    shown = texts(plot_tree(*trees.carseats()))
    assert {"Bad", "Good", "Medium"} <= set(shown)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_plot_tree_long_names_no_two_texts_overlap(direction: Any) -> None:
    assert overlapping(plot_tree(*long_names(), direction=direction)) == []


def test_split_view_bars_hold_all_rows_and_part_at_the_cut() -> None:
    model, X, y = long_names()
    tree, rows = model.tree_, panel_rows(model.tree_, X, y)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        view = split_view(tree, rows, node)
        assert np.isfinite(view.x).all()
        assert view.x.min() >= 0
        assert view.x.max() <= 1
        assert all(np.isclose(view.edges, cut).any() for cut in view.cuts)
        first = rows.end[view.rows] < tree.subtree_end[node + 1]
        assert ((view.x <= view.cuts[0]) == first).all()


@pytest.mark.parametrize("cuts", [[], [30.5], [41.0], [25.5, 60.2]])
@pytest.mark.parametrize("step", [1, 5, 86_400])
def test_bin_edges_of_whole_numbers_hold_equally_many_of_them(cuts: Any, step: int) -> None:
    values = np.arange(18, 80) * float(step)
    edges = bin_edges(values, [cut * step for cut in cuts], 48)
    assert edges is not None
    held = np.bincount(np.searchsorted(edges[1:-1], values, side="left"))
    assert held.tolist() == [1] * 62
    coarse = bin_edges(values, [cut * step for cut in cuts], 20)
    assert coarse is not None
    inner = np.bincount(np.searchsorted(coarse[1:-1], values, side="left"))
    if len(cuts) < 2:  # an outer bin may reach beyond the values
        assert set(inner[1:-1].tolist()) == {3}
    for cut in cuts:
        assert np.isclose(edges, cut * step).any()


def test_bin_edges_random_values_have_the_cut_and_all_but_the_tails() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        values = rng.normal(size=200) * rng.exponential(5)
        cut = float(rng.choice(values[(values > values.min()) & (values < values.max())]))
        edges = bin_edges(values, [cut], 18)
        assert edges is not None
        assert np.isclose(edges, cut).any()
        assert np.ptp([b - a for a, b in pairwise(edges)]) < 1e-9
        width = edges[1] - edges[0]
        assert values.min() > edges[0] - width
        assert values.max() < edges[-1] + width


def test_plot_tree_left_out_histograms_are_said() -> None:
    model, X, y = trees.large(60)
    assert any("No histograms" in text for text in texts(plot_tree(model, X, y)))
    assert not any("No histograms" in text for text in texts(plot_tree(model, X, y, max_depth=2)))
    assert not any("No histograms" in text for text in texts(plot_tree(model)))


def test_plot_tree_22_leaves_have_histograms() -> None:
    model, X, y = trees.breast_cancer()
    ax = plot_tree(model, X, y)
    assert sum(line.get_linestyle() == "--" for line in ax.lines) == 21
    assert overlapping(ax) == []


def test_plot_tree_rows_of_another_range_say_no_rows_where_none_are() -> None:
    tree = ceiba.tree.build(("x <= 1", {"a": 2}, ("x <= 5", {"b": 2}, {"a": 1})))
    ax = plot_tree(tree, {"x": [0.0, 0.5]}, ["a", "a"])
    assert "no rows" in texts(ax)


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("size", [(5.0, 4.0), (8.0, 6.0), (12.0, 4.0)])
def test_plot_tree_fit_to_keeps_within_the_size(size: Any, direction: Any) -> None:
    model, X, y = trees.breast_cancer()
    ax = plot_tree(model, X, y, fit_to=size, direction=direction)
    width, height = ax.figure.get_size_inches()
    assert width <= size[0] + 1e-6
    assert height <= size[1] + 1e-6
    assert overlapping(ax) == []
    assert min(text.get_fontsize() for text in ax.texts) >= 6
    inside = ax.get_window_extent().padded(1)
    for text in ax.texts:
        extent = text.get_window_extent()
        assert inside.x0 <= extent.x0
        assert extent.x1 <= inside.x1
        assert inside.y0 <= extent.y0
        assert extent.y1 <= inside.y1


def test_plot_tree_fit_to_with_axes_or_nonsense_is_refused() -> None:
    model, _, _ = trees.iris()
    _, ax = plt.subplots()
    with pytest.raises(OptionError, match="Pass only one of them"):
        plot_tree(model, ax=ax, fit_to=(4, 3))
    for wrong in ((4,), (0, 3), (4, float("nan"))):
        with pytest.raises(OptionError, match="in inches"):
            plot_tree(model, fit_to=wrong)


def test_missing_levels_with_a_branch_of_their_own_have_a_place() -> None:
    split = LevelSets("city", (("Oslo", "Lima"), ("Rome",)), missing_branch=True)
    X = {"city": ["Oslo", "Lima", "Rome", None, None]}
    tree = ceiba.tree.build((split, "a", "b", "c"))
    view = split_view(tree, panel_rows(tree, X, ["a", "a", "b", "c", "c"]), 0)
    assert view.x.tolist() == [0.125, 0.375, 0.625, 0.875, 0.875]
    assert view.cuts == (0.5, 0.75)
