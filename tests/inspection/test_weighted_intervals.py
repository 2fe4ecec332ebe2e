"""Intervals of weighted rows: they cover also where rows that weigh more are further off."""

from __future__ import annotations

import numpy as np
import pytest

from ceiba.inspection.evaluate import evaluate_classes, evaluate_numbers
from ceiba.inspection.intervals import mean_interval, share_interval, wilson
from tests.marks import slow

N, RUNS = 400, 400
COSTS = np.array([[0.0, 1.0], [8.0, 0.0]])
AB = np.array(["a", "b"])


def numbers(rng, n, tie):
    """Truth, prediction and weight; tie > 0: rows that weigh more are further off."""
    x = rng.normal(size=n)
    signal = rng.normal(size=n)
    return signal + np.exp(tie * x) * rng.normal(size=n), signal, np.exp(0.5 * x)


def classes(rng, n, tie):
    x = rng.normal(size=n)
    truth = (rng.random(n) < 0.3).astype(int)
    wrong = rng.random(n) < 1 / (1 + np.exp(2 - 3 * tie * x))
    return AB[truth], AB[np.where(wrong, 1 - truth, truth)], np.exp(0.5 * x)


def figures(kind, truth, predicted, weight):
    if kind is numbers:
        result = evaluate_numbers(truth, predicted, 0.0, weight=weight)
        return {"mse": (result.mse, result.mse_interval), "mae": (result.mae, result.mae_interval)}
    result = evaluate_classes(truth, predicted, AB, "a", cost_matrix=COSTS, weight=weight)
    return {
        "error": (result.error, result.error_interval),
        "cost": (result.cost, result.cost_interval),
    }


@pytest.mark.slow
@pytest.mark.parametrize("tie", [0.3, *slow([-0.3, 0.0])])
@pytest.mark.parametrize("kind", [numbers, classes])
def test_intervals_cover_whatever_weights_have_to_do_with_errors(kind, tie):
    rng = np.random.default_rng(7)
    large = kind(rng, 1_000_000, tie)
    truth = {name: value for name, (value, _) in figures(kind, *large).items()}
    held = dict.fromkeys(truth, 0)
    for _ in range(RUNS):
        for name, (_, (low, high)) in figures(kind, *kind(rng, N, tie)).items():
            held[name] += low <= truth[name] <= high
    shares = {name: round(100 * count / RUNS, 1) for name, count in held.items()}
    print(f"| weighted rows, tie {tie} | {N} | {shares} |")
    assert min(shares.values()) >= 91
    assert max(shares.values()) <= 98


def test_equal_weights_are_no_weights():
    rng = np.random.default_rng(0)
    values, which = rng.lognormal(size=60), rng.random(60) < 0.2
    for weight in (0.01, 1.0, 7.0):
        same = np.full(60, weight)
        assert mean_interval(values, same, 60.0) == pytest.approx(
            mean_interval(values, np.ones(60), 60.0)
        )
        assert share_interval(which, same) == pytest.approx(wilson(float(which.mean()), 60))


def test_frequencies_are_repeated_rows():
    rng = np.random.default_rng(1)
    values, which, often = rng.lognormal(size=40), rng.random(40) < 0.3, rng.integers(1, 5, 40)
    n = float(often.sum())
    assert mean_interval(values, often * 1.0, n, 0.9, True) == pytest.approx(
        mean_interval(np.repeat(values, often), np.ones(int(n)), n, 0.9)
    )
    assert share_interval(which, often * 1.0, True) == pytest.approx(
        share_interval(np.repeat(which, often), np.ones(int(n)))
    )


def test_share_of_nothing_and_of_everything_keep_an_interval():
    weight = np.random.default_rng(2).exponential(size=50)
    assert share_interval(np.zeros(50, bool), weight)[1] > 0.03
    assert share_interval(np.ones(50, bool), weight)[0] < 0.97
