"""The page around the tree: axe, languages, narrow screens, several tabs, a lost connection."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from tests.report.checkers import axe_source, violations
from tests.report.models import HOSTILE
from tests.studio.page.conftest import Open
from tests.studio.page.hands import Hands
from tests.studio.page.passengers import write_passengers

TABS = ("node", "prune", "model", "trees", "log")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_passengers(tmp_path / "passengers.csv", n=300)


def open_all(page: Any) -> None:
    page.evaluate("() => document.querySelectorAll('details').forEach((d) => (d.open = true))")


def grown(hands: Hands) -> Hands:
    hands.page.click("#start")
    hands.await_rivals()
    hands.await_action(lambda: hands.page.click("#grow-all"))
    return hands


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_screen_and_tab_has_no_violation_by_axe(
    open_studio: Open, table: Path, scheme: str
) -> None:
    hands = open_studio(table, "--target", "Survived", color_scheme=scheme)
    page = hands.page
    page.evaluate(axe_source())
    page.wait_for_selector(".column-histogram")
    open_all(page)
    found = {"table": violations(page)}
    grown(hands)
    hands.open_column("Age")
    found["cut"] = violations(page)
    hands.open_column("Embarked")
    open_all(page)
    found["levels"] = violations(page)
    for tab in TABS:
        page.click(f"#tab-{tab}")
        if tab == "trees":
            page.fill("#snapshot-name", "first")
            hands.await_action(lambda: page.click("#snapshot-keep"))
            page.click("#compare-run")
            page.wait_for_selector("#comparison-verdict")
        open_all(page)
        found[tab] = violations(page)
    assert found == {key: [] for key in found}
    assert hands.errors == []


WORDS = {
    "es": (
        "Empezar",
        "Divisiones posibles",
        "Deshacer",
        "Guardar script",
        "Desarrollar un nivel",
    ),
    "pt": ("Começar", "Divisões possíveis", "Desfazer", "Salvar script", "Desenvolver um nível"),
}


@pytest.mark.parametrize("lang", ["es", "pt"])
def test_page_speaks_the_language_everywhere(open_studio: Open, table: Path, lang: str) -> None:
    hands = open_studio(table, "--target", "Survived", "--lang", lang)
    page = hands.page
    page.wait_for_selector(".column-histogram")
    said = page.inner_text("body")
    grown(hands)
    hands.open_column("Age")
    for tab in TABS:
        page.click(f"#tab-{tab}")
        said += page.inner_text("body")
    assert page.get_attribute("html", "lang") == lang
    assert "⟦" not in said
    for one in WORDS[lang]:
        assert re.search(one, said, re.IGNORECASE), one
    assert re.search(r"\d,\d", page.inner_text("#figure-train"))  # a decimal comma
    english = {"Undo", "Training", "Possible splits", "Grow everything", "Held-out", "Save model"}
    assert [word for word in english if word.casefold() in said.casefold()] == []
    page.select_option("#lang", "en")
    assert "Undo" in page.inner_text("#bench-bar")


@pytest.mark.parametrize("lang", ["en", "es", "pt"])
def test_page_of_390_px_is_read_without_scrolling_sideways(
    open_studio: Open, table: Path, lang: str
) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    hands = open_studio(table, "--target", "Survived", "--lang", lang, **phone)
    page = hands.page
    page.wait_for_selector(".column-histogram")
    wide = [page.evaluate("() => document.documentElement.scrollWidth")]
    grown(hands)
    hands.open_column("Age")
    for tab in TABS:
        page.click(f"#tab-{tab}")
        wide.append(page.evaluate("() => document.documentElement.scrollWidth"))
    assert max(wide) <= 390
    small = page.evaluate(
        """() => [...document.querySelectorAll('#app *')].filter((one) => one.childNodes.length
             && [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())
             && one.offsetParent && !one.closest('.twin, svg')
             && parseFloat(getComputedStyle(one).fontSize) < 11).map((one) => one.outerHTML)"""
    )
    assert small == []


def test_tree_grown_from_the_root_is_the_automatic_one(open_studio: Open, table: Path) -> None:
    hands = grown(open_studio(table, "--target", "Survived"))
    hands.page.click("#tab-trees")
    hands.page.click("#compare-run")
    hands.page.wait_for_selector("#comparison-verdict")
    assert "equally good" in hands.page.inner_text("#comparison-verdict")
    assert "0 of " in hands.page.inner_text("#comparison")


def test_two_tabs_stay_in_step_and_an_edit_of_an_old_tree_is_refused(
    open_studio: Open, browser: Any, table: Path
) -> None:
    one = grown(open_studio(table, "--target", "Survived"))
    two = Hands(browser, one.page.url)
    assert two.shape() == one.shape()
    one.click_node(0)
    one.await_action(lambda: one.page.click("#cut-branch"))
    two.until("ceibaStudio.model().n === 1")
    assert two.revision() == one.revision()
    two.await_action(lambda: two.page.keyboard.press("Control+z"))
    one.until("ceibaStudio.model().n > 1")
    assert one.shape() == two.shape()
    two.context.close()


def test_lost_connection_is_said_and_recovers(open_studio: Open, browser: Any, table: Path) -> None:
    hands = grown(open_studio(table, "--target", "Survived"))
    other = Hands(browser, hands.page.url)
    assert hands.page.is_hidden("#lost")
    hands.context.set_offline(True)
    hands.run("() => ceibaStudio.act('undo', {steps: 1})")
    hands.until("!document.getElementById('lost').hidden")
    size = len(hands.shape())
    other.await_action(lambda: other.page.keyboard.press("Control+z"))
    assert len(hands.shape()) == size  # it cannot know
    hands.context.set_offline(False)
    hands.until("document.getElementById('lost').hidden")
    hands.until("ceibaStudio.model().n === 1")
    assert hands.revision() == other.revision()
    other.context.close()


def test_hostile_names_are_inert_and_shown(open_studio: Open, tmp_path: Path) -> None:
    path = tmp_path / "hostile.csv"
    names = [name.replace("\n", " ") for name in HOSTILE]
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow([*names, "y"])
        for k in range(60):
            cells = [str((k * (j + 3)) % 17) if j % 2 else names[(k + j) % 3] for j in range(7)]
            write.writerow([*cells, HOSTILE[0] if k % 17 > 8 else "b"])
    hands = open_studio(path, "--target", "y")
    hands.page.wait_for_selector("#columns .bar-track")
    grown(hands)
    for k in range(hands.page.locator(".rival-name").count()):
        hands.page.locator(".rival-name").nth(k).click()
        hands.page.wait_for_timeout(80)
    for tab in TABS:
        hands.page.click(f"#tab-{tab}")
    assert hands.page.locator("#app img").count() == 0
    assert hands.errors == []
    assert hands.outside() == []
