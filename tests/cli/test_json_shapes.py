"""The JSON of every command has the shape that docs/cli_json.md states."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ceiba.cli.main import COMMANDS
from tests.cli.running import ok, run
from tests.cli.test_help import group as group

PAGE = Path(__file__).parents[2] / "docs" / "cli_json.md"
BLOCK = re.compile(r"^##+ `?(\w+)`?\n(?:(?!^##).)*?```json\n(.*?)```", re.DOTALL | re.MULTILINE)
SHAPES = {name: json.loads(text) for name, text in BLOCK.findall(PAGE.read_text("utf-8"))}
TYPES = {
    "integer": int,
    "number": (int, float),
    "string": str,
    "boolean": bool,
    "null": type(None),
    "any": object,
}
#: Commands by the shape of their result; classes and numbers, with and without options.
LINES = {
    "describe": ["titanic.csv --target survived", "bikes.csv"],
    "learn": [
        "titanic.csv -t survived --prune 1se --test-size 0.3 -m x.ceiba",
        "bikes.csv -t rentals --max-depth 2 --test-size 0.3 -m y.ceiba",
        "titanic.csv -t survived --search optimal --max-depth 1 -m z.ceiba",
    ],
    "prune": ["titanic.ceiba", "titanic.ceiba --leaves 2 -o two.ceiba"],
    "compare": ["small.ceiba titanic.ceiba titanic.csv"],
    "curve": ["titanic.csv -t survived --repeats 2"],
    "mimic": [
        "scored.csv --predictions prediction --target survived -o m.ceiba",
        "scored.csv --predictions prediction -o n.ceiba",
    ],
    "show": ["titanic.ceiba", "bikes.ceiba"],
    "summary": ["titanic.ceiba", "bikes.ceiba"],
    "rules": ["titanic.ceiba", "bikes.ceiba"],
    "evaluate": [
        "titanic.ceiba titanic.csv",
        "bikes.ceiba bikes.csv",
        "titanic.ceiba titanic.csv --by sex",
    ],
    "explain": ["titanic.ceiba titanic.csv --row 1 --shapley", "bikes.ceiba bikes.csv --row 1"],
    "counterfactual": ["titanic.ceiba titanic.csv --row 1"],
    "reasons": ["titanic.ceiba titanic.csv --row 1 --target yes"],
    "errors": ["scored.csv --predictions prediction --target survived"],
    "drift": ["titanic.ceiba titanic.csv"],
    "stability": ["titanic.ceiba titanic.csv --resamples 3"],
    "card": ["titanic.ceiba --data titanic.csv --out card.md"],
    "datasets": [""],
    "lesson": [""],
}


def list_problems(value: Any, shape: Any, place: str = "") -> list[str]:
    """Return where a value differs from a shape."""
    if isinstance(shape, str):
        found = [_compare_name(value, name, place) for name in shape.split("|")]
        return [] if [] in found else min(found, key=len)
    if isinstance(shape, list) and shape[0] == "either":
        return min((list_problems(value, one, place) for one in shape[1:]), key=len)
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{place}: not a list"]
        return [text for one in value for text in list_problems(one, shape[0], f"{place}[]")]
    if not isinstance(value, dict):
        return [f"{place}: not an object"]
    if set(shape) == {"*"}:
        return [
            text for k, v in value.items() for text in list_problems(v, shape["*"], f"{place}.{k}")
        ]
    known = {key.rstrip("?"): inner for key, inner in shape.items()}
    required = {key for key in shape if not key.endswith("?")}
    problems = [f"{place}.{key}: not documented" for key in value.keys() - known.keys()]
    problems += [f"{place}.{key}: absent" for key in required - value.keys()]
    for key in value.keys() & known.keys():
        problems += list_problems(value[key], known[key], f"{place}.{key}")
    return problems


def _compare_name(value: Any, name: str, place: str) -> list[str]:
    if name not in TYPES:
        return list_problems(value, SHAPES[name], place)
    is_right = isinstance(value, TYPES[name]) and (
        isinstance(value, bool) <= (name in ("boolean", "any"))
    )
    return [] if is_right else [f"{place}: {value!r} is not {name}"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("json")
    for line in (
        "datasets titanic -o titanic.csv",
        "datasets bike_sharing -o bikes.csv",
        "learn titanic.csv -t survived --prune 1se -m titanic.ceiba -q",
        "learn bikes.csv -t rentals --max-depth 3 -m bikes.ceiba -q",
        "learn titanic.csv -t survived --max-depth 2 -m small.ceiba -q",
        "predict small.ceiba titanic.csv -o scored.csv -q",
    ):
        ok(*line.split(), cwd=place)
    return place


def test_page_documents_every_command_with_json(group: Any) -> None:
    names = [name for names in COMMANDS.values() for name in names]
    with_json = {
        name for name in names if any("--json" in one.opts for one in group.commands[name].params)
    }
    assert with_json == set(LINES)
    assert with_json <= set(SHAPES)


@pytest.mark.parametrize("name", LINES)
def test_json_of_command_has_its_shape(folder: Path, name: str) -> None:
    for line in LINES[name]:
        value = json.loads(ok(name, *line.split(), "--json", cwd=folder))
        assert list_problems(value, SHAPES[name], name) == []


def test_json_of_an_error_has_its_shape(tmp_path: Path) -> None:
    done = run("describe", "absent.csv", "--json", cwd=tmp_path)
    error = {"error": {"type": "string", "message": "string", "exit_code": "integer"}}
    assert list_problems(json.loads(done.stdout), error) == []
    assert json.loads(done.stdout)["error"]["exit_code"] == done.returncode == 3


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ({"a": 1}, {"a": "string"}),
        ({}, {"a": "integer"}),
        ({"a": 1, "b": 2}, {"a": "integer"}),
        ([1, None], ["integer"]),
        (True, "integer"),
        ({"x": ["a"]}, {"*": ["number"]}),
    ],
)
def test_a_wrong_value_is_found(value: Any, shape: Any) -> None:
    assert list_problems(value, shape)
