"""The front door: every public name of `ceiba` can be reached first, and its lists agree."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import ceiba

# A child of its own for each room, forked before anything of ceiba but the front door was imported.
# Other packages are imported once, before: loading scikit-learn twenty times takes half a minute.
_REACH = """
import importlib, json, os, sys
import narwhals, numpy, sklearn.base, sklearn.utils.metadata_routing
import ceiba
loaded = [name for name in sys.modules if name.startswith("ceiba.")]
failed = {}
for room in ceiba._ROOMS:
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            value = getattr(ceiba, room)
            assert value is importlib.import_module(f"ceiba.{room}")
            for public in value.__all__:
                getattr(value, public)
            for name in (name for name, home in ceiba._HOMES.items() if home == room):
                assert getattr(ceiba, name) is getattr(value, name)
        except BaseException as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode()[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        if reason := pipe.read():
            failed[room] = reason
    os.wait()
print(json.dumps([loaded, failed]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fresh processes are made by fork")
def test_every_room_and_its_names_are_reachable_in_a_fresh_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _REACH], capture_output=True, text=True, check=True
    )
    loaded, failed = json.loads(done.stdout.splitlines()[-1])
    assert loaded == []
    assert failed == {}


def type_checked() -> tuple[set[str], dict[str, str]]:
    """Read the TYPE_CHECKING block: its rooms, and the room that each other name comes from."""
    assert ceiba.__file__
    module = ast.parse(Path(ceiba.__file__).read_text("utf-8"))
    (block,) = (
        node
        for node in module.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    rooms: set[str] = set()
    homes: dict[str, str] = {}
    for node in block.body:
        if isinstance(node, ast.ImportFrom):
            assert node.module
            names = [alias.asname or alias.name for alias in node.names]
            if node.module == "ceiba":
                rooms |= set(names)
            else:
                homes |= dict.fromkeys(names, node.module.split(".")[1])
    return rooms, homes


def test_type_checkers_see_the_rooms_and_names_that_are_loaded() -> None:
    rooms, homes = type_checked()
    assert rooms == set(ceiba._ROOMS)
    assert homes == ceiba._HOMES


# What is public is listed where a room begins: in its `__init__`, or in the file that is the room.
ONE_FILE_ROOMS = {"criteria.py", "errors.py", "listing.py"}


def public_list(module: ast.Module) -> list[str] | None:
    """Read `__all__` of a module, if it has one."""
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return None


def test_public_names_are_listed_by_rooms_and_not_by_their_modules() -> None:
    assert ceiba.__file__
    package = Path(ceiba.__file__).parent
    listed = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if file.name != "__init__.py" and public_list(ast.parse(file.read_text("utf-8")))
    }
    assert listed == ONE_FILE_ROOMS


def test_rooms_import_public_names_plainly_and_others_as_themselves() -> None:
    """A door hands other names to neighbours by `from module import name as name`."""
    assert ceiba.__file__
    package = Path(ceiba.__file__).parent
    for file in package.rglob("*/__init__.py"):
        module = ast.parse(file.read_text("utf-8"))
        aliases = [
            alias
            for node in ast.walk(module)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ceiba.")
            for alias in node.names
        ]
        plain = {alias.name for alias in aliases if alias.asname is None}
        assert plain == set(public_list(module) or []), file.relative_to(package)
        assert all(alias.asname in (None, alias.name) for alias in aliases)


def test_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'forest'"):
        ceiba.forest  # noqa: B018


def test_folder_of_a_room_holds_at_most_16_modules() -> None:
    assert ceiba.__file__
    package = Path(ceiba.__file__).parent
    modules = [file for file in package.rglob("*.py") if file.name != "__init__.py"]
    sizes = Counter(file.parent.relative_to(package).as_posix() for file in modules)
    assert {folder: size for folder, size in sizes.items() if size > 16} == {}
