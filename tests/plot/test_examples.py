"""The examples run, and create the plots of the gallery."""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from tests.marks import slow

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ("film.py", "gallery.py", "speed_chart.py")  # tests/docs/test_readme.py runs two of them
SCRIPTS = sorted(file for file in (ROOT / "examples").glob("*.py") if file.name not in OTHERS)
NEEDS_DATA = {
    "report_pages.py": (
        *("titanic.csv", "seattleWeather_1948-2017.csv", "california_housing.csv"),
        *("adult_train.csv.gz", "adult_test.csv.gz"),
    ),
    "seattle_rain.py": ("seattleWeather_1948-2017.csv",),
    "studio_pictures.py": ("titanic.csv",),
    "water_potability.py": ("water_potability.csv",),
}


def data_are_there(script: Path) -> bool:
    folder = Path(os.environ.get("CEIBA_DATA", ROOT.parent / "shared" / "data"))
    return all((folder / name).exists() for name in NEEDS_DATA[script.name])


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


SLOW = {"iris_steps.py", "report_pages.py", "seattle_rain.py"}


@pytest.mark.parametrize(
    "script",
    [
        *(file for file in SCRIPTS if file.name not in SLOW),
        *slow(file for file in SCRIPTS if file.name in SLOW),
    ],
    ids=lambda file: file.name,
)
def test_example_runs_and_writes_its_pictures(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "iris_tree.png" if script.name == "iris_tree.py" else tmp_path
    monkeypatch.setattr(sys, "argv", [str(script), str(target)])
    if script.name in NEEDS_DATA and not data_are_there(script):
        with pytest.raises(SystemExit, match="CEIBA_DATA"):
            runpy.run_path(str(script), run_name="__main__")
        return
    runpy.run_path(str(script), run_name="__main__")
    written = {file.name for file in tmp_path.glob("*.png")}
    assert written == set(re.findall(r"\w+\.png", script.read_text("utf-8")))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda file: file.name)
def test_example_without_its_data_names_the_files_and_the_folder(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = "CEIBA_DATA" in script.read_text("utf-8")
    assert asks == (script.name in NEEDS_DATA)
    if not asks:
        return
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
    monkeypatch.setenv("CEIBA_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(SystemExit, match="CEIBA_DATA") as ended:
        runpy.run_path(str(script), run_name="__main__")
    assert all(name in str(ended.value) for name in NEEDS_DATA[script.name])


def test_example_pictures_of_the_report_without_chromium_end_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = ROOT / "examples" / "report_pages.py"
    if not data_are_there(script):
        with pytest.raises(SystemExit, match="CEIBA_DATA"):
            runpy.run_path(str(script), run_name="__main__")
        return
    monkeypatch.setattr(
        sys, "argv", [str(script), str(tmp_path), "--pictures", str(tmp_path / "pictures")]
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"pip install|apt-get install chromium"):
        runpy.run_path(str(script), run_name="__main__")
    assert not list(tmp_path.iterdir())


def test_gallery_shows_the_pictures_of_every_example() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    cards = re.findall(r"```\{example\} \w+\n(.*?)```", page, flags=re.DOTALL)
    shown = {
        f"{name}.png" for card in cards for name in re.findall(r"^([a-z]\w+): ", card, re.MULTILINE)
    }
    made = {
        name
        for script in SCRIPTS
        if script.name not in ("iris_tree.py", "engine.py")  # of other pages
        for name in re.findall(r"\w+\.png", script.read_text("utf-8"))
    }
    assert shown == made
