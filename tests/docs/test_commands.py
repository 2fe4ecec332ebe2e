"""Every command line of README, SKILL.md and the docs runs, on stand-ins for the files it names."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ceiba import datasets
from tests.cli.running import ok, run

ROOT = Path(__file__).parents[2]
GENERATED = {"_build", "_made", "generated", "lessons"}
PAGES = [
    *sorted(ROOT.glob("README*.md")),
    ROOT / "src" / "ceiba" / "SKILL.md",
    *(p for p in sorted((ROOT / "docs").rglob("*.md")) if not GENERATED & set(p.parts)),
]
#: Lines that need what a test has not: a cluster, files of gigabytes.
ELSEWHERE = ("--cluster", "--scratch /fast/disk")


def command_lines(page: Path) -> list[list[str]]:
    """Return the commands of a page's fenced blocks, as lists of words."""
    found, in_block = [], False
    for line in page.read_text("utf-8").splitlines():
        if line.lstrip().startswith("```"):
            in_block = not in_block
        for part in line.removeprefix("$ ").split(";  ") if in_block else ():
            if part.startswith("ceiba ") and not any(word in part for word in ELSEWHERE):
                found.append(shlex.split(part, comments=True)[1:])
    return found


COMMANDS = {page: lines for page in PAGES if (lines := command_lines(page))}


def write_csv(path: Path, columns: dict[str, Any]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that the pages name: columns of Titanic under other names."""
    titanic = datasets.load_titanic().data
    answers = titanic["survived"]
    renamed = {"data.csv": "y", "customers.csv": "churn", "loans.csv": "default"}
    for name, target in renamed.items():
        write_csv(tmp_path / name, {**titanic, target: answers})
    rng = np.random.default_rng(0)
    rain = {
        "DATE": [f"{1948 + i // 360}-{1 + i // 30 % 12:02}-{1 + i % 28:02}" for i in range(900)],
        "PRCP": np.where(rng.random(900) < 0.4, rng.random(900), 0).round(2).tolist(),
        "TMAX": rng.normal(60, 10, 900).round().tolist(),
        "TMIN": rng.normal(45, 8, 900).round().tolist(),
    }
    write_csv(tmp_path / "seattle.csv", {**rain, "RAIN": [x > 0 for x in rain["PRCP"]]})
    scores = [{"yes": "no", "no": "yes"}[y] if i % 7 == 0 else y for i, y in enumerate(answers)]
    write_csv(tmp_path / "scored.csv", {**titanic, "score": scores, "decision": answers})
    decisions = [{"yes": "granted", "no": "refused"}[y] for y in answers]
    for name in ("test.csv", "applicants.csv"):
        protected = {"sex": ["f", "m"] * 445 + ["f"], "age": [30, 30, 31] * 297}  # unrelated
        write_csv(tmp_path / name, {**titanic, **protected, "survived": decisions})
    for name, depth in (("old", 1), ("new", 2)):
        ok("learn", "test.csv", "-t", "survived", "--max-depth", depth, "-m", f"{name}.ceiba", "-q",
           cwd=tmp_path)  # fmt: skip
    write_csv(tmp_path / "titanic.csv", {**titanic, "Survived": answers})
    return tmp_path


def new_rows(folder: Path, page: Path) -> None:
    """Write new.csv with the columns of the table of the page."""
    table = {"cli": "seattle", "csv": "customers"}.get(page.stem, "data")
    (folder / "new.csv").write_text((folder / f"{table}.csv").read_text("utf-8"), "utf-8")


@pytest.mark.parametrize("page", COMMANDS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_of_page_run(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_rows(folder, page)
    # A studio would wait for its page to be closed; tests/studio/page runs it in a browser.
    monkeypatch.setattr("ceiba.studio.run", lambda *_, **__: None)
    for words in COMMANDS[page]:
        done = run(*words, cwd=folder)
        assert done.returncode == 0, (" ".join(words), done.stderr)


def test_commands_are_found_on_the_pages_that_have_them() -> None:
    names = {page.name for page in COMMANDS}
    assert {"README.md", "README.es.md", "README.pt.md", "SKILL.md", "cli.md", "csv.md"} <= names
    assert sum(map(len, COMMANDS.values())) >= 38
