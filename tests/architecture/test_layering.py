"""The rooms import downward only: the order of ARCHITECTURE.md, read from the source with ast.

Rooms on one row are neighbours and do not import each other. One file may reach up, by imports
inside functions (or for type checkers) only: the methods that Tree and the estimators share.
Other rooms import from doors: a room, a folder of it, or a module named in DOOR_MODULES.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROWS = [  # lowest first
    ["errors", "formatting", "progress", "_core", "_polars"],
    ["words", "task"],
    ["listing", "criteria", "options", "survival"],
    ["table"],
    ["tree", "datasets"],
    ["paths"],
    ["grow"],
    ["edit", "shards"],
    ["prune"],
    ["layout"],
    ["estimators", "inspection", "export"],
    ["families"],
    ["report", "plot", "rules", "trust"],
    ["lessons", "audit"],
    ["studio"],
    ["cli"],
]
RANK = {room: rank for rank, row in enumerate(ROWS) for room in row}
MAY_REACH_UP = {"tree/methods.py"}
MAX_DOORS = 6
# Modules that are doors themselves: `estimators` imports scikit-learn at first use only, and the
# functions of `route` are called by the name of their module.
DOOR_MODULES = {
    "ceiba.estimators.base",
    "ceiba.estimators.classifier",
    "ceiba.estimators.model_file",
    "ceiba.estimators.parameters",
    "ceiba.estimators.regressor",
    "ceiba.tree.routing.route",
}
# The front door: all names, loaded lazily; and the alias of the command line.
FRONT_DOOR = {"__init__.py", "__main__.py"}

CPP_LIBRARIES = {  # lowest first, and so are the folders of each
    "ceiba_tree": ["base", "data", "tree", "predict", "explain", "prune"],
    "ceiba_grow": ["criteria", "split", "grow", "shards"],
    "ceiba_optimal": ["optimal"],
}
CPP_ORDER = [folder for folders in CPP_LIBRARIES.values() for folder in folders]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "ceiba"
CORE = ROOT / "cpp" / "core"


def is_deferred(node: ast.AST) -> bool:
    """Return whether the body of a node does not run when the module is imported."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def imports_of(tree: ast.AST, package: str) -> Iterator[tuple[str, bool]]:
    """Yield (dotted module under ceiba, does not run at import time) for every import."""
    inside = {
        id(node) for outer in ast.walk(tree) if is_deferred(outer) for node in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, *([base] if base else [])])
            modules = [f"{base}.{a.name}" for a in node.names] if base == "ceiba" else [base]
        else:
            continue
        for module in modules:
            if module == "ceiba" or module.startswith("ceiba."):
                yield module, id(node) in inside


