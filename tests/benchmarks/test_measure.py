"""One measurement on a small table: what comes back from the fresh process."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.libraries import LIBRARIES, Settings, library, why_not
from benchmarks.measure import clock, measure
from benchmarks.problems import PROBLEMS, load, store
from benchmarks.races import Contender


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


def test_unknown_setting_is_skipped_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.libraries.ceiba.WHEN_ASKED", ("recipe",))
    assert why_not("ceiba", Settings(recipe="c45")) == "this ceiba has no recipe"
    assert why_not("ceiba", Settings()) is None


FITTING = [name for name in LIBRARIES if name != "onnxruntime"]


@pytest.mark.slow
@pytest.mark.parametrize("name", FITTING)
def test_every_library_grows_a_tree_of_numbers(name: str, tmp_path: Path) -> None:
    if library(name).why_absent() is not None:
        pytest.skip(f"{name} is not installed")
    taken = measure(Contender(name, "iris"), store("iris", 150, tmp_path))
    assert taken.error is None
    assert taken.cpu > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FITTING if name != "rpart"])
def test_every_library_but_rpart_grows_a_tree_of_categories(name: str, tmp_path: Path) -> None:
    if library(name).why_absent() is not None:
        pytest.skip(f"{name} is not installed")
    settings = Settings(min_samples_leaf=20, max_bins=255 if name == "XGBoost" else None)
    place = store("large_category", 300, tmp_path)
    taken = measure(Contender(name, "large_category", settings=settings), place)
    assert taken.error is None
    assert taken.cpu > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scikit-learn", "onnxruntime"])
def test_borrowed_tree_predicts_as_ours(name: str) -> None:
    if library(name).why_absent() is not None:
        pytest.skip(f"{name} is not installed")
    data = PROBLEMS["classes"].make(2_000)
    settings = Settings(min_samples_leaf=50, same_tree=True)
    results = []
    for runner in (library("ceiba"), library(name)):
        form = runner.prepare(data)
        results.append(runner.predict(runner.fit(form, settings), form))
    np.testing.assert_array_equal(*results)
