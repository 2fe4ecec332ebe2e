"""A survival analysis on the page: roles, rivals by log-rank, curves, the saved script."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import polars as pl

import ceiba
from tests.report.checkers import axe_source, violations
from tests.studio.page.conftest import Open


def test_survival_from_the_roles_of_columns_to_the_saved_script(
    open_studio: Open, tmp_path: Path
) -> None:
    table = tmp_path / "lung.csv"
    pl.DataFrame(dict(ceiba.datasets.load_lung().data)).write_csv(table)
    hands = open_studio(table, "time")
    page = hands.page
    names = hands.run("() => ceibaStudio.studio.server.setup.columns.map((one) => one.name)")
    role = f"#role-{names.index('died')}"
    hands.await_action(lambda: page.select_option(role, "event"))
    assert "Survival" in page.inner_text("#task")
    page.click("#start")
    hands.await_rivals()
    assert "concordance" in page.inner_text("#figure-train")
    assert "C 0.5" in page.inner_text("#cv-box")
    assert "log-rank" in page.inner_text(".rival.open")
    assert page.locator(".rival.open .branch-curves path.line").count() >= 2
    assert page.locator("#chance-line").count() == 1
    page.evaluate(axe_source())
    assert violations(page) == []
    hands.open_column("age")
    before = hands.run("() => ceibaStudio.draft().answer.gain")
    drawn = page.locator("#preview .branch-curves path.line.cv").first.get_attribute("d")
    hands.drag_cut(0.5)
    hands.until(f"ceibaStudio.draft().answer.gain !== {before}")
    hands.until("ceibaStudio.draft().answer.given.cut === ceibaStudio.draft().cut")
    assert page.locator("#preview .branch-curves path.line.cv").first.get_attribute("d") != drawn
    assert page.locator(".ghost-card .ghost-curve").count() == 2
    assert "median" in page.inner_text("#preview table")
    assert violations(page) == []
    hands.await_action(lambda: page.click("#take-draft"))
    hands.await_action(lambda: page.click("#grow-all"))
    for tab in ("prune", "model", "trees"):
        page.click(f"#tab-{tab}")
    page.click("#screen-hand_over")
    with hands.page.expect_download() as waiting:
        page.click("#save-script")
    waiting.value.save_as(tmp_path / "lung_tree.py")
    program: Any = runpy.run_path(str(tmp_path / "lung_tree.py"))
    tree = program["rebuild"](ceiba.read_file(table)).tree_
    assert [int(p) for p in tree.parent] == [parent for parent, _ in hands.shape()]
    assert hands.errors == []
