"""What is printed in Spanish and Portuguese: no English left, the data untouched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ceiba.cli.phrases import CELLS, PHRASES
from tests.cli.running import run

COMMANDS = [
    ("learn", "iris.csv", "-t", "species", "--test-size", "0.3", "-m", "x.ceiba"),
    ("show", "iris.ceiba", "--max-depth", "1"),
    ("rules", "iris.ceiba"),
    ("explain", "iris.ceiba", "iris.csv", "--row", "60"),
    ("evaluate", "iris.ceiba", "iris.csv"),
    ("describe", "iris.csv"),
    ("summary", "iris.ceiba"),
    ("prune", "iris.ceiba"),
]
#: Words that only English has.
ENGLISH = re.compile(
    r"\b(rows?|leaf|leaves|root|columns?|missing|rules?|kept|saved|accuracy|truth|always|warning|"
    r"numbers?|target|if|and|probability|training|confidence)\b"
)


@pytest.mark.parametrize("lang", ["es", "pt"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_english_is_left(learned: Path, command: tuple[str, ...], lang: str) -> None:
    done = run(*command, "--lang", lang, cwd=learned)
    assert done.returncode == 0, done.stderr
    text = done.stdout + done.stderr
    assert not ENGLISH.findall(text), text


def test_figures_are_the_same_in_every_language(learned: Path) -> None:
    figures = {
        lang: re.findall(r"\d[\d.]*", run("evaluate", "iris.ceiba", "iris.csv", "--lang", lang,
                                          cwd=learned).stdout)
        for lang in ("en", "es", "pt")
    }  # fmt: skip
    assert [one.rstrip(".") for one in figures["es"]] == [one.rstrip(".") for one in figures["en"]]
    assert figures["pt"] == figures["es"]


def test_table_stays_aligned(learned: Path) -> None:
    text = run("evaluate", "iris.ceiba", "iris.csv", "--lang", "es", cwd=learned).stdout
    table = [line for line in text.split("\n") if "  " in line]
    assert table[0].startswith("real \\ predicho")
    assert len({len(line) for line in table}) == 1


def test_classes_keep_their_names(tmp_path: Path) -> None:
    rows = "".join(f"{i % 7},{('high', 'low', 'yes')[i % 3]}\n" for i in range(60))
    (tmp_path / "c.csv").write_text("number,error\n" + rows, "utf-8")
    assert run("learn", "c.csv", "-t", "error", "-q", cwd=tmp_path).returncode == 0
    text = run("evaluate", "c.ceiba", "c.csv", "--lang", "es", cwd=tmp_path).stdout
    head = text.split("\n")[1].split()
    assert head == ["real", "\\", "predicho", "high", "low", "yes", "filas", "error"]
    assert "number <= " in run("show", "c.ceiba", "--lang", "es", cwd=tmp_path).stdout


def test_unknown_language_is_refused(learned: Path) -> None:
    done = run("show", "iris.ceiba", "--lang", "de", cwd=learned)
    assert done.returncode == 2
    assert "en, es or pt" in done.stderr


def test_every_phrase_has_both_translations_with_its_groups() -> None:
    for pattern, *words in PHRASES:
        groups = re.compile(pattern).groups
        assert len(words) == 2
        for text in words:
            used = {int(one) for one in re.findall(r"\\(\d)", text)}
            assert used <= set(range(1, groups + 1))
    assert all(len(words) == 2 and all(words) for words in CELLS.values())
