"""Zoom: bins that may hide the best cut are counted again in parts before a value is fetched.

`zoom_rows` decides from how many rows to fetch on a column is zoomed. Set to 2, with few bins,
small tables go through zooms too, some of them twice; the reference sorts everything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ceiba import _core
from tests.grow.test_engines import CRITERIA, REFERENCE, differences, grown, large_case, random_case

CASES = 100


def assert_zoom_changes_nothing(seed: int) -> None:
    case, rng = random_case(seed), np.random.default_rng(seed)
    if rng.random() < 0.5:  # noise: all is open, and every zoom counts
        case["y"] = rng.permutation(case["y"])
    options = {"max_bins": int(rng.choice([2, 4, 16])), "zoom_rows": int(rng.choice([2, 2, 50]))}
    zoomed = grown(case, int(rng.choice([2, 20, 60])), **options)
    assert differences(grown(case, REFERENCE), zoomed) == [], f"seed {seed}"


@pytest.mark.parametrize("first", range(0, CASES, 10))
def test_zoom_random_tables_grow_the_tree_of_the_sorted_search(first: int) -> None:
    for seed in range(first, first + 10):
        assert_zoom_changes_nothing(seed)


@pytest.mark.slow
def test_zoom_thousands_of_tables_grow_the_tree_of_the_sorted_search() -> None:
    for seed in range(10_000, 15_000):
        assert_zoom_changes_nothing(seed)


def noise(criterion: str, dtype: Any, n: int) -> dict[str, Any]:
    """Columns that say nothing: a bell, a long tail, many ties, one value nearly everywhere."""
    case = large_case(criterion, dtype, n)
    rng = np.random.default_rng(3)
    X = case["keep"].astype(float)
    X[:, 1] = np.exp(4 * X[:, 1])
    X[:, 2] = np.round(X[:, 2], 2)
    X[rng.random(n) < 0.9, 3] = 0.0
    X[0, 0], X[1, 0] = np.inf, -np.inf
    X = np.asarray(X, dtype=dtype, order="F")
    case.update(keep=X, columns=_core.Columns.from_matrix(X), y=rng.permutation(case["y"]))
    case["options"] = {"max_depth": 2}
    return case


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_zoom_noise_same_tree_for_engines_and_threads(criterion: str, dtype: Any) -> None:
    case = noise(criterion, dtype, 40_000)
    reference = grown(case, REFERENCE)
    for n_threads in (1, 3):
        assert differences(reference, grown(case, 2048, n_threads=n_threads)) == []
    assert differences(reference, grown(case, 2048, zoom_rows=50, max_bins=32)) == []


def test_zoom_weights_far_apart_grow_the_same_tree() -> None:
    for criterion in ("gini", "squared_error"):
        case = noise(criterion, np.float64, 20_000)
        case["weight"] = np.exp(6 * np.random.default_rng(4).normal(size=20_000))
        case["options"] = {"max_depth": 2, "min_weight_leaf": float(case["weight"].sum() * 0.01)}
        assert differences(grown(case, REFERENCE), grown(case, 500, zoom_rows=50)) == []
