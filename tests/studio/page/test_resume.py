"""A killed server on the page: what is said, and that the work is there again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ceiba.studio.security import private_page
from tests.studio.page.hands import Hands
from tests.studio.page.passengers import write_passengers
from tests.studio.page.serving import serve, serve_table


def test_killed_server_is_said_and_its_work_is_offered_again(browser: Any, tmp_path: Path) -> None:
    table = write_passengers(tmp_path / "passengers.csv", n=200)
    with serve(table, "--target", "Survived") as served:
        hands = Hands(browser, served.address)
        hands.page.click("#start")
        hands.await_rivals()
        hands.await_action(lambda: hands.page.click("#take-1"))
        shape = hands.shape()
        served.process.kill()
        hands.until("!document.getElementById('lost').hidden")
        assert "saved" in hands.page.inner_text("#lost")
        hands.context.close()
    with serve(table, "--target", "Survived") as served:
        again = Hands(browser, served.address)
        assert "(1 action)" in again.page.inner_text("#resumed")
        assert again.shape() == shape
        again.await_action(lambda: again.page.click("#afresh"))  # an action: it can be undone
        assert again.run("() => ceibaStudio.model().n") == 1
        again.await_action(lambda: again.page.keyboard.press("Control+z"))
        assert again.shape() == shape
        again.context.close()


def test_private_page_opens_the_studio(browser: Any, tmp_path: Path) -> None:
    table = write_passengers(tmp_path / "passengers.csv", n=200)
    with serve_table(table, "Survived") as served, private_page(served) as address:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("#start")
        page.close()


def test_work_behind_a_failed_action_goes_on_in_a_copy(browser: Any, tmp_path: Path) -> None:
    table = write_passengers(tmp_path / "passengers.csv", n=200)
    with serve_table(table, "Survived"):
        pass
    kept = tmp_path / "passengers.csv.studio"
    held_out = '{"action":"set_held_out","arguments":{"file":"moved.csv"}}\n'
    kept.write_text(kept.read_text() + held_out)
    with serve_table(table, "Survived") as address:
        hands = Hands(browser, address)
        assert "Action 1 of 1" in hands.page.inner_text("#table-screen")
        hands.await_action(lambda: hands.page.click("#in-copy"))
        assert hands.page.query_selector("#in-copy") is None
        hands.context.close()
    assert held_out not in kept.read_text()
    assert held_out in (tmp_path / "passengers.csv.studio.old").read_text()
