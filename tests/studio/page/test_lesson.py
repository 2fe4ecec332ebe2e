"""Classroom mode: nothing is given away before the answer; then the numbers in the formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.studio.page.hands import Hands
from tests.studio.page.serving import serve

QUESTION = {"en": "Which question", "es": "Qué pregunta", "pt": "Qual pergunta"}
TITLE = {"en": "Entropy of the node", "es": "Entropía del nodo", "pt": "Entropia do nó"}


@pytest.fixture
def hands(browser: Any) -> Iterator[Hands]:
    with serve("--example", "restaurant", "--lesson", "--lang", "es") as served:
        tab = Hands(browser, served.address)
        yield tab
        tab.context.close()


def test_lesson_hides_figures_until_the_learner_has_answered(hands: Hands) -> None:
    page = hands.page
    page.click("#start")
    page.wait_for_selector("#lesson-0")
    assert page.locator(".rival, #grow-one, .gain-row").count() == 0
    assert page.is_disabled("#grow-all")
    for lang, words in QUESTION.items():
        page.select_option("#lang", lang)
        assert words in page.inner_text("#panel")
        assert not re.search(r"0[.,]\d", page.inner_text("#panel"))
    page.check('input[name="lesson"][value="Type"]')
    page.click("#lesson-answer")
    page.wait_for_selector("#lesson-verdict")
    assert "Patrons" in page.inner_text("#lesson-verdict")  # the better one is named
    hands.await_rivals()
    assert page.inner_text(".rival-name >> nth=0").startswith("Patrons")

    page.select_option("#lesson-column", "Patrons")
    assert page.locator(".lesson-steps li").count() == 0
    page.click("#lesson-next")
    page.wait_for_selector(".lesson-steps li")
    assert page.locator(".lesson-steps li").count() == 1  # step by step
    for lang, title in TITLE.items():
        page.select_option("#lang", lang)
        page.click("#lesson-all")
        hands.until(f"document.querySelector('.lesson-steps')?.textContent.startsWith({title!r})")
        formulas = page.locator(".formula").all_inner_texts()
        number = "0.5409" if lang == "en" else "0,5409"  # Russell and Norvig's gain, 0.541 bits
        assert formulas[-1].endswith(f"= {number}")
    for measure in ("entropy", "gini", "gain_ratio", "chi2"):
        page.select_option("#lesson-measure", measure)
        page.click("#lesson-all")
        hands.until("document.querySelector('#lesson-steps .formula')")
    assert hands.errors == []

    hands.await_action(lambda: page.click("#take-0"))
    hands.run("() => ceibaStudio.reveal(ceibaStudio.model().n - 1)")
    page.wait_for_selector("#lesson-0")  # the next node asks again
