"""The examples run, and make the pictures that the gallery shows."""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(
    file for file in (ROOT / "examples").glob("*.py") if file.name not in ("gallery.py",)
)
NEEDS_DATA = {"seattle_rain.py", "water_potability.py"}


def data_are_there() -> bool:
    folder = Path(os.environ.get("CEIBA_DATA", ROOT.parent / "shared" / "data"))
    return (folder / "water_potability.csv").exists()


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda file: file.name)
def test_example_runs_and_writes_its_pictures(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "iris_tree.png" if script.name == "iris_tree.py" else tmp_path
    monkeypatch.setattr(sys, "argv", [str(script), str(target)])
    if script.name in NEEDS_DATA and not data_are_there():
        with pytest.raises(SystemExit, match="CEIBA_DATA"):
            runpy.run_path(str(script), run_name="__main__")
        return
    runpy.run_path(str(script), run_name="__main__")
    written = {file.name for file in tmp_path.glob("*.png")}
    assert written == set(re.findall(r"\w+\.png", script.read_text("utf-8")))


def test_gallery_shows_the_pictures_of_every_example() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    shown = set(re.findall(r"images/gallery/([\w.]+)", page))
    made = {
        name
        for script in SCRIPTS
        if script.name not in ("iris_tree.py", "engine.py")  # of other pages
        for name in re.findall(r"\w+\.png", script.read_text("utf-8"))
    }
    assert shown == made
