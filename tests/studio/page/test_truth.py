"""What the page says of splits and trees is true: badges, verdicts, histograms, roles."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.studio.page.conftest import Open
from tests.studio.page.passengers import write_passengers


def test_split_by_hand_has_a_line_of_its_own_and_the_best_can_be_taken(
    open_studio: Open, tmp_path: Path
) -> None:
    hands = open_studio(write_passengers(tmp_path / "passengers.csv"), "Survived")
    page = hands.page
    page.click("#start")
    hands.open_column("Age")
    best = hands.run("() => ceibaStudio.draft().cut")
    page.fill("#cut-typed", "40.5")
    page.keyboard.press("Tab")
    hands.until("ceibaStudio.draft().answer.given.cut === 40.5")
    hands.await_action(lambda: page.click("#take-draft"))
    hands.await_rivals()
    assert page.locator("#rival-list .tag").count() == 0  # no rival is in the tree
    assert "40.5" in page.inner_text("#in-tree")
    gain = hands.run("() => ceibaStudio.rivals.data.in_tree.gain")
    assert abs(gain - hands.run("() => ceibaStudio.model().gain[0]")) < 1e-6
    if page.locator("#all-rivals").count():
        page.click("#all-rivals")
    hands.await_action(lambda: page.click('.rival[data-column="Age"] .take'))
    hands.await_rivals()
    assert hands.run("() => ceibaStudio.model().splits.cut[0]") == best
    assert page.locator("#in-tree").count() == 0
    if page.locator("#all-rivals").count():
        page.click("#all-rivals")
    tagged = page.locator("#rival-list .rival:has(.tag)")
    assert tagged.get_attribute("data-column") == "Age"
    assert tagged.locator(".take").is_disabled()
    assert hands.errors == []


def test_comparison_has_no_verdict_on_training_rows_and_offers_to_cross_validate_both(
    open_studio: Open, tmp_path: Path
) -> None:
    hands = open_studio(write_passengers(tmp_path / "passengers.csv"), "Survived")
    page = hands.page
    hands.run("() => ceibaStudio.act('set_held_out', {})")
    page.click("#screen-editor")
    hands.await_rivals()
    hands.await_action(lambda: page.click("#grow-one"))
    page.click("#tab-trees")
    page.click("#compare-run")
    page.wait_for_selector("#compare-cv")
    assert "%" not in page.inner_text("#comparison table")  # no figure of the training rows alone
    page.click("#compare-cv")
    hands.until("/error|same/.test(document.querySelector('#comparison-verdict')?.textContent)")
    text = page.inner_text("#comparison")
    assert "cross-validated" in text
    assert "points" not in text
    assert hands.errors == []


def test_same_trees_are_said_to_be_the_same(open_studio: Open, tmp_path: Path) -> None:
    hands = open_studio(write_passengers(tmp_path / "passengers.csv"), "Survived")
    page = hands.page
    hands.run("() => ceibaStudio.act('set_held_out', {share: 0.25})")
    page.click("#screen-editor")
    hands.await_rivals()
    hands.await_action(lambda: page.click("#grow-all"))
    page.click("#tab-trees")
    page.click("#compare-run")
    page.wait_for_selector("#comparison-verdict")
    assert page.inner_text("#comparison-verdict") == "Both trees are the same on these rows."


def test_histogram_of_whole_numbers_is_no_comb(open_studio: Open, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    ages = np.repeat(np.arange(18, 80), 20)
    rows = [f"{age},{'yes' if rng.random() < age / 100 else 'no'}" for age in rng.permutation(ages)]
    table = tmp_path / "ages.csv"
    table.write_text("\n".join(["age,y", *rows]), "utf-8")
    hands = open_studio(table, "y")
    hands.run("() => ceibaStudio.act('set_held_out', {})")
    hands.page.click("#screen-editor")
    hands.open_column("age")
    counts = hands.run("() => ceibaStudio.draft().data.bars.n")
    bars = np.reshape(counts, (-1, 2)).sum(axis=1)
    assert set(bars.tolist()) == {20}  # every age has as many rows as any other
    spark = hands.run("() => ceibaStudio.studio.columns.columns[0].histogram")
    assert len(set(spark[:-1])) == 1


def test_identifier_with_leading_zeros_is_ignored_and_says_both(
    open_studio: Open, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    rows = [f"{k:05d},{rng.integers(9)},{k % 2}" for k in range(300)]
    table = tmp_path / "parcels.csv"
    table.write_text("\n".join(["PID,x,y", *rows]), "utf-8")
    hands = open_studio(table, "y")
    hands.page.wait_for_selector('tr[data-column="PID"] .remark')
    assert hands.page.input_value("#role-0") == "ignore"
    said = hands.page.inner_text('tr[data-column="PID"]')
    assert "identifier" in said
    assert "begin with 0" in said
