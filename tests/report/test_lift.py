"""Gain, lift and profit on the page: the figures of rows ranked in Python, and the best cut-off."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tests.report.browser import Open
from tests.report.test_costs import COSTS, credit


def ranked(fitted: Any, test: Any) -> list[tuple[float, int, int]]:
    """Return the cut-offs: lowest probability, rows from it on, hits among them."""
    frame, truth = test
    share = fitted.predict_proba(frame)[:, 1]
    hits = np.asarray(truth) == fitted.classes_[1]
    levels = sorted(set(share.tolist()), reverse=True)
    return [(p, int((share >= p).sum()), int(hits[share >= p].sum())) for p in levels]


def test_cut_off_starts_at_the_largest_profit_of_the_cost_matrix(open_page: Open) -> None:
    fitted, test = credit(cost_matrix=COSTS)
    opened = open_page("lift_costs", fitted, reports={"test": test})
    page = opened.page
    page.click("#tab-model")
    assert page.input_value("#lift-hit") == "5"
    steps = ranked(fitted, test)
    profits = [5 * hits - (rows - hits) for _, rows, hits in steps]
    best = int(np.argmax(profits))
    _, rows, hits = steps[best]
    said = page.inner_text("#lift-figures")
    assert f"{rows} rows" in said
    assert f"{hits} of {steps[-1][2]} hits" in said
    assert f"profit {profits[best]}" in said.replace(",", "")
    base = steps[-1][2] / steps[-1][1]
    found = re.search(r"lift ([\d.]+)", said)
    assert found is not None
    assert float(found[1].rstrip(".")) == round(hits / rows / base, 2)


def test_cut_off_moves_and_stakes_change_the_profit(open_page: Open) -> None:
    fitted, test = credit()
    opened = open_page("lift_plain", fitted, reports={"test": test})
    page = opened.page
    page.click("#tab-model")
    steps = ranked(fitted, test)
    for k, (_, rows, hits) in enumerate(steps, 1):
        page.locator("#lift-cutoff").fill(str(k))
        said = page.inner_text("#lift-figures")
        assert f"{rows} rows" in said
        assert f"{hits} of {steps[-1][2]} hits" in said
    page.fill("#lift-hit", "10")
    page.keyboard.press("Tab")
    best = max(10 * hits - (rows - hits) for _, rows, hits in steps)
    assert f"profit {best:,}" in page.inner_text("#lift-figures")
    for kind in ("lift", "profit", "gain"):
        page.click(f'.segmented button:text-is("{kind}")')
        assert page.locator("#lift-chart svg").count() == 1
    assert opened.errors == []
