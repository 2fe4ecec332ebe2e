"""Docstrings and error messages avoid the phrases that docs/developing/style.md replaces."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "ceiba"
OPENINGS = re.compile(r"(Give|Tell|Say)\b")
PHRASE = "is not there"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lapses(source: str) -> list[str]:
    """Return the docstrings that open with a banned verb, and raised texts with a banned phrase."""
    texts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED):
            docstring = ast.get_docstring(node) or ""
            if OPENINGS.match(docstring):
                texts.append(docstring.splitlines()[0])
        elif isinstance(node, ast.Raise):
            parts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
            texts += [part for part in parts if isinstance(part, str) and PHRASE in part]
    return texts


def test_package_has_no_lapses() -> None:
    places = [
        f"{path.relative_to(PACKAGE)}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for text in lapses(path.read_text("utf-8"))
    ]
    assert places == []


@pytest.mark.parametrize(
    "source",
    [
        '"""Tell, for each node, a story."""',
        'class A:\n    def f(self):\n        """Give the tree."""',
        'async def f():\n    """\n    Say why.\n    """',
        'raise ValueError("The file is not there.")',
        'raise ValueError(f"The file {path!r} is not there.") from None',
    ],
)
def test_planted_lapse_is_found(source: str) -> None:
    assert len(lapses(source)) == 1
