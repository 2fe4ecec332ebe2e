"""Nothing to guess: what to do first, buttons in view, words for mistakes, levels in order."""

from __future__ import annotations

import re
import runpy
import shutil
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.datasets import get_path
from tests.marks import slow
from tests.studio.page.conftest import Open
from tests.studio.page.hands import Hands
from tests.studio.page.passengers import write_passengers
from tests.studio.page.serving import serve


@pytest.fixture
def hands(open_studio: Open, tmp_path: Path) -> Hands:
    return open_studio(
        write_passengers(tmp_path / "passengers.csv"),
        "Survived",
        viewport={"width": 1400, "height": 900},
    )


def test_three_steps_are_seen_and_the_empty_sheet_says_what_to_do(hands: Hands) -> None:
    page = hands.page
    steps = [text.strip() for text in page.locator(".screen-tab").all_inner_texts()]
    assert steps == ["1 Table", "2 Grow", "3 Hand over"]
    page.click("#start")
    hands.await_rivals()
    assert "Grow everything" in page.inner_text("#sheet-hint")
    for button in ("#bar-model", "#bar-report", "#bar-export"):
        assert page.is_visible(button)
    hands.await_action(lambda: page.click("#take-0"))
    assert page.is_hidden("#sheet-hint")
    page.click("#screen-hand_over")
    assert page.get_attribute("#screen-hand_over", "aria-pressed") == "true"
    assert page.is_visible("#save-script")
    assert hands.errors == []


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "Start over"), *slow([("es", "Empezar de nuevo"), ("pt", "Recomeçar")])],
)
def test_start_over_is_called_so_and_stands_apart(hands: Hands, lang: str, words: str) -> None:
    page = hands.page
    page.click("#start")
    page.select_option("#lang", lang)
    hands.await_rivals()
    assert page.inner_text("#restart") == words
    undo: Any = page.locator("#undo").bounding_box()
    over: Any = page.locator("#restart").bounding_box()
    grow: Any = page.locator("#grow-all").bounding_box()
    assert over["x"] - (grow["x"] + grow["width"]) > 12
    assert over["x"] > undo["x"] + 200
    assert page.is_disabled("#restart")  # nothing to throw away yet


@pytest.mark.parametrize("height", [700, *slow([900])])
def test_use_this_split_is_always_in_view(hands: Hands, height: int) -> None:
    page = hands.page
    page.set_viewport_size({"width": 1400, "height": height})
    page.click("#start")
    for column in ("Age", "Embarked"):
        hands.open_column(column)
        hands.until(f"document.querySelector('#draft h3')?.textContent === '{column}'")
        page.wait_for_timeout(300)  # until it has scrolled
        box: Any = page.locator("#take-draft").bounding_box()
        assert box["y"] > 0
        assert box["y"] + box["height"] <= height
        top = hands.run(
            """() => { const r = document.getElementById("take-draft").getBoundingClientRect();
              return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2).id; }"""
        )
        assert top == "take-draft"  # nothing lies over it


def test_rivals_are_lines_and_the_chosen_one_is_open(hands: Hands) -> None:
    page = hands.page
    page.click("#start")
    hands.await_rivals()
    hands.until("!ceibaStudio.rivals.data.rivals.some((one) => one.p_bound === 'pending')")
    page.wait_for_timeout(100)
    heights = [one.bounding_box()["height"] for one in page.locator(".rival:not(.open)").all()]
    assert max(heights) < 50
    assert page.locator(".rival.open .rival-branch").count() == 2
    assert page.locator(".rival:not(.open) .rival-branch").count() == 0
    hands.open_column("Age")
    page.wait_for_selector('.rival.open[data-column="Age"]')
    assert page.get_attribute(".rival.open", "data-column") == "Age"


def test_levels_are_sorted_by_the_target_and_move_together(hands: Hands) -> None:
    page = hands.page
    page.click("#start")
    hands.open_column("Embarked")
    shares = [
        [int(re.sub(r"\D", "", text)) for text in box.locator(".chip-figure").all_inner_texts()]
        for box in page.locator(".level-box:not(.new-box)").all()
    ]
    assert all(part == sorted(part, reverse=True) for part in shares)
    groups = hands.run("() => ceibaStudio.draft().groups")
    large = max(groups, key=len)
    chosen = large[:2]
    if len(large) < 3:
        pytest.skip("the best groups have two levels each")
    for code in chosen:
        page.click(f'.chip[data-code="{code}"]')
    assert page.locator('.chip[aria-pressed="true"]').count() == 2
    hands.drag_level(chosen[0], "new")
    hands.until("ceibaStudio.draft().groups.length === 3")
    assert sorted(chosen) in hands.run("() => ceibaStudio.draft().groups")


def test_cut_carries_its_number_and_rubbish_gets_a_word(hands: Hands) -> None:
    page = hands.page
    page.click("#start")
    hands.open_column("Age")
    cut = hands.run("() => ceibaStudio.draft().cut")
    assert page.text_content(".cut-number") == f"{cut:g}"
    page.fill("#cut-typed", "abc")
    page.keyboard.press("Tab")
    assert "Not a value" in page.inner_text("#cut-wrong")
    page.fill("#cut-typed", "12,5")
    page.keyboard.press("Tab")
    hands.until("ceibaStudio.draft().answer.given.cut === 12.5")
    assert page.is_hidden("#cut-wrong")
    assert page.text_content(".cut-number") == "12.5"
    assert page.is_hidden("#cut-remove")  # it is the only one


