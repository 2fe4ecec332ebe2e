"""Lines of prose have at most 120 characters; code fences and tables may be wider."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 120
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(
        page
        for page in (ROOT / "docs").rglob("*.md")
        if not {"_build", "generated", "lessons"} & set(page.relative_to(ROOT).parts)
    ),
]


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines that are not in a code fence, a formula or a table."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = line.strip()[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in ("```", "~~~", ":::"):
            fence = mark
        elif not line.lstrip().startswith(("|", "$$")):
            yield number, line


def too_long(text: str) -> list[str]:
    """Name the lines of prose that are too long (a single word, such as a link, cannot be cut)."""
    return [
        f"line {number}: {len(line)} characters"
        for number, line in prose(text)
        if len(line) > LONGEST and " " in line.strip()
    ]


def test_pages_of_the_project_are_all_read() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert {"README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"} <= names
    assert {"docs/index.md", "docs/api/tree.md", "docs/developing/release.md"} <= names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lines_of_prose_are_short(page: Path) -> None:
    assert too_long(page.read_text("utf-8")) == []


LONG = "a word " * 20


@pytest.mark.parametrize("text", [LONG, f"```\ncode\n```\n{LONG}", f"| cell |\n{LONG}"])
def test_long_line_of_prose_is_found(text: str) -> None:
    assert len(too_long(text)) == 1


@pytest.mark.parametrize("text", [f"```\n{LONG}\n```", f"| {LONG} |", f"$$ {LONG} $$", "x" * 200])
def test_long_line_of_code_or_table_is_allowed(text: str) -> None:
    assert too_long(text) == []
