"""Cross-validation and growth on the page: their progress, and the buttons that cancel them.

Folds and nodes wait at a gate that the test opens, so nothing depends on how fast the machine is.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ceiba.studio.analysis import growing, scores
from ceiba.studio.work.workspace import Workspace
from tests.studio.page.hands import Hands
from tests.studio.page.serving import serve_here
from tests.studio.random_work import opened

pytest.importorskip("starlette")


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Let one fold through per release."""
    gate, grow = threading.Semaphore(0), scores.refit_fold

    def refit_fold(*given: Any) -> Any:
        assert gate.acquire(timeout=120)
        return grow(*given)

    monkeypatch.setattr(scores, "refit_fold", refit_fold)
    return gate


@pytest.fixture
def hands(browser: Any, gate: threading.Semaphore) -> Iterator[Hands]:
    workspace: Workspace = opened(0)
    workspace.act("set_held_out", {"share": 0.25})  # else a small table is validated at once
    workspace.act("grow", {"node": 0, "levels": 2})
    with serve_here(workspace) as address:
        tab = Hands(browser, address)
        tab.page.click("#screen-editor")
        yield tab
        gate.release(1000)
        tab.context.close()


def bar(hands: Hands, name: str = "cv") -> list[Any]:
    """Return what the progress bar shows."""
    shown: list[Any] = hands.run(
        """(id) => { const bar = document.getElementById(id);
          return bar && [bar.value, bar.max, bar.nextSibling.textContent]; }""",
        f"{name}-progress",
    )
    return shown


def await_folds(hands: Hands, n: int) -> None:
    hands.until(f"(ceibaStudio.studio.progress || {{}}).done === {n}")


@pytest.mark.slow
def test_bar_follows_the_folds_and_the_figure_comes_at_the_end(
    hands: Hands, gate: threading.Semaphore
) -> None:
    hands.page.click("#cv-run")
    assert bar(hands) == [0, 10, "0/10"]
    for done in (1, 2, 3):
        gate.release()
        await_folds(hands, done)
        assert bar(hands) == [done, 10, f"{done}/10"]
    gate.release(7)
    hands.until("document.querySelector('#cv-box strong')")
    assert "±" in hands.page.inner_text("#cv-box")
    assert bar(hands) is None
    assert hands.errors == []


def test_cancel_stops_it_and_it_can_be_run_again(hands: Hands, gate: threading.Semaphore) -> None:
    hands.page.focus("#cv-run")
    hands.press("Enter")
    gate.release(2)
    await_folds(hands, 2)
    assert hands.run("() => document.activeElement.id") == "cv-stop"  # the hand stays where it is
    hands.press("Enter")
    hands.until("document.getElementById('cv-run') && !ceibaStudio.studio.progress")
    assert hands.run("() => document.activeElement.id") == "cv-run"
    hands.press("Enter")  # while the third fold of the cancelled one is still at work
    gate.release(12)
    hands.until("document.querySelector('#cv-box strong')")
    assert hands.run("() => ceibaStudio.studio.server.figures.cross_validated.current")
    assert hands.run("() => ceibaStudio.studio.progress") is None
    assert hands.errors == []


def test_other_tab_sees_the_progress_and_may_cancel(
    hands: Hands, browser: Any, gate: threading.Semaphore
) -> None:
    hands.page.click("#cv-run")
    gate.release(2)
    await_folds(hands, 2)
    other = Hands(browser, hands.page.url)  # opened while it runs
    other.page.click("#screen-editor")
    assert bar(other) == [2, 10, "2/10"]
    other.page.click("#cv-stop")
    hands.until("document.getElementById('cv-run') && !ceibaStudio.studio.progress")
    gate.release(1)
    hands.page.wait_for_timeout(200)
    assert bar(hands) is None
    assert hands.run("() => ceibaStudio.studio.server.figures.cross_validated") is None
    other.context.close()


def test_growth_shows_its_progress_and_cancel_changes_nothing(
    hands: Hands, gate: threading.Semaphore, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = growing.find_first_rival

    def find_first_rival(*given: Any) -> Any:
        assert gate.acquire(timeout=120)
        return find(*given)

    monkeypatch.setattr(growing, "find_first_rival", find_first_rival)
    before = hands.revision(), hands.shape()
    hands.page.focus("#grow-all")
    hands.press("Enter")
    hands.page.wait_for_timeout(150)  # shorter growth shows no bar
    gate.release(1)
    hands.until("document.getElementById('grow-progress')")
    done, total, text = bar(hands, "grow")
    assert 0 < done < total
    assert text == f"{done}/{total}"
    assert hands.run("() => document.activeElement.id") == "grow-stop"
    with hands.page.expect_response("**/api/growth"):  # before the gate opens: one node remains
        hands.press("Enter")
    gate.release(1)
    hands.until("document.getElementById('grow-all') && !ceibaStudio.studio.busy")
    assert (hands.revision(), hands.shape()) == before
    gate.release(1000)
    hands.await_action(lambda: hands.page.click("#grow-all"))
    assert len(hands.shape()) > len(before[1])
    assert hands.errors == []
