"""The playground in a browser: drop a file, grow, size, ask a case, save, load in Python."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ceiba
from ceiba.lessons import lesson, run
from ceiba.lessons.run import LessonRun
from ceiba.lessons.writing import page as lesson_page
from ceiba.words import LANGUAGES, words
from tests.marks import slow
from tests.playground.firefox import WatchedFirefox, firefox
from tests.playground.scripts import need_core, playground
from tests.playground.test_worker import as_json, fitted, random_table, write
from tests.report.browser import chromium
from tests.report.checkers import axe_source, violations
from tests.watched_page import WatchedPage

Open = Callable[..., WatchedPage]
both_browsers = pytest.mark.parametrize("open_page", ["chromium", "firefox"], indirect=True)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    need_core()
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def firefox_browser() -> Iterator[Any]:
    need_core()
    with firefox() as started:
        yield started


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("playground") / "playground.html"
    path.write_text(playground.page(), encoding="utf-8")
    return path


@pytest.fixture
def open_page(request: pytest.FixtureRequest, page_file: Path) -> Iterator[Open]:
    """Return a function that opens the page; Chromium unless a test is parametrized."""
    opened: list[WatchedPage] = []
    in_firefox = getattr(request, "param", "chromium") == "firefox"
    browser = request.getfixturevalue("firefox_browser" if in_firefox else "browser")
    kind = WatchedFirefox if in_firefox else WatchedPage

    def open_it(address: str = "", **options: Any) -> WatchedPage:
        options = {"viewport": {"width": 1280, "height": 860}, "offline": True, **options}
        ready = "window.ceibaPlayground && window.ceibaPlayground.ready"
        opened.append(kind(browser, page_file.as_uri() + address, ready, **options))
        return opened[-1]

    yield open_it
    for page in opened:
        page.context.close()


def drop(opened: WatchedPage, path: Path) -> None:
    """Drop a file on the page, as a reader does."""
    script = """([name, data]) => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], name));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
    }"""
    given = [path.name, base64.b64encode(path.read_bytes()).decode()]
    finish(opened, lambda: opened.run(script, given))


def finish(opened: WatchedPage, start: Callable[[], Any]) -> None:
    """Start some work, and wait until it is done."""
    before = opened.run("() => ceibaPlayground.play.done")
    start()
    opened.until(f"ceibaPlayground.play.done > {before}")


def choose(opened: WatchedPage, control: str, value: str) -> None:
    finish(opened, lambda: opened.page.select_option(control, value))


def save(opened: WatchedPage, path: Path) -> Any:
    with opened.page.expect_download() as download:
        opened.page.click("#download")
    download.value.save_as(path)
    return ceiba.load(path)


def outside(opened: WatchedPage) -> list[str]:
    return [url for url in opened.requests if not url.startswith(("file:", "data:", "blob:"))]


@both_browsers
def test_file_that_is_dropped_becomes_a_model_that_python_loads(
    open_page: Open, tmp_path: Path
) -> None:
    path = write(tmp_path, random_table(seed=8))
    opened = open_page()
    drop(opened, path)
    model = fitted(path, "grade", prune="1se")
    assert as_json(save(opened, tmp_path / "a.ceiba")) == as_json(model.tree_)
    assert opened.page.inner_text("#summary").startswith("Classification: grade")
    choose(opened, "#folds", "0")  # the full tree
    choose(opened, "#depth", "3")
    model = fitted(path, "grade", max_depth=3)
    assert as_json(save(opened, tmp_path / "b.ceiba")) == as_json(model.tree_)
    # A case goes where Python sends it.
    row = {"x": 0.25, "z": 12, "colour": "red", "flag": True, "day": "2024-05-06"}
    opened.page.click("#tab-case")
    values = [0.25, 12, 2, 1, 1714953600]
    opened.run("(v) => ceibaPlayground.update({ values: v, hasCase: true })", values)
    said = opened.run("() => ceibaPlayground.predict()")
    assert said == model.tree_.predict_one(row).answer
    choose(opened, "#target", "z")
    assert opened.page.input_value("#task") == "regression"
    regression = fitted(path, "z", max_depth=3)
    assert as_json(save(opened, tmp_path / "c.ceiba")) == as_json(regression.tree_)
    # The slider prunes the tree that is saved.
    opened.run("() => ceibaPlayground.update({ step: 1 })")
    pruned, steps = save(opened, tmp_path / "d.ceiba"), regression.tree_.pruning_sequence()
    assert 1 < pruned.n_leaves < regression.tree_.n_leaves
    alpha = steps.alpha[steps.n_leaves.tolist().index(pruned.n_leaves)]
    assert as_json(pruned) == as_json(regression.tree_.prune(float(alpha)))
    assert opened.errors == []
    assert outside(opened) == []


def test_command_line_reports_and_exports_the_saved_model(open_page: Open, tmp_path: Path) -> None:
    from tests.cli.running import ok

    opened = open_page()
    choose(opened, "#tables", "iris")
    tree = save(opened, tmp_path / "iris.ceiba")
    assert tree.n_leaves == 3
    ok("report", "iris.ceiba", "-o", "iris.html", cwd=tmp_path)
    assert "petal length" in (tmp_path / "iris.html").read_text("utf-8")
    assert "CASE" in ok("export", "iris.ceiba", "sql", cwd=tmp_path)


@both_browsers
def test_policy_refuses_every_connection_and_no_request_leaves(
    open_page: Open, page_file: Path
) -> None:
    policy = re.search(r'Security-Policy" content="([^"]+)"', page_file.read_text("utf-8"))
    assert policy is not None
    rules = dict(part.strip().split(" ", 1) for part in policy[1].split(";"))
    assert rules["connect-src"] == "'none'"
    assert rules["default-src"] == "'none'"
    assert rules["worker-src"] == "blob:"
    assert re.fullmatch(r"'sha256-[^']+' 'wasm-unsafe-eval'", rules["script-src"])
    assert re.fullmatch(r"'sha256-[^']+'", rules["style-src"])
    opened = open_page(offline=False)
    choose(opened, "#tables", "iris")
    script = "fetch('http://127.0.0.1:9/').then(() => 'sent', (error) => error.message)"
    refused = ("Failed to fetch", "NetworkError when attempting to fetch resource.")
    assert opened.run(f"() => {script}") in refused
    # The worker inherits the policy of the page.
    worker = f"""() => new Promise((done) => {{
      const code = "onmessage = () => {script.replace("'", "`")}.then(postMessage)";
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      worker.onmessage = (event) => done(event.data);
      worker.postMessage(1);
    }})"""
    assert opened.run(worker) in refused
    assert sum("connect-src" in text for text in opened.errors) >= 1
    assert outside(opened) == []
    assert "connect-src 'none'" in opened.page.inner_text(".promise")
    assert opened.page.inner_text("#version") == f"ceiba {ceiba.__version__}"


def test_work_is_cancelled_and_the_page_goes_on(open_page: Open, tmp_path: Path) -> None:
    path = write(tmp_path, random_table(60_000))
    opened = open_page()
    opened.page.set_input_files("#file", str(path))
    opened.until("ceibaPlayground.play.busy && document.querySelector('#work progress')")
    opened.page.click("#cancel")
    opened.until("!ceibaPlayground.play.busy")
    assert "Cancelled" in opened.page.inner_text("#work")
    choose(opened, "#tables", "restaurant")
    assert opened.page.inner_text("h1") == "restaurant"
    assert opened.errors == []


@both_browsers
def test_file_that_is_refused_says_why_in_the_language_of_the_page(
    open_page: Open, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n3,4,5\n")
    opened = open_page("#lang=es")
    drop(opened, bad)
    assert "La línea 3 tiene 3 celdas" in opened.page.inner_text("#refusal")
    opened.page.select_option("#lang", "pt")
    assert opened.page.inner_text(".drop strong").startswith("Solte aqui")


@both_browsers
@pytest.mark.parametrize(("lang", "theme"), [("en", "light"), ("es", "dark"), ("pt", "light")])
def test_page_has_no_violation_of_accessibility(open_page: Open, lang: str, theme: Any) -> None:
    opened = open_page(f"#lang={lang}", bypass_csp=True, color_scheme=theme)
    opened.page.add_script_tag(content=axe_source())
    assert violations(opened.page) == []
    choose(opened, "#tables", "restaurant")
    for tab in ("node", "case", "prune", "model", "data"):
        opened.page.click(f"#tab-{tab}")
        assert violations(opened.page) == [], tab


@both_browsers
def test_phone_needs_no_sideways_scrolling(open_page: Open) -> None:
    opened = open_page(viewport={"width": 390, "height": 844})
    assert opened.run("() => document.documentElement.scrollWidth") <= 390
    choose(opened, "#tables", "iris")
    assert opened.run("() => document.documentElement.scrollWidth") <= 390
    holder = opened.run("() => document.querySelector('#tree-holder').getBoundingClientRect()")
    assert holder["width"] > 300
    assert holder["height"] > 200


def test_page_and_core_are_small(page_file: Path) -> None:
    need_core()
    assert (playground.BUILD / "ceiba.wasm").stat().st_size <= 1.3e6
    assert page_file.stat().st_size <= 2.2e6


# ---------------------------------------------------------------------- lessons


@cache
def finished_lesson(number: int) -> LessonRun:
    return run(lesson(number))


@pytest.mark.parametrize(
    ("number", "lang"),
    [
        (1, "es"),
        *slow((n, lang) for n in range(1, 6) for lang in LANGUAGES if (n, lang) != (1, "es")),
    ],
)
def test_lesson_grows_the_tree_of_its_table_in_the_page(
    browser: Any, page_file: Path, number: int, lang: str
) -> None:
    static = Path(__file__).parents[2] / "docs" / "_static"
    text = lesson_page(finished_lesson(number), lang)
    [figure] = [line for line in text.splitlines() if 'id="own"' in line]
    path = page_file.with_name(f"lesson_{number}_{lang}.html")
    path.write_text(
        f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>x</title>{figure}'
        f"<script>{(static / 'pictures.js').read_text('utf-8')}</script></html>",
        encoding="utf-8",
    )
    context = browser.new_context(offline=True, viewport={"width": 1000, "height": 900})
    try:
        page = context.new_page()
        page.goto(path.as_uri())
        frame = page.frame_locator("iframe")
        frame.locator("#grown").wait_for()
        data = finished_lesson(number).pictures["own"]
        rows = data["csv"].count("\n") - 1
        unit = {"en": "rows", "es": "filas", "pt": "linhas"}[lang]
        assert f"{rows} {unit}" in frame.locator("#summary").inner_text()
        # Other rows give another tree.
        if not frame.locator("#typed").is_visible():  # small tables are open
            frame.locator("#typed-box summary").click()
        half = "\n".join(data["csv"].splitlines()[: rows // 2 + 1])
        frame.locator("#typed").fill(half)
        frame.locator(f"#summary:has-text('{rows // 2} {unit}')").wait_for()
        # Another criterion.
        other = "absolute_error" if number == 4 else "error"
        frame.locator("#criterion").select_option(other)
        frame.locator("#grown").wait_for()
        assert frame.locator("#criterion").input_value() == other
        frame.locator("#depth").select_option("1")
        frame.locator(f"#summary:has-text('{words(lang)('page.depth')} 1')").wait_for()
        assert frame.locator("#typed").input_value() == half
    finally:
        context.close()
