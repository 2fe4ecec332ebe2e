"""Concordance, Brier scores and calibration equal loops over pairs and rows."""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.errors import DataError, OptionError
from ceiba.survival import (
    SurvivalCurve,
    brier_scores,
    calibration,
    concordance,
    default_horizon,
    metrics,
)

from ..reference import survival as reference
from .cases import draw_case


@pytest.mark.parametrize("seed", range(40))
def test_concordance_random_rows_equals_loop_over_pairs(seed: int) -> None:
    time, event, weight, risk = draw_case(seed)
    lists = [values.tolist() for values in (time, event, risk, weight)]
    concordant, discordant, tied = reference.pairs(*lists, [1.0] * len(time))
    found = concordance(time, event, risk, weight)
    assert found.value == pytest.approx(
        (concordant + tied / 2) / (concordant + discordant + tied), abs=1e-12
    )
    assert found[1:4] == pytest.approx((concordant, discordant, tied))
    assert found.contributions.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_uno_concordance_random_rows_equals_loop_over_pairs(seed: int) -> None:
    time, event, weight, risk = draw_case(seed)
    horizon = float(np.quantile(time, 0.8)) + 0.5
    lists = [values.tolist() for values in (time, event, weight)]
    g = [reference.censoring_at(*lists, t) or 1.0 for t in time]
    concordant, discordant, tied = reference.pairs(
        time.tolist(), event.tolist(), risk.tolist(), weight.tolist(), g, horizon
    )
    censoring = SurvivalCurve.of_censoring(time, event, weight)
    found = concordance(time, event, risk, weight, censoring=censoring, horizon=horizon)
    assert found.value == pytest.approx(
        (concordant + tied / 2) / (concordant + discordant + tied), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(20))
def test_concordance_contributions_equal_removal_of_a_row(seed: int) -> None:
    time, event, weight, risk = draw_case(seed, 30)
    whole = concordance(time, event, risk, weight)
    total = sum(whole[1:4])
    for row in range(len(time)):
        rest = np.arange(len(time)) != row
        try:
            left = concordance(time[rest], event[rest], risk[rest], weight[rest])
        except DataError:
            continue
        # Removal changes the ratio N / D to (N - N_row) / (D - D_row).
        change = (whole.value - left.value) * sum(left[1:4]) / total
        assert whole.contributions[row] == pytest.approx(change, abs=1e-9)


def test_concordance_small_blocks_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    time, event, weight, risk = draw_case(8, 400)
    whole = concordance(time, event, risk, weight)
    monkeypatch.setattr(metrics, "_MAX_CELLS", 100)
    parts = concordance(time, event, risk, weight)
    assert parts.value == pytest.approx(whole.value, abs=1e-12)
    assert np.allclose(parts.contributions, whole.contributions)


@pytest.mark.parametrize("seed", range(30))
def test_brier_scores_random_rows_equal_loop(seed: int) -> None:
    time, event, weight, _ = draw_case(seed)
    rng = np.random.default_rng(seed)
    times = np.unique(np.quantile(time, [0.2, 0.5, 0.7]))
    predicted = rng.random((len(time), len(times)))
    lists = [values.tolist() for values in (time, event, weight)]
    g = [reference.censoring_at(*lists, t) for t in time]
    censoring = SurvivalCurve.of_censoring(time, event, weight)
    found = brier_scores(time, event, predicted, times, censoring, sample_weight=weight)
    for i, t in enumerate(times):
        expected = reference.brier(
            *lists[:2], predicted[:, i].tolist(), lists[2], t, g,
            reference.censoring_at(*lists, t),
        )  # fmt: skip
        assert found.scores[i] == pytest.approx(expected, abs=1e-12)
    if len(times) > 1:
        area = np.trapezoid(found.scores, times) / (times[-1] - times[0])
        assert found.integrated == pytest.approx(area, abs=1e-12)
    assert np.average(found.contributions, weights=weight) == pytest.approx(found.integrated)


