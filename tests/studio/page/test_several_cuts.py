"""Several cuts of one column by hand, and columns found by their name, by mouse and by keyboard."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.studio.page.conftest import Open
from tests.studio.page.hands import Hands
from tests.studio.page.passengers import write_passengers
from tests.studio.page.test_analysis import rebuilt, same_trees, save


def cuts(hands: Hands) -> list[float]:
    numbers: list[float] = hands.run("() => [...ceibaStudio.draft().cuts]")
    return numbers


def await_cuts(hands: Hands, n: int) -> None:
    """Wait until a draft has n cuts and its figures are those of these cuts."""
    hands.until(f"ceibaStudio.draft().cuts.length === {n}")
    hands.until(
        "ceibaStudio.draft().answer && JSON.stringify(ceibaStudio.draft().answer.given.cuts || "
        "[ceibaStudio.draft().answer.given.cut]) === JSON.stringify(ceibaStudio.draft().cuts)"
    )


def split_of(hands: Hands, node: int) -> list[float]:
    """Return the cuts of a node of the tree."""
    given: list[float] = hands.run(
        """(i) => { const s = ceibaStudio.model().splits;
          return [...s.intervalCut.slice(s.intervalStart[i], s.intervalStart[i + 1])]; }""",
        node,
    )
    return given


def started(open_studio: Open, table: Path, target: str, **options: Any) -> Hands:
    hands = open_studio(table, target, **options)
    hands.page.click("#start")
    hands.await_rivals()
    return hands


def test_cuts_are_added_dragged_and_removed_and_the_script_says_so(
    open_studio: Open, tmp_path: Path
) -> None:
    table = write_passengers(tmp_path / "passengers.csv")
    hands = started(open_studio, table, "Survived")
    page = hands.page
    hands.open_column("Age")
    assert page.is_hidden("#cut-remove")
    gains = [hands.run("() => ceibaStudio.draft().answer.gain")]
    for n in (2, 3):
        page.click("#cut-add")
        await_cuts(hands, n)
        gains.append(hands.run("() => ceibaStudio.draft().answer.gain"))
    assert gains == sorted(gains)
    assert page.locator("#preview tbody tr").count() == 4
    assert cuts(hands) == sorted(set(cuts(hands)))

    # The second one is chosen and dragged; it stays between its neighbours.
    page.click("#cut-choose-1")
    before = cuts(hands)
    hands.drag_cut(0.99, steps=25)
    after = cuts(hands)
    assert after[0] == before[0]
    assert after[2] == before[2]
    assert before[1] < after[1] < before[2]

    # A typed one may pass its neighbours; the same one twice is refused.
    page.fill("#cut-typed", str(after[2] + 1))
    page.press("#cut-typed", "Enter")
    await_cuts(hands, 3)
    assert cuts(hands) == [after[0], after[2], after[2] + 1]
    page.fill("#cut-typed", str(after[0]))
    page.press("#cut-typed", "Enter")
    assert page.get_attribute("#cut-typed", "aria-invalid") == "true"
    page.fill("#cut-typed", str(after[1]))
    page.press("#cut-typed", "Enter")
    await_cuts(hands, 3)
    assert cuts(hands) == after

    page.click("#cut-choose-0")
    page.click("#cut-remove")
    await_cuts(hands, 2)
    wanted = cuts(hands)
    assert wanted == after[1:]
    hands.await_action(lambda: page.click("#take-draft"))
    assert hands.run("() => ceibaStudio.model().nBranches(0)") == 3
    assert split_of(hands, 0) == wanted
    assert "| " in hands.run("() => ceibaStudio.studio.server.log.at(-1).line")

    # Opened again, the split of the node is the draft; undo takes it back.
    hands.open_column("Age")
    hands.await_action(lambda: page.keyboard.press("Control+z"))
    assert hands.run("() => ceibaStudio.model().n") == 1
    hands.await_action(lambda: page.keyboard.press("Control+Shift+z"))
    page.click("#tab-log")
    script, model = save(hands, "script", tmp_path), save(hands, "model", tmp_path)
    import ceiba

    kept = ceiba.load(model)
    assert same_trees(rebuilt(script, table), getattr(kept, "tree_", kept))
    assert hands.errors == []


@pytest.mark.slow
def test_cuts_by_keyboard_and_missing_values_in_a_branch_of_their_own(
    open_studio: Open, tmp_path: Path
) -> None:
    table = write_passengers(tmp_path / "passengers.csv", n=400)
    hands = started(open_studio, table, "Survived")
    hands.open_column("Age")
    hands.page.focus("#cut-handle")
    hands.press("+")
    await_cuts(hands, 2)
    hands.press("Insert")
    await_cuts(hands, 3)
    hands.press("1", "ArrowRight")
    assert "1" in hands.page.get_attribute("#cut-handle", "aria-valuetext").split("·")[1]
    hands.press("End")  # as far as the next one
    await_cuts(hands, 3)
    assert all(a < b for a, b in pairwise(cuts(hands)))
    hands.press("3", "Delete")
    await_cuts(hands, 2)
    hands.page.select_option("#draft-missing", "alone")
    hands.until("ceibaStudio.draft().answer.branches.length === 4")
    hands.await_action(lambda: hands.page.click("#take-draft"))
    assert hands.run("() => ceibaStudio.model().nBranches(0)") == 4
    assert hands.errors == []


def wide_table(path: Path) -> Path:
    """Write a table of many columns, two of which say something."""
    rng = np.random.default_rng(5)
    names = [f"x{j}" for j in range(30)] + ["Ingreso año", "region"]
    values = rng.normal(size=(200, 32)).round(3)
    label = values[:, 30] + values[:, 3] > 0
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file)
        write.writerow([*names, "y"])
        for k in range(200):
            write.writerow([*values[k, :31], "nsew"[k % 4], "yes" if label[k] else "no"])
    return path


@pytest.mark.slow
def test_columns_are_found_by_name_in_three_languages(open_studio: Open, tmp_path: Path) -> None:
    hands = started(open_studio, wide_table(tmp_path / "wide.csv"), "y")
    page = hands.page
    hands.page.focus("#outline")
    hands.press("/")
    assert hands.run("() => document.activeElement.id") == "rival-filter"
    page.keyboard.type("ANO")  # neither case nor accents matter
    assert page.locator(".rival").count() == 1
    rank = hands.run(
        "() => ceibaStudio.rivals.data.rivals.findIndex((r) => r.column === 'Ingreso año')"
    )
    assert page.locator(f"#take-{rank}").count() == 1
    hands.press("Enter", "Enter")  # to the first one found, and into it
    hands.until("ceibaStudio.draft() && ceibaStudio.draft().answer")
    page.fill("#rival-filter", "nothing like this")
    assert page.locator(".rival").count() == 0
    assert "nothing like this" in page.inner_text("#rival-list")
    page.focus("#rival-filter")
    hands.press("Escape")
    assert page.locator(".rival").count() == 12
    for lang, words in (("es", "Buscar una columna"), ("pt", "Buscar coluna")):
        page.select_option("#lang", lang)
        hands.await_rivals()
        assert page.get_attribute("#rival-filter", "placeholder") == words
    assert hands.errors == []
