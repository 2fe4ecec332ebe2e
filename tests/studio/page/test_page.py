"""The page around the tree: axe, languages, narrow screens, several tabs, a lost connection."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.marks import slow
from tests.report.checkers import axe_source, violations
from tests.report.models import HOSTILE
from tests.studio.page.conftest import Open
from tests.studio.page.hands import Hands
from tests.studio.page.passengers import write_passengers
from tests.studio.page.serving import Served, serve

TABS = ("node", "prune", "model", "trees", "log")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One studio for all tests of this file; each begins at the root."""
    table = write_passengers(tmp_path_factory.mktemp("studio") / "passengers.csv", n=300)
    with serve(table, "--target", "Survived", "--lang", "es") as started:
        yield started


@pytest.fixture
def open_tab(browser: Any, served: Served) -> Iterator[Open]:
    """Open a tab on the table, in a language."""
    with ExitStack() as stack:

        def open_it(lang: str = "en", **options: Any) -> Hands:
            hands = Hands(browser, served.address, **options)
            stack.callback(hands.context.close)
            if hands.run("() => ceibaStudio.model().n") > 1:
                hands.await_action(lambda: hands.run("() => void ceibaStudio.act('restart')"))
            hands.page.click("#screen-table")
            hands.page.select_option("#lang", lang)
            hands.page.wait_for_selector(".column-histogram")
            return hands

        yield open_it


def open_all(page: Any) -> None:
    page.evaluate("() => document.querySelectorAll('details').forEach((d) => (d.open = true))")


def grown(hands: Hands) -> Hands:
    hands.page.click("#start")
    hands.await_rivals()
    hands.await_action(lambda: hands.page.click("#grow-all"))
    return hands


