"""Honest defaults: rows that judge, leaves of five rows, one opening of the test rows."""

from __future__ import annotations

import csv
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from tests.marks import slow
from tests.studio.page.conftest import Open
from tests.studio.page.hands import Hands
from tests.studio.page.passengers import write_passengers
from tests.studio.page.serving import serve_table

DATA = Path(os.environ.get("CEIBA_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))


def grow_all(hands: Hands) -> None:
    hands.page.click("#screen-editor")
    hands.await_rivals()
    hands.await_action(lambda: hands.page.click("#grow-all"))


def test_quarter_of_the_rows_judges_unless_one_click_says_otherwise(
    open_studio: Open, tmp_path: Path
) -> None:
    hands = open_studio(write_passengers(tmp_path / "passengers.csv"), "Survived")
    page = hands.page
    assert "200 rows (25%)" in page.inner_text("#judged-line")
    assert page.input_value("#option-min_samples_leaf") == "5"
    grow_all(hands)
    assert "±" in page.inner_text("#figure-held-out")
    assert hands.run("() => Math.min(...ceibaStudio.model().rows)") >= 5
    page.click("#screen-table")
    hands.await_action(lambda: page.click("#judged-toggle"))
    assert hands.run("() => ceibaStudio.studio.server.setup.n_held_out") == 0
    grow_all(hands)
    assert page.locator("#figure-train").count() == 0  # no training figure alone
    page.click("#tab-model")
    assert page.locator("#model-cv").count() == 1
    page.click("#cv-run")
    page.wait_for_selector("#figure-train")
    assert "±" in page.inner_text("#cv-box")
    assert hands.errors == []


def test_small_table_is_cross_validated_at_once(open_studio: Open, tmp_path: Path) -> None:
    hands = open_studio(write_passengers(tmp_path / "passengers.csv", n=300), "Survived")
    assert "cross-validation" in hands.page.inner_text("#judged-line")
    grow_all(hands)
    assert "±" in hands.page.inner_text("#cv-box")
    assert hands.run("() => ceibaStudio.studio.server.figures.cross_validated.current")


def test_prune_tab_has_the_curve_and_a_restart_keeps_it(browser: Any, tmp_path: Path) -> None:
    table = write_passengers(tmp_path / "passengers.csv")
    with serve_table(table, "Survived") as address:
        hands = Hands(browser, address)
        grow_all(hands)
        hands.page.click("#tab-prune")
        hands.page.wait_for_selector("#prune-chart .cv-dot")
        names = hands.page.inner_text("#panel")
        assert "CV minimum" in names
        assert "1-SE" in names
        figure = hands.page.inner_text("#cv-box strong")
        hands.context.close()
    with serve_table(table, "Survived") as address:
        again = Hands(browser, address)
        again.page.click("#screen-editor")
        assert again.page.inner_text("#cv-box strong") == figure
        again.page.click("#tab-prune")
        assert again.page.locator("#prune-chart .cv-dot").count() > 0
        again.context.close()


def test_test_rows_are_opened_once_and_the_log_says_so(browser: Any, tmp_path: Path) -> None:
    table = write_passengers(tmp_path / "passengers.csv")
    with serve_table(table, "Survived") as address:
        hands = Hands(browser, address)
        page = hands.page
        hands.await_action(lambda: page.select_option("#test-share", "0.2"))
        assert "160 sealed" in page.inner_text("#table-screen")
        grow_all(hands)
        page.click("#screen-hand_over")
        hands.await_action(lambda: page.click("#open-test"))
        assert "160 rows" in page.inner_text("#test-figure")
        assert "data.test" in page.inner_text("#log")
        assert page.locator("#open-test").count() == 0
        model = hands.run("() => ceibaStudio.studio.server.opened_test.figures.error")
        hands.await_action(lambda: page.keyboard.press("Control+z"))
        assert "earlier tree" in page.inner_text("#test-figure")  # undo does not seal them
        assert not hands.run("() => ceibaStudio.act('open_test')")
        hands.context.close()
    with serve_table(table, "Survived") as address:
        again = Hands(browser, address)
        assert again.run("() => ceibaStudio.studio.server.opened_test.figures.error") == model
        again.context.close()


def test_model_of_the_screen_is_handed_over_and_refit_is_another_button(
    open_studio: Open, tmp_path: Path
) -> None:
    hands = open_studio(write_passengers(tmp_path / "passengers.csv"), "Survived")
    grow_all(hands)
    trees = []
    hands.page.click("#screen-hand_over")
    for button in ("#bar-model", "#save-refit"):
        with hands.page.expect_download() as waiting:
            hands.page.click(button)
        waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
        trees.append(ceiba.load(tmp_path / waiting.value.suggested_filename).tree_)
    assert trees[0].n_rows[0] == 600
    assert trees[1].n_rows[0] == 800
    assert np.array_equal(trees[0].splits.cut, trees[1].splits.cut, equal_nan=True)


def test_chance_has_a_line_that_late_p_values_do_not_cross(
    open_studio: Open, tmp_path: Path
) -> None:
    rng = np.random.default_rng(2)
    table = tmp_path / "noise.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow(["ticket", "sex", *(f"x{j}" for j in range(5)), "y"])
        for _ in range(600):
            y = int(rng.integers(2))
            sex = "f" if rng.random() < (0.8 if y else 0.2) else "m"
            noise = np.round(rng.normal(size=5), 3).tolist()
            write.writerow([f"T{rng.integers(250)}", sex, *noise, "yes" if y else "no"])
    hands = open_studio(table, "y")
    page = hands.page
    page.click("#start")
    hands.await_rivals()
    order = "() => [...document.querySelectorAll('.rivals > li')].map((one) => one.dataset.column)"
    first = hands.run(order)
    assert first[0] == "sex"
    assert page.locator("#chance-line").count() == 1
    hands.until("!ceibaStudio.rivals.data.rivals.some((one) => one.p_bound === 'pending')")
    page.wait_for_timeout(100)
    assert hands.run(order) == first
    text = page.inner_text('.rival[data-column="sex"]')
    assert "of the impurity" in text
    hands.await_action(lambda: page.click("#grow-one"))
    assert hands.column_of(0) == "sex"


def test_regression_shows_shares_of_the_variance_and_rmse(
    open_studio: Open, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    area = rng.uniform(50, 300, 700)
    price = 1000 * area + rng.normal(scale=20_000, size=700)
    rows = [f"{a:.1f},{p:.0f}" for a, p in zip(area, price, strict=True)]
    table = tmp_path / "homes.csv"
    table.write_text("\n".join(["area,price", *rows]), "utf-8")
    hands = open_studio(table, "price")
    hands.page.click("#start")
    hands.open_column("area")
    assert "of the variance" in hands.page.inner_text("#preview")
    assert "RMSE" in hands.page.inner_text("#figure-held-out")
    biggest = hands.run(
        """() => Math.max(...(document.querySelector("#panel").innerText.match(/[\\d,]+/g) || [])
          .map((text) => Number(text.replaceAll(",", ""))))"""
    )
    assert biggest < 1e8  # squared dollars would be above
    hands.await_action(lambda: hands.page.click("#take-draft"))
    hands.page.click("#tab-trees")
    hands.page.click("#compare-run")
    verdict = hands.page.locator("#comparison-verdict")
    assert "of the variance" in verdict.inner_text()


TABLES = {
    "titanic.csv": "Survived",
    "german_credit.csv": "column_21",  # no header
    "ames_housing.csv": "SalePrice",
    "telco_customer_churn.csv": "Churn",
}


@pytest.mark.parametrize("name", slow(list(TABLES)))
def test_no_screen_shows_a_training_figure_without_its_twin(
    open_studio: Open, tmp_path: Path, name: str
) -> None:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not in {DATA} (CEIBA_DATA)")
    table = Path(shutil.copy(DATA / name, tmp_path / name))
    hands = open_studio(table, TABLES[name])
    grow_all(hands)
    for tab in ("node", "prune", "model", "trees", "log"):
        hands.page.click(f"#tab-{tab}")
        if hands.page.locator("#figure-train").count():
            judged = hands.run(
                """() => Boolean(document.querySelector("#figure-held-out strong")
                  || document.querySelector("#cv-box strong:not(.old)"))"""
            )
            assert judged, tab
    assert hands.errors == []
