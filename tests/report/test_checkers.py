"""Checkers from npm: the types of the scripts (tsc --checkJs), and axe-core on every tab."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import ceiba
from ceiba.report.page import SCRIPTS
from tests.report.browser import Open
from tests.report.models import HOSTILE, held_out, model, training
from tests.report.npm import package
from tests.report.test_trust import checks

ASSETS = Path(ceiba.__file__).parent / "report" / "assets"
TABS = ("node", "case", "prune", "model", "data")


def test_scripts_types_are_right_by_tsc() -> None:
    compiler = package("typescript") / "bin" / "tsc"
    options = [
        *("--allowJs", "--checkJs", "--noEmit", "--target", "es2020"),
        *("--lib", "es2022,dom,dom.iterable"),
        *("--strict", "--noImplicitAny", "false", "--strictNullChecks", "false"),
        "--noUnusedLocals",
    ]
    files = [str(ASSETS / name) for name in SCRIPTS]
    done = subprocess.run(
        ["node", str(compiler), *options, *files], capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    assert done.returncode == 0


def violations(page: Any) -> list[str]:
    """List what axe finds, with the elements."""
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    assert len(found["passes"]) > 15  # it did look
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:120]} {node['failureSummary'][:300]}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["cv", "regression", "surrogate", "trust", "hostile"])
def test_page_every_tab_has_no_violation_by_axe(open_page: Open, kind: str, scheme: str) -> None:
    source = (package("axe-core") / "axe.min.js").read_text("utf-8")
    if kind == "hostile":
        rows = {name: [float(k), 1.0, 2.0, 0.0] for k, name in enumerate(HOSTILE)}
        fitted = ceiba.DecisionTreeClassifier().fit(rows, ["a", HOSTILE[0], "b", HOSTILE[5]])
        opened = open_page("hostile_axe", fitted, reports={}, color_scheme=scheme)
    elif kind == "trust":
        opened = open_page("trust_axe", model("cv"), reports=checks("cv"), color_scheme=scheme)
    else:
        reports = {"train": training(kind), "test": held_out(kind)}
        opened = open_page(f"{kind}_axe", model(kind), reports=reports, color_scheme=scheme)
    page = opened.page
    page.evaluate(source)
    page.click("#filter")
    page.focus("#twin")
    page.keyboard.press("ArrowDown")  # its card is shown
    found = {}
    tabs = (*TABS, "trust") if kind == "trust" else TABS
    for tab in tabs:
        page.click(f"#tab-{tab}")
        if tab == "case":
            page.click("button.primary")
        page.evaluate("() => document.querySelectorAll('details').forEach((d) => (d.open = true))")
        found[tab] = violations(page)
    assert found == {tab: [] for tab in tabs}