@pytest.mark.parametrize("scheme", ["dark", *slow(["light"])])
def test_every_screen_and_tab_has_no_violation_by_axe(open_tab: Open, scheme: str) -> None:
    hands = open_tab(color_scheme=scheme)
    page = hands.page
    page.evaluate(axe_source())
    open_all(page)
    found = {"table": violations(page)}
    grown(hands)
    hands.open_column("Age")
    found["cut"] = violations(page)
    hands.open_column("Embarked")
    open_all(page)
    found["levels"] = violations(page)
    for tab in TABS[1:]:
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
    "en": ("Start", "Possible splits", "Undo", "Save script", "Grow one level"),
    "es": ("Empezar", "Divisiones posibles", "Deshacer", "Guardar script", "Desarrollar un nivel"),
    "pt": ("Começar", "Divisões possíveis", "Desfazer", "Salvar script", "Desenvolver um nível"),
}
ENGLISH = {"Undo", "Training", "Possible splits", "Grow everything", "Held-out", "Save model"}
SMALL = """() => [...document.querySelectorAll('#app *')].filter((one) => one.offsetParent
  && [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())
  && !one.closest('.outline, svg') && parseFloat(getComputedStyle(one).fontSize) < 11)
  .map((one) => one.outerHTML)"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.mark.slow
def test_page_opens_in_the_language_of_the_command(browser: Any, served: Served) -> None:
    hands = Hands(browser, served.address)
    assert hands.page.get_attribute("html", "lang") == "es"
    assert "Tabla" in hands.page.inner_text("header")
    hands.context.close()


@pytest.mark.parametrize("lang", ["pt", *slow(["en", "es"])])
def test_phone_of_390_px_reads_every_tab_in_every_language(open_tab: Open, lang: str) -> None:
    hands = open_tab(lang, **PHONE)
    page = hands.page
    texts, wide = [page.inner_text("body")], []
    grown(hands)
    hands.open_column("Age")
    for tab in TABS:
        page.click(f"#tab-{tab}")
        texts.append(page.inner_text("body"))
        wide.append(page.evaluate("() => document.documentElement.scrollWidth"))
        assert page.evaluate(SMALL) == []
    assert max(wide) <= 390
    said = "\n".join(texts).casefold()
    assert "⟦" not in said
    assert [word for word in WORDS[lang] if word.casefold() not in said] == []
    if lang != "en":
        assert [word for word in ENGLISH if word.casefold() in said] == []
        assert re.search(r"\d,\d", page.inner_text("#figure-train"))  # a decimal comma
    assert hands.errors == []


def test_tree_grown_from_the_root_is_the_automatic_one(open_tab: Open) -> None:
    hands = grown(open_tab())
    hands.page.click("#tab-trees")
    hands.page.click("#compare-run")
    hands.page.wait_for_selector("#comparison-verdict")
    assert "are the same" in hands.page.inner_text("#comparison-verdict")
    assert "0 of " in hands.page.inner_text("#comparison")


@pytest.mark.slow
def test_answers_do_not_wait_for_acknowledgements(open_tab: Open) -> None:
    hands = open_tab()
    quickest = hands.run(
        """async () => {
          const headers = { "X-Ceiba-Token": new URLSearchParams(location.search).get("token") };
          const times = [];
          for (let k = 0; k < 20; k++) {
            const begin = performance.now();
            await (await fetch("/api/cross-validation", { headers })).json();
            times.push(performance.now() - begin);
          }
          return Math.min(...times);
        }"""
    )
    assert quickest < 30  # without TCP_NODELAY each takes 40 ms and more


@pytest.mark.slow
def test_two_tabs_stay_in_step(open_tab: Open, browser: Any, served: Served) -> None:
    one = grown(open_tab())
    two = Hands(browser, served.address)
    assert two.shape() == one.shape()
    one.click_node(0)
    one.await_action(lambda: one.page.click("#cut-branch"))
    two.until("ceibaStudio.model().n === 1")
    assert two.revision() == one.revision()
    two.await_action(lambda: two.page.keyboard.press("Control+z"))
    one.until("ceibaStudio.model().n > 1")
    assert one.shape() == two.shape()
    two.context.close()


def test_edit_of_a_tree_that_another_tab_changed_is_refused(
    open_tab: Open, browser: Any, served: Served
) -> None:
    one = grown(open_tab())
    two = Hands(browser, served.address)
    two.run("() => { ceibaStudio.connection.onMessage = () => {}; }")  # it does not hear of changes
    one.click_node(0)
    one.await_action(lambda: one.page.click("#cut-branch"))
    two.run("() => ceibaStudio.act('cut', {node: 1})")
    assert "another tab" in two.page.inner_text("#notice") or "otra" in two.page.inner_text(
        "#notice"
    )
    assert two.shape() == one.shape()
    two.context.close()


def test_lost_connection_is_said_and_recovers(open_tab: Open, browser: Any, served: Served) -> None:
    hands = grown(open_tab())
    other = Hands(browser, served.address)
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
    names = [name for name in HOSTILE if '"' not in name]
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow([*names, "y"])
        for k in range(60):
            cells = [
                str((k * (j + 3)) % 17) if j % 2 else names[(k + j) % 3] for j in range(len(names))
            ]
            write.writerow([*cells, HOSTILE[0] if k % 17 > 8 else "b"])
    hands = open_studio(path, "y")
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


def test_model_tab_leak_is_that_of_the_tree_as_edited(open_studio: Open, tmp_path: Path) -> None:
    rows = [f"{k % 2 * 10 + k % 3},{k % 7},{'yes' if k % 2 else 'no'}" for k in range(200)]
    table = tmp_path / "leak.csv"
    table.write_text("\n".join(["after,noise,y", *rows]), "utf-8")
    hands = open_studio(table, "y")
    hands.page.click("#start")
    hands.page.click("#tab-model")
    take = "([column, cut]) => ceibaStudio.act('take', {node: 0, split: {column, cut}})"
    for column, cut, n_warnings in (("noise", 3.5, 0), ("after", 5.0, 1), ("noise", 3.5, 0)):
        assert hands.run(take, [column, cut])
        assert hands.page.locator("#panel .warn.strong").count() == n_warnings, column
    assert hands.errors == []
