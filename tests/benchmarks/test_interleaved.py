"""Two commits in turns: the mean, the worst, and what counts as worse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import interleaved
from benchmarks.bars import RACES
from benchmarks.compare import read_options
from benchmarks.interleaved import Pair, judge, measure_pair, ours, summary
from benchmarks.libraries import Settings
from benchmarks.measure import Measurement
from benchmarks.races import Contender
from benchmarks.run import chosen_races


def pair(old: list[Measurement], new: list[Measurement]) -> Pair:
    return Pair("numbers", "cpu", old, new)


def test_ratio_is_that_of_the_best_repeats() -> None:
    old = [Measurement(cpu=1.0), Measurement(cpu=3.0)]
    assert pair(old, [Measurement(cpu=9.0), Measurement(cpu=1.2)]).ratio == 1.2


@pytest.mark.parametrize(("new", "worse"), [(1.09, False), (1.11, True), (0.5, False)])
def test_time_above_the_limit_is_worse(new: float, worse: bool) -> None:
    assert judge(pair([Measurement(cpu=1.0)], [Measurement(cpu=new)]))[1] is worse


@pytest.mark.parametrize(
    "new",
    [
        Measurement(cpu=1.3, extra_bytes=100 << 20, impurity=0.4),
        Measurement(cpu=1.0, extra_bytes=120 << 20, impurity=0.4),
        Measurement(cpu=1.0, extra_bytes=100 << 20, impurity=0.41),
    ],
    ids=["slower", "larger", "worse tree"],
)
def test_commit_worse_in_one_respect_is_reported_once(new: Measurement) -> None:
    old = Measurement(cpu=1.0, extra_bytes=100 << 20, impurity=0.4)
    lines, worse = judge(pair([old], [new]))
    assert worse
    assert sum(line.startswith("WORSE") for line in lines) == 1


def test_commit_that_fails_is_worse() -> None:
    lines, worse = judge(pair([Measurement(cpu=1.0)], [Measurement(error="DataError: no rows")]))
    assert worse
    assert "DataError: no rows" in lines[0]


def test_summary_gives_geometric_mean_and_worst_workload() -> None:
    lines, worse = summary({"fit": 1.05, "predict": 1 / 1.05})
    assert not worse
    assert "geometric mean of 2 CPU-time ratios (new / old): 1.000" in lines[0]
    assert "worst workload: 1.050, fit" in lines[1]


@pytest.mark.parametrize("ratios", [[1.04, 1.04], [1.11, 0.5]], ids=["mean", "worst"])
def test_summary_above_either_limit_is_missed(ratios: list[float]) -> None:
    lines, worse = summary(dict(zip("ab", ratios, strict=True)))
    assert worse
    assert sum("MISSED" in line for line in lines) == 1


class FakeClock:
    """Measurements handed out by interpreter, with a log of whose turn it was."""

    def __init__(self, **seconds: Iterator[float]) -> None:
        self.seconds, self.turns = seconds, ""

    def __call__(self, _one: Contender, _place: Path, _judge: bool, python: str) -> Measurement:
        self.turns += python[0]
        seconds = next(self.seconds[python])
        return Measurement(cpu=seconds, wall=seconds)


def fake(monkeypatch: pytest.MonkeyPatch, old: list[float], new: list[float]) -> FakeClock:
    clock = FakeClock(old=iter(old), new=iter(new))
    monkeypatch.setattr(interleaved, "measure", clock)
    return clock


def test_commits_alternate_and_stop_after_the_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = fake(monkeypatch, [1.0] * 3, [1.0] * 3)
    measure_pair("fit", Contender("ceiba", "iris"), Path(), ("old", "new"), 3)
    assert clock.turns == "onnoon"


def test_workload_above_the_limit_gets_another_round(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = fake(monkeypatch, [1.0] * 4, [1.2, 1.2, 1.0, 1.2])
    taken = measure_pair("fit", Contender("ceiba", "iris"), Path(), ("old", "new"), 2)
    assert (taken.ratio, len(clock.turns)) == (1.0, 8)


def test_workload_that_stays_above_is_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, [1.0] * 6, [1.2] * 6)
    taken = measure_pair("fit", Contender("ceiba", "iris"), Path(), ("old", "new"), 2)
    assert len(taken.new) == 6
    assert judge(taken)[1]


def test_two_threads_are_compared_by_wall_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, [1.0], [1.0])
    two = Contender("ceiba", "iris", settings=Settings(n_threads=2))
    assert measure_pair("fit", two, Path(), ("old", "new"), 1).clock == "wall"


def test_what_ceiba_does_in_the_races_is_listed_once() -> None:
    workloads = list(ours(list(RACES)).values())
    assert {one.library for one in workloads} == {"ceiba"}
    assert all(one not in workloads[:i] for i, one in enumerate(workloads))


def test_usual_comparison_has_predictions_and_small_fits() -> None:
    options = read_options(["old", "new"])
    workloads = ours(chosen_races(options)[0]).values()
    actions = {(one.problem, one.action) for one in workloads}
    assert {("iris", "fit"), ("breast_cancer", "fit"), ("iris", "predict one row")} <= actions
    assert {("classes", "predict"), ("classes", "fit"), ("categorical", "fit")} <= actions
