"""The pictures of the lessons in a browser: moving one changes it to what the Python API gives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.lessons import lesson
from ceiba.lessons.source import NUMBERS
from ceiba.lessons.writing import page
from ceiba.words import LANGUAGES
from tests.marks import slow
from tests.report.browser import chromium

STATIC = Path(__file__).parents[2] / "docs" / "_static"
COLOURS = """
body { --color-background-primary: #fff; --color-background-secondary: #f4f4f6;
  --color-background-border: #ddd; --color-foreground-primary: #111;
  --color-foreground-secondary: #444; --color-foreground-muted: #666;
  --color-foreground-border: #777; --color-brand-primary: #0a4bff; font-family: sans-serif; }
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


class Pictures:
    """The pictures of one lesson on a page of their own, with the site's script and style."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        options.setdefault("viewport", {"width": 1000, "height": 900})
        self.context = browser.new_context(offline=True, **options)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(path.as_uri())

    def slide(self, name: str, place: int, which: int = 0) -> None:
        """Put a slider at a place, as a reader does with the keyboard."""
        script = """([name, place, which]) => {
          const input = document.querySelectorAll(`#${name} input[type=range]`)[which];
          input.value = place;
          input.dispatchEvent(new Event("input", {bubbles: true}));
        }"""
        self.page.evaluate(script, [name, place, which])

    def value(self, name: str, figure: str) -> float:
        """Read a figure of a picture, in full."""
        output = self.page.locator(f'#{name} output[data-value="{figure}"]')
        return float(output.get_attribute("data-number"))

    def text(self, name: str, figure: str) -> str:
        return self.page.locator(f'#{name} output[data-value="{figure}"]').inner_text()


@pytest.fixture
def show(browser, finished, tmp_path) -> Iterator[Any]:
    shown: list[Pictures] = []

    def open_it(number: int, lang: str = "en", **options: Any) -> Pictures:
        text = page(finished[number], lang)
        figures = "\n".join(
            line for line in text.splitlines() if line.startswith('<figure class="moving"')
        )
        whole = (
            f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>lesson</title>'
            f"<style>{COLOURS}{(STATIC / 'site.css').read_text('utf-8')}</style><body><main>"
            f"<h1>{number}</h1>{figures}</main>"
            f"<script>{(STATIC / 'pictures.js').read_text('utf-8')}</script></body></html>"
        )
        path = tmp_path / f"{number}_{lang}.html"
        path.write_text(whole, encoding="utf-8")
        shown.append(Pictures(browser, path, **options))
        return shown[-1]

    yield open_it
    for one in shown:
        one.context.close()


def test_question_that_is_chosen_shows_its_gain(show, finished):
    pictures = show(1)
    data = ceiba.datasets.load_restaurant()
    for name in data.X:
        pictures.page.select_option("#questions select", name)
        gain = ceiba.gain(data.X[name], data.y, "multiway", "entropy")
        assert pictures.value("questions", "gain") == pytest.approx(gain, abs=1e-12)


def test_question_of_tennis_shows_its_gain_ratio(show, finished):
    pictures = show(7)
    tennis = ceiba.datasets.load_play_tennis()
    pictures.page.select_option("#ratios select", "Outlook")
    values = tennis.X["Outlook"]
    shares = [values.count(level) / len(values) for level in set(values)]
    info = -sum(share * math.log2(share) for share in shares)
    ratio = ceiba.gain(values, tennis.y, "multiway", "entropy") / info
    assert pictures.value("ratios", "ratio") == pytest.approx(ratio, abs=1e-12)


def test_cut_that_is_moved_shows_the_gains_of_the_api(show, finished):
    pictures = show(3)
    iris = ceiba.datasets.load_iris()
    width, cuts = iris.X["petal width"], finished[3].pictures["cut"]["cuts"]
    for place in (0, 5, len(cuts) - 1):
        pictures.slide("cut", place)
        for criterion in ("entropy", "gini", "error"):
            gain = ceiba.gain(width, iris.y, cuts[place], criterion)
            assert pictures.value("cut", f"gain:{criterion}") == pytest.approx(gain, abs=1e-12)


def test_cut_can_be_dragged(show, finished):
    pictures = show(3)
    before = pictures.value("cut", "gain:gini")
    box = pictures.page.locator("#cut .stage svg").bounding_box()
    pictures.page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 60)
    pictures.page.mouse.down()
    pictures.page.mouse.move(box["x"] + box["width"] * 0.72, box["y"] + 60)
    pictures.page.mouse.up()
    after = pictures.value("cut", "gain:gini")
    assert after != before
    place = int(pictures.page.locator("#cut input").input_value())
    cut = finished[3].pictures["cut"]["cuts"][place]
    iris = ceiba.datasets.load_iris()
    assert after == pytest.approx(ceiba.gain(iris.X["petal width"], iris.y, cut), abs=1e-12)


def test_cut_of_regression_shows_the_error_of_the_api(show, finished):
    pictures = show(4)
    rows = np.array(finished[4].pictures["onecut"]["rows"])
    cuts = finished[4].pictures["onecut"]["cuts"]
    for place in (3, 20, 40):
        pictures.slide("onecut", place)
        gain = ceiba.gain(rows[:, 0], rows[:, 1], cuts[place], "squared_error")
        assert pictures.value("onecut", "gain") == pytest.approx(gain, abs=1e-12)
        left = rows[rows[:, 0] <= cuts[place], 1].mean()
        assert pictures.value("onecut", "mean:left") == pytest.approx(left, abs=1e-12)


def test_alpha_that_slides_shows_the_pruned_tree_of_the_api(show):
    pictures = show(5)
    iris = ceiba.datasets.load_iris()
    petals = {name: iris.X[name] for name in ("petal length", "petal width")}
    tree = ceiba.DecisionTreeClassifier().fit(petals, iris.y).tree_
    sizes = set()
    for place in (0, 110, 140, 250, 399):
        pictures.slide("slide", place)
        alpha = pictures.value("slide", "alpha")
        pruned = tree.prune(alpha)
        sizes.add(pruned.n_leaves)
        assert pictures.value("slide", "leaves") == pruned.n_leaves
        cost = pruned.tree_risk + alpha * pruned.n_leaves
        assert pictures.value("slide", "cost_complexity") == pytest.approx(cost, abs=1e-12)
        assert (
            f"{pruned.n_leaves} leaves" in pictures.page.locator("#slide svg title").text_content()
        )
    assert len(sizes) >= 4


def test_leaves_that_slide_show_the_regions_of_the_api(show):
    pictures = show(3)
    iris = ceiba.datasets.load_iris()
    petals = {name: iris.X[name] for name in ("petal length", "petal width")}
    for place, leaves in enumerate(range(2, 6)):
        pictures.slide("regions", place)
        tree = ceiba.DecisionTreeClassifier(max_leaf_nodes=leaves).fit(petals, iris.y).tree_
        assert pictures.page.locator("#regions .region").count() == tree.n_leaves == leaves
        assert pictures.value("regions", "errors") == round(tree.tree_risk * 150)


def test_depth_that_slides_shows_the_error_of_the_staircase(show):
    pictures = show(4)
    x = np.linspace(-5, 5, 100)
    y = np.sin(x) + 0.3 * np.cos(3 * x)
    for place in (0, 2, 5):
        pictures.slide("staircase", place)
        model = ceiba.DecisionTreeRegressor(max_depth=place + 1).fit(x.reshape(-1, 1), y)
        error = float(np.mean((model.predict(x.reshape(-1, 1)) - y) ** 2))
        assert pictures.value("staircase", "squared_error") == pytest.approx(error, abs=1e-12)


def test_price_and_threshold_that_slide_show_the_cost(show, finished):
    pictures = show(8)
    values = finished[8].values["costs"]
    probability, truth = values["probability"], values["truth"]
    for price, threshold in ((1, 50), (5, 17), (20, 5)):
        pictures.slide("prices", price - 1, 0)
        pictures.slide("prices", threshold, 1)
        said = probability > threshold / 100
        missed, alarms = int((truth & ~said).sum()), int((~truth & said).sum())
        assert pictures.value("prices", "missed") == missed
        assert pictures.value("prices", "false_alarms") == alarms
        cost = (price * missed + alarms) / len(truth)
        assert pictures.value("prices", "cost") == pytest.approx(cost, abs=1e-12)


STEPS = [
    (number, cell.name)
    for number in NUMBERS
    for cell in lesson(number).cells
    if cell.kind == "figure"
]


@pytest.mark.parametrize("number", NUMBERS)
def test_every_step_of_every_slider_shows_its_own_values(number, show, finished):
    pictures = show(number)
    for name, data in finished[number].pictures.items():
        if data["kind"] != "steps":
            continue
        for place, step in enumerate(data["steps"]):
            pictures.slide(name, place)
            for figure, value in step["values"].items():
                assert pictures.value(name, figure) == pytest.approx(value, abs=1e-12)
    assert pictures.errors == []


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("lang", ["pt", *slow(lang for lang in LANGUAGES if lang != "pt")])
def test_pictures_draw_without_errors_and_fit_on_a_phone(number, lang, show):
    pictures = show(number, lang, viewport={"width": 390, "height": 800})
    assert pictures.errors == []
    drawn = pictures.page.locator("figure.moving[data-ready=yes]").count()
    assert drawn == len([one for one in STEPS if one[0] == number])
    wide = pictures.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390


def test_numbers_are_written_as_the_language_does(show):
    pictures = show(3, "pt")
    pictures.slide("cut", 5)
    assert "," in pictures.text("cut", "gain:gini")
    assert pictures.page.locator("#cut dt").first.inner_text() == "linhas (esquerda)"


@pytest.mark.slow
def test_axe_finds_nothing(show):
    from tests.report.npm import package

    axe = (package("axe-core") / "axe.min.js").read_text("utf-8")
    for number in NUMBERS:
        pictures = show(number)
        pictures.page.evaluate(axe)
        result = pictures.page.evaluate("() => axe.run(document)")
        assert [one["id"] for one in result["violations"]] == [], number
