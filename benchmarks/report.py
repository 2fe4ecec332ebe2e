"""The budgets of the interactive report, measured in a real browser: `python -m benchmarks.report`.

    --leaves 5 22 500 5000     sizes of the trees
    --kinds "2 classes" ...    which trees (see KINDS)
    --docs                     write the table to docs/report.md

Per tree: size of the file; CPU seconds that Python takes to write it; CPU time of the page's main
thread from the start to the first paint (the best of three openings; wall time on an idle machine
is this plus the start of a process); script time of the *slowest single frame* of each gesture. A
frame is one input event of the browser (mouse, wheel, key) and everything that the page computes
until it has painted. Script time is CPU time of the page's main thread, which does not depend on
other processes. Gestures run on the tree with every node unfolded, which is more than the page
opens with, and after the page has finished its idle-time work.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tests.report.browser import Opened, chromium

import ceiba
from benchmarks.machine import machine

PAGE = Path(__file__).parents[1] / "docs" / "report.md"
SIZES = (5, 22, 500, 5000)
KINDS = ("2 classes", "3 classes", "26 classes", "numbers", "multiway", "surrogates")
BUDGET_BYTES = {5: 320 * 1024, 22: 320 * 1024, 500: 800 * 1024, 5000: 1_500_000}
BUDGET_WRITE = {5: 1.0, 22: 1.0, 500: 1.0, 5000: 5.0}
BUDGET_PAINT = 600.0
BUDGET_FRAME = 8.0
GESTURES = ("pan", "zoom", "slide", "walk", "search", "case")
N_TRAIN, N_TEST = 40_000, 10_000


@dataclass
class Figures:
    """What one page costs."""

    kind: str
    leaves: int
    size: int = 0
    write: float = 0.0
    paint: float = 0.0
    frames: dict[str, float] = field(default_factory=dict)


# ---------------------------------------------------------------------------------- the trees


def numbers(n: int, seed: int) -> tuple[dict[str, Any], Any]:
    """Eight columns and a number that depends on six of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    y = 3 * X[:, 0] + np.sin(4 * X[:, 1]) * X[:, 2] + X[:, 3] * X[:, 4] + rng.normal(0, 0.5, n)
    names = ("age", "income", "tenure", "balance", "calls", "visits", "rate", "noise")
    return dict(zip(names, X.T, strict=True)), y


def classes(n: int, seed: int, k: int) -> tuple[dict[str, Any], Any]:
    """The same cut into k classes of equal size; a fifth of the labels are drawn by lot."""
    X, y = numbers(n, seed)
    rng = np.random.default_rng(seed + 50)
    y = np.where(rng.random(n) < 0.2, rng.permutation(y), y)
    cuts = np.quantile(numbers(20_000, 99)[1], np.linspace(0, 1, k + 1)[1:-1])
    return X, np.array([chr(65 + c) for c in range(k)])[np.searchsorted(cuts, y)]