def test_brier_scores_of_groups_equal_those_of_rows() -> None:
    time, event, weight, _ = draw_case(4)
    group = np.arange(len(time)) % 3
    table = np.random.default_rng(0).random((3, 2))
    censoring = SurvivalCurve.of_censoring(time, event)
    grouped = brier_scores(time, event, table, [1, 2], censoring, group, weight)
    rows = brier_scores(time, event, table[group], [1, 2], censoring, None, weight)
    assert np.array_equal(grouped.scores, rows.scores)


@pytest.mark.parametrize("group", [None, [0, 1, 2, 1], [0, -1, 0, 1]])
def test_brier_scores_require_a_prediction_for_each_row_or_group(group: list[int] | None) -> None:
    censoring = SurvivalCurve.of_censoring([1, 2, 3, 4], [1, 1, 1, 1])
    with pytest.raises(DataError, match="survival must have a row for each index in group"):
        brier_scores([1, 2, 3, 4], [1] * 4, [[0.2], [0.5]], [2], censoring, group)


def test_calibration_many_predictions_are_grouped_by_quantile() -> None:
    rng = np.random.default_rng(3)
    predicted = rng.uniform(0.2, 0.9, 2_000)
    time = rng.exponential(-1 / np.log(predicted))  # S(1) is the prediction
    event = rng.random(2_000) < 0.9
    groups = calibration(time, event, predicted, 1.0, n_groups=5)
    assert [group.n_rows for group in groups] == [400] * 5
    edges = np.quantile(predicted, np.linspace(0, 1, 6))
    for k, group in enumerate(groups):
        rows = (predicted > edges[k] - (k == 0)) & (predicted <= edges[k + 1])
        assert group.predicted == pytest.approx(predicted[rows].mean())
        assert group.observed == float(SurvivalCurve.from_rows(time[rows], event[rows])(1.0))
    assert sum(group.low <= group.predicted <= group.high for group in groups) >= 3


def test_default_horizon_leaves_a_tenth_at_risk() -> None:
    time = np.arange(1.0, 201.0)
    event = np.arange(200) % 2 == 0  # odd times
    assert default_horizon(time, event) == 181.0
    assert (time >= 181).mean() == 0.1
    with pytest.raises(DataError, match="requires an event after time 0"):
        default_horizon([0, 5], [1, 0])


def test_metrics_bad_input_raises() -> None:
    censoring = SurvivalCurve.of_censoring([1, 2], [0, 1])
    with pytest.raises(DataError, match="No pair of rows is comparable"):
        concordance([2, 1], [1, 0], [1.0, 2.0])
    with pytest.raises(DataError, match="risk must have 2 values"):
        concordance([2, 1], [1, 0], [1.0])
    with pytest.raises(DataError, match="at event time 1.0. Pass horizon=1.0 or less"):
        concordance([1, 2, 3], [1, 1, 1], [1, 2, 3], censoring=SurvivalCurve([1], [2], [2]))
    with pytest.raises(OptionError, match="times must be a strictly ascending"):
        brier_scores([1, 2], [1, 1], [[0.5, 0.5]] * 2, [2, 1], censoring)
    with pytest.raises(DataError, match="one per time, and group"):
        brier_scores([1, 2], [1, 1], [0.5, 0.5], [1], censoring)
    with pytest.raises(DataError, match="survival must have shape"):
        calibration([1, 2], [1, 1], [0.5], 1.0)


@pytest.mark.slow
def test_concordance_contributions_give_the_standard_error() -> None:
    rng = np.random.default_rng(1)
    values, errors = [], []
    for _ in range(800):
        risk = rng.integers(0, 4, 150).astype(float)
        time = rng.exponential(np.exp(-0.5 * risk))
        censored = rng.exponential(1.0, 150)
        found = concordance(np.minimum(time, censored), time <= censored, risk)
        values.append(found.value)
        errors.append(float(np.sqrt((found.contributions**2).sum())))
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.08)
