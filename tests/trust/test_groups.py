"""Figures per group are those of the group's rows alone; differences have Newcombe's interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ceiba
from ceiba.errors import DataError, OptionError
from ceiba.inspection.intervals import wilson


def data(n: int = 400) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n)})
    X["sex"] = rng.choice(["f", "m", None], size=n, p=[0.4, 0.5, 0.1])
    return X, np.where(X["x"] + rng.normal(size=n) > 0, "yes", "no")


def fitted() -> tuple[Any, pd.DataFrame, Any]:
    X, y = data()
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(X[["x", "z"]][:200], y[:200])
    return model, X[200:], y[200:]


def test_evaluate_by_column_equals_evaluating_each_group() -> None:
    model, X, y = fitted()
    found = model.evaluate(X, y, by="sex")
    assert list(found.evaluations) == ["f", "m", "missing"]
    said, p = model.predict(X[["x", "z"]]), model.predict_proba(X[["x", "z"]])[:, 1]
    by = {(row["group"], row["figure"]): row for row in found.figures}
    for group in ("f", "m", "missing"):
        mine = (X["sex"].isna() if group == "missing" else X["sex"] == group).to_numpy()
        alone = model.evaluate(X[["x", "z"]][mine], y[mine])
        assert found.evaluations[group].error == alone.error
        assert by[group, "error"]["value"] == alone.error
        so, told = y[mine] == "yes", said[mine] == "yes"
        assert by[group, "selection rate"]["value"] == pytest.approx(told.mean())
        assert by[group, "true positive rate"]["value"] == pytest.approx(told[so].mean())
        assert by[group, "false positive rate"]["value"] == pytest.approx(told[~so].mean())
        assert by[group, "calibration"]["value"] == pytest.approx(p[mine].mean() - so.mean())
        low, high = wilson(told[so].mean(), so.sum())
        assert by[group, "true positive rate"]["low"] == pytest.approx(low)
        assert by[group, "true positive rate"]["high"] == pytest.approx(high)


def test_differences_are_to_the_largest_group_with_newcombes_interval() -> None:
    model, X, y = fitted()
    found = model.evaluate(X, y, by="sex")
    assert found.reference == "m"
    row = next(r for r in found.differences if (r["group"], r["figure"]) == ("f", "error"))
    f, m = found.evaluations["f"], found.evaluations["m"]
    (fl, fu), (ml, mu) = f.error_interval, m.error_interval
    apart = f.error - m.error
    assert row["difference"] == pytest.approx(apart)
    assert row["low"] == pytest.approx(apart - math.hypot(f.error - fl, mu - m.error))
    assert row["high"] == pytest.approx(apart + math.hypot(fu - f.error, m.error - ml))


def test_newcombes_interval_of_shares_equals_the_published_example() -> None:
    # Newcombe (1998), example (a): 56/70 - 48/80 = 0.2, interval 0.0524 to 0.3339.
    from ceiba.survival import Estimate
    from ceiba.trust.evaluation import _difference_listing

    figures = {
        "a": {"share": Estimate(56 / 70, *wilson(56 / 70, 70))},
        "b": {"share": Estimate(48 / 80, *wilson(48 / 80, 80))},
    }
    row = _difference_listing(figures, "b").row(0)
    assert (round(row["low"], 4), round(row["high"], 4)) == (0.0524, 0.3339)


def test_evaluate_by_works_for_frames_arrays_weights_and_numbers() -> None:
    X, y = data()
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    by_name = model.evaluate(X, y, by="sex")
    assert str(model.evaluate(pl.from_pandas(X), y, by="sex")) == str(by_name)
    by_array = model.evaluate(X, y, by=X["sex"].to_numpy())
    assert by_array.figures == by_name.figures
    doubled = model.evaluate(X, y, sample_weight=np.full(len(y), 2.0), by="sex")
    np.testing.assert_allclose(doubled.figures["value"], by_name.figures["value"])
    numbers = ceiba.DecisionTreeRegressor(max_depth=2).fit(X[["x"]], X["z"])
    found = numbers.evaluate(X[["x", "sex"]], X["z"], by="sex")
    assert set(found.figures["figure"]) == {"MSE", "MAE", "R2"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"by": "x"}, DataError, "at most 50 groups, got"),
        ({"by": ["a"]}, DataError, "by must have shape"),
        ({"by": "sex", "positive": "maybe"}, OptionError, "must be a class, got 'maybe'"),
        ({"positive": "maybe"}, OptionError, "must be a class, got 'maybe'"),
    ],
)
def test_evaluate_by_with_a_wrong_option_says_so(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    model, X, y = fitted()
    X = X if options.get("by") == "sex" else X[["x", "z"]]
    with pytest.raises(error, match=message):
        model.evaluate(X, y, **options)


def test_groups_of_several_outputs_are_those_of_each() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    first = np.where(X[:, 0] > 0, "a", "b")
    second = np.where(X[:, 1] > 0.3, "p", "q")
    side = np.where(X[:, 2] > 0, "left", "right")
    both = np.column_stack([first, second])
    model = ceiba.DecisionTreeClassifier(max_depth=3).fit(X, both)
    found = model.evaluate(X, both, by=side)
    assert isinstance(found, tuple)
    said = model.predict(X)
    for k, truth in enumerate((first, second)):
        for name in ("left", "right"):
            rows = side == name
            error = float(np.mean(said[rows, k] != truth[rows]))
            assert found[k].evaluations[name].error == pytest.approx(error, abs=1e-12)


def test_groups_of_near_numbers_stay_apart():
    codes = np.tile([1234567.0, 1234568.0, 0.1], 40)
    X, y = {"x": np.arange(120.0), "zip": codes}, np.arange(120) % 2
    model = ceiba.DecisionTreeClassifier(max_depth=1).fit({"x": X["x"]}, y)
    groups = model.evaluate(X, y, by="zip").evaluations
    assert sorted(groups) == ["0.1", "1234567", "1234568"]


def test_every_mark_of_a_missing_value_is_one_group():
    marks = [None, float("nan"), pd.NA, pd.NaT, "a", "b"] * 20
    X, y = {"x": np.arange(120.0)}, np.arange(120) % 2
    model = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y)
    by = pd.Series(marks, dtype=object)
    assert {k: e.n_rows for k, e in model.evaluate(X, y, by=by).evaluations.items()} == {
        "a": 20, "b": 20, "missing": 80,
    }  # fmt: skip


def test_calibration_without_any_error_is_not_certain():
    X, y = {"x": np.arange(100.0)}, (np.arange(100) >= 50).astype(int)
    model = ceiba.DecisionTreeClassifier().fit(X, y)
    result = model.evaluate(X, y, by=np.arange(100) % 2)
    for row in result.figures:
        if row["figure"] == "calibration":
            assert row["low"] == pytest.approx(-0.0713, abs=1e-3)
            assert row["high"] == pytest.approx(0.0713, abs=1e-3)


def test_intervals_of_scores_of_a_small_group_are_labeled_approximate() -> None:
    X, y = data()
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X[["x", "z"]], y)
    first = np.arange(len(y)) < 65
    assert "approximate 95 % intervals" in str(model.evaluate(X[["x", "z"]], y, by=first))
    many, labels = pd.concat([X[["x", "z"]]] * 8), np.tile(y, 8)
    halves = np.arange(len(labels)) < len(labels) // 2
    assert "approximate" not in str(model.evaluate(many, labels, by=halves))
