"""A whole analysis as a person would do it, by mouse and by keyboard alone."""

from __future__ import annotations

import os
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

import ceiba
from tests.marks import slow
from tests.studio.page.conftest import Open
from tests.studio.page.hands import Hands
from tests.studio.page.passengers import write_passengers

DATA = Path(os.environ.get("CEIBA_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
# Where the columns of a table stand: an ordered class, its kind, a number, a category.
NAMES = {
    "passengers": {"ordered": "Class", "number": "Age", "levels": "Embarked"},
    "titanic": {"ordered": "Pclass", "number": "Age", "levels": "Embarked"},
}


def table_of(name: str, folder: Path) -> Path:
    if name == "passengers":
        return write_passengers(folder / "passengers.csv")
    if not (DATA / "titanic.csv").exists():
        pytest.skip(f"titanic.csv is not in {DATA} (CEIBA_DATA)")
    return Path(shutil.copy(DATA / "titanic.csv", folder / "titanic.csv"))


def index_of(hands: Hands, column: str) -> int:
    number: int = hands.run(
        "(name) => ceibaStudio.studio.server.setup.columns.findIndex((one) => one.name === name)",
        column,
    )
    return number


def rebuilt(script: Path, table: Path) -> Any:
    """Run the saved script on the data."""
    program = runpy.run_path(str(script))
    return program["rebuild"](ceiba.read_file(table)).tree_


def same_trees(a: Any, b: Any) -> bool:
    return bool(a == b) and a.to_text(counts=True) == b.to_text(counts=True)


def save(hands: Hands, what: str, folder: Path) -> Path:
    with hands.page.expect_download() as waiting:
        hands.page.click(f"#save-{what}")
    path = folder / f"saved_{waiting.value.suggested_filename}"
    waiting.value.save_as(path)
    return path


@pytest.mark.parametrize("name", ["passengers", *slow(["titanic"])])
def test_analysis_by_mouse_script_gives_the_very_same_tree(
    open_studio: Open, tmp_path: Path, name: str
) -> None:
    columns = NAMES[name]
    table = table_of(name, tmp_path)
    hands = open_studio(table, "Survived")
    page = hands.page
    # The table: a class is ordered, an identifier is left out, rows are held out.
    ordered = index_of(hands, columns["ordered"])
    hands.await_action(lambda: page.select_option(f"#kind-{ordered}", "ordered"))
    hands.await_action(lambda: page.select_option("#held-out", "0.25"))
    assert page.locator("tr.role-ignore").count() >= 1
    page.click("#start")
    hands.await_rivals()

    # The second-best split of the root.
    second = hands.run("() => ceibaStudio.rivals.data.rivals[1].column")
    hands.await_action(lambda: page.click("#take-1"))
    assert hands.column_of(0) == second
    assert hands.run("() => ceibaStudio.studio.server.by_hand") == [0]

    # A cut of the age, dragged: its figures follow.
    hands.click_node(hands.leaves()[0])
    hands.open_column(columns["number"])
    before = hands.run("() => [ceibaStudio.draft().cut, ceibaStudio.draft().answer.gain]")
    hands.drag_cut(0.3)
    hands.until(f"ceibaStudio.draft().answer.gain !== {before[1]}")
    dragged = hands.run("() => ceibaStudio.draft().cut")
    assert dragged != before[0]
    assert len(f"{dragged:g}") <= 5  # a hand means a round number
    hands.until("ceibaStudio.draft().answer.given.cut === ceibaStudio.draft().cut")
    hands.await_action(lambda: page.click("#take-draft"))
    node = hands.run("() => ceibaStudio.state.selected")
    assert hands.column_of(node) == columns["number"]
    assert hands.run("(i) => ceibaStudio.model().splits.cut[i]", node) == dragged

    # Levels in groups, one of them in a branch of its own.
    hands.click_node(hands.leaves()[0])
    hands.open_column(columns["levels"])
    codes = hands.run("() => ceibaStudio.draft().groups.flat()")
    groups = hands.run("() => ceibaStudio.draft().groups")
    moved = next(c for group in groups if len(group) > 1 for c in group)
    hands.drag_level(moved, "new")
    hands.until("ceibaStudio.draft().groups.length === 3")
    assert sorted(hands.run("() => ceibaStudio.draft().groups.flat()")) == sorted(codes)
    hands.await_action(lambda: page.click("#take-draft"))
    node = hands.run("() => ceibaStudio.state.selected")
    assert hands.run("(i) => ceibaStudio.model().nBranches(i)", node) == 3

    # Grown to the end, and a branch cut.
    hands.await_action(lambda: page.click("#grow-all"))
    whole = hands.shape()
    hands.click_node(1)
    shapes = [whole]
    hands.await_action(lambda: page.click("#cut-branch"))
    shapes.append(hands.shape())
    assert len(shapes[1]) < len(whole)

    # Three times undone, twice done again.
    counts = [len(hands.shape())]
    for _ in range(3):
        hands.await_action(lambda: page.keyboard.press("Control+z"))
        counts.append(len(hands.shape()))
    assert counts[1] == len(whole) > counts[2] > counts[3]
    for _ in range(3):
        hands.await_action(lambda: page.keyboard.press("Control+Shift+z"))
    assert hands.shape() == shapes[1]

    # Beside the automatic tree.
    page.click("#tab-trees")
    page.click("#compare-run")
    page.wait_for_selector("#comparison-verdict")
    assert "automatic" in page.inner_text("#comparison")

    # Saved, and made again by the script.
    page.click("#tab-log")
    assert page.locator("#log li").count() >= 5
    script, model = save(hands, "script", tmp_path), save(hands, "model", tmp_path)
    kept = ceiba.load(model)
    tree = getattr(kept, "tree_", kept)
    assert tree.n_nodes == len(shapes[1])
    assert same_trees(rebuilt(script, table), tree)
    assert hands.errors == []
    assert hands.outside() == []


@pytest.mark.slow
def test_analysis_by_keyboard_alone(open_studio: Open, tmp_path: Path) -> None:
    table = write_passengers(tmp_path / "passengers.csv", n=400)
    hands = open_studio(table, "Survived")
    hands.tab_to("start")
    hands.press("Enter")
    hands.await_rivals()
    assert hands.run("() => document.activeElement.id") == "outline"

    hands.press("Enter")  # into the panel
    hands.tab_to("take-1")
    hands.await_action(lambda: hands.press("Enter"))

    hands.tab_to("outline", back=True)
    deeper = hands.run(
        "() => (ceibaStudio.view.direction === 'right' ? 'ArrowRight' : 'ArrowDown')"
    )
    hands.press(deeper)
    hands.until("ceibaStudio.state.selected === 1")
    hands.await_rivals()
    name = "Age" if hands.column_of(0) != "Age" else "Fare"
    k = hands.run("(c) => ceibaStudio.rivals.data.rivals.findIndex((r) => r.column === c)", name)
    hands.tab_to(f"rival-{k}")
    hands.press("Enter")
    hands.until("document.activeElement.id === 'cut-handle' && ceibaStudio.draft().answer")
    before = hands.run("() => ceibaStudio.draft().cut")
    hands.press("ArrowRight", "ArrowRight", "PageDown", "ArrowRight")
    assert hands.run("() => ceibaStudio.draft().cut") != before
    hands.tab_to("cut-typed")
    hands.press("Control+a")
    hands.page.keyboard.type("25.5")
    hands.tab_to("take-draft")
    assert hands.run("() => ceibaStudio.draft().cut") == 25.5
    hands.await_action(lambda: hands.press("Enter"))
    assert hands.run("() => ceibaStudio.model().splits.cut[1]") == 25.5

    hands.tab_to("outline", back=True)
    hands.press(deeper)
    hands.until("ceibaStudio.state.selected === 2")
    hands.await_rivals()
    columns = hands.run("() => ceibaStudio.rivals.data.rivals.map((r) => r.column)")
    hands.tab_to(f"rival-{columns.index('Embarked')}")
    hands.press("Enter")
    hands.until("document.activeElement.className === 'chip'")
    before = hands.run("() => JSON.stringify(ceibaStudio.draft().groups)")
    hands.press("Enter")  # a branch of its own
    hands.until(f"JSON.stringify(ceibaStudio.draft().groups) !== {before!r}")
    assert hands.run("() => document.activeElement.className") == "chip"
    hands.tab_to("take-draft")
    hands.await_action(lambda: hands.press("Enter"))
    assert hands.column_of(2) == "Embarked"

    hands.tab_to("outline", back=True)
    size = len(hands.shape())
    hands.await_action(lambda: hands.press("Shift+G"))
    assert len(hands.shape()) > size
    hands.await_action(lambda: hands.press("Delete"))
    hands.await_action(lambda: hands.press("Control+z"))
    hands.await_action(lambda: hands.press("Control+z"))
    assert len(hands.shape()) == size
    hands.await_action(lambda: hands.press("Control+y"))

    hands.tab_to("tab-node")
    hands.press("ArrowLeft")  # from the first tab to the last
    assert hands.run("() => ceibaStudio.state.tab") == "log"
    hands.tab_to("save-script")
    with hands.page.expect_download() as waiting:
        hands.press("Enter")
    waiting.value.save_as(tmp_path / "again.py")
    made = rebuilt(tmp_path / "again.py", table)
    assert made.n_nodes == len(hands.shape())
    assert hands.errors == []
