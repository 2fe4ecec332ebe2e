"""The line of chance: what noise gains, how often it passes, and what growing takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ceiba.studio.analysis.rivals import find_rivals
from ceiba.studio.service import Service
from tests.studio.random_work import frame, opened
from tests.studio.serving import Talk
from tests.studio.test_node_analysis import analyze, workspace_on
from tests.studio.test_script import rebuilt


@pytest.mark.parametrize("regression", [False, True])
def test_chance_gain_of_a_fixed_split_is_that_of_permutation_theory(regression: bool) -> None:
    rng = np.random.default_rng(0)
    n = 120
    data: dict[str, Any] = {f"b{j}": rng.integers(0, 2, n).tolist() for j in range(60)}
    y = rng.normal(size=n) if regression else rng.integers(0, 2, n)
    data["y"] = y.tolist()
    listing = find_rivals(analyze(workspace_on(data, "y")), 0)
    shares = [one["chance_gain"] / listing["impurity"] for one in listing["rivals"]]
    assert np.mean(shares) == pytest.approx(1 / (n - 1), rel=0.1)  # exact on average


def test_noise_passes_the_line_in_one_column_of_twenty() -> None:
    passed = total = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        data: dict[str, Any] = {f"x{j}": rng.normal(size=150).tolist() for j in range(6)}
        data |= {f"c{j}": rng.choice(list("abcdefgh"), 150).tolist() for j in range(6)}
        data["y"] = rng.integers(0, 2, 150).tolist()
        listed = find_rivals(analyze(workspace_on(data, "y")), 0)["rivals"]
        passed += sum(not one["by_chance"] for one in listed)
        total += len(listed)
    assert total == 144
    assert passed <= 15  # 7.2 expected; more than 15 in one case of 300


def many_levels(n: int = 400) -> dict[str, Any]:
    """A strong column of two levels, and a code whose many levels fit anything."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, n)
    sex = np.where(rng.random(n) < 0.27, 1 - y, y)
    ticket = rng.integers(0, n // 2, n)
    return {"ticket": [f"T{k}" for k in ticket], "sex": [f"s{k}" for k in sex], "y": y.tolist()}


def test_many_levels_do_not_stand_above_a_strong_column_and_growing_takes_the_first() -> None:
    workspace = workspace_on(many_levels(), "y")
    talk = Talk(workspace)
    listed = talk.get("/api/node/0/rivals")["rivals"]
    gains = {one["column"]: one["gain"] for one in listed}
    assert gains["ticket"] > gains["sex"]
    assert listed[0]["column"] == "sex"
    state = talk.act("grow", node=0, levels=1)
    assert state["log"][-1]["line"].startswith("model = model.set_split(0, 'sex = ")
    assert state["by_hand"] == []  # cross-validation searches it again
    grown = Talk(workspace_on(many_levels(), "y")).act("grow", node=0, levels=None)
    assert grown["tree"]["nodes"]["splits"]["column"][0] == 1  # everything: sex first, too
    assert grown["by_hand"] == []


@pytest.mark.parametrize("options", [{}, {"criterion": "entropy"}, {"criterion": "absolute_error"}])
def test_gains_are_shares_of_the_impurity_that_they_take_away(options: dict[str, str]) -> None:
    target = "amount" if "absolute_error" in options.values() else "buys"
    workspace = opened(3, target, **options)
    listing = find_rivals(analyze(workspace), 0)
    best = listing["rivals"][0]
    workspace.act("take", {"node": 0, "split": best["given"]})
    tree = workspace.state.tree
    assert tree is not None
    after = tree.weight[1:] @ tree.impurity[1:] / tree.weight[0]
    assert 1 - best["gain"] / listing["impurity"] == pytest.approx(after / tree.impurity[0])


def test_growing_everything_takes_what_stands_first_at_every_node_and_replays() -> None:
    workspace = workspace_on(frame(11, n=240), "buys")
    service = Service(workspace)
    service.act({"action": "grow", "arguments": {"node": 0, "levels": None}})
    tree = workspace.state.fitted_tree
    analysis = service.analysis()
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        first = find_rivals(analysis, node)["rivals"][0]
        split = tree.node(node).split
        assert split is not None
        assert first["by_chance"] or first["column"] == split.column
    entry = workspace.steps[-1]
    assert len(entry.line.splitlines()) == len(workspace.state.lines)
    assert rebuilt(workspace, frame(11, n=240)).tree_ == tree


def test_growing_two_levels_with_replaced_splits_stops_where_it_would() -> None:
    data = many_levels()
    service = Service(workspace_on(data, "y"))
    service.act({"action": "grow", "arguments": {"node": 0, "levels": 2}})
    tree = service.workspace.state.fitted_tree
    assert tree.depth == 2
    assert rebuilt(service.workspace, data).tree_ == tree
