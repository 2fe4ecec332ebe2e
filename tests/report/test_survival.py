"""The page of a survival tree: the curve of a node and of a case, also after pruning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from tests.report.browser import Open
from tests.survival.cases import simulate

TARGET = ("weeks", "died")


@pytest.fixture(scope="module")
def fitted() -> Any:
    frame = simulate(300, 0)
    return ceiba.DecisionTreeSurvival(max_depth=3, min_samples_leaf=20).fit(frame, TARGET)


@pytest.fixture
def page(open_page: Open, fitted: Any, folder: Path) -> Any:
    return open_page("survival", fitted, reports={"train": (simulate(300, 0), TARGET)}).page


def panel_text(page: Any) -> str:
    return str(page.inner_text("#panel"))


def test_node_panel_shows_the_curve_events_and_median(page: Any, fitted: Any) -> None:
    assert "risk 1" in panel_text(page)
    curve = ceiba.tree.node_curve(fitted.tree_, 0)
    text = f"{curve.n_events:g} events, median time {curve.median().value:.4g}"
    assert text in panel_text(page)
    corners = page.get_attribute("#panel .survival path.cv", "d").count("L")
    assert corners >= np.count_nonzero(curve.events[:120])
    assert page.locator("#panel .survival path.train").count() == 0  # the root has no other curve


def test_case_panel_shows_the_median_of_its_leaf_and_follows_the_case(
    page: Any, fitted: Any
) -> None:
    page.click("#tab-case")
    page.click("button.primary")
    medians = {f"{m:.4g}" for m in fitted.predict_median(simulate(300, 0))}
    first = page.inner_text("#case-median")
    assert any(f"median time {median}" in first for median in medians)
    assert page.locator("#panel .survival path.train").count() == 1
    used = fitted.tree_.schema.names.index("age")
    ends = {
        page.evaluate(
            "([j, v]) => { const x = ceibaReport.state.values.slice(); x[j] = v; "
            "return ceibaReport.predict(x).value[0]; }",
            [used, age],
        )
        for age in (32, 78)
    }
    assert len(ends) == 2  # what-if: another age, another risk


def test_case_of_a_pruned_tree_has_the_curve_of_the_root(page: Any) -> None:
    page.click("#tab-prune")
    assert "deviance" in panel_text(page)
    page.click("#tab-case")
    page.click("button.primary")
    page.evaluate("ceibaReport.update({ step: 0 })")
    page.wait_for_function("document.getElementById('case-answer').textContent === 'risk 1'")
    assert page.locator("#panel .survival path.train").count() == 0
