"""Two models on the same rows, against scikit-learn and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error, roc_auc_score

import ceiba
from tests.audit.test_mimic import loans, pipeline


def test_figures_equal_those_of_scikit_learn() -> None:
    X, y = loans(900)
    first = ceiba.DecisionTreeClassifier(max_depth=2).fit(X[:500], y[:500])
    second = pipeline(LogisticRegression()).fit(X[:500], y[:500])
    cost = np.array([[0, 5], [1, 0]])
    comparison = ceiba.compare(
        first, second, X[500:], y[500:], cost_matrix=cost, profit_matrix=-cost
    )
    truth = y[500:]
    for row in comparison.differences:
        models = {"first": first, "second": second}
        for name, model in models.items():
            answers, shares = model.predict(X[500:]), model.predict_proba(X[500:])
            code = [["low", "middle"].index(label) for label in truth]
            given = [["low", "middle"].index(label) for label in answers]
            expected = {
                "error": 1 - accuracy_score(truth, answers),
                "cost": cost[code, given].mean(),
                "profit": -cost[code, given].mean(),
                "log loss": log_loss(truth, np.clip(shares, 1e-15, None)),
                "AUC": roc_auc_score(truth == "middle", shares[:, 1]),
            }[row["figure"]]
            assert row[name] == pytest.approx(expected, abs=1e-9), (row["figure"], name)
        assert row["low"] <= row["difference"] <= row["high"]
    assert comparison.differences["figure"].tolist() == [
        "error", "cost", "profit", "log loss", "AUC"
    ]  # fmt: skip


def test_weighted_differences_equal_those_of_scikit_learn() -> None:
    X, y = loans(900)
    weight = np.random.default_rng(0).integers(0, 4, 400).astype(float)
    first = ceiba.DecisionTreeClassifier(max_depth=2).fit(X[:500], y[:500])
    second = pipeline(LogisticRegression()).fit(X[:500], y[:500])
    truth = y[500:]
    comparison = ceiba.compare(first, second, X[500:], truth, sample_weight=weight)
    for name, model in {"first": first, "second": second}.items():
        values = dict(
            zip(comparison.differences["figure"], comparison.differences[name], strict=True)
        )
        answers, shares = model.predict(X[500:]), model.predict_proba(X[500:])
        assert values == pytest.approx({
            "error": 1 - accuracy_score(truth, answers, sample_weight=weight),
            "log loss": log_loss(truth, np.clip(shares, 1e-15, None), sample_weight=weight),
            "AUC": roc_auc_score(truth == "middle", shares[:, 1], sample_weight=weight),
        })  # fmt: skip
    # Rows of weight 0 do not count, and the scale of the weights has no effect.
    some = weight > 0
    again = ceiba.compare(first, second, X[500:][some], truth[some], sample_weight=7 * weight[some])
    for name in ("difference", "low", "high"):
        assert again.differences[name] == pytest.approx(comparison.differences[name]), name
    assert comparison.mcnemar == ceiba.compare(first, second, X[500:], truth).mcnemar


def test_costs_of_the_trees_are_compared_unless_they_differ() -> None:
    X, y = loans()
    costs = {("low", "middle"): 5, ("middle", "low"): 1}
    plain, dear, cheap = (
        ceiba.DecisionTreeClassifier(max_depth=2, cost_matrix=matrix).fit(X, y)
        for matrix in (None, costs, {("low", "middle"): 3})
    )
    for first, second in ((plain, dear), (dear, plain), (dear, dear.tree_.collapse(1))):
        found = ceiba.compare(first, second, X, y).differences
        expected = ceiba.compare(first, second, X, y, cost_matrix=costs).differences
        assert found["figure"].tolist()[1] == "cost"
        assert list(found) == list(expected)
    opposite = ceiba.compare(plain, dear, X, y)
    rows = {row["figure"]: row["difference"] for row in opposite.differences}
    assert rows["error"] > 0 > rows["cost"]
    assert opposite.verdict.startswith("The second model has the better cost")
    for first, second in ((plain, plain), (dear, cheap)):
        assert "cost" not in ceiba.compare(first, second, X, y).differences["figure"].tolist()


@pytest.mark.filterwarnings("error")
def test_trees_that_differ_by_one_column_give_no_warning_of_a_leak() -> None:
    X = {"x": np.arange(400) // 4, "z": np.tile([0, 1], 200)}
    y, other = np.repeat(["a", "b"], 200), np.repeat(["b", "a"], 200)
    wrong = np.where(X["z"] == 1, other, y)
    assert ceiba.compare(y, wrong, X, y).rules["condition"].tolist()[0] == "z > 0.5"
    assert ceiba.analyze_errors(wrong, X, y).segments["condition"].tolist()[0] == "z > 0.5"
    assert ceiba.mimic(y, X).fidelity == 1


def test_mcnemar_is_the_exact_binomial_test() -> None:
    truth = np.array(["a"] * 40)
    first = np.array(["a"] * 30 + ["b"] * 10)
    second = np.array(["b"] * 3 + ["a"] * 35 + ["b"] * 2)
    comparison = ceiba.compare(first, second, {"x": np.arange(40)}, truth)
    assert comparison.mcnemar is not None
    only_first, only_second = 3, 8
    tail = sum(math.comb(11, k) for k in range(only_first + 1)) / 2**11
    assert comparison.mcnemar == {
        "disagree": 11,
        "first_only": only_first,
        "second_only": only_second,
        "p_value": pytest.approx(min(1.0, 2 * tail)),
    }


def test_moves_count_every_row_and_disagreements_have_rules() -> None:
    X, y = loans(1200)
    first = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    second = first.collapse(0)
    comparison = ceiba.compare(first, second, X, y)
    assert comparison.moves["rows"].sum() == 1200
    differ = first.predict(X) != second.predict(X)
    assert len(comparison.rows) == min(10, differ.sum())
    for i in comparison.rows["row"].tolist():
        assert differ[i]
    inside = comparison.rules.row(0)
    assert inside["disagree"] > differ.mean()


def test_listing_of_moves_says_how_many_pairs_it_leaves_out() -> None:
    X, y = loans(1200)
    large = ceiba.DecisionTreeClassifier(min_samples_leaf=5).fit(X, y)
    moves = ceiba.compare(large, ceiba.DecisionTreeClassifier(max_depth=5).fit(X, y), X, y).moves
    assert len(moves) == 50
    assert moves.legend.startswith("50 of ")
    same = ceiba.compare(large.collapse(0), large.collapse(0), X, y)
    assert not same.moves.legend
    assert "They have equal predictions." in str(same)


def test_numbers_are_compared_by_squared_and_absolute_error() -> None:
    rng = np.random.default_rng(1)
    X, y = {"x": rng.normal(size=400)}, rng.normal(size=400)
    first, second = y + rng.normal(size=400), y + 0.5 * rng.normal(size=400)
    comparison = ceiba.compare(first, second, X, y)
    assert comparison.mcnemar is None
    row = comparison.differences.row(0)
    assert row["second"] == pytest.approx(mean_squared_error(y, second))
    assert row["high"] < 0
    assert comparison.verdict.startswith("The second model has the better mean squared error")


@pytest.mark.slow
def test_intervals_of_differences_cover(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The second model is right 5 % more often; scores differ in their AUC."""
    covered = {"error": 0, "AUC": 0}

    class Scored:
        classes_ = np.array([0, 1])

        def __init__(self, score):  # type: ignore[no-untyped-def]
            self.score = score

        def predict(self, X):  # type: ignore[no-untyped-def]
            return (self.score > 0.5).astype(int)

        def predict_proba(self, X):  # type: ignore[no-untyped-def]
            share = 1 / (1 + np.exp(-self.score))
            return np.column_stack([1 - share, share])

    def draw(n, rng):  # type: ignore[no-untyped-def]
        truth = (rng.random(n) < 0.4).astype(int)
        common = rng.normal(size=n)
        return truth, truth + common, 1.5 * truth + 0.7 * common + 0.5 * rng.normal(size=n)

    truth, a, b = draw(1_000_000, np.random.default_rng(0))
    true_difference = {
        "error": np.mean((b > 0.5) != truth) - np.mean((a > 0.5) != truth),
        "AUC": roc_auc_score(truth, b) - roc_auc_score(truth, a),
    }
    for seed in range(300):
        truth, a, b = draw(200, np.random.default_rng(seed + 1))
        comparison = ceiba.compare(Scored(a), Scored(b), {"x": np.arange(200)}, truth)
        for row in comparison.differences:
            if row["figure"] in covered:
                covered[row["figure"]] += (
                    row["low"] <= true_difference[row["figure"]] <= row["high"]
                )
    for figure, times in covered.items():
        assert 0.92 <= times / 300 <= 0.98, figure


