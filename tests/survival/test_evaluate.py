"""`evaluate` of survival trees: figures by the metrics, horizon, groups, intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ceiba
from ceiba.errors import CeibaError, OptionError
from ceiba.survival import SurvivalCurve, brier_scores, concordance, default_horizon

from .cases import simulate

TARGET = ("weeks", "died")


@pytest.fixture(scope="module")
def held_out() -> dict[str, Any]:
    return simulate(250, 1)


def test_evaluate_held_out_rows_gives_the_metrics(
    model: Any, frame: dict[str, Any], held_out: dict[str, Any]
) -> None:
    found = model.evaluate(held_out, TARGET)
    time, event, risk = held_out["weeks"], held_out["died"], model.predict(held_out)
    horizon = default_horizon(time, event)
    censoring = SurvivalCurve.of_censoring(frame["weeks"], frame["died"])
    assert found.horizon == horizon
    assert found.harrell.value == concordance(time, event, risk, horizon=horizon).value
    uno = concordance(time, event, risk, censoring=censoring, horizon=horizon)
    assert found.uno.value == pytest.approx(uno.value, abs=1e-12)
    grid = np.linspace(0, horizon, 101)
    curves = np.stack([curve(grid) for curve in model.predict_survival_function(held_out)])
    brier = brier_scores(time, event, curves, grid, censoring)
    assert found.brier.value == pytest.approx(brier.integrated, abs=1e-12)
    root = SurvivalCurve.from_rows(frame["weeks"], frame["died"])(grid)
    baseline = brier_scores(time, event, np.tile(root, (len(time), 1)), grid, censoring)
    assert found.baseline_brier == pytest.approx(baseline.integrated, abs=1e-12)
    for figure in (found.harrell, found.uno, found.brier):
        assert figure.low < figure.value < figure.high
    assert found.brier.value < found.baseline_brier


def test_evaluate_times_and_horizon_are_those_passed(model: Any, held_out: dict[str, Any]) -> None:
    found = model.evaluate(held_out, TARGET, horizon=8, times=[6, 3])
    assert found.horizon == 8.0
    assert np.unique(found.calibration["time"]).tolist() == [3.0, 6.0]
    rows = found.calibration["time"] == 3.0
    assert found.calibration["rows"][rows].sum() == len(held_out["weeks"])
    assert "up to time 8" in str(found)
    assert "curva para todas las filas" in "".join(map(str, found.blocks("es")))


def test_evaluate_by_group_equals_evaluation_of_its_rows(
    model: Any, held_out: dict[str, Any]
) -> None:
    groups = model.evaluate(held_out, TARGET, by="stage", horizon=9.0)
    first = held_out["stage"] == "I"
    alone = model.evaluate(
        {name: values[first] for name, values in held_out.items()}, TARGET, horizon=9.0
    )
    assert groups.evaluations["I"].harrell == alone.harrell
    assert set(groups.figures["figure"]) == {"Harrell's C", "Uno's C", "integrated Brier"}


def test_evaluate_frequency_equals_repeated_rows(held_out: dict[str, Any]) -> None:
    times = np.random.default_rng(2).integers(1, 4, len(held_out["weeks"]))
    repeated = {name: np.repeat(values, times) for name, values in held_out.items()}
    model = ceiba.DecisionTreeSurvival(max_depth=2)
    counted = model.fit(held_out, TARGET, frequency=times)
    figures = counted.evaluate(held_out, TARGET, times)
    expected = ceiba.DecisionTreeSurvival(max_depth=2).fit(repeated, TARGET)
    expected = expected.evaluate(repeated, TARGET, horizon=figures.horizon)
    for name in ("harrell", "uno", "brier"):
        assert getattr(figures, name) == pytest.approx(getattr(expected, name), abs=1e-9)


def test_evaluate_small_group_without_pairs_is_unknown(model: Any) -> None:
    rows = {"age": [40, 50, 70], "stage": ["I", "I", "II"], "noise": [0, 0, 0]}
    y = [(True, 3.0), (True, 5.0), (False, 4.0)]
    target = np.array(y, dtype=[("died", bool), ("weeks", float)])
    groups = model.evaluate(rows, target, by="stage")
    assert np.isnan(groups.evaluations["II"].harrell.value)


def test_evaluate_rows_beyond_the_training_times_stay_below_them() -> None:
    rows = {"x": [1, 2, 3, 4, 5, 6], "t": [1, 2, 3, 4, 5, 6], "e": [1, 1, 1, 1, 1, 0]}
    model = ceiba.DecisionTreeSurvival(max_depth=1).fit(rows, ("t", "e"))
    later = {"x": [1, 2, 3, 4, 5, 6], "t": [1, 2, 6, 8, 9, 10], "e": [1] * 6}
    assert model.evaluate(later, ("t", "e")).horizon == 2.0  # the censoring at 6 leaves no weight
    with pytest.raises(OptionError, match="horizon must be below 6"):
        model.evaluate(later, ("t", "e"), horizon=6)


def test_evaluate_bad_options_raise(model: Any, held_out: dict[str, Any]) -> None:
    for options, message in (
        ({"horizon": -1}, "horizon must be a time above 0"),
        ({"times": [0]}, "`times` must be numbers above 0 and at most the horizon"),
        ({"times": "x"}, "`times` must be numbers"),
        ({"positive": 1}, "positive is not supported for survival"),
    ):
        with pytest.raises(OptionError, match=message):
            model.evaluate(held_out, TARGET, **options)
    iris = ceiba.datasets.load_iris()
    other = ceiba.DecisionTreeClassifier().fit(iris.X, iris.y)
    for options in ({"horizon": 1.0}, {"times": [1.0]}, {"event": 1}):
        with pytest.raises(CeibaError, match="survival trees only"):
            other.evaluate(iris.X, iris.y, **options)


@pytest.mark.slow
def test_intervals_cover_the_figures_of_many_rows() -> None:
    model = ceiba.DecisionTreeSurvival(max_depth=2, min_samples_leaf=20)
    model.fit(simulate(400, 5), TARGET)
    truth = model.evaluate(simulate(100_000, 6), TARGET, horizon=10.0)
    inside = {"harrell": 0, "uno": 0, "brier": 0}
    runs = 300
    for seed in range(runs):
        found = model.evaluate(simulate(300, 1_000 + seed), TARGET, horizon=10.0)
        for name in inside:
            figure = getattr(found, name)
            inside[name] += figure.low <= getattr(truth, name).value <= figure.high
    assert all(0.91 <= hits / runs <= 0.985 for hits in inside.values()), inside
