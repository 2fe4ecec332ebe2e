"""Output that fits the terminal: tables, prose, trees; colours only where they are wanted."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import ceiba
from ceiba.listing import Listing, format_blocks
from tests.cli.running import ok, run
from tests.cli.terminal import raw_session

CODE = re.compile("\x1b\\[[0-9;]*m")


def words(text: str) -> list[str]:
    return sorted(re.findall(r"[^\s]+", text))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_table_fits_and_keeps_every_cell(width: int) -> None:
    rng = np.random.default_rng(width)
    listing = Listing(
        {
            "condition": [f"a long condition of row {i}, with {i} words more" for i in range(5)],
            "value": ["yes", "no", "yes", "no", "perhaps"],
            **{f"figure {k}": rng.normal(size=5) for k in range(8)},
        },
        title="a title that says what the figures of this table are about, at some length",
        legend="figure: a number that was drawn at random, and means nothing",
    )
    shown = format_blocks(listing.blocks(), width)
    assert max(map(len, shown.split("\n"))) <= width
    assert set(words(str(listing))) <= set(words(shown))


def test_text_that_fits_is_left_as_it_is() -> None:
    text = "a  b\n1  2\n\nprose"
    assert format_blocks([text], 80) == text
    assert format_blocks(["x" * 500]) == "x" * 500
    assert format_blocks(["\x1b[1mhead\x1b[0m " + "word " * 30], 40).startswith(
        "\x1b[1mhead\x1b[0m word"
    )


@pytest.fixture(scope="module")
def levels() -> ceiba.Tree:
    rng = np.random.default_rng(3)
    names = [f"a level called {chr(97 + k)}" for k in range(20)]
    codes = rng.integers(0, 20, 2000)
    y = np.where((codes * 7 % 20 + rng.normal(0, 4, 2000)) > 10, "yes", "no")
    X = {"category": [names[k] for k in codes], "x": rng.normal(size=2000)}
    return ceiba.DecisionTreeClassifier(max_depth=9, min_samples_leaf=5).fit(X, y).tree_


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("width", [30, 60, 80, 120])
def test_tree_is_folded_below_its_branches(levels: ceiba.Tree, width: int, unicode: bool) -> None:
    text = levels.to_text(width=width, unicode=unicode, bars=True, node_ids=True)
    lines = text.split("\n")
    assert max(map(len, lines)) <= width
    figures = re.findall(r"n=\d+", text)
    assert figures == [f"n={n}" for n in levels.n_rows]
    if width > 60:  # rails are whole, so every line begins with them or with a node
        assert all(re.match(r"[│├└|`─\- ]*(\[\d+\]| {2})|[█#]", line) for line in lines)


def test_tree_without_a_width_is_one_line_per_node(levels: ceiba.Tree) -> None:
    assert len(levels.to_text().split("\n")) == levels.n_nodes


def test_bars_are_the_class_shares(levels: ceiba.Tree) -> None:
    lines = levels.to_text(bars=True).split("\n")
    assert lines[0] == "█ no  ▒ yes"
    share = float(levels.value[0, 0, 0])
    assert lines[1].count("█") == round(10 * share)
    assert lines[1].count("█") + lines[1].count("▒") == 10


@pytest.mark.skipif(sys.platform == "win32", reason="needs Linux")
def test_colours_are_for_terminals_that_want_them(
    learned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["ceiba show iris.ceiba"]
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert CODE.search(raw_session(command, learned))
    monkeypatch.setenv("NO_COLOR", "1")
    plain = raw_session(command, learned)
    assert not CODE.search(plain)
    assert "█ setosa  ▒ versicolor" in plain
    piped = ok("show", "iris.ceiba", cwd=learned)
    assert not CODE.search(piped)
    assert piped == ceiba.load(learned / "iris.ceiba").tree_.to_text(digits=4) + "\n"


def test_language_is_that_of_the_answers_before_and_after_the_command(learned: Path) -> None:
    tree = ceiba.load(learned / "iris.ceiba").tree_
    after = ok("show", "iris.ceiba", "--lang", "es", cwd=learned)
    assert after == tree.to_text(digits=4, lang="es") + "\n"
    assert ok("--lang", "es", "show", "iris.ceiba", cwd=learned) == after
    assert "reglas para" in ok("rules", "iris.ceiba", "--lang", "es", cwd=learned)
    assert ok("show", "iris.ceiba", cwd=learned) == tree.to_text(digits=4) + "\n"
    wrong = run("show", "iris.ceiba", "--lang", "fr", cwd=learned)
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "ceiba: --lang must be one of en, es, pt, got 'fr'.\n",
    )
    helped = ok("show", "--help", "--lang", "es", cwd=learned)
    assert "Print the tree of a model." in helped
