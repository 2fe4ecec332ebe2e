"""The races: workloads, subsets, and bars that agree with each other and with the documentation."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks.bars import RACES, SUBSETS, races
from benchmarks.measure import Measurement
from benchmarks.problems import PROBLEMS, forget, store
from benchmarks.run import PAGE, WHOLE, chosen_races, in_turns
from benchmarks.table import HEADER, rows
from benchmarks.tables import BESIDE


def options(**chosen: object) -> argparse.Namespace:
    usual = {"subset": ["full"], "rows": None, "repeats": None, "only": "", "libraries": None}
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


ANY_MEASUREMENT = Measurement(
    cpu=1.0, wall=1.0, extra_bytes=1, peak_bytes=1, impurity=1.0, n_leaves=1, float64_bytes=1
)
WORKLOADS = [name for name in SUBSETS if name not in ("quick", "full", "real")]


@pytest.mark.parametrize("subset", SUBSETS)
def test_every_subset_has_races(subset: str) -> None:
    assert races(subset)


def test_every_race_is_of_one_workload() -> None:
    for race in RACES:
        if race not in races("real"):
            assert len(race.subsets.intersection(WORKLOADS)) == 1, race.name


def test_subsets_asked_for_together_are_united_in_the_order_of_the_table() -> None:
    united = races("small", "numbers")
    assert united == [race for race in RACES if race.subsets & {"small", "numbers"}]
    assert len(united) == len(races("small")) + len(races("numbers"))


@pytest.mark.parametrize("subset", ["numbers", "predict", "small"])
def test_speed_is_asked_for_wherever_scikit_learn_takes_part(subset: str) -> None:
    for race in races(subset):
        if "scikit-learn" in race.contenders:
            limits = [bar.limit for bar in race.bars if bar.what == "speed"]
            assert any(limits), race.name


def test_documented_bars_are_those_that_are_asked_for() -> None:
    asked = set()
    for race in RACES:
        whole = race.cut(WHOLE, WHOLE)
        made_up = {key: [ANY_MEASUREMENT] for key in whole.contenders}
        asked |= {(row.race, row.what, row.bar) for row in rows(whole, made_up, {})}
    documented = documented_bars()
    assert len(documented) > 50
    assert set(documented) <= asked


def documented_bars() -> list[tuple[str, str, str]]:
    """Read (workload, what, bar) from the tables of results in docs/benchmarks.md."""
    bars, workload = [], ""
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if (
            line.startswith("|")
            and len(cells) == len(HEADER)
            and cells[0] not in ("workload", "---")
        ):
            workload = cells[0] or workload
            bars.append((workload, cells[1], cells[HEADER.index("bar")]))
    return bars


def test_table_that_is_cut_gets_no_verdict() -> None:
    (first, *_) = chosen_races(options(subset=["quick"], rows=50_000, repeats=2))[0]
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


def test_real_data_sets_are_looked_for_beside_the_project() -> None:
    assert Path(__file__).resolve().parents[3] / "shared" / "data" == BESIDE
