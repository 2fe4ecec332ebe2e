"""`ceiba view`: keys, figures, search and the way of a row, by Textual's pilot."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from tests.cli.running import run

pytest.importorskip("textual")

Talk = Callable[[Any, Any], Awaitable[None]]


@pytest.fixture(scope="module")
def model() -> Any:
    data = ceiba.datasets.load_iris()
    return ceiba.DecisionTreeClassifier().fit(data.X, data.y)


def walk(model: Any, talk: Talk, rows: Any = None) -> None:
    """Start the viewer and let a test press keys."""
    from ceiba.cli.terminal.view_app import TreeViewer
    from ceiba.table.read_for_predict import read_like

    tree = model.tree_
    table = None if rows is None else read_like(rows, tree.schema)

    async def main() -> None:
        app = TreeViewer(tree, table)
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            await talk(app, pilot)

    asyncio.run(main())


def figures(app: Any) -> str:
    from textual.widgets import Static

    return str(app.query_one("#figures", Static).render())


def cursor(app: Any) -> int:
    node = app._outline.cursor_node
    return int(node.data)


def test_arrow_keys_walk_and_space_folds(model: Any) -> None:
    async def talk(app: Any, pilot: Any) -> None:
        assert cursor(app) == 0
        assert "Node 0" in figures(app)
        assert "150 rows" in figures(app)
        await pilot.press("down")
        assert cursor(app) == 1
        assert "Leaf 1" in figures(app)
        await pilot.press("down")
        assert cursor(app) == 2
        assert app.items[2].is_expanded == (int(model.tree_.node_depth[2]) < 2)
        before = app.items[2].is_expanded
        await pilot.press("space")
        assert app.items[2].is_expanded != before

    walk(model, talk)


def test_figures_are_those_of_the_node(model: Any) -> None:
    async def talk(app: Any, pilot: Any) -> None:
        await pilot.press("e", "down", "down")
        node = cursor(app)
        shown = figures(app)
        assert f"{model.tree_.n_rows[node]} rows" in shown
        for label in model.classes_:
            assert str(label) in shown

    walk(model, talk)


def test_search_goes_to_the_next_that_is_meant(model: Any) -> None:
    async def talk(app: Any, pilot: Any) -> None:
        await pilot.press("slash", *"petal width", "enter")
        await pilot.pause()
        first = cursor(app)
        assert "petal width" in app._label(first).plain
        await pilot.press("n")
        await pilot.pause()
        assert cursor(app) > first
        await pilot.press("slash", *"#4", "enter")
        await pilot.pause()
        assert cursor(app) == 4
        assert app.items[2].is_expanded

    walk(model, talk)


def test_row_is_followed_to_its_leaf(model: Any) -> None:
    data = ceiba.datasets.load_iris()
    ends = model.apply(data.X).tolist()

    async def talk(app: Any, pilot: Any) -> None:
        assert cursor(app) == ends[0]
        assert "Row 1" in figures(app)
        await pilot.press("left_square_bracket")
        await pilot.pause()
        assert cursor(app) == ends[-1]
        assert app.row_path >= {0, ends[-1]}
        assert app._label(ends[-1]).plain.startswith("●")
        await pilot.press("right_square_bracket", "right_square_bracket")
        await pilot.pause()
        assert cursor(app) == ends[1]

    walk(model, talk, data.X)


def test_regression_tree_is_walked_too() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    model = ceiba.DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0])

    async def talk(app: Any, pilot: Any) -> None:
        await pilot.press("c", "down")
        assert "prediction" in figures(app)

    walk(model, talk)


def test_row_that_is_not_there_is_refused(learned: Path) -> None:
    done = run("view", "iris.ceiba", "iris.csv", "--row", 999, cwd=learned)
    assert done.returncode == 3
    assert "--row must be at most 150" in done.stderr
