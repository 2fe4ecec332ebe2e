"""Figures and verdicts from measurements that are written by hand."""

from __future__ import annotations

import pytest

from benchmarks.measure import Measurement
from benchmarks.races import Bar, Contender, Race
from benchmarks.table import markdown, rows, seconds


def race(bar: Bar, judged: bool = True) -> Race:
    contenders = {"ceiba": Contender("ceiba", "iris"), "rival": Contender("YDF", "iris")}
    return Race("small, any depth", frozenset({"quick"}), contenders, (bar,), judged)


def figure(bar: Bar, ours: list[Measurement], theirs: list[Measurement], judged: bool = True):  # type: ignore[no-untyped-def]
    return rows(race(bar, judged), {"ceiba": ours, "rival": theirs}, {})[0]


def test_speed_of_several_repeats_is_the_ratio_of_the_best() -> None:
    row = figure(
        Bar("speed", "ceiba", "rival", 4.0),
        [Measurement(cpu=2.0, wall=9.0), Measurement(cpu=1.0, wall=9.0)],
        [Measurement(cpu=5.0, wall=9.0), Measurement(cpu=6.0, wall=9.0)],
    )
    assert (row.value, row.verdict, row.spread) == (5.0, "met", "100% / 20%")


def test_speed_below_the_bar_is_missed() -> None:
    row = figure(
        Bar("speed", "ceiba", "rival", 4.0), [Measurement(cpu=1.0)], [Measurement(cpu=3.9)]
    )
    assert row.verdict == "MISSED"


def test_bar_of_cut_table_gets_no_verdict() -> None:
    bar = Bar("speed", "ceiba", "rival", 4.0)
    row = figure(bar, [Measurement(cpu=1.0)], [Measurement(cpu=9.0)], judged=False)
    assert row.verdict == "not at this size"


def test_rival_ended_at_its_limit_gives_a_lower_bound() -> None:
    bar = Bar("speed", "ceiba", "rival", 20.0)
    row = figure(bar, [Measurement(cpu=1.0)], [Measurement(cpu=200.0, at_least=True)])
    assert (row.figure, row.verdict) == (">= 200.0x faster", "met")


def test_wall_time_missed_on_a_busy_machine_is_not_judged() -> None:
    bar = Bar("speed", "ceiba", "rival", 1.25, clock="wall")
    theirs = [Measurement(wall=2.0, others=0.0)]
    busy = figure(bar, [Measurement(wall=2.0, others=0.9)], theirs)
    quiet = figure(bar, [Measurement(wall=2.0, others=0.0)], theirs)
    assert (busy.verdict, quiet.verdict) == ("machine busy (others used 0.9 cores)", "MISSED")


def test_impurity_above_the_rival_by_more_than_the_bar_is_missed() -> None:
    bar = Bar("impurity", "ceiba", "rival", 1e-5)
    theirs = [Measurement(impurity=0.5, n_leaves=9)]
    good = figure(bar, [Measurement(impurity=0.499, n_leaves=9)], theirs)
    bad = figure(bar, [Measurement(impurity=0.50001, n_leaves=9)], theirs)
    assert (good.verdict, bad.verdict) == ("met", "MISSED")


def test_memory_is_the_worst_repeat_over_the_size_of_x() -> None:
    ours = [Measurement(extra_bytes=size, float64_bytes=100) for size in (150, 260)]
    row = figure(Bar("memory", "ceiba", limit=2.5), ours, [])
    assert (row.value, row.verdict) == (2.6, "MISSED")


def test_absent_library_is_skipped_with_its_reason() -> None:
    bar = Bar("speed", "ceiba", "rival", 4.0)
    row = rows(race(bar), {"ceiba": [Measurement(cpu=1.0)]}, {"rival": "ydf is not installed"})[0]
    assert (row.value, row.verdict) == (None, "skipped: ydf is not installed")


def test_markdown_names_a_workload_once() -> None:
    bar = Bar("seconds", "ceiba", limit=1.0)
    row = figure(bar, [Measurement(cpu=0.5)], [])
    assert markdown([row, row]).count("small, any depth") == 1


@pytest.mark.parametrize(
    ("value", "text"), [(28.13, "28.1 s"), (0.0021, "2.1 ms"), (4.5e-6, "4.5 us")]
)
def test_seconds_are_written_in_a_fitting_unit(value: float, text: str) -> None:
    assert seconds(value) == text


def curve(limit: float, times: dict[str, float]) -> Race:
    points = tuple((key, float(key)) for key in times)
    contenders = {key: Contender("ceiba", "iris") for key in times}
    bar = Bar("exponent", points[-1][0], limit=limit, points=points)
    return Race("growth", frozenset({"full"}), contenders, (bar,))


@pytest.mark.parametrize(("power", "verdict"), [(1.0, "met"), (1.5, "MISSED")])
def test_exponent_of_a_power_law_is_its_power(power: float, verdict: str) -> None:
    times = {str(size): 1e-6 * size**power for size in (100, 1_000, 10_000)}
    taken = {key: [Measurement(cpu=time)] for key, time in times.items()}
    (row,) = rows(curve(1.1, times), taken, {})
    assert row.value == pytest.approx(power)
    assert row.verdict == verdict


def test_curve_of_one_point_has_no_exponent() -> None:
    (row,) = rows(curve(1.1, {"100": 1.0}), {"100": [Measurement(cpu=1.0)]}, {})
    assert (row.value, row.verdict) == (None, "skipped: fewer than two points")


@pytest.mark.parametrize(("size", "verdict"), [(2_900, "met"), (3_100, "MISSED")])
def test_peak_is_judged_in_bytes_and_shown_in_gigabytes(size: int, verdict: str) -> None:
    bar = Bar("peak", "ceiba", limit=3e9)
    row = figure(bar, [Measurement(peak_bytes=size * 10**6)], [])
    assert (row.bar, row.verdict) == ("<= 3 GB", verdict)
    assert row.figure.endswith("GB")


def test_extra_memory_is_judged_in_bytes_and_shown_in_megabytes() -> None:
    row = figure(Bar("extra", "ceiba", limit=250e6), [Measurement(extra_bytes=260_000_000)], [])
    assert (row.figure, row.bar, row.verdict) == ("260 MB", "<= 250 MB", "MISSED")