def is_door(module: str) -> bool:
    """Whether other rooms may import from a module."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return path.is_dir() or path.parent == PACKAGE or module in DOOR_MODULES


def room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else None


def violations(source: str, relative: str) -> list[str]:
    """Return the imports of a file (path relative to src/ceiba) that go up or sideways."""
    if relative in FRONT_DOOR:
        return []
    room = Path(relative).parts[0].removesuffix(".py")
    if room not in RANK:
        return [f"{relative}: room {room!r} has no row in ROWS: give it one"]
    package = ".".join(["ceiba", *Path(relative).parent.parts])
    wrong = []
    for module, deferred in imports_of(ast.parse(source), package):
        other = room_of(module)
        if other == room or (deferred and relative in MAY_REACH_UP):
            continue
        if other is None:
            wrong.append(f"{relative}: imports the front door {module!r}: name the room")
        elif RANK.get(other, len(ROWS)) >= RANK[room]:
            wrong.append(f"{relative}: imports {module!r}, which does not lie below {room!r}")
        elif not is_door(module):
            wrong.append(f"{relative}: imports {module!r}, which is not a door of {other!r}")
    return wrong


def test_rooms_have_at_most_six_doors() -> None:
    doors: dict[str, set[str]] = {room: set() for room in RANK}
    for file in PACKAGE.rglob("*.py"):
        relative = file.relative_to(PACKAGE)
        package = ".".join(["ceiba", *relative.parent.parts])
        for module, _ in imports_of(ast.parse(file.read_text("utf-8")), package):
            other = room_of(module)
            if other and other != relative.parts[0] and relative.as_posix() not in FRONT_DOOR:
                doors[other].add(module)
    assert {room: found for room, found in doors.items() if len(found) > MAX_DOORS} == {}


@pytest.mark.parametrize("room", sorted(RANK))
def test_imports_of_room_all_files_go_downward(room: str) -> None:
    files = [PACKAGE / f"{room}.py", *(PACKAGE / room).rglob("*.py")]
    wrong = [
        line
        for file in files
        if file.is_file()
        for line in violations(file.read_text("utf-8"), file.relative_to(PACKAGE).as_posix())
    ]
    assert not wrong, "\n".join(wrong)


def test_rooms_on_disk_all_have_a_row() -> None:
    on_disk = {p.name for p in PACKAGE.iterdir() if p.is_dir() and any(p.glob("*.py"))}
    on_disk |= {p.stem for p in PACKAGE.glob("*.py") if p.name not in FRONT_DOOR}
    assert on_disk <= set(RANK)


@pytest.mark.parametrize(
    ("relative", "source"),
    [
        ("table/read.py", "from ceiba.tree import Tree"),
        ("tree/value.py", "import ceiba.datasets"),
        ("grow/grow.py", "from ..estimators import base"),
        ("prune/cv.py", "def f():\n    from ceiba import export"),
        ("tree/methods.py", "from ceiba.export import text"),
        ("tree/value.py", "if TYPE_CHECKING:\n    from ceiba.plot import plot_tree"),
        ("tree/value.py", "import ceiba"),
        ("newroom/x.py", "pass"),
        ("grow/grow.py", "from ceiba.tree.node import Node"),
    ],
)
def test_violations_of_a_wrong_import_are_found(relative: str, source: str) -> None:
    assert violations(source, relative)


@pytest.mark.parametrize(
    ("relative", "source"),
    [
        ("tree/value.py", "from ceiba.table import Schema"),
        ("tree/value.py", "from .split import SplitTable"),
        ("tree/methods.py", "def f():\n    from ceiba.export import text"),
        ("tree/methods.py", "if TYPE_CHECKING:\n    from ceiba.inspection import Explanation"),
        ("cli/demo.py", "from ceiba import plot"),
    ],
)
def test_violations_of_a_right_import_are_none(relative: str, source: str) -> None:
    assert violations(source, relative) == []


def cpp_violations(source: str, relative: str) -> list[str]:
    """Return the includes of a file (path relative to cpp/core) that go up or leave the core."""
    folder = Path(relative).parts[0]
    if folder not in CPP_ORDER:
        return [f"{relative}: folder {folder!r} has no place in CPP_ORDER: give it one"]
    wrong = []
    for kind, target in re.findall(r'^\s*#\s*include\s*(["<])([^">]+)[">]', source, re.MULTILINE):
        if "Python.h" in target or target.startswith(("nanobind", "pybind")):
            wrong.append(f"{relative}: includes {target!r}: no Python in the core")
        other = target.split("/")[0] if "/" in target else folder
        if kind == '"' and CPP_ORDER.index(folder) < (
            CPP_ORDER.index(other) if other in CPP_ORDER else len(CPP_ORDER)
        ):
            wrong.append(f"{relative}: includes {target!r}, which does not lie below {folder!r}")
    return wrong


def test_includes_of_cpp_core_all_go_downward() -> None:
    files = [p for p in CORE.rglob("*") if p.suffix in {".hpp", ".cpp", ".h"}]
    assert files
    wrong = [
        line
        for file in files
        for line in cpp_violations(file.read_text("utf-8"), file.relative_to(CORE).as_posix())
    ]
    assert not wrong, "\n".join(wrong)


def test_libraries_of_cpp_core_are_those_of_cmake() -> None:
    made = re.findall(
        r"^ceiba_library\((\w+) ([\w ]+)\)", (CORE / "CMakeLists.txt").read_text(), re.M
    )
    assert {name: folders.split() for name, folders in made} == CPP_LIBRARIES
    assert sorted(p.name for p in CORE.iterdir() if p.is_dir()) == sorted(CPP_ORDER)


@pytest.mark.parametrize(
    ("relative", "source"),
    [
        ("data/column.hpp", '#include "grow/grower.hpp"'),
        ("predict/router.hpp", '#include "split/candidate.hpp"'),
        ("tree/routing_arrays.hpp", '#include "criteria/registry.hpp"'),
        ("base/sum.hpp", "#include <nanobind/nanobind.h>"),
        ("split/scan.hpp", '#include "../grow/node.hpp"'),
        ("misc/x.hpp", ""),
    ],
)
def test_cpp_violations_of_a_wrong_include_are_found(relative: str, source: str) -> None:
    assert cpp_violations(source, relative)


def test_cpp_violations_of_a_right_include_are_none() -> None:
    source = '#include "base/sum.hpp"\n#include <vector>\n#include "scan.hpp"'
    assert cpp_violations(source, "split/scan.cpp") == []