def test_a_page_is_written_and_needs_nothing_else(tmp_path) -> None:  # type: ignore[no-untyped-def]
    X, y = loans()
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    page = ceiba.compare(model, model.collapse(0), X, y).report(tmp_path / "c.html")
    text = (tmp_path / "c.html").read_text("utf-8")
    assert page.html == text
    assert "McNemar" in text
    assert "http" not in text.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positive": "x"}, "positive must be one of"),
        ({"cost_matrix": [[0]]}, "cost_matrix must have shape"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    X, y = loans()
    model = ceiba.DecisionTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(ceiba.OptionError, match=message):
        ceiba.compare(model, model, X, y, **options)
    with pytest.raises(ceiba.DataError, match="must both predict classes"):
        ceiba.compare(model, ceiba.DecisionTreeRegressor().fit(X, X["age"]), X, y)


def test_what_cannot_be_compared_is_refused_by_name() -> None:
    X, y = loans(60)
    first = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y)
    refused = [
        (
            (first, first, X, np.where(np.arange(60) < 3, None, y)),
            {},
            "y must not have missing values, got 3",
        ),
        ((first, first, X, np.arange(60)), {}, "y and a have no class in common"),
        ((first, np.arange(60), X, y), {}, "y and b have no class in common"),
        ((first, np.linspace(0, 1, 60), X, y), {}, "y and b have no class in common"),
        ((first, first, X, None), {}, "y is required"),
        ((first, first, X, y), {"confidence": 3}, "confidence must be"),
        ((first, first, X, y), {"random_state": "a"}, "random_state must be"),
        ((first, first, X, y), {"cost_matrix": "x"}, "cost_matrix"),
        (
            (first, first, X, y),
            {"sample_weight": np.zeros(60)},
            "all weights are zero",
        ),
        ((first, first, X, y), {"sample_weight": [1.0]}, "expected \\(60,\\): one weight per row"),
        ((first, first, X, y), {"profit_matrix": [[1]]}, "profit_matrix must have shape"),
    ]
    for arguments, options, words in refused:
        with pytest.raises(ceiba.CeibaError, match=words):
            ceiba.compare(*arguments, **options)


def test_one_row_tells_nothing() -> None:
    X, y = loans(60)
    first = ceiba.DecisionTreeClassifier(max_depth=1).fit(X, y)
    comparison = ceiba.compare(first, [y[0]], X[:1], y[:1])
    assert "on 1 row." in comparison.verdict
