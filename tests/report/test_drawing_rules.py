"""Rules of the drawn tree: one direction, text rather than dots, pills in view, labels on links."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.layout.captions import edge_labels
from ceiba.layout.placing import tidy
from tests.report.browser import Open, Opened
from tests.report.test_labels import drawn

DIRECTION = "() => ceibaReport.view.direction"


def large_tree(leaves: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2000, 6))
    y = rng.integers(0, 2, 2000)
    return ceiba.DecisionTreeClassifier(max_leaf_nodes=leaves).fit(X, y)


def boxes(opened: Opened) -> list[dict[str, float]]:
    """Return the rectangles of the drawing, pills and their text included."""
    found: list[dict[str, float]] = opened.run(
        """() => {
          const svg = ceibaReport.viewSvg();
          document.body.append(svg);
          const all = [...svg.querySelectorAll("rect, text")].slice(1).map((node) => {
            const { x, y, width, height } = node.getBBox();
            return { x, y, width, height };
          });
          svg.remove();
          return all;
        }"""
    )
    return found


def test_direction_is_kept_while_the_tree_is_pruned(open_page: Open) -> None:
    opened = open_page("pruned", large_tree(40), reports={})
    first = opened.run(DIRECTION)
    n_steps = opened.run("() => ceibaReport.model.steps.length")
    for step in range(n_steps):
        opened.run("(k) => ceibaReport.update({ step: k })", step)
        assert opened.run(DIRECTION) == first
    opened.page.click("#turn")
    turned = opened.run(DIRECTION)
    assert turned != first
    opened.run("() => ceibaReport.update({ step: 0 })")
    assert opened.run(DIRECTION) == turned


@pytest.mark.parametrize("width", [1024, 1400])
def test_first_view_has_text_and_every_pill_inside(open_page: Open, width: int) -> None:
    opened = open_page(
        "large", large_tree(1200), reports={}, viewport={"width": width, "height": 800}
    )
    inside = opened.run("() => [ceibaReport.view.width, ceibaReport.view.height]")
    found = boxes(opened)
    assert len(found) > 20
    for box in found:
        assert box["x"] >= -1, box
        assert box["y"] >= -1, box
        assert box["x"] + box["width"] <= inside[0] + 1, box
        assert box["y"] + box["height"] <= inside[1] + 1, box
    texts = [word["text"] for word in drawn(opened)["words"]]
    assert sum("≤" in text for text in texts) >= 3
    opened.page.click("#fit")
    assert any("≤" in word["text"] for word in drawn(opened)["words"])


@pytest.mark.parametrize("direction", ["right", "down"])
def test_labels_of_multiway_branches_are_on_their_own_link(open_page: Open, direction: str) -> None:
    rng = np.random.default_rng(1)
    X = {"city": rng.choice(list("abcdef"), 900), "age": rng.integers(18, 80, 900)}
    y = (np.searchsorted(list("abcdef"), X["city"]) % 3 + (X["age"] > 50) + rng.random(900)) > 1.5
    fitted = ceiba.chaid().fit(X, np.where(y, "yes", "no"))
    tree = fitted.tree_
    n_branches = np.diff(tree.branch_start)
    named = {text for node in np.flatnonzero(n_branches > 2) for text in edge_labels(tree, node)}
    named -= {text for node in np.flatnonzero(n_branches == 2) for text in edge_labels(tree, node)}
    opened = open_page("multiway", fitted, reports={})
    turn = "(way) => { ceibaReport.state.orientation = way; ceibaReport.fitTree(); }"
    opened.run(turn, direction)
    found = drawn(opened)
    labels = [word for word in found["words"] if word["text"] in named]
    assert len(labels) > 1
    ends = [link["points"][-1] for link in found["links"]]
    for label in labels:
        x, y = label["x"] + label["width"] / 2, label["y"] + label["height"] / 2
        off = [abs(end[1] - y) if direction == "right" else abs(end[0] - x) for end in ends]
        assert min(off) < 3, (label, ends)


def test_legend_of_numbers_has_no_number_twice(open_page: Open) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    for leaves in (2, 5, 8):
        fitted = ceiba.DecisionTreeRegressor(max_leaf_nodes=leaves).fit(X, X[:, 0].round(1))
        opened = open_page(f"legend_{leaves}", fitted, reports={})
        items = opened.page.locator(".left > .key .legend-item").all_inner_texts()
        numbers = [text for text in items if any(c.isdigit() for c in text) and "+" not in text]
        assert len(set(numbers)) == len(numbers), numbers


def test_positions_of_page_and_plots_are_equal_on_50_trees(open_page: Open) -> None:
    opened = open_page("classes")
    rng = np.random.default_rng(3)
    for seed in range(50):
        tree = large_tree(int(rng.integers(2, 60)), seed).tree_
        parent = [-1, *tree.parent[1:].tolist()]
        here = opened.run("(p) => Array.from(ceibaReport.tidyLayout(p, 1, 0.06))", parent)
        assert np.abs(np.asarray(here) - tidy(parent, [1.0] * len(parent), gap=0.06)).max() < 1e-9
