"""evaluate: counts, shares, costs, baselines and intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ceiba import DataError, DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.inspection import evaluate_classes, evaluate_numbers
from ceiba.inspection.intervals import mean_interval, wilson
from ceiba.table import effective_rows

ABC = np.array(["a", "b", "c"])
TRUTH = np.array(["a"] * 10 + ["b"] * 10 + ["c"] * 10)
SAID = np.array(["a"] * 8 + ["b"] * 2 + ["b"] * 5 + ["c"] * 5 + ["c"] * 10)


@pytest.fixture
def found():
    return evaluate_classes(TRUTH, SAID, ABC, "a")


def test_confusion_has_truth_in_rows(found):
    assert found.confusion.tolist() == [[8, 2, 0], [0, 5, 5], [0, 0, 10]]


def test_q_is_the_share_of_truth_j_predicted_as_i(found):
    assert found.q.tolist() == [[0.8, 0.2, 0], [0, 0.5, 0.5], [0, 0, 1]]


def test_error_and_class_errors(found):
    assert found.error == pytest.approx(7 / 30)
    assert found.accuracy == pytest.approx(23 / 30)
    assert found.class_error.tolist() == pytest.approx([0.2, 0.5, 0.0])


def test_without_costs_cost_is_error(found):
    assert found.cost == pytest.approx(found.error)
    assert found.class_cost.tolist() == pytest.approx(found.class_error.tolist())


def test_baseline_is_what_the_root_would_do(found):
    assert (found.baseline, found.baseline_error) == ("a", pytest.approx(20 / 30))


def test_costs_are_truth_by_predicted():
    costs = np.array([[0.0, 7.0, 1.0], [1.0, 0.0, 3.0], [11.0, 13.0, 0.0]])
    found = evaluate_classes(TRUTH, SAID, ABC, "a", cost_matrix=costs)
    assert found.class_cost.tolist() == pytest.approx([0.2 * 7, 0.5 * 3, 0.0])
    assert found.cost == pytest.approx((2 * 7 + 5 * 3) / 30)
    assert found.baseline_cost == pytest.approx((10 * 1 + 10 * 11) / 30)


def test_priors_weigh_the_classes():
    prior = np.array([0.8, 0.1, 0.1])
    found = evaluate_classes(TRUTH, SAID, ABC, "a", class_prior=prior)
    assert found.cost == pytest.approx(0.8 * 0.2 + 0.1 * 0.5)


def test_weights_equal_repeated_rows():
    weight = np.arange(1.0, 31.0)
    weighted = evaluate_classes(TRUTH, SAID, ABC, "a", weight=weight, frequency_weights=True)
    times = weight.astype(int)
    repeated = evaluate_classes(np.repeat(TRUTH, times), np.repeat(SAID, times), ABC, "a")
    assert weighted.confusion.tolist() == repeated.confusion.tolist()
    assert weighted.error_interval == pytest.approx(repeated.error_interval)
    assert weighted.cost_interval == pytest.approx(repeated.cost_interval)


def test_class_the_model_does_not_know_gets_a_row():
    found = evaluate_classes(np.array(["a", "z"]), np.array(["a", "a"]), ABC[:1], "a")
    assert found.classes == ("a", "z")
    assert found.confusion.tolist() == [[1, 0], [1, 0]]


def test_unknown_class_with_costs_is_refused():
    with pytest.raises(DataError, match="class 'z'"):
        evaluate_classes(np.array(["z"]), np.array(["a"]), ABC, "a", cost_matrix=1.0 - np.eye(3))


def test_class_without_rows_has_no_error():
    found = evaluate_classes(TRUTH[:20], SAID[:20], ABC, "a")
    assert np.isnan(found.class_error[2])


def test_print_has_a_labelled_corner_and_the_baseline(found):
    text = str(found)
    assert "truth \\ predicted" in text
    assert "always 'a' (the root's answer): error 0.667" in text
    assert "cost" not in text


def test_print_shows_costs_when_given():
    costs = np.array([[0.0, 7.0, 1.0], [1.0, 0.0, 3.0], [11.0, 13.0, 0.0]])
    text = str(evaluate_classes(TRUTH, SAID, ABC, "a", cost_matrix=costs))
    assert "cost per row: 0.967" in text


# ---------------------------------------------------------------------- numbers


def test_numbers_have_mse_mae_and_r2():
    found = evaluate_numbers(np.array([1.0, 2.0, 3.0, 6.0]), np.array([1.0, 2.0, 4.0, 4.0]), 3.0)
    assert (found.mse, found.mae) == (1.25, 0.75)
    assert found.rmse == pytest.approx(1.25**0.5)
    assert found.r2 == pytest.approx(1 - 5 / 14)
    assert (found.baseline_mse, found.baseline_mae) == (pytest.approx(14 / 4), pytest.approx(1.5))


def test_r2_of_a_constant_truth_is_not_a_number():
    assert np.isnan(evaluate_numbers(np.ones(3), np.ones(3), 1.0).r2)


def test_interval_of_the_mse_is_student():
    rng = np.random.default_rng(0)
    y, z = rng.normal(size=50), rng.normal(size=50)
    found = evaluate_numbers(y, z, 0.0)
    square = (y - z) ** 2
    expected = stats.t.interval(0.95, 49, square.mean(), stats.sem(square))
    assert found.mse_interval == pytest.approx(expected)


def test_interval_of_r2_covers_it():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    found = evaluate_numbers(y, y + rng.normal(0, 0.5, 200), 0.0)
    low, high = found.r2_interval
    assert low < found.r2 < high < 1


def test_numbers_print_intervals_and_the_root():
    text = str(evaluate_numbers(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), 2.0))
    assert text.splitlines()[0] == "3 rows, 95 % intervals"
    assert "always the root's" in text


# ---------------------------------------------------------------------- intervals


@pytest.mark.parametrize(("k", "n"), [(0, 20), (3, 20), (20, 20), (1, 1000)])
def test_wilson_equals_scipy(k, n):
    expected = stats.binomtest(k, n).proportion_ci(method="wilson")
    assert wilson(k / n, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_of_no_rows_says_nothing():
    assert wilson(0.5, 0) == (0.0, 1.0)


def test_mean_of_one_row_says_nothing():
    assert mean_interval(np.array([1.0]), np.array([1.0]), 1.0) == (-np.inf, np.inf)


def test_effective_rows_of_equal_weights_is_their_number():
    assert effective_rows(np.full(5, 3.0), 5, counts=False) == pytest.approx(5.0)
    assert effective_rows(np.full(5, 3.0), 5, counts=True) == 15.0
    assert effective_rows(None, 5, counts=True) == 5.0


# ---------------------------------------------------------------------- by the estimators


def test_evaluate_takes_the_target_by_name():
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": ["a", "a", "b", "b"]})
    model = DecisionTreeClassifier().fit(frame, "y")
    assert model.evaluate(frame, "y").error == 0.0


def test_evaluate_uses_the_costs_of_the_model():
    X, y = [[1], [1], [1], [1]], ["a", "a", "a", "b"]
    model = DecisionTreeClassifier(cost_matrix={("b", "a"): 2.0}).fit(X, y)
    found = model.evaluate(X, y)
    assert found.has_costs
    assert found.cost == found.baseline_cost == pytest.approx(0.5)


def test_evaluate_of_several_outputs_gives_one_for_each():
    X = [[1], [2], [3], [4]]
    y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
    found = DecisionTreeClassifier(max_depth=1).fit(X, y).evaluate(X, y)
    assert [part.error for part in found] == [0.0, 0.5]


def test_evaluate_of_a_regressor_agrees_with_its_score():
    rng = np.random.default_rng(0)
    X, y = rng.random((50, 2)), rng.random(50)
    model = DecisionTreeRegressor(max_depth=2).fit(X, y)
    found = model.evaluate(X, y)
    assert found.r2 == pytest.approx(model.score(X, y))
    assert found.baseline == pytest.approx(y.mean())


def test_evaluate_with_weights_agrees_with_score():
    rng = np.random.default_rng(0)
    X, y, w = rng.random((50, 2)), rng.integers(0, 2, 50), rng.random(50)
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    found = model.evaluate(X, y, sample_weight=w)
    assert found.accuracy == pytest.approx(model.score(X, y, sample_weight=w))


def test_evaluate_of_other_lengths_is_refused():
    model = DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    with pytest.raises(DataError, match="inconsistent"):
        model.evaluate([[1], [2]], ["a"])
