"""axe-core on every tab of the report."""

from __future__ import annotations

from itertools import product

import pytest

import ceiba
from tests.marks import slow
from tests.report.browser import Open
from tests.report.checkers import axe_source, violations
from tests.report.models import HOSTILE, held_out, model, training
from tests.report.test_trust import checks

TABS = ("node", "case", "prune", "model", "data")


FAST = [("trust", "light")]
ALL = product(["cv", "regression", "surrogate", "trust", "hostile"], ["light", "dark"])


@pytest.mark.parametrize(("kind", "scheme"), [*FAST, *slow(sorted({*ALL} - {*FAST}))])
def test_page_every_tab_has_no_violation_by_axe(open_page: Open, kind: str, scheme: str) -> None:
    source = axe_source()
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
    page.focus("#outline")
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
