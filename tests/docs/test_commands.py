"""Every command line of README, SKILL.md and the docs runs, on stand-ins for the files it names.

Commands inside sentences are often shortened: their names and flags exist, and those of the READMEs
and SKILL.md run. So do make targets, modules and files.
"""

from __future__ import annotations

import csv
import re
import shlex
from importlib.util import find_spec
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
#: Lines that need a cluster or another disk: tests/estimators/on_dask/test_page.py runs them.
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


def spans(page: Path, start: str) -> list[str]:
    """Return the code inside sentences, and the lines of code blocks, that begin with a word."""
    text = page.read_text("utf-8")
    blocks = re.findall(r"^ *```(.*?)\n(.*?)^ *```", text, re.S | re.M)
    code = [block for info, block in blocks if not info.startswith("{")]
    lines = [line.removeprefix("$ ") for block in code for line in block.splitlines()]
    prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M)
    inline = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]
    return [line for line in (*lines, *inline) if line.startswith(f"{start} ")]


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
    write_csv(tmp_path / "scored.csv", {**titanic, "score": scores, "risk": answers})
    decisions = [{"yes": "good", "no": "bad"}[y] for y in answers]
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
    inline = [
        shlex.split(span, comments=True)[1:]
        for span in spans(page, "ceiba")
        if page.stem.partition(".")[0] in ("README", "SKILL")
    ]
    for words in [*COMMANDS[page], *(words for words in inline if words not in COMMANDS[page])]:
        done = run(*words, cwd=folder)
        assert done.returncode == 0, (" ".join(words), done.stderr)


def test_commands_are_found_on_the_pages_that_have_them() -> None:
    names = {page.name for page in COMMANDS}
    assert {"README.md", "README.es.md", "README.pt.md", "SKILL.md", "cli.md", "csv.md"} <= names
    assert sum(map(len, COMMANDS.values())) >= 38


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_and_flags_inside_sentences_exist(page: Path) -> None:
    from typer.main import get_command

    from ceiba.cli.main import make_app

    commands = get_command(make_app()).commands  # type: ignore[attr-defined]
    for span in spans(page, "ceiba"):
        words = shlex.split(span, comments=True)[1:]
        flags = {word.partition("=")[0] for word in words if re.match("--[a-z]", word)}
        if words and re.fullmatch("[a-z]+", words[0]):
            assert words[0] in commands, span
            known = {name for option in commands[words[0]].params for name in option.opts}
            assert flags <= known | {"--help"}, span


GUIDES = [*PAGES, ROOT / "AGENTS.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_make_targets_modules_and_files_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for span in spans(page, "make"):
        words = span.partition("#")[0].split()[1:]
        assert {word for word in words if re.fullmatch("[a-z-]+", word)} <= targets, span
    for span in (*spans(page, "python"), *spans(page, "pytest")):
        for module in re.findall(r"python -m ([\w.]+)", span):
            assert find_spec(module) is not None, span
        for path in re.findall(r"(?:tests|examples|docs)/[\w/.]+", span):
            assert (ROOT / path).exists(), span
