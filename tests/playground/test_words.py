"""The words and styles of the playground: all are used, and all that are asked for exist."""

from __future__ import annotations

from pathlib import Path

from ceiba.words import words
from tests.report.checkers import classes_unused, words_asked, words_unused

FOLDER = Path(__file__).parents[2] / "docs" / "playground"
CODE = "\n".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.js")))


def test_words_of_the_playground_are_used_and_exist() -> None:
    own = words("en").section("playground")
    assert words_unused(own, CODE, ("pg_busy_", "pg_rule_")) == set()
    assert words_asked(CODE) <= own.keys() | words("en").section("page").keys()


def test_classes_of_the_style_sheet_are_used() -> None:
    assert classes_unused((FOLDER / "playground.css").read_text("utf-8"), CODE) == set()
