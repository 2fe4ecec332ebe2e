"""Every line of the table of the teaching documents runs, and gives what the table says."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "teaching.md"
ROW = re.compile(r"^\| (.+?) \| `(.+)` \| (-|`.+`) \|$")


def rows():
    for line in PAGE.read_text().splitlines():
        match = ROW.match(line)
        if match:
            item, code, result = match.groups()
            yield pytest.param(code, result.strip("`"), id=item.replace(" ", "-")[:60])


@pytest.fixture(scope="module")
def names():
    pytest.importorskip("matplotlib").use("Agg")
    setup = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    space: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(setup[1], space)
    yield space
    from matplotlib import pyplot

    pyplot.close("all")


def test_table_has_an_entry_for_each_item():
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    entries = list(rows())
    assert len(entries) == len([one for one in lines if not one.startswith("| item")])
    assert len(entries) >= 101 - 6


@pytest.mark.parametrize(("code", "result"), list(rows()))
def test_line_gives_what_the_table_says(names, code, result):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = eval(code, names)
    if result != "-":
        assert value == ast.literal_eval(result)
