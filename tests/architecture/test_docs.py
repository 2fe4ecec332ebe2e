"""The documentation is complete and true: every public name is listed, every example runs."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

import ceiba
from ceiba.lessons.source import NUMBERS
from ceiba.words import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("README*.md"), ROOT / "src" / "ceiba" / "SKILL.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
MADE = {"_build", "generated", "lessons"}  # by the build
PAGES = [page for page in PAGES if not MADE & set(page.relative_to(ROOT).parts)]
LESSONS = {
    ROOT / "docs" / "lessons" / language / f"{name}.md"
    for language in LANGUAGES
    for name in (*NUMBERS, "index")
}


def listed() -> set[str]:
    """Collect the full names in the autosummary blocks of docs/api."""
    names: set[str] = set()
    for page in (ROOT / "docs" / "api").glob("*.md"):
        names |= set(re.findall(r"^\s+(ceiba\.[\w.]+)$", page.read_text("utf-8"), re.MULTILINE))
    return names


def is_listed(name: str, value: object, names: set[str]) -> bool:
    """Return whether a name is listed, here or in another room that shares it."""
    short = name.rsplit(".", 1)[1]
    return name in names or any(
        other.rsplit(".", 1)[1] == short and resolve(other) is value for other in names
    )


def resolve(name: str) -> object:
    room, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(room), attribute)


def test_api_pages_list_every_public_name_of_ceiba() -> None:
    names = listed()
    missing = [
        name
        for name in ceiba.__all__
        if name != "__version__"
        and not (ROOT / "docs" / "api" / f"{name}.md").is_file()
        and not is_listed(f"ceiba.{name}", getattr(ceiba, name), names)
    ]
    assert not missing, f"no page of docs/api lists {missing}"


@pytest.mark.parametrize("room", ceiba._ROOMS)
def test_api_pages_list_every_public_name_of_room(room: str) -> None:
    module = importlib.import_module(f"ceiba.{room}")
    names = listed()
    missing = [
        name
        for name in module.__all__
        if not is_listed(f"ceiba.{room}.{name}", getattr(module, name), names)
    ]
    assert not missing, f"docs/api/{room}.md does not list {missing}"


def test_api_pages_list_no_name_that_does_not_exist() -> None:
    for name in listed():
        resolve(name)


def test_rooms_on_disk_are_all_documented() -> None:
    on_disk = {
        folder.name
        for folder in (ROOT / "src" / "ceiba").iterdir()
        if (folder / "__init__.py").is_file()
        and folder.name not in ("cli", "edit", "layout", "paths", "shards", "words")
    }
    assert on_disk | {"criteria", "errors", "listing"} == set(ceiba._ROOMS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_examples_give_what_they_show(page: Path) -> None:
    # Fences would be read as expected output; blank lines keep the line numbers.
    text = re.sub(r"^[ \t]*```.*$", "", page.read_text("utf-8"), flags=re.MULTILINE)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_links_to_files_that_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+\.(?:md|png|svg))(?:#[^)]*)?\)", text):
        file = (page.parent / target).resolve()
        is_generated = "_made" in file.parts or file in LESSONS  # by the build of the site
        assert file.exists() or is_generated, f"{page.name} links to {target}"
