"""What the page says of a tree that was searched for: a sentence, its figures, three languages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.grow import Certificate, Lookahead, Optimal
from ceiba.report import payload
from tests.marks import slow
from tests.report.browser import Open


def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(120) < 0.1)).astype(int)


def fitted(**search: Any) -> Any:
    how = Optimal(**search)
    return ceiba.DecisionTreeClassifier(search=how, max_depth=2).fit(*data())


def with_certificate(**changes: Any) -> Any:
    """Return a model whose certificate says what is to be shown."""
    model = fitted()
    values = {**model.certificate_.to_dict(), **changes}
    model.tree_ = model.tree_.with_certificate(Certificate(**values))
    return model


@pytest.mark.slow
def test_payload_holds_the_certificate_of_a_searched_tree() -> None:
    model = fitted()
    said = payload(model.tree_)["certificate"]
    assert said["objective"] == said["lower_bound"] == model.certificate_.objective
    assert said["proven"]
    assert said["gap"] == 0
    greedy = ceiba.DecisionTreeClassifier(max_depth=2).fit(*data())
    assert payload(greedy.tree_)["certificate"] is None


def test_page_says_what_is_proven_and_how_sure_that_is(open_page: Open) -> None:
    model = fitted()
    errors = f"{model.certificate_.objective:.0f}"
    opened = open_page("proven", model, reports={})
    line = opened.page.locator("#proof")
    assert f"No tree of depth 2 makes fewer than {errors} errors" in line.inner_text()
    assert not opened.page.locator(".proof-more").is_visible()
    height = opened.page.locator("header").bounding_box()["height"]
    line.locator("summary").click()
    facts = opened.page.locator(".proof-more dl").inner_text().split("\n")
    assert facts[:6] == ["Objective", errors, "Lower bound", errors, "Gap", "0%"]
    assert f"{model.certificate_.nodes:,}" in facts
    assert opened.page.locator("header").bounding_box()["height"] == height
    assert opened.errors == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "A better tree could lower this by at most 25.0%"),
        ("es", "Un árbol mejor podría reducirlo como mucho en un 25,0"),
        ("pt", "Uma árvore melhor poderia reduzi-lo no máximo em 25,0"),
    ],
)
def test_page_says_how_far_the_tree_can_be_from_the_best(
    open_page: Open, lang: str, words: str
) -> None:
    model = with_certificate(objective=12.0, lower_bound=9.0, status="time", seconds=30.0)
    opened = open_page(f"gap-{lang}", model, reports={"lang": lang})
    assert words in opened.page.inner_text("#proof")
    opened.page.click("#proof summary")
    assert "30 s" in opened.page.inner_text(".proof-more")
    assert "⟦" not in opened.page.inner_text("#proof")


@pytest.mark.slow
@pytest.mark.parametrize(
    "loss", ["cost", "absolute_error", *slow(["gini", "entropy", "squared_error"])]
)
def test_page_names_every_loss(open_page: Open, loss: str) -> None:
    model = with_certificate(loss=loss, penalty=0.5, all_level_sets=False)
    opened = open_page(f"loss-{loss}", model, reports={})
    opened.page.click("#proof summary")
    text = opened.page.inner_text("#proof")
    assert "⟦" not in text
    assert "Each leaf adds 0.5." in text
    assert "candidate sets" in text
    assert loss.replace("_", " ") in text.lower()


@pytest.mark.slow
def test_trees_without_proof_say_so(open_page: Open) -> None:
    look = ceiba.DecisionTreeClassifier(search=Lookahead(), max_depth=2).fit(*data())
    opened = open_page("lookahead", look, reports={})
    assert "nothing is proven" in opened.page.inner_text("#proof")
    early = with_certificate(objective=12.0, lower_bound=0.0, status="interrupted")
    opened = open_page("early", early, reports={})
    assert "is not known" in opened.page.inner_text("#proof")
    greedy = ceiba.DecisionTreeClassifier(max_depth=2).fit(*data())
    opened = open_page("greedy", greedy, reports={})
    assert opened.page.inner_text("#proof") == ""


def test_proof_is_not_claimed_for_another_tree(open_page: Open) -> None:
    opened = open_page("proven", fitted(), reports={})
    opened.run("() => ceibaReport.update({ step: 0 })")  # the root alone
    assert opened.page.inner_text("#proof") == ""


@pytest.mark.slow
def test_printed_report_says_what_is_proven(open_page: Open) -> None:
    opened = open_page("proven", fitted(), reports={})
    opened.run("() => ceibaReport.buildPrint()")
    assert "No tree of depth 2" in opened.page.locator("#print").text_content()
