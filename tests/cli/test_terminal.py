"""Every command in a terminal, against transcripts kept in `golden/`.

A transcript is what a person sees: commands, answers, remarks and mistakes. After a wanted change,
`CEIBA_GOLDEN=write pytest tests/cli/test_terminal.py` writes them anew; read the difference.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.running import CSV
from tests.cli.terminal import on_screen, raw_session, session

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs Linux")
GOLDEN = Path(__file__).parent / "golden"
WIDTHS = (80, 120)

IRIS = [
    "ceiba datasets",
    "ceiba datasets iris -o iris.csv",
    "ceiba describe iris.csv --target species",
    "ceiba learn iris.csv --target species --test-size 0.3",
    "ceiba show iris.ceiba",
    "ceiba show iris.ceiba --ascii --node-ids --counts --max-depth 1",
    "ceiba summary iris.ceiba",
    "ceiba rules iris.ceiba --sort rows",
    "ceiba explain iris.ceiba iris.csv --row 51",
    "ceiba explain iris.ceiba -v 'petal length=5' -v 'petal width=1.2'",
    "ceiba ask iris.ceiba < values.txt",
    "ceiba predict iris.ceiba iris.csv --probabilities --leaf -o answers.csv",
    "ceiba predict iris.ceiba three.csv --only --prefix my_",
    "ceiba evaluate iris.ceiba iris.csv",
    "ceiba prune iris.ceiba",
    "ceiba prune iris.ceiba --leaves 2 -o small.ceiba",
    "ceiba compare small.ceiba iris.ceiba iris.csv",
    "ceiba predict small.ceiba iris.csv -o scored.csv",
    "ceiba mimic scored.csv --predictions prediction --target species -o mimic.ceiba",
    "ceiba errors scored.csv --predictions prediction --target species",
    "ceiba reasons iris.ceiba iris.csv --row 51 --protected 'sepal width'",
    "ceiba card iris.ceiba --data iris.csv --out card.md",
    "ceiba curve iris.csv --target species --repeats 2 --set max_depth=2",
    "ceiba counterfactual iris.ceiba iris.csv --row 51 -k 2",
    "ceiba drift iris.ceiba iris.csv",
    "ceiba stability iris.ceiba iris.csv --resamples 5",
    "ceiba export iris.ceiba sql --dialect sqlite -o iris.sql",
    "ceiba export small.ceiba -o small.py",
]
PICTURES = [
    "ceiba plot iris.ceiba -o iris.svg",
    "ceiba report iris.ceiba --data iris.csv -o iris.html",
    "ceiba demo --no-browser",
]
MISTAKES = [  # those that typer finds are said in the words of its version: test_mistakes.py
    "ceiba learn weather.csv --target RIAN",
    "ceiba learn wether.csv --target RAIN",
    "ceiba learn weather.csv --target RAIN --missing leran",
    "ceiba learn ragged.csv --target y",
    "ceiba learn open.csv --target y",
    "ceiba learn latin.csv --target y",
    "ceiba learn weather.csv --target RAIN --drop day --quiet",
    "ceiba predict weather.ceiba bad.csv",
    "ceiba predict weather.ceiba short.csv",
    "ceiba predict weather.csv weather.csv",
    "ceiba predict weather.ceiba weather.csv --prefix p --out none/p.csv",
    "ceiba explain weather.ceiba weather.csv --row 99",
    "ceiba export weather.ceiba sqll",
    "ceiba evaluate weather.ceiba short.csv",
    "ceiba prune weather.ceiba --leaves 0",
]
SEATTLE = [
    "ceiba learn seattle.csv --target RAIN --drop DATE --model leak.ceiba",
    "ceiba learn seattle.csv --target RAIN --drop DATE,PRCP --test-size 0.3 --model large.ceiba -q",
    "ceiba learn seattle.csv --target RAIN --drop DATE,PRCP --test-size 0.3 --prune 1se "
    "--model rain.ceiba",
    "ceiba evaluate rain.ceiba seattle.csv",
    "ceiba export rain.ceiba sql --dialect sqlite --table weather -o rain.sql",
]


def check(name: str, found: str, columns: int) -> None:
    path = GOLDEN / f"{name}_{columns}.txt"
    shown = [line for line in found.split("\n") if not line.startswith("$ ")]
    assert max(map(len, shown)) <= columns, max(shown, key=len)
    if os.environ.get("CEIBA_GOLDEN") == "write":
        path.write_text(found, "utf-8")
    assert found == path.read_text("utf-8")


@pytest.mark.parametrize("columns", WIDTHS)
def test_commands_say_what_they_said(learned: Path, tmp_path: Path, columns: int) -> None:
    head = (learned / "iris.csv").read_text("utf-8").splitlines()[:4]
    (tmp_path / "three.csv").write_text("\n".join(head), "utf-8")
    (tmp_path / "values.txt").write_text("4.7\n1.4\n", "utf-8")
    check("iris", session(IRIS, tmp_path, columns=columns), columns)
    assert len((tmp_path / "answers.csv").read_text("utf-8").splitlines()) == 151
    assert "def predict" in (tmp_path / "small.py").read_text("utf-8")


@pytest.mark.parametrize("columns", WIDTHS)
def test_pictures_and_pages_say_where_they_are(learned: Path, tmp_path: Path, columns: int) -> None:
    pytest.importorskip("matplotlib")
    for name in ("iris.csv", "iris.ceiba"):
        shutil.copy(learned / name, tmp_path)
    check("pictures", session(PICTURES, tmp_path, columns=columns), columns)
    assert "<svg" in (tmp_path / "iris.svg").read_text("utf-8")
    assert "<html" in (tmp_path / "iris.html").read_text("utf-8")


@pytest.mark.parametrize("columns", WIDTHS)
def test_mistakes_are_said_in_a_way_one_can_act_on(folder: Path, columns: int) -> None:
    (folder / "ragged.csv").write_text("x,y\n1,a\n2,b,c\n", "utf-8")
    (folder / "open.csv").write_text('x,y\n1,a\n"2,b\n3,c\n', "utf-8")
    (folder / "latin.csv").write_bytes("Łódź,y\n1,a\n2,b\n".encode("cp1250"))
    (folder / "bad.csv").write_text("clouds,wind\n1,west\nmany,east\n", "utf-8")
    (folder / "short.csv").write_text("cloud,wind\n1,west\n", "utf-8")
    check("mistakes", session(MISTAKES, folder, columns=columns), columns)


@pytest.mark.parametrize("columns", WIDTHS)
def test_rain_of_seattle_in_five_commands(data_folder: Path, tmp_path: Path, columns: int) -> None:
    shutil.copy(data_folder / "seattleWeather_1948-2017.csv", tmp_path / "seattle.csv")
    check("seattle", session(SEATTLE, tmp_path, columns=columns), columns)


# ---------------------------------------------------------------------- progress


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("large")
    (where / "small.csv").write_text(CSV, "utf-8")
    row = "3,west,2024-05-01,no\n"
    (where / "large.csv").write_text("clouds,wind,day,RAIN\n" + row * 200_000, "utf-8")
    return where


def test_bar_is_shown_in_a_terminal_and_goes(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ceiba.cli.terminal.output._BAR_DELAY", -1)
    raw = raw_session(["ceiba learn large.csv -t RAIN --drop day"], large)
    assert "reading" in raw
    assert "100%" in raw
    assert "growing the tree" in raw
    assert not {"reading", "growing"} & set(on_screen(raw).split())


def test_no_bar_where_there_is_no_terminal(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ceiba.cli.terminal import output
    from tests.cli.running import run

    monkeypatch.setattr(output, "_BAR_DELAY", -1)
    flags = ("--drop", "day", "--test-size", 0.5, "-m", "piped.ceiba")
    done = run("learn", "large.csv", "-t", "RAIN", *flags, cwd=large)
    assert done.stderr == (
        "large.csv: 200,000 rows, 3 columns: 1 number (clouds), 1 category (wind); target RAIN; no "
        "missing cells.\n"
        "warning: Column 'clouds' has one value in all rows.\n"
        "warning: Column 'wind' has one value in all rows.\n"
    )
