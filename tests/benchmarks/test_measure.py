"""One measurement on a small table: what comes back from the fresh process."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.libraries import LIBRARIES, Settings, library
from benchmarks.measure import clock, impurity, measure
from benchmarks.problems import Data, load, store
from benchmarks.races import RACES, Contender, races


def test_fit_in_a_fresh_process_gives_times_memory_and_impurity(tmp_path: Path) -> None:
    place = store("classes", 2_000, tmp_path)
    settings = Settings(max_depth=3, min_samples_leaf=50)
    taken = measure(Contender("ceiba", "classes", settings=settings), place)
    assert taken.error is None
    assert 0 < taken.cpu < 60
    assert 0 < taken.wall < 600
    assert taken.n_leaves == 8
    assert taken.impurity is not None
    assert 0 < taken.impurity < 0.5


def test_error_in_the_process_comes_back_as_text(tmp_path: Path) -> None:
    place = store("classes", 300, tmp_path)
    taken = measure(Contender("ceiba", "classes", settings=Settings(max_depth=-5)), place)
    assert taken.error is not None
    assert "max_depth" in taken.error


def test_cpu_limit_ends_the_process_with_a_bound(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    place = store("classes", 300_000, tmp_path)
    taken = measure(Contender("scikit-learn", "classes", limit=1.0), place)
    assert (taken.cpu, taken.at_least) == (1.0, True)


def test_table_read_back_is_the_table_stored(tmp_path: Path) -> None:
    first, again = (load(store("surrogates", 500, tmp_path)) for _ in range(2))
    assert first.task == "classification"
    assert np.isnan(first.X).mean() == pytest.approx(0.2, abs=0.03)
    np.testing.assert_array_equal(first.X, again.X)


def test_impurity_of_a_partition_is_the_gini_of_its_leaves() -> None:
    data = Data(np.zeros((4, 1)), np.array([0, 1, 1, 1]), "classification")
    assert impurity(np.array([7, 7, 9, 9]), data) == pytest.approx(0.25)


def test_impurity_of_a_partition_is_the_squared_error_of_its_leaves() -> None:
    data = Data(np.zeros((4, 1)), np.array([0.0, 2.0, 5.0, 5.0]), "regression")
    assert impurity(np.array([7, 7, 9, 9]), data) == pytest.approx(0.5)


def test_clock_of_a_short_call_runs_it_in_blocks() -> None:
    calls: list[int] = []
    cpu, wall, _ = clock(lambda: calls.append(1))
    assert len(calls) > 10
    assert math.isfinite(cpu)
    assert math.isfinite(wall)


@pytest.mark.parametrize("name", LIBRARIES)
def test_library_that_cannot_run_says_why(name: str) -> None:
    reason = library(name).why_absent()
    assert reason is None or "not" in reason or "no package" in reason


def test_every_race_names_contenders_of_its_own() -> None:
    for race in RACES:
        for bar in race.bars:
            assert {bar.ours, bar.against or bar.ours} <= race.contenders.keys()


def test_quick_races_cut_to_small_tables_are_not_judged() -> None:
    (first, *_) = (race.cut(50_000, 2) for race in races("quick"))
    assert not first.judged
    assert "50,000" in first.name
    assert max(one.repeats for one in first.contenders.values()) == 2
