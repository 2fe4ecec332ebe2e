"""The recipes of docs/recipes.md run and print what their comments say."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot
import pytest

matplotlib.use("Agg")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "recipes.md"


def recipes() -> dict[str, str]:
    """Return the code of each section by the package that it needs."""
    parts = re.split(r"^## .*`(\w+)`\s*$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    blocks = [re.findall(r"```python\n(.*?)```", part, re.DOTALL) for part in parts[2::2]]
    return {name: "\n".join(code) for name, code in zip(parts[1::2], blocks, strict=True)}


@pytest.mark.parametrize("package", ["mapie", "sklearn", "shap"])
def test_recipe_prints_what_its_comments_say(package: str) -> None:
    pytest.importorskip(package, reason=f"the package {package} is not installed")
    code = recipes()[package]
    expected = " ".join(re.findall(r"print\(.*\)  # (.*)$", code, flags=re.MULTILINE))
    printed, space = io.StringIO(), dict[str, Any]()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")  # those of the packages
        exec(code, space)
    matplotlib.pyplot.close("all")
    assert expected
    assert " ".join(printed.getvalue().split()) == " ".join(expected.split())