def test_labels_of_a_large_tree_are_legible_on_a_narrow_screen(
    open_studio: Open, tmp_path: Path
) -> None:
    table = Path(shutil.copy(get_path("titanic"), tmp_path / "titanic.csv"))
    size = {"width": 1024, "height": 768}
    hands = open_studio(table, "survived", viewport=size)
    hands.page.click("#screen-editor")
    hands.await_rivals()
    hands.run(
        """() => { window.drawn = []; const pen = CanvasRenderingContext2D.prototype;
          const draw = pen.fillText;
          pen.fillText = function (text, ...at) { drawn.push(text); draw.call(this, text, ...at); };
        }"""
    )
    hands.await_action(lambda: hands.page.click("#grow-all"))
    hands.page.wait_for_timeout(200)
    drawn = hands.run("() => drawn")
    assert any(re.fullmatch(r"age ≤ [\d.]+", text) for text in drawn)
    assert [text for text in drawn if re.match(r"·|.*= ?$|.*[≤<=∈] ?[\d.]*…", text)] == []


@pytest.mark.slow
def test_skewed_column_has_a_stretched_axis(open_studio: Open, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    gain = np.where(rng.random(900) < 0.9, 0, np.round(np.exp(rng.normal(8, 1, 900))))
    y = np.where(rng.random(900) < np.where(gain > 3000, 0.9, 0.3), "rich", "poor")
    rows = [f"{g:.0f},{label}" for g, label in zip(gain, y, strict=True)]
    table = tmp_path / "gains.csv"
    table.write_text("\n".join(["gain,y", *rows]), "utf-8")
    hands = open_studio(table, "y")
    hands.page.click("#start")
    hands.open_column("gain")
    assert hands.page.locator("#stretched").count() == 1
    edges = hands.run("() => ceibaStudio.draft().data.bars.stretched")
    assert len(edges) > 10
    counts = hands.run("() => ceibaStudio.draft().data.bars.n")
    assert sum(counts) == 675  # every training row is in a bar
    hands.drag_cut(0.5)
    cut = hands.run("() => ceibaStudio.draft().cut")
    assert edges[len(edges) // 4] < cut < edges[3 * len(edges) // 4]
    places = hands.run(
        """() => [...document.querySelectorAll('.cut-grip.active')].map((one) =>
          Number(one.getAttribute('cx')))"""
    )
    assert abs(places[0] - 200) < 12  # the line stands where it was dropped


@pytest.mark.slow
def test_open_tab_comes_back_after_a_kill_and_is_dead_meanwhile(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    table = write_passengers(tmp_path / "passengers.csv", n=200)
    with serve(table, "--target", "Survived") as served:
        hands = Hands(browser, served.address)
        hands.page.click("#start")
        hands.await_rivals()
        hands.await_action(lambda: hands.page.click("#take-1"))
        (kept,) = runtime.iterdir()
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        shape = hands.shape()
        served.process.kill()
        hands.until("!document.getElementById('lost').hidden")
        assert hands.run("() => document.querySelector('.editor').inert")
    with serve(table) as again:  # without --target
        assert again.address == served.address
        hands.until("document.getElementById('lost').hidden")
        hands.until("!document.querySelector('.editor').inert")
        assert hands.shape() == shape
        hands.await_action(lambda: hands.page.keyboard.press("Control+z"))
        hands.run("() => document.getElementById('close').click()")
        again.process.wait(20)
    assert list(runtime.iterdir()) == []  # closed, not killed
    hands.context.close()


@pytest.mark.slow
def test_no_word_of_pandas_at_the_start(tmp_path: Path) -> None:
    table = tmp_path / "codes.csv"
    rows = [f"{k},5 {k},{k % 2}" for k in range(80)]
    table.write_text("\n".join(["x,price,y", *rows]), "utf-8")
    with serve(table, "--target", "y") as served:
        served.process.terminate()
        said = served.process.stdout.read() if served.process.stdout else ""
    assert "pandas" not in said


def test_columns_without_a_header_are_renamed_on_the_first_screen(
    open_studio: Open, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    table = tmp_path / "bare.csv"
    rows = [f"{x:.2f},{rng.normal():.2f},{int(x > 0.3)}" for x in rng.normal(size=600)]
    table.write_text("\n".join(rows), "utf-8")
    hands = open_studio(table, "column_3")
    page = hands.page
    assert "no header" in page.inner_text("#table-screen")
    assert "--names" not in page.inner_text("#table-screen")
    for k, name in ((0, "income"), (2, "default")):
        page.fill(f"#name-{k}", name)
        hands.await_action(lambda: page.keyboard.press("Tab"))
    assert "Target: default" in page.inner_text("header")
    page.fill("#name-1", "income")
    page.keyboard.press("Tab")
    page.wait_for_selector("#notice:not([hidden])")
    assert "Another column is already called" in page.inner_text("#notice")
    page.click("#start")
    hands.await_rivals()
    assert page.get_attribute(".rival.open", "data-column") == "income"
    hands.await_action(lambda: page.click("#take-0"))
    page.click("#screen-hand_over")
    with hands.page.expect_download() as waiting:
        page.click("#save-script")
    waiting.value.save_as(tmp_path / "bare_tree.py")
    script = (tmp_path / "bare_tree.py").read_text("utf-8")
    assert "rename={'column_1': 'income', 'column_3': 'default'}" in script
    program: Any = runpy.run_path(str(tmp_path / "bare_tree.py"))
    tree = program["rebuild"](ceiba.read_file(table)).tree_
    assert tree.target.name == "default"
    assert tree.node(0).split.column == "income"