def levels(n: int, seed: int) -> tuple[dict[str, Any], Any]:
    """Ten columns of four levels; no split is a cut."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, size=(n, 10))
    y = (codes[:, 0] * codes[:, 1] + codes[:, 2] * codes[:, 3] + rng.normal(0, 2, n)) > 4.5
    names = np.array(["north", "south", "east", "west"])
    return {f"side {j + 1}": names[codes[:, j]] for j in range(10)}, np.where(y, "yes", "no")


def holes(n: int, seed: int) -> tuple[dict[str, Any], Any]:
    """Two classes, a tenth of every column missing, one column an echo of the first."""
    X, y = classes(n, seed, 2)
    rng = np.random.default_rng(seed + 1)
    X["echo"] = X["age"] + rng.normal(0, 0.2, n)
    return {name: np.where(rng.random(n) < 0.1, np.nan, x) for name, x in X.items()}, y


def fitted(kind: str, leaves: int) -> tuple[Any, Any, Any]:
    """Return a model of so many leaves, its training rows and its test rows."""
    make: Callable[[int, int], tuple[Any, Any]]
    options: dict[str, Any] = {"max_leaf_nodes": leaves}
    model: Any = ceiba.DecisionTreeClassifier
    if kind == "numbers":
        make, model = numbers, ceiba.DecisionTreeRegressor
    elif kind == "multiway":
        make = levels
        options["categorical_splits"] = "multiway"
    elif kind == "surrogates":
        make = holes
        options |= {"missing": ceiba.Surrogates(keep=3), "max_competitors": 3}
    else:
        k = int(kind.split()[0])

        def make(n: int, seed: int) -> tuple[Any, Any]:
            return classes(n, seed, k)

    train, test = make(N_TRAIN, 0), make(N_TEST, 1)
    return model(**options).fit(*train), train, test


# ---------------------------------------------------------------------------------- the browser


class Clock:
    """CPU time that the scripts of a page used, by the browser's own count."""

    def __init__(self, opened: Opened) -> None:
        self.session = opened.context.new_cdp_session(opened.page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.opened = opened

    def read(self) -> float:
        found = self.session.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in found if one["name"] == "ScriptDuration") * 1000

    def slowest(self, moves: Iterator[None]) -> float:
        """Return the milliseconds of the slowest move; the first one only puts the hand there."""
        worst = before = 0.0
        for turn, _ in enumerate(moves):
            self.opened.run(
                "() => new Promise((done) => "
                "requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            if turn == 0:
                self.opened.page.wait_for_timeout(500)
            now = self.read()
            worst, before = max(worst, now - before if turn else 0.0), now
        return worst


def pan(page: Any, box: Any, turns: int) -> Iterator[None]:
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    yield
    for k in range(turns):
        page.mouse.move(x + 7 * (k + 1), y + 3 * (k % 5))
        yield
    page.mouse.up()


def zoom(page: Any, box: Any, turns: int) -> Iterator[None]:
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    yield
    for k in range(turns):
        page.mouse.wheel(0, -220 if k < turns / 2 else 220)
        yield


def slide(page: Any, turns: int) -> Iterator[None]:
    page.focus("#prune-slider")
    yield
    for k in range(turns):
        page.keyboard.press("ArrowLeft" if k < turns / 2 else "ArrowRight")
        yield


def walk(page: Any, turns: int) -> Iterator[None]:
    page.focus("#outline")
    page.keyboard.press("Home")
    yield
    for k in range(turns):
        page.keyboard.press(("ArrowRight", "ArrowDown")[k % 2])
        yield


def search(page: Any, turns: int) -> Iterator[None]:
    page.focus("#search")
    yield
    for k in range(turns):
        page.keyboard.press("aeionr <3"[k % 9] if k % 5 else "Backspace")
        yield


def case(page: Any, turns: int) -> Iterator[None]:
    page.click("#tab-case")
    page.click("button.primary")
    first = page.locator("form.case input[type=text], form.case select").first
    first.focus()
    yield
    for k in range(turns):
        page.keyboard.press(("ArrowDown", "1", "2", "End", "Backspace")[k % 5])
        yield


def opening(browser: Any, path: Path) -> float:
    """Return the CPU milliseconds of the main thread until the first paint."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 820})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(path.as_uri())
    painted = "() => performance.getEntriesByName('first-contentful-paint').length > 0"
    while not page.evaluate(painted):
        page.wait_for_timeout(10)
    found = session.send("Performance.getMetrics")["metrics"]
    context.close()
    return float(next(one["value"] for one in found if one["name"] == "TaskDuration")) * 1000


def watch(browser: Any, path: Path, found: Figures, turns: int) -> None:
    """Open the page, use it, note what it took."""
    found.paint = min(opening(browser, path) for _ in range(3))
    opened = Opened(browser, path)
    page, clock = opened.page, Clock(opened)
    opened.until("window.ceibaReport.ahead() === 0")
    page.click("#unfold")
    page.click("#fit")
    box = page.locator("#tree").bounding_box()
    found.frames["pan"] = clock.slowest(pan(page, box, turns))
    found.frames["zoom"] = clock.slowest(zoom(page, box, turns))
    page.click("#fit")
    found.frames["walk"] = clock.slowest(walk(page, turns))
    page.click("#tab-prune")
    if page.locator("#prune-slider").count():
        found.frames["slide"] = clock.slowest(slide(page, turns))
    found.frames["search"] = clock.slowest(search(page, turns))
    page.keyboard.press("Escape")
    found.frames["case"] = clock.slowest(case(page, turns))
    if opened.errors or opened.outside():
        raise RuntimeError(f"{path}: {opened.errors} {opened.outside()}")
    opened.context.close()


def measured(kind: str, leaves: int, folder: Path, browser: Any, turns: int) -> Figures:
    """Fit, write, open."""
    model, train, test = fitted(kind, leaves)
    found = Figures(kind, int(model.tree_.n_leaves))
    path = folder / f"{kind.replace(' ', '_')}_{leaves}.html"
    start = time.process_time()
    model.report(path, train=train, test=test)
    found.write = time.process_time() - start
    found.size = path.stat().st_size
    watch(browser, path, found, turns)
    return found


# ---------------------------------------------------------------------------------- the table


def budget(leaves: int, table: dict[int, float]) -> float:
    """Return the budget of the smallest listed size that is not smaller."""
    return next((table[size] for size in sorted(table) if leaves <= size), table[max(table)])


def line(found: Figures) -> str:
    def held(text: str, value: float, most: float) -> str:
        return text if value <= most else f"**{text}**"

    frames = [
        held(f"{found.frames[g]:.1f}", found.frames[g], BUDGET_FRAME) if g in found.frames else "–"
        for g in GESTURES
    ]
    size = held(f"{found.size / 1024:.0f}", found.size, budget(found.leaves, BUDGET_BYTES))
    write = held(f"{found.write:.2f}", found.write, budget(found.leaves, BUDGET_WRITE))
    paint = held(f"{found.paint:.0f}", found.paint, BUDGET_PAINT)
    return (
        f"| {found.kind} | {found.leaves:,} | {size} | {write} | {paint} | {' | '.join(frames)} |"
    )


HEAD = """\
| tree | leaves | KB | written in s | opened in ms | pan | zoom | slide | walk | search | case |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


def main() -> None:
    said = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    said.add_argument("--leaves", type=int, nargs="+", default=list(SIZES))
    said.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    said.add_argument("--turns", type=int, default=40, help="moves per gesture")
    said.add_argument("--keep", type=Path, help="folder in which the pages stay")
    said.add_argument("--docs", action="store_true", help="put the table into docs/report.md")
    given = said.parse_args()
    lines = [HEAD]
    print(HEAD)
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for kind in given.kinds:
            for leaves in given.leaves:
                lines.append(line(measured(kind, leaves, folder, browser, given.turns)))
                print(lines[-1], flush=True)
        browser_version = f"{browser.browser_type.name} {browser.version}"
    lines += ["", f"The machine has an {machine()['processor']} and {browser_version}."]
    lines[-1] += f" The models have {N_TRAIN:,} training and {N_TEST:,} test rows.\n"
    lines[-1] += "Bold values exceed the budget."
    print(lines[-1])
    if given.docs:
        text = PAGE.read_text("utf-8")
        marks = r"(<!-- budgets: written by benchmarks.report -->\n).*?(<!-- end -->)"
        new, found = re.subn(
            marks, lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S
        )
        if not found:
            sys.exit(f"{PAGE}: the marks are missing.")
        PAGE.write_text(new, "utf-8")


if __name__ == "__main__":
    main()
