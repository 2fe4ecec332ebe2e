"""What moves with the work: the ghost of a split, the live curve, profit, the credit preset."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studio.page.conftest import Open
from tests.studio.page.hands import Hands
from tests.studio.page.passengers import write_passengers

CARDS = "() => [...document.querySelectorAll('.ghost-card')].map((one) => one.innerText)"
INSIDE = """() => { const pane = document.getElementById('tree-holder').getBoundingClientRect();
  return [...document.querySelectorAll('.ghost-card')].every((one) => {
    const r = one.getBoundingClientRect();
    return r.left >= pane.left && r.right <= pane.right && r.top >= pane.top
      && r.bottom <= pane.bottom; }); }"""


@pytest.fixture
def hands(open_studio: Open, tmp_path: Path) -> Hands:
    hands = open_studio(write_passengers(tmp_path / "passengers.csv"), "Survived")
    hands.page.click("#screen-editor")
    hands.await_rivals()
    return hands


def test_ghost_follows_the_cut_and_becomes_solid(hands: Hands) -> None:
    page = hands.page
    hands.open_column("Age")
    page.wait_for_selector(".ghost-card")
    before = hands.run(CARDS)
    assert len(before) == 2
    assert all("held-out" in text for text in before)
    hands.drag_cut(0.5)
    hands.until("ceibaStudio.draft().answer.given.cut === ceibaStudio.draft().cut")
    hands.page.wait_for_timeout(100)  # a frame
    after = hands.run(CARDS)
    assert after != before
    rows = hands.run("() => ceibaStudio.draft().answer.branches.map((one) => one.n_rows)")
    assert [f"n {n}" in text for n, text in zip(rows, after, strict=True)] == [True, True]
    assert hands.run(INSIDE)
    hands.await_action(lambda: page.click("#take-draft"))
    assert page.locator(".ghost-card").count() == 0
    assert hands.run("() => [...ceibaStudio.model().rows].slice(1)") == rows
    # A leaf at the edge: the tree makes room for its branches.
    hands.click_node(2)
    hands.open_column("Embarked")
    hands.until("document.querySelectorAll('.ghost-card').length >= 2")
    page.wait_for_timeout(200)
    assert hands.run(INSIDE)
    page.click("#draft-close")
    assert page.locator(".ghost-card").count() == 0
    assert hands.errors == []


def test_live_curve_has_a_dot_per_step_of_work(hands: Hands) -> None:
    page = hands.page
    assert page.locator("#live-curve").count() == 0
    hands.await_action(lambda: page.click("#take-0"))
    hands.await_action(lambda: page.click("#grow-all"))
    assert page.locator("#live-curve .curve-dot.train").count() == 3
    assert page.locator("#live-curve .curve-dot.test").count() == 3
    trail = hands.run("() => ceibaStudio.studio.server.trail")
    figures = hands.run("() => ceibaStudio.studio.server.figures")
    assert trail[-1]["held_out"] == figures["held_out"]["error"]
    assert [point["n_leaves"] for point in trail][:2] == [1, 2]
    page.click("#cv-run")
    page.wait_for_selector("#live-curve .curve-dot.cv")
    hands.await_action(lambda: page.keyboard.press("Control+z"))
    assert page.locator("#live-curve .curve-dot.test").count() == 2


def test_costs_show_the_profit_and_the_model_tab_draws_it(hands: Hands) -> None:
    page = hands.page
    assert page.locator("#figure-profit").count() == 0
    hands.run("() => ceibaStudio.act('set_options', {options: {}, cost_matrix: [[0, 1], [4, 0]]})")
    hands.await_action(lambda: page.click("#grow-all"))
    held = hands.run("() => ceibaStudio.studio.server.figures.held_out")
    shown = page.inner_text("#figure-profit strong").replace("−", "-")
    assert float(shown) == pytest.approx(held["profit"], rel=0.01)
    page.click("#tab-model")
    assert page.input_value("#lift-hit") == "4"
    assert page.input_value("#lift-alarm") == "1"


def test_credit_preset_sets_leaves_of_five_percent_and_validation_rows(
    open_studio: Open, tmp_path: Path
) -> None:
    hands = open_studio(write_passengers(tmp_path / "passengers.csv"), "Survived")
    hands.run("() => ceibaStudio.act('set_held_out', {})")
    hands.page.select_option("#preset", "credit")
    hands.until("ceibaStudio.studio.server.setup.options.min_samples_leaf === 0.05")
    assert hands.run("() => ceibaStudio.studio.server.setup.n_held_out") == 200
    hands.page.click("#screen-editor")
    hands.await_rivals()
    hands.await_action(lambda: hands.page.click("#grow-all"))
    assert hands.run("() => Math.min(...ceibaStudio.model().rows)") >= 30


def test_node_name_stands_on_its_card(hands: Hands) -> None:
    hands.await_action(lambda: hands.page.click("#take-0"))
    before = hands.run("() => document.getElementById('tree').toDataURL()")
    hands.run("() => ceibaStudio.act('note', {node: 1, name: 'Women'})")
    hands.page.wait_for_timeout(300)
    assert hands.run("() => document.getElementById('tree').toDataURL()") != before
