"""Folders with data and models that the tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import CSV, ok


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "weather.csv").write_text(CSV, "utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with iris.csv and the model learned from it."""
    where = tmp_path_factory.mktemp("iris")
    ok("datasets", "iris", "-o", "iris.csv", cwd=where)
    ok("learn", "iris.csv", "-t", "species", "--max-depth", 2, "-q", cwd=where)
    return where
