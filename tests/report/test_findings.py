"""What a careful reader is told first: leaks where they cannot be missed, leaves of few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from tests.marks import slow
from tests.report.browser import Open
from tests.report.models import model


def leaking() -> Any:
    x = np.arange(60.0)
    return ceiba.DecisionTreeClassifier().fit({"mm of rain": x, "wind": x % 7}, x > 30)


@pytest.mark.parametrize(
    ("lang", "word"), [("en", "leak"), *slow([("es", "fuga"), ("pt", "vazamento")])]
)
def test_leak_is_marked_in_the_header_on_the_tab_and_beside_the_figures(
    open_page: Open, lang: str, word: str
) -> None:
    opened = open_page("leaking", leaking(), reports={})
    page = opened.page
    page.select_option("#lang", lang)
    mark = page.inner_text("#leak")
    assert word in mark
    assert "mm of rain" in mark
    assert page.locator("#tab-data .tab-mark").is_visible()
    page.click("#tab-model")
    assert word in page.inner_text("#panel .warn.strong")
    page.click("#leak")
    assert opened.run("() => ceibaReport.state.tab") == "data"
    assert "mm of rain" in page.inner_text("#panel .warn.strong")


@pytest.mark.slow
def test_leak_mark_is_absent_where_no_column_decides_alone(open_page: Open) -> None:
    opened = open_page("classes")
    assert opened.page.locator("#leak").count() == 0
    assert opened.page.locator(".tab-mark").count() == 0


def test_warning_of_small_leaves_is_of_the_shown_tree(open_page: Open) -> None:
    opened = open_page("cv")
    page = opened.page
    page.click("#tab-data")
    last = opened.run("() => ceibaReport.model.steps.length - 1")
    opened.run("(k) => ceibaReport.update({ step: k })", last)
    said = page.inner_text("#panel .warn")
    tree = model("cv").unpruned_tree_
    few = int((tree.n_rows[tree.leaves] < 5).sum())
    assert said.startswith(f"{few} leaves")
    opened.run("() => ceibaReport.update({ step: 0 })")
    assert page.locator("#panel .warn").count() == 0


def mostly(wrong: int, n: int = 60) -> Any:
    """Return a tree on one column that is wrong on some rows; the second column is of no use."""
    x = np.arange(float(n))
    y = x > n / 2
    y[:wrong] = True
    tree = ceiba.DecisionTreeClassifier(max_depth=1)
    return tree.fit({"mm": x, "same": np.ones(n)}, np.where(y, "rain", "dry"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "wrong", "n", "begins", "says"),
    [
        ("leak_none_left", 0, 60, "Possible leak: “mm” alone decides", "almost never wrong"),
        ("leak_errors_left", 6, 60, "No sign of a leak: “mm” does nearly all", "of the error"),
        ("leak_few_rows", 0, 12, "“mm” does nearly all the work (100%", "12 rows are too few"),
    ],
)
def test_leak_one_sentence_says_one_thing_in_each_state(
    open_page: Open, kind: str, wrong: int, n: int, begins: str, says: str
) -> None:
    opened = open_page(kind, mostly(wrong, n), reports={})
    opened.page.click("#tab-data")
    told = opened.page.locator("#panel .warn, #panel .calm").all_inner_texts()
    assert len(told) == 1
    assert told[0].startswith(begins)
    assert says in told[0]
    assert "no column alone decides" not in told[0]
    assert opened.page.locator("#leak").count() == (kind == "leak_none_left")


@pytest.mark.slow
def test_leak_errors_that_remain_are_counted(open_page: Open) -> None:
    fitted = mostly(6)
    opened = open_page("leak_errors_left", fitted, reports={})
    opened.page.click("#tab-data")
    left = fitted.tree_.tree_risk / float(fitted.tree_.risk[0])
    assert f"{100 * left:.0f}% of the error" in opened.page.inner_text("#panel .calm")


@pytest.mark.slow
def test_leak_is_of_the_shown_tree(open_page: Open) -> None:
    opened = open_page("leaking", leaking(), reports={})
    opened.page.click("#tab-data")
    assert opened.page.locator("#leak").count() == opened.page.locator(".tab-mark").count() == 1
    opened.run("() => ceibaReport.update({ step: 0 })")  # no question, so nothing leaks
    assert opened.page.locator("#leak").count() == opened.page.locator(".tab-mark").count() == 0
    assert opened.page.locator("#panel .warn, #panel .calm").count() == 0
    opened.page.click("#trial")
    assert opened.page.locator("#leak").count() == opened.page.locator(".tab-mark").count() == 1


@pytest.mark.slow
def test_leak_of_numbers_does_not_speak_of_wrong_answers(open_page: Open) -> None:
    x = np.repeat(np.arange(4.0), 20)
    fitted = ceiba.DecisionTreeRegressor().fit({"cause": x, "same": np.ones(80)}, 3 * x)
    opened = open_page("leak_number", fitted, reports={})
    opened.page.click("#tab-data")
    said = opened.page.inner_text("#panel .warn.strong")
    assert "hits its training rows almost exactly" in said
    assert "wrong" not in said


@pytest.mark.slow
def test_leak_none_where_the_importance_is_shared(open_page: Open) -> None:
    fitted = model("classes")
    opened = open_page("classes")
    opened.page.click("#tab-data")
    said = opened.page.inner_text("#panel .calm")
    share = max(fitted.feature_importances_)
    name = fitted.tree_.schema.names[int(np.argmax(fitted.feature_importances_))]
    assert said.startswith("No sign of a leak: no column alone decides.")
    assert f"“{name}”, has {100 * share:.0f}% of the importance" in said
