"""The site: at most eight entries per part, checkers that find what is broken, pages in a browser.

The tests of the built pages need `make docs` and are slow.
"""

from __future__ import annotations

import html
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ceiba.lessons.source import NUMBERS
from tests.report.browser import chromium

DOCS = Path(__file__).parents[2] / "docs"
BUILT = DOCS / "_build" / "html"
PARTS = ["Learn", "Do", "Understand", "Look up"]


@pytest.fixture(scope="module")
def checker() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "_ext" / "check_site.py"))


def site(folder: Path, **pages: str) -> Path:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return folder


def test_checker_accepts_links_that_lead_somewhere(checker, tmp_path):
    pages = {"a": '<a href="b.html#here">b</a><img src="b.html">', "b": '<p id="here">'}
    assert checker["problems"](site(tmp_path, **pages)) == []


@pytest.mark.parametrize(
    "text",
    [
        '<a href="nowhere.html">',
        '<a href="a.html#nowhere">',
        '<a href="#nowhere">',
        '<img src="absent.png">',
        '<script src="https://example.org/x.js"></script>',
        '<link rel="stylesheet" href="//example.org/x.css">',
    ],
)
def test_checker_finds_what_is_broken_or_loaded_from_elsewhere(checker, tmp_path, text):
    assert len(checker["problems"](site(tmp_path, a=text))) == 1


def test_checker_fails_in_a_folder_without_pages(checker, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["check_site.py", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        checker["main"]()
    assert end.value.code == 1
    assert "contains no pages" in capsys.readouterr().out


def test_home_page_has_four_parts_of_at_most_eight_entries():
    text = (DOCS / "index.md").read_text("utf-8")
    trees = re.findall(r"```\{toctree\}\n:caption: ([^\n]+)\n:hidden:\n(.*?)```", text, re.S)
    assert [caption for caption, _ in trees] == PARTS
    for caption, entries in trees:
        assert 1 <= len(entries.split()) <= 8, caption


def test_chart_reads_the_ratios_of_the_page():
    pytest.importorskip("sphinx", reason="sphinx is not installed")
    made = runpy.run_path(str(DOCS / "_ext" / "ratio_chart.py"))
    text = (
        "| workload | what | ours | theirs | figure | bar |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| big | fit, CPU time | 1 s | scikit-learn 30 s | 30.0x faster | |\n"
        "|  | fit, CPU time | 1 s | LightGBM 500 ms | 2.0x slower | |\n"
        "|  | predict, CPU time | 1 s | LightGBM 500 ms | 2.0x slower | |\n"
        "| big | fit, CPU time | 1 s | scikit-learn 31 s | 31.0x faster | |\n"
    )
    assert made["ratios"](text, "fit, CPU time") == {"big": {"scikit-learn": 31.0, "LightGBM": 0.5}}
    assert "31x" in made["chart"](made["ratios"](text, "fit, CPU time"), "title")


@pytest.mark.parametrize(
    ("name", "following"),
    [("lessons/es/3", "Siguiente"), ("lessons/pt/3", "Próxima"), ("index", "Next")],
)
def test_theme_speaks_the_language_of_the_page(name, following):
    pytest.importorskip("sphinx", reason="sphinx is not installed")
    made = runpy.run_path(str(DOCS / "_ext" / "page_language.py"))
    words = made["words_of"](made["language_of"](name))
    assert words.gettext("Next") == following
    assert (words.gettext("Go") == "Go") == (name == "index")  # of Sphinx's catalogue


# --- the built pages


def built() -> list[str]:
    pages = ["index", "quickstart", "gallery", "comparison", "benchmarks", "pruning", "cli"]
    pages += ["howto/csv", "howto/coming_from", "howto/shipping", "howto/rare_classes"]
    pages += [f"cheat_sheet/{lang}" for lang in ("en", "es", "pt")]
    pages += [f"lessons/{lang}/{n}" for lang in ("en", "es", "pt") for n in ("index", *NUMBERS)]
    return [*pages, "lessons/en/worked", "api/index", "api/tree", "missing", "glossary"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not (BUILT / "index.html").is_file():
        pytest.skip("the site is not built (make docs)")
    with chromium() as started:
        yield started


def opened(browser: Any, name: str, **options: Any) -> tuple[Any, list[str]]:
    page = browser.new_context(offline=True, **options).new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((BUILT / f"{name}.html").as_uri())
    return page, errors


@pytest.mark.slow
@pytest.mark.parametrize("name", built())
def test_page_does_not_scroll_sideways_on_a_phone(browser, name):
    page, errors = opened(browser, name, viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert errors == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", built())
def test_axe_finds_nothing(browser, name, theme):
    from tests.report.npm import package

    axe = (package("axe-core") / "axe.min.js").read_text("utf-8")
    page, _ = opened(browser, name, color_scheme=theme)
    page.evaluate(axe)
    # The report that the home page embeds is tested on its own.
    result = page.evaluate('() => axe.run({exclude: ["iframe"]}, {iframes: false})')
    found = [(one["id"], one["nodes"][0]["html"][:120]) for one in result["violations"]]
    assert found == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("missing", "missing"),
        ("missing values", "missing"),
        ("choose size prune", "pruning"),
        ("export SQL", "exports"),
        ("surrogate", "missing"),
    ],
)
def test_search_finds_guides_before_attributes(browser, words, page):
    shown, _ = opened(browser, "search")
    shown.fill('input[name="q"] >> nth=-1', words)
    shown.keyboard.press("Enter")
    shown.wait_for_selector("ul.search li a")
    first = [one.get_attribute("href") for one in shown.locator("ul.search li a").all()[:5]]
    assert not first[0].startswith("api/generated")
    assert any(link.startswith(page) for link in first)
    if words == "missing":
        assert first[0].startswith("missing.html")
    shown.context.close()


@pytest.mark.slow
def test_home_page_shows_the_film_and_the_report_of_its_code(browser):
    page, errors = opened(browser, "index")
    frame = page.frame_locator(".live iframe")
    frame.locator("#tree").wait_for()
    assert "891" in frame.locator("body").inner_text()
    widths = page.evaluate(
        "[...document.images].filter((i) => i.offsetParent).map((i) => i.naturalWidth)"
    )
    assert widths
    assert min(widths) > 0
    assert errors == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "caption"), [("es", "Lecciones"), ("pt", "Lições"), ("en", "Learn")]
)
def test_side_bar_speaks_the_language_of_the_lesson(browser, lang, caption):
    page, _ = opened(browser, f"lessons/{lang}/index")
    captions = page.locator(".sidebar-tree .caption-text").all_text_contents()
    assert captions[0] == caption
    assert page.locator(".lesson-card").count() == len(NUMBERS)
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("name", ["index", "quickstart"])
def test_code_of_the_first_pages_fits_its_boxes(browser, name, width):
    page, _ = opened(browser, name, viewport={"width": width, "height": 900})
    wide = page.evaluate(
        """() => [...document.querySelectorAll("pre")]
          .filter((pre) => pre.scrollWidth > pre.clientWidth).map((pre) => pre.textContent)"""
    )
    assert wide == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1400, 390])
