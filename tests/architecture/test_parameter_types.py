"""The stubs by which type checkers and editors know parameters are written from the options' rows.

`make stubs` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

import ceiba
from ceiba.estimators.parameters import PARAMETERS
from ceiba.families.rpart.options import RPART_OPTIONS
from ceiba.options import Option, nothing

PACKAGE = Path(str(ceiba.__file__)).parent
HEAD = '''"""Parameters by name, for type checkers and editors; written by `make stubs`."""

from typing import Any, TypedDict
'''


def type_of(row: Option) -> str:
    """Return the type of a parameter; Any where it takes more than numbers, texts and None."""
    plain = re.sub(r"\{[^}]*\}", lambda levels: "str" if '"' in levels[0] else "int", row.kind)
    parts = re.split(r", | or ", plain.removeprefix("non-negative "))
    if not set(parts) <= {"int", "float", "str", "bool"}:
        return "Any"
    return " | ".join([*parts, *(["None"] if nothing in row.allowed else [])])


def stub_of(classes: Mapping[str, Iterable[Option]]) -> str:
    """Return a stub with a TypedDict per class, each named with its base."""
    parts = [HEAD]
    for name, rows in classes.items():
        parts.append(f"\nclass {name}, total=False):\n")
        parts += [f"    {row.name}: {type_of(row)}\n" for row in rows]
    return "".join(parts)


def stubs() -> dict[Path, str]:
    """Return the text of each stub."""
    numbers, classes = PARAMETERS["regression"], PARAMETERS["classification"]
    more = [row for name, row in classes.items() if name not in numbers]
    return {
        PACKAGE / "estimators" / "parameter_types.pyi": stub_of(
            {
                "RegressorParameters(TypedDict": numbers.values(),
                "ClassifierParameters(RegressorParameters": more,
                "SurvivalParameters(TypedDict": PARAMETERS["survival"].values(),
            }
        ),
        PACKAGE / "families" / "rpart" / "parameter_types.pyi": stub_of(
            {"RpartParameters(TypedDict": RPART_OPTIONS.values()}
        ),
    }


@pytest.mark.parametrize("path", stubs(), ids=lambda path: path.parent.name)
def test_stub_of_parameters_is_current(path: Path) -> None:
    assert path.read_text("utf-8") == stubs()[path], "run make stubs"


def test_type_follows_from_the_kind_and_the_checks() -> None:
    rows = PARAMETERS["classification"]
    assert type_of(rows["max_features"]) == "int | float | str | None"
    assert type_of(rows["criterion"]) == "Any"
    assert type_of(RPART_OPTIONS["usesurrogate"]) == "int"


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, "utf-8")
