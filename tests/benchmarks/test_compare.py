"""A regression is what is worse than the noise band, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.bars import RACES
from benchmarks.commits import is_commit
from benchmarks.compare import compare, judge, ours
from benchmarks.measure import Measurement


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


def test_two_commits_within_the_band_are_equal_by_their_best_repeat() -> None:
    old = [Measurement(cpu=1.0), Measurement(cpu=3.0)]
    lines, worse = judge("numbers", old, [Measurement(cpu=9.0), Measurement(cpu=1.2)], 1, 0.25)
    assert (len(lines), worse) == (1, False)


@pytest.mark.parametrize(
    "new",
    [
        Measurement(cpu=1.3, extra_bytes=100 << 20, impurity=0.4),
        Measurement(cpu=1.0, extra_bytes=120 << 20, impurity=0.4),
        Measurement(cpu=1.0, extra_bytes=100 << 20, impurity=0.41),
    ],
    ids=["slower", "larger", "worse tree"],
)
def test_commit_worse_than_a_band_is_reported(new: Measurement) -> None:
    old = Measurement(cpu=1.0, extra_bytes=100 << 20, impurity=0.4)
    lines, worse = judge("numbers", [old], [new], 1, 0.25)
    assert worse
    assert sum(line.startswith("WORSE") for line in lines) == 1


def test_two_threads_are_compared_by_wall_time() -> None:
    old, new = [Measurement(cpu=1.0, wall=1.0)], [Measurement(cpu=1.0, wall=2.0)]
    assert judge("numbers", old, new, 2, 0.25)[1]


def test_what_ceiba_does_in_the_races_is_listed_once() -> None:
    found = list(ours(list(RACES)).values())
    assert {one.library for one in found} == {"ceiba"}
    assert all(one not in found[:i] for i, one in enumerate(found))


def test_word_that_git_does_not_know_is_no_commit() -> None:
    assert not is_commit("no-such-commit")
