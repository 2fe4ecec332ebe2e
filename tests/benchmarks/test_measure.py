"""One measurement on a small table: what comes back from the fresh process."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.libraries import LIBRARIES, Settings, library
from benchmarks.measure import measure
from benchmarks.problems import PROBLEMS, store
from benchmarks.races import Contender


@pytest.mark.slow
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


FITTING = [name for name in LIBRARIES if name not in ("onnxruntime", "tl2cgen", "no estimator")]


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
@pytest.mark.parametrize("name", ["scikit-learn", "onnxruntime", "tl2cgen"])
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
