"""Kaplan-Meier curves equal their definition; bands, quantiles and means follow from them."""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.errors import DataError, OptionError
from ceiba.survival import StepFunction, SurvivalCurve

from ..reference import survival as reference
from .cases import draw_case


@pytest.mark.parametrize("seed", range(40))
def test_curve_random_rows_equals_definition(seed: int) -> None:
    time, event, weight, _ = draw_case(seed)
    curve = SurvivalCurve.from_rows(time, event, weight)
    expected = reference.kaplan_meier(time.tolist(), event.tolist(), weight.tolist())
    times, s, variance, hazard = map(np.array, zip(*expected, strict=True))
    assert np.array_equal(curve.time, times)
    assert np.allclose(curve.survival, s, rtol=0, atol=1e-12)
    assert np.allclose(curve.hazard, hazard, rtol=0, atol=1e-12)
    low, high = curve.bands(0.9)
    for i in np.flatnonzero((s > 1e-12) & (s < 1)):
        assert (low[i], high[i]) == pytest.approx(reference.band(s[i], variance[i], 0.9), abs=1e-12)
    assert np.isnan(low[(s < 1e-12) | (s == 1)]).all()


@pytest.mark.parametrize("seed", range(6))
def test_restricted_mean_random_horizon_equals_area(seed: int) -> None:
    time, event, weight, _ = draw_case(seed)
    curve = SurvivalCurve.from_rows(time, event, weight)
    steps = list(zip(curve.time.tolist(), curve.survival.tolist(), strict=True))
    for horizon in (0.7, 3.1, float(time.max()) + 2):
        area = reference.restricted_mean(steps, horizon, 20_000)
        assert curve.restricted_mean(horizon).value == pytest.approx(area, abs=2e-3)


@pytest.mark.parametrize("seed", range(1, 12, 2))
def test_curve_weights_equal_repeated_rows(seed: int) -> None:
    time, event, weight, _ = draw_case(seed)
    times = weight.astype(int)
    repeated = SurvivalCurve.from_rows(np.repeat(time, times), np.repeat(event, times))
    weighted = SurvivalCurve.from_rows(time, event, weight)
    assert np.array_equal(weighted.survival, repeated.survival)
    assert weighted.median() == repeated.median()
    assert weighted.restricted_mean(4.0) == repeated.restricted_mean(4.0)


@pytest.mark.parametrize("seed", range(10))
def test_curve_from_event_times_alone_has_the_same_figures(seed: int) -> None:
    # Nodes of trees keep the times of events and the last time.
    time, event, weight, _ = draw_case(seed)
    whole = SurvivalCurve.from_rows(time, event, weight)
    keep = (whole.events > 0) | (np.arange(len(whole.time)) == len(whole.time) - 1)
    short = SurvivalCurve(whole.time[keep], whole.at_risk[keep], whole.events[keep], whole.n)
    grid = np.linspace(0, time.max() * 1.2, 50)
    assert np.array_equal(short(grid), whole(grid))
    assert np.array_equal(short.cumulative_hazard(grid), whole.cumulative_hazard(grid))
    for q in (0.1, 0.25, 0.5, 0.75):
        assert short.quantile(q) == whole.quantile(q)
    assert short.restricted_mean() == pytest.approx(whole.restricted_mean(), abs=1e-12)
    assert str(short) == str(whole)


def test_median_on_a_flat_step_is_its_middle() -> None:
    assert SurvivalCurve.from_rows([1, 2, 5, 7], [1, 1, 1, 1]).median().value == 3.5
    assert SurvivalCurve.from_rows([1, 2, 5, 7], [1, 1, 0, 0]).median().value == 2.0


def test_median_of_few_events_is_not_reached() -> None:
    curve = SurvivalCurve.from_rows([1, 2, 3], [1, 0, 0])
    assert curve.median().value == np.inf
    assert str(curve) == "n=3, events=1, median=not reached (1 to not reached)"
    assert curve.text("es") == "n=3, eventos=1, mediana=no alcanzada (1 a no alcanzada)"


def test_curve_of_unusual_weights_ends_at_zero() -> None:
    curve = SurvivalCurve.from_rows([1, 2, 3], [1, 1, 1], [0.1, 0.2, 0.3])
    assert curve.survival[-1] == 0.0
    zero = SurvivalCurve.from_rows([1, 9], [1, 1], [1, 0])
    assert zero.time.tolist() == [1.0]


def test_curve_with_events_at_time_zero_starts_below_one() -> None:
    curve = SurvivalCurve.from_rows([0, 0, 4, 5], [1, 0, 1, 1])
    assert curve([0, 1, 4]).tolist() == [0.75, 0.75, 0.375]
    assert curve.step_function().x.tolist() == [0.0, 4.0, 5.0]


def test_step_function_before_first_position_is_constant() -> None:
    assert StepFunction([1, 2], [5, 6])([0, 1.5, 2]).tolist() == [5.0, 5.0, 6.0]
    assert StepFunction([1, 2], [5, 6]).domain == (1.0, 2.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SurvivalCurve.from_rows([-1, 2], [1, 1]), "at least 0, got -1 at index 0"),
        (lambda: SurvivalCurve.from_rows([np.nan], [1]), "finite"),
        (lambda: SurvivalCurve.from_rows([1, 2], [1, 2]), "event must be 1 .event., .*got 2"),
        (lambda: SurvivalCurve.from_rows([1, 2], [1]), "shape of time"),
        (lambda: SurvivalCurve.from_rows([1], [1], [0]), "weight above 0"),
        (lambda: SurvivalCurve.from_rows([1], [1], [1, 1]), "1 values, got 2"),
        (lambda: SurvivalCurve.from_rows(["a"], [1]), "time must contain only numbers"),
        (lambda: SurvivalCurve([1, 1], [2, 1], [1, 1]), "ascending"),
        (lambda: SurvivalCurve([1], [2], [3]), "must not exceed at_risk"),
        (lambda: SurvivalCurve([], [], []), "non-empty"),
    ],
)
def test_curve_bad_rows_raise(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DataError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda curve: curve.quantile(1.0), "q must be"),
        (lambda curve: curve.median(0.0), "confidence must be"),
        (lambda curve: curve.restricted_mean(0), "horizon must be"),
        (lambda curve: curve.step_function("density"), "kind must be"),
    ],
)
def test_curve_bad_options_raise(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(OptionError, match=message):
        call(SurvivalCurve.from_rows([1, 2], [1, 1]))


@pytest.mark.slow
def test_bands_and_medians_cover_the_truth() -> None:
    rng = np.random.default_rng(0)
    runs, n, covered, median = 2_000, 60, 0, 0
    for _ in range(runs):
        time, censored = rng.exponential(1.0, n), rng.exponential(2.5, n)
        curve = SurvivalCurve.from_rows(np.minimum(time, censored), time <= censored)
        _, low, high = curve.survival_at(0.7)
        covered += bool(low <= np.exp(-0.7) <= high)
        estimate = curve.median()
        median += bool(estimate.low <= np.log(2) <= estimate.high)
    assert 0.93 <= covered / runs <= 0.97
    assert 0.93 <= median / runs <= 0.97
