"""evaluate: counts, shares, costs, baselines and intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ceiba import DataError, DecisionTreeClassifier, DecisionTreeRegressor
from ceiba.inspection.evaluate import evaluate_classes, evaluate_numbers
from ceiba.inspection.intervals import HEAVY_TAIL, mean_interval, wilson
from ceiba.table.weights import count_effective_rows

ABC = np.array(["a", "b", "c"])
TRUTH = np.array(["a"] * 10 + ["b"] * 10 + ["c"] * 10)
PREDICTED = np.array(["a"] * 8 + ["b"] * 2 + ["b"] * 5 + ["c"] * 5 + ["c"] * 10)


@pytest.fixture
def evaluation():
    return evaluate_classes(TRUTH, PREDICTED, ABC, "a")


def test_confusion_has_truth_in_rows(evaluation):
    assert evaluation.confusion.tolist() == [[8, 2, 0], [0, 5, 5], [0, 0, 10]]


def test_q_is_the_share_of_truth_j_predicted_as_i(evaluation):
    assert evaluation.q.tolist() == [[0.8, 0.2, 0], [0, 0.5, 0.5], [0, 0, 1]]


def test_error_and_class_errors(evaluation):
    assert evaluation.error == pytest.approx(7 / 30)
    assert evaluation.accuracy == pytest.approx(23 / 30)
    assert evaluation.class_error.tolist() == pytest.approx([0.2, 0.5, 0.0])


def test_without_costs_cost_is_error(evaluation):
    assert evaluation.cost == pytest.approx(evaluation.error)
    assert evaluation.class_cost.tolist() == pytest.approx(evaluation.class_error.tolist())


def test_baseline_is_what_the_root_would_do(evaluation):
    assert (evaluation.baseline, evaluation.baseline_error) == ("a", pytest.approx(20 / 30))


def test_costs_are_truth_by_predicted():
    costs = np.array([[0.0, 7.0, 1.0], [1.0, 0.0, 3.0], [11.0, 13.0, 0.0]])
    evaluation = evaluate_classes(TRUTH, PREDICTED, ABC, "a", cost_matrix=costs)
    assert evaluation.class_cost.tolist() == pytest.approx([0.2 * 7, 0.5 * 3, 0.0])
    assert evaluation.cost == pytest.approx((2 * 7 + 5 * 3) / 30)
    assert evaluation.baseline_cost == pytest.approx((10 * 1 + 10 * 11) / 30)


def test_priors_weigh_the_classes():
    prior = np.array([0.8, 0.1, 0.1])
    evaluation = evaluate_classes(TRUTH, PREDICTED, ABC, "a", class_prior=prior)
    assert evaluation.cost == pytest.approx(0.8 * 0.2 + 0.1 * 0.5)


def test_weights_equal_repeated_rows():
    weight = np.arange(1.0, 31.0)
    weighted = evaluate_classes(TRUTH, PREDICTED, ABC, "a", weight=weight, frequency_weights=True)
    times = weight.astype(int)
    repeated = evaluate_classes(np.repeat(TRUTH, times), np.repeat(PREDICTED, times), ABC, "a")
    assert weighted.confusion.tolist() == repeated.confusion.tolist()
    assert weighted.error_interval == pytest.approx(repeated.error_interval)
    # Resampled with other random numbers: the same interval but for the noise of 999 resamples.
    assert weighted.cost_interval == pytest.approx(repeated.cost_interval, abs=0.01)


def test_class_the_model_does_not_know_gets_a_row():
    evaluation = evaluate_classes(np.array(["a", "z"]), np.array(["a", "a"]), ABC[:1], "a")
    assert evaluation.classes == ("a", "z")
    assert evaluation.confusion.tolist() == [[1, 0], [1, 0]]


def test_unknown_class_with_costs_is_refused():
    with pytest.raises(DataError, match="only classes with a cost .*got 'z'"):
        evaluate_classes(np.array(["z"]), np.array(["a"]), ABC, "a", cost_matrix=1.0 - np.eye(3))


def test_class_without_rows_has_no_error():
    evaluation = evaluate_classes(TRUTH[:20], PREDICTED[:20], ABC, "a")
    assert np.isnan(evaluation.class_error[2])


def test_print_has_a_labelled_corner_and_the_baseline(evaluation):
    text = str(evaluation)
    assert "truth \\ predicted" in text
    assert "always 'a' (the root's prediction): error 0.667" in text
    assert "cost" not in text


def test_print_shows_costs_when_given():
    costs = np.array([[0.0, 7.0, 1.0], [1.0, 0.0, 3.0], [11.0, 13.0, 0.0]])
    text = str(evaluate_classes(TRUTH, PREDICTED, ABC, "a", cost_matrix=costs))
    assert "cost per row: 0.967" in text


# ---------------------------------------------------------------------- numbers


def test_numbers_have_mse_mae_and_r2():
    evaluation = evaluate_numbers(
        np.array([1.0, 2.0, 3.0, 6.0]), np.array([1.0, 2.0, 4.0, 4.0]), 3.0
    )
    assert (evaluation.mse, evaluation.mae) == (1.25, 0.75)
    assert evaluation.rmse == pytest.approx(1.25**0.5)
    assert evaluation.r2 == pytest.approx(1 - 5 / 14)
    assert (evaluation.baseline_mse, evaluation.baseline_mae) == (
        pytest.approx(14 / 4),
        pytest.approx(1.5),
    )


def test_r2_of_a_constant_truth_is_not_a_number():
    assert np.isnan(evaluate_numbers(np.ones(3), np.ones(3), 1.0).r2)


def test_interval_of_symmetric_values_is_student():
    values = np.repeat([-2.0, -1.0, 1.0, 2.0], 5)
    expected = stats.t.interval(0.95, 19, 0.0, stats.sem(values))
    assert mean_interval(values, np.ones(20), 20.0) == pytest.approx(expected)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_interval_of_skewed_values_solves_halls_equation(confidence):
    values = np.random.default_rng(0).lognormal(size=50)
    low, high = mean_interval(values, np.ones(50), 50.0, confidence)
    k = stats.skew(values) / np.sqrt(50)
    for bound, level in ((low, 0.5 + confidence / 2), (high, 0.5 - confidence / 2)):
        t = (values.mean() - bound) / stats.sem(values)
        cubic = t + k * t**2 / 3 + k**2 * t**3 / 27 + k / 6
        assert cubic == pytest.approx(stats.t.ppf(level, 49))
    assert high - values.mean() > values.mean() - low


def test_weights_that_are_frequencies_have_the_interval_of_repeated_rows():
    rng = np.random.default_rng(1)
    values, weight = rng.lognormal(size=30), rng.integers(1, 5, 30)
    rows = np.repeat(values, weight)
    expected = mean_interval(rows, np.ones(len(rows)), len(rows))
    interval = mean_interval(values, weight * 1.0, float(weight.sum()), frequency_weights=True)
    assert interval == pytest.approx(expected)


def test_interval_of_r2_covers_it():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    evaluation = evaluate_numbers(y, y + rng.normal(0, 0.5, 200), 0.0)
    low, high = evaluation.r2_interval
    assert low < evaluation.r2 < high < 1


def test_numbers_print_intervals_and_the_root():
    text = str(evaluate_numbers(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), 2.0))
    assert text.splitlines()[0] == "3 rows, approximate 95 % intervals"
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
    assert count_effective_rows(np.full(5, 3.0), 5, counts=False) == pytest.approx(5.0)
    assert count_effective_rows(np.full(5, 3.0), 5, counts=True) == 15.0
    assert count_effective_rows(None, 5, counts=True) == 5.0


# ---------------------------------------------------------------------- by the estimators


def test_evaluate_takes_the_target_by_name():
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": ["a", "a", "b", "b"]})
    model = DecisionTreeClassifier().fit(frame, "y")
    assert model.evaluate(frame, "y").error == 0.0


def test_evaluate_uses_the_costs_of_the_model():
    X, y = [[1], [1], [1], [1]], ["a", "a", "a", "b"]
    model = DecisionTreeClassifier(cost_matrix={("b", "a"): 2.0}).fit(X, y)
    evaluation = model.evaluate(X, y)
    assert evaluation.has_costs
    assert evaluation.cost == evaluation.baseline_cost == pytest.approx(0.5)


def test_evaluate_of_several_outputs_gives_one_for_each():
    X = [[1], [2], [3], [4]]
    y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
    evaluation = DecisionTreeClassifier(max_depth=1).fit(X, y).evaluate(X, y)
    assert [part.error for part in evaluation] == [0.0, 0.5]


def test_evaluate_of_a_regressor_agrees_with_its_score():
    rng = np.random.default_rng(0)
    X, y = rng.random((50, 2)), rng.random(50)
    model = DecisionTreeRegressor(max_depth=2).fit(X, y)
    evaluation = model.evaluate(X, y)
    assert evaluation.r2 == pytest.approx(model.score(X, y))
    assert evaluation.baseline == pytest.approx(y.mean())


def test_evaluate_with_weights_agrees_with_score():
    rng = np.random.default_rng(0)
    X, y, w = rng.random((50, 2)), rng.integers(0, 2, 50), rng.random(50)
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    evaluation = model.evaluate(X, y, sample_weight=w)
    assert evaluation.accuracy == pytest.approx(model.score(X, y, sample_weight=w))


def test_evaluate_of_other_lengths_is_refused():
    model = DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    with pytest.raises(DataError, match="inconsistent"):
        model.evaluate([[1], [2]], ["a"])


# ---------------------------------------------------------------------- priors


def test_unknown_class_is_refused_when_there_are_priors():
    model = DecisionTreeClassifier(class_prior=[0.5, 0.5]).fit([[1], [2]], ["a", "b"])
    with pytest.raises(DataError, match="only classes with a prior .*got 'c'"):
        model.evaluate([[1], [2], [2]], ["a", "b", "c"])


def test_prior_of_a_class_without_rows_is_shared_out():
    truth, predicted = np.array(["a"] * 4 + ["b"] * 4), np.array(["a", "a", "a", "b"] + ["b"] * 4)
    evaluation = evaluate_classes(truth, predicted, ABC, "a", class_prior=np.array([0.3, 0.2, 0.5]))
    assert evaluation.cost == pytest.approx(0.25 * 0.3 / 0.5)


def test_print_tells_figures_of_the_rows_from_prior_weighted_ones():
    text = str(evaluate_classes(TRUTH, PREDICTED, ABC, "a", class_prior=np.array([0.8, 0.1, 0.1])))
    assert "error of these rows" in text
    assert "cost per row, prior-weighted" in text
    assert ", prior-weighted cost " in text  # of the root's answer
    plain = str(evaluate_classes(TRUTH, PREDICTED, ABC, "a"))
    assert "of these rows" not in plain
    assert "prior" not in plain


# ---------------------------------------------------------------------- coverage

COSTS = np.array([[0.0, 1.0], [8.0, 0.0]])
AB = np.array(["a", "b"])


def cost_case(rng, n, prior=None):
    """10 % of mistakes in each class; a missed "b" costs 8."""
    truth = AB[(rng.random(n) < 0.3).astype(int)]
    predicted = np.where(rng.random(n) < 0.1, np.where(truth == "a", "b", "a"), truth)
    evaluation = evaluate_classes(truth, predicted, AB, "a", cost_matrix=COSTS, class_prior=prior)
    share = 0.3 if prior is None else prior[1]
    return {"cost": (evaluation.cost_interval, 0.1 * (1 - share) + 0.8 * share)}


def number_case(errors, weighted=False):
    """A signal of variance 4, and errors of mean 0; exponential weights."""

    def case(rng, n):
        signal, off = rng.normal(scale=2.0, size=n), errors(rng, n)
        weight = rng.exponential(size=n) if weighted else None
        evaluation = evaluate_numbers(signal + off, signal, 0.0, weight=weight)
        assert evaluation.approximate == (n < 200) or weighted
        mse, mae = MOMENTS[errors]
        return {
            "MSE": (evaluation.mse_interval, mse),
            "MAE": (evaluation.mae_interval, mae),
            "R2": (evaluation.r2_interval, 4 / (4 + mse)),
        }

    return case


def normal(rng, n):
    return rng.normal(size=n)


def lognormal(rng, n):
    """Lognormal errors about 0."""
    return rng.lognormal(size=n) - np.exp(0.5)


def exponential(rng, n):
    """Exponential errors about 0."""
    return rng.exponential(size=n) - 1.0


MOMENTS = {
    normal: (1.0, np.sqrt(2 / np.pi)),
    lognormal: ((np.e - 1) * np.e, 1.262673),
    exponential: (1.0, 2 / np.e),
}


def coverage(case, n, runs):
    rng = np.random.default_rng(n)
    held = {}
    for _ in range(runs):
        for name, ((low, high), truth) in case(rng, n).items():
            held.setdefault(name, []).append(low <= truth <= high)
    return {name: float(np.mean(hits)) for name, hits in held.items()}


CASES = {
    "cost 8 to 1": cost_case,
    "cost 8 to 1, prior": lambda rng, n: cost_case(rng, n, np.array([0.5, 0.5])),
    "normal errors": number_case(normal),
    "lognormal errors": number_case(lognormal),
    "exponential errors": number_case(exponential),
    "normal errors, weighted": number_case(normal, weighted=True),
    "lognormal errors, weighted": number_case(lognormal, weighted=True),
    "exponential errors, weighted": number_case(exponential, weighted=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("n", [50, 200, 800])
def test_intervals_of_95_percent_cover_90_to_98_from_200_rows_on(name, n):
    rates = coverage(CASES[name], n, 1000 if n == 800 else 3000)
    print(f"| {name} | {n} | {', '.join(f'{k} {100 * v:.1f} %' for k, v in rates.items())} |")
    if n >= 200:
        assert 0.90 <= min(rates.values()) <= max(rates.values()) <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize(("n", "at_least"), [(100, 0.92), (400, 0.93)])
def test_interval_of_the_mae_of_lognormal_errors_covers(n, at_least):
    """40,000 runs at 100 rows and 10,000 at 400: standard errors of 0.14 and 0.24 %."""
    rng, weight = np.random.default_rng(n), np.ones(n)
    held = [
        low <= 1.262673 <= high
        for low, high in (
            mean_interval(np.abs(lognormal(rng, n)), weight, float(n))
            for _ in range(4_000_000 // n if n == 100 else 10_000)
        )
    ]
    print(f"| MAE, lognormal errors | {n} | {100 * np.mean(held):.2f} % |")
    assert at_least <= np.mean(held) <= 0.97


def test_interval_of_the_cost_covers_in_a_short_run():
    assert coverage(cost_case, 100, 500)["cost"] >= 0.925


def test_interval_of_the_mse_of_weighted_lognormal_errors_covers():
    rng, held = np.random.default_rng(0), []
    for _ in range(4000):
        square, weight = lognormal(rng, 200) ** 2, rng.exponential(size=200)
        n = weight.sum() ** 2 / (weight @ weight)
        low, high = mean_interval(square, weight, n, tail=HEAVY_TAIL)
        held.append(low <= MOMENTS[lognormal][0] <= high)
    assert 0.91 <= np.mean(held) <= 0.98