def test_no_page_cuts_code_or_lacks_a_picture(browser, width):
    page, _ = opened(browser, "index", viewport={"width": width, "height": 900})
    names = [path.relative_to(BUILT).as_posix() for path in BUILT.rglob("*.html")]
    found = {}
    for name in sorted(name for name in names if not name.startswith(("_static", "_modules"))):
        page.goto((BUILT / name).as_uri())
        found[name] = page.evaluate(
            """() => [
              ...[...document.querySelectorAll("pre")].filter((pre) =>
                pre.scrollWidth > pre.clientWidth
                && !["auto", "scroll"].includes(getComputedStyle(pre).overflowX)),
              ...[...document.images].filter((image) => image.complete && !image.naturalWidth),
            ].map((element) => element.outerHTML.slice(0, 120))"""
        )
    assert len(found) > 200
    assert {name: parts for name, parts in found.items() if parts} == {}
    page.context.close()


#: Questions of new users: a page that answers them, and words of the answer.
QUESTIONS = {
    "How do I install it without a compiler?": ("howto/install", "pip install --find-links"),
    "How do I start with my own CSV file?": ("howto/csv", "ceiba learn customers.csv"),
    "What must I do about missing values?": ("missing", "--missing-marker=-999"),
    "How large should the tree be?": ("pruning", 'prune="cv"'),
    "Is it scikit-learn's tree?": ("faq", "except for exact ties"),
    "What replaces my rpart call?": ("rpart", 'ceiba.rpart("Kyphosis ~ .", kyphosis)'),
    "May I trust the probability?": ("faq", "calibration on held-out rows"),
    "Do my data leave my computer?": ("playground", "Nothing leaves your computer"),
    "How do I run the tree in a database?": ("exports", "one WHEN per leaf"),
    "Can it fit a table beyond memory, or on a GPU?": ("gpu", "the same tree as in memory"),
}


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_question_of_a_new_user_is_two_clicks_from_the_home_page(checker, question):
    if not (BUILT / "index.html").is_file():
        pytest.skip("the site is not built (make docs)")
    name, words = QUESTIONS[question]
    reached = {BUILT / "index.html"}
    for _ in range(2):
        for path in list(reached):
            links = checker["Page"](path.read_text("utf-8")).links
            targets = (path.parent / link.partition("#")[0] for link in links)
            reached |= {target.resolve() for target in targets if target.suffix == ".html"}
        reached = {path for path in reached if path.is_file()}
    answer = BUILT / f"{name}.html"
    assert answer.resolve() in reached
    text = re.sub(r"<[^>]+>", "", answer.read_text("utf-8"))
    assert words in html.unescape(" ".join(text.split()))


@pytest.mark.slow
def test_methods_of_a_class_are_folded_by_group(browser):
    page, _ = opened(browser, "api/generated/ceiba.estimators.DecisionTreeClassifier")
    assert page.evaluate("document.documentElement.scrollHeight") < 12_000
    assert page.locator("h2", has_text="Change by hand").count() == 1
    page.context.close()


@pytest.mark.slow
def test_first_build_of_a_clean_clone_is_right(tmp_path, checker):
    pytest.importorskip("sphinx", reason="sphinx is not installed (make docs installs it)")
    clone, site_folder = tmp_path / "clone", tmp_path / "site"
    subprocess.run(["git", "clone", "-q", "--depth", "1", DOCS.parent.as_uri(), clone], check=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "docs", site_folder]
    built_once = subprocess.run(command, cwd=clone, capture_output=True, text=True)
    assert built_once.returncode == 0, built_once.stderr
    assert checker["problems"](site_folder) == []
    assert (site_folder / "_static" / "titanic.html").is_file()
    assert "[Missing values](missing.html)" in (site_folder / "llms.txt").read_text("utf-8")
