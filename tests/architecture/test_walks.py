"""The ways through the code stay short, and a file is read once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.architecture.walks import fit, learn


def test_a_plain_fit_is_a_short_walk() -> None:
    seen = fit()
    assert len(seen) <= 42
    assert len({file for file, _ in seen}) <= 19


def test_learn_is_a_short_walk_that_reads_every_column_once(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    seen = learn(tmp_path)
    assert len(seen) <= 400
    assert len({file for file, _ in seen}) <= 92
    assert seen["grow/problem.py", "Problem.grow"] <= 11  # the tree and its folds
    assert seen["grow/problem.py", "Problem.grow_on_each"] == 1  # all runner-up splits
    assert seen["table/files/reading.py", "load_table"] == 1
    assert seen["table/readers/mappings.py", "values_to_column"] == 4
    assert not any(
        file == "table/readers/frames.py" and name == "open_frame" for file, name in seen
    )
