"""Classroom mode: nothing is given away before the answer; then the numbers in the formula."""

from __future__ import annotations

import re

import pytest

from tests.studio.page.conftest import Open

WORDS = {"en": "Which question", "es": "Qué pregunta", "pt": "Qual pergunta"}


@pytest.mark.parametrize("lang", ["en", "es", "pt"])
def test_lesson_hides_figures_until_the_learner_has_answered(open_studio: Open, lang: str) -> None:
    hands = open_studio("restaurant", "--lesson", "--lang", lang)
    page = hands.page
    page.click("#start")
    page.wait_for_selector("#lesson-0")
    assert WORDS[lang] in page.inner_text("#panel")
    assert page.locator(".rival, #grow-one, .gain-row").count() == 0
    assert page.is_disabled("#grow-all")
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
    page.click("#lesson-all")
    hands.until("document.querySelectorAll('.lesson-steps li').length > 1")
    decimal = "." if lang == "en" else ","
    formulas = page.locator(".formula").all_inner_texts()
    assert f"= 0{decimal}5409" in formulas[-1]  # Russell and Norvig's gain, 0.541 bits
    for measure in ("entropy", "gini", "gain_ratio", "chi2"):
        page.select_option("#lesson-measure", measure)
        page.click("#lesson-all")
        hands.until("document.querySelector('#lesson-steps .formula')")
    assert hands.errors == []

    hands.await_action(lambda: page.click("#take-0"))
    hands.run("() => ceibaStudio.reveal(ceibaStudio.model().n - 1)")
    page.wait_for_selector("#lesson-0")  # the next node asks again
