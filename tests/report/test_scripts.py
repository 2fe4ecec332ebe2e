"""The scripts of report, studio and playground: modules that a page joins without a tool."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import ceiba
from ceiba.report.page import ENTRY, ENTRY_WITH_TRUST, bundle_scripts, list_modules
from ceiba.studio.page import ENTRY as STUDIO_ENTRY
from tests.report.checkers import lines_cut, type_errors

ROOT = Path(ceiba.__file__).parent
PLAYGROUND = ROOT.parents[1] / "docs" / "playground"
FROM_PACKAGE = "../../docs/playground/"
PLAYGROUND_ENTRIES = (f"{FROM_PACKAGE}playground.js", f"{FROM_PACKAGE}worker.js")
ENTRIES = (ENTRY, ENTRY_WITH_TRUST, STUDIO_ENTRY, *PLAYGROUND_ENTRIES)
IMPORT = re.compile(r'import \{ (\w+(?:, \w+)*) \} from "(\.\.?/[\w./]+\.js)";')
EXPORT = re.compile(r"export (?:(?:async )?function|const|class) (\w+)")
TOP = re.compile(r"^(?:export )?(?:(?:async )?function|const|let|class) (\w+)", re.MULTILINE)


@cache
def sources() -> dict[str, str]:
    """Return the text of every script by its path, without the comments that hold types."""
    paths = [path for room in ("report", "studio") for path in (ROOT / room).rglob("*.js")]
    named = {path.relative_to(ROOT).as_posix(): path for path in paths}
    named |= {f"{FROM_PACKAGE}{path.name}": path for path in PLAYGROUND.glob("*.js")}
    return {
        name: re.sub(r"/\*\* .*?\*/ ?", "", path.read_text("utf-8")) for name, path in named.items()
    }


def imports_of(path: str) -> list[tuple[str, list[str]]]:
    """Return the files that a script imports from, with the names."""
    folder = posixpath.dirname(path)
    return [
        (
            posixpath.normpath(posixpath.join(folder, target)).removeprefix("../../src/ceiba/"),
            names.split(", "),
        )
        for names, target in IMPORT.findall(sources()[path])
    ]


def wrong_lines(text: str) -> list[str]:
    """List lines that the grammar does not know: other imports, or late ones, or other exports."""
    lines = text.split("\n")
    blank = ("", "//", "/*", " *")
    first = next(k for k, x in enumerate(lines) if not x.startswith((*blank[1:], "import ")) and x)
    return [
        line
        for k, line in enumerate(lines)
        if (line.startswith("import") and (k >= first or not IMPORT.fullmatch(line)))
        or (line.startswith("export") and not EXPORT.match(line))
        or re.search(r"^\s+(import|export) |\bimport\(|\brequire\(", line)
    ]


def test_modules_follow_the_grammar() -> None:
    assert len(sources()) > 50
    assert {path: found for path, text in sources().items() if (found := wrong_lines(text))} == {}


@pytest.mark.parametrize(
    "line",
    [
        'import x from "./x.js";',
        'import * as x from "./x.js";',
        'import { a as b } from "./x.js";',
        'import "./x.js";',
        'import { a } from "x";',
        "export default 1;",
        "export let a = 1;",
        'export { a } from "./x.js";',
        'const a = await import("./x.js");',
        'const b = 1;\nimport { a } from "./x.js";',
    ],
)
def test_modules_other_forms_are_seen_by_the_grammar(line: str) -> None:
    assert wrong_lines(f'// A file.\n\nimport {{ c }} from "./c.js";\n\n{line}\nlet d = 1;\n') != []


def test_modules_names_are_imported_from_where_they_are_exported_and_all_are_used() -> None:
    exported = {path: set(EXPORT.findall(text)) for path, text in sources().items()}
    imported: dict[str, set[str]] = {path: set() for path in sources()}
    for path in sources():
        for target, names in imports_of(path):
            imported[target] |= set(names)
    assert imported == exported


def test_modules_no_name_stands_at_the_top_of_two_files() -> None:
    names = Counter(name for text in sources().values() for name in TOP.findall(text))
    assert len(names) > 700
    assert [name for name, n in names.items() if n > 1] == []


def test_modules_have_no_cycle_and_each_stands_after_what_it_imports() -> None:
    TopologicalSorter(
        {path: [target for target, _ in imports_of(path)] for path in sources()}
    ).prepare()
    for entry in ENTRIES:
        order = list_modules(entry)
        assert len(set(order)) == len(order)
        place = {path: k for k, path in enumerate(order)}
        assert all(place[target] < place[path] for path in order for target, _ in imports_of(path))


def test_modules_belong_to_a_page_and_a_page_holds_only_what_it_needs() -> None:
    assert {path for entry in ENTRIES for path in list_modules(entry)} == set(sources())
    plain, trusted, studio, playground, worker = (set(list_modules(entry)) for entry in ENTRIES)
    assert not any("/trust/" in path or "/studio/" in path for path in playground)
    assert all(path.startswith(FROM_PACKAGE) for path in worker)
    assert {path for path in trusted if "/trust/" in path} == trusted - plain - {ENTRY_WITH_TRUST}
    curves = "report/assets/trust/survival_chart.js"  # the studio draws those of branches
    assert {path for path in studio if "/trust/" in path} == {curves}
    assert not any("/case/counterfactual" in path for path in studio)
    assert {"report/assets/tree/tree_draw.js", "report/assets/tree/pane.js"} <= studio & plain


@pytest.mark.parametrize("entry", ENTRIES)
def test_bundle_holds_the_modules_without_words_of_the_grammar_and_comments(entry: str) -> None:
    script = bundle_scripts(entry)
    assert not re.search(r"^(?:import \{|export |// )|/\*\*", script, re.MULTILINE)
    files = [sources()[path] for path in list_modules(entry)]
    names = [name for text in files for name in TOP.findall(text)]
    assert set(names) <= set(TOP.findall(script))
    assert len(script) < 0.9 * sum(len((ROOT / path).read_text()) for path in list_modules(entry))


def test_modules_are_small_and_no_string_goes_over_several_lines() -> None:
    for path in sources():
        text = (ROOT / path).read_text("utf-8")
        assert len(text.splitlines()) <= 500, path
        assert lines_cut(text) == [], path


def test_modules_types_and_names_are_right_by_tsc() -> None:
    assert type_errors(ROOT / path for path in sources()) == ""
