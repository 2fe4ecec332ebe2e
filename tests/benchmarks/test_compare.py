"""A regression is what is worse than the noise band, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.commits import is_commit
from benchmarks.compare import compare


def result(value: float, what: str = "fit, CPU time", figure: str = "x faster") -> dict[str, Any]:
    row = {"race": "numbers", "what": what, "rival": "other", "value": value, "figure": figure}
    return {"figures": [row]}


@pytest.mark.parametrize(
    ("new", "worse"), [(10.0, False), (8.1, False), (7.9, True), (20.0, False)]
)
def test_ratio_lower_than_the_band_allows_is_worse(new: float, worse: bool) -> None:
    assert compare(result(10.0), result(new), band=0.25)[1] is worse


@pytest.mark.parametrize(
    ("new", "worse"), [(1.0, False), (1.24, False), (1.26, True), (0.5, False)]
)
def test_time_longer_than_the_band_allows_is_worse(new: float, worse: bool) -> None:
    old, late = result(1.0, figure="1 s"), result(new, figure="2 s")
    assert compare(old, late, band=0.25)[1] is worse


def test_impurity_that_rose_is_worse_at_once() -> None:
    what, figure = "training impurity", "relative"
    assert compare(result(0.0, what, figure), result(1e-3, what, figure), band=0.25)[1]


def test_figure_that_only_one_result_has_is_not_compared() -> None:
    lines, worse = compare(result(10.0), result(1.0, what="predict, CPU time"), band=0.25)
    assert (lines, worse) == ([], False)


def test_word_that_git_does_not_know_is_no_commit() -> None:
    assert not is_commit("no-such-commit")
